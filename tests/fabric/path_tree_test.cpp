#include "fabric/path_tree.h"

#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "tests/fabric/small_fabric.h"

namespace weft::fabric {
namespace {

std::vector<int> numbers(const std::optional<std::vector<PortNum>>& ports) {
  std::vector<int> plain;
  for (const PortNum port : ports.value_or(std::vector<PortNum>{})) plain.push_back(raw(port));
  return plain;
}

NodeId id(const Fabric& fabric, std::uint64_t guid) { return *fabric.find(Guid{guid}); }

TEST(PathTree, TakesTheShorterWayAroundARing) {
  const Fabric ring =
      make_fabric({make_switch(1), make_switch(2), make_switch(3), make_switch(4), make_switch(5)},
                  {{1, 1, 2, 2}, {2, 1, 3, 2}, {3, 1, 4, 2}, {4, 1, 5, 2}, {5, 1, 1, 2}});
  const PathTree tree(ring, {NodeId{0}, PortNum{0}});
  EXPECT_EQ(numbers(tree.ports_to(id(ring, 3))), (std::vector<int>{1, 1}));
  EXPECT_EQ(numbers(tree.ports_to(id(ring, 4))), (std::vector<int>{2, 2}));
  EXPECT_EQ(tree.hops(id(ring, 4)), 2);
  EXPECT_EQ(tree.entry_port(id(ring, 4)), PortNum{1});
  EXPECT_EQ(tree.entry_port(NodeId{0}), PortNum{0});
}

TEST(PathTree, IsEmptyToItsOwnNodeAndNothingToWhatItCannotReach) {
  const Fabric fabric = make_fabric({make_switch(1), make_switch(2)}, {});
  const PathTree tree(fabric, {NodeId{0}, PortNum{0}});
  ASSERT_TRUE(tree.ports_to(NodeId{0}).has_value());
  EXPECT_TRUE(tree.ports_to(NodeId{0})->empty());
  EXPECT_TRUE(tree.reaches(NodeId{0}));
  EXPECT_FALSE(tree.reaches(NodeId{1}));
  EXPECT_EQ(tree.ports_to(NodeId{1}), std::nullopt);
}

TEST(PathTree, AsksEachPortOfAHostByItself) {
  const Fabric fabric = make_fabric({make_host(1, 1), make_switch(2), make_host(3, 2), make_switch(4)},
                                    {{1, 1, 2, 1}, {2, 3, 3, 1}, {2, 4, 4, 1}, {4, 5, 3, 2}});
  const PathTree tree(fabric, {id(fabric, 1), PortNum{1}});
  EXPECT_EQ(numbers(tree.ports_to(fabric, {id(fabric, 3), PortNum{1}})), (std::vector<int>{1, 3}));
  EXPECT_EQ(numbers(tree.ports_to(fabric, {id(fabric, 3), PortNum{2}})), (std::vector<int>{1, 4, 5}));
  EXPECT_EQ(numbers(tree.ports_to(fabric, {id(fabric, 4), PortNum{5}})), (std::vector<int>{1, 4}));
  EXPECT_TRUE(tree.ports_to(fabric, {id(fabric, 1), PortNum{1}})->empty());
}

TEST(PathTree, AsksAPortWithoutAWayThroughItsNode) {
  const Fabric fabric = make_fabric({make_host(1, 2), make_host(2, 3)}, {{1, 1, 2, 1}, {1, 2, 2, 2}});
  const PathTree tree(fabric, {id(fabric, 1), PortNum{1}});
  EXPECT_EQ(numbers(tree.ports_to(fabric, {id(fabric, 2), PortNum{2}})), (std::vector<int>{1}));
  EXPECT_EQ(numbers(tree.ports_to(fabric, {id(fabric, 2), PortNum{3}})), (std::vector<int>{1}));
}

TEST(PathTree, DoesNotGoThroughHostsAndRouters) {
  for (const NodeType between : {NodeType::hca, NodeType::router}) {
    const Fabric fabric = make_fabric({make_switch(1), make_node(between, 2, 2, "between"), make_switch(3)},
                                      {{1, 1, 2, 1}, {2, 2, 3, 1}});
    const PathTree tree(fabric, {NodeId{0}, PortNum{0}});
    EXPECT_TRUE(tree.reaches(NodeId{1}));
    EXPECT_FALSE(tree.reaches(NodeId{2}));
  }
}

TEST(PathTree, LeavesAHostByTheOriginPortAlone) {
  const Fabric rails =
      make_fabric({make_host(1, 2), make_switch(2), make_switch(3)}, {{1, 1, 2, 1}, {1, 2, 3, 1}});
  const PathTree first(rails, {NodeId{0}, PortNum{1}});
  EXPECT_EQ(numbers(first.ports_to(NodeId{1})), (std::vector<int>{1}));
  EXPECT_FALSE(first.reaches(NodeId{2}));
  const PathTree second(rails, {NodeId{0}, PortNum{2}});
  EXPECT_FALSE(second.reaches(NodeId{1}));
  EXPECT_EQ(numbers(second.ports_to(NodeId{2})), (std::vector<int>{2}));
  EXPECT_EQ(second.entry_port(NodeId{0}), PortNum{2});
}

TEST(PathTree, TakesTheLowerOfTwoParallelLinks) {
  const Fabric fabric = make_fabric({make_switch(1), make_switch(2)}, {{1, 5, 2, 1}, {1, 3, 2, 7}});
  const PathTree tree(fabric, {NodeId{0}, PortNum{0}});
  EXPECT_EQ(numbers(tree.ports_to(NodeId{1})), (std::vector<int>{3}));
  EXPECT_EQ(tree.entry_port(NodeId{1}), PortNum{7});
}

/// Switches 1..n joined at random, a host at each.
Builder random_builder(std::mt19937& random) {
  const std::uint64_t count = 2 + random() % 10;
  Builder builder;
  std::vector<int> used(count + 1, 1);
  for (std::uint64_t s = 1; s <= count; ++s) {
    must(builder.add_node(make_switch(s, 40)));
    must(builder.add_node(make_host(100 + s)));
    must(builder.connect({Guid{s}, PortNum{1}}, {Guid{100 + s}, PortNum{1}}));
  }
  for (std::uint64_t link = 0; link < 2 * count; ++link) {
    const std::uint64_t a = 1 + random() % count;
    const std::uint64_t b = 1 + random() % count;
    if (a == b || used[a] == 40 || used[b] == 40) continue;
    must(builder.connect({Guid{a}, static_cast<PortNum>(++used[a])},
                         {Guid{b}, static_cast<PortNum>(++used[b])}));
  }
  return builder;
}

TEST(PathTree, LeadsByPortsThatAreJoinedAndNeverFartherThanNeeded) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const Fabric fabric = random_builder(random).build();
    const PortRef origin{id(fabric, 101), PortNum{1}};
    const PathTree tree(fabric, origin);
    for (std::size_t n = 0; n < fabric.node_count(); ++n) {
      const auto node = static_cast<NodeId>(n);
      const auto ports = tree.ports_to(node);
      ASSERT_EQ(ports.has_value(), tree.reaches(node));
      if (!ports) continue;
      EXPECT_EQ(static_cast<int>(ports->size()), tree.hops(node));
      PortRef at = origin;
      for (const PortNum port : *ports) {
        ASSERT_TRUE(at.node == origin.node || fabric.is_switch(at.node));
        ASSERT_TRUE(fabric.port({at.node, port}).peer.has_value());
        at = *fabric.port({at.node, port}).peer;
      }
      EXPECT_EQ(at, (PortRef{node, tree.entry_port(node)}));
      if (!fabric.is_switch(node)) continue;  // no link saves more than one hop
      for (const Port& port : fabric.ports(node))
        if (port.peer) {
          ASSERT_TRUE(tree.reaches(port.peer->node));
          EXPECT_LE(tree.hops(port.peer->node), tree.hops(node) + 1);
        }
    }
  }
}

TEST(PathTree, IsTheSameForEqualFabrics) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 first(seed);
    std::mt19937 second(seed);
    const Fabric a = random_builder(first).build();
    const Fabric b = random_builder(second).build();
    const PathTree one(a, {NodeId{0}, PortNum{0}});
    const PathTree two(b, {NodeId{0}, PortNum{0}});
    for (std::size_t n = 0; n < a.node_count(); ++n)
      EXPECT_EQ(one.ports_to(static_cast<NodeId>(n)), two.ports_to(static_cast<NodeId>(n)));
  }
}

}  // namespace
}  // namespace weft::fabric
