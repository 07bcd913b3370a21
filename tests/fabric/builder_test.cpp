#include "fabric/builder.h"

#include <algorithm>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "fabric/counterparts.h"
#include "tests/fabric/small_fabric.h"

namespace weft::fabric {
namespace {

Builder::End end(std::uint64_t guid, int port) { return {Guid{guid}, static_cast<PortNum>(port)}; }

TEST(Builder, RefusesANodeThatCannotBe) {
  Builder builder;
  EXPECT_EQ(builder.add_node(make_switch(0)).error().code, Errc::invalid);
  EXPECT_EQ(builder.add_node(make_switch(1, 0)).error().code, Errc::invalid);
  EXPECT_EQ(builder.add_node(make_switch(1, 255)).error().code, Errc::invalid);
  EXPECT_FALSE(builder.has_node(Guid{1}));
  EXPECT_TRUE(builder.add_node(make_switch(1, 254)).has_value());
}

TEST(Builder, RefusesAGuidTwiceAndKeepsTheFirst) {
  Builder builder;
  ASSERT_TRUE(builder.add_node(make_switch(7, 4)).has_value());
  const Result<void> again = builder.add_node(make_host(7, 1));
  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().code, Errc::conflict);
  EXPECT_NE(again.error().what.find("0x0000000000000007"), std::string::npos) << again.error().what;
  EXPECT_EQ(builder.node(Guid{7}).type, NodeType::switch_);
}

TEST(Builder, RefusesPortsAndLinksThatCannotBe) {
  Builder builder = make_builder(std::vector{make_switch(1, 4), make_host(2)}, std::vector<Cable>{});
  EXPECT_EQ(builder.set_port(Guid{9}, PortNum{1}, {}).error().code, Errc::not_found);
  EXPECT_EQ(builder.set_port(Guid{1}, PortNum{5}, {}).error().code, Errc::invalid);
  EXPECT_TRUE(builder.set_port(Guid{1}, PortNum{0}, {}).has_value());
  EXPECT_EQ(builder.connect(end(1, 1), end(9, 1)).error().code, Errc::not_found);
  EXPECT_EQ(builder.connect(end(9, 1), end(1, 1)).error().code, Errc::not_found);
  EXPECT_EQ(builder.connect(end(1, 5), end(2, 1)).error().code, Errc::invalid);
  EXPECT_EQ(builder.connect(end(1, 0), end(2, 1)).error().code, Errc::invalid);
  EXPECT_EQ(builder.connect(end(1, 1), end(1, 1)).error().code, Errc::invalid);
  EXPECT_EQ(builder.build().port({NodeId{0}, PortNum{1}}).peer, std::nullopt);
}

TEST(Builder, JoinsTheSameTwoPortsAsOftenAsToldTo) {
  Builder builder = make_builder(std::vector{make_switch(1), make_host(2)}, std::vector<Cable>{{1, 1, 2, 1}});
  EXPECT_TRUE(builder.connect(end(1, 1), end(2, 1)).has_value());
  EXPECT_TRUE(builder.connect(end(2, 1), end(1, 1)).has_value());
  EXPECT_EQ(builder.peer(end(1, 1)), end(2, 1));
  EXPECT_EQ(builder.peer(end(2, 1)), end(1, 1));
  EXPECT_EQ(builder.peer(end(1, 2)), std::nullopt);
}

TEST(Builder, NamesAllThreePortsOfAConflict) {
  Builder builder =
      make_builder(std::vector{make_switch(1), make_host(2), make_host(3)}, std::vector<Cable>{{1, 4, 2, 1}});
  for (const Result<void>& result :
       {builder.connect(end(1, 4), end(3, 1)), builder.connect(end(3, 1), end(1, 4))}) {
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code, Errc::conflict);
    for (const char* part : {"switch-1) port 4", "host-2) port 1", "host-3) port 1"})
      EXPECT_NE(result.error().what.find(part), std::string::npos) << result.error().what;
  }
  EXPECT_EQ(builder.peer(end(3, 1)), std::nullopt);
  EXPECT_EQ(builder.peer(end(1, 4)), end(2, 1));
}

TEST(Builder, JoinsTwoPortsOfOneSwitch) {
  const Fabric fabric = make_fabric({make_switch(1)}, {{1, 1, 1, 2}});
  EXPECT_EQ(fabric.port({NodeId{0}, PortNum{1}}).peer, (PortRef{NodeId{0}, PortNum{2}}));
  EXPECT_EQ(fabric.port({NodeId{0}, PortNum{2}}).peer, (PortRef{NodeId{0}, PortNum{1}}));
}

TEST(Builder, KeepsAPeerThroughSetPort) {
  Builder builder = make_builder(std::vector{make_switch(1), make_host(2)}, std::vector<Cable>{{1, 1, 2, 1}});
  Port port = up();
  port.peer = PortRef{NodeId{77}, PortNum{1}};  // ids mean nothing yet
  port.lid = Lid{5};
  ASSERT_TRUE(builder.set_port(Guid{2}, PortNum{1}, port).has_value());
  EXPECT_EQ(builder.port(Guid{2}, PortNum{1}).lid, Lid{5});
  EXPECT_EQ(builder.build().port({NodeId{1}, PortNum{1}}).peer, (PortRef{NodeId{0}, PortNum{1}}));
}

TEST(Builder, ChangesDescriptionAndFactsAfterwards) {
  Builder builder = make_builder(std::vector{make_switch(1)}, std::vector<Cable>{});
  builder.set_description(Guid{1}, "spine");
  builder.set_switch_facts(Guid{1}, {.lft_capacity = 49152, .mft_capacity = 4096});
  const Fabric fabric = builder.build();
  EXPECT_EQ(fabric.node(NodeId{0}).description, "spine");
  EXPECT_EQ(fabric.node(SwitchId{0}).switch_facts.lft_capacity, 49152);
}

TEST(Fabric, IsEqualWhateverTheOrderOfDiscovery) {
  std::vector<Node> nodes;
  std::vector<Cable> cables;
  for (std::uint64_t leaf = 0; leaf < 6; ++leaf) {
    nodes.push_back(make_switch(100 + leaf));
    for (std::uint64_t host = 0; host < 4; ++host) {
      nodes.push_back(make_host(1 + leaf * 37 % 11 * 10 + host));
      cables.push_back({100 + leaf, static_cast<int>(host) + 1, 1 + leaf * 37 % 11 * 10 + host, 1});
    }
    if (leaf > 0) cables.push_back({100 + leaf, 8, 99 + leaf, 7});
  }
  const Fabric first = make_builder(nodes, cables).build();
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    std::shuffle(nodes.begin(), nodes.end(), random);
    std::shuffle(cables.begin(), cables.end(), random);
    for (Cable& cable : cables)
      if (random() % 2 == 0) cable = {cable.b, cable.b_port, cable.a, cable.a_port};
    EXPECT_EQ(make_builder(nodes, cables).build(), first) << "seed " << seed;
  }
  cables.pop_back();
  EXPECT_NE(make_builder(nodes, cables).build(), first);
}

TEST(Fabric, StandsInGuidOrder) {
  const Fabric fabric = make_fabric({make_switch(30), make_host(20), make_switch(10), make_host(40)}, {});
  ASSERT_EQ(fabric.node_count(), 4u);
  EXPECT_TRUE(std::ranges::is_sorted(fabric.nodes(), {}, &Node::guid));
  EXPECT_EQ(fabric.switch_count(), 2u);
  EXPECT_EQ(fabric.host_count(), 2u);
  EXPECT_EQ(fabric.node(SwitchId{0}).guid, Guid{10});
  EXPECT_EQ(fabric.node(SwitchId{1}).guid, Guid{30});
  EXPECT_EQ(fabric.node_of(SwitchId{1}), NodeId{2});
  EXPECT_EQ(fabric.switch_of(NodeId{2}), SwitchId{1});
  EXPECT_EQ(fabric.switch_of(NodeId{1}), std::nullopt);
  EXPECT_TRUE(fabric.is_switch(NodeId{0}));
  EXPECT_EQ(fabric.ports(NodeId{1}).size(), 2u);
  EXPECT_EQ(fabric.ports(SwitchId{1}).size(), 9u);
}

TEST(Fabric, FindsNodesByGuid) {
  const Fabric fabric = make_fabric({make_switch(30), make_host(20)}, {});
  EXPECT_EQ(fabric.find(Guid{20}), NodeId{0});
  EXPECT_EQ(fabric.find(Guid{30}), NodeId{1});
  for (const std::uint64_t guid : {0, 10, 25, 99}) EXPECT_EQ(fabric.find(Guid{guid}), std::nullopt) << guid;
  EXPECT_EQ(Fabric().find(Guid{1}), std::nullopt);
}

TEST(Fabric, FindsPortsByGuidAndASwitchByItsNodeGuid) {
  Builder builder =
      make_builder(std::vector{make_switch(30), make_switch(31), make_host(20, 2)}, std::vector<Cable>{});
  Port port = up();
  port.guid = Guid{22};
  must(builder.set_port(Guid{20}, PortNum{2}, port));
  port.guid = Guid{35};
  must(builder.set_port(Guid{31}, PortNum{0}, port));
  const Fabric fabric = builder.build();
  EXPECT_EQ(fabric.find_port(Guid{22}), (PortRef{NodeId{0}, PortNum{2}}));
  EXPECT_EQ(fabric.find_port(Guid{30}), (PortRef{NodeId{1}, PortNum{0}}));
  EXPECT_EQ(fabric.find_port(Guid{31}), (PortRef{NodeId{2}, PortNum{0}}));
  EXPECT_EQ(fabric.find_port(Guid{35}), (PortRef{NodeId{2}, PortNum{0}}));
  EXPECT_EQ(fabric.find_port(Guid{20}), std::nullopt);  // an HCA's node GUID names no port
}

TEST(Fabric, GivesOneOfTwoPortsThatClaimAGuid) {
  Builder builder =
      make_builder(std::vector{make_switch(30), make_host(20), make_host(21)}, std::vector<Cable>{});
  Port port = up();
  port.guid = Guid{30};
  must(builder.set_port(Guid{21}, PortNum{1}, port));
  must(builder.set_port(Guid{20}, PortNum{1}, port));
  EXPECT_EQ(builder.build().find_port(Guid{30}), (PortRef{NodeId{0}, PortNum{1}}));
}

TEST(Fabric, CountsPortZeroOfSwitchesAndLinkedHostPortsAsEndPorts) {
  const Fabric fabric = make_fabric(
      {make_switch(30), make_host(20, 2), make_host(40), make_node(NodeType::router, 50, 2, "router")},
      {{30, 1, 20, 2}, {30, 2, 50, 1}});
  const std::vector<PortRef> expected{
      {NodeId{0}, PortNum{2}}, {NodeId{1}, PortNum{0}}, {NodeId{3}, PortNum{1}}};
  EXPECT_TRUE(std::ranges::equal(fabric.end_ports(), expected));
}

/// As it would be collected anew, node by node.
Builder collected(const Fabric& fabric, const std::set<Guid>& without_links) {
  Builder builder;
  for (const Node& node : fabric.nodes()) must(builder.add_node(node));
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n) {
    const Guid guid = fabric.node(NodeId{n}).guid;
    for (std::size_t p = 0; p < fabric.ports(NodeId{n}).size(); ++p) {
      const Port& port = fabric.ports(NodeId{n})[p];
      must(builder.set_port(guid, static_cast<PortNum>(p), port));
      if (!port.peer) continue;
      const Guid peer = fabric.node(port.peer->node).guid;
      if (!without_links.contains(guid) && !without_links.contains(peer))
        must(builder.connect({guid, static_cast<PortNum>(p)}, {peer, port.peer->port}));
    }
  }
  return builder;
}

/// What happens to fabrics, by chance; the same to every builder that is given the same numbers.
void change(Builder& builder, std::mt19937& random) {
  const auto pick = [&random](std::uint32_t below) { return random() % below; };
  const Guid guid{10 + pick(24)};
  if (!builder.has_node(guid)) {
    must(builder.add_node(pick(2) == 0 ? make_switch(raw(guid), 6) : make_host(raw(guid), 2)));
    return;
  }
  const auto number = static_cast<PortNum>(1 + pick(builder.node(guid).port_count));
  Port port = up();
  switch (pick(5)) {
    case 0:
      builder.drop_node(guid);
      break;
    case 1:
      port.state = PortState::init;
      port.guid = pick(2) == 0 ? Guid{} : Guid{100 + pick(20)};
      must(builder.set_port(guid, number, port));
      break;
    case 2:
      builder.set_description(guid, "called " + std::to_string(pick(3)));
      break;
    case 3:
      builder.set_switch_facts(guid, {.lft_capacity = static_cast<std::uint16_t>(pick(3))});
      break;
    default: {
      const Guid other{10 + pick(24)};
      if (builder.has_node(other))
        (void)builder.connect({guid, number},
                              {other, static_cast<PortNum>(1 + pick(builder.node(other).port_count))});
    }
  }
}

TEST(BuilderOfAFabric, MakesWhatOneThatCollectsAllMakes) {
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    std::mt19937 random(seed);
    Builder first;
    for (int i = 0; i < 120; ++i) change(first, random);
    const Fabric fabric = first.build();
    std::set<Guid> without;
    for (std::uint32_t i = random() % 3; i > 0 && fabric.node_count() > 0; --i)
      without.insert(fabric.nodes()[random() % fabric.node_count()].guid);
    Builder from = builder_of(fabric, without);
    Builder anew = collected(fabric, without);
    EXPECT_EQ(from.build(), anew.build()) << seed;
    for (std::uint32_t changes = random() % 12; changes > 0; --changes) {
      const std::uint32_t draw = random();
      std::mt19937 one(draw);
      std::mt19937 other(draw);
      change(from, one);
      change(anew, other);
    }
    for (const Node& node : fabric.nodes()) {
      ASSERT_EQ(from.has_node(node.guid), anew.has_node(node.guid)) << seed;
      for (std::uint8_t p = 1; from.has_node(node.guid) && p <= from.node(node.guid).port_count; ++p)
        EXPECT_EQ(from.peer({node.guid, PortNum{p}}), anew.peer({node.guid, PortNum{p}})) << seed;
    }
    EXPECT_EQ(from.build(), anew.build()) << seed;
  }
}

TEST(Counterparts, AreTheSameNodesOfAnotherFabric) {
  const Fabric one = make_fabric({make_switch(3), make_host(5), make_host(7), make_switch(9)}, {});
  const Fabric other = make_fabric({make_host(4), make_host(5), make_switch(9)}, {});
  const Counterparts there(one, other);
  for (std::uint32_t n = 0; n < one.node_count(); ++n)
    EXPECT_EQ(there.at(NodeId{n}), other.find(one.node(NodeId{n}).guid)) << n;
}

TEST(Describe, NamesNodeAndPort) {
  const Fabric fabric = make_fabric({make_switch(0x2c90300fe1234)}, {});
  EXPECT_EQ(describe(fabric, {NodeId{0}, PortNum{7}}), "0x0002c90300fe1234 (switch-783964692156980) port 7");
}

}  // namespace
}  // namespace weft::fabric
