#include "sim/port_sets.h"

#include <gtest/gtest.h>

#include "tests/sim/fabrics.h"

namespace weft::sim {
namespace {

/// Two leaves (s0, s1; hosts at port 3) under two spines (s2, s3), every leaf's port 1 and 2 up.
struct Tree : Lab {
  Tree() : Lab(cabling()) {
    make_active();
    entry("s0", lid_of("h0"), 3);
    entry("s1", lid_of("h1"), 3);
    entry("s0", lid_of("s0"), 0);
    entry("s1", lid_of("s1"), 0);
  }
  static topology::Topology cabling() {
    Cabling c;
    for (int i = 0; i < 4; ++i) c.add_switch(4);
    for (const std::uint32_t leaf : {0u, 1u})
      for (const std::uint32_t spine : {2u, 3u})
        c.cable(leaf, static_cast<int>(spine) - 1, spine, static_cast<int>(leaf) + 1);
    c.host_at(0, 3);
    c.host_at(1, 3);
    return c.topology;
  }
  std::string guid(std::string_view id) const {
    return fmt::format("0x{:016x}", raw(world.node(node(id)).guid));
  }
  /// s0's set for s1, s1's for s0, and the spines' ways down.
  std::string json(std::string_view up0 = "[1, 2]", std::string_view spine = "[[1], [2]]") const {
    const auto lids = [this](const char* host, const char* sw) {
      const Lab& lab = *this;
      const unsigned a = raw(lab.world.port(lab.port(host, 1)).info.lid);
      const unsigned b = raw(lab.world.port(lab.port(sw, 0)).info.lid);
      return fmt::format("[[{}, {}], [{}, {}]]", a, a, b, b);
    };
    return fmt::format(
        R"({{"port_sets": 1,
            "destinations": [{{"switch": "{0}", "lids": {4}}}, {{"switch": "{1}", "lids": {5}}}],
            "switches": [{{"guid": "{0}", "sets": [{6}], "of": [[-1, 0]]}},
                         {{"guid": "{1}", "sets": [[1, 2]], "of": [[0, -1]]}},
                         {{"guid": "{2}", "sets": {7}, "of": [[0, 1]]}},
                         {{"guid": "{3}", "sets": {7}, "of": [[0, 1]]}}]}})",
        guid("s0"), guid("s1"), guid("s2"), guid("s3"), lids("h0", "s0"), lids("h1", "s1"), up0, spine);
  }
  SetsVerdict verdict(const std::string& text) const {
    const Result<PortSets> sets = port_sets_from(world, text);
    if (!sets) return {0, {sets.error().what}, ""};
    return judge_port_sets(world, *sets);
  }
};

TEST(PortSets, OfATreeArriveByEveryMember) {
  Tree tree;
  const SetsVerdict verdict = tree.verdict(tree.json());
  EXPECT_TRUE(verdict.good()) << (verdict.failures.empty() ? verdict.credit_loop : verdict.failures.front());
  EXPECT_GE(verdict.walked, 8u);
}

TEST(PortSets, TellADeadMember) {
  Tree tree;
  tree.world.cut_link(tree.node("s0"), PortNum{2});
  const SetsVerdict verdict = tree.verdict(tree.json());
  ASSERT_FALSE(verdict.failures.empty());
  EXPECT_EQ(verdict.failures.front(), "s3[1], a member for s0, leads to no switch");
}

TEST(PortSets, TellAWayInACircle) {
  Tree tree;
  // The spines send what is for s1 back to s0.
  const SetsVerdict verdict = tree.verdict(tree.json("[1, 2]", "[[1], [1]]"));
  ASSERT_FALSE(verdict.failures.empty());
  EXPECT_NE(verdict.failures.front().find("can go in a circle through s2[1]"), std::string::npos)
      << verdict.failures.front();
  EXPECT_NE(verdict.credit_loop, "");
}

TEST(PortSets, TellAMissingSetAndALidElsewhere) {
  Tree tree;
  tree.entry("s1", tree.lid_of("h1"), 4);
  const SetsVerdict verdict = tree.verdict(tree.json("[]"));
  ASSERT_EQ(verdict.failures.size(), 3u);
  EXPECT_EQ(verdict.failures[0], "no port set for s1 at s0[0]");
  EXPECT_EQ(verdict.failures[1], "no port set for s1 at s0[3]");
  EXPECT_EQ(verdict.failures[2], fmt::format("LID {} is not behind s1", raw(tree.lid_of("h1"))));
}

TEST(PortSets, AreRefusedWithTheirPlace) {
  Tree tree;
  const auto refusal = [&](const std::string& text) {
    const Result<PortSets> sets = port_sets_from(tree.world, text);
    return sets ? std::string("taken") : sets.error().what;
  };
  EXPECT_EQ(refusal("{"), "port sets: no JSON: incomplete JSON");
  EXPECT_EQ(refusal("{}"), "port sets: the document has no \"port_sets\"");
  EXPECT_EQ(refusal(tree.json("[9]")), "port sets: s0: 9 is not from 1 to 4");
  EXPECT_EQ(refusal(tree.json("[1]", "[[1]]")), "port sets: s2: 1 is not from -2 to 0");
  const auto with_spare = [&tree](const char* spare) {
    std::string text = tree.json();
    const std::string sets = "\"sets\": [[1, 2]], ";
    return text.insert(text.find(sets) + sets.size(), fmt::format("\"spare\": {}, ", spare));
  };
  EXPECT_EQ(refusal(with_spare("[[2]]")), "taken");
  EXPECT_EQ(refusal(with_spare("[[3]]")), "port sets: s0: spare port 3 is no member of set 0");
  EXPECT_EQ(refusal(with_spare("[[1, 2]]")), "port sets: s0: set 0 has spare members alone");
  EXPECT_EQ(refusal(with_spare("[]")), "port sets: s0: spare members of 0 of 1 sets");
  std::string unknown = tree.json();
  unknown.replace(unknown.find(tree.guid("s2")), 18, "0x00000000000000aa");
  EXPECT_EQ(refusal(unknown), "port sets: a switch: no switch 0x00000000000000aa");
}

}  // namespace
}  // namespace weft::sim
