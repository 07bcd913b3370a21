#include "discovery/mute.h"

#include <algorithm>

#include <fmt/format.h>

namespace weft::discovery {
namespace {

constexpr std::size_t kPortsNamed = 3;

std::optional<NodeId> known_behind(const Finding& finding, const fabric::Fabric& before) {
  if (finding.kind != Finding::Kind::mute || !finding.behind) return std::nullopt;
  const auto node = before.find(finding.behind->guid);
  if (!node || raw(finding.behind->port) > before.node(*node).port_count) return std::nullopt;
  const auto peer = before.port({*node, finding.behind->port}).peer;
  return peer ? std::optional(peer->node) : std::nullopt;
}

std::string sentence(const fabric::Node& node, const std::vector<std::string>& ports) {
  std::string text =
      fmt::format("{} {} does not answer; asked behind ", name(node.type), fabric::describe(node));
  for (std::size_t i = 0; i < std::min(ports.size(), kPortsNamed); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", ports[i]);
  if (ports.size() > kPortsNamed) text += fmt::format(" and {} more", ports.size() - kPortsNamed);
  return text;
}

}  // namespace

std::vector<Finding> name_mute(std::vector<Finding> findings, const fabric::Fabric& before) {
  std::map<NodeId, std::vector<std::string>> ports;
  std::erase_if(findings, [&](const Finding& finding) {
    const auto mute = known_behind(finding, before);
    if (!mute) return false;
    const fabric::Node& neighbour = before.node(*before.find(finding.behind->guid));
    ports[*mute].push_back(fmt::format("{} port {}", fabric::describe(neighbour), raw(finding.behind->port)));
    return true;
  });
  for (auto& [id, names] : ports) {
    std::ranges::sort(names);
    Finding one;
    one.node = before.node(id).guid;
    one.what = sentence(before.node(id), names);
    findings.push_back(std::move(one));
  }
  std::ranges::sort(findings, {}, &Finding::what);
  return findings;
}

}  // namespace weft::discovery
