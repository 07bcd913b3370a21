// Partitions, lanes, arbitration and multicast: what tables hold, and what they say about a packet.
#include <gtest/gtest.h>

#include "sim/lanes.h"
#include "sim/multicast.h"
#include "sim/partition.h"
#include "tests/sim/agents_lab.h"

namespace weft::sim {
namespace {

using mad::AttrId;
using mad::Status;
using mad::TrapNumber;
using std::chrono::milliseconds;

constexpr Pkey kFull{0x8010};
constexpr Pkey kLimited{0x0010};

TEST(Pkeys, MatchWhenOneOfThemIsAFullMember) {
  EXPECT_TRUE(pkeys_match(kFull, kFull));
  EXPECT_TRUE(pkeys_match(kFull, kLimited));
  EXPECT_TRUE(pkeys_match(kLimited, kFull));
  EXPECT_FALSE(pkeys_match(kLimited, kLimited));
  EXPECT_FALSE(pkeys_match(kFull, Pkey{0x8011}));
  EXPECT_FALSE(pkeys_match(Pkey{0x8000}, Pkey{0x8000})) << "no key at all";
}

class Partitions : public AgentsLab {
 protected:
  void give(std::string_view node, int port, std::vector<Pkey> keys, std::uint32_t block = 0) {
    mad::PkeyTable table;
    std::ranges::copy(keys, table.keys.begin());
    lab.world.blocks(lab.node(node))
        .set(AttrId::pkey_table, static_cast<std::uint32_t>(port) << 16 | block, mad::encode(table));
  }
  bool admits(std::string_view node, int port, Pkey key, Direction direction) {
    return partition_admits(lab.world, lab.port(node, port), key, direction);
  }
};

TEST_F(Partitions, AreTheDefaultOneUntilATableIsWritten) {
  EXPECT_TRUE(admits("h0", 1, Pkey{0x7fff}, Direction::in));
  EXPECT_TRUE(admits("h0", 1, Pkey{0xffff}, Direction::out));
  EXPECT_FALSE(admits("h0", 1, Pkey{0x7fff}, Direction::out)) << "it sends with what it has";
  EXPECT_FALSE(admits("h0", 1, kFull, Direction::in));
}

TEST_F(Partitions, KeepLimitedMembersApart) {
  give("h0", 1, {Pkey{0xffff}, kLimited});
  EXPECT_TRUE(admits("h0", 1, kFull, Direction::in));
  EXPECT_FALSE(admits("h0", 1, kLimited, Direction::in));
  EXPECT_TRUE(admits("h0", 1, kLimited, Direction::out));
  give("h0", 1, {kFull}, 1);
  EXPECT_TRUE(admits("h0", 1, kLimited, Direction::in)) << "block 1 counts too";
}

TEST_F(Partitions, AreEnforcedBySwitchesOnlyWhereAsked) {
  give("s0", 3, {kLimited});
  EXPECT_TRUE(admits("s0", 3, Pkey{0x8011}, Direction::in));
  lab.info("s0", 3).enforce_in = true;
  EXPECT_FALSE(admits("s0", 3, Pkey{0x8011}, Direction::in));
  EXPECT_TRUE(admits("s0", 3, Pkey{0x8011}, Direction::out));
  EXPECT_TRUE(admits("s0", 3, kLimited, Direction::in)) << "membership is for the end ports";
  EXPECT_TRUE(admits("s0", 3, kFull, Direction::in));
  lab.info("s0", 3).enforce_out = true;
  EXPECT_FALSE(admits("s0", 3, Pkey{0xffff}, Direction::out));
}

TEST_F(Partitions, CountAndTellWhatAnEndPortRefuses) {
  manage();
  const KeyViolation packet{lab.lid_of("h0"), lab.lid_of("h1"), raw(kFull), Sl{2}};
  refuse_pkey(lab.world, lab.port("h1", 1), Direction::in, packet);
  refuse_qkey(lab.world, lab.port("h1", 1), packet);
  pass(milliseconds(1));
  EXPECT_EQ(lab.info("h1", 1).pkey_violations, 1);
  EXPECT_EQ(lab.info("h1", 1).qkey_violations, 1);
  const auto seen = traps(TrapNumber::bad_pkey);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(detail(seen[0], 12, 16), raw(lab.lid_of("h0")));
  EXPECT_EQ(detail(seen[0], 14, 16), raw(lab.lid_of("h1")));
  EXPECT_EQ(detail(seen[0], 16, 32), raw(kFull));
  EXPECT_EQ(detail(seen[0], 20, 4), 2u);
  EXPECT_EQ(traps(TrapNumber::bad_qkey).size(), 1u);
}

TEST_F(Partitions, CountAndTellWhatASwitchRefuses) {
  manage();
  refuse_pkey(lab.world, lab.port("s1", 3), Direction::out, {lab.lid_of("h0"), lab.lid_of("h1"), raw(kFull)});
  pass(milliseconds(1));
  EXPECT_EQ(lab.world.perf().get(lab.port("s1", 3), PerfCounter::xmit_constraint_errors), 1u);
  const auto seen = traps(TrapNumber::bad_pkey_at_switch);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].issuer, lab.lid_of("s1"));
  EXPECT_EQ(detail(seen[0], 16, 16), raw(kFull));
  EXPECT_EQ(detail(seen[0], 58, 16), raw(lab.lid_of("s1")));
  EXPECT_EQ(detail(seen[0], 60, 8), 3u);
}

class Lanes : public AgentsLab {
 protected:
  Lanes() : AgentsLab({.optimized_sl_to_vl = true}) {}
};

TEST_F(Lanes, ComeFromTheTableOfInAndOutPort) {
  const auto lane = [&](int in, int out, Sl sl) {
    return lane_out(lab.world, lab.node("s0"), static_cast<PortNum>(in), static_cast<PortNum>(out), sl);
  };
  mad::SlToVlTable lanes;
  lanes.vl.fill(Vl{6});
  lanes.vl[4] = Vl{15};
  EXPECT_EQ(lane(1, 2, Sl{9}), Vl{1}) << "at reset";
  ASSERT_EQ(status_of(set(AttrId::sl_to_vl, 2u << 16 | 2, lanes, {1})), Status::ok) << "all in, out by 2";
  EXPECT_EQ(lane(1, 2, Sl{9}), Vl{6});
  EXPECT_EQ(lane(3, 2, Sl{4}), Vl{15});
  EXPECT_EQ(lane(2, 1, Sl{4}), Vl{4});
  ASSERT_EQ(status_of(set(AttrId::sl_to_vl, 0, lanes)), Status::ok);
  EXPECT_EQ(lane_of_host(lab.world, lab.port("h0", 1), Sl{0}), Vl{6});
}

class Arbitration : public AgentsLab {
 protected:
  Arbitration() : AgentsLab({.vl_arb_cap = 64}) {}
};

TEST_F(Arbitration, HasFourBlocksWhereTheTablesAreLong) {
  mad::VlArbitrationTable table;
  for (std::uint32_t block = 1; block <= 4; ++block) {
    table.entries.fill(static_cast<std::uint16_t>(block));
    EXPECT_EQ(status_of(set(AttrId::vl_arbitration, block << 16 | 2, table, {1})), Status::ok);
  }
  for (std::uint32_t block = 1; block <= 4; ++block) {
    table.entries.fill(static_cast<std::uint16_t>(block));
    EXPECT_EQ(told<mad::VlArbitrationTable>(get(AttrId::vl_arbitration, block << 16 | 2, {1})), table);
  }
  EXPECT_EQ(status_of(get(AttrId::vl_arbitration, 5u << 16 | 2, {1})), Status::bad_value);
  EXPECT_EQ(status_of(get(AttrId::vl_arbitration, 2, {1})), Status::bad_value);
}

class Multicast : public AgentsLab {
 protected:
  Multicast() : AgentsLab({.mft_capacity = 64, .multicast_fdb_top = true}) {}
};

TEST_F(Multicast, LeavesByTheGroupsPortsButNotWhereItCameIn) {
  mad::MulticastForwardingTable block;
  block.masks[5] = 0x0e;
  ASSERT_EQ(status_of(set(AttrId::multicast_forwarding, 1, block, {1})), Status::ok);
  const NodeIndex s0 = lab.node("s0");
  EXPECT_EQ(multicast_ports(lab.world, s0, Lid{0xc025}, PortNum{2}), mad::PortMask(0x0a));
  EXPECT_EQ(multicast_ports(lab.world, s0, Lid{0xc024}, PortNum{2}), mad::PortMask(0));
  EXPECT_EQ(multicast_ports(lab.world, s0, Lid{7}, PortNum{2}), mad::PortMask(0)) << "no group";
}

TEST_F(Multicast, TakesTheDefaultPortsForWhatTheTableCannotHold) {
  mad::SwitchInfo& info = lab.world.switch_of(lab.node("s0")).info;
  info.default_multicast_primary = PortNum{1};
  info.default_multicast_not_primary = PortNum{2};
  const NodeIndex s0 = lab.node("s0");
  EXPECT_EQ(multicast_ports(lab.world, s0, Lid{0xc040}, PortNum{3}), mad::PortMask(0x02));
  EXPECT_EQ(multicast_ports(lab.world, s0, Lid{0xc040}, PortNum{1}), mad::PortMask(0x04));
  info.mft_top = Lid{0xc010};
  EXPECT_EQ(multicast_ports(lab.world, s0, Lid{0xc011}, PortNum{3}), mad::PortMask(0x02));
  EXPECT_EQ(multicast_ports(lab.world, s0, Lid{0xc010}, PortNum{3}), mad::PortMask(0));
}

}  // namespace
}  // namespace weft::sim
