// The audit finds what was changed behind the manager's back, and it is as planned again.

#include <gtest/gtest.h>

#include "tests/whole/sa_client.h"

namespace weft::test {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

config::Settings audited() {
  config::Settings settings;
  settings.audit = minutes(5);
  settings.sweep.interval = std::chrono::hours(10);  // nobody else looks
  partitions::Partition tenant{.name = "tenant", .key = 0x10};
  for (const char* host : {"h00005", "h00009"})
    tenant.members.push_back(
        {{.kind = partitions::Who::Kind::name, .name = host}, partitions::Membership::full});
  settings.plan.partitions.partitions.push_back(std::move(tenant));
  return settings;
}

std::size_t events_told(const Whole& whole, std::string_view kind, std::string_view text = {}) {
  std::size_t count = 0;
  for (const daemon::Event& one : whole.events->after(0, 10'000))
    count += one.kind == kind && one.text.find(text) != std::string::npos;
  return count;
}

using Spoil = void (*)(Whole&);

void spoil_lft(Whole& whole) {
  const sim::Port& victim = whole.world->port(whole.world->port_of(whole.node("h00012"), PortNum{1}));
  whole.world->switch_of(whole.node("L2-00")).lft[raw(victim.info.lid)] = kPortDrop;
}
void spoil_pkeys(Whole& whole) {
  mad::DeviceBlocks& blocks = whole.world->blocks(whole.node("h00005"));
  const std::uint32_t at = blocks.table(mad::AttrId::pkey_table)->modifiers().front();
  auto table = mad::decode<mad::PkeyTable>(*blocks.find(mad::AttrId::pkey_table, at));
  table.keys[1] = Pkey{0x8123};
  blocks.set(mad::AttrId::pkey_table, at, mad::encode(table));
}
void spoil_port(Whole& whole) {
  whole.world->port(whole.world->port_of(whole.node("h00007"), PortNum{1})).info.subnet_timeout = 3;
}
class Drift : public testing::TestWithParam<Spoil> {};

TEST_P(Drift, IsToldAndMended) {
  Whole whole("fat-tree:radix=8");
  whole.start({}, audited());
  ASSERT_TRUE(whole.settle());
  whole.run_for(minutes(6));
  EXPECT_EQ(events_told(whole, "drift"), 0u) << "nobody has changed anything";
  EXPECT_EQ(events_told(whole, "audit", "all hold what was written"), 1u);
  GetParam()(whole);
  whole.run_for(minutes(6));
  EXPECT_EQ(events_told(whole, "drift", "does not hold what was written to it"), 1u);
  whole.run_for(minutes(6));
  EXPECT_EQ(events_told(whole, "drift"), 1u) << "it is as planned again";
  EXPECT_EQ(whole.faults(), "");
  EXPECT_EQ(whole.status().text, "the fabric is as planned");
}
INSTANTIATE_TEST_SUITE_P(Audit, Drift, testing::Values(&spoil_lft, &spoil_pkeys, &spoil_port));

TEST(Audit, FindsAMulticastTableThatWasWiped) {
  Whole whole("fat-tree:radix=8");
  whole.start({}, audited());
  ASSERT_TRUE(whole.settle());
  SaClient a(whole, "h00003");
  SaClient b(whole, "h00009");
  const Gid group{0xff12401bffff0000, 0x0000000000000101};
  ASSERT_EQ(a.join(group), 0);
  ASSERT_EQ(b.join(group), 0);
  whole.run_for(seconds(3));
  const sim::PortIndex port = a.port();
  const sim::NodeIndex leaf = whole.world->port(whole.world->port(port).peer).node;
  const mad::DeviceBlocks before = whole.world->blocks(leaf);
  whole.world->blocks(leaf).erase(mad::AttrId::multicast_forwarding);
  whole.run_for(minutes(6));
  EXPECT_EQ(events_told(whole, "drift", "MulticastForwardingTable"), 1u);
  const mad::BlockTable* now = whole.world->blocks(leaf).table(mad::AttrId::multicast_forwarding);
  ASSERT_NE(now, nullptr);
  EXPECT_EQ(*now, *before.table(mad::AttrId::multicast_forwarding));
}

TEST(Audit, OfADragonflysLanes) {
  Whole whole("dragonfly:p=1,a=4,h=1,g=5");
  config::Settings settings = audited();
  whole.start({}, settings);
  ASSERT_TRUE(whole.settle());
  whole.run_for(minutes(6));
  EXPECT_EQ(events_told(whole, "audit", "all hold what was written"), 1u);
  EXPECT_EQ(events_told(whole, "drift"), 0u);
}

}  // namespace
}  // namespace weft::test
