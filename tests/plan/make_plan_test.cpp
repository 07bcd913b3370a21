#include "plan/plan.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "routing/waits.h"
#include "tests/plan/addressed.h"
#include "tests/support/fabric_of.h"

namespace weft::plan {
namespace {

using test::fabric_of;

fabric::PortRef first_host(const fabric::Fabric& fabric) {
  return *fabric.find_port(host_ports(fabric).at(0));
}

TEST(MakePlan, PlansSafeTablesForManyShapes) {
  for (const char* blueprint :
       {"star:3", "ring:6:hosts=2", "fat-tree:radix=8,levels=2", "fat-tree:radix=4,levels=3",
        "dragonfly:p=2,a=4,h=2,g=9", "torus:3,3,3:hosts=1", "hypercube:4:hosts=1"}) {
    const fabric::Fabric fabric = fabric_of(blueprint);
    const Result<Planned> planned = make_plan(fabric, {}, {}, first_host(fabric), nullptr);
    ASSERT_TRUE(planned) << blueprint << ": " << planned.error().what;
    EXPECT_TRUE(planned->plan->routing.report.safe()) << blueprint;
    EXPECT_EQ(planned->plan->problem.destinations.size(), fabric.end_ports().size()) << blueprint;
    EXPECT_EQ(planned->ledger.lids, planned->plan->lids.map);
    EXPECT_EQ(planned->plan->problem.previous, nullptr);
  }
}

TEST(MakePlan, SortsDestinationsByLid) {
  const fabric::Fabric fabric = fabric_of("fat-tree:radix=8,levels=2");
  const Result<Planned> planned = make_plan(fabric, {}, {}, first_host(fabric), nullptr);
  ASSERT_TRUE(planned);
  EXPECT_TRUE(std::ranges::is_sorted(planned->plan->problem.destinations, {}, &routing::Destination::base));
  EXPECT_EQ(planned->plan->sm_lid, lid_of(fabric, planned->plan->lids, host_ports(fabric)[0]));
}

TEST(MakePlan, TakesTwoHostsBackToBack) {
  fabric::Builder builder;
  for (const Guid guid : {Guid{1}, Guid{2}}) {
    fabric::Node node;
    node.guid = guid;
    node.port_count = 1;
    ASSERT_TRUE(builder.add_node(node));
    fabric::Port port;
    port.guid = guid;
    port.known = true;
    ASSERT_TRUE(builder.set_port(guid, PortNum{1}, port));
  }
  ASSERT_TRUE(builder.connect({Guid{1}, PortNum{1}}, {Guid{2}, PortNum{1}}));
  const fabric::Fabric fabric = builder.build();
  const Result<Planned> planned = make_plan(fabric, {}, {}, {NodeId{0}, PortNum{1}}, nullptr);
  ASSERT_TRUE(planned) << planned.error().what;
  EXPECT_EQ(planned->plan->sm_lid, Lid{1});
  EXPECT_TRUE(planned->plan->problem.destinations.empty());
  EXPECT_TRUE(planned->plan->ports[fabric.node(NodeId{1}).first_port + 1].bring_up);
}

TEST(MakePlan, CountsSwitchesWithManagersAsTraffic) {
  const fabric::Fabric plain = fabric_of("ring:4:hosts=1");
  fabric::Builder builder = test::builder_from(plain);
  const fabric::PortRef other{plain.switches()[2], PortNum{0}};
  fabric::Port port = plain.port(other);
  port.capabilities = 2;  // IsSM
  ASSERT_TRUE(builder.set_port(plain.node(other.node).guid, PortNum{0}, port));
  const fabric::Fabric fabric = builder.build();
  const Result<Planned> planned = make_plan(fabric, {}, {}, {fabric.switches()[0], PortNum{0}}, nullptr);
  ASSERT_TRUE(planned) << planned.error().what;
  std::vector<SwitchId> managers;
  for (const routing::Destination& d : planned->plan->problem.destinations)
    if (d.runs_sm) managers.push_back(d.at);
  std::ranges::sort(managers);
  EXPECT_EQ(managers, (std::vector<SwitchId>{SwitchId{0}, SwitchId{2}}));
}

TEST(MakePlan, SharesEverythingWhenNothingChanges) {
  const fabric::Fabric fabric = fabric_of("fat-tree:radix=8,levels=2");
  const Result<Planned> first = make_plan(fabric, {}, {}, first_host(fabric), nullptr);
  ASSERT_TRUE(first);
  const Result<Planned> second = make_plan(fabric, {}, first->ledger, first_host(fabric), first->plan.get());
  ASSERT_TRUE(second);
  EXPECT_EQ(second->ledger.lids, first->ledger.lids);
  EXPECT_EQ(second->plan->routes().lfts, first->plan->routes().lfts);  // pointers
  EXPECT_EQ(second->plan->ports, first->plan->ports);
}

TEST(MakePlan, HandsRootsOnAndTellsOfUnknownOnes) {
  const fabric::Fabric fabric = fabric_of("ring:5:hosts=1");
  Config config;
  const Guid root = fabric.node(SwitchId{3}).guid;
  config.routing.roots = {to_string(root), "no-such-*"};
  const Result<Planned> planned = make_plan(fabric, config, {}, first_host(fabric), nullptr);
  ASSERT_TRUE(planned);
  EXPECT_EQ(planned->plan->problem.roots, std::vector<Guid>{root});
  EXPECT_TRUE(tells(planned->plan->notes, {"no-such-*"}));
}

TEST(MakePlan, RefusesAnEngineNobodyHas) {
  const fabric::Fabric fabric = fabric_of("star:3");
  Config config;
  config.routing.chain.engines = {"magic"};
  const Result<Planned> planned = make_plan(fabric, config, {}, first_host(fabric), nullptr);
  ASSERT_FALSE(planned);
  EXPECT_EQ(planned.error().code, Errc::invalid);
}

TEST(MakePlan, NeedsTheManagersLink) {
  const fabric::Fabric whole = fabric_of("star:3");
  const Guid port = host_ports(whole)[0];
  const fabric::Fabric fabric = test::without_link(whole, *whole.find_port(port));
  const Result<Planned> planned = make_plan(fabric, {}, {}, *fabric.find_port(port), nullptr);
  ASSERT_FALSE(planned);
  EXPECT_EQ(planned.error().code, Errc::unavailable);
}

TEST(MakePlan, SaysWhenTheManagerGetsNoLid) {
  const fabric::Fabric fabric = fabric_of("star:3");
  Config config;
  config.lids.lmc = 7;
  for (std::uint16_t slot = 1; slot <= 383; ++slot)
    config.lids.fixed.emplace(static_cast<Guid>(slot), static_cast<Lid>(slot * 128));
  const Result<Planned> planned = make_plan(fabric, config, {}, first_host(fabric), nullptr);
  ASSERT_FALSE(planned);
  EXPECT_EQ(planned.error().code, Errc::exhausted);
}

TEST(MakePlan, NeverUsesATableThatCannotHoldTheLids) {
  const fabric::Fabric whole = fabric_of("star:3");
  fabric::Builder builder = test::builder_from(whole);
  builder.set_switch_facts(whole.node(SwitchId{0}).guid, {.lft_capacity = 3});
  const fabric::Fabric fabric = builder.build();
  const Result<Planned> planned = make_plan(fabric, {}, {}, first_host(fabric), nullptr);
  ASSERT_FALSE(planned);
  EXPECT_EQ(planned.error().code, Errc::unsafe);
}

/// Switches go one after the other and come back; what is checked by changes alone must be what the whole
/// check finds, also on top of one another.
TEST(MakePlan, IsCheckedAsAWholeWouldBeWhenSwitchesAreGone) {
  std::vector<fabric::Fabric> steps{fabric_of("fat-tree:radix=8,levels=2")};
  const auto guid_of = [&](std::string_view name) {
    for (const fabric::Node& node : steps.front().nodes())
      if (node.description.starts_with(name)) return node.guid;
    return Guid{};
  };
  for (const char* gone : {"L2-00", "L2-01", "L1-03"})
    steps.push_back(test::without_node(steps.back(), guid_of(gone)));
  steps.push_back(steps.front());
  steps.push_back(steps[2]);
  Ledger ledger;
  std::shared_ptr<const Plan> before;
  for (const fabric::Fabric& fabric : steps) {
    const Result<Planned> planned = make_plan(fabric, {}, ledger, fabric.end_ports().back(), before.get());
    ASSERT_TRUE(planned) << planned.error().what;
    const routing::CheckReport full = routing::check(planned->plan->problem, planned->plan->routes());
    const auto waits_of = [](const routing::CheckReport& report) {
      std::vector<std::tuple<SwitchId, PortNum, Vl, PortNum, Vl>> all;
      report.waits->channels.each_wait([&all](const routing::Channel& held, PortNum out, Vl lane) {
        all.emplace_back(held.from, held.port, held.vl, out, lane);
      });
      return all;
    };
    EXPECT_TRUE(planned->plan->routing.report.safe());
    EXPECT_EQ(waits_of(planned->plan->routing.report), waits_of(full));
    ledger = planned->ledger;
    before = planned->plan;
  }
}

}  // namespace
}  // namespace weft::plan
