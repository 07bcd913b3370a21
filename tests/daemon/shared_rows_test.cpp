// The shared state as rows: what changes is told row by row, and other managers make the same Ledger of it.

#include "daemon/shared_rows.h"

#include <gtest/gtest.h>

#include "canned.h"
#include "daemon/shared_keys.h"
#include "daemon/shared_memory.h"
#include "daemon/store_tables.h"
#include "random_sa_state.h"

namespace weft::daemon {
namespace {

using test::changed;
using test::expect_same;

plan::Ledger some_ledger() {
  plan::Ledger ledger;
  ledger.lids = std::make_shared<plan::LidMap>(
      plan::LidMap{{Guid{1}, {Lid{7}, 0}}, {Guid{0xf000000000000002}, {Lid{8}, 3}}});
  auto design = std::make_shared<routing::Design>();
  design->ports = {{Guid{5}, PortNum{1}, Guid{6}, PortNum{2}}, {Guid{5}, PortNum{2}, Guid{9}, PortNum{0}}};
  ledger.design = design;
  auto memory = std::make_shared<partitions::Memory>();
  memory->assigned["it's one, \"two\""] = 0x7ffe;
  memory->tables[Guid{3}] = {Pkey{0xffff}, Pkey{0x8001}};
  ledger.partitions = memory;
  ledger.sls = std::make_shared<qos::AssignedSls>(qos::AssignedSls{{"fast", 3}});
  ledger.sa = changed({}, 3);
  auto orders = std::make_shared<plan::Orders>();
  (*orders)[{Guid{0xf000000000000005}, PortNum{0}}].why = "it's loud";
  plan::Order& held = (*orders)[{Guid{5}, PortNum{2}}];
  held = {plan::Order::Kind::held, {Guid{9}, PortNum{1}}, 1'900'000'000, true, false, "flaps"};
  ledger.orders = orders;
  auto devices = std::make_shared<plan::DeviceMap>();
  (*devices)[Guid{1}] = std::make_shared<plan::DeviceRecord>();
  ledger.devices = devices;
  return ledger;
}

void expect_same_ledger(const plan::Ledger& a, const plan::Ledger& b) {
  EXPECT_EQ(*a.lids, *b.lids);
  ASSERT_EQ(a.design != nullptr, b.design != nullptr);
  if (a.design) {
    EXPECT_EQ(a.design->ports, b.design->ports);
  }
  ASSERT_EQ(a.partitions != nullptr, b.partitions != nullptr);
  if (a.partitions) {
    EXPECT_EQ(*a.partitions, *b.partitions);
  }
  ASSERT_EQ(a.sls != nullptr, b.sls != nullptr);
  if (a.sls) {
    EXPECT_EQ(*a.sls, *b.sls);
  }
  EXPECT_EQ(*a.orders, *b.orders);
  expect_same(a.sa, b.sa);
}

TEST(SharedRows, MakeTheSameLedgerElsewhereAndLeaveOutWhatDevicesHold) {
  SharedRows rows = SharedRows::make().value();
  const plan::Ledger ledger = some_ledger();
  ASSERT_TRUE(rows.become(ledger));
  const auto all = rows.all();
  ASSERT_TRUE(all) << all.error().what;
  EXPECT_EQ(all->at("lids/f000000000000002"), "-1152921504606846974,8,3");
  const auto other = SharedRows::of(*all, kStateVersion);
  ASSERT_TRUE(other) << other.error().what;
  expect_same_ledger(other->ledger(), ledger);
  EXPECT_TRUE(other->ledger().devices->empty());
}

TEST(SharedRows, FollowChangeByChange) {
  SharedRows ours = SharedRows::make().value();
  SharedRows theirs = SharedRows::make().value();
  plan::Ledger ledger = some_ledger();
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    ledger.sa = changed(ledger.sa, seed);
    if (seed == 7) ledger.sls.reset();
    if (seed == 9) ledger.design.reset();
    auto orders = std::make_shared<plan::Orders>(*ledger.orders);
    orders->erase(orders->begin());
    (*orders)[{Guid{seed}, PortNum{3}}].until = seed;
    ledger.orders = orders;
    const auto changes = ours.become(ledger);
    ASSERT_TRUE(changes) << changes.error().what;
    EXPECT_FALSE(changes->empty());
    const Result<void> applied = theirs.apply(*changes);
    ASSERT_TRUE(applied) << applied.error().what;
    ASSERT_TRUE(theirs.settle());
    expect_same_ledger(theirs.ledger(), ledger);
    EXPECT_EQ(theirs.all().value(), ours.all().value());
  }
}

TEST(SharedRows, OfOneJoinAreOne) {
  SharedRows rows = SharedRows::make().value();
  plan::Ledger ledger = some_ledger();
  ASSERT_TRUE(rows.become(ledger));
  EXPECT_TRUE(rows.become(ledger)->empty());
  plan::McGroup group;
  ledger.sa.groups.each([&](const plan::McGroup& one) { group = one; });
  group.members.set(Guid{0xabc}, {{kLinkLocalPrefix, 0xabc}, 1, false});
  ledger.sa.groups = ledger.sa.groups.with(group);
  const auto changes = rows.become(ledger);
  ASSERT_TRUE(changes);
  ASSERT_EQ(changes->size(), 1u);
  EXPECT_TRUE(changes->front().key.starts_with("mc_members/")) << changes->front().key;
}

TEST(SharedRows, ThatAreNoneAreRefused) {
  const std::string good = "lids/0000000000000001";
  for (const auto& [key, value] :
       std::map<std::string, std::string>{{"lids", "1,2,3"},
                                          {"events/0000000000000001", "1,2,3"},
                                          {"sqlite_master/00", "1"},
                                          {good, ""},
                                          {good, "1,2"},
                                          {good, "1,2,3,4"},
                                          {good, "1,70000,0"},
                                          {"lids/1", "1,2,x"},
                                          {"mc_members/00.01", "X'0',1,X'',1,1"},
                                          {"partition_keys/61", "'a,5"},
                                          {"partition_keys/62", "'a',5); DROP TABLE lids"}}) {
    const auto rows = SharedRows::of({{key, value}}, kStateVersion);
    EXPECT_FALSE(rows) << key << ": " << value;
    if (!rows) {
      EXPECT_EQ(rows.error().code, Errc::malformed) << rows.error().what;
    }
  }
  SharedRows rows = SharedRows::make().value();
  EXPECT_FALSE(rows.apply({{"lids/xyz", std::nullopt}}));
  EXPECT_FALSE(rows.apply({{"mc_members/00", std::nullopt}}));
  EXPECT_TRUE(rows.apply({{good, std::nullopt}})) << "gone already";
}

TEST(SharedRows, OfAnOlderSchemaAreMigratedAndOfANewerOneRefused) {
  const auto old = SharedRows::of({{"lids/0000000000000001", "1,7,0"}}, 1);
  ASSERT_TRUE(old) << old.error().what;
  EXPECT_EQ(old->ledger().lids->at(Guid{1}).base, Lid{7});
  EXPECT_EQ(SharedRows::of({}, kStateVersion + 1).error().code, Errc::invalid);
}

TEST(SharedKeys, ReadBackWhatTheyWrote) {
  const Marker marker{6, 12, "ab", false, 99};
  EXPECT_EQ(marker_from_json(to_json(marker)).value(), marker);
  const Presence presence{"ab", Guid{0xf000000000000001}, "sm-1", {{"qos", "12"}}};
  EXPECT_EQ(presence_from_json(to_json(presence)).value(), presence);
  for (const char* bad :
       {"", "3", "{}", "[]", R"({"version":6,"seq":"1","writer":"a","whole":true,"whole_at":0})"}) {
    EXPECT_FALSE(marker_from_json(bad)) << bad;
    EXPECT_FALSE(presence_from_json(bad)) << bad;
  }
}

TEST(SharedMemory, KeepsItsIdAndWhatItWasTold) {
  const test::TemporaryDirectory directory;
  SharedMemory memory = load_shared_memory(directory.path()).value();
  EXPECT_EQ(memory.id.size(), 16u);
  memory.seq = 7;
  memory.cluster = 0xffffffffffffffff;
  memory.ahead = true;
  ASSERT_TRUE(save_shared_memory(directory.path(), memory));
  EXPECT_EQ(load_shared_memory(directory.path()).value(), memory);
  std::filesystem::resize_file(directory.path() / "shared.json", 5);
  EXPECT_EQ(load_shared_memory(directory.path()).error().code, Errc::malformed);
}

}  // namespace
}  // namespace weft::daemon
