#include "routing/switch_graph.h"

#include <gtest/gtest.h>

#include "tests/routing/fabrics.h"

namespace weft::routing {
namespace {

TEST(SwitchGraph, GroupsParallelLinksByNeighbourInGuidOrder) {
  Drawing drawing;
  const std::uint32_t a = drawing.add_switch();
  const std::uint32_t b = drawing.add_switch();
  const std::uint32_t c = drawing.add_switch();
  drawing.cable(a, c);
  drawing.cable(a, b, 2);
  drawing.cable(a, c);
  const Case one(drawing);
  const SwitchGraph graph(one.problem);
  ASSERT_EQ(graph.groups(a).size(), 2U);
  EXPECT_EQ(graph.groups(a)[0].to, b);
  EXPECT_EQ(graph.groups(a)[1].to, c);
  const std::span<const std::uint8_t> to_b = graph.ports(graph.groups(a)[0]);
  const std::span<const std::uint8_t> to_c = graph.ports(graph.groups(a)[1]);
  EXPECT_EQ(std::vector(to_b.begin(), to_b.end()), (std::vector<std::uint8_t>{2, 3}));
  EXPECT_EQ(std::vector(to_c.begin(), to_c.end()), (std::vector<std::uint8_t>{1, 4}));
}

TEST(SwitchGraph, LeavesOutCablesFromASwitchToItself) {
  Drawing drawing;
  const std::uint32_t a = drawing.add_switch();
  drawing.cable(a, a);
  drawing.add_host(a);
  const Case one(drawing);
  EXPECT_TRUE(SwitchGraph(one.problem).groups(a).empty());
}

TEST(SwitchGraph, KnowsWhatHangsOnEachSwitch) {
  Drawing drawing = ring(3, 2);
  drawing.add_switch();
  const Case one(drawing);
  const SwitchGraph graph(one.problem);
  EXPECT_EQ(graph.hosts(0), 2U);
  EXPECT_EQ(graph.hosts(3), 0U);
  EXPECT_EQ(graph.destinations(0).size(), 3U);
  EXPECT_TRUE(one.problem.destinations[graph.destinations(3)[0]].is_switch());
}

TEST(SwitchGraph, CountsTheParts) {
  Drawing drawing = ring(4);
  drawing.add_switch();
  const Case one(drawing);
  const SwitchGraph graph(one.problem);
  EXPECT_EQ(graph.part_count(), 2U);
  EXPECT_EQ(note_on_parts(graph),
            "the switches are in 2 parts (4, 1 switches), which cannot reach each other");
}

}  // namespace
}  // namespace weft::routing
