#include "config/opensm_sa_dump.h"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <sstream>

#include <fmt/format.h>

#include "plan/registrations.h"

namespace weft::config {
namespace {

constexpr std::int64_t kNow = 1'796'063'515;

const Gid kBroadcast{0xff12401bffff0000, 0xffffffff};
const Gid kNodes{0xff12601bffff0000, 0x1ff001234};
constexpr std::string_view kGroup =
    "MC Group 0xc002 : mgid=0xff12601bffff0000:0x00000001ff001234 "
    "port_gid=0xfe80000000000000:0x0002c90200000051 qkey=0x00000b1b mlid=0xc002 mtu=0x85 tclass=0x07 "
    "pkey=0x8001 rate=0x91 pkt_life=0x92 sl_flow_hop=0x3abcde42 scope_state=0x21 proxy_join=0x0";
constexpr std::string_view kMember =
    "mcm_port: port_gid=0xfe80000000000000:0x0002c90200000051 scope_state=0x25 proxy_join=0x1";

SaDumpReader read(const std::string& text) {
  SaDumpReader reader;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) (void)reader.take(line);
  return reader;
}

/// What OpenSM 3.3.23 wrote of osmtest, then of two hosts in three groups, one with a service and two
/// subscriptions.
std::string written_by_opensm() {
  std::ostringstream text;
  text << std::ifstream(WEFT_SOURCE_DIR "/tests/config/opensm/14-registrations/opensm-sa.dump").rdbuf();
  return text.str();
}

std::string with(std::string text, const std::string& what, const std::string& by) {
  return text.replace(text.find(what), what.size(), by);
}

TEST(OpensmSaDump, KeepsAGroupAsItIs) {
  SaDumpReader reader;
  ASSERT_EQ(reader.take(kGroup).fate, Fate::mapped);
  ASSERT_EQ(reader.take(kMember).fate, Fate::mapped);
  plan::McGroup expected;
  expected.mgid = kNodes;
  expected.mlid = Lid{0xc002};
  expected.qkey = 0xb1b;
  expected.pkey = Pkey{0x8001};
  expected.mtu = Mtu::mtu4096;
  expected.rate = 17;
  expected.lifetime = 18;
  expected.sl = Sl{3};
  expected.flow_label = 0xabcde;
  expected.hop_limit = 0x42;
  expected.tclass = 7;
  expected.members.set(Guid{0x0002c90200000051}, {{kLinkLocalPrefix, 0x0002c90200000051}, 5, true});
  EXPECT_EQ(*reader.state().groups.find(kNodes), expected);
}

TEST(OpensmSaDump, ReadsWhatOpensmHasWritten) {
  const plan::SaState state = read(written_by_opensm()).state();
  EXPECT_EQ(plan::counts_of(state), (plan::RegistrationCounts{3, 6, 6, 3, 1}));
  EXPECT_TRUE(state.groups.find(kBroadcast)->permanent);
  const auto service =
      state.services.find({0x1000000000000abc, {kLinkLocalPrefix, 0x0002c90200000051}, Pkey{0xffff}});
  ASSERT_NE(service, nullptr);
  EXPECT_STREQ(reinterpret_cast<const char*>((*service)->name.data()), "it's mine");
  EXPECT_EQ((*service)->lease, 3600u);
  EXPECT_EQ((*service)->expires, 0x6b0de48a + 0xe0f);
  EXPECT_EQ((*service)->key, (std::array<std::uint64_t, 2>{0x0102030405060708, 0x090a0b0c0d0e0f10}));
  for (std::uint8_t i = 0; i < 64; ++i) EXPECT_EQ((*service)->data[i], i);
  const auto subscriptions = *state.subscriptions.find(Guid{0x0002c90200000051});
  ASSERT_EQ(subscriptions->size(), 2u);
  const plan::Subscription& one = subscriptions->front();
  EXPECT_EQ(one.trap, 66);
  EXPECT_EQ(one.type, 3);
  EXPECT_EQ(one.producer, 4u);
  EXPECT_EQ(one.lid, Lid{0x17});
  EXPECT_EQ(one.qp, 1u);
  EXPECT_EQ(one.lid_begin, Lid{0xffff});
  EXPECT_EQ(subscriptions->back().producer, 0xffffffu);
  EXPECT_EQ(state.aliases.find(Guid{0x0002c90200aa0031})->index, 1);
}

TEST(OpensmSaDump, IsReadAsItWasWritten) {
  const std::string text = opensm_sa_dump(read(written_by_opensm()).state(), kNow);
  const plan::SaState again = read(text).state();
  EXPECT_EQ(plan::counts_of(again), (plan::RegistrationCounts{3, 6, 5, 3, 1})) << "a lease of 4 s has ended";
  EXPECT_EQ(opensm_sa_dump(again, kNow), text);
}

/// Line by line, of those that OpenSM has written itself; times and selectors aside.
TEST(OpensmSaDump, WritesGroupsAsOpensmDoes) {
  for (const std::string_view selector : {"0", "4", "8", "c"}) {  // whatever it was, "exactly" is written
    SaDumpReader reader;
    std::string group(kGroup);
    for (const std::string_view key : {"mtu=0x", "rate=0x", "pkt_life=0x"}) {
      const std::size_t at = group.find(fmt::format(" {}", key)) + 1 + key.size();
      const unsigned value = static_cast<unsigned>(std::stoul(group.substr(at, 2), nullptr, 16)) & 0x3f;
      const unsigned top = static_cast<unsigned>(std::stoul(std::string(selector), nullptr, 16)) << 4;
      group.replace(at, 2, fmt::format("{:02x}", top | value));
    }
    ASSERT_EQ(reader.take(group).fate, Fate::mapped) << group;
    ASSERT_EQ(reader.take(kMember).fate, Fate::mapped);
    EXPECT_EQ(opensm_sa_dump(reader.state(), kNow),
              std::string(kGroup) + "\n\n" + std::string(kMember) + "\n\n")
        << selector;
  }
}

TEST(OpensmSaDump, MembersOfAGroupThatIsNotTakenOverAreDropped) {
  for (const auto& [what, by] :
       {std::pair("mlid=0xc002", "mlid=0xbfff"), std::pair("mlid=0xc002", "mlid=0xffff"),
        std::pair("mgid=0xff", "mgid=0xfe"), std::pair("mtu=0x85", "mtu=0x86"),
        std::pair("rate=0x91", "rate=0x80"), std::pair(" qkey=0x", " key=0x"),
        std::pair("pkey=0x8001", "pkey=0x18001"), std::pair("tclass=0x07", "tclass=0xg")}) {
    SaDumpReader reader;
    EXPECT_EQ(reader.take(with(std::string(kGroup), what, by)).fate, Fate::dropped) << by;
    EXPECT_EQ(reader.take(kMember).fate, Fate::dropped) << by;
    EXPECT_EQ(reader.state().groups.size(), 0u);
  }
}

TEST(OpensmSaDump, TellsWhatIsMissing) {
  SaDumpReader reader;
  EXPECT_EQ(reader.take("MC Group 0xc001 : mgid=0xff12:0x1").became,
            "expects port_gid in its place, as OpenSM 3.3 writes it");
  EXPECT_EQ(reader.take("Something Record: id=0x1").became, "no record of OpenSM 3.3");
  EXPECT_EQ(reader.take(kMember).fate, Fate::dropped) << "of no group";
  EXPECT_EQ(reader.take(kGroup).fate, Fate::mapped);
  EXPECT_EQ(reader.take(kMember).fate, Fate::mapped);
  EXPECT_EQ(reader.take(kMember).became, "this member stands here before");
  const std::string nobody = with(std::string(kMember), "0x0002c90200000051", "0x0");
  EXPECT_EQ(reader.take(nobody).became, "its port GUID is 0, which is nobody's");
  EXPECT_EQ(reader.take(kGroup).became, "this group stands here before");
}

TEST(OpensmSaDump, TakesSoManySubscriptionsOfAPort) {
  SaDumpReader reader;
  const auto line = [](std::size_t trap) {
    return fmt::format(
        "InformInfo Record: subscriber_gid=0xfe80000000000000:0x7 subscriber_enum=0x0 InformInfo: "
        "gid=0x0:0x0 "
        "lid_range_begin=0xffff lid_range_end=0x0 is_generic=0x1 subscribe=0x1 trap_type=0x3 trap_num=0x{:x} "
        "qpn_resp_time_val=0x12 node_type=0x4 rep_addr: lid=0x17 path_bits=0x0 static_rate=0x0 remote_qp=0x1 "
        "remote_qkey=0x80010000 pkey_ix=0x0 sl=0x0",
        trap);
  };
  for (std::size_t i = 0; i < plan::kMostSubscriptionsOfAPort; ++i)
    ASSERT_EQ(reader.take(line(i)).fate, Fate::mapped) << i;
  EXPECT_EQ(reader.take(line(5)).became, "this subscription stands here before");
  EXPECT_EQ(reader.take(line(5000)).became, "more than 256 subscriptions of one port");
  EXPECT_EQ(plan::counts_of(reader.state()).subscriptions, plan::kMostSubscriptionsOfAPort);
}

TEST(OpensmSaDump, WritesALeaseForEverWhateverItsEndSays) {
  plan::SaState state;
  plan::Service service;
  service.lease = 0xffffffff;
  service.expires = std::numeric_limits<std::int64_t>::min();
  state.services.set({0, {}, Pkey{}}, std::make_shared<const plan::Service>(service));
  EXPECT_NE(opensm_sa_dump(state, kNow).find("lease_period=0xffffffff\n"), std::string::npos);
}

TEST(OpensmSaDump, ShowsNoKeyOfAService) {
  EXPECT_EQ(shown_of_sa_dump("Service Record: id=0x1 key=0x01:0x02 name='a' x=0x1"),
            "Service Record: id=0x1 key=*** name='a' x=0x1");
  EXPECT_EQ(shown_of_sa_dump(kMember), kMember);
  EXPECT_EQ(shown_of_sa_dump(kGroup), kGroup) << "P_Key and Q_Key are no secrets";
  for (const std::string_view before : {"\t", ";", "", "  "})
    EXPECT_EQ(shown_of_sa_dump(fmt::format("Service Record: pkey=0x1 id=0x1{}key=0x01 0x02", before)),
              fmt::format("Service Record: pkey=0x1 id=0x1{}key=***", before));
  EXPECT_EQ(shown_of_sa_dump("Service: key=0x01:0x02 name='a' key=0x3"), "Service: key=***");
}

}  // namespace
}  // namespace weft::config
