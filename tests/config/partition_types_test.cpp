#include "config/partition_types.h"

#include <gtest/gtest.h>

#include "config/parse.h"
#include "config/read.h"

namespace weft::config {
namespace {

using partitions::Membership;
using partitions::Partition;
using partitions::Who;

/// What a file with these partitions gives, or its problems.
Result<Loaded> with(std::string define) {
  return read_text("partitions:\n  define:\n" + std::move(define), "f");
}

std::vector<Partition> defined(std::string define) {
  auto loaded = with(std::move(define));
  EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().what);
  return loaded ? loaded->settings.plan.partitions.partitions : std::vector<Partition>{};
}

TEST(Partitions, AreReadAsPeopleWriteThem) {
  const auto all = defined(R"(
    storage:
      key: 0x8010
      default_membership: full
      index0: true
      members: [ "h0*", 0x0002c903000e0b72, { self: full, switches: limited }, leaf-3/P7, hosts ]
      ipoib: { mtu: 4096, rate: 100G, sl: 2, q_key: 0xb1b, scope: site-local }
      groups:
        - { mgid: "ff12:401b:8010::1", rate: 200G }
    tenant: { members: { all: both }, ipoib: true }
)");
  ASSERT_EQ(all.size(), 2u);
  const Partition& storage = all[0];
  EXPECT_EQ(storage.name, "storage");
  EXPECT_EQ(storage.key, 0x0010) << "0x0010 and 0x8010 are one partition";
  EXPECT_EQ(storage.default_membership, Membership::full);
  EXPECT_TRUE(storage.at_index0);
  ASSERT_EQ(storage.members.size(), 6u);
  EXPECT_EQ(storage.members[0].who, (Who{.kind = Who::Kind::name, .name = "h0*"}));
  EXPECT_EQ(storage.members[1].who, (Who{.kind = Who::Kind::guid, .guid = Guid{0x0002c903000e0b72}}));
  EXPECT_EQ(storage.members[2].as, Membership::full);
  EXPECT_EQ(storage.members[3].who.kind, Who::Kind::switches);
  EXPECT_EQ(storage.members[4].who, (Who{.kind = Who::Kind::port, .name = "leaf-3", .port = PortNum{7}}));
  EXPECT_EQ(storage.members[5].as, Membership::none);
  EXPECT_TRUE(storage.ipoib);
  ASSERT_EQ(storage.broadcast.size(), 1u);
  EXPECT_EQ(storage.broadcast[0].mtu, Mtu::mtu4096);
  EXPECT_EQ(storage.broadcast[0].rate, 1000);
  EXPECT_EQ(storage.broadcast[0].sl, Sl{2});
  EXPECT_EQ(storage.broadcast[0].scope, 5);
  ASSERT_EQ(storage.groups.size(), 1u);
  EXPECT_EQ(storage.groups[0].options.rate, 2000);
  EXPECT_FALSE(all[1].key);
  EXPECT_TRUE(all[1].ipoib);
  EXPECT_TRUE(all[1].broadcast.empty());
}

TEST(Partitions, AreShownAsTheyAreRead) {
  const auto type = partition_map();
  const auto all = defined(R"(
    a b: { key: 1, index0: true, members: [ { "x: y": both }, all, leaf/P0 ], ipoib: [ { scope: 3 }, { mtu: 2048 } ] }
    c: { default_membership: both, members: [], groups: [ { mgid: "ff12::1", traffic_class: 7, flow_label: 9 } ] }
)");
  const std::string text = type.show(all);
  const Parsed parsed = parse_yaml(text);
  ASSERT_TRUE(parsed.problems.empty()) << text;
  Report report;
  EXPECT_EQ(type.read(parsed.root, report), all) << text;
}

struct Bad {
  std::string_view define;
  std::string_view says;
};

TEST(Partitions, TellWhatIsWrongAndWhere) {
  const Bad bads[] = {
      {"    a: { key: 0 }\n", "f:3:15: partitions.define: 0 is an empty entry"},
      {"    a: { key: 0x8000 }\n", "0x8000 is an empty entry, no P_Key"},
      {"    a: { key: 0x10000 }\n", "expects a P_Key from 0x0001 to 0x7fff"},
      {"    a: { key: 5 }\n    b: { key: 0x8005 }\n",
       "f:4:5: partitions.define: partitions \"a\" and \"b\" both have the key 0x0005"},
      {"    a: { key: 5 }\n    a: { key: 6 }\n", "\"a\" is defined twice"},
      {"    a: { members: [ x, { x: full } ] }\n", "\"x\" is full here and limited in line 3"},
      {"    a: { members: [ x, x ] }\n", "\"x\" stands here twice"},
      {"    a: { members: { x: fulll } }\n", "expects one of limited, full, both"},
      {"    a: { member: [ x ] }\n", "did you mean members?"},
      {"    a: { ipoib: { mtu: 1000 } }\n", "expects one of 256, 512, 1024, 2048, 4096"},
      {"    a: { ipoib: { rate: 99G } }\n",
       "expects a rate that InfiniBand has, such as 100G, not \"99G\"; 80G is the next lower"},
      {"    a: { ipoib: { sl: 16 } }\n", "0 to 15"},
      {"    a: { ipoib: { scope: moon } }\n", "expects a scope"},
      {"    a: { ipoib: [ { mtu: 256 }, { mtu: 512 } ] }\n", "a group of scope 2 already"},
      {"    a: { ipoib: { level: gold } }\n", "f:3:26: partitions.define: there is no level \"gold\""},
      {"    a: { ipoib: { level: gold, sl: 1 } }\n", "level \"gold\" has its SL; leave sl out"},
      {"    a: { groups: [ { mgid: \"ff12::1\", level: [] } ] }\n",
       "expects the name of a level, not a list"},
      {"    a: { groups: [ { mgid: \"fe80::1\" } ] }\n", "expects a multicast GID"},
      {"    a: { groups: [ { mtu: 256 } ] }\n", "a group needs its mgid"},
      {"    a: [ x ]\n", "expects a partition, a map of"},
  };
  for (const Bad& bad : bads) {
    const auto loaded = with(std::string(bad.define));
    ASSERT_FALSE(loaded) << bad.define;
    EXPECT_NE(loaded.error().what.find(bad.says), std::string::npos) << bad.define << loaded.error().what;
  }
}

TEST(Partitions, GroupsHaveTheSlOfALevel) {
  const auto loaded = read_text(
      "partitions: { define: { a: { ipoib: { level: gold }, groups: [ { mgid: \"ff12::1\", level: gold } ] } "
      "} }\n"
      "qos: { levels: { gold: { sl: 3 } } }\n",
      "f");
  ASSERT_TRUE(loaded) << loaded.error().what;
  const auto& all = loaded->settings.plan.partitions.partitions;
  EXPECT_EQ(all[0].broadcast[0].level, "gold");
  EXPECT_EQ(all[0].groups[0].options.level, "gold");
  EXPECT_NE(partition_map().show(all).find("ipoib: [{ level: gold }]"), std::string::npos);
}

TEST(Partitions, AHundredThousandMembersAreRead) {
  std::string define = "    big:\n      members:\n";
  for (int i = 1; i <= 100'000; ++i) define += fmt::format("        - 0x{:016x}\n", i);
  EXPECT_EQ(defined(std::move(define)).at(0).members.size(), 100'000u);
}

}  // namespace
}  // namespace weft::config
