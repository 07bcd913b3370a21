// Devices that hold or answer what they should not: told, left out where nothing else helps, and the rest of
// the fabric comes up.

#include <algorithm>

#include <gtest/gtest.h>

#include "mad/port_info.h"
#include "mad/switch_info.h"
#include "tests/whole/whole.h"

namespace weft::test {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint16_t kUnsupported = 0x1c;  // status: an attribute value that cannot be

struct LidFound {
  const char* host;
  int lid;
  int lmc;
};

class OddLid : public testing::TestWithParam<LidFound> {};

TEST_P(OddLid, OfADeviceIsReplaced) {
  const auto [host, lid, lmc] = GetParam();
  Whole whole("star:4");
  whole.world->set_lid(whole.world->port_of(whole.node(host), PortNum{1}), static_cast<Lid>(lid),
                       static_cast<std::uint8_t>(lmc));
  whole.start();
  whole.run_for(seconds(30));
  EXPECT_EQ(whole.faults(), "");
  const sim::Port& port = whole.world->port(whole.world->port_of(whole.node(host), PortNum{1}));
  EXPECT_GT(raw(port.info.lid), 0);
  EXPECT_LT(raw(port.info.lid), 0xc000);
  EXPECT_EQ(raw(port.info.lid) % (1 << port.info.lmc), 0);
}

INSTANTIATE_TEST_SUITE_P(MisalignedAndNotUnicast, OddLid,
                         testing::Values(LidFound{"h00000", 5, 1}, LidFound{"h00002", 5, 1},
                                         LidFound{"h00000", 0xfff0, 0}, LidFound{"h00002", 0xfff0, 0},
                                         LidFound{"h00002", 0xc000, 0}, LidFound{"h00002", 0xffff, 7},
                                         LidFound{"h00002", 0xbfff, 3}));

void refuse_switch_info(Whole& whole, sim::NodeIndex node) {
  whole.world->forge(node, mad::AttrId::switch_info, [](mad::Smp& answer) {
    answer.status = kUnsupported;
    return true;
  });
}

void refuse_port0(Whole& whole, sim::NodeIndex node) {
  whole.world->forge(node, mad::AttrId::port_info, [](mad::Smp& answer) {
    if ((answer.modifier & 0xff) == 0) answer.status = kUnsupported;
    return true;
  });
}

class RefusingSwitch : public testing::TestWithParam<void (*)(Whole&, sim::NodeIndex)> {
 protected:
  /// Everybody on our side of the switch still reaches everybody there, and nobody rewrites anything.
  static void expect_the_rest_is_up(Whole& whole) {
    whole.run_for(seconds(60));
    EXPECT_EQ(whole.status().state, daemon::State::master) << whole.status().text;
    EXPECT_FALSE(whole.status().problems.empty());
    for (const char* host : {"h00001", "h00002"}) {
      const sim::Port& port = whole.world->port(whole.world->port_of(whole.node(host), PortNum{1}));
      EXPECT_EQ(port.info.state, PortState::active) << host;
      const sim::PortIndex own = whole.world->port_of(whole.node(whole.first_host), PortNum{1});
      EXPECT_EQ(sim::path(*whole.world, own, port.info.lid).drop, sim::Drop::none) << host;
    }
    const std::uint64_t sets = whole.sets();
    const std::size_t full = full_sweeps(whole);
    whole.run_for(seconds(60));
    EXPECT_EQ(whole.sets(), sets);
    EXPECT_EQ(full_sweeps(whole), full);
  }
  static std::size_t full_sweeps(const Whole& whole) {
    const auto is_full = [](const daemon::SweepReport& one) { return one.kind == daemon::SweepKind::full; };
    return static_cast<std::size_t>(std::ranges::count_if(whole.manager->sweeps(), is_full));
  }
};

TEST_P(RefusingSwitch, IsLeftOutWhenItRefusesFromTheStart) {
  Whole whole("chain:6");
  GetParam()(whole, whole.node("T-03"));
  whole.start();
  expect_the_rest_is_up(whole);
}

TEST_P(RefusingSwitch, IsLeftOutWhenItRefusesLaterAndTakenBackWhenItAnswers) {
  Whole whole("chain:6");
  whole.start();
  ASSERT_TRUE(whole.settle());
  GetParam()(whole, whole.node("T-03"));
  whole.manager->ask_for_sweep("test");
  expect_the_rest_is_up(whole);
  for (const mad::AttrId attribute : {mad::AttrId::switch_info, mad::AttrId::port_info})
    whole.world->forge(whole.node("T-03"), attribute, {});
  whole.manager->ask_for_sweep("test");
  whole.run_for(seconds(60));
  EXPECT_EQ(whole.faults(), "");
}

INSTANTIATE_TEST_SUITE_P(SwitchInfoOrPortInfo, RefusingSwitch,
                         testing::Values(&refuse_switch_info, &refuse_port0));

TEST(SwitchWithTooSmallATable, IsLeftOutAndToldWhileTheRestComesUp) {
  Whole whole("fat-tree:radix=8");  // 44 LIDs
  const sim::NodeIndex small = whole.node("L2-01");
  whole.world->switch_of(small).info.lft_capacity = 20;
  whole.start();
  whole.run_for(seconds(30));
  EXPECT_EQ(whole.status().state, daemon::State::master) << whole.status().text;
  EXPECT_TRUE(whole.has_problem("LinearFDBCap 20"));
  const sim::Reach reach = sim::all_pairs(*whole.world);
  EXPECT_EQ(reach.host_pairs_reached, reach.host_pairs) << (reach.failures.empty() ? "" : reach.failures[0]);
  const std::uint64_t sets = whole.sets();
  whole.run_for(seconds(60));
  EXPECT_EQ(whole.sets(), sets);
  whole.world->switch_of(small).info.lft_capacity = 0xc000;
  whole.manager->ask_for_sweep("test");
  whole.run_for(seconds(30));
  EXPECT_EQ(whole.faults(), "");
}

TEST(SwitchWithTooSmallATable, ThatWeHangOnIsNamed) {
  Whole whole("fat-tree:radix=8");
  whole.world->switch_of(whole.node("L1-00")).info.lft_capacity = 20;
  const daemon::SweepReport report = whole.bring_up();
  EXPECT_NE(report.error, "");
  EXPECT_TRUE(whole.has_problem("LinearFDBCap 20"));
}

// The first sweep asks for another full one when a port came up meanwhile. A trap that comes then asks for a
// light one, which finds nothing new and must not take its place.
TEST(CablePluggedInDuringTheFirstSweep, IsTakenInWheneverThatWas) {
  for (auto moment = milliseconds(5) + microseconds(0); moment < milliseconds(8);
       moment += microseconds(10)) {
    Whole whole("fat-tree:radix=8");
    const sim::NodeIndex host = whole.node("h00014");
    whole.world->cut_link(host, PortNum{1});
    whole.start();
    whole.clock.after(moment, [&] { whole.world->mend_link(host, PortNum{1}); });
    ASSERT_TRUE(whole.run_until([&] { return !whole.manager->sweeps().empty(); }, seconds(10)));
    auto other = sim::SimTransport::open(*whole.network, "h00007", PortNum{1});  // its traps 144 mean nothing
    (void)(*other)->set_is_sm(true);
    (void)(*other)->set_is_sm(false);
    whole.run_for(seconds(60));
    EXPECT_EQ(whole.faults(), "") << "plugged in after " << moment.count() << " us";
  }
}

TEST(X10, AHostWithAForeignMKeyIsToldAndNotAskedForEver) {
  Whole whole("fat-tree:radix=8");
  const sim::NodeIndex host = whole.node("h00009");
  whole.world->edit_port(whole.world->port_of(host, PortNum{1}), [](mad::PortInfo& info) {
    info.m_key = 0x5ec;
    info.m_key_protect = 3;
    info.m_key_lease = 0;
  });
  whole.start();
  whole.run_for(seconds(30));
  EXPECT_TRUE(whole.has_problem("does not answer") || whole.has_problem("no answer")) << whole.status().text;
  EXPECT_EQ(whole.status().state, daemon::State::master);
  EXPECT_NE(whole.manager->view(), nullptr) << "everybody else is served";
  const std::uint64_t before = whole.manager->client().sent();
  const std::uint64_t sets = whole.sets();
  whole.run_for(seconds(60));
  EXPECT_EQ(whole.sets(), sets);
  EXPECT_LE(whole.manager->client().sent() - before, 12u * 40) << "a look every ten seconds, no more";
}

}  // namespace
}  // namespace weft::test
