#include "plan/plan.h"

#include <algorithm>
#include <random>

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

Guid guid_behind(const fabric::Fabric& fabric, const routing::Destination& host) {
  return fabric.node(fabric.ports(host.at)[raw(host.port)].peer->node).guid;
}

/// A host that is not the manager's.
const routing::Destination& some_host(const Plan& plan) {
  return *std::ranges::find_if(plan.problem.destinations, [&](const routing::Destination& one) {
    return !one.is_switch() && one.base > Lid{5} && one.base != plan.sm_lid;
  });
}

TEST(MakePlan, KeepsTheWaysToAHostThatIsAway) {
  for (const char* blueprint : {"fat-tree:radix=8,levels=2", "ring:6:hosts=2", "dragonfly:p=2,a=4,h=2,g=9"}) {
    const fabric::Fabric whole = fabric_of(blueprint);
    const fabric::PortRef sm = first_host(whole);
    const Planned first = *make_plan(whole, {}, {}, sm, nullptr);
    const routing::Destination host = some_host(*first.plan);
    const fabric::Fabric without = test::without_node(whole, guid_behind(whole, host));
    const Guid own = whole.port(sm).guid;
    const Planned away = *make_plan(without, {}, first.ledger, *without.find_port(own), first.plan.get());
    EXPECT_EQ(away.plan->routes().lfts, first.plan->routes().lfts) << blueprint;  // pointers
    EXPECT_EQ(away.plan->problem.destinations.size(), first.plan->problem.destinations.size());
    EXPECT_EQ(std::ranges::count(away.plan->problem.destinations, true, &routing::Destination::away), 1);
    // For as long as it takes, and then it is there as it was.
    const Planned still = *make_plan(without, {}, away.ledger, *without.find_port(own), away.plan.get());
    EXPECT_EQ(still.plan->routes().lfts, first.plan->routes().lfts) << blueprint;
    const Planned back = *make_plan(whole, {}, still.ledger, sm, still.plan.get());
    EXPECT_EQ(back.plan->routes().lfts, first.plan->routes().lfts) << blueprint;
    EXPECT_EQ(back.plan->problem.destinations, first.plan->problem.destinations) << blueprint;
  }
}

TEST(MakePlan, KeepsNoWayToAPlaceThatSomebodyElseHasOrALidThatIsNotKept) {
  const fabric::Fabric whole = fabric_of("fat-tree:radix=8,levels=2");
  const fabric::PortRef sm = first_host(whole);
  const Planned first = *make_plan(whole, {}, {}, sm, nullptr);
  const routing::Destination host = some_host(*first.plan);
  const Guid gone = guid_behind(whole, host);
  const Guid leaf = whole.node(host.at).guid;
  const fabric::Fabric without = test::without_node(whole, gone);
  const Guid own = whole.port(sm).guid;
  const auto count_away = [](const Planned& planned) {
    return std::ranges::count(planned.plan->problem.destinations, true, &routing::Destination::away);
  };
  // Another host on the same port.
  fabric::Builder builder = test::builder_from(without);
  fabric::Node other;
  other.guid = Guid{0xabc};
  other.port_count = 1;
  ASSERT_TRUE(builder.add_node(other));
  fabric::Port port = whole.port({*whole.find(gone), PortNum{1}});
  port.guid = Guid{0xabd};
  ASSERT_TRUE(builder.set_port(other.guid, PortNum{1}, port));
  ASSERT_TRUE(builder.connect({other.guid, PortNum{1}}, {leaf, host.port}));
  const fabric::Fabric replaced = builder.build();
  EXPECT_EQ(count_away(*make_plan(replaced, {}, first.ledger, *replaced.find_port(own), first.plan.get())),
            0);
  // The record does not know it.
  Ledger forgotten = first.ledger;
  LidMap lids = *forgotten.lids;
  lids.erase(whole.port({*whole.find(gone), PortNum{1}}).guid);
  forgotten.lids = std::make_shared<const LidMap>(lids);
  EXPECT_EQ(count_away(*make_plan(without, {}, forgotten, *without.find_port(own), first.plan.get())), 0);
  // Its switch is gone, too.
  const fabric::Fabric bare = test::without_node(without, leaf);
  EXPECT_EQ(count_away(*make_plan(bare, {}, first.ledger, *bare.find_port(own), first.plan.get())), 0);
  EXPECT_EQ(count_away(*make_plan(without, {}, first.ledger, *without.find_port(own), first.plan.get())), 1);
}

/// What is taken over from the plan before must be what planning anew gives.
TEST(MakePlan, TakesOverOnlyWhatStands) {
  const fabric::Fabric start = fabric_of("fat-tree:radix=8,levels=2");
  const Guid own = start.port(first_host(start)).guid;
  std::mt19937 random(7);
  fabric::Fabric fabric = start;
  Planned before = *make_plan(fabric, {}, {}, *fabric.find_port(own), nullptr);
  fabric::Fabric in_force = addressed(fabric, before.plan->lids);
  for (int step = 0; step < 120; ++step) {
    fabric::Builder builder = test::builder_from(in_force);
    const auto at = static_cast<NodeId>(random() % in_force.node_count());
    const fabric::Node& node = in_force.node(at);
    const auto number = static_cast<PortNum>(1 + random() % node.port_count);
    fabric::Port port = in_force.port({at, number});
    const bool is_own = std::ranges::count(in_force.ports(at), own, &fabric::Port::guid) != 0;
    switch (random() % 6) {
      case 0:
        port.mtu_cap = port.mtu_cap == Mtu::mtu4096 ? Mtu::mtu2048 : Mtu::mtu4096;
        break;
      case 1:
        port.vl_cap = port.vl_cap == VlCount::vl8 ? VlCount::vl4 : VlCount::vl8;
        break;
      case 2:
        port.lid = Lid{static_cast<std::uint16_t>(random() % 60)};
        break;
      case 3:
        port.state = PortState::init;
        break;
      case 4:
        if (!is_own && in_force.is_switch(at)) builder.set_switch_facts(node.guid, {.lft_capacity = 4096});
        break;
      default:
        break;  // a cable
    }
    ASSERT_TRUE(builder.set_port(node.guid, number, port));
    fabric = builder.build();
    if (random() % 3 == 0 && port.peer && !is_own && fabric.port(*fabric.port({at, number}).peer).guid != own)
      fabric = test::without_link(fabric, {at, number});
    if (random() % 8 == 0) fabric = start;
    const auto sm = fabric.find_port(own);
    const Result<Planned> taken = make_plan(fabric, {}, before.ledger, *sm, before.plan.get(), &in_force);
    const Result<Planned> anew = make_plan(fabric, {}, before.ledger, *sm, before.plan.get());
    ASSERT_EQ(taken.has_value(), anew.has_value()) << step;
    if (!taken) {
      fabric = in_force;
      continue;
    }
    EXPECT_EQ(taken->plan->ports, anew->plan->ports) << step;
    EXPECT_EQ(taken->plan->lids.of_end_port, anew->plan->lids.of_end_port) << step;
    EXPECT_EQ(taken->plan->lids.top, anew->plan->lids.top) << step;
    EXPECT_EQ(*taken->ledger.lids, *anew->ledger.lids) << step;
    EXPECT_EQ(taken->plan->notes, anew->plan->notes) << step;
    before = *taken;
    in_force = addressed(fabric, before.plan->lids);
  }
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
