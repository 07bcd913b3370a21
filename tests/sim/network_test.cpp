#include "sim/network.h"

#include <gtest/gtest.h>

#include "mad/notice.h"
#include "mad/sm_info.h"
#include "tests/sim/fabrics.h"

namespace weft::sim {
namespace {

using mad::AttrId;
using mad::Method;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

struct RoutedNetwork : Lab {
  explicit RoutedNetwork(int switches = 4, std::uint64_t seed = 1) : Lab(row_of(switches, false), {}, seed) {
    make_active();
    route_row(switches);
    for (std::uint32_t p = 0; p < world.port_slots(); ++p)
      world.port(PortIndex{p}).info.sm_lid = lid_of("h0");
  }
};

TEST(Network, AnswersLidRoutedRequests) {
  RoutedNetwork lab;
  Listener sm(lab, "h0", 1);
  const auto answer = sm.ask(to_lid(get(AttrId::node_info, 0), lab.lid_of("s2")));
  ASSERT_TRUE(answer);
  EXPECT_FALSE(answer->route);
  EXPECT_EQ(answer->address.lid, lab.lid_of("s2"));
  EXPECT_EQ(mad::decode<mad::NodeInfo>(answer->data).local_port, PortNum{1});
  EXPECT_TRUE(sm.ask(to_lid(get(AttrId::node_info, 0), lab.lid_of("h3"))));
  EXPECT_TRUE(sm.ask(to_lid(get(AttrId::node_info, 0), lab.lid_of("h0")))) << "its own LID needs no wire";
}

TEST(Network, LosesAnAnswerThatHasNoWayBack) {
  RoutedNetwork lab;
  Listener sm(lab, "h0", 1);
  lab.entry("s2", lab.lid_of("h0"), 255);
  EXPECT_FALSE(sm.ask(to_lid(get(AttrId::node_info, 0), lab.lid_of("s2"))));
  EXPECT_EQ(lab.network.drops(Drop::entry_255), 1u);
}

TEST(Network, TakesTimeByHopsAndAgent) {
  Lab lab(row_of(4, false));
  Listener sm(lab, "h0", 1);
  lab.network.settings().hop = microseconds(2);
  lab.network.settings().agent = microseconds(30);
  sm.send(get(AttrId::node_info, 0, {1, 2, 2}));
  EXPECT_TRUE(sm.got.empty()) << "nothing is delivered inside send";
  lab.clock.run_until(microseconds(41));
  EXPECT_TRUE(sm.got.empty());
  lab.clock.run_until(microseconds(42));
  EXPECT_EQ(sm.got.size(), 1u);
  EXPECT_EQ(lab.network.in_flight(), 0u);
}

TEST(Network, LosesExchangesAtTheRateAsked) {
  Lab lab(row_of(2, false));
  Listener sm(lab, "h0", 1);
  lab.network.settings().exchange_loss = 0.3;
  for (int i = 0; i < 10000; ++i) sm.send(get(AttrId::node_info, 0, {1}));
  lab.clock.run_until(seconds(1));
  EXPECT_NEAR(static_cast<double>(sm.got.size()), 7000, 150);
  const auto executed = static_cast<double>(lab.world.counters().total({.attribute = AttrId::node_info}));
  EXPECT_NEAR(executed, 8500, 150) << "half of the lost ones were executed";
}

TEST(Network, LosesPacketsAtEachLink) {
  Lab lab(row_of(4, false));
  Listener sm(lab, "h0", 1);
  lab.network.settings().link_loss = 0.03;
  for (int i = 0; i < 10000; ++i) sm.send(get(AttrId::node_info, 0, {1, 2, 2, 2, 3}));
  lab.clock.run_until(seconds(1));
  EXPECT_NEAR(static_cast<double>(sm.got.size()), 10000 * 0.7374, 150) << "0.97 to the tenth";
}

TEST(Network, RepeatsItselfWithTheSameSeed) {
  const auto run = [](std::uint64_t seed) {
    Lab lab(row_of(4, false), {}, seed);
    Listener sm(lab, "h0", 1);
    lab.network.settings().exchange_loss = 0.2;
    lab.network.settings().link_loss = 0.05;
    for (std::uint64_t i = 0; i < 500; ++i) {
      mad::Smp smp = get(AttrId::node_info, 0, {1, 2, 2});
      smp.tid = i;
      sm.send(smp);
    }
    lab.clock.run_until(seconds(1));
    std::vector<std::uint64_t> got;
    for (const mad::Mad& mad : sm.got) got.push_back(mad::tid_of(mad));
    return got;
  };
  EXPECT_EQ(run(7), run(7));
  EXPECT_NE(run(7), run(8));
}

TEST(Network, GivesSmInfoToTheProgramThatIsSm) {
  RoutedNetwork lab;
  Listener asker(lab, "h0", 1);
  Listener other(lab, "h3", 1);
  const mad::Smp question = get(AttrId::sm_info, 0, {1, 2, 2, 2, 3});
  EXPECT_EQ(asker.ask(question)->status, raw(mad::Status::bad_method_attribute)) << "no SM there";
  lab.network.set_is_sm(other.client, true);
  EXPECT_FALSE(asker.ask(question)) << "the SM has not answered yet";
  mad::Mad reply;
  for (const mad::Mad& mad : other.got)
    if (mad::header_of(mad).attribute == AttrId::sm_info) reply = mad;
  mad::Header header = mad::header_of(reply);
  ASSERT_EQ(header.method, Method::get);
  header.method = Method::get_resp;
  header.status = 0x8000;
  encode_into(std::span<std::uint8_t>(reply.bytes), header);
  asker.got.clear();
  lab.network.send(other.client, reply);
  lab.clock.run_until(lab.clock.now() + milliseconds(1));
  ASSERT_EQ(asker.got.size(), 1u);
  EXPECT_EQ(mad::tid_of(asker.got[0]) & 0xffffffff, 0x77u);
}

TEST(Network, TellsApartTwoProgramsAtOnePort) {
  RoutedNetwork lab;
  Listener first(lab, "h0", 1);
  Listener second(lab, "h0", 1);
  EXPECT_TRUE(second.ask(to_lid(get(AttrId::node_info, 0), lab.lid_of("h1"))));
  EXPECT_TRUE(first.got.empty());
}

TEST(Network, DropsWhatNobodyTakes) {
  RoutedNetwork lab;
  Listener asker(lab, "h0", 1);
  mad::Mad mad = mad::to_mad(to_lid(get(AttrId::node_info, 0), lab.lid_of("h3")));
  mad.bytes[1] = 0x32;  // a vendor's class
  lab.network.send(asker.client, mad);
  lab.clock.run_until(milliseconds(1));
  EXPECT_EQ(lab.network.drops(Drop::nobody), 1u);
}

TEST(Network, TellsAReceiverTheIndexOfThePkeyInItsOwnTable) {
  RoutedNetwork lab;
  constexpr Pkey kLimited{0x0010};
  constexpr Pkey kFull{0x8010};
  const auto give = [&lab](std::string_view node, std::size_t index, Pkey key) {
    mad::PkeyTable table{.keys = {Pkey{0xffff}}};
    table.keys[index] = key;
    lab.world.blocks(lab.node(node)).set(AttrId::pkey_table, 1u << 16, mad::encode(table));
  };
  give("h0", 5, kLimited);
  give("h3", 9, kFull);
  Listener asker(lab, "h0", 1);
  Listener other(lab, "h3", 1);
  mad::Mad mad = mad::to_mad(to_lid(get(AttrId::node_info, 0), lab.lid_of("h3")));
  mad.bytes[1] = 0x32;
  mad.address.pkey_index = 5;
  lab.network.send(asker.client, mad);
  lab.clock.run_until(lab.clock.now() + milliseconds(1));
  ASSERT_EQ(other.got.size(), 1u);
  EXPECT_EQ(other.got[0].address.pkey_index, 9);
  // An agent answers in the partition that it was asked in.
  mad.bytes[1] = raw(mad::MgmtClass::perf);
  mad.bytes[17] = 1;
  lab.network.send(asker.client, mad);
  lab.clock.run_until(lab.clock.now() + milliseconds(1));
  ASSERT_EQ(asker.got.size(), 1u);
  EXPECT_EQ(asker.got[0].address.pkey_index, 5);
}

TEST(Network, CountsByNodeMethodAndAttribute) {
  Lab lab(row_of(2, false));
  Listener sm(lab, "h0", 1);
  sm.ask(get(AttrId::node_info, 0, {1}));
  sm.ask(get(AttrId::node_info, 0, {1, 2}));
  sm.ask(set(AttrId::linear_forwarding, 0, mad::LinearForwardingTable{}, {1}));
  const Counters& counters = lab.world.counters();
  EXPECT_EQ(counters.total({}), 3u);
  EXPECT_EQ(counters.total({.method = Method::set}), 1u);
  EXPECT_EQ(counters.total({.node = lab.node("s1")}), 1u);
  EXPECT_EQ(counters.total({.attribute = AttrId::node_info}), 2u);
  EXPECT_EQ(counters.table().size(), 2u);
}

TEST(Network, LetsAForgerChangeAnswers) {
  Lab lab(row_of(2, false));
  Listener sm(lab, "h0", 1);
  lab.world.forge(lab.node("s0"), AttrId::node_info, [](mad::Smp& answer) {
    answer.data.fill(0xee);
    return true;
  });
  EXPECT_EQ(sm.ask(get(AttrId::node_info, 0, {1}))->data[5], 0xee);
  lab.world.forge(lab.node("s0"), AttrId::node_info, [](mad::Smp&) { return false; });
  EXPECT_FALSE(sm.ask(get(AttrId::node_info, 0, {1})));
  lab.world.forge(lab.node("s0"), AttrId::node_info, {});
  EXPECT_NE(sm.ask(get(AttrId::node_info, 0, {1}))->data[5], 0xee);
}

// Traps.

std::vector<mad::Notice> notices(const Listener& sm, mad::TrapNumber trap) {
  std::vector<mad::Notice> found;
  for (const mad::Mad& mad : sm.got) {
    if (mad::method_of(mad) != Method::trap) continue;
    const auto notice = mad::decode<mad::Notice>(mad::to_smp(mad)->data);
    if (notice.trap == trap) found.push_back(notice);
  }
  return found;
}

TEST(Traps, ComeFromBothSwitchesOfACutLinkAndAreRepeated) {
  RoutedNetwork lab;
  Listener sm(lab, "h0", 1);
  lab.network.set_is_sm(sm.client, true);
  lab.world.cut_link(lab.node("s3"), PortNum{3});
  lab.clock.run_until(milliseconds(1));
  const auto first = notices(sm, mad::TrapNumber::link_state_changed);
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(mad::subject_of(first[0]), lab.lid_of("s3"));
  EXPECT_EQ(first[0].issuer, lab.lid_of("s3"));
  lab.clock.run_until(milliseconds(2500));
  EXPECT_EQ(notices(sm, mad::TrapNumber::link_state_changed).size(), 3u);
  lab.world.cut_link(lab.node("s1"), PortNum{2});
  lab.clock.run_until(lab.clock.now() + milliseconds(1));
  const auto all = notices(sm, mad::TrapNumber::link_state_changed);
  EXPECT_EQ(mad::subject_of(all.back()), lab.lid_of("s1")) << "s2 has lost its way to the SM";
}

TEST(Traps, StopWhenRepressed) {
  RoutedNetwork lab;
  Listener sm(lab, "h0", 1);
  lab.network.set_is_sm(sm.client, true);
  lab.world.cut_link(lab.node("s1"), PortNum{3});
  lab.clock.run_until(milliseconds(1));
  for (const mad::Mad& mad : std::vector<mad::Mad>(sm.got)) {
    mad::Smp repress = *mad::to_smp(mad);
    repress.method = Method::trap_repress;
    sm.send(repress);
  }
  lab.clock.run_until(milliseconds(2));
  EXPECT_EQ(lab.network.traps().pending(), 0u);
  sm.got.clear();
  lab.clock.run_until(seconds(5));
  EXPECT_TRUE(sm.got.empty());
}

TEST(Traps, AreGivenUpAtLast) {
  RoutedNetwork lab;
  lab.world.cut_link(lab.node("s1"), PortNum{3});
  lab.clock.run_until(seconds(100));
  EXPECT_EQ(lab.network.traps().pending(), 0u);
}

TEST(Traps, TellOfIsSm) {
  RoutedNetwork lab;
  Listener sm(lab, "h0", 1);
  Listener other(lab, "h2", 1);
  lab.network.set_is_sm(sm.client, true);
  lab.network.set_is_sm(other.client, true);
  EXPECT_TRUE(mad::has(lab.info("h2", 1), mad::PortCap::is_sm));
  lab.clock.run_until(milliseconds(1));
  const auto told = notices(sm, mad::TrapNumber::capability_changed);
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(mad::subject_of(told[1]), lab.lid_of("h2"));
  lab.network.detach(other.client);
  EXPECT_FALSE(mad::has(lab.info("h2", 1), mad::PortCap::is_sm));
}

// Faults of the World that packets show.

TEST(World, RebootsToABlankDevice) {
  RoutedNetwork lab;
  const NodeIndex s1 = lab.node("s1");
  lab.info("s1", 0).m_key = 5;
  lab.world.reboot(s1, seconds(2));
  EXPECT_EQ(lab.info("s0", 2).state, PortState::down);
  EXPECT_TRUE(lab.world.switch_of(lab.node("s0")).info.state_changed);
  lab.clock.run_until(seconds(3));
  EXPECT_EQ(lab.info("s0", 2).state, PortState::init);
  EXPECT_EQ(lab.info("s1", 1).state, PortState::init);
  EXPECT_EQ(lab.info("s1", 0).lid, kLidNone);
  EXPECT_EQ(lab.info("s1", 0).m_key, 0u);
  EXPECT_TRUE(lab.world.switch_of(s1).lft.empty());
  EXPECT_EQ(lab.world.switch_of(s1).info.lft_top, kLidNone);
  EXPECT_EQ(mad::active_speed(lab.info("s1", 1)), LinkSpeed::hdr);
}

TEST(World, TrainsForAsLongAsItIsTold) {
  Lab lab(row_of(2, false), {.training = milliseconds(20)});
  EXPECT_EQ(lab.info("s0", 2).state, PortState::init) << "trained when the World begins";
  lab.world.cut_link(lab.node("s0"), PortNum{2});
  lab.world.mend_link(lab.node("s0"), PortNum{2});
  lab.clock.run_until(milliseconds(19));
  EXPECT_EQ(lab.info("s0", 2).state, PortState::down);
  lab.clock.run_until(milliseconds(20));
  EXPECT_EQ(lab.info("s0", 2).state, PortState::init);
}

TEST(World, AllowsDuplicateGuids) {
  Lab lab(row_of(2, false));
  lab.world.set_guid(lab.node("h1"), lab.world.node(lab.node("h0")).guid);
  EXPECT_EQ(lab.world.port(lab.port("h1", 1)).guid, lab.world.port(lab.port("h0", 1)).guid);
  EXPECT_EQ(lab.world.find(lab.world.node(lab.node("h1")).guid), lab.node("h0"));
}

TEST(World, StartsWithoutReportedChanges) {
  Lab lab(row_of(2, false));
  EXPECT_FALSE(lab.world.switch_of(lab.node("s0")).info.state_changed);
}

}  // namespace
}  // namespace weft::sim
