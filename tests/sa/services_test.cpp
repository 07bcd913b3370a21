// Conformance cases S: ServiceRecord.

#include <gtest/gtest.h>

#include "tests/sa/desk.h"

namespace weft::sa {
namespace {

using mad::Method;
using mad::SaAttr;
using mad::ServiceRecord;

const std::uint64_t kWho = bits({0, 1});
const std::uint64_t kAll = bits({0, 1, 2, 4, 5, 6});

struct ServiceDesk : Desk {
  ServiceRecord service(std::uint64_t id, std::string_view name, std::uint32_t lease = 3600) const {
    ServiceRecord made;
    made.id = id;
    made.gid = gid_of("HcaB");
    made.pkey = Pkey{0xffff};
    made.lease = lease;
    made.key = {1, 2};
    std::copy(name.begin(), name.end(), made.name.begin());
    made.data[63] = 9;
    return made;
  }
  Answer set(const ServiceRecord& made, std::uint64_t mask = kAll) {
    return ask(Method::set, SaAttr::service_record, mask, made);
  }
  Answer find(std::uint64_t mask, const ServiceRecord& like) {
    return ask(Method::get, SaAttr::service_record, mask, like);
  }
};

TEST(S1ToS6, WhatARegistrationNeeds) {
  ServiceDesk desk;
  EXPECT_EQ(count(desk.table(SaAttr::service_record)), 0u);
  EXPECT_EQ(desk.get(SaAttr::service_record).status, 0x0300);
  EXPECT_EQ(desk.set(desk.service(1, "a"), bit(0)).status, 0x0200);
  const Answer plain = desk.set(desk.service(1, "a"), kWho);
  ASSERT_EQ(plain.status, 0);
  EXPECT_EQ(record<ServiceRecord>(plain).pkey, Pkey{0xffff});
  EXPECT_EQ(record<ServiceRecord>(plain).lease, 0xffffffffu);
  EXPECT_EQ(record<ServiceRecord>(plain).key, (std::array<std::uint64_t, 2>{}));
  ServiceRecord foreign = desk.service(2, "b");
  foreign.pkey = Pkey{0x8123};
  EXPECT_EQ(desk.set(foreign).status, 0x0200);
  foreign.pkey = Pkey{0};
  EXPECT_EQ(desk.set(foreign).status, 0);
}

TEST(S7ToS10, ServicesAreFoundByWhatTheyAre) {
  ServiceDesk desk;
  EXPECT_EQ(record<ServiceRecord>(desk.set(desk.service(1, "old"))).lease, 3600u);
  desk.set(desk.service(1, "new"));
  EXPECT_EQ(desk.find(bit(6), desk.service(0, "old")).status, 0x0300) << "S8: replaced";
  for (const std::uint64_t mask : {bit(6), bit(0), bits({0, 6}), bits({5, 6})}) {
    const Answer found = desk.find(mask, desk.service(1, "new"));
    ASSERT_EQ(found.status, 0);
    EXPECT_EQ(record<ServiceRecord>(found).key, (std::array<std::uint64_t, 2>{})) << "hidden";
    EXPECT_EQ(record<ServiceRecord>(found).data[63], 9) << "S18";
  }
  ServiceRecord wrong = desk.service(1, "new");
  wrong.key = {7, 7};
  EXPECT_EQ(desk.find(bits({5, 6}), wrong).status, 0x0300);
}

TEST(S12ToS14, ServicesAreDeletedByIdAndPlace) {
  ServiceDesk desk;
  desk.set(desk.service(1, "a"));
  const auto remove = [&](std::uint64_t mask) {
    return desk.ask(Method::delete_, SaAttr::service_record, mask, desk.service(1, "a"));
  };
  ServiceRecord nowhere = desk.service(1, "a");
  nowhere.gid = {};
  EXPECT_EQ(desk.ask(Method::delete_, SaAttr::service_record, bit(0), nowhere).status, 0x0300);
  const Answer gone = remove(bit(6));  // as osmtest does: the mask is what it searched by
  EXPECT_EQ(gone.status, 0);
  EXPECT_EQ(gone.method, Method::delete_resp);
  EXPECT_EQ(remove(kWho).status, 0x0300);
}

TEST(S15S16, LeasesEndUnlessTheyAreExtended) {
  ServiceDesk desk;
  desk.set(desk.service(1, "a", 4));
  desk.now += 5;
  EXPECT_EQ(desk.find(bit(0), desk.service(1, "a")).status, 0x0300);
  desk.set(desk.service(2, "b", 4));
  desk.now += 3;
  desk.set(desk.service(2, "b", 10));
  desk.now += 3;
  const Answer found = desk.find(bit(0), desk.service(2, "b"));
  ASSERT_EQ(found.status, 0);
  EXPECT_EQ(record<ServiceRecord>(found).lease, 7u) << "what is left of it";
  Leases leases;
  leases.follow({}, desk.state);
  const plan::SaState left = leases.without_ended(desk.state, desk.now);
  EXPECT_TRUE(left.services.contains({2, desk.gid_of("HcaB"), Pkey{0xffff}}));
  EXPECT_EQ(left.services.size(), 1u);
  leases.follow(desk.state, left);
  EXPECT_EQ(leases.next(), desk.now + 7) << "those that have run out are gone";
  EXPECT_TRUE(leases.without_ended(left, desk.now + 100).services.empty());
  desk.state = left;
  desk.set(desk.service(2, "b", 20));
  leases.follow(left, desk.state);
  EXPECT_EQ(leases.next(), desk.now + 20) << "extended";
  ServiceRecord eternal = desk.service(2, "b");
  const plan::SaState before = desk.state;
  desk.set(eternal, kWho);
  leases.follow(before, desk.state);
  EXPECT_EQ(leases.next(), std::nullopt) << "for ever";
}

TEST(S11, WhereAServiceIsIsNotChecked) {
  ServiceDesk desk;
  ServiceRecord odd = desk.service(1, "a");
  odd.gid = {0x000080fe00000000, 0xdead};  // as osmtest says it
  EXPECT_EQ(desk.set(odd, kWho).status, 0);
}

TEST(S18S19, AllOfItIsKeptAndTheKeyIsForTheTrusted) {
  ServiceDesk desk;
  desk.set(desk.service(1, "a"));
  EXPECT_EQ(record<ServiceRecord>(desk.find(bit(0), desk.service(1, "a"))).data[63], 9) << "S18";
  desk.trusted = true;
  EXPECT_EQ(record<ServiceRecord>(desk.find(bit(0), desk.service(1, "a"))).key,
            (std::array<std::uint64_t, 2>{1, 2}));
  ServiceRecord other = desk.service(1, "a");
  other.key = {7, 7};
  EXPECT_EQ(desk.set(other).status, 0) << "S19: replaced whatever the key";
  EXPECT_EQ(record<ServiceRecord>(desk.find(bit(0), desk.service(1, "a"))).key,
            (std::array<std::uint64_t, 2>{7, 7}));
}

TEST(S17, ATableOfServices) {
  ServiceDesk desk;
  for (std::uint64_t id = 1; id <= 5; ++id) desk.set(desk.service(id, "x"));
  const Answer all = desk.table(SaAttr::service_record);
  EXPECT_EQ(count(all), 5u);
  EXPECT_EQ(all.offset, 22);
  EXPECT_EQ(all.data.size(), 880u);
}

}  // namespace
}  // namespace weft::sa
