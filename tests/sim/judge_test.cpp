#include "sim/judge.h"

#include <gtest/gtest.h>

#include "tests/sim/fabrics.h"

namespace weft::sim {
namespace {

struct RoutedRow : Lab {
  explicit RoutedRow(int switches, bool ring = false) : Lab(row_of(switches, ring)) {
    make_active();
    route_row(switches, ring);
  }
};

TEST(AllPairs, FindsEveryPairReached) {
  RoutedRow lab(5);
  const Reach reach = all_pairs(lab.world);
  EXPECT_TRUE(reach.complete()) << (reach.failures.empty() ? "" : reach.failures[0]);
  EXPECT_EQ(reach.host_pairs, 20u);
  EXPECT_EQ(reach.switch_pairs, 50u);
  EXPECT_TRUE(reach.failures.empty());
}

TEST(AllPairs, NamesAHole) {
  RoutedRow lab(5);
  lab.entry("s2", lab.lid_of("h4"), 255);
  const Reach reach = all_pairs(lab.world);
  EXPECT_EQ(reach.host_pairs_reached, 17u) << "from h0, h1 and h2";
  EXPECT_EQ(reach.switch_pairs_reached, 47u);
  ASSERT_EQ(reach.failures.size(), 6u);
  EXPECT_EQ(reach.failures[0], "h0[1] to h4[1] (LID 5): h0[1] > s0[2] > s1[2] > s2[1]: entry 255 at s2[1]");
}

TEST(AllPairs, FindsALoop) {
  RoutedRow lab(5);
  lab.entry("s3", lab.lid_of("h4"), 1);
  const Reach reach = all_pairs(lab.world, 1);
  EXPECT_EQ(reach.host_pairs_reached, 16u);
  ASSERT_EQ(reach.failures.size(), 1u);
  EXPECT_NE(reach.failures[0].find("loop"), std::string::npos);
}

TEST(AllPairs, CountsAPortThatIsNotActive) {
  RoutedRow lab(3);
  lab.info("h1", 1).state = PortState::armed;
  const Reach reach = all_pairs(lab.world);
  EXPECT_EQ(reach.host_pairs, 6u);
  EXPECT_EQ(reach.host_pairs_reached, 2u);
}

TEST(AllPairs, CountsAHostWithoutALid) {
  RoutedRow lab(3);
  lab.world.set_lid(lab.port("h1", 1), kLidNone);
  const Reach reach = all_pairs(lab.world);
  EXPECT_EQ(reach.host_pairs_reached, 4u) << "it still reaches the others";
  ASSERT_FALSE(reach.failures.empty());
  EXPECT_EQ(reach.failures[0], "h1[1] has no LID");
}

TEST(AllPairs, LeavesOutACutHost) {
  RoutedRow lab(3);
  lab.world.cut_link(lab.node("h1"), PortNum{1});
  const Reach reach = all_pairs(lab.world);
  EXPECT_EQ(reach.host_pairs, 2u);
  EXPECT_TRUE(reach.complete());
}

TEST(AllPairs, TellsApartTwoPortsWithOneLid) {
  RoutedRow lab(3);
  lab.world.set_lid(lab.port("h2", 1), lab.lid_of("h0"));
  EXPECT_FALSE(all_pairs(lab.world).complete());
}

TEST(AllPairs, NeedsEveryPathBit) {
  RoutedRow lab(2);
  lab.world.set_lid(lab.port("h1", 1), Lid{40}, 1);
  for (const int lid : {40, 41}) {
    lab.entry("s0", static_cast<Lid>(lid), 2);
    lab.entry("s1", static_cast<Lid>(lid), 3);
  }
  EXPECT_TRUE(all_pairs(lab.world).complete());
  lab.entry("s0", Lid{41}, 255);
  EXPECT_EQ(all_pairs(lab.world).host_pairs_reached + 1, all_pairs(lab.world).host_pairs);
}

TEST(AllPairs, AgreesWithThePacketsThemselves) {
  Random random(99);
  for (int round = 0; round < 30; ++round) {
    RoutedRow lab(6, true);
    for (int i = 0; i < 3; ++i)
      lab.entry("s" + std::to_string(random.next() % 6), static_cast<Lid>(1 + random.next() % 12),
                static_cast<int>(random.next() % 5));
    std::uint64_t reached = 0;
    for (int from = 0; from < 6; ++from)
      for (int to = 0; to < 6; ++to) {
        const std::string name = "h" + std::to_string(to);
        const Path taken = path(lab.world, lab.port("h" + std::to_string(from), 1), lab.lid_of(name));
        reached += from != to && taken.drop == Drop::none && taken.end == lab.port(name, 1);
      }
    EXPECT_EQ(all_pairs(lab.world).host_pairs_reached, reached) << "round " << round;
  }
}

TEST(Path, ListsEveryHop) {
  RoutedRow lab(3);
  const Path way = path(lab.world, lab.port("h0", 1), lab.lid_of("h2"));
  EXPECT_EQ(describe(lab.world, lab.port("h0", 1), way), "h0[1] > s0[2] > s1[2] > s2[3] > h2[1]");
}

TEST(PortSummary, CountsStatesOfLinkedPorts) {
  Lab lab(row_of(2, false));
  EXPECT_EQ(port_summary(lab.world).linked, 6u);
  EXPECT_EQ(port_summary(lab.world).init, 6u);
  lab.make_active();
  EXPECT_TRUE(port_summary(lab.world).all_active());
  lab.world.cut_link(lab.node("s0"), PortNum{2});
  EXPECT_EQ(port_summary(lab.world).linked, 4u);
}

TEST(CreditLoop, IsFoundOnARingThatGoesRound) {
  RoutedRow lab(4, true);
  const auto loop = credit_loop(lab.world);
  ASSERT_TRUE(loop);
  EXPECT_NE(loop->find("s2[2] > "), std::string::npos) << *loop;
  EXPECT_EQ(std::count(loop->begin(), loop->end(), '>'), 4) << *loop;
}

TEST(CreditLoop, IsNotFoundWhenTheRingIsUsedAsARow) {
  Lab lab(row_of(4, true));
  lab.make_active();
  lab.route_row(4);
  EXPECT_TRUE(all_pairs(lab.world).complete());
  EXPECT_FALSE(credit_loop(lab.world));
}

TEST(CreditLoop, TellsLanesApart) {
  // Three switches in a ring, always onward: at most two links, the first on VL 0, the second on VL 1.
  Lab lab(row_of(3, true));
  lab.make_active();
  lab.route_row(3, true);
  EXPECT_TRUE(credit_loop(lab.world));
  constexpr std::size_t kPorts = 5;
  for (const char* id : {"s0", "s1", "s2"}) {
    auto& table = lab.world.switch_of(lab.node(id)).sl_to_vl;
    table.assign(kPorts * kPorts, {});
    table[1 * kPorts + 2].fill(0x11);
  }
  EXPECT_FALSE(credit_loop(lab.world));
  lab.world.switch_of(lab.node("s1")).sl_to_vl[1 * kPorts + 2].fill(0x10);  // odd levels stay on VL 0 here
  EXPECT_FALSE(credit_loop(lab.world));
  constexpr std::array kLevels = {Sl{0}, Sl{1}};
  EXPECT_FALSE(credit_loop(lab.world, kLevels)) << "two links of three leave lane 0 no way round";
  for (const char* id : {"s0", "s2"}) lab.world.switch_of(lab.node(id)).sl_to_vl[1 * kPorts + 2].fill(0x10);
  const auto loop = credit_loop(lab.world, kLevels);
  ASSERT_TRUE(loop);
  EXPECT_EQ(loop->find("VL1"), std::string::npos) << *loop;
}

TEST(CreditLoop, CountsTheBranchesOfGroups) {
  // A ring of 4 used as a row; a group's packets from s0 go on from s3, where they should end, to s0 again.
  Lab lab(row_of(4, true));
  lab.make_active();
  lab.route_row(4);
  const auto send_on = [&lab](const char* id, unsigned ports) {
    mad::MulticastForwardingTable table;
    table.masks[5] = static_cast<std::uint16_t>(ports);
    lab.world.blocks(lab.node(id)).set(mad::AttrId::multicast_forwarding, 0, mad::encode(table));
  };
  for (const char* id : {"s1", "s2"}) send_on(id, 0b0110);
  send_on("s0", 0b1100);
  send_on("s3", 0b1010);
  EXPECT_FALSE(credit_loop(lab.world));
  send_on("s0", 0b0110);
  send_on("s3", 0b0110);
  EXPECT_TRUE(credit_loop(lab.world));
}

TEST(CreditLoop, DoesNotCountPathsBetweenSwitchesOnly) {
  // A ring of 4 used as a row for hosts; only switch to switch traffic would close it, and it has no source.
  Lab lab(row_of(4, true));
  lab.make_active();
  lab.route_row(4);
  for (const std::uint32_t n : {0u, 1u, 2u, 3u}) lab.world.cut_link(NodeIndex{n}, PortNum{3});
  for (int at = 0; at < 4; ++at)
    for (int to = 0; to < 4; ++to)
      lab.entry("s" + std::to_string(at), lab.lid_of("s" + std::to_string(to)), at == to ? 0 : 2);
  EXPECT_FALSE(credit_loop(lab.world));
  lab.world.edit_port(lab.port("s0", 0),
                      [](mad::PortInfo& i) { i.capabilities |= raw(mad::PortCap::is_sm); });
  lab.world.edit_port(lab.port("s2", 0),
                      [](mad::PortInfo& i) { i.capabilities |= raw(mad::PortCap::is_sm); });
  EXPECT_TRUE(credit_loop(lab.world)) << "managers on switches are sources";
}

}  // namespace
}  // namespace weft::sim
