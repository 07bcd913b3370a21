// M_Keys on a running manager: set, rotated, lost, foreign, with a lease.

#include <gtest/gtest.h>

#include "mad/m_keys.h"
#include "tests/whole/whole.h"

namespace weft::test {
namespace {

using std::chrono::seconds;

constexpr std::uint64_t kKey = 0x1122334455667788;
constexpr std::uint64_t kNewKey = 0x99aabbccddeeff00;
constexpr std::uint64_t kForeign = 0xf0f0f0f0;

config::Settings keyed(std::vector<std::uint64_t> keys, std::uint8_t protect = 1) {
  config::Settings settings;
  settings.m_key.keys.keys = std::move(keys);
  settings.m_key.keys.protect = protect;
  return settings;
}

std::vector<sim::PortIndex> end_ports(const sim::World& world) {
  std::vector<sim::PortIndex> all;
  for (std::uint32_t n = 0; n < world.node_count(); ++n)
    for (const sim::PortIndex port : world.end_ports(static_cast<sim::NodeIndex>(n)))
      if (world.node(static_cast<sim::NodeIndex>(n)).type == NodeType::switch_ ||
          world.port(port).peer != sim::kNoPort)
        all.push_back(port);
  return all;
}

std::size_t holding(const Whole& whole, std::uint64_t key) {
  std::size_t count = 0;
  for (const sim::PortIndex port : end_ports(*whole.world))
    count += whole.world->port(port).info.m_key == key;
  return count;
}

mad::PortInfo& info_of(Whole& whole, std::string_view node) {
  return whole.world->port(whole.world->end_ports(whole.node(node)).front()).info;
}

void reconfigure(Whole& whole, const config::Settings& settings) {
  whole.manager->reconfigure(std::make_shared<const config::Settings>(settings));
}

bool was_told(const Whole& whole, std::string_view kind, std::string_view text = {}) {
  for (const daemon::Event& one : whole.events->after(0, 10'000))
    if (one.kind == kind && one.text.find(text) != std::string::npos) return true;
  return false;
}

/// Somebody at a host who sets a device's port, with this key.
Result<mad::AttrData> set_by_stranger(Whole& whole, std::string_view host, std::string_view victim,
                                      std::uint64_t key) {
  auto opened = sim::SimTransport::open(*whole.network, host, PortNum{1});
  transport::SmpSettings settings;
  settings.m_keys.keys = {key};
  transport::SmpClient client(**opened, whole.clock, settings);
  mad::PortInfo info = info_of(whole, victim);
  info.state = PortState::no_change;
  info.phys = PhysState::no_change;
  const mad::AttrData data = mad::encode(info);
  const auto& from = whole.world->port(whole.world->port_of(whole.node(host), PortNum{1}));
  const auto& leaf = whole.world->port(from.peer);
  mad::DirectedRoute route = mad::DirectedRoute{}.then(PortNum{1});
  if (whole.world->node(leaf.node).id != victim) return fail(Errc::not_found, "not its leaf");
  Result<mad::AttrData> answer = transport::run_virtual(
      whole.loop, whole.clock, client.set_once({Guid{}, route}, mad::AttrId::port_info, 0, data));
  return answer;
}

std::string leaf_of(const Whole& whole, std::string_view host) {
  const auto& from = whole.world->port(whole.world->port_of(whole.node(host), PortNum{1}));
  return whole.world->node(whole.world->port(from.peer).node).id;
}

class Levels : public testing::TestWithParam<int> {};

TEST_P(Levels, EveryDeviceHoldsTheKeyAndAnswersToItsManagerOnly) {
  const auto settings = keyed({kKey}, static_cast<std::uint8_t>(GetParam()));
  Whole whole("fat-tree:radix=4,levels=2");
  whole.start({}, settings);
  ASSERT_TRUE(whole.settle());
  const std::size_t all = end_ports(*whole.world).size();
  EXPECT_EQ(holding(whole, kKey), all);
  EXPECT_EQ(info_of(whole, "h00003").m_key_protect, GetParam());
  const std::string leaf = leaf_of(whole, "h00003");
  EXPECT_FALSE(set_by_stranger(whole, "h00003", leaf, 0).has_value());
  EXPECT_FALSE(set_by_stranger(whole, "h00003", leaf, kForeign).has_value());
  EXPECT_TRUE(set_by_stranger(whole, "h00003", leaf, kKey).has_value());

  const std::uint64_t before = whole.sets();
  whole.start(whole.store.ledger, settings);
  ASSERT_TRUE(whole.settle());
  EXPECT_EQ(whole.sets(), before) << "a restart changes nothing";
  EXPECT_FALSE(was_told(whole, "m_key_violation", "LID 1 ")) << "we never show a wrong key";
}
INSTANTIATE_TEST_SUITE_P(MKey, Levels, testing::Values(0, 1, 2, 3));

TEST(MKey, PerDeviceKeysDiffer) {
  auto settings = keyed({kKey});
  settings.m_key.keys.per_device = true;
  Whole whole("fat-tree:radix=4,levels=2");
  whole.start({}, settings);
  ASSERT_TRUE(whole.settle());
  std::set<std::uint64_t> keys;
  for (const sim::PortIndex port : end_ports(*whole.world)) {
    const Guid node = whole.world->node(whole.world->port(port).node).guid;
    EXPECT_EQ(whole.world->port(port).info.m_key, mad::device_m_key(kKey, node));
    keys.insert(whole.world->port(port).info.m_key);
  }
  EXPECT_EQ(keys.size(), end_ports(*whole.world).size());
  whole.start(whole.store.ledger, settings);
  ASSERT_TRUE(whole.settle());
  EXPECT_EQ(whole.status().state, daemon::State::master);
}

TEST_P(Levels, RotationLeavesNoGap) {
  const auto level = static_cast<std::uint8_t>(GetParam());
  sim::NetworkSettings lossy;
  lossy.link_loss = 0.01;
  Whole whole("fat-tree:radix=4,levels=2", 5, lossy);
  whole.start({}, keyed({kKey}, level));
  ASSERT_TRUE(whole.settle());
  // One is away meanwhile.
  const sim::PortIndex away = whole.world->port_of(whole.node("h00005"), PortNum{1});
  const sim::PortIndex leaf_port = whole.world->port(away).peer;
  whole.world->unplug(away);
  whole.run_for(seconds(20));
  reconfigure(whole, keyed({kNewKey, kKey}, level));
  whole.run_for(seconds(20));
  EXPECT_EQ(holding(whole, kNewKey), end_ports(*whole.world).size());
  EXPECT_EQ(whole.world->port(away).info.m_key, kKey);
  whole.world->plug(away, leaf_port);
  ASSERT_TRUE(whole.settle());
  EXPECT_EQ(holding(whole, kNewKey), end_ports(*whole.world).size());
  reconfigure(whole, keyed({kNewKey}, level));
  ASSERT_TRUE(whole.settle());
  whole.start(whole.store.ledger, keyed({kNewKey}, level));
  EXPECT_TRUE(whole.settle());
}

TEST_P(Levels, AForeignKeyIsToldAndLeftAloneUntilItIsKnown) {
  Whole whole("fat-tree:radix=4,levels=2");
  mad::PortInfo& spine = info_of(whole, "L2-00");
  spine.m_key = kForeign;
  spine.m_key_protect = static_cast<std::uint8_t>(GetParam());
  mad::PortInfo& host = info_of(whole, "h00006");
  host.m_key = kForeign;
  host.m_key_protect = static_cast<std::uint8_t>(GetParam());
  whole.start({}, keyed({kKey}));
  whole.run_for(seconds(40));
  EXPECT_EQ(spine.m_key, kForeign);
  EXPECT_EQ(spine.lid, Lid{});
  EXPECT_EQ(host.lid, Lid{});
  EXPECT_TRUE(whole.has_problem(GetParam() < 2 ? "has an M_Key that is none of ours" : "no answer"));
  EXPECT_EQ(holding(whole, kKey), end_ports(*whole.world).size() - 2) << "all others are served";
  reconfigure(whole, keyed({kKey, kForeign}));
  ASSERT_TRUE(whole.settle());
  EXPECT_EQ(holding(whole, kKey), end_ports(*whole.world).size());
  EXPECT_EQ(whole.status().problems.size(), 0u);
}

TEST(MKey, WithoutKeysOfOurOwnAForeignOneIsToldToo) {
  Whole whole("fat-tree:radix=4,levels=2");
  info_of(whole, "L2-00").m_key = kForeign;
  info_of(whole, "L2-00").m_key_protect = 1;
  whole.start();
  whole.run_for(seconds(20));
  EXPECT_TRUE(whole.has_problem("has an M_Key that is none of ours"));
}

TEST(MKey, ProtectionWithoutAKeyMeansNothing) {
  Whole whole("fat-tree:radix=4,levels=2");
  info_of(whole, "L2-00").m_key_protect = 1;
  info_of(whole, "h00000").m_key_protect = 2;
  whole.start();
  ASSERT_TRUE(whole.settle());
  EXPECT_EQ(whole.status().problems.size(), 0u);
}

TEST(MKey, OurOwnPortMayBeLockedToo) {
  Whole whole("fat-tree:radix=4,levels=2");
  info_of(whole, "h00000").m_key = kForeign;
  info_of(whole, "h00000").m_key_protect = 1;
  whole.start({}, keyed({kKey}));
  whole.run_for(seconds(20));
  EXPECT_EQ(whole.status().state, daemon::State::failed);
  EXPECT_NE(whole.status().text.find("M_Key that is none of ours"), std::string::npos) << whole.status().text;
}

/// A Set that gives a device its key may reach another one while a cable moves.
TEST(MKey, ThatOfAnotherDeviceIsFoundAndMended) {
  config::Settings settings = keyed({kKey});
  settings.m_key.keys.per_device = true;
  Whole whole("fat-tree:radix=4,levels=2");
  const Guid other = whole.world->node(whole.node("L2-01")).guid;
  const Guid own = whole.world->node(whole.node("L2-00")).guid;
  info_of(whole, "L2-00").m_key = mad::device_m_key(kKey, other);
  info_of(whole, "L2-00").m_key_protect = 1;
  whole.start({}, settings);
  ASSERT_TRUE(whole.settle()) << whole.faults();
  EXPECT_EQ(info_of(whole, "L2-00").m_key, mad::device_m_key(kKey, own));
  EXPECT_EQ(whole.status().problems.size(), 0u);
}

TEST(MKey, ThatOfADeviceThatIsGoneIsFoundAndMended) {
  config::Settings settings = keyed({kKey});
  settings.m_key.keys.per_device = true;
  Whole whole("fat-tree:radix=4,levels=2");
  whole.start({}, settings);
  ASSERT_TRUE(whole.settle()) << whole.faults();
  // Another switch in the place of one; what was sent to that one has given it its key.
  const auto place = whole.node("L2-00");
  const Guid gone = whole.world->node(place).guid;
  whole.world->reboot(place);
  whole.world->set_guid(place, Guid{0x2c90300000aaa0});
  info_of(whole, "L2-00").m_key = mad::device_m_key(kKey, gone);
  info_of(whole, "L2-00").m_key_protect = 1;
  whole.start(whole.store.ledger, settings);
  ASSERT_TRUE(whole.settle()) << whole.faults();
  EXPECT_EQ(info_of(whole, "L2-00").m_key, mad::device_m_key(kKey, Guid{0x2c90300000aaa0}));
}

TEST(MKey, ASwitchThatBootsGetsItAgain) {
  Whole whole("fat-tree:radix=4,levels=2");
  whole.start({}, keyed({kKey}));
  ASSERT_TRUE(whole.settle());
  whole.world->reboot(whole.node("L2-00"));
  whole.run_for(seconds(30));
  ASSERT_TRUE(whole.settle());
  EXPECT_EQ(holding(whole, kKey), end_ports(*whole.world).size());
}

TEST(MKey, NoneTakesItFromDevices) {
  Whole whole("fat-tree:radix=4,levels=2");
  whole.start({}, keyed({kKey}));
  ASSERT_TRUE(whole.settle());
  reconfigure(whole, keyed({0, kKey}));
  whole.run_for(seconds(5));
  ASSERT_TRUE(whole.settle());
  EXPECT_EQ(holding(whole, 0), end_ports(*whole.world).size());
}

TEST(MKey, AViolationIsToldWithoutTheKey) {
  Whole whole("fat-tree:radix=4,levels=2");
  whole.start({}, keyed({kKey}));
  ASSERT_TRUE(whole.settle());
  const std::string leaf = leaf_of(whole, "h00003");
  EXPECT_FALSE(set_by_stranger(whole, "h00003", leaf, 0xabcdef0123).has_value());
  whole.run_for(seconds(5));
  EXPECT_TRUE(was_told(whole, "m_key_violation", "Set(PortInfo) to LID"));
  EXPECT_FALSE(was_told(whole, "m_key_violation", "abcdef0123"));
}

TEST(MKey, ALeaseEndsWithoutItsManagerOnly) {
  auto settings = keyed({kKey}, 2);
  settings.m_key.keys.lease = 20;
  Whole whole("fat-tree:radix=4,levels=2");
  whole.start({}, settings);
  ASSERT_TRUE(whole.settle());
  const std::string leaf = leaf_of(whole, "h00003");
  EXPECT_FALSE(set_by_stranger(whole, "h00003", leaf, kForeign).has_value());
  whole.run_for(seconds(60));
  EXPECT_EQ(info_of(whole, leaf).m_key_protect, 2);
  // A host is heard of by nothing else.
  mad::PortInfo& host = info_of(whole, "h00006");
  whole.world->start_lease(whole.world->port_of(whole.node("h00006"), PortNum{1}));
  whole.run_for(seconds(60));
  EXPECT_EQ(host.m_key_protect, 2);
  whole.kill();
  whole.world->start_lease(whole.world->port_of(whole.node("h00006"), PortNum{1}));
  bool over = false;
  whole.clock.after(seconds(60), [&over] { over = true; });
  transport::run_virtual(whole.loop, whole.clock, [&over] { return over; });
  EXPECT_EQ(host.m_key_protect, 0);
}

TEST_P(Levels, AStandbyWithTheKeysTakesOver) {
  const auto settings = keyed({kKey}, static_cast<std::uint8_t>(GetParam()));
  Whole whole("fat-tree:radix=4,levels=2");
  whole.start({}, settings);
  ASSERT_TRUE(whole.settle());
  {
    Rival rival(whole, "h00007", settings);
    whole.run_for(seconds(20));
    EXPECT_EQ(rival.status().state, daemon::State::standby);
    EXPECT_EQ(whole.status().state, daemon::State::master);
    (void)whole.transport->set_is_sm(false);
    whole.manager->stop();
    whole.run_for(seconds(40));
    EXPECT_EQ(rival.status().state, daemon::State::master);
    EXPECT_EQ(whole.faults(), "");
  }
}

}  // namespace
}  // namespace weft::test
