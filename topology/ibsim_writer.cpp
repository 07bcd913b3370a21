#include <algorithm>
#include <iterator>
#include <optional>

#include "topology/ibsim_file.h"

namespace weft::topology {
namespace {

struct Plug {
  End near;
  End far;
  const Cable* cable;
};

/// Every cable from both of its ends, by node and port.
std::vector<Plug> plugs_of(const Topology& topology) {
  std::vector<Plug> plugs;
  plugs.reserve(2 * topology.cables.size());
  for (const Cable& cable : topology.cables) {
    plugs.push_back({cable.a, cable.b, &cable});
    plugs.push_back({cable.b, cable.a, &cable});
  }
  std::ranges::sort(plugs, {}, &Plug::near);
  return plugs;
}

/// Calls visit(node number, its plugs) in the topology's order.
template <typename Visit>
void for_each_node(const Topology& topology, const std::vector<Plug>& plugs, Visit visit) {
  auto next = plugs.begin();
  for (std::uint32_t i = 0; i < topology.nodes.size(); ++i) {
    const auto end = std::find_if(next, plugs.end(), [&](const Plug& plug) { return plug.near.node != i; });
    visit(i, std::ranges::subrange(next, end));
    next = end;
  }
}

std::string_view record_of(NodeType type) {
  return type == NodeType::switch_ ? "Switch" : type == NodeType::hca ? "Ca" : "Rt";
}
std::string_view directive_of(NodeType type) {
  return type == NodeType::switch_ ? "switchguid" : type == NodeType::hca ? "caguid" : "rtguid";
}
char letter_of(NodeType type) { return type == NodeType::switch_ ? 'S' : type == NodeType::hca ? 'H' : 'R'; }

std::string quotable(std::string text) {
  std::ranges::replace(text, '"', '\'');
  std::ranges::replace_if(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return text;
}

Guid port_guid(const Node& node, PortNum port) {
  return node.type == NodeType::switch_ ? node.port_guids.at(0) : node.port_guids.at(raw(port) - 1U);
}

std::string listed_id(const Node& node) {
  return fmt::format("{}-{:016x}", letter_of(node.type), raw(node.guid));
}

}  // namespace

std::string write_ibsim(const Topology& topology) {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "# {}\n", quotable(topology.name));
  for_each_node(topology, plugs_of(topology), [&](std::uint32_t i, auto plugs) {
    const Node& node = topology.nodes[i];
    fmt::format_to(out, "\nvendid=0x{:x}\ndevid=0x{:x}\n", node.vendor, node.device);
    if (node.system_guid != node.guid) fmt::format_to(out, "sysimgguid=0x{:016x}\n", raw(node.system_guid));
    fmt::format_to(out, "{}=0x{:016x}", directive_of(node.type), raw(node.guid));
    if (node.type == NodeType::switch_ && node.port_guids.at(0) != node.guid)
      fmt::format_to(out, "({:x})", raw(node.port_guids[0]));
    fmt::format_to(out, "\n{}\t{} \"{}\"\t# \"{}\"{}\n", record_of(node.type), node.port_count, node.id,
                   quotable(node.description), node.enhanced_port0 ? " enhanced port 0" : "");
    for (const Plug& plug : plugs) {
      fmt::format_to(out, "[{}]", raw(plug.near.port));
      const Guid guid = port_guid(node, plug.near.port);
      if (node.type != NodeType::switch_ && raw(guid) != raw(node.guid) + raw(plug.near.port))
        fmt::format_to(out, "({:x})", raw(guid));
      fmt::format_to(out, "\t\"{}\"[{}]\t# lid 0 {}{}\n", topology.nodes[plug.far.node].id,
                     raw(plug.far.port), name(plug.cable->width), name(plug.cable->speed));
    }
  });
  return fmt::to_string(text);
}

std::string write_ibnetdiscover(const Topology& topology) {
  fmt::memory_buffer switches;
  fmt::memory_buffer others;
  for_each_node(topology, plugs_of(topology), [&](std::uint32_t i, auto plugs) {
    const Node& node = topology.nodes[i];
    const bool is_switch = node.type == NodeType::switch_;
    const auto out = std::back_inserter(is_switch ? switches : others);
    fmt::format_to(out, "\nvendid=0x{:x}\ndevid=0x{:x}\nsysimgguid=0x{:x}\n", node.vendor, node.device,
                   raw(node.system_guid));
    fmt::format_to(out, "{}=0x{:x}", directive_of(node.type), raw(node.guid));
    if (is_switch) fmt::format_to(out, "({:x})", raw(node.port_guids.at(0)));
    fmt::format_to(out, "\n{}\t{} \"{}\"\t\t# \"{}\"", record_of(node.type), node.port_count, listed_id(node),
                   quotable(node.description));
    if (is_switch) fmt::format_to(out, " {} port 0 lid 0 lmc 0", node.enhanced_port0 ? "enhanced" : "base");
    fmt::format_to(out, "\n");
    for (const Plug& plug : plugs) {
      const Node& peer = topology.nodes[plug.far.node];
      fmt::format_to(out, "[{}]", raw(plug.near.port));
      if (!is_switch) fmt::format_to(out, "({:x}) ", raw(port_guid(node, plug.near.port)));
      fmt::format_to(out, "\t\"{}\"[{}]", listed_id(peer), raw(plug.far.port));
      if (peer.type != NodeType::switch_) fmt::format_to(out, "({:x}) ", raw(port_guid(peer, plug.far.port)));
      fmt::format_to(out, "\t\t# {}\"{}\" lid 0 {}{}\n", is_switch ? "" : "lid 0 lmc 0 ",
                     quotable(peer.description), name(plug.cable->width), name(plug.cable->speed));
    }
  });
  return fmt::format("#\n# Topology file: {}\n#\n{}{}", quotable(topology.name), fmt::to_string(switches),
                     fmt::to_string(others));
}

}  // namespace weft::topology
