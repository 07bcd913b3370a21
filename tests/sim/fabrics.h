#pragma once
// Small fabrics by hand, a World on them under virtual time, and a manager's hand: SMPs to and fro without a
// daemon.

#include <string>
#include <vector>

#include "base/virtual_clock.h"
#include "mad/node_info.h"
#include "mad/smp.h"
#include "sim/judge.h"
#include "sim/network.h"
#include "topology/topology.h"

namespace weft::sim {

/// Builds a Topology: switches "s0", "s1" ... and hosts "h0", "h1" ... in the order they are added.
class Cabling {
 public:
  std::uint32_t add_switch(std::uint8_t ports) {
    return add(NodeType::switch_, "s", switches_++, ports, 0x2000);
  }
  std::uint32_t add_host(std::uint8_t ports = 1) {
    return add(NodeType::hca, "h", hosts_++, ports, 0x100000);
  }
  /// A new host at this port of a switch.
  std::uint32_t host_at(std::uint32_t sw, int port, LinkSpeed speed = LinkSpeed::hdr) {
    const std::uint32_t host = add_host();
    cable(host, 1, sw, port, speed);
    return host;
  }
  void cable(std::uint32_t a, int a_port, std::uint32_t b, int b_port, LinkSpeed speed = LinkSpeed::hdr,
             LinkWidth width = LinkWidth::x4) {
    topology.cables.push_back(
        {{a, static_cast<PortNum>(a_port)}, {b, static_cast<PortNum>(b_port)}, width, speed});
  }
  topology::Topology topology;

 private:
  std::uint32_t add(NodeType type, const char* prefix, int number, std::uint8_t ports, std::uint64_t base) {
    topology::Node node;
    node.type = type;
    node.id = prefix + std::to_string(number);
    node.description = node.id + " of the test";
    node.guid = static_cast<Guid>(base + static_cast<unsigned>(number) * 16u);
    node.port_count = ports;
    topology.nodes.push_back(node);
    return static_cast<std::uint32_t>(topology.nodes.size() - 1);
  }
  int switches_ = 0;
  int hosts_ = 0;
};

/// Switches in a row or ring, port 1 back and port 2 onward, one host at port 3 of each.
inline topology::Topology row_of(int switches, bool ring) {
  Cabling c;
  std::vector<std::uint32_t> row;
  for (int i = 0; i < switches; ++i) row.push_back(c.add_switch(4));
  for (int i = 0; i + 1 < switches; ++i)
    c.cable(row[static_cast<std::size_t>(i)], 2, row[static_cast<std::size_t>(i) + 1], 1);
  if (ring) c.cable(row.back(), 2, row.front(), 1);
  for (const std::uint32_t sw : row) c.host_at(sw, 3);
  return c.topology;
}

/// A World under virtual time and a network on it.
struct Lab {
  explicit Lab(const topology::Topology& topology, Settings settings = {}, std::uint64_t seed = 1)
      : world(topology, clock, seed, settings), network(world) {}

  NodeIndex node(std::string_view id) const { return *world.find(id); }
  PortIndex port(std::string_view id, int number) const {
    return world.port_of(node(id), static_cast<PortNum>(number));
  }
  mad::PortInfo& info(std::string_view id, int number) { return world.port(port(id, number)).info; }

  /// As an SM that gave every port its LID and every link its way up would leave it: host i has LID i + 1,
  /// switches follow, all links Active, the tables empty.
  void make_active() {
    std::uint16_t lid = 0;
    for (const bool switches : {false, true})
      for (std::uint32_t n = 0; n < world.node_count(); ++n) {
        if (world.is_switch(NodeIndex{n}) != switches) continue;
        world.set_lid(world.port_of(NodeIndex{n}, switches ? PortNum{0} : PortNum{1}),
                      static_cast<Lid>(++lid));
      }
    for (std::uint32_t p = 0; p < world.port_slots(); ++p)
      if (world.link_up(PortIndex{p})) world.port(PortIndex{p}).info.state = PortState::active;
  }
  Lid lid_of(std::string_view id) {
    const NodeIndex n = node(id);
    return world.port(world.port_of(n, world.is_switch(n) ? PortNum{0} : PortNum{1})).info.lid;
  }
  void entry(std::string_view sw, Lid lid, int port) {
    Switch& held = world.switch_of(node(sw));
    if (held.lft.size() < 1024) held.lft.resize(1024, kPortDrop);
    held.lft[raw(lid)] = static_cast<PortNum>(port);
    held.info.lft_top = std::max(held.info.lft_top, lid);
  }
  /// Tables of a row: back by port 1, onward by port 2, to the host by 3. In a ring, always onward.
  void route_row(int switches, bool ring = false) {
    for (int at = 0; at < switches; ++at)
      for (int to = 0; to < switches; ++to) {
        const std::string here = "s" + std::to_string(at);
        const int way = to > at || ring ? 2 : 1;
        entry(here, lid_of("h" + std::to_string(to)), to == at ? 3 : way);
        entry(here, lid_of("s" + std::to_string(to)), to == at ? 0 : way);
      }
  }

  VirtualClock clock;
  World world;
  Network network;
};

/// A program at a port that keeps what it gets.
struct Listener final : Endpoint {
  Listener(Lab& in, std::string_view node, int port)
      : lab(in), client(in.network.attach(in.port(node, port), *this)) {}
  void receive(const mad::Mad& mad) override { got.push_back(mad); }
  void device_lost(const Error& why) override { lost = why.what; }

  void send(const mad::Smp& smp) { lab.network.send(client, mad::to_mad(smp)); }
  /// Sends, lets a millisecond pass, and returns what came; nothing when nothing came.
  std::optional<mad::Smp> ask(const mad::Smp& smp) {
    got.clear();
    send(smp);
    lab.clock.run_until(lab.clock.now() + std::chrono::milliseconds(1));
    if (got.empty()) return std::nullopt;
    return *mad::to_smp(got.back());
  }
  Lab& lab;
  Network::ClientId client;
  std::vector<mad::Mad> got;
  std::string lost;
};

inline mad::Smp request(mad::Method method, mad::AttrId attribute, std::uint32_t modifier,
                        std::vector<int> exits = {}) {
  mad::Smp smp;
  smp.method = method;
  smp.attribute = attribute;
  smp.modifier = modifier;
  smp.tid = 0x77;
  std::vector<PortNum> ports;
  for (const int exit : exits) ports.push_back(static_cast<PortNum>(exit));
  smp.route = mad::DirectedRoute(ports);
  return smp;
}
inline mad::Smp get(mad::AttrId attribute, std::uint32_t modifier, std::vector<int> exits = {}) {
  return request(mad::Method::get, attribute, modifier, std::move(exits));
}
template <typename S>
mad::Smp set(mad::AttrId attribute, std::uint32_t modifier, const S& value, std::vector<int> exits = {}) {
  mad::Smp smp = request(mad::Method::set, attribute, modifier, std::move(exits));
  smp.data = mad::encode(value);
  return smp;
}
inline mad::Smp to_lid(mad::Smp smp, Lid lid) {
  smp.route.reset();
  smp.address.lid = lid;
  return smp;
}

}  // namespace weft::sim
