#include "qos/rules.h"

#include <gtest/gtest.h>

#include "tests/support/fabric_of.h"

namespace weft::qos {
namespace {

class RulesFit : public testing::Test {
 protected:
  const fabric::Fabric fabric_ = test::fabric_of("xgft:m=2,2:w=1,1");
  std::vector<std::uint32_t> hosts_ = find_hosts();
  Policy policy_{.levels = {{.name = "bulk"}, {.name = "fast"}, {.name = "slow"}}};
  std::vector<std::string> notes_;
  /// The first two hosts are tenants, the second and third in 0x20.
  std::vector<PartitionPorts> partitions_{{"tenant", 0x10, members({0, 1})},
                                          {"other", 0x20, members({1, 2})}};

  std::vector<bool> members(std::initializer_list<std::size_t> hosts) const {
    std::vector<bool> all(fabric_.end_ports().size());
    for (const std::size_t h : hosts) all[hosts_[h]] = true;
    return all;
  }
  std::vector<std::uint32_t> find_hosts() const {
    std::vector<std::uint32_t> hosts;
    for (std::uint32_t i = 0; i < fabric_.end_ports().size(); ++i)
      if (!fabric_.is_switch(fabric_.end_ports()[i].node)) hosts.push_back(i);
    return hosts;
  }
  Who host(std::size_t h) const {
    return {.kind = Who::Kind::guid, .guid = fabric_.port(fabric_.end_ports()[hosts_[h]]).guid};
  }
  /// The level's name for a path between two hosts.
  std::string level(std::size_t from, std::size_t to, Query query = {}) {
    notes_.clear();
    const LanePlan plan = plan_lanes(policy_, 1, 8, {});
    const Rules rules(fabric_, policy_, plan, fabric_.end_ports()[hosts_[0]], partitions_, notes_);
    query.from = hosts_[from];
    query.to = hosts_[to];
    return plan.levels[rules.decide(query).level].level.name;
  }
};

TEST_F(RulesFit, TheFirstThatFitsCountsElseTheDefault) {
  policy_.rules = {{.level = "fast", .source = {.ports = {host(0)}}},
                   {.level = "slow", .destination = {.ports = {host(1)}}}};
  EXPECT_EQ(level(0, 1), "fast");
  EXPECT_EQ(level(2, 1), "slow");
  EXPECT_EQ(level(2, 3), "bulk");
  policy_.default_level = "slow";
  EXPECT_EQ(level(2, 3), "slow");
}

TEST_F(RulesFit, EndsMayChangePlacesWhereTheRuleSaysSo) {
  policy_.rules = {{.level = "fast", .source = {.ports = {host(0)}}, .destination = {.ports = {host(1)}}}};
  EXPECT_EQ(level(1, 0), "bulk");
  policy_.rules[0].either_end = true;
  EXPECT_EQ(level(1, 0), "fast");
}

TEST_F(RulesFit, AllCriteriaMustFit) {
  policy_.rules = {{.level = "fast", .services = {{0x100, 0x1ff}}, .classes = {{3, 3}}}};
  EXPECT_EQ(level(0, 1), "bulk") << "nothing was said of service and class";
  EXPECT_EQ(level(0, 1, {.service = 0x150}), "bulk");
  EXPECT_EQ(level(0, 1, {.service = 0x150, .qos_class = std::uint16_t{3}}), "fast");
  EXPECT_EQ(level(0, 1, {.service = 0x200, .qos_class = std::uint16_t{3}}), "bulk");
}

TEST_F(RulesFit, PartitionsByNameAndNumber) {
  policy_.rules = {{.level = "fast", .partitions = {"tenant"}}, {.level = "slow", .pkeys = {{0x20, 0x2f}}}};
  EXPECT_EQ(level(0, 1, {.partition = 0x10}), "fast");
  EXPECT_EQ(level(0, 1, {.partition = 0x25}), "slow");
  EXPECT_EQ(level(0, 1), "bulk");
  policy_.rules[0].partitions = {"nobody's"};
  EXPECT_EQ(level(0, 1, {.partition = 0x10}), "bulk");
  ASSERT_EQ(notes_.size(), 1u);
  EXPECT_EQ(notes_[0], "qos: rule 1 (level fast): there is no partition nobody's");
}

TEST_F(RulesFit, EndsArePortsOfPartitionsByNameOrNumber) {
  policy_.rules = {{.level = "fast", .source = {.partitions = {{.partition = "tenant"}}}},
                   {.level = "slow", .destination = {.partitions = {{.numbers = {0x1f, 0x2f}}}}}};
  EXPECT_EQ(level(0, 3), "fast") << "whatever partition the path is in";
  EXPECT_EQ(level(1, 2), "fast") << "the first that fits";
  EXPECT_EQ(level(3, 2), "slow");
  EXPECT_EQ(level(2, 3), "bulk");
  EXPECT_TRUE(notes_.empty());
  policy_.rules[0].source = {.ports = {host(3)}, .partitions = {{.partition = "tenant"}}};
  EXPECT_EQ(level(3, 0), "fast") << "either will do";
  policy_.rules = {{.level = "fast", .source = {.partitions = {{.partition = "nobody's"}}}},
                   {.level = "fast", .source = {.partitions = {{.numbers = {0x30, 0x3f}}}}}};
  EXPECT_EQ(level(0, 1), "bulk");
  ASSERT_EQ(notes_.size(), 2u);
  EXPECT_EQ(notes_[0], "qos: rule 1 (level fast): there is no partition nobody's");
  EXPECT_EQ(notes_[1], "qos: rule 2 (level fast): no partition has a P_Key from 0x0030 to 0x003f");
}

TEST_F(RulesFit, ARuleWhoseEndsAreNotHereFitsNothing) {
  policy_.rules = {{.level = "fast", .source = {.ports = {{.kind = Who::Kind::name, .name = "gone"}}}}};
  EXPECT_EQ(level(0, 1), "bulk");
  EXPECT_EQ(notes_.size(), 1u);
  for (std::uint64_t i = 1; i < 1000; ++i)
    policy_.rules[0].source.ports.push_back({.kind = Who::Kind::guid, .guid = static_cast<Guid>(i)});
  EXPECT_EQ(level(0, 1), "bulk");
  ASSERT_EQ(notes_.size(), 1u);
  EXPECT_TRUE(notes_[0].ends_with(" and 995 more mean no port of this fabric")) << notes_[0];
}

}  // namespace
}  // namespace weft::qos
