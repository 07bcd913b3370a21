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
  const TakenOver taken = with_registrations(with_groups({group_of(3, 0xc001, {})}), told);
  const SaState& all = taken.state;
  EXPECT_EQ(all.groups.size(), 3u);
  EXPECT_EQ(all.groups.find({0xff12401bffff0000, 1})->mlid, Lid{0xc005});
  EXPECT_EQ(all.groups.users(Lid{0xc005}), 2u) << "they shared it before";
  EXPECT_EQ(all.groups.find({0xff12401bffff0000, 1})->members.size(), 2u);
  EXPECT_EQ(taken.taken, (RegistrationCounts{2, 3, 0, 0, 0}));
  EXPECT_TRUE(taken.left_out.empty());
}

TEST(WithRegistrations, AGroupThatIsKnownOnlyGetsMembers) {
  McGroup other = group_of(1, 0xc007, {7, 8});
  other.qkey = 99;
  other.members.set(Guid{7}, {{kLinkLocalPrefix, 7}, 4, false});
  const TakenOver taken =
      with_registrations(with_groups({group_of(1, 0xc001, {6, 7})}), with_groups({other}));
  const SaState& all = taken.state;
  EXPECT_EQ(taken.taken, (RegistrationCounts{0, 1, 0, 0, 0}));
  const auto group = all.groups.find({0xff12401bffff0000, 1});
  EXPECT_EQ(group->mlid, Lid{0xc001});
  EXPECT_EQ(group->qkey, 0u);
  EXPECT_EQ(group->members.size(), 3u);
  EXPECT_EQ(group->members.find(Guid{7})->join_state, 1);
}

TEST(WithRegistrations, AGroupWhoseMlidIsTakenIsLeftOut) {
  const TakenOver taken =
      with_registrations(with_groups({group_of(1, 0xc001, {6})}),
                         with_groups({group_of(2, 0xc001, {7}), group_of(3, 0xc002, {7})}));
  const SaState& all = taken.state;
  EXPECT_EQ(taken.taken, (RegistrationCounts{1, 1, 0, 0, 0}));
  EXPECT_EQ(taken.left_out, std::vector<std::string>{
                                "group ff12:401b:ffff:0000:0000:0000:0000:0002 with 1 member: another one "
                                "here has its MLID 0xc001"});
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
  const TakenOver taken = with_registrations(state, told);
  EXPECT_EQ(taken.taken, (RegistrationCounts{0, 0, 0, 1, 1}));
  EXPECT_EQ(taken.left_out, std::vector<std::string>{
                                "alias 0x00000000000000a1 at 1 of port 0x0000000000000007: it is at 1 of "
                                "port 0x0000000000000008 here"});
  const TakenOver again = with_registrations(taken.state, told);
  EXPECT_EQ(again.taken, RegistrationCounts{});
  const SaState& all = again.state;
  EXPECT_EQ(counts_of(all), (RegistrationCounts{0, 0, 1, 2, 2}));
  EXPECT_EQ((*all.services.find({5, {}, Pkey{}}))->lease, 20u);
  EXPECT_EQ(all.aliases.find(Guid{0xa1})->port, Guid{8});
  EXPECT_EQ(all.aliases.find(Guid{0xa2})->port, Guid{7});
}

TEST(WithRegistrations, SaysWhyAnAliasHasNoPlace) {
  const SaState state = with_alias({}, Guid{7}, 3, Guid{0xa1});
  const TakenOver taken = with_registrations(state, with_alias({}, Guid{7}, 3, Guid{0xa2}));
  EXPECT_EQ(taken.left_out,
            std::vector<std::string>{"alias 0x00000000000000a2 at 3 of port 0x0000000000000007: "
                                     "0x00000000000000a1 is there"});
  EXPECT_TRUE(with_registrations(state, state).left_out.empty()) << "the same is no conflict";
}

TEST(WithRegistrations, TellsOfTwentyThatAreLeftOutAndCountsTheRest) {
  SaState told;
  for (std::uint64_t i = 2; i < 102; ++i) told.groups = told.groups.with(group_of(i, 0xc001, {7}));
  const TakenOver taken = with_registrations(with_groups({group_of(1, 0xc001, {6})}), told);
  ASSERT_EQ(taken.left_out.size(), 21u);
  EXPECT_EQ(taken.left_out.back(), "and 80 more");
}

TEST(WithRegistrations, GivesAPortNoMoreSubscriptionsThanTheSaDoes) {
  const auto subscribed = [](std::uint16_t first, std::uint16_t count) {
    std::vector<Subscription> all(count);
    for (Subscription& one : all) one.trap = first++;
    SaState state;
    state.subscriptions.set(Guid{7}, std::make_shared<const std::vector<Subscription>>(std::move(all)));
    return state;
  };
  const TakenOver taken = with_registrations(subscribed(0, 250), subscribed(240, 20));
  EXPECT_EQ(taken.taken.subscriptions, 6u);
  EXPECT_EQ(counts_of(taken.state).subscriptions, kMostSubscriptionsOfAPort);
  EXPECT_EQ(taken.left_out.size(), 4u);
}

TEST(RegistrationCounts, AreToldInWords) {
  EXPECT_EQ(to_string(RegistrationCounts{}), "no registrations");
  EXPECT_EQ(to_string(RegistrationCounts{1, 2, 0, 0, 0}), "1 group with 2 members");
  EXPECT_EQ(to_string(RegistrationCounts{0, 2, 1, 0, 0}), "2 members and 1 service");
  EXPECT_EQ(to_string(RegistrationCounts{1, 1, 2, 1, 1}),
            "1 group with 1 member, 2 services, 1 subscription and 1 alias GUID");
}

}  // namespace
}  // namespace weft::plan
