#include "partitions/changes.h"

#include <gtest/gtest.h>

#include "tests/support/fabric_of.h"

namespace weft::partitions {
namespace {

TEST(AccessChanges, TellWhoGainedLostOrChanged) {
  const fabric::Fabric fabric = test::fabric_of("xgft:m=2,2:w=1,1");
  std::vector<fabric::PortRef> hosts;
  for (const fabric::PortRef port : fabric.end_ports())
    if (!fabric.is_switch(port.node)) hosts.push_back(port);
  const auto member = [&](std::size_t host, Membership as) {
    return Member{{.kind = Who::Kind::guid, .guid = fabric.port(hosts[host]).guid}, as};
  };
  Policy before;
  before.partitions = {
      {.name = "a", .key = 5, .members = {member(1, Membership::full), member(2, Membership::full)}}};
  Policy after;
  after.partitions = {
      {.name = "a", .key = 5, .members = {member(2, Membership::limited), member(3, Membership::full)}}};
  const PlannedKeys old = plan_keys(fabric, before, nullptr, hosts[0]);
  const PlannedKeys now = plan_keys(fabric, after, old.memory, hosts[0]);
  const auto told = access_changes({fabric, old}, {fabric, now});
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0], "partition a (0x0005): access given to " + describe(fabric, hosts[3]) +
                         "; access taken from " + describe(fabric, hosts[1]) + "; membership changed of " +
                         describe(fabric, hosts[2]) + " (now limited)");
  EXPECT_TRUE(access_changes({fabric, now}, {fabric, now}).empty());
}

}  // namespace
}  // namespace weft::partitions
