#include "plan/dump_opensm.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace weft::plan {

namespace {

using fabric::Fabric;
using fabric::PortRef;

/// The end port that gives this port its LID: a switch's port 0, else the port itself.
Lid lid_of(const View& view, PortRef port) {
  const PortRef end = view.fabric->is_switch(port.node) ? PortRef{port.node, PortNum{0}} : port;
  const auto ends = view.fabric->end_ports();
  const auto found = std::lower_bound(ends.begin(), ends.end(), end);
  if (found == ends.end() || *found != end) return kLidNone;
  return view.plan->lids.of_end_port[static_cast<std::size_t>(found - ends.begin())].base;
}

std::string_view type_of(const View& view, NodeId node) {
  if (view.sm_port.node == node && !view.fabric->is_switch(node)) return "CA-SM";
  return view.fabric->is_switch(node) ? "SW" : "CA";
}

/// A name inside braces: what would end it early becomes '_'.
std::string safe(std::string_view description) {
  std::string text(description);
  for (char& c : text) {
    if (c == '{' || c == '}' || static_cast<unsigned char>(c) < 0x20) c = '_';
  }
  return text;
}

void append_end(const View& view, PortRef port, std::string& out) {
  const Fabric& fabric = *view.fabric;
  const fabric::Node& node = fabric.node(port.node);
  const PortRef guid_port = fabric.is_switch(port.node) ? PortRef{port.node, PortNum{0}} : port;
  const Guid port_guid = fabric.port(guid_port).guid;
  fmt::format_to(
      std::back_inserter(out),
      "{{ {} Ports:{:02x} SystemGUID:{:016x} NodeGUID:{:016x} PortGUID:{:016x} VenID:{:06X} DevID:{:04X} "
      "Rev:{:08X} {{{}}} LID:{:04x} PN:{:02x} }}",
      type_of(view, port.node), node.port_count, raw(node.system_guid), raw(node.guid),
      raw(port_guid != Guid{} ? port_guid : node.guid), node.vendor, node.device, node.revision,
      safe(node.description), raw(lid_of(view, port)), raw(port.port));
}

std::string_view logical_state(PortState state) {
  switch (state) {
    case PortState::init:
      return "INI";
    case PortState::armed:
      return "ARM";
    case PortState::active:
      return "ACT";
    default:
      return "DWN";
  }
}

/// The words that ibutils knows; what is newer than they are is written as the fastest of them.
std::string_view speed_word(LinkSpeed speed) {
  switch (speed) {
    case LinkSpeed::none:
    case LinkSpeed::sdr:
      return "2.5";
    case LinkSpeed::ddr:
      return "5";
    case LinkSpeed::qdr:
      return "10";
    case LinkSpeed::fdr10:
    case LinkSpeed::fdr:
      return "14";
    default:
      return "25";
  }
}

void append_links(const View& view, NodeId node, std::string& out) {
  const auto ports = view.fabric->ports(node);
  for (std::size_t number = 1; number < ports.size(); ++number) {
    const fabric::Port& port = ports[number];
    if (!port.peer) continue;
    append_end(view, {node, static_cast<PortNum>(number)}, out);
    out += ' ';
    append_end(view, *port.peer, out);
    const LinkWidth width = port.width == LinkWidth::none ? LinkWidth::x1 : port.width;
    fmt::format_to(std::back_inserter(out), " PHY={} LOG={} SPD={}\n", name(width), logical_state(port.state),
                   speed_word(port.speed));
  }
}

void append_table(const View& view, SwitchId at, std::string& out) {
  const Plan& plan = *view.plan;
  const fabric::Node& node = view.fabric->node(at);
  fmt::format_to(std::back_inserter(out),
                 "osm_ucast_mgr_dump_ucast_routes: Switch 0x{:016x}\nLID    : Port : Hops : Optimal\n",
                 raw(node.guid));
  for (unsigned lid = raw(kLidFirst); lid <= raw(plan.routes().top); ++lid) {
    const PortNum port = plan.routes().out(at, static_cast<Lid>(lid));
    if (port == kPortDrop) continue;
    fmt::format_to(std::back_inserter(out), "0x{:04X} : {:03}  : 00   : yes\n", lid, raw(port));
  }
  out += '\n';
}

/// From one host's end ports to every LID: the SL that paths are answered with, that of the LID's layer.
void append_levels(const View& view, NodeId node, std::string& out) {
  if (view.fabric->is_switch(node)) return;
  for (const routing::Destination& to : view.plan->problem.destinations)
    for (unsigned lid = raw(to.base); lid < raw(to.base) + (1u << to.lmc); ++lid)
      fmt::format_to(std::back_inserter(out), "0x{:016x} {} {}\n", raw(view.fabric->node(node).guid), lid,
                     view.plan->routes().layer_of(to, static_cast<Lid>(lid)));
}

/// Two VLs a byte, the lower SL first. Tables that need neither lanes nor layers are safe on any VL, so VL 0
/// stands for them.
void append_lanes(const View& view, SwitchId at, std::string& out) {
  const routing::Lanes* lanes = view.plan->routes().lanes.get();
  const int layers = view.plan->routes().layers;
  const auto ports = view.fabric->ports(at);
  for (std::size_t in = 0; in < ports.size(); ++in) {
    for (std::size_t to = 1; to < ports.size(); ++to) {
      const int lane =
          lanes != nullptr ? raw(lanes->at(at, static_cast<PortNum>(in), static_cast<PortNum>(to))) : 0;
      fmt::format_to(std::back_inserter(out), "0x{:016x} {} {}", raw(view.fabric->node(at).guid), in, to);
      const auto vl = [&](int sl) { return lanes != nullptr ? lane : sl < layers ? sl : 0; };
      for (int sl = 0; sl < 16; sl += 2)
        fmt::format_to(std::back_inserter(out), " 0x{:02x}", vl(sl) << 4 | vl(sl + 1));
      out += '\n';
    }
  }
}

std::size_t host_count(const Fabric& fabric) { return fabric.node_count() - fabric.switch_count(); }

}  // namespace

std::optional<DumpFile> dump_file_from(std::string_view name) {
  if (name == "subnet") return DumpFile::subnet;
  if (name == "fdbs") return DumpFile::fdbs;
  if (name == "mcfdbs") return DumpFile::mcfdbs;
  if (name == "psl") return DumpFile::psl;
  if (name == "slvl") return DumpFile::slvl;
  return std::nullopt;
}

std::string_view file_name(DumpFile file) {
  switch (file) {
    case DumpFile::subnet:
      return "opensm-subnet.lst";
    case DumpFile::fdbs:
      return "opensm.fdbs";
    case DumpFile::mcfdbs:
      return "opensm.mcfdbs";
    case DumpFile::psl:
      return "opensm.psl";
    case DumpFile::slvl:
      return "opensm.slvl";
  }
  return "";
}

std::size_t dump_steps(const View& view, DumpFile file) {
  if (!view.fabric || !view.plan) return 0;
  switch (file) {
    case DumpFile::subnet:
      return view.fabric->node_count();
    case DumpFile::fdbs:
    case DumpFile::slvl:
      return view.fabric->switch_count();
    case DumpFile::psl:
      return host_count(*view.fabric) > kMostPslHosts ? 0 : view.fabric->node_count();
    case DumpFile::mcfdbs:
      return 0;
  }
  return 0;
}

void dump_step(const View& view, DumpFile file, std::size_t step, std::string& out) {
  if (file == DumpFile::subnet) append_links(view, static_cast<NodeId>(step), out);
  if (file == DumpFile::fdbs) append_table(view, static_cast<SwitchId>(step), out);
  if (file == DumpFile::psl) append_levels(view, static_cast<NodeId>(step), out);
  if (file == DumpFile::slvl) append_lanes(view, static_cast<SwitchId>(step), out);
}

std::string dump(const View& view, DumpFile file) {
  std::string out;
  for (std::size_t step = 0; step < dump_steps(view, file); ++step) dump_step(view, file, step, out);
  return out;
}

}  // namespace weft::plan
