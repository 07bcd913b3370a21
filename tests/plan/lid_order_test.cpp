#include "plan/lid_order.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "tests/support/fabric_of.h"

namespace weft::plan {
namespace {

using test::fabric_of;

/// The switch a host hangs on, by place in the order.
std::vector<std::uint32_t> leaves_in_order(const fabric::Fabric& fabric, const LidOrder& order) {
  std::vector<std::uint32_t> leaves;
  for (const std::uint32_t i : order.hosts) {
    const fabric::PortRef end = fabric.end_ports()[i];
    leaves.push_back(raw(*fabric.switch_of(fabric.port(end).peer->node)));
  }
  return leaves;
}

void expect_each_once(const fabric::Fabric& fabric, const LidOrder& order) {
  std::set<std::uint32_t> all(order.hosts.begin(), order.hosts.end());
  all.insert(order.switches.begin(), order.switches.end());
  EXPECT_EQ(all.size(), fabric.end_ports().size());
  EXPECT_EQ(order.hosts.size() + order.switches.size(), fabric.end_ports().size());
}

TEST(LidOrder, GoesPlaneByPlaneInATree) {
  const fabric::Fabric fabric = fabric_of("xgft:m=2,3:w=1,2");  // 3 leaves of 2 hosts, 2 spines
  const LidOrder order = lid_order(fabric);
  EXPECT_TRUE(order.plain_tree);
  const std::vector<std::uint32_t> leaves = leaves_in_order(fabric, order);
  ASSERT_EQ(leaves.size(), 6U);
  EXPECT_EQ(std::set<std::uint32_t>(leaves.begin(), leaves.begin() + 3).size(), 3U);
  EXPECT_TRUE(std::equal(leaves.begin(), leaves.begin() + 3, leaves.begin() + 3));
}

TEST(LidOrder, CountsUpGroupsNotCables) {
  // Two cables to each of the two spines are two planes: hosts 0 and 2 of a leaf go together.
  const fabric::Fabric fabric = fabric_of("xgft:m=4,2:w=1,2:p=1,2");
  const std::vector<std::uint32_t> leaves = leaves_in_order(fabric, lid_order(fabric));
  EXPECT_EQ(leaves[0], leaves[1]);
  EXPECT_NE(leaves[1], leaves[2]);
}

TEST(LidOrder, KeepsThePodsOfATreeTogether) {
  topology::Topology topology = test::topology_of("fat-tree:radix=4,levels=3");
  std::uint64_t next = 0;  // GUIDs that say nothing about pods
  for (topology::Node& node : topology.nodes)
    if (node.type == NodeType::switch_)
      node.guid = node.port_guids[0] = static_cast<Guid>(1000 + next++ * 7 % 20);
  const fabric::Fabric plain = fabric_of(topology);
  const LidOrder order = lid_order(plain);
  ASSERT_TRUE(order.plain_tree);
  const std::vector<std::uint32_t> leaves = leaves_in_order(plain, order);
  const auto parents = [&plain](std::uint32_t leaf) {
    std::set<NodeId> found;
    for (const fabric::Port& port : plain.ports(static_cast<SwitchId>(leaf)))
      if (port.peer && plain.is_switch(port.peer->node)) found.insert(port.peer->node);
    return found;
  };
  ASSERT_EQ(leaves.size(), 16U);
  for (std::size_t i = 0; i < leaves.size(); i += 2) {
    EXPECT_NE(leaves[i], leaves[i + 1]);
    EXPECT_EQ(parents(leaves[i]), parents(leaves[i + 1])) << i;
  }
}

TEST(LidOrder, PutsLeavesBeforeSpines) {
  const fabric::Fabric fabric = fabric_of("fat-tree:radix=4,levels=3");
  const LidOrder order = lid_order(fabric);
  ASSERT_EQ(order.switches.size(), 20U);
  for (std::size_t i = 0; i < order.switches.size(); ++i) {
    const NodeId node = fabric.end_ports()[order.switches[i]].node;
    const bool leaf = std::ranges::any_of(fabric.ports(node), [&](const fabric::Port& port) {
      return port.peer && !fabric.is_switch(port.peer->node);
    });
    EXPECT_EQ(leaf, i < 8);
  }
}

TEST(LidOrder, SeesTheTreeBehindAManagerOnASpine) {
  const fabric::Fabric tree = fabric_of("fat-tree:radix=8,levels=2");
  fabric::Builder builder =
      test::builder_from(test::without_link(tree, {tree.switches().back(), PortNum{8}}));
  fabric::Node manager;
  manager.guid = Guid{0x77};
  manager.port_count = 1;
  ASSERT_TRUE(builder.add_node(manager));
  const Guid spine = tree.node(tree.switches().back()).guid;
  ASSERT_TRUE(builder.connect({Guid{0x77}, PortNum{1}}, {spine, PortNum{8}}));
  const fabric::Fabric fabric = builder.build();
  const LidOrder order = lid_order(fabric);
  EXPECT_TRUE(order.plain_tree);
  EXPECT_EQ(fabric.node(fabric.end_ports()[order.hosts.back()].node).guid, Guid{0x77});
  expect_each_once(fabric, order);
}

TEST(LidOrder, TakesOtherShapesByGuidOfTheSwitch) {
  for (const char* blueprint : {"ring:5:hosts=2", "dragonfly:p=2,a=4,h=2,g=9", "torus:3,3:hosts=2"}) {
    const fabric::Fabric fabric = fabric_of(blueprint);
    const LidOrder order = lid_order(fabric);
    EXPECT_FALSE(order.plain_tree) << blueprint;
    EXPECT_TRUE(std::ranges::is_sorted(leaves_in_order(fabric, order))) << blueprint;
    EXPECT_TRUE(std::ranges::is_sorted(order.switches)) << blueprint;
    expect_each_once(fabric, order);
  }
}

TEST(LidOrder, CountsEveryEndPortOnceInDamagedTrees) {
  for (int seed = 1; seed <= 20; ++seed) {
    const fabric::Fabric fabric =
        fabric_of("fat-tree:radix=8,levels=3,fail-links=5%,fail-switches=2,seed=" + std::to_string(seed));
    expect_each_once(fabric, lid_order(fabric));
  }
}

}  // namespace
}  // namespace weft::plan
