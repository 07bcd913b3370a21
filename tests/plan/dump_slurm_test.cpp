#include "plan/dump_slurm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include "tests/plan/addressed.h"
#include "tests/support/fabric_of.h"

namespace weft::plan {
namespace {

std::string slurm_of(const char* blueprint, SlurmOptions options = {}) {
  const Published published{test::fabric_of(blueprint)};
  const auto text = slurm_topology(published.view, places_of(published.view), options);
  return text ? *text : "refused: " + text.error().what;
}

/// Without the remarks.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    line = line.substr(0, line.find('#'));
    line.erase(line.find_last_not_of(' ') + 1);
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

/// Slurm's own reading of a host list, by its manual: words with at most one range in brackets.
std::vector<std::string> spelled_out(const std::string& list) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = list.find_first_of("[,", at);
    const std::string word = list.substr(at, end - at);
    if (end == std::string::npos || list[end] == ',') {
      names.push_back(word);
      at = end == std::string::npos ? list.size() : end + 1;
      continue;
    }
    const std::size_t close = list.find(']', end);
    std::istringstream ranges(list.substr(end + 1, close - end - 1));
    for (std::string range; std::getline(ranges, range, ',');) {
      const std::string first = range.substr(0, range.find('-'));
      const std::string last =
          range.find('-') == std::string::npos ? first : range.substr(range.find('-') + 1);
      for (unsigned long n = std::stoul(first); n <= std::stoul(last); ++n) {
        const std::string digits = std::to_string(n);
        names.push_back(word +
                        std::string(first.size() > digits.size() ? first.size() - digits.size() : 0, '0') +
                        digits);
      }
    }
    at = close + 2;
  }
  return names;
}

std::string value_of(const std::string& line, const std::string& key) {
  const std::size_t at = line.find(key + "=");
  if (at == std::string::npos) return "";
  const std::size_t begin = at + key.size() + 1;
  return line.substr(begin, line.find(' ', begin) - begin);
}

TEST(HostList, SpellsRunsOfNumbersAsSlurmReadsThem) {
  EXPECT_EQ(host_list({"h3", "h1", "h2"}), "h[1-3]");
  EXPECT_EQ(host_list({"h08", "h09", "h10", "h12", "h9"}), "h9,h[08-10,12]");
  EXPECT_EQ(host_list({"login", "h7"}), "h7,login");
  EXPECT_EQ(host_list({}), "");
}

TEST(HostList, LosesNoName) {
  const std::vector<std::string> names{"a1",  "a02", "a2",           "a003", "b", "b1",
                                       "c-1", "c-2", "x99999999999", "7",    "8"};
  const std::vector<std::string> back = spelled_out(host_list(names));
  EXPECT_EQ(std::multiset<std::string>(back.begin(), back.end()),
            std::multiset<std::string>(names.begin(), names.end()));
}

TEST(Slurm, TellsATreeOfThreeRanksByItsPods) {
  EXPECT_EQ(lines_of(slurm_of("fat-tree:radix=4,levels=3")),
            (std::vector<std::string>{
                "SwitchName=L1-00-00 Nodes=h[00000-00001]", "SwitchName=L1-00-01 Nodes=h[00002-00003]",
                "SwitchName=L1-01-00 Nodes=h[00004-00005]", "SwitchName=L1-01-01 Nodes=h[00006-00007]",
                "SwitchName=L1-02-00 Nodes=h[00008-00009]", "SwitchName=L1-02-01 Nodes=h[00010-00011]",
                "SwitchName=L1-03-00 Nodes=h[00012-00013]", "SwitchName=L1-03-01 Nodes=h[00014-00015]",
                "SwitchName=pod-1 Switches=L1-00-[00-01]", "SwitchName=pod-2 Switches=L1-01-[00-01]",
                "SwitchName=pod-3 Switches=L1-02-[00-01]", "SwitchName=pod-4 Switches=L1-03-[00-01]",
                "SwitchName=fabric Switches=pod-[1-4]"}));
}

TEST(Slurm, NamesTheTopOfATreeWithOneSwitchThere) {
  const std::string text = slurm_of("xgft:m=3,4:w=1,1");
  EXPECT_EQ(lines_of(text).size(), 5u) << text;
  EXPECT_EQ(text.find("SwitchName=fabric"), std::string::npos) << text;
}

TEST(Slurm, TellsDragonfliesByTheirGroupsAsBlocks) {
  const std::string text = slurm_of("dragonfly:p=2,a=4,h=2,g=9");
  const std::vector<std::string> lines = lines_of(text);
  ASSERT_EQ(lines.size(), 10u) << text;
  EXPECT_EQ(lines[0], "BlockName=group-0 Nodes=h[00000-00007]");
  EXPECT_EQ(lines[8], "BlockName=group-8 Nodes=h[00064-00071]");
  EXPECT_EQ(lines[9], "BlockSizes=8");
  EXPECT_NE(text.find("topology/block"), std::string::npos);
  const std::vector<std::string> tree =
      lines_of(slurm_of("dragonfly:p=2,a=4,h=2,g=9", {SlurmPlugin::tree, "*"}));
  ASSERT_EQ(tree.size(), 36u + 9 + 1);
  EXPECT_EQ(tree[36], "SwitchName=group-0 Switches=R-g000-[00-03]");
  EXPECT_EQ(tree[45], "SwitchName=fabric Switches=group-[0-8]");
}

/// What topology/tree asks for: each host on one switch, each switch below one other, all names once, and one
/// top to a connected fabric.
void expect_hierarchy(const std::string& text, std::size_t hosts) {
  std::map<std::string, int> above;
  std::set<std::string> switches;
  std::size_t nodes = 0;
  for (const std::string& line : lines_of(text)) {
    const std::string name = value_of(line, "SwitchName");
    ASSERT_FALSE(name.empty()) << line;
    EXPECT_TRUE(switches.insert(name).second) << name << " stands twice";
    for (const std::string& node : spelled_out(value_of(line, "Nodes"))) {
      EXPECT_EQ(++above["node " + node], 1) << node;
      ++nodes;
    }
    for (const std::string& below : spelled_out(value_of(line, "Switches"))) {
      EXPECT_TRUE(switches.contains(below)) << below << " is named before it is told";
      EXPECT_EQ(++above[below], 1) << below;
    }
  }
  EXPECT_EQ(nodes, hosts);
  std::size_t tops = 0;
  for (const std::string& one : switches) tops += above.contains(one) ? 0 : 1;
  EXPECT_EQ(tops, 1u) << text;
}

TEST(Slurm, IsAHierarchyWhateverTheFabric) {
  for (const char* blueprint :
       {"fat-tree:radix=4,levels=3", "fat-tree:radix=6,levels=3,fail-links=5,seed=3,keep-connected=1",
        "fat-tree:radix=4,levels=4", "dragonfly:p=2,a=4,h=2,g=9",
        "dragonfly+:leaves=2,spines=2,hosts=2,globals=2,groups=5", "ring:5:hosts=2", "torus:3,3:hosts=1"}) {
    SCOPED_TRACE(blueprint);
    const fabric::Fabric fabric = test::fabric_of(blueprint);
    const Published published{test::fabric_of(blueprint)};
    const auto text = slurm_topology(published.view, places_of(published.view), {SlurmPlugin::tree, "*"});
    ASSERT_TRUE(text) << text.error().what;
    expect_hierarchy(*text, fabric.host_count());
  }
}

TEST(Slurm, TakesOnlyTheHostsItIsToldOf) {
  EXPECT_EQ(lines_of(slurm_of("fat-tree:radix=4,levels=3", {std::nullopt, "h0000*"})).front(),
            "SwitchName=L1-00-00 Nodes=h[00000-00001]");
  EXPECT_EQ(slurm_of("ring:5:hosts=2", {std::nullopt, "nobody*"}),
            "refused: no host called nobody* hangs on a switch");
}

TEST(Slurm, MakesNoBlocksWhereThereAreNoGroups) {
  EXPECT_TRUE(slurm_of("ring:5:hosts=2", {SlurmPlugin::block, "*"})
                  .starts_with("refused: this fabric has no groups"));
}

TEST(Slurm, SaysThatHostsAreAway) {
  Published published{test::fabric_of("ring:5:hosts=2")};
  const auto text_now = [&] { return *slurm_topology(published.view, places_of(published.view), {}); };
  EXPECT_EQ(text_now().find("away"), std::string::npos);
  auto plan = std::make_shared<Plan>(*published.view.plan);
  const auto host = std::ranges::find_if(plan->problem.destinations,
                                         [](const routing::Destination& one) { return !one.is_switch(); });
  ASSERT_NE(host, plan->problem.destinations.end());
  host->away = true;
  published.view.plan = plan;
  EXPECT_NE(text_now().find("\n# 1 host that was here before is away: not in this file.\n"),
            std::string::npos)
      << text_now();
}

TEST(Slurm, CountsAnAdapterWithANameThatIsThereOnce) {
  fabric::Builder builder = test::builder_from(test::fabric_of("ring:5:hosts=2"));
  const fabric::Fabric before = test::fabric_of("ring:5:hosts=2");
  for (const Guid port : {host_ports(before)[0], host_ports(before)[3]})
    builder.set_description(before.node(before.find_port(port)->node).guid, "twin mlx5_0");
  const Published published(builder.build());
  const auto text = slurm_topology(published.view, places_of(published.view), {});
  ASSERT_TRUE(text);
  EXPECT_EQ(text->find("twin"), text->rfind("twin")) << *text;
  EXPECT_NE(text->find("1 adapter of hosts that are here already"), std::string::npos) << *text;
}

}  // namespace
}  // namespace weft::plan
