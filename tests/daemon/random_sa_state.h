#pragma once
// States of the SA, random by seed, and what makes two of them equal.

#include <gtest/gtest.h>

#include <random>

#include "plan/sa_state.h"

namespace weft::daemon::test {

inline plan::McGroup some_group(std::mt19937& random) {
  plan::McGroup group;
  group.mgid = {0xff12401bffff0000, random() % 20};
  group.mlid = static_cast<Lid>(0xc000 + group.mgid[1] % 16);  // some share one
  group.qkey = random();
  group.pkey = Pkey{0x8001};
  group.mtu = Mtu::mtu2048;
  group.rate = 3;
  group.sl = Sl{2};
  group.flow_label = 0xabcde;
  for (unsigned i = random() % 5; i > 0; --i) {
    const std::uint64_t port = random() % 100 + 1;
    group.members.set(Guid{port}, {{kLinkLocalPrefix, port}, 5, true});
  }
  return group;
}

/// A state some random changes away from another.
inline plan::SaState changed(plan::SaState state, unsigned seed) {
  std::mt19937 random(seed);
  for (int i = 0; i < 10; ++i) {
    state.groups = random() % 3 == 0 ? state.groups.without({0xff12401bffff0000, random() % 20})
                                     : state.groups.with(some_group(random));
    plan::Service service;
    service.id = random() % 10 + 0xf000000000000000;
    service.gid = {kLinkLocalPrefix, random() % 3};
    service.lease = random();
    service.expires = 1'800'000'000;
    service.key = {random(), random()};
    service.name[3] = 'x';
    const plan::ServiceKey key{service.id, service.gid, service.pkey};
    if (random() % 3 == 0)
      state.services.erase(key);
    else
      state.services.set(key, std::make_shared<const plan::Service>(service));
    plan::Subscription one;
    one.subscriber = {kLinkLocalPrefix, 9};
    one.lid = Lid{0xbfff};
    one.qp = random() % 0xffffff;
    one.trap = 66;
    one.producer = 0xffffff;
    const Guid port{random() % 8 + 1};
    state.subscriptions.set(port,
                            std::make_shared<const std::vector<plan::Subscription>>(random() % 3 + 1, one));
    if (random() % 4 == 0) state.subscriptions.erase(Guid{random() % 8 + 1});
    const std::uint64_t holder = random() % 5 + 1;
    const auto place = static_cast<std::uint16_t>(random() % 30 + 1);
    // No two ports have one alias.
    state = plan::with_alias(state, Guid{holder}, place,
                             Guid{0x0a00000000000000 + holder * 1000 + place * 10u + random() % 10});
    state.forgotten.set(Guid{random() % 10}, true);
    state.forgotten.erase(Guid{random() % 10});
  }
  return state;
}

/// Equal by content; shared pointers are told apart by operator==.
inline void expect_same(const plan::SaState& a, const plan::SaState& b) {
  ASSERT_EQ(a.groups.size(), b.groups.size());
  a.groups.each([&](const plan::McGroup& group) {
    const auto other = b.groups.find(group.mgid);
    ASSERT_TRUE(other);
    EXPECT_EQ(*other, group);
    EXPECT_EQ(a.groups.users(group.mlid), b.groups.users(group.mlid));
  });
  ASSERT_EQ(a.services.size(), b.services.size());
  a.services.each([&](const plan::ServiceKey& key, const plan::SaState::ServicePtr& service) {
    ASSERT_TRUE(b.services.contains(key));
    EXPECT_EQ(**b.services.find(key), *service);
  });
  ASSERT_EQ(a.subscriptions.size(), b.subscriptions.size());
  a.subscriptions.each([&](Guid port, const plan::SaState::PortSubscriptions& list) {
    ASSERT_TRUE(b.subscriptions.contains(port));
    EXPECT_EQ(**b.subscriptions.find(port), *list);
  });
  EXPECT_EQ(a.aliases, b.aliases);
  EXPECT_EQ(a.forgotten, b.forgotten);
}

}  // namespace weft::daemon::test
