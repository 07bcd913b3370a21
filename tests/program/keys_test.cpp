#include "program/keys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "tests/support/fabric_of.h"

namespace weft::program {
namespace {

using partitions::Membership;
using partitions::Policy;
using partitions::Who;

class KeyPlans : public testing::Test {
 protected:
  fabric::Fabric fabric_ = test::fabric_of("xgft:m=2,2:w=1,1");
  fabric::PortRef self_ = first_host();

  fabric::PortRef first_host() const {
    return *std::ranges::find_if(fabric_.end_ports(),
                                 [this](fabric::PortRef port) { return !fabric_.is_switch(port.node); });
  }
  partitions::PlannedKeys plan(Membership as) const {
    Policy policy;
    policy.partitions = {{.name = "a", .key = 5, .members = {{{.kind = Who::Kind::hosts}, as}}}};
    return partitions::plan_keys(fabric_, policy, nullptr, self_);
  }
};

TEST_F(KeyPlans, GiveTablesToEndPortsAndToPortsThatCheck) {
  const auto plan_a = plan(Membership::full);
  const NodeId leaf = fabric_.port(self_).peer->node;
  const auto of_leaf = planned_keys(fabric_, plan_a, leaf);
  ASSERT_EQ(of_leaf.size(), 3u) << "port 0 and two that face hosts";
  EXPECT_EQ(of_leaf[0].port.port, PortNum{0});
  EXPECT_EQ(of_leaf[0].keys, partitions::Keys{Pkey{0x7fff}});
  EXPECT_EQ(of_leaf[1].capacity, fabric_.node(leaf).switch_facts.enforced_pkeys);
  EXPECT_EQ(planned_keys(fabric_, plan_a, self_.node).size(), 1u);
}

TEST_F(KeyPlans, HaveADigestThatTellsPortsAndKeysApart) {
  const auto a = planned_keys(fabric_, plan(Membership::full), self_.node);
  auto b = a;
  EXPECT_EQ(keys_digest(a), keys_digest(b));
  b[0].keys.back() = Pkey{0x0005};
  EXPECT_NE(keys_digest(a), keys_digest(b));
  b = a;
  b[0].port.port = PortNum{2};
  EXPECT_NE(keys_digest(a), keys_digest(b));
}

TEST_F(KeyPlans, AreWorkOnlyWhereTheRecordSaysOtherwise) {
  const auto full = plan(Membership::full);
  plan::DeviceMap devices;
  const auto all = key_work(fabric_, full, devices);
  EXPECT_EQ(all.size(), fabric_.node_count());
  for (const KeyWork& work : all) {
    plan::DeviceRecord record;
    record.keys_digest = work.digest;
    devices[fabric_.node(work.node).guid] = std::make_shared<const plan::DeviceRecord>(record);
  }
  EXPECT_TRUE(key_work(fabric_, full, devices).empty());
  const auto changed = key_work(fabric_, plan(Membership::limited), devices);
  EXPECT_EQ(changed.size(), fabric_.host_count() + 2) << "hosts and the leaves before them, not the spine";
  EXPECT_TRUE(key_work(fabric_, partitions::plan_keys(fabric_, {}, nullptr, self_), {}).empty());
}

/// 11,664 hosts, 10,000 of them in 64 partitions, each in its own and in 8 that all are in.
TEST(KeysOfTenThousandHosts, OneMoreMemberIsWorkForItsPortAndTheOneThatChecksIt) {
  const fabric::Fabric fabric = test::fabric_of("fat-tree:radix=36,levels=3");
  std::vector<fabric::PortRef> hosts;
  for (const fabric::PortRef port : fabric.end_ports())
    if (!fabric.is_switch(port.node)) hosts.push_back(port);
  Policy policy;
  for (std::size_t p = 0; p < 64; ++p) {
    policy.partitions.push_back(
        {.name = fmt::format("p{}", p), .key = static_cast<std::uint16_t>(0x100 + p), .members = {}});
    for (std::size_t h = 0; h < 10'000; ++h)
      if (h % 64 == p || p < 8)
        policy.partitions[p].members.push_back(
            {{.kind = Who::Kind::guid, .guid = fabric.port(hosts[h]).guid}, Membership::full});
  }
  const auto before = partitions::plan_keys(fabric, policy, nullptr, hosts[0]);
  plan::DeviceMap devices;
  std::map<NodeId, std::vector<PortKeys>> held;
  for (KeyWork& work : key_work(fabric, before, devices)) {
    plan::DeviceRecord record;
    record.keys_digest = work.digest;
    devices[fabric.node(work.node).guid] = std::make_shared<const plan::DeviceRecord>(record);
    held[work.node] = std::move(work.ports);
  }
  const fabric::PortRef joining = hosts[11'000];
  policy.partitions[9].members.push_back(
      {{.kind = Who::Kind::guid, .guid = fabric.port(joining).guid}, Membership::full});
  const auto after = partitions::plan_keys(fabric, policy, before.memory, hosts[0]);
  std::vector<fabric::PortRef> changed;
  for (const KeyWork& work : key_work(fabric, after, devices))
    for (std::size_t i = 0; i < work.ports.size(); ++i)
      if (work.ports[i].keys != held.at(work.node)[i].keys) changed.push_back(work.ports[i].port);
  std::vector<fabric::PortRef> expected{joining, *fabric.port(joining).peer};
  std::ranges::sort(changed);
  std::ranges::sort(expected);
  EXPECT_EQ(changed, expected);
}

}  // namespace
}  // namespace weft::program
