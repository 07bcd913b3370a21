// Names in the configuration that tell routing what switches and hosts are.

#include "plan/naming.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/support/fabric_of.h"

namespace weft::plan {
namespace {

using test::fabric_of;

TEST(PartNamed, IsWhatStandsInThePlaceOfTheBraces) {
  EXPECT_EQ(part_named("R-g{}-*", "R-g002-17"), "002");
  EXPECT_EQ(part_named("{}", "abc"), "abc");
  EXPECT_EQ(part_named("*-{}", "a-b"), "b");
  EXPECT_EQ(part_named("R-*", "R-g002-17"), "");
  EXPECT_EQ(part_named("R-g{}-*", "L-g002-17"), std::nullopt);
  EXPECT_EQ(part_named("R{}", "R"), std::nullopt);
}

TEST(ReadNames, PutsSwitchesOfOneGroupTogether) {
  const fabric::Fabric fabric = fabric_of("dragonfly:p=1,a=4,h=1,g=5");
  const Naming naming = read_names(fabric, {.groups = {"R-g{}-*"}});
  ASSERT_EQ(naming.groups.size(), 20u);
  EXPECT_EQ(naming.groups[0].second, naming.groups[3].second);
  EXPECT_NE(naming.groups[3].second, naming.groups[4].second);
  EXPECT_TRUE(naming.notes.empty());
}

TEST(ReadNames, TellsKindsAndRanksAndWordsThatMeanNobody) {
  const fabric::Fabric fabric = fabric_of("fat-tree:radix=4,levels=2");
  const Naming naming = read_names(
      fabric,
      {.ranks = {{"*leaf", 0}, {"*spine", 1}}, .storage = {"h00001*", "nobody"}, .io_nodes = {"h0000?*"}});
  EXPECT_EQ(naming.ranks.size(), 6u);
  EXPECT_EQ(std::ranges::count(naming.kinds, 1), 1);
  EXPECT_EQ(std::ranges::count(naming.kinds, 2), 7);
  EXPECT_EQ(naming.notes, std::vector<std::string>{"storage: \"nobody\" is no host of this fabric"});
}

}  // namespace
}  // namespace weft::plan
