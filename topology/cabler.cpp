#include "topology/cabler.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <map>
#include <utility>

namespace weft::topology {
namespace {

constexpr std::uint64_t kSwitchGuids = 0x0002c90100000000;
constexpr std::uint64_t kHostGuids = 0x0002c90200000000;
constexpr std::uint32_t kPortsPerHost = 15;  // sixteen GUIDs are set aside for each adapter
constexpr std::uint16_t kSwitchDevice = 0xcb20;
constexpr std::uint16_t kHostDevice = 0x1013;
constexpr std::uint64_t kHuge = 1ULL << 32;

PortNum port_num(std::uint32_t port) {
  assert(port >= 1 && port <= kMaxPorts);
  return static_cast<PortNum>(port);
}

}  // namespace

Result<void> check_fits(const Needs& needs) {
  if (needs.switch_ports > kMaxPorts)
    return fail(Errc::invalid, "a switch would need {} ports; at most {} are possible", needs.switch_ports,
                kMaxPorts);
  const std::uint64_t lids = needs.switches + needs.host_ports;
  if (lids > raw(kLidLastUnicast))
    return fail(Errc::invalid, "{}{} switches and host ports; at most {} LIDs exist",
                lids >= kHuge ? "over " : "", std::min(lids, kHuge), raw(kLidLastUnicast));
  return {};
}

std::uint64_t product(std::initializer_list<std::uint64_t> factors) {
  std::uint64_t all = 1;
  for (const std::uint64_t factor : factors) all = std::min(kHuge, all * std::min(kHuge - 1, factor));
  return all;
}

std::uint64_t product(const std::vector<std::uint32_t>& factors, std::size_t first, std::size_t last) {
  std::uint64_t all = 1;
  for (std::size_t i = first; i < last; ++i) all = product({all, factors[i]});
  return all;
}

std::string digits_name(std::string_view prefix, const std::vector<std::uint32_t>& digits,
                        const std::vector<std::uint32_t>& bases) {
  std::string name(prefix);
  for (std::size_t i = 0; i < digits.size(); ++i)
    if (bases[i] > 1) name += fmt::format("-{:02}", digits[i]);
  return name;
}

std::uint32_t Cabler::add_switch(std::string id, std::string_view role, std::uint32_t host_slots) {
  const auto number = static_cast<std::uint32_t>(switches_.size());
  Node node;
  node.type = NodeType::switch_;
  node.description = fmt::format("{} {}", id, role);
  node.id = std::move(id);
  node.guid = node.system_guid = Guid{kSwitchGuids + number};
  node.port_guids = {node.guid};
  node.device = kSwitchDevice;
  switches_.push_back(std::move(node));
  roles_.emplace_back(role);
  if (host_slots > 0) leaves_.push_back({number, host_slots});
  return number;
}

std::uint32_t Cabler::add_host(std::string id, std::string description) {
  const auto number = static_cast<std::uint32_t>(hosts_.size());
  Node node;
  node.id = std::move(id);
  node.description = std::move(description);
  if (node.description.size() > 63) node.description.resize(63);
  node.guid = node.system_guid = Guid{kHostGuids + 16ULL * number};
  node.device = kHostDevice;
  hosts_.push_back(std::move(node));
  return number;
}

void Cabler::use_port(Node& node, std::uint32_t port) {
  node.port_count = std::max(node.port_count, raw(port_num(port)));
}

void Cabler::link(std::uint32_t a, std::uint32_t port_a, std::uint32_t b, std::uint32_t port_b) {
  use_port(switches_[a], port_a);
  use_port(switches_[b], port_b);
  switch_cables_.push_back({{a, port_num(port_a)}, {b, port_num(port_b)}});
}

Result<void> Cabler::attach_hosts(const HostPlan& plan) {
  if (leaves_.size() % plan.rails != 0)
    return fail(Errc::invalid, "{} switches with hosts cannot be split into blocks of {} rails",
                leaves_.size(), plan.rails);
  const std::uint32_t ports = plan.parallel * (plan.rail_ports ? plan.rails : 1);
  if (ports > kPortsPerHost)
    return fail(Errc::invalid, "a host would have {} ports; at most {} are possible", ports, kPortsPerHost);
  const bool adapter_per_rail = plan.rails > 1 && !plan.rail_ports;
  for (std::size_t i = 0; i < leaves_.size(); ++i)
    if (leaves_[i].slots != leaves_[i - i % plan.rails].slots)
      return fail(Errc::invalid, "switches with unequal numbers of hosts cannot form blocks of {} rails",
                  plan.rails);
  std::uint32_t number = 0;
  for (std::size_t block = 0; block < leaves_.size(); block += plan.rails) {
    for (std::uint32_t slot = 0; slot < leaves_[block].slots; ++slot, ++number) {
      const auto place = [&](std::size_t rail) {
        return fmt::format(" {}:{}", switches_[leaves_[block + rail].node].id, slot + 1);
      };
      std::string all_places;
      if (!adapter_per_rail)
        for (std::uint32_t rail = 0; rail < plan.rails; ++rail) all_places += place(rail);
      std::uint32_t host = 0;
      Guid system{};
      for (std::uint32_t rail = 0; rail < plan.rails; ++rail) {
        if (rail == 0 || adapter_per_rail) {
          std::string id =
              adapter_per_rail ? fmt::format("h{:05}-r{}", number, rail) : fmt::format("h{:05}", number);
          std::string description = id + (adapter_per_rail ? place(rail) : all_places);
          host = add_host(std::move(id), std::move(description));
          if (rail == 0) system = hosts_[host].guid;
          hosts_[host].system_guid = system;
        }
        const std::uint32_t leaf = leaves_[block + rail].node;
        for (std::uint32_t k = 0; k < plan.parallel; ++k) {
          const std::uint32_t port = hosts_[host].port_count + 1U;
          const std::uint32_t leaf_port = slot * plan.parallel + k + 1;
          use_port(hosts_[host], port);
          use_port(switches_[leaf], leaf_port);
          host_cables_.push_back({{host, port_num(port)}, {leaf, port_num(leaf_port)}});
        }
      }
    }
  }
  return {};
}

Result<Topology> Cabler::finish(std::uint32_t radix, LinkWidth width, LinkSpeed speed) && {
  std::map<std::string_view, std::uint8_t> widest;
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    if (radix != 0 && switches_[i].port_count > radix)
      return fail(Errc::invalid, "{} needs {} ports, more than the {} asked for", switches_[i].id,
                  switches_[i].port_count, radix);
    std::uint8_t& most = widest[roles_[i]];
    most = std::max({most, switches_[i].port_count, std::uint8_t{1}});
  }
  for (std::size_t i = 0; i < switches_.size(); ++i)
    switches_[i].port_count = radix != 0 ? static_cast<std::uint8_t>(radix) : widest[roles_[i]];
  for (Node& host : hosts_)
    for (std::uint8_t port = 1; port <= host.port_count; ++port)
      host.port_guids.push_back(Guid{raw(host.guid) + port});

  Topology topology;
  const auto shift = static_cast<std::uint32_t>(hosts_.size());
  topology.nodes = std::move(hosts_);
  topology.nodes.reserve(shift + switches_.size());
  std::ranges::move(switches_, std::back_inserter(topology.nodes));
  topology.cables = std::move(host_cables_);
  topology.cables.reserve(topology.cables.size() + switch_cables_.size());
  for (Cable& cable : topology.cables) cable.b.node += shift;
  for (Cable cable : switch_cables_) {
    cable.a.node += shift;
    cable.b.node += shift;
    topology.cables.push_back(cable);
  }
  for (Cable& cable : topology.cables) {
    cable.width = width;
    cable.speed = speed;
  }
  sort_cables(topology);
  return topology;
}

}  // namespace weft::topology
