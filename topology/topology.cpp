#include "topology/topology.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "topology/place.h"

namespace weft::topology {
namespace {

constexpr std::size_t kMaxDescription = 63;

Result<void> check_node(const Node& node) {
  const auto unfit = [](unsigned char c) {  // '@' begins a port's alias in net files
    return std::isspace(c) != 0 || std::iscntrl(c) != 0 || c == '"' || c == '@';
  };
  if (node.id.empty()) return fail(Errc::invalid, "node {} has no id", to_string(node.guid));
  if (std::ranges::any_of(node.id, unfit))
    return fail(Errc::invalid, "node id \"{}\" contains a blank, quote, @ or control character", node.id);
  if (node.description.size() > kMaxDescription)
    return fail(Errc::invalid, "{}: description of {} bytes, at most {} fit", node.id,
                node.description.size(), kMaxDescription);
  if (node.guid == Guid{}) return fail(Errc::invalid, "{}: node GUID is 0", node.id);
  if (node.type < NodeType::hca || node.type > NodeType::router)
    return fail(Errc::invalid, "{}: unknown node type {}", node.id, static_cast<int>(node.type));
  if (node.port_count < 1 || node.port_count > kMaxPorts)
    return fail(Errc::invalid, "{}: {} ports, a node has 1 to {}", node.id, node.port_count, kMaxPorts);
  const std::size_t guids = node.type == NodeType::switch_ ? 1 : node.port_count;
  if (node.port_guids.size() != guids)
    return fail(Errc::invalid, "{}: {} port GUIDs where {} are needed", node.id, node.port_guids.size(),
                guids);
  if (std::ranges::count(node.port_guids, Guid{}) != 0)
    return fail(Errc::invalid, "{}: a port GUID is 0", node.id);
  return {};
}

Result<void> check_end(const Topology& topology, const End& end, std::size_t cable) {
  if (end.node >= topology.nodes.size())
    return fail(Errc::invalid, "cable {} ends at node {} of {}", cable, end.node, topology.nodes.size());
  const Node& node = topology.nodes[end.node];
  if (raw(end.port) < 1 || raw(end.port) > node.port_count)
    return fail(Errc::invalid, "cable {} ends at port {} of {}, which has {}", cable, raw(end.port), node.id,
                node.port_count);
  return {};
}

Result<void> check_names(const std::vector<Node>& nodes, Place& place) {
  std::unordered_set<std::string_view> ids(nodes.size());
  std::unordered_set<std::uint64_t> node_guids(nodes.size());
  std::unordered_set<std::uint64_t> port_guids(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    place = {Place::What::node, i};
    if (!ids.insert(node.id).second) return fail(Errc::conflict, "two nodes have the id {}", node.id);
    if (!node_guids.insert(raw(node.guid)).second)
      return fail(Errc::conflict, "{}: node GUID {} is another node's too", node.id, to_string(node.guid));
    for (const Guid guid : node.port_guids)
      if (!port_guids.insert(raw(guid)).second)
        return fail(Errc::conflict, "{}: port GUID {} is another port's too", node.id, to_string(guid));
  }
  return {};
}

Result<void> check_cables(const Topology& topology, Place& place) {
  std::vector<std::size_t> first_port(topology.nodes.size() + 1, 0);
  for (std::size_t i = 0; i < topology.nodes.size(); ++i)
    first_port[i + 1] = first_port[i] + topology.nodes[i].port_count;
  std::vector<bool> cabled(first_port.back(), false);
  for (std::size_t i = 0; i < topology.cables.size(); ++i) {
    const Cable& cable = topology.cables[i];
    place = {Place::What::cable, i};
    for (const End& end : {cable.a, cable.b})
      if (auto ok = check_end(topology, end, i); !ok) return ok;
    const std::string& id = topology.nodes[cable.a.node].id;
    if (cable.a == cable.b)
      return fail(Errc::invalid, "port {} of {} is cabled to itself", raw(cable.a.port), id);
    for (const End& end : {cable.a, cable.b}) {
      auto taken = cabled[first_port[end.node] + raw(end.port) - 1];
      if (taken)
        return fail(Errc::conflict, "port {} of {} is cabled twice", raw(end.port),
                    topology.nodes[end.node].id);
      taken = true;
    }
    if (!std::has_single_bit(static_cast<unsigned>(cable.width)) || lanes(cable.width) == 0)
      return fail(Errc::invalid, "port {} of {}: no single link width", raw(cable.a.port), id);
    if (cable.speed < LinkSpeed::sdr || cable.speed > LinkSpeed::xdr)
      return fail(Errc::invalid, "port {} of {}: no link speed", raw(cable.a.port), id);
  }
  return {};
}

}  // namespace

void sort_cables(Topology& topology) {
  for (Cable& cable : topology.cables)
    if (cable.b < cable.a) std::swap(cable.a, cable.b);
  std::ranges::sort(topology.cables, {}, &Cable::a);
}

Result<void> validate(const Topology& topology) {
  Place ignored;
  return validate(topology, ignored);
}

Result<void> validate(const Topology& topology, Place& place) {
  for (std::size_t i = 0; i < topology.nodes.size(); ++i) {
    place = {Place::What::node, i};
    if (auto ok = check_node(topology.nodes[i]); !ok) return ok;
  }
  if (auto ok = check_names(topology.nodes, place); !ok) return ok;
  return check_cables(topology, place);
}

}  // namespace weft::topology
