#include "partitions/plan_keys.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "partitions/pkey.h"
#include "tests/support/fabric_of.h"

namespace weft::partitions {
namespace {

Partition partition(std::string name, std::optional<std::uint16_t> key, std::vector<Member> members) {
  return {.name = std::move(name), .key = key, .members = std::move(members)};
}
Member named(std::string name, Membership as) {
  return {{.kind = Who::Kind::name, .name = std::move(name)}, as};
}
Member kind(Who::Kind who, Membership as) { return {{.kind = who}, as}; }

/// Two leaves with two hosts each and a spine: h00000 to h00003.
class PlanKeys : public testing::Test {
 protected:
  fabric::Fabric fabric_ = test::fabric_of("xgft:m=2,2:w=1,1");
  std::vector<fabric::PortRef> hosts_ = find_hosts();
  fabric::PortRef self_ = hosts_[0];

  std::vector<fabric::PortRef> find_hosts() const {
    std::vector<fabric::PortRef> hosts;
    for (const fabric::PortRef port : fabric_.end_ports())
      if (!fabric_.is_switch(port.node)) hosts.push_back(port);
    return hosts;
  }
  std::string name_of(std::size_t host) const { return fabric_.node(hosts_[host].node).description; }
  std::uint32_t port_index(fabric::PortRef port) const {
    return fabric_.node(port.node).first_port + raw(port.port);
  }
  static Keys keys(std::span<const Pkey> held) { return {held.begin(), held.end()}; }
  Keys of(const PlannedKeys& plan, std::size_t host) const {
    return keys(plan.tables.of(port_index(hosts_[host])));
  }
};

TEST_F(PlanKeys, ConcernNobodyWithoutAPolicy) {
  const PlannedKeys plan = plan_keys(fabric_, {}, nullptr, self_);
  EXPECT_FALSE(plan.active);
  EXPECT_EQ(of(plan, 1), Keys{kDefaultPkey});
}

TEST_F(PlanKeys, ImplyTheDefaultPartition) {
  Policy policy;
  policy.partitions = {partition("a", 0x10, {named(name_of(1), Membership::full)})};
  const PlannedKeys plan = plan_keys(fabric_, policy, nullptr, self_);
  EXPECT_EQ(of(plan, 0), Keys{kDefaultPkey}) << "the manager's own port";
  EXPECT_EQ(of(plan, 1), (Keys{Pkey{0x7fff}, Pkey{0x8010}}));
  EXPECT_EQ(of(plan, 2), Keys{Pkey{0x7fff}});
  ASSERT_EQ(plan.partitions.size(), 2u);
  EXPECT_EQ(plan.partitions[0].name, "default");
  ASSERT_FALSE(plan.notes.empty()) << "limited members of the default partition cannot talk";
}

TEST_F(PlanKeys, KeepTheManagerAndEveryPortInTheDefaultPartition) {
  Policy policy;
  policy.partitions = {partition("default", 0x7fff, {named(name_of(1), Membership::full)})};
  const PlannedKeys plan = plan_keys(fabric_, policy, nullptr, self_);
  EXPECT_EQ(of(plan, 0), Keys{kDefaultPkey});
  EXPECT_EQ(of(plan, 1), Keys{kDefaultPkey});
  EXPECT_EQ(of(plan, 2), Keys{Pkey{0x7fff}});
}

TEST_F(PlanKeys, TheMostSpecialLineCounts) {
  Policy policy;
  policy.partitions = {partition(
      "a", 0x10, {named(name_of(1), Membership::both), kind(Who::Kind::hosts, Membership::limited)})};
  PlannedKeys plan = plan_keys(fabric_, policy, nullptr, self_);
  EXPECT_EQ(of(plan, 1), (Keys{Pkey{0x7fff}, Pkey{0x8010}, Pkey{0x0010}}));
  EXPECT_EQ(of(plan, 2), (Keys{Pkey{0x7fff}, Pkey{0x0010}}));
  policy.partitions[0].last_counts = true;
  plan = plan_keys(fabric_, policy, nullptr, self_);
  EXPECT_EQ(of(plan, 1), (Keys{Pkey{0x7fff}, Pkey{0x0010}}));
}

TEST_F(PlanKeys, KeepAssignedNumbersByName) {
  Policy policy;
  policy.partitions = {partition("a", {}, {kind(Who::Kind::hosts, Membership::full)}),
                       partition("b", {}, {kind(Who::Kind::hosts, Membership::full)})};
  const PlannedKeys first = plan_keys(fabric_, policy, nullptr, self_);
  EXPECT_EQ(first.partitions[1].key, 1);
  EXPECT_EQ(first.partitions[2].key, 2);
  policy.partitions.erase(policy.partitions.begin());
  policy.partitions.push_back(partition("c", 1, {}));
  const PlannedKeys second = plan_keys(fabric_, policy, first.memory, self_);
  EXPECT_EQ(second.partitions[1].key, 2) << "b keeps its own";
  policy.partitions.push_back(partition("d", {}, {}));
  const PlannedKeys third = plan_keys(fabric_, policy, second.memory, self_);
  EXPECT_EQ(third.partitions.back().key, 3) << "1 is c's, 2 is b's";
}

TEST_F(PlanKeys, KeepIndicesAcrossChanges) {
  Policy policy;
  for (int i = 1; i <= 5; ++i)
    policy.partitions.push_back(partition("p" + std::to_string(i), static_cast<std::uint16_t>(i),
                                          {kind(Who::Kind::hosts, Membership::full)}));
  const PlannedKeys first = plan_keys(fabric_, policy, nullptr, self_);
  policy.partitions.erase(policy.partitions.begin() + 1);
  const PlannedKeys second = plan_keys(fabric_, policy, first.memory, self_);
  EXPECT_EQ(of(second, 1),
            (Keys{Pkey{0x7fff}, Pkey{0x8001}, Pkey{0}, Pkey{0x8003}, Pkey{0x8004}, Pkey{0x8005}}));
  const PlannedKeys again = plan_keys(fabric_, policy, second.memory, self_);
  EXPECT_EQ(again.memory, second.memory) << "shared where nothing changed";
}

TEST_F(PlanKeys, RefuseAPolicyThatDoesNotFitAndKeepTheLastOne) {
  Policy good;
  good.partitions = {partition("a", 0x10, {kind(Who::Kind::hosts, Membership::full)})};
  const PlannedKeys first = plan_keys(fabric_, good, nullptr, self_);
  Policy big = good;
  for (int i = 1; i <= 40; ++i)
    big.partitions.push_back(partition("p" + std::to_string(i), {}, {named(name_of(1), Membership::full)}));
  const PlannedKeys second = plan_keys(fabric_, big, first.memory, self_);
  EXPECT_TRUE(second.refused);
  EXPECT_EQ(of(second, 1), of(first, 1));
  EXPECT_EQ(of(second, 2), of(first, 2));
  ASSERT_FALSE(second.problems.empty());
  EXPECT_NE(second.problems[0].find("room for 32 P_Keys and needs 42, 10 too many: p31"), std::string::npos)
      << second.problems[0];
  EXPECT_NE(second.problems[0].find("which checks for"), std::string::npos)
      << "the switch port is what is full";

  const PlannedKeys cold = plan_keys(fabric_, big, nullptr, self_);
  EXPECT_TRUE(cold.refused);
  EXPECT_EQ(of(cold, 0), Keys{kDefaultPkey});
  EXPECT_EQ(of(cold, 2), Keys{Pkey{0x7fff}}) << "closed, not open";
}

TEST_F(PlanKeys, FillWhatFitsOnDemandEarliestFirst) {
  Policy big;
  big.overflow = Overflow::best_effort;
  for (int i = 1; i <= 40; ++i)
    big.partitions.push_back(partition("p" + std::to_string(i), static_cast<std::uint16_t>(i),
                                       {named(name_of(1), Membership::full)}));
  const PlannedKeys plan = plan_keys(fabric_, big, nullptr, self_);
  EXPECT_FALSE(plan.refused);
  EXPECT_FALSE(plan.problems.empty());
  const Keys held = of(plan, 1);
  EXPECT_EQ(held.size(), 32u);
  EXPECT_EQ(held[0], Pkey{0x7fff});
  EXPECT_EQ(held[31], Pkey{0x801f});
  EXPECT_EQ(keys(plan.enforced_tables.of(port_index(*fabric_.port(hosts_[1]).peer))), held);
}

TEST_F(PlanKeys, CheckAtPortsThatFaceHostsOnly) {
  Policy policy;
  policy.partitions = {partition("a", 0x10, {kind(Who::Kind::hosts, Membership::full)})};
  for (const Enforcement wanted : {Enforcement::off, Enforcement::in, Enforcement::out, Enforcement::both}) {
    policy.enforcement = wanted;
    const PlannedKeys plan = plan_keys(fabric_, policy, nullptr, self_);
    for (const NodeId node : fabric_.switches())
      for (std::size_t p = 1; p < fabric_.ports(node).size(); ++p) {
        const fabric::PortRef port{node, static_cast<PortNum>(p)};
        const auto& peer = fabric_.port(port).peer;
        const bool faces_host = peer && !fabric_.is_switch(peer->node);
        EXPECT_EQ(plan.enforced[port_index(port)], faces_host ? wanted : Enforcement::off);
        if (faces_host && wanted != Enforcement::off) {
          EXPECT_EQ(keys(plan.enforced_tables.of(port_index(port))), keys(plan.tables.of(port_index(*peer))));
        }
      }
  }
}

TEST_F(PlanKeys, TellOnceOfSwitchesThatCannotCheck) {
  fabric::Builder builder = test::builder_from(fabric_);
  for (const NodeId node : fabric_.switches()) {
    fabric::SwitchFacts facts = fabric_.node(node).switch_facts;
    facts.enforces_out = false;
    builder.set_switch_facts(fabric_.node(node).guid, facts);
  }
  fabric_ = builder.build();
  Policy policy;
  policy.partitions = {partition("a", 0x10, {kind(Who::Kind::all, Membership::full)})};
  const PlannedKeys plan = plan_keys(fabric_, policy, nullptr, self_);
  const auto told = std::ranges::count_if(
      plan.notes, [](const std::string& note) { return note.find("cannot check") != note.npos; });
  EXPECT_EQ(told, 1);
  EXPECT_EQ(plan.enforced[port_index(*fabric_.port(hosts_[1]).peer)], Enforcement::in);
}

TEST_F(PlanKeys, GoBackToOneOpenPartitionWhenThePolicyIsGone) {
  Policy policy;
  policy.partitions = {partition("a", 0x10, {kind(Who::Kind::hosts, Membership::full)})};
  const PlannedKeys first = plan_keys(fabric_, policy, nullptr, self_);
  const PlannedKeys second = plan_keys(fabric_, {}, first.memory, self_);
  EXPECT_TRUE(second.active);
  EXPECT_EQ(of(second, 1), Keys{kDefaultPkey});
  EXPECT_TRUE(std::ranges::all_of(second.enforced, [](Enforcement one) { return one == Enforcement::off; }));
}

TEST_F(PlanKeys, TellOfLinesThatMeanNobody) {
  Policy policy;
  policy.partitions = {partition("a", 0x10, {named("nobody", Membership::full)})};
  const PlannedKeys plan = plan_keys(fabric_, policy, nullptr, self_);
  EXPECT_TRUE(std::ranges::any_of(plan.notes, [](const std::string& note) {
    return note == "partition a: node nobody means no port of this fabric";
  }));
  // Of a long list of which many are away one note is made, not an event each.
  for (int i = 0; i < 1000; ++i)
    policy.partitions[0].members.push_back(
        {{.kind = Who::Kind::guid, .guid = static_cast<Guid>(0xabc000 + i)}, Membership::full});
  const PlannedKeys many = plan_keys(fabric_, policy, nullptr, self_);
  EXPECT_EQ(
      std::ranges::count_if(
          many.notes, [](const std::string& note) { return note.find("no port of this") != note.npos; }),
      1);
  EXPECT_TRUE(std::ranges::any_of(many.notes, [](const std::string& note) {
    return note.starts_with("partition a: node nobody, 0x") &&
           note.ends_with(" and 996 more mean no port of this fabric");
  }));
}

}  // namespace
}  // namespace weft::partitions
