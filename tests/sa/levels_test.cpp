// Service levels and the groups of partitions, as clients are told of them.

#include <gtest/gtest.h>

#include "base/rate.h"
#include "tests/sa/desk.h"

namespace weft::sa {
namespace {

using mad::Method;
using mad::PathRecord;
using mad::SaAttr;

constexpr int kServiceBit = 1;
constexpr int kDgidBit = 2;
constexpr int kSgidBit = 3;
constexpr int kPkeyBit = 13;
constexpr int kClassBit = 14;
constexpr int kSlBit = 15;

qos::Who named(std::string name) { return {.kind = qos::Who::Kind::name, .name = std::move(name)}; }

plan::Config config_with_levels() {
  plan::Config config;
  config.qos.levels = {
      {.name = "bulk", .sl = Sl{0}},
      {.name = "storage", .sl = Sl{3}, .mtu = Mtu::mtu1024, .rate = 25, .lifetime = std::uint8_t{10}},
      {.name = "fast", .sl = Sl{5}, .strict = true}};
  config.qos.rules = {{.level = "storage", .services = {{0x100, 0x1ff}}},
                      {.level = "fast",
                       .source = {.ports = {named("HcaA")}},
                       .destination = {.ports = {named("HcaB")}},
                       .either_end = true},
                      {.level = "storage", .classes = {{7, 7}}},
                      {.level = "fast", .partitions = {"tenant"}}};
  config.partitions.partitions = {
      {.name = "default",
       .key = 0x7fff,
       .members = {{{.kind = fabric::Who::Kind::all}, partitions::Membership::full}},
       .ipoib = true},
      {.name = "tenant",
       .key = 0x10,
       .members = {{{.kind = fabric::Who::Kind::hosts}, partitions::Membership::full}},
       .ipoib = true,
       .broadcast = {{.mtu = Mtu::mtu4096, .rate = 100, .sl = Sl{5}, .q_key = 0x1234}}},
      {.name = "leveled",
       .key = 0x11,
       .members = {{{.kind = fabric::Who::Kind::hosts}, partitions::Membership::full}},
       .ipoib = true,
       .broadcast = {{.level = "storage"}},
       .groups = {{*gid_from("ff12:401b::7"), {}}, {*gid_from("ff12:401b::8"), {.level = "fast"}}}}};
  return config;
}

class LevelsTold : public testing::Test {
 protected:
  Desk desk{two_switches(), config_with_levels()};

  Answer path(std::string_view from, std::string_view to, std::initializer_list<int> more = {},
              PathRecord asked = {}) {
    asked.sgid = desk.gid_of(from);
    asked.dgid = desk.gid_of(to);
    return desk.ask(Method::get, SaAttr::path_record, bits({kDgidBit, kSgidBit}) | bits(more), asked);
  }
};

TEST_F(LevelsTold, P56_ThePathHasTheSlOfItsLevelBothWays) {
  EXPECT_EQ(record<PathRecord>(path("HcaA", "HcaB")).sl, Sl{5});
  EXPECT_EQ(record<PathRecord>(path("HcaB", "HcaA")).sl, Sl{5});
  EXPECT_EQ(record<PathRecord>(path("HcaA", "HcaC")).sl, Sl{0});
}

TEST_F(LevelsTold, TheLevelOfTheServiceComesWithItsLimits) {
  const Answer answer = path("HcaA", "HcaB", {0, kServiceBit}, {.service_id = 0x150});
  ASSERT_EQ(answer.status, 0) << answer.why;
  const PathRecord told = record<PathRecord>(answer);
  EXPECT_EQ(told.sl, Sl{3});
  EXPECT_EQ(told.mtu, raw(Mtu::mtu1024));
  EXPECT_EQ(rate_speed(told.rate), 25);
  EXPECT_EQ(told.lifetime, 10);
  EXPECT_EQ(record<PathRecord>(path("HcaA", "HcaC", {0, kServiceBit}, {.service_id = 0x200})).sl, Sl{0});
}

TEST_F(LevelsTold, TheQosClassAndThePartitionCount) {
  EXPECT_EQ(record<PathRecord>(path("HcaA", "HcaC", {kClassBit}, {.qos_class = 7})).sl, Sl{3});
  EXPECT_EQ(record<PathRecord>(path("HcaA", "HcaC", {kPkeyBit}, {.pkey = Pkey{0x8010}})).sl, Sl{5});
}

TEST_F(LevelsTold, AnotherSlThanTheLevelsIsNoPath) {
  EXPECT_EQ(path("HcaA", "HcaB", {kSlBit}, {.sl = Sl{5}}).status, 0);
  EXPECT_EQ(path("HcaA", "HcaB", {kSlBit}, {.sl = Sl{0}}).status, mad::sa_status::kNoRecords);
}

TEST_F(LevelsTold, PartitionsBringTheirGroups) {
  const auto group = desk.state.groups.find(partitions::ipoib_broadcast(Pkey{0x8010}));
  ASSERT_TRUE(group);
  EXPECT_EQ(group->pkey, Pkey{0x8010});
  EXPECT_EQ(group->mtu, Mtu::mtu4096);
  EXPECT_EQ(rate_speed(group->rate), 100);
  EXPECT_EQ(group->sl, Sl{5});
  EXPECT_EQ(group->qkey, 0x1234u);
  EXPECT_TRUE(desk.state.groups.contains(partitions::ipoib_broadcast(Pkey{0xffff})));
}

TEST_F(LevelsTold, GroupsOfALevelHaveItsSl) {
  const auto sl_of = [this](Gid mgid) { return desk.state.groups.find(mgid)->sl; };
  EXPECT_EQ(sl_of(partitions::ipoib_broadcast(Pkey{0x8011})), Sl{3});
  EXPECT_EQ(sl_of(*gid_from("ff12:401b:8011::7")), Sl{3}) << "as the broadcast group";
  EXPECT_EQ(sl_of(*gid_from("ff12:401b:8011::8")), Sl{5});
  plan::Config moved = config_with_levels();
  moved.qos.levels[1].sl = Sl{7};
  const Desk after(two_switches(), moved);
  mad::McMemberRecord joining;
  joining.mgid = partitions::ipoib_broadcast(Pkey{0x8011});
  joining.port_gid = desk.gid_of("HcaB");
  joining.pkey = Pkey{0x8011};
  joining.join_state = 1;
  ASSERT_EQ(desk.ask(Method::set, SaAttr::mc_member_record, bits({0, 1, 7, 16}), joining).status, 0);
  std::vector<Event> events;
  const auto next = with_own_groups(desk.state, {}, after.view->plan->partitions, events);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->groups.find(partitions::ipoib_broadcast(Pkey{0x8011}))->sl, Sl{7});
  EXPECT_EQ(next->forgotten.size(), 1u) << "the member sends on the old SL until it registers again";
  EXPECT_NE(next->forgotten.find(desk.guid_of("HcaB")), nullptr);
}

TEST_F(LevelsTold, AGroupGoesWithItsPartitionWhenNobodyIsInIt) {
  partitions::PlannedKeys without;
  std::vector<Event> events;
  const auto next = with_own_groups(desk.state, {}, without, events);
  ASSERT_TRUE(next);
  EXPECT_FALSE(next->groups.contains(partitions::ipoib_broadcast(Pkey{0x8010})));
  EXPECT_EQ(events.size(), 5u);
  without.refused = true;
  EXPECT_FALSE(with_own_groups(desk.state, {}, without, events))
      << "a policy that is not in force takes nothing away";
}

}  // namespace
}  // namespace weft::sa
