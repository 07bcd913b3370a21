#include "plan/unmatched.h"

#include <algorithm>

#include "plan/naming.h"
#include "plan/roots.h"

namespace weft::plan {
namespace {

constexpr std::size_t kTold = 20;

void take_most(std::vector<std::string> some, std::string_view key, std::vector<std::string>& all) {
  const std::size_t more = some.size() > kTold ? some.size() - kTold : 0;
  some.resize(some.size() - more);
  all.insert(all.end(), some.begin(), some.end());
  if (more > 0) all.push_back(fmt::format("{}: and {} more", key, more));
}

bool carries_hosts(const fabric::Fabric& fabric, NodeId node) {
  return std::ranges::any_of(fabric.ports(node), [&](const fabric::Port& port) {
    return port.peer && !fabric.is_switch(port.peer->node);
  });
}

std::vector<std::string> odd_roots(const fabric::Fabric& fabric, const std::vector<std::string>& words) {
  if (words.empty()) return {};
  const Roots roots = find_roots(fabric, words);
  std::vector<std::string> odd;
  for (const std::string& note : roots.notes) odd.push_back("routing.roots: " + note);
  const auto is_bare = [&](NodeId node) { return !carries_hosts(fabric, node); };
  if (std::ranges::none_of(fabric.switches(), is_bare)) return odd;
  for (const Guid guid : roots.guids)
    if (const auto node = fabric.find(guid); node && carries_hosts(fabric, *node))
      odd.push_back(
          fmt::format("routing.roots: {} carries hosts, and other switches do not: is it at the top?",
                      describe(fabric.node(*node))));
  return odd;
}

std::vector<std::string> odd_lids(const fabric::Fabric& fabric, const Config& config) {
  std::vector<std::string> odd;
  for (const auto& [guid, lid] : config.lids.fixed) {
    const auto port = fabric.find_port(guid);
    if (port) continue;
    const auto node = fabric.find(guid);
    if (!node) {
      odd.push_back(
          fmt::format("lids.fixed: no port of this fabric has the GUID {}; LID {} is kept free for it",
                      to_string(guid), raw(lid)));
      continue;
    }
    std::string text = fmt::format("lids.fixed: {} is the GUID of a node, {}; LID {} needs a port's",
                                   to_string(guid), describe(fabric.node(*node)), raw(lid));
    for (const fabric::PortRef end : fabric.end_ports())
      if (end.node == *node)
        text += fmt::format("{} port {} has {}", text.ends_with('s') ? ":" : ",", raw(end.port),
                            to_string(fabric.port(end).guid));
    odd.push_back(std::move(text));
  }
  return odd;
}

std::vector<std::string> odd_names(const fabric::Fabric& fabric, const Config& config) {
  std::vector<std::string> odd;
  for (const auto& [guid, name] : config.names) {
    if (fabric.find(guid)) continue;
    const auto port = fabric.find_port(guid);
    odd.push_back(port ? fmt::format("names: {} for \"{}\" is the GUID of a port; that of its node is {}",
                                     to_string(guid), name, to_string(fabric.node(port->node).guid))
                       : fmt::format("names: no node of this fabric has the GUID {}, called \"{}\"",
                                     to_string(guid), name));
  }
  return odd;
}

}  // namespace

std::vector<std::string> unmatched(const fabric::Fabric& fabric, const Config& config) {
  std::vector<std::string> all;
  take_most(odd_roots(fabric, config.routing.roots), "routing.roots", all);
  std::vector<std::string> words = read_names(fabric, config.routing).notes;
  for (std::string& word : words) word = "routing." + word;
  take_most(std::move(words), "routing", all);
  take_most(odd_lids(fabric, config), "lids.fixed", all);
  take_most(odd_names(fabric, config), "names", all);
  return all;
}

}  // namespace weft::plan
