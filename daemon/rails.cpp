#include "daemon/rails.h"

#include <fmt/format.h>

#include "base/words.h"

namespace weft::daemon {
namespace {

constexpr std::size_t kTold = 20;
constexpr std::size_t kEnough = 4;  ///< Ports of a kind from which on there is a rule.

/// More than three quarters.
bool is_most(std::size_t part, std::size_t all) { return 4 * part > 3 * all; }

}  // namespace

void Rails::found(const std::string& subnet, const fabric::Fabric& fabric) {
  Found found;
  for (const fabric::PortRef port : fabric.end_ports()) {
    const fabric::Node& node = fabric.node(port.node);
    if (node.type == NodeType::switch_) {
      found.switches.emplace(node.guid, fabric::describe(node));
      continue;
    }
    const std::size_t space = node.description.find(' ');
    std::string rest = space == std::string::npos ? std::string() : node.description.substr(space + 1);
    found.ends.push_back({node.guid, node.description.substr(0, space),
                          fmt::format("{}{}port {}", rest, rest.empty() ? "" : " ", raw(port.port))});
  }
  const std::lock_guard lock(mutex_);
  subnets_[subnet] = std::move(found);
}

void Rails::gone(const std::string& subnet) {
  const std::lock_guard lock(mutex_);
  subnets_.erase(subnet);
}

std::vector<Rails::Crossed> Rails::crossed(const std::string& subnet) const {
  const std::lock_guard lock(mutex_);
  const auto here = subnets_.find(subnet);
  if (here == subnets_.end() || subnets_.size() < 2) return {};
  std::vector<Crossed> crossed;
  for (const auto& [name, other] : subnets_) {
    if (name == subnet) continue;
    for (const auto& [guid, description] : here->second.switches)
      if (other.switches.contains(guid))
        crossed.push_back(
            {guid, fmt::format("{} is in subnet {}, too: a cable joins the two", description, name)});
  }
  std::map<std::string, std::map<std::string, std::size_t>> ports;  // of a kind, by subnet
  for (const auto& [name, other] : subnets_)
    for (const End& end : other.ends) ++ports[end.kind][name];
  std::size_t more = 0;
  for (const End& end : here->second.ends) {
    const auto& counts = ports[end.kind];
    std::size_t all = 0;
    for (const auto& [name, count] : counts) all += count;
    if (all < kEnough) continue;
    for (const auto& [name, count] : counts) {
      if (name == subnet || !is_most(count, all)) continue;
      if (crossed.size() >= kTold) {
        ++more;
        continue;
      }
      crossed.push_back(
          {end.node, fmt::format("{} of {} is in this subnet, and {} of {} such ports are in {}: "
                                 "are its cables crossed?",
                                 end.kind, end.host, count, all, name)});
    }
  }
  if (more > 0) crossed.push_back({{}, fmt::format("{} more seem crossed likewise", counted(more, "port"))});
  return crossed;
}

}  // namespace weft::daemon
