#include "routing/engine.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "fabric/builder.h"
#include "routing/check.h"
#include "routing/engines.h"
#include "routing/switch_graph.h"
#include "routing/up_down_order.h"
#include "tests/routing/fabrics.h"

namespace weft::routing {
namespace {

int longest(const Case& one, Result<Routes> (*engine)(const Problem&)) {
  return check(one.problem, *engine(one.problem)).longest;
}

TEST(Engines, AreFoundByName) {
  EXPECT_EQ(find_engine("min-hop")->name, "min-hop");
  EXPECT_EQ(find_engine("up-down")->compute, up_down);
  EXPECT_EQ(find_engine("fat-treee"), nullptr);
}

/// Those may refuse what has another shape; the rest serve everything.
bool serves_one_shape(const Engine& engine) {
  return engine.name == "fat-tree" || engine.name == "dragonfly" || engine.name == "dragonfly+";
}

TEST(Engines, HaveNothingToDoForTwoHostsBackToBack) {
  fabric::Builder builder;
  for (const Guid guid : {Guid{1}, Guid{2}}) {
    fabric::Node node;
    node.guid = guid;
    node.port_count = 1;
    ASSERT_TRUE(builder.add_node(node));
  }
  ASSERT_TRUE(builder.connect({Guid{1}, PortNum{1}}, {Guid{2}, PortNum{1}}));
  const fabric::Fabric fabric = builder.build();
  Problem problem;
  problem.fabric = &fabric;
  problem.destinations = {{Lid{1}, 0, SwitchId{}, PortNum{1}, false},
                          {Lid{2}, 0, SwitchId{}, PortNum{1}, false}};
  problem.top = Lid{2};
  for (const Engine& engine : engines()) {
    const Result<Routes> routes = engine.compute(problem);
    if (!routes && serves_one_shape(engine)) continue;
    ASSERT_TRUE(routes) << engine.name;
    EXPECT_TRUE(routes->lfts.empty());
    EXPECT_TRUE(check(problem, *routes).safe());
  }
}

/// Fabrics at the edge of what there is; every engine must serve them.
struct Shape {
  const char* name;
  Case (*make)();
};
class Edge : public testing::TestWithParam<Shape> {};

TEST_P(Edge, IsServedByEveryEngine) {
  const Case one = GetParam().make();
  for (const Engine& engine : engines()) {
    const Result<Routes> routes = engine.compute(one.problem);
    if (!routes && serves_one_shape(engine)) continue;
    ASSERT_TRUE(routes) << engine.name;
    const CheckReport report = check(one.problem, *routes);
    EXPECT_EQ(report.lost, 0U) << engine.name << ": " << explain(*one.fabric, report);
    if (engine.name == "up-down") {
      EXPECT_TRUE(report.safe()) << explain(*one.fabric, report);
    }
    EXPECT_EQ(report.uncounted_lost, 0U) << engine.name;
  }
}

Case single_switch() {
  Drawing drawing;
  drawing.add_hosts(drawing.add_switch(), 3);
  return Case(drawing);
}
Case lone_switch() {
  Drawing drawing;
  drawing.add_switch();
  return Case(drawing);
}
Case switch_without_hosts() {
  Drawing drawing = ring(3, 1);
  drawing.cable(0, drawing.add_switch());
  return Case(drawing);
}
Case two_parts() {
  Drawing drawing = xgft({2, 4}, {1, 2});
  const std::uint32_t other = drawing.add_switch();
  const std::uint32_t next = drawing.add_switch();
  drawing.add_hosts(other, 2);
  drawing.add_hosts(next, 2);
  drawing.cable(other, next);
  return Case(drawing);
}
Case eight_parallel_links() { return Case(xgft({4, 3}, {1, 2}, 8)); }
Case widest_switch() {
  Drawing drawing;
  const std::uint32_t spine = drawing.add_switch();
  for (int i = 0; i < kMaxPorts; ++i) {
    const std::uint32_t leaf = drawing.add_switch();
    drawing.cable(spine, leaf);
    drawing.add_host(leaf);
  }
  return Case(drawing);
}
Case largest_lmc() { return Case(xgft({3, 3, 2}, {1, 3, 2}), 3); }
Case one_host_per_leaf() { return Case(xgft({1, 4, 3}, {1, 4, 2})); }
Case no_hosts() { return Case(xgft({0, 4}, {1, 2})); }
Case two_port_hosts() {
  Drawing drawing = xgft({2, 4}, {1, 2});
  drawing.add_host({0U, 0U});
  drawing.add_host({1U, 2U});
  return Case(drawing);
}
Case hosts_on_spines() {
  Drawing drawing = xgft({2, 3, 4}, {1, 3, 2});
  drawing.add_hosts(25, 2);
  return Case(drawing);
}
Case long_line() {
  Drawing drawing;
  drawing.add_host(drawing.add_switch());
  for (std::uint32_t i = 1; i < 120; ++i) {
    const std::uint32_t s = drawing.add_switch();
    drawing.cable(s, i == 1 ? 0 : s - 1);
  }
  drawing.add_host(drawing.node_count() - 1);
  return Case(drawing);
}

INSTANTIATE_TEST_SUITE_P(
    Fabrics, Edge,
    testing::Values(Shape{"single_switch", single_switch}, Shape{"lone_switch", lone_switch},
                    Shape{"switch_without_hosts", switch_without_hosts}, Shape{"two_parts", two_parts},
                    Shape{"eight_parallel_links", eight_parallel_links},
                    Shape{"widest_switch", widest_switch}, Shape{"largest_lmc", largest_lmc},
                    Shape{"one_host_per_leaf", one_host_per_leaf}, Shape{"no_hosts", no_hosts},
                    Shape{"two_port_hosts", two_port_hosts}, Shape{"hosts_on_spines", hosts_on_spines},
                    Shape{"long_line", long_line}),
    [](const auto& param) { return std::string(param.param.name); });

TEST(UpDown, ServesARingWhereMinHopWouldLock) {
  const Case one(ring(6, 2));
  EXPECT_FALSE(check(one.problem, *min_hop(one.problem)).cycle.empty());
  EXPECT_TRUE(check(one.problem, *up_down(one.problem)).safe());
}

TEST(UpDown, IsAsShortAsMinHopOnCompleteTreesAndDragonflyPlusShapes) {
  for (const Drawing& drawing :
       {xgft({6, 6, 12}, {1, 6, 6}), xgft({4, 8}, {1, 4}), xgft({2, 3, 2, 2}, {1, 2, 3, 2})}) {
    const Case one(drawing);
    EXPECT_EQ(longest(one, up_down), longest(one, min_hop));
  }
}

TEST(UpDown, ReachesSwitchesBehindADeadLinkOfATree) {
  for (std::size_t i = 0; i < 40; ++i) {
    Drawing drawing = xgft({2, 3, 4}, {1, 3, 2});
    drawing.cut(i);
    const Case one(drawing);
    const CheckReport report = check(one.problem, *up_down(one.problem));
    EXPECT_TRUE(report.safe()) << "cable " << i;
    EXPECT_EQ(report.uncounted_lost, 0U);
  }
}

TEST(UpDown, LetsTheConfigurationNameTheRoots) {
  Case one(ring(5));
  one.problem.roots = {Drawing::guid(3)};
  const Result<Routes> routes = up_down(one.problem);
  ASSERT_FALSE(routes->notes.empty());
  EXPECT_EQ(routes->notes[0], "the up*/down* order starts at 0x0000000000001003 (s3)");
}

TEST(UpDown, NamesTheRootsThatAreNotThere) {
  Case one(ring(5));
  one.problem.roots = {Drawing::guid(3), Guid{0xdead}};
  EXPECT_EQ(up_down(one.problem)->notes[0],
            "1 of 2 roots in the configuration are no switches of this fabric: 0x000000000000dead");
}

TEST(UpDownOrder, GivesEverySwitchButTheFirstOneBeforeIt) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    const Case one(random_graph(12, 8, seed));
    const SwitchGraph graph(one.problem);
    const UpDownOrder order = up_down_order(one.problem, graph);
    for (std::uint32_t s = 0; s < graph.size(); ++s) {
      if (order.position[s] == 0) continue;
      EXPECT_TRUE(std::ranges::any_of(
          graph.groups(s), [&](const Group& g) { return order.position[g.to] < order.position[s]; }));
    }
  }
}

TEST(MinHop, SharesRowsThatDidNotChange) {
  Case one(xgft({2, 3, 4}, {1, 3, 2}));
  const Result<Routes> first = min_hop(one.problem);
  one.problem.previous = &*first;
  const Result<Routes> second = min_hop(one.problem);
  EXPECT_EQ(first->lfts, second->lfts);  // the same rows, not only equal ones
}

TEST(Routes, MatchesRowsByGuidWhenSwitchesComeAndGo) {
  Drawing drawing = ring(4);
  Case before(drawing);
  const Result<Routes> first = up_down(before.problem);
  EXPECT_EQ(row_of(*first, Drawing::guid(2)), first->lfts[2]);
  EXPECT_EQ(row_of(*first, Guid{1}), nullptr);
}

}  // namespace
}  // namespace weft::routing
