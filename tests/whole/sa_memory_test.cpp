// What the SA remembers, and for how long: over a restart, while a port is away, after another manager.

#include <gtest/gtest.h>

#include "mad/tables.h"
#include "sa/multicast.h"
#include "tests/whole/sa_client.h"

namespace weft::test {
namespace {

using mad::Method;
using mad::SaAttr;
using std::chrono::milliseconds;
using std::chrono::seconds;

const Gid kKeptBroadcast = sa::ipoib_broadcast(Pkey{0xffff});
const Gid kKeptOther{0xff12401bffff0000, 0x0000000000000101};

std::optional<std::uint16_t> register_service(SaClient& client, std::uint64_t id) {
  mad::ServiceRecord record;
  record.id = id;
  record.gid = client.gid();
  mad::Mad mad = client.request(Method::set, SaAttr::service_record, sa::bit(0) | sa::bit(1));
  mad::encode_into(std::span<std::uint8_t>(mad.bytes).subspan(mad::kSaDataAt), record);
  const auto answer = client.ask(mad);
  return answer ? std::optional(mad::header_of(*answer).status) : std::nullopt;
}

std::uint64_t port_sets(const Whole& whole) {
  return whole.world->counters().total(
      {.mgmt_class = {}, .method = Method::set, .attribute = mad::AttrId::port_info});
}

TEST(SaMemory, NothingThatWasConfirmedIsLostByAKill) {
  Whole whole("fat-tree:radix=8");
  ASSERT_TRUE(whole.bring_up(3).clean);
  SaClient client(whole, "h00003");
  ASSERT_EQ(client.join(kKeptOther), 0);
  ASSERT_EQ(register_service(client, 7), 0);
  ASSERT_EQ(client.subscribe(66), 0);
  const plan::SaState before = whole.manager->sa().state();
  whole.kill();
  EXPECT_EQ(whole.store.ledger.sa.groups.size(), before.groups.size());
  whole.start(whole.store.ledger);
  ASSERT_TRUE(whole.settle());
  const plan::SaState& after = whole.manager->sa().state();
  EXPECT_TRUE(after.groups.contains(kKeptOther));
  EXPECT_EQ(after.services.size(), 1u);
  EXPECT_EQ(plan::subscription_count(after), 1u);
}

TEST(SaMemory, WhatCannotBeKeptIsNotConfirmed) {
  Whole whole("fat-tree:radix=8");
  ASSERT_TRUE(whole.bring_up(3).clean);
  SaClient client(whole, "h00003");
  whole.store.refuses = true;
  EXPECT_EQ(client.join(kKeptOther), std::nullopt);
  EXPECT_EQ(client.join(kKeptOther), std::nullopt) << "a repeat is as unsafe";
  whole.store.refuses = false;
  EXPECT_EQ(client.join(kKeptOther), 0);
  EXPECT_TRUE(whole.store.ledger.sa.groups.contains(kKeptOther));
}

TEST(SaMemory, APortThatComesBackInTimeLosesNothing) {
  Whole whole("fat-tree:radix=8");
  ASSERT_TRUE(whole.bring_up(3).clean);
  SaClient client(whole, "h00003");
  ASSERT_EQ(client.join(kKeptBroadcast), 0);
  whole.run_for(seconds(1));
  const std::uint64_t told = whole.manager->sa().reregistered();
  whole.world->cut_link(whole.node("h00003"), PortNum{1});
  whole.run_for(seconds(10));
  whole.world->mend_link(whole.node("h00003"), PortNum{1});
  whole.run_for(seconds(60));
  EXPECT_TRUE(whole.manager->sa().state().groups.find(kKeptBroadcast)->members.contains(client.guid()));
  EXPECT_EQ(whole.manager->sa().reregistered(), told);
}

TEST(SaMemory, APortThatIsGoneForLongIsForgottenAndToldToRegisterAgain) {
  Whole whole("fat-tree:radix=8");
  ASSERT_TRUE(whole.bring_up(3).clean);
  SaClient watcher(whole, "h00020");
  watcher.confirms = true;
  ASSERT_EQ(watcher.subscribe(67), 0);
  SaClient client(whole, "h00003");
  ASSERT_EQ(client.join(kKeptOther), 0);
  ASSERT_EQ(client.subscribe(64), 0);
  whole.run_for(seconds(1));
  const std::uint64_t told = whole.manager->sa().reregistered();
  watcher.got.clear();
  whole.world->cut_link(whole.node("h00003"), PortNum{1});
  whole.run_for(seconds(60));
  EXPECT_FALSE(whole.manager->sa().state().groups.contains(kKeptOther));
  EXPECT_EQ(plan::subscription_count(whole.manager->sa().state()), 1u);
  EXPECT_EQ(watcher.reports()[67], 1) << "its last member is gone: told once";
  EXPECT_TRUE(whole.store.ledger.sa.forgotten.contains(client.guid()));
  whole.world->mend_link(whole.node("h00003"), PortNum{1});
  whole.run_for(seconds(20));
  EXPECT_EQ(whole.manager->sa().reregistered(), told + 1);
  EXPECT_FALSE(whole.manager->sa().state().forgotten.contains(client.guid()));
  const std::uint64_t sets = port_sets(whole);
  whole.run_for(seconds(60));
  EXPECT_EQ(port_sets(whole), sets) << "once is enough";
}

TEST(SaMemory, AStartThatKnowsNothingHasEveryLiveHostRegisterOnce) {
  Whole whole("fat-tree:radix=8");
  ASSERT_TRUE(whole.bring_up(3).clean);
  whole.run_for(seconds(30));
  EXPECT_EQ(whole.manager->sa().reregistered(), 0u) << "hosts that have just come up do it by themselves";
  plan::Ledger ledger = whole.store.ledger;
  ledger.sa = {};
  whole.start(ledger);
  ASSERT_TRUE(whole.settle());
  whole.run_for(seconds(30));
  EXPECT_EQ(whole.manager->sa().reregistered(), 32u);
  EXPECT_TRUE(whole.manager->sa().state().forgotten.empty());
}

TEST(SaMemory, AliasGuidsAreWrittenToThePortAndKept) {
  Whole whole("fat-tree:radix=8");
  ASSERT_TRUE(whole.bring_up(3).clean);
  SaClient client(whole, "h00003");
  const Lid lid = whole.world->port(client.port()).info.lid;
  mad::Mad mad = client.request(Method::set, SaAttr::guid_info_record, sa::bit(0) | sa::bit(1) | sa::bit(5));
  put_bits(std::span<std::uint8_t>(mad.bytes), mad::kSaDataAt * 8, 16, raw(lid));
  put_bits(std::span<std::uint8_t>(mad.bytes), (mad::kSaDataAt + 8 + 8) * 8, 64, 0x1234);
  const auto answer = client.ask(mad);
  ASSERT_TRUE(answer);
  EXPECT_EQ(mad::header_of(*answer).status, 0);
  whole.run_for(seconds(1));
  const auto held = [&] {
    const mad::DeviceBlocks* blocks = whole.world->find_blocks(whole.node("h00003"));
    const mad::AttrData* data = blocks == nullptr ? nullptr : blocks->find(mad::AttrId::guid_info, 1u << 16);
    return data == nullptr ? Guid{} : mad::decode<mad::GuidInfo>(*data).guids[1];
  };
  EXPECT_EQ(held(), Guid{0x1234});
  whole.world->reboot(whole.node("h00003"), seconds(5));
  whole.run_for(seconds(40));
  EXPECT_EQ(held(), Guid{0x1234}) << "written again after the device was reset";
}

}  // namespace
}  // namespace weft::test
