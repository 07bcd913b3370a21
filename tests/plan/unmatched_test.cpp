#include "plan/unmatched.h"

#include <gtest/gtest.h>

#include "tests/support/fabric_of.h"
#include "topology/load.h"

namespace weft::plan {
namespace {

std::string all_of(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += text + "\n";
  return all;
}

struct Tree {
  topology::Topology topology = *topology::load("fat-tree:radix=4,levels=2");
  fabric::Fabric fabric = test::fabric_of(topology);
  const fabric::Node& host() const {
    for (const fabric::Node& node : fabric.nodes())
      if (node.type == NodeType::hca) return node;
    throw std::logic_error("no host");
  }
};

TEST(Unmatched, IsNothingWithoutNames) {
  const Tree tree;
  EXPECT_TRUE(unmatched(tree.fabric, Config{}).empty());
}

TEST(Unmatched, TellsRootsThatAreNoneAndThoseBelowTheTop) {
  const Tree tree;
  Config config;
  config.routing.roots = {"nobody-*", "*"};
  const std::string told = all_of(unmatched(tree.fabric, config));
  EXPECT_NE(told.find("routing.roots: root \"nobody-*\" is no switch"), std::string::npos) << told;
  EXPECT_NE(told.find("carries hosts, and other switches do not"), std::string::npos) << told;
}

TEST(Unmatched, TellsRanksGroupsAndKindsOfNobody) {
  const Tree tree;
  Config config;
  config.routing.ranks["nowhere*"] = 1;
  config.routing.groups = {"none-{}"};
  config.routing.storage = {"oss*"};
  config.routing.io_nodes = {"0x7777"};
  EXPECT_EQ(unmatched(tree.fabric, config),
            (std::vector<std::string>{"routing.ranks: \"nowhere*\" is no switch of this fabric",
                                      "routing.group \"none-{}\" is no switch of this fabric",
                                      "routing.storage: \"oss*\" is no host of this fabric",
                                      "routing.io_nodes: \"0x7777\" is no host of this fabric"}));
}

TEST(Unmatched, TellsFixedLidsOfNobodyAndOfNodes) {
  const Tree tree;
  Config config;
  const fabric::Node& host = tree.host();
  config.lids.fixed[Guid{0xabc}] = Lid{7};
  config.lids.fixed[host.guid] = Lid{8};
  const std::string told = all_of(unmatched(tree.fabric, config));
  EXPECT_NE(told.find("no port of this fabric has the GUID 0x0000000000000abc; LID 7"), std::string::npos)
      << told;
  const bool port_has_it_too = tree.fabric.find_port(host.guid).has_value();
  EXPECT_EQ(told.find("is the GUID of a node") != std::string::npos, !port_has_it_too) << told;
}

TEST(Unmatched, TellsNamesForNobody) {
  const Tree tree;
  Config config;
  config.names[Guid{0xabc}] = "storage";
  config.names[tree.host().guid] = "known";
  const std::vector<std::string> told = unmatched(tree.fabric, config);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0], "names: no node of this fabric has the GUID 0x0000000000000abc, called \"storage\"");
}

TEST(Unmatched, SaysHowManyMoreThereAre) {
  const Tree tree;
  Config config;
  for (std::uint64_t guid = 0xa00; guid < 0xa20; ++guid) config.names[Guid{guid}] = "x";
  const std::vector<std::string> told = unmatched(tree.fabric, config);
  ASSERT_EQ(told.size(), 21u);
  EXPECT_EQ(told.back(), "names: and 12 more");
}

}  // namespace
}  // namespace weft::plan
