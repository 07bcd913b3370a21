#include "sim/probe.h"

#include <gtest/gtest.h>

#include "sim/partition.h"
#include "tests/sim/fabrics.h"

namespace weft::sim {
namespace {

/// Three switches in a row, all Active and routed.
struct Row : Lab {
  Row() : Lab(row_of(3, false)) {
    make_active();
    route_row(3);
  }
  Probe probe(std::string_view from, std::string_view to) {
    const int number = world.is_switch(node(from)) ? 0 : 1;
    return {.from = port(from, number), .to = lid_of(to)};
  }
  std::string told(const Probe& what) { return describe(world, send_probe(world, what)); }
  void pkeys(std::string_view id, int number, std::initializer_list<unsigned> keys) {
    mad::PkeyTable table;
    std::size_t at = 0;
    for (const unsigned key : keys) table.keys[at++] = static_cast<Pkey>(key);
    world.blocks(node(id)).set(mad::AttrId::pkey_table, static_cast<std::uint32_t>(number) << 16,
                               mad::encode(table));
  }
};

TEST(Probe, TakesTheWayOfTheTables) {
  Row row;
  EXPECT_TRUE(send_probe(row.world, row.probe("h0", "h2")).delivered());
  EXPECT_EQ(row.told(row.probe("h0", "h2")), "h0[1] > s0[2] > s1[2] > s2[3] > h2[1]");
  EXPECT_EQ(row.told(row.probe("h0", "s1")), "h0[1] > s0[2] > s1[1]");
  EXPECT_EQ(row.told(row.probe("s2", "h0")), "s2[1] > s1[1] > s0[3] > h0[1]");
  EXPECT_TRUE(send_probe(row.world, row.probe("h1", "h1")).delivered());
}

TEST(Probe, SaysWhereAndWhyItEnds) {
  Row row;
  row.entry("s1", row.lid_of("h2"), 255);
  EXPECT_EQ(row.told(row.probe("h0", "h2")), "h0[1] > s0[2] > s1[1]: entry 255 at s1[1]");
  row.entry("s1", row.lid_of("h2"), 1);
  const Probed loop = send_probe(row.world, row.probe("h0", "h2"));
  EXPECT_EQ(loop.drop, Drop::loop);
  row.world.cut_link(row.node("s0"), PortNum{2});
  EXPECT_EQ(row.told(row.probe("h0", "h2")), "h0[1] > s0[3]: port down at s0[2]");
}

TEST(Probe, LongerThanALinksMtuIsDropped) {
  Row row;
  row.info("s1", 2).neighbor_mtu = Mtu::mtu1024;
  Probe probe = row.probe("h0", "h2");
  probe.bytes = 1024;
  EXPECT_TRUE(send_probe(row.world, probe).delivered());
  probe.bytes = 2048;
  EXPECT_EQ(row.told(probe), "h0[1] > s0[2] > s1[1]: longer than the MTU at s1[2]");
}

TEST(Probe, GoesOnTheLanesOfItsLevel) {
  Row row;
  auto& table = row.world.switch_of(row.node("s1")).sl_to_vl;
  table.assign(25, {});
  table[1 * 5 + 2][1] = 0x1f;  // SL 2 on VL 1, SL 3 nowhere
  Probe probe = row.probe("h0", "h2");
  probe.sl = Sl{2};
  EXPECT_EQ(send_probe(row.world, probe).hops[2].vl, Vl{1});
  probe.sl = Sl{3};
  EXPECT_EQ(send_probe(row.world, probe).drop, Drop::no_lane);
}

TEST(Probe, NeedsASharedPartitionWithOneFullMember) {
  Row row;
  row.pkeys("h0", 1, {0xffff, 0x0010});
  row.pkeys("h2", 1, {0xffff, 0x0010});
  Probe probe = row.probe("h0", "h2");
  probe.pkey = Pkey{0x0010};
  const Probed limited = send_probe(row.world, probe);
  EXPECT_EQ(limited.drop, Drop::partition) << "two limited members";
  EXPECT_EQ(limited.at, row.port("h2", 1));
  EXPECT_EQ(row.info("h2", 1).pkey_violations, 1);
  row.pkeys("h2", 1, {0xffff, 0x8010});
  EXPECT_TRUE(send_probe(row.world, probe).delivered());
  probe.pkey = Pkey{0x8011};
  EXPECT_EQ(send_probe(row.world, probe).at, row.port("h0", 1)) << "not in the sender's own table";
}

TEST(Probe, IsStoppedByAnEnforcingSwitch) {
  Row row;
  row.pkeys("h0", 1, {0xffff, 0x8010});
  row.pkeys("h2", 1, {0xffff, 0x8010});
  Probe probe = row.probe("h0", "h2");
  probe.pkey = Pkey{0x8010};
  row.info("s0", 3).enforce_in = true;
  row.pkeys("s0", 3, {0xffff});
  const Probed stopped = send_probe(row.world, probe);
  EXPECT_EQ(stopped.drop, Drop::partition);
  EXPECT_EQ(stopped.at, row.port("s0", 3));
  row.pkeys("s0", 3, {0xffff, 0x8010});
  EXPECT_TRUE(send_probe(row.world, probe).delivered());
  row.info("s2", 3).enforce_out = true;
  row.pkeys("s2", 3, {0xffff});
  EXPECT_EQ(send_probe(row.world, probe).at, row.port("s2", 3));
}

TEST(Probe, ReachesTheMembersOfAGroup) {
  Row row;
  const auto mft = [&](std::string_view sw, std::uint16_t ports) {
    mad::MulticastForwardingTable table;
    table.masks[0] = ports;
    row.world.blocks(row.node(sw)).set(mad::AttrId::multicast_forwarding, 0, mad::encode(table));
  };
  mft("s0", 1 << 2 | 1 << 3);
  mft("s1", 1 << 1 | 1 << 2);
  mft("s2", 1 << 1 | 1 << 3);
  Probe probe = row.probe("h0", "h0");
  probe.to = Lid{0xc000};
  const Probed one = send_probe(row.world, probe);
  EXPECT_TRUE(one.delivered()) << describe(row.world, one);
  EXPECT_EQ(one.arrived, std::vector<PortIndex>{row.port("h2", 1)});
  mft("s1", 1 << 1 | 1 << 2 | 1 << 3);
  EXPECT_EQ(send_probe(row.world, probe).arrived.size(), 2u);
}

TEST(ProbeEveryWay, FindsWhatSomeChoiceWouldMeet) {
  Row row;
  EXPECT_TRUE(probe_every_way(row.world, row.probe("h0", "h2")).empty());
  row.entry("s1", row.lid_of("h2"), 1);
  const auto failures = probe_every_way(row.world, row.probe("h0", "h2"));
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_EQ(failures.front(), "loop after 64 hops at s1[1]");
}

}  // namespace
}  // namespace weft::sim
