// What one plan changes of another, against a count of paths one by one.

#include "plan/difference.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "plan/view.h"
#include "tests/support/fabric_of.h"

namespace weft::plan {
namespace {

using fabric::PortRef;

class Differing : public testing::TestWithParam<const char*> {
 protected:
  fabric::Fabric fabric = test::fabric_of(GetParam());
  std::vector<PortRef> hosts = all_hosts();

  std::vector<PortRef> all_hosts() const {
    std::vector<PortRef> ends;
    for (const PortRef end : fabric.end_ports())
      if (!fabric.is_switch(end.node)) ends.push_back(end);
    return ends;
  }
  View view(const Config& config, const Ledger& ledger = {}, const Orders& orders = {}) const {
    Ledger with = ledger;
    with.orders = std::make_shared<const Orders>(orders);
    const Planned planned = make_plan(fabric, config, with, hosts.front(), nullptr).value();
    View view;
    view.fabric = std::make_shared<const fabric::Fabric>(fabric);
    view.plan = planned.plan;
    view.ledger = planned.ledger;
    view.sm_port = hosts.front();
    return view;
  }
  static Lid lid_of(const View& view, PortRef port) {
    const auto ends = view.fabric->end_ports();
    return view.plan->lids.of_end_port[static_cast<std::size_t>(std::ranges::find(ends, port) - ends.begin())]
        .base;
  }
  /// Ports left by, one after the other.
  static std::vector<PortRef> way(const View& view, PortRef from, PortRef to) {
    std::vector<PortRef> ports;
    const auto hops = path(view, from, lid_of(view, to));
    if (hops)
      for (const Hop& hop : *hops) ports.push_back(hop.out);
    return ports;
  }
  std::uint64_t moved_pairs(const View& a, const View& b) const {
    std::uint64_t pairs = 0;
    for (const PortRef from : hosts)
      for (const PortRef to : hosts) pairs += from != to && way(a, from, to) != way(b, from, to) ? 1 : 0;
    return pairs;
  }
};

INSTANTIATE_TEST_SUITE_P(Fabrics, Differing,
                         testing::Values("fat-tree:radix=4,levels=3", "fat-tree:radix=8", "torus:3,3:hosts=2",
                                         "dragonfly:p=1,a=3,h=1", "ring:5"));

TEST_P(Differing, CountsThePairsThatTakeAnotherWay) {
  const View before = view({});
  Config config;
  config.routing.chain.engines = {"up-down"};
  Orders orders;
  orders[{fabric.node(fabric.switches().back()).guid, PortNum{0}}] = Order{};
  bool any = false;
  for (const View& after :
       {view(config), view({}, before.ledger, orders), view(config, before.ledger, orders)}) {
    const Difference result = difference(fabric, *before.plan, *after.plan);
    EXPECT_EQ(result.pairs, moved_pairs(before, after));
    EXPECT_EQ(result.all_pairs, hosts.size() * (hosts.size() - 1));
    EXPECT_TRUE(result.lids.empty());
    any = any || result.pairs > 0;
  }
  EXPECT_TRUE(any);
}

TEST_P(Differing, FindsNothingBetweenEqualPlans) {
  const View before = view({});
  const View after = view({}, before.ledger);
  const Difference result = difference(fabric, *before.plan, *after.plan);
  EXPECT_EQ(result.pairs, 0u);
  EXPECT_EQ(result.entries, 0u);
  EXPECT_TRUE(result.settings.empty());
}

TEST(DifferenceOfLids, NamesPortsThatMove) {
  const fabric::Fabric fabric = test::fabric_of("fat-tree:radix=4");
  PortRef sm{};
  for (const PortRef end : fabric.end_ports())
    if (!fabric.is_switch(end.node)) sm = end;
  const Planned before = make_plan(fabric, {}, {}, sm, nullptr).value();
  Config config;
  config.lids.fixed[fabric.port(sm).guid] = Lid{100};
  const Planned after = make_plan(fabric, config, before.ledger, sm, before.plan.get()).value();
  const Difference result = difference(fabric, *before.plan, *after.plan);
  ASSERT_EQ(result.lids.size(), 1u);
  EXPECT_EQ(result.lids[0].port, sm);
  EXPECT_EQ(result.lids[0].after.base, Lid{100});
  EXPECT_FALSE(result.settings.empty()) << "all are told the manager's LID";
}

}  // namespace
}  // namespace weft::plan
