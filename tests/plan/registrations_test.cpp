#include "plan/registrations.h"

#include <gtest/gtest.h>

namespace weft::plan {
namespace {

McGroup group_of(std::uint64_t number, unsigned mlid, std::initializer_list<std::uint64_t> members) {
  McGroup group;
  group.mgid = {0xff12401bffff0000, number};
  group.mlid = static_cast<Lid>(mlid);
  group.mtu = Mtu::mtu2048;
  for (const std::uint64_t port : members)
    group.members.set(Guid{port}, {{kLinkLocalPrefix, port}, 1, false});
  return group;
}

SaState with_groups(std::initializer_list<McGroup> groups) {
  SaState state;
  for (const McGroup& group : groups) state.groups = state.groups.with(group);
  return state;
}

TEST(WithRegistrations, KeepsMlidsOfNewGroups) {
  const SaState told = with_groups({group_of(1, 0xc005, {7, 8}), group_of(2, 0xc005, {9})});
  const SaState all = with_registrations(with_groups({group_of(3, 0xc001, {})}), told);
  EXPECT_EQ(all.groups.size(), 3u);
  EXPECT_EQ(all.groups.find({0xff12401bffff0000, 1})->mlid, Lid{0xc005});
  EXPECT_EQ(all.groups.users(Lid{0xc005}), 2u) << "they shared it before";
  EXPECT_EQ(all.groups.find({0xff12401bffff0000, 1})->members.size(), 2u);
}

TEST(WithRegistrations, AGroupThatIsKnownOnlyGetsMembers) {
  McGroup other = group_of(1, 0xc007, {7, 8});
  other.qkey = 99;
  other.members.set(Guid{7}, {{kLinkLocalPrefix, 7}, 4, false});
  const SaState all = with_registrations(with_groups({group_of(1, 0xc001, {6, 7})}), with_groups({other}));
  const auto group = all.groups.find({0xff12401bffff0000, 1});
  EXPECT_EQ(group->mlid, Lid{0xc001});
  EXPECT_EQ(group->qkey, 0u);
  EXPECT_EQ(group->members.size(), 3u);
  EXPECT_EQ(group->members.find(Guid{7})->join_state, 1);
}

TEST(WithRegistrations, AGroupWhoseMlidIsTakenIsLeftOut) {
  const SaState all = with_registrations(with_groups({group_of(1, 0xc001, {6})}),
                                         with_groups({group_of(2, 0xc001, {7}), group_of(3, 0xc002, {7})}));
  EXPECT_EQ(all.groups.size(), 2u);
  EXPECT_FALSE(all.groups.contains({0xff12401bffff0000, 2}));
}

TEST(WithRegistrations, AddsServicesSubscriptionsAndAliasesThatAreNotThere) {
  SaState told;
  Service service;
  service.id = 5;
  service.lease = 10;
  told.services.set({5, {}, Pkey{}}, std::make_shared<const Service>(service));
  Subscription one;
  one.trap = 66;
  told.subscriptions.set(Guid{7}, std::make_shared<const std::vector<Subscription>>(1, one));
  told = with_alias(told, Guid{7}, 1, Guid{0xa1});
  told = with_alias(told, Guid{7}, 2, Guid{0xa2});
  EXPECT_EQ(counts_of(told), (RegistrationCounts{0, 0, 1, 1, 2}));
  SaState state = with_alias({}, Guid{8}, 1, Guid{0xa1});
  service.lease = 20;
  state.services.set({5, {}, Pkey{}}, std::make_shared<const Service>(service));
  one.trap = 64;
  state.subscriptions.set(Guid{7}, std::make_shared<const std::vector<Subscription>>(1, one));
  const SaState all = with_registrations(with_registrations(state, told), told);
  EXPECT_EQ(counts_of(all), (RegistrationCounts{0, 0, 1, 2, 2}));
  EXPECT_EQ((*all.services.find({5, {}, Pkey{}}))->lease, 20u);
  EXPECT_EQ(all.aliases.find(Guid{0xa1})->port, Guid{8});
  EXPECT_EQ(all.aliases.find(Guid{0xa2})->port, Guid{7});
}

TEST(RegistrationCounts, AreToldInWords) {
  EXPECT_EQ(to_string(RegistrationCounts{}), "no registrations");
  EXPECT_EQ(to_string(RegistrationCounts{1, 2, 0, 0, 0}), "1 group with 2 members");
  EXPECT_EQ(to_string(RegistrationCounts{1, 1, 2, 1, 1}),
            "1 group with 1 member, 2 services, 1 subscription and 1 alias GUID");
}

}  // namespace
}  // namespace weft::plan
