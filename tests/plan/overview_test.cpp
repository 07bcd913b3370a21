#include "plan/overview.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/plan/addressed.h"
#include "tests/support/fabric_of.h"

namespace weft::plan {
namespace {

std::vector<std::uint32_t> flows_walked(const View& view) {
  const fabric::Fabric& fabric = *view.fabric;
  std::vector<std::uint32_t> flows;
  for (const fabric::Node& node : fabric.nodes()) flows.resize(node.first_port + node.port_count + 1U, 0);
  for (const fabric::PortRef from : fabric.end_ports()) {
    if (fabric.is_switch(from.node)) continue;
    for (const fabric::PortRef to : fabric.end_ports()) {
      if (fabric.is_switch(to.node) || to == from) continue;
      const Lid lid = lid_of(fabric, view.plan->lids, fabric.port(to).guid);
      const auto hops = path(view, from, lid);
      if (!hops) continue;
      for (const Hop& hop : *hops) ++flows[fabric.node(hop.out.node).first_port + raw(hop.out.port)];
    }
  }
  return flows;
}

TEST(Flows, AreThoseOfEveryPathWalked) {
  for (const char* blueprint :
       {"fat-tree:radix=4,levels=3", "dragonfly:p=2,a=4,h=2,g=9", "ring:5:hosts=2", "chain:3:hosts=1"}) {
    const Published published{test::fabric_of(blueprint)};
    EXPECT_EQ(flows_of(published.view), flows_walked(published.view)) << blueprint;
  }
}

TEST(Places, OfATreeAreRanksAndThePartsBelowTheTop) {
  const Published published{test::fabric_of("fat-tree:radix=4,levels=3")};
  const Places places = places_of(published.view);
  EXPECT_EQ(name(places.kind), "tree");
  EXPECT_EQ(std::ranges::count(places.rank, 0U), 8);
  EXPECT_EQ(std::ranges::count(places.rank, 2U), 4);
  std::set<std::uint32_t> parts(places.group.begin(), places.group.end());
  EXPECT_EQ(parts.size(), 5u) << "four parts, and no part of the top switches";
  for (std::size_t s = 0; s < places.rank.size(); ++s)
    EXPECT_EQ(places.rank[s] == 2, places.group[s] == Places::kNone);
}

TEST(Places, OfADragonflyAreItsGroups) {
  const Published published{test::fabric_of("dragonfly:p=2,a=4,h=2,g=9")};
  const Places places = places_of(published.view);
  EXPECT_EQ(name(places.kind), "dragonfly");
  for (std::uint32_t group = 0; group < 9; ++group) EXPECT_EQ(std::ranges::count(places.group, group), 4);
  EXPECT_EQ(std::ranges::count(places.rank, Places::kNone), 36);
}

TEST(Places, OfWhatHasNoShapeAreNone) {
  const Published published{test::fabric_of("ring:5:hosts=2")};
  const Places places = places_of(published.view);
  EXPECT_EQ(name(places.kind), "arbitrary");
  EXPECT_EQ(std::ranges::count(places.group, Places::kNone), 5);
}

}  // namespace
}  // namespace weft::plan
