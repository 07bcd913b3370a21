#include "plan/expected.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "plan/expected_mend.h"
#include "tests/support/fabric_of.h"
#include "topology/json_file.h"

namespace weft::plan {
namespace {

using topology::Topology;
using Kind = Deviation::Kind;

std::vector<Deviation> held_against(const Topology& live, const Topology& expected) {
  return deviations(test::fabric_of(live), expected);
}

/// Index of a cable between switches or, with `hosts`, of any.
std::size_t cable_at(const Topology& topology, const std::string& node, int port) {
  for (std::size_t i = 0; i < topology.cables.size(); ++i)
    for (const topology::End& end : {topology.cables[i].a, topology.cables[i].b})
      if (topology.nodes[end.node].id == node && raw(end.port) == port) return i;
  ADD_FAILURE() << node << " has no cable at port " << port;
  return 0;
}

topology::End& end_at(Topology& topology, const std::string& node, int port) {
  topology::Cable& cable = topology.cables[cable_at(topology, node, port)];
  return topology.nodes[cable.a.node].id == node && raw(cable.a.port) == port ? cable.a : cable.b;
}

void rename(Topology& topology, const std::string& id, Guid guid, const std::string& description) {
  for (topology::Node& node : topology.nodes) {
    if (node.id != id) continue;
    node.guid = guid;
    node.system_guid = guid;
    node.description = description;
    for (std::size_t p = 0; p < node.port_guids.size(); ++p)
      node.port_guids[p] = static_cast<Guid>(raw(guid) + (node.type == NodeType::switch_ ? 0 : p + 1));
  }
}

/// A leaf with hosts in ports 1 and 2, as the blueprint makes it.
std::string leaf_of(const Topology& topology) {
  for (const topology::Cable& cable : topology.cables) {
    const topology::Node& a = topology.nodes[cable.a.node];
    const topology::Node& b = topology.nodes[cable.b.node];
    if (a.type == NodeType::hca) return b.id;
    if (b.type == NodeType::hca) return a.id;
  }
  return {};
}

/// By port, the other end; of a fabric.
using Plugs = std::map<Plug, Plug>;
Plugs plugs_of(const fabric::Fabric& fabric) {
  Plugs plugs;
  for (std::size_t n = 0; n < fabric.node_count(); ++n) {
    const auto id = static_cast<NodeId>(n);
    for (std::size_t p = 1; p < fabric.ports(id).size(); ++p)
      if (const auto& peer = fabric.ports(id)[p].peer)
        plugs.emplace(Plug{fabric.node(id).guid, static_cast<PortNum>(p)},
                      Plug{fabric.node(peer->node).guid, peer->port});
  }
  return plugs;
}

/// All plugs come out first, then go where they should.
void carry_out(Plugs& plugs, const std::vector<PlugMove>& moves) {
  std::vector<std::pair<Plug, Plug>> cables;  // the end that stays, where the other one goes
  for (const PlugMove& move : moves) {
    ASSERT_TRUE(plugs.contains(move.from));
    const Plug stays = plugs.at(move.from);
    cables.emplace_back(stays, move.to);
  }
  for (const PlugMove& move : moves) {
    plugs.erase(plugs.at(move.from));
    plugs.erase(move.from);
  }
  for (const auto& [a, b] : cables) {
    EXPECT_FALSE(plugs.contains(a)) << "a port with two plugs";
    EXPECT_FALSE(plugs.contains(b)) << "a port with two plugs";
    plugs[a] = b;
    plugs[b] = a;
  }
}

TEST(Expected, TheFabricDeviatesInNothingFromItsOwnTopology) {
  for (const std::string_view blueprint :
       {"fat-tree:radix=8", "dragonfly:p=2,a=4,h=2,g=5", "torus:3,3:hosts=2",
        "random:switches=9,hosts=12,links=14,seed=4"}) {
    const fabric::Fabric fabric = test::fabric_of(blueprint);
    const Topology topology = topology_of(fabric, "live");
    ASSERT_TRUE(topology::validate(topology));
    EXPECT_TRUE(deviations(fabric, topology).empty()) << blueprint;
    const auto again = topology::read_json(topology::write_json(topology), "f");
    ASSERT_TRUE(again) << again.error().what;
    EXPECT_EQ(*again, topology);
    EXPECT_TRUE(deviations(fabric, test::topology_of(blueprint)).empty()) << blueprint;
  }
}

TEST(Expected, TwoPlugsOfOneSwitchAreSwappedBack) {
  const Topology expected = test::topology_of("fat-tree:radix=8");
  Topology live = expected;
  const std::string leaf = leaf_of(live);
  std::swap(end_at(live, leaf, 1).port, end_at(live, leaf, 2).port);
  topology::sort_cables(live);
  const auto told = held_against(live, expected);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].kind, Kind::swapped);
  EXPECT_TRUE(told[0].mend.starts_with("swap ports 1 and 2 of " + leaf)) << told[0].mend;
}

TEST(Expected, AMissingCableIsOneAndWhatFollowsFromAMissingNodeIsNot) {
  const Topology expected = test::topology_of("fat-tree:radix=8");
  const fabric::Fabric whole = test::fabric_of(expected);
  const auto spine = whole.node_of(SwitchId{0});
  fabric::PortRef cable{};
  for (std::size_t p = 1; p < whole.ports(spine).size(); ++p)
    if (const auto& peer = whole.ports(spine)[p].peer; peer && whole.is_switch(peer->node))
      cable = {spine, static_cast<PortNum>(p)};
  const auto cut = deviations(test::without_link(whole, cable), expected);
  ASSERT_EQ(cut.size(), 1u);
  EXPECT_EQ(cut[0].kind, Kind::missing_cable);
  EXPECT_TRUE(cut[0].moves.empty());

  const auto gone = deviations(test::without_node(whole, whole.node(spine).guid), expected);
  ASSERT_EQ(gone.size(), 1u) << gone[1].what;
  EXPECT_EQ(gone[0].kind, Kind::missing_node);
  EXPECT_EQ(gone[0].place.node, whole.node(spine).guid);
  EXPECT_NE(gone[0].what.find("8 cables"), std::string::npos) << gone[0].what;
}

TEST(Expected, WhatIsTooMuchIsTold) {
  const Topology live = test::topology_of("fat-tree:radix=8");
  Topology expected = live;
  // A host that nobody knows, which is the last node; and a cable between switches.
  ASSERT_EQ(expected.nodes.back().type, NodeType::switch_);
  const std::size_t host = static_cast<std::size_t>(
      std::ranges::find(expected.nodes, NodeType::hca, &topology::Node::type) - expected.nodes.begin());
  std::erase_if(expected.cables,
                [&](const topology::Cable& cable) { return cable.a.node == host || cable.b.node == host; });
  const std::size_t between = static_cast<std::size_t>(
      std::ranges::find_if(expected.cables,
                           [&](const topology::Cable& cable) {
                             return expected.nodes[cable.a.node].type == NodeType::switch_ &&
                                    expected.nodes[cable.b.node].type == NodeType::switch_;
                           }) -
      expected.cables.begin());
  expected.cables.erase(expected.cables.begin() + static_cast<std::ptrdiff_t>(between));
  expected.nodes.erase(expected.nodes.begin() + static_cast<std::ptrdiff_t>(host));
  for (topology::Cable& cable : expected.cables)
    for (topology::End* end : {&cable.a, &cable.b})
      if (end->node > host) --end->node;
  const auto told = held_against(live, expected);
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0].kind, Kind::extra_node);
  EXPECT_EQ(told[1].kind, Kind::extra_cable);
}

TEST(Expected, APlugBesideItsPlaceIsMoved) {
  Topology expected = test::topology_of("ring:4:hosts=2,ports=8");
  Topology live = expected;
  // The host's cable goes to a free port of another leaf.
  const std::string leaf = leaf_of(live);
  topology::End& end = end_at(live, leaf, 1);
  std::set<topology::End> used;
  for (const topology::Cable& cable : live.cables) used.insert({cable.a, cable.b});
  topology::End free{};
  for (std::uint32_t n = 0; n < live.nodes.size(); ++n)
    for (int p = 1; p <= live.nodes[n].port_count; ++p)
      if (live.nodes[n].type == NodeType::switch_ && !used.contains({n, static_cast<PortNum>(p)}))
        free = {n, static_cast<PortNum>(p)};
  ASSERT_NE(raw(free.port), 0);
  const topology::End before = end;
  end = free;
  topology::sort_cables(live);
  const auto told = held_against(live, expected);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].kind, Kind::misplaced);
  ASSERT_EQ(told[0].moves.size(), 1u);
  EXPECT_EQ(told[0].moves[0].from, (Plug{live.nodes[free.node].guid, free.port}));
  EXPECT_EQ(told[0].moves[0].to, (Plug{live.nodes[before.node].guid, before.port}));
}

TEST(Expected, ADesignWithGuidsOfItsOwnIsKnownByName) {
  const Topology expected = test::topology_of("fat-tree:radix=8");
  Topology live = expected;
  for (std::size_t n = 0; n < live.nodes.size(); ++n)
    rename(live, live.nodes[n].id, static_cast<Guid>(0xabc000 + 16 * n), live.nodes[n].description);
  EXPECT_TRUE(held_against(live, expected).empty());
}

TEST(Expected, ADeviceThatWasReplacedUnderTheSameNameIsToldAndNothingElse) {
  const Topology expected = test::topology_of("fat-tree:radix=8");
  for (const NodeType type : {NodeType::hca, NodeType::switch_}) {
    Topology live = expected;
    const auto node = std::ranges::find(live.nodes, type, &topology::Node::type);
    rename(live, node->id, Guid{0xabc000}, node->description);
    const auto told = held_against(live, expected);
    ASSERT_EQ(told.size(), 1u);
    EXPECT_EQ(told[0].kind, Kind::wrong_device);
    EXPECT_EQ(told[0].place.node, Guid{0xabc000});
    EXPECT_NE(told[0].what.find("another device of the same name"), std::string::npos) << told[0].what;
    EXPECT_NE(told[0].mend, "");
  }
}

TEST(Expected, AnotherDeviceInTheSamePlaceIsToldAsThat) {
  const Topology expected = test::topology_of("fat-tree:radix=8");
  for (const NodeType type : {NodeType::hca, NodeType::switch_}) {
    Topology live = expected;
    const auto node = std::ranges::find(live.nodes, type, &topology::Node::type);
    rename(live, node->id, Guid{0xabc000}, "spare");
    const auto told = held_against(live, expected);
    ASSERT_EQ(told.size(), 1u) << told[1].what;
    EXPECT_EQ(told[0].kind, Kind::wrong_device);
    EXPECT_EQ(told[0].place.node, Guid{0xabc000});
  }
}

TEST(Expected, SlowerAndNarrowerIsToldAndFasterIsNot) {
  const Topology live = test::topology_of("fat-tree:radix=8");
  Topology expected = live;
  expected.cables[0].speed = LinkSpeed::sdr;
  EXPECT_TRUE(held_against(live, expected).empty());
  expected.cables[1].speed = LinkSpeed::xdr;
  expected.cables[2].width = LinkWidth::x12;
  const auto told = held_against(live, expected);
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0].kind, Kind::slow);
  EXPECT_NE((told[0].what + told[1].what).find("where XDR is expected"), std::string::npos);
  EXPECT_NE((told[0].what + told[1].what).find("where 12x is expected"), std::string::npos);
}

/// Plugs of random cables change places; some are cut. What is told, carried out, gives the expected cabling.
TEST(Expected, MendsOfRandomSwapsGiveTheExpectedCabling) {
  constexpr std::string_view kBlueprints[] = {"fat-tree:radix=8", "dragonfly:p=2,a=4,h=2,g=5",
                                              "torus:3,3:hosts=2",
                                              "random:switches=9,hosts=12,links=14,seed=4"};
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    std::mt19937 random(seed);
    const Topology expected = test::topology_of(kBlueprints[seed % std::size(kBlueprints)]);
    Topology live = expected;
    std::vector<topology::End*> ends;
    for (topology::Cable& cable : live.cables) {
      ends.push_back(&cable.a);
      ends.push_back(&cable.b);
    }
    std::ranges::shuffle(ends, random);
    const std::size_t moved = 2 + random() % 6;
    for (std::size_t i = 1; i < moved; ++i) std::swap(*ends[i - 1], *ends[i]);
    topology::sort_cables(live);
    if (!topology::validate(live)) continue;  // a port joined to itself
    const fabric::Fabric fabric = test::fabric_of(live);
    if (fabric.node_count() != expected.nodes.size()) continue;
    Plugs plugs = plugs_of(fabric);
    for (const Deviation& one : deviations(fabric, expected)) {
      EXPECT_EQ(one.kind, Kind::swapped) << one.what;
      EXPECT_FALSE(one.mend.empty());
      carry_out(plugs, one.moves);
    }
    EXPECT_EQ(plugs, plugs_of(test::fabric_of(expected))) << "seed " << seed;
  }
}

/// Cables are taken out, and plugs put into ports that became free: as many moves as plugs were moved.
TEST(Expected, MendsOfMovedPlugsBringThemBack) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const Topology expected = test::topology_of("fat-tree:radix=8");
    Topology live = expected;
    std::ranges::shuffle(live.cables, random);
    const topology::Cable out = live.cables.back();
    live.cables.pop_back();
    live.cables.front().a = out.a;
    topology::sort_cables(live);
    const fabric::Fabric fabric = test::fabric_of(live);
    Plugs plugs = plugs_of(fabric);
    std::size_t moves = 0;
    for (const Deviation& one : deviations(fabric, expected)) {
      carry_out(plugs, one.moves);
      moves += one.moves.size();
    }
    Plugs wanted = plugs_of(test::fabric_of(expected));
    EXPECT_EQ(moves, 1u) << "seed " << seed;
    EXPECT_EQ(plugs.size() + 2, wanted.size()) << "seed " << seed;
    for (const auto& [port, peer] : plugs) EXPECT_EQ(wanted.at(port), peer) << "seed " << seed;
  }
}

TEST(PiecesOf, TellsRingsPathsAndNothingOfWhatIsRight) {
  const auto both = [](std::initializer_list<std::pair<PortIndex, PortIndex>> cables) {
    Pairing pairing;
    for (const auto& [a, b] : cables) {
      pairing.emplace(a, b);
      pairing.emplace(b, a);
    }
    return pairing;
  };
  const auto pieces =
      pieces_of(both({{1, 2}, {3, 4}, {5, 6}, {9, 10}}), both({{1, 4}, {3, 2}, {6, 7}, {9, 10}}));
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(pieces[0], (Piece{{1, 2, 3, 4}, true, true}));
  EXPECT_EQ(pieces[1], (Piece{{5, 6, 7}, true, false}));
}

}  // namespace
}  // namespace weft::plan
