#include "config/opensm_partitions.h"

#include <gtest/gtest.h>

namespace weft::config {
namespace {

using partitions::Membership;
using partitions::Partition;
using partitions::Who;

std::vector<Partition> good(std::string_view text) {
  Report report{.source = "f"};
  std::vector<Partition> all;
  for (ReadPartition& one : merged(read_opensm_partitions(text, report)))
    all.push_back(std::move(one.partition));
  EXPECT_TRUE(report.problems.empty()) << report.problems.front();
  return all;
}

TEST(OpensmPartitions, ReadTheWholeGrammar) {
  const auto all = good(R"(# the default
Default=0x7fff, ipoib, mtu=5, rate=16, scope=2, scope=5 : ALL=limited, SELF=full ;
storage=0x8010,indx0,defmember=full:
   0x0002c903000e0b72, ALL_CAS, 0x10=limited,   # comments anywhere
   0x11=both;
groups = 0x20 , ipoib :
   mgid=ff12:401b:20::1,rate=3,Q_Key=0xb1b,TClass=1,FlowLabel=2
   mgid=ff12:601b:20::2
   ALL_SWITCHES, ALL_ROUTERS;
unnumbered : SELF;
=0x30 : NONE ;
)");
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(all[0].key, 0x7fff);
  EXPECT_TRUE(all[0].ipoib);
  ASSERT_EQ(all[0].broadcast.size(), 2u);
  EXPECT_EQ(all[0].broadcast[0].mtu, Mtu::mtu4096);
  EXPECT_EQ(all[0].broadcast[0].rate, 1000);
  EXPECT_EQ(all[0].broadcast[1].scope, 5);
  EXPECT_EQ(all[0].members[1], (partitions::Member{{.kind = Who::Kind::self}, Membership::full}));
  EXPECT_EQ(all[1].key, 0x10);
  EXPECT_TRUE(all[1].at_index0);
  ASSERT_EQ(all[1].members.size(), 4u);
  EXPECT_EQ(all[1].members[0].as, Membership::full);
  EXPECT_EQ(all[1].members[1].who.kind, Who::Kind::hosts);
  EXPECT_EQ(all[1].members[2].as, Membership::limited);
  EXPECT_EQ(all[1].members[3].as, Membership::both);
  ASSERT_EQ(all[2].groups.size(), 2u);
  EXPECT_EQ(all[2].groups[0].options.rate, 100);
  EXPECT_EQ(all[2].groups[0].options.q_key, 0xb1bu);
  EXPECT_EQ(all[2].members.size(), 2u);
  EXPECT_EQ(all[2].members[0].as, Membership::limited) << "the default";
  EXPECT_FALSE(all[3].key);
  EXPECT_EQ(all[4].name, "0x0030");
  EXPECT_TRUE(all[4].members.empty());
  for (const Partition& one : all) EXPECT_TRUE(one.last_counts);
}

TEST(OpensmPartitions, MergeWhatHasOneKey) {
  const auto all = good("a=5 : 0x1 ;\nb=0x8005,ipoib : 0x2=full ;\n");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].name, "a") << "the first name stays";
  EXPECT_EQ(all[0].members.size(), 2u);
  EXPECT_TRUE(all[0].ipoib);
}

struct BadText {
  std::string_view text;
  std::string_view says;
};

TEST(OpensmPartitions, RefuseWhatOpensmOverlooks) {
  const BadText bads[] = {
      {"", "f: defines no partition"},
      {"# nothing\n", "defines no partition"},
      {"a=5,ipoib rate=3 : ALL;", "f:1:11: expects a comma or a colon, not \"rate=3 : ALL;\""},
      {"a=5 : A;", "f:1:7: expects a port GUID, ALL"},
      {"a=5 : ALL=fulll;", "expects full, limited or both, not \"fulll\""},
      {"a=5 : 0x1 0x2;", "f:1:11: expects a comma or a semicolon"},
      {"a=5 : 0x1", "partition \"a\" does not end with a semicolon"},
      {"a=0 : ALL;", "expects a P_Key from 0x0001 to 0x7fff"},
      {"a=0x8000 : ALL;", "expects a P_Key"},
      {"a=5,ipob : ALL;", "unknown flag \"ipob\"; did you mean ipoib?"},
      {"a=5,rate=1 : ALL;", "1 is no rate code"},
      {"a=5,mtu=0 : ALL;", "0 is no MTU code"},
      {"a=5,sl=16 : ALL;", "sl= expects a number up to 0xf"},
      {"a=5 : mgid=fe80::1;", "expects mgid= and a multicast GID"},
      {"a=5 : mgid=ff12::1,qkey=2\n;", "unknown flag of a group: \"qkey\""},
      {"a=5 : mgid=ff12::1 ALL;", "a group ends with its line"},
      {"a=5 ALL;", "expects a comma or a colon"},
      {"\xf4_=5 : ALL;", "f:1:1: "},
  };
  Report long_name{.source = "f"};
  (void)read_opensm_partitions(std::string(300, 'x') + "=5 : ALL;", long_name);
  ASSERT_EQ(long_name.problems.size(), 1u);
  EXPECT_NE(long_name.problems[0].find("at most 255 bytes"), std::string::npos);
  for (const BadText& bad : bads) {
    Report report{.source = "f"};
    (void)read_opensm_partitions(bad.text, report);
    ASSERT_FALSE(report.problems.empty()) << bad.text;
    EXPECT_NE(report.problems[0].find(bad.says), std::string::npos) << bad.text << "\n" << report.problems[0];
  }
}

}  // namespace
}  // namespace weft::config
