// Conformance cases P and M: PathRecord and MultiPathRecord.

#include <gtest/gtest.h>

#include "sa/rate.h"
#include "tests/sa/desk.h"

namespace weft::sa {
namespace {

using mad::Method;
using mad::PathRecord;
using mad::SaAttr;

enum PathBit {
  kServiceId8,
  kServiceId56,
  kDgid,
  kSgid,
  kDlid,
  kSlid,
  kRaw,
  kReserved,
  kFlow,
  kHop,
  kTclass,
  kReversible,
  kNumb,
  kPkey,
  kQos,
  kSl,
  kMtuSel,
  kMtu,
  kRateSel,
  kRate,
  kLifeSel,
  kLife
};

struct PathDesk : Desk {
  using Desk::Desk;
  PathRecord pair() const {
    PathRecord asked;
    asked.sgid = gid_of("HcaB");
    asked.dgid = gid_of("HcaC");
    return asked;
  }
  Answer get_path(std::initializer_list<int> mask, const PathRecord& asked) {
    return ask(Method::get, SaAttr::path_record, bits(mask), asked);
  }
  Answer path_table(std::initializer_list<int> mask, const PathRecord& asked = {}) {
    return ask(Method::get_table, SaAttr::path_record, bits(mask), asked);
  }
};

TEST(P1ToP3, APathOfTwoGidsOrLids) {
  PathDesk desk;
  PathRecord asked = desk.pair();
  asked.paths = 1;
  const Answer answer = desk.get_path({kSgid, kDgid, kNumb}, asked);
  ASSERT_EQ(answer.status, 0);
  EXPECT_FALSE(answer.table);
  const auto path = record<PathRecord>(answer);
  EXPECT_EQ(path.slid, desk.lid_of("HcaB"));
  EXPECT_EQ(path.dlid, desk.lid_of("HcaC"));
  EXPECT_EQ(path.pkey, Pkey{0xffff});
  EXPECT_EQ(path.mtu_selector, 2);
  EXPECT_EQ(path.mtu, 5) << "4096 on every link here";
  EXPECT_EQ(path.rate, 3);
  EXPECT_EQ(path.lifetime, 18);
  EXPECT_TRUE(path.reversible);
  EXPECT_EQ(path.hop_limit, 0);
  PathRecord by_lid;
  by_lid.slid = desk.lid_of("HcaB");
  by_lid.dlid = desk.lid_of("HcaC");
  EXPECT_EQ(record<PathRecord>(desk.get_path({kSlid, kDlid}, by_lid)), path);
}

TEST(P4, GetNeverHasTooMany) {
  PathDesk desk;
  EXPECT_EQ(desk.get_path({kDgid}, desk.pair()).status, 0);
  EXPECT_EQ(desk.get_path({kSgid}, desk.pair()).status, 0);
  EXPECT_EQ(count(desk.get_path({}, {})), 1u);
}

TEST(P5ToP8, TablesAndTheNumberOfPaths) {
  PathDesk desk;
  EXPECT_EQ(count(desk.path_table({})), 36u);
  PathRecord asked = desk.pair();
  asked.paths = 127;
  EXPECT_EQ(count(desk.path_table({kSgid, kNumb}, asked)), 6u);
  asked.paths = 0;
  EXPECT_EQ(count(desk.path_table({kSgid, kNumb}, asked)), 0u);
  EXPECT_EQ(desk.get_path({kSgid, kDgid, kNumb}, asked).status, 0);
}

TEST(P9ToP17, WhatIsNotThereHasNoPath) {
  PathDesk desk;
  PathRecord asked = desk.pair();
  asked.dlid = Lid{0x7000};
  EXPECT_EQ(desk.get_path({kDlid}, asked).status, 0x0300);
  EXPECT_EQ(desk.path_table({kDlid}, asked).status, 0);
  EXPECT_EQ(count(desk.path_table({kDlid}, asked)), 0u);
  for (const Gid& gid :
       {Gid{kLinkLocalPrefix, 0xdead}, Gid{0x3ffe000000000000, raw(desk.guid_of("HcaC"))}, Gid{}}) {
    PathRecord strange = desk.pair();
    strange.dgid = gid;
    EXPECT_EQ(desk.get_path({kSgid, kDgid}, strange).status, 0x0300) << to_string(gid);
    strange = desk.pair();
    strange.sgid = gid;
    EXPECT_EQ(desk.get_path({kSgid, kDgid}, strange).status, 0x0300) << to_string(gid);
  }
  PathRecord crossed = desk.pair();
  crossed.slid = desk.lid_of("HcaC");
  crossed.dlid = desk.lid_of("HcaB");
  EXPECT_EQ(desk.get_path({kSgid, kDgid, kSlid, kDlid}, crossed).status, 0x0200);
}

TEST(P18ToP21, PartitionsAsAsked) {
  PathDesk desk;
  PathRecord asked = desk.pair();
  for (const unsigned key : {0xffffu, 0x7fffu}) {
    asked.pkey = static_cast<Pkey>(key);
    EXPECT_EQ(record<PathRecord>(desk.get_path({kSgid, kDgid, kPkey}, asked)).pkey, asked.pkey);
  }
  for (const unsigned key : {0x8123u, 0u}) {
    asked.pkey = static_cast<Pkey>(key);
    EXPECT_EQ(desk.get_path({kSgid, kDgid, kPkey}, asked).status, 0x0300);
  }
  asked.raw_traffic = true;
  const Answer raw_path = desk.get_path({kSgid, kDgid, kRaw}, asked);
  EXPECT_EQ(raw_path.status, 0);
  EXPECT_EQ(record<PathRecord>(raw_path).pkey, Pkey{0});
}

TEST(P22ToP24, WhatDoesNotFilterIsTakenOrLeft) {
  PathDesk desk;
  PathRecord asked = desk.pair();
  asked.sl = Sl{7};
  asked.qos_class = 3;
  asked.tclass = 9;
  asked.flow_label = 9;
  asked.hop_limit = 9;
  const auto path = record<PathRecord>(desk.get_path({kSgid, kDgid, kSl, kQos, kTclass, kFlow, kHop}, asked));
  EXPECT_EQ(path.sl, Sl{7});
  EXPECT_EQ(path.qos_class, 0);
  EXPECT_EQ(path.tclass, 0);
  EXPECT_EQ(path.flow_label, 0u);
  EXPECT_EQ(path.hop_limit, 0);
}

TEST(P25ToP37, SelectorsOfMtuRateAndLifetime) {
  PathDesk desk;
  const auto with = [&](int selector_bit, int selector, int value) {
    PathRecord asked = desk.pair();
    const auto s = static_cast<std::uint8_t>(selector);
    const auto v = static_cast<std::uint8_t>(value);
    if (selector_bit == kMtuSel) asked.mtu_selector = s, asked.mtu = v;
    if (selector_bit == kRateSel) asked.rate_selector = s, asked.rate = v;
    if (selector_bit == kLifeSel) asked.lifetime_selector = s, asked.lifetime = v;
    return desk.get_path({kSgid, kDgid, selector_bit, selector_bit + 1}, asked);
  };
  EXPECT_EQ(with(kMtuSel, 1, 1).status, 0x0300);
  EXPECT_EQ(record<PathRecord>(with(kMtuSel, 1, 4)).mtu, 3);
  EXPECT_EQ(record<PathRecord>(with(kMtuSel, 2, 1)).mtu, 1);
  EXPECT_EQ(record<PathRecord>(with(kMtuSel, 3, 0)).mtu, 5);
  EXPECT_EQ(with(kMtuSel, 2, 9).status, 0x0200);
  for (const int code : {1, 63}) EXPECT_EQ(with(kRateSel, 2, code).status, 0x0200);
  EXPECT_EQ(with(kRateSel, 1, 2).status, 0x0300);
  EXPECT_EQ(record<PathRecord>(with(kRateSel, 1, 3)).rate, 5);
  EXPECT_EQ(record<PathRecord>(with(kRateSel, 1, 6)).rate, 3);
  EXPECT_EQ(with(kRateSel, 2, 2).status, 0x0300);
  EXPECT_EQ(with(kRateSel, 0, 3).status, 0x0300);
  EXPECT_EQ(with(kLifeSel, 0, 18).status, 0x0300);
  EXPECT_EQ(record<PathRecord>(with(kLifeSel, 1, 18)).lifetime, 17);
  EXPECT_EQ(record<PathRecord>(with(kLifeSel, 2, 10)).lifetime, 10);
  EXPECT_EQ(with(kLifeSel, 2, 20).status, 0x0300);
  PathRecord value_only = desk.pair();
  value_only.mtu = 1;
  EXPECT_EQ(record<PathRecord>(desk.get_path({kSgid, kDgid, kMtu}, value_only)).mtu, 5) << "P29: no selector";
}

TEST(P38P39, ServiceIdsNeedBothBits) {
  PathDesk desk;
  EXPECT_EQ(desk.get_path({kSgid, kDgid, kServiceId8, kServiceId56}, desk.pair()).status, 0);
  EXPECT_EQ(desk.get_path({kSgid, kDgid, kServiceId8}, desk.pair()).status, 0x0600);
}

TEST(P40P41, ToOneselfAndToASwitch) {
  PathDesk desk;
  PathRecord asked = desk.pair();
  asked.dgid = asked.sgid;
  const auto self = record<PathRecord>(desk.get_path({kSgid, kDgid}, asked));
  EXPECT_EQ(self.slid, self.dlid);
  EXPECT_EQ(self.lifetime, 0);
  asked.dgid = desk.gid_of("S2");
  EXPECT_EQ(desk.get_path({kSgid, kDgid}, asked).status, 0);
}

TEST(P43, TheWellKnownGuidOfTheSaIsNobodys) {
  PathDesk desk;
  PathRecord asked = desk.pair();
  asked.dgid = {kLinkLocalPrefix, 0x0200000000000002};
  EXPECT_EQ(desk.get_path({kSgid, kDgid}, asked).status, 0x0300);
}

TEST(P49, PermissiveLidsHaveNoPath) {
  PathDesk desk;
  PathRecord asked;
  asked.slid = asked.dlid = kLidPermissive;
  EXPECT_EQ(desk.get_path({kSlid, kDlid}, asked).status, 0x0300);
}

TEST(P57, APathIsAsGoodAsItsWorstLink) {
  topology::Topology slow = two_switches();
  slow.cables[0].speed = slow.cables[1].speed = LinkSpeed::qdr;  // between the switches
  slow.cables[4].speed = LinkSpeed::edr;                         // HcaC's
  PathDesk desk(slow);
  EXPECT_EQ(record<PathRecord>(desk.get_path({kSgid, kDgid}, desk.pair())).rate, 3) << "HcaB's is SDR";
  plan::Config config;
  config.links.max_mtu = Mtu::mtu2048;
  PathDesk narrow(two_switches(), config);
  EXPECT_EQ(record<PathRecord>(narrow.get_path({kSgid, kDgid}, narrow.pair())).mtu, 4);
}

TEST(P58, WhatIsInAnotherSubnetIsBehindTheRouter) {
  topology::Topology routed = two_switches();
  topology::Node router;
  router.type = NodeType::router;
  router.id = router.description = "R";
  router.guid = Guid{0x3000};
  router.port_guids = {Guid{0x3001}};
  router.port_count = 1;
  routed.nodes.push_back(router);
  routed.cables.push_back({{1, PortNum{3}}, {6, PortNum{1}}, LinkWidth::x4, LinkSpeed::sdr});
  PathDesk desk(routed);
  PathRecord asked = desk.pair();
  asked.dgid = {0x3ffe000000000000, 0x77};
  const Answer answer = desk.get_path({kSgid, kDgid}, asked);
  ASSERT_EQ(answer.status, 0);
  EXPECT_EQ(record<PathRecord>(answer).dlid, desk.lid_of("R"));
  EXPECT_EQ(record<PathRecord>(answer).hop_limit, 0xff);
  EXPECT_EQ(record<PathRecord>(answer).dgid, asked.dgid);
  EXPECT_EQ(record<PathRecord>(desk.get_path({kSgid, kDgid}, desk.pair())).hop_limit, 0);
}

TEST(MaxRate, AndOldSoftwareAreToldRatesTheyKnow) {
  topology::Topology mixed = two_switches();
  for (auto& cable : mixed.cables) cable.speed = LinkSpeed::hdr;  // 200 Gb/s, code 17
  PathDesk desk(mixed);
  EXPECT_EQ(record<PathRecord>(desk.get_path({kSgid, kDgid}, desk.pair())).rate, 17);
  desk.options.max_rate = 400;
  EXPECT_EQ(record<PathRecord>(desk.get_path({kSgid, kDgid}, desk.pair())).rate, 7);
  EXPECT_EQ(rate_within(20, 0, 18), 7) << "50 Gb/s for those who know codes up to 18";
  EXPECT_EQ(rate_within(19, 0, 10), 6) << "28 Gb/s for those who know codes up to 10";
  EXPECT_EQ(rate_within(22, 0), 22);
  EXPECT_EQ(last_rate_known_by(LinkSpeed::qdr), 10);
  EXPECT_EQ(last_rate_known_by(LinkSpeed::edr), 18);
  EXPECT_EQ(last_rate_known_by(LinkSpeed::xdr), kLastRate);
}

TEST(P44ToP48, PathsToGroupsAreWhatMembersSendWith) {
  PathDesk desk;
  PathRecord asked = desk.pair();
  asked.dgid = ipoib_broadcast(Pkey{0xffff});
  EXPECT_EQ(desk.get_path({kSgid, kDgid}, asked).status, 0x0300) << "no member";
  const Answer any = desk.get_path({kDgid}, asked);
  ASSERT_EQ(any.status, 0);
  EXPECT_EQ(record<PathRecord>(any).dlid, Lid{0xc000});
  EXPECT_FALSE(record<PathRecord>(any).reversible);
  asked.dgid[1] = 0x1234;
  EXPECT_EQ(desk.get_path({kDgid}, asked).status, 0x0300);
  asked.sgid = ipoib_broadcast(Pkey{0xffff});
  EXPECT_EQ(desk.get_path({kSgid}, asked).status, 0x0300);
}

TEST(P50, PathsAreOnlyRead) {
  PathDesk desk;
  EXPECT_EQ(desk.ask(desk.request(Method::set, SaAttr::path_record, 0)).status, 0x000c);
  EXPECT_EQ(desk.ask(desk.request(Method::delete_, SaAttr::path_record, 0)).status, 0x000c);
}

TEST(P51P52, PathBitsAreAsAskedOrSpread) {
  plan::Config config;
  config.lids.lmc = 1;
  PathDesk desk(two_switches(), config);
  PathRecord asked = desk.pair();
  asked.slid = static_cast<Lid>(raw(desk.lid_of("HcaB")) + 1);
  asked.dlid = static_cast<Lid>(raw(desk.lid_of("HcaC")) + 1);
  const auto path = record<PathRecord>(desk.get_path({kSlid, kDlid}, asked));
  EXPECT_EQ(path.slid, asked.slid);
  EXPECT_EQ(path.dlid, asked.dlid);
  asked.paths = 2;
  const Answer two = desk.path_table({kSgid, kDgid, kNumb}, asked);
  ASSERT_EQ(count(two), 2u);
  EXPECT_NE(record<PathRecord>(two, 0).dlid, record<PathRecord>(two, 1).dlid);
  EXPECT_NE(record<PathRecord>(two, 0).slid, record<PathRecord>(two, 1).slid);
}

struct MultiDesk : Desk {
  using Desk::Desk;
  Answer multi(std::uint64_t mask, std::uint8_t sgids, std::uint8_t dgids, const std::vector<Gid>& gids) {
    data.assign(200, 0);
    mad::MultiPathRecord asked;
    asked.sgids = sgids;
    asked.dgids = dgids;
    asked.paths = 2;
    encode_into(std::span<std::uint8_t>(data), asked);
    for (std::size_t i = 0; i < gids.size(); ++i)
      for (std::size_t half = 0; half < 2; ++half)
        put_bits(std::span<std::uint8_t>(data), (24 + 16 * i + 8 * half) * 8, 64, gids[i][half]);
    return ask(request(Method::get_multi, SaAttr::multi_path_record, mask));
  }
};
constexpr std::uint64_t kCounts = std::uint64_t{3} << 19;

TEST(M1ToM5M7, CountsMustBeThere) {
  MultiDesk desk;
  const Answer none = desk.multi(0, 0, 0, {});
  EXPECT_EQ(none.status, 0x0600);
  EXPECT_EQ(none.method, Method::get_multi_resp);
  EXPECT_EQ(none.attribute, SaAttr::path_record);
  EXPECT_EQ(desk.multi(bit(19), 1, 1, {}).status, 0x0600);
  EXPECT_EQ(desk.multi(kCounts, 0, 1, {}).status, 0x0200);
  EXPECT_EQ(desk.multi(kCounts, 200, 200, {}).status, 0x0200) << "M7: more than the data holds";
}

TEST(M3M4, PathsBetweenAllPairs) {
  MultiDesk desk;
  const Answer one = desk.multi(kCounts, 1, 1, {desk.gid_of("HcaB"), desk.gid_of("HcaC")});
  EXPECT_EQ(one.status, 0);
  EXPECT_EQ(count(one), 1u);
  EXPECT_TRUE(one.table);
  const std::vector<Gid> four = {desk.gid_of("HcaA"), desk.gid_of("HcaB"), desk.gid_of("HcaC"),
                                 desk.gid_of("HcaD")};
  EXPECT_EQ(count(desk.multi(kCounts, 2, 2, four)), 4u);
  EXPECT_EQ(count(desk.multi(kCounts | bit(6), 2, 2, four)), 2u) << "NumbPath";
}

TEST(M9, IndependentPathsShareNoLinkBetweenSwitches) {
  plan::Config config;
  config.lids.lmc = 2;
  MultiDesk desk(two_switches(), config);
  const std::vector<Gid> pair = {desk.gid_of("HcaB"), desk.gid_of("HcaC")};
  EXPECT_EQ(count(desk.multi(kCounts, 1, 1, pair)), 16u) << "four LIDs at each end";
  const auto independent = [&] {
    desk.data.assign(200, 0);
    mad::MultiPathRecord asked;
    asked.sgids = asked.dgids = 1;
    asked.independence = 1;
    encode_into(std::span<std::uint8_t>(desk.data), asked);
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t half = 0; half < 2; ++half)
        put_bits(std::span<std::uint8_t>(desk.data), (24 + 16 * i + 8 * half) * 8, 64, pair[i][half]);
    return desk.ask(desk.request(Method::get_multi, SaAttr::multi_path_record, kCounts | bit(17)));
  }();
  ASSERT_EQ(count(independent), 2u) << "there are two cables";
  const routing::Routes& routes = desk.view->plan->routes();
  const SwitchId leaf = desk.index.find(desk.guid_of("HcaB"))->leaf;
  EXPECT_NE(routes.out(leaf, record<PathRecord>(independent, 0).dlid),
            routes.out(leaf, record<PathRecord>(independent, 1).dlid));
}

TEST(M6M8, BadGidsAndMethods) {
  MultiDesk desk;
  EXPECT_EQ(desk.multi(kCounts, 1, 1, {desk.gid_of("HcaB"), {kLinkLocalPrefix, 0xdead}}).status, 0x0500);
  EXPECT_EQ(desk.multi(kCounts, 1, 1, {desk.gid_of("HcaB"), ipoib_broadcast(Pkey{0xffff})}).status, 0x0500);
  EXPECT_EQ(desk.ask(desk.request(Method::get, SaAttr::multi_path_record, 0)).status, 0x000c);
}

}  // namespace
}  // namespace weft::sa
