#include "topology/blueprint.h"

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>

#include "shape.h"
#include "topology/ibsim_file.h"
#include "topology/load.h"

namespace weft::topology {
namespace {

Topology made(const std::string& text) {
  auto topology = from_blueprint(text);
  EXPECT_TRUE(topology.has_value()) << text << ": " << (topology ? "" : topology.error().what);
  return topology ? *topology : Topology{};
}

struct Counts {
  const char* text;
  std::size_t hosts;
  std::size_t switches;
  std::size_t cables;
};

class Family : public testing::TestWithParam<Counts> {};

TEST_P(Family, HasTheRightCountsAndHangsTogether) {
  const Topology topology = made(GetParam().text);
  EXPECT_EQ(hosts(topology), GetParam().hosts);
  EXPECT_EQ(switches(topology), GetParam().switches);
  EXPECT_EQ(topology.cables.size(), GetParam().cables);
  EXPECT_EQ(parts(topology), 1U);
  EXPECT_TRUE(validate(topology).has_value());
  EXPECT_EQ(topology.name, GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(
    All, Family,
    testing::Values(
        Counts{"fat-tree:radix=36,levels=3", 11664, 1620, 34992},
        Counts{"fat-tree:radix=24,levels=3", 3456, 720, 10368},
        Counts{"fat-tree:radix=12,levels=3", 432, 180, 1296}, Counts{"fat-tree:radix=36", 648, 54, 1296},
        Counts{"fat-tree:radix=64,levels=3,pods=16", 16384, 1280, 49152},
        Counts{"fat-tree:radix=36,leaves=9,oversubscription=2", 216, 12, 324},
        Counts{"fat-tree:radix=4,levels=5", 64, 144, 320},
        Counts{"xgft:m=18,18,36:w=1,18,18", 11664, 1620, 34992}, Counts{"xgft:m=4,4:w=2,2:p=1,2", 16, 12, 64},
        Counts{"dragonfly:p=7,a=14,h=7,g=99", 9702, 1386, 23562},
        Counts{"dragonfly:p=4,a=8,h=1", 288, 72, 576},
        Counts{"dragonfly:p=2,a=4,h=2,g=5,arrangement=palmtree", 40, 20, 90},
        Counts{"dragonfly:p=0,a=2,h=1,g=1,local-links=3", 0, 2, 3},
        Counts{"dragonfly+:leaves=4,spines=4,hosts=4,globals=4", 272, 136, 680}, Counts{"ring:6", 6, 6, 12},
        Counts{"ring:2:hosts=3", 6, 2, 7}, Counts{"torus:4,4,4:hosts=2", 128, 64, 320},
        Counts{"mesh:3,3:links=2", 9, 9, 33}, Counts{"hypercube:4:hosts=1", 16, 16, 48},
        Counts{"chain:24", 24, 24, 47}, Counts{"star:8", 8, 1, 8},
        Counts{"ring:6:rails=2,hosts=2", 12, 6, 18}, Counts{"ring:6:rails=2,rail-ports=1,hosts=2", 6, 6, 18},
        Counts{"random:switches=20,radix=12,hosts=40,links=60,seed=1", 40, 20, 100}));

TEST(Blueprint, GivesTheSameFabricForTheSameText) {
  for (const char* text :
       {"random:switches=30,radix=10,hosts=50,links=90,seed=7", "fat-tree:radix=8,levels=3:fail-links=9%"})
    EXPECT_EQ(made(text), made(text));
}

TEST(Blueprint, UsesEveryPortOfAFullFatTree) {
  const Topology tree = made("fat-tree:radix=12,levels=3");
  const auto used = degrees(tree);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i)
    EXPECT_EQ(used[i], tree.nodes[i].type == NodeType::switch_ ? 12U : 1U) << tree.nodes[i].id;
}

TEST(Blueprint, FillsTopSwitchesWithParallelLinks) {
  const Topology tree = made("fat-tree:radix=64,levels=3,pods=16");
  const auto used = degrees(tree);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i)
    if (tree.nodes[i].type == NodeType::switch_) {
      ASSERT_EQ(used[i], 64U) << tree.nodes[i].id;
    }
}

TEST(Blueprint, JoinsEveryPairOfDragonflyGroups) {
  for (const char* text : {"dragonfly:p=1,a=4,h=2,g=9", "dragonfly:p=1,a=4,h=2,g=9,arrangement=palmtree",
                           "dragonfly+:leaves=2,spines=4,hosts=1,globals=2,groups=9"}) {
    const Topology fabric = made(text);
    std::map<std::pair<std::string, std::string>, int> links;
    for (const Cable& cable : fabric.cables) {
      const auto group = [&](const End& end) {
        const std::string& id = fabric.nodes[end.node].id;
        return id.find("-g") == std::string::npos ? std::string() : id.substr(id.find("-g"), 5);
      };
      const std::pair<std::string, std::string> pair = std::minmax({group(cable.a), group(cable.b)});
      if (!pair.first.empty() && pair.first != pair.second) ++links[pair];
    }
    EXPECT_EQ(links.size(), 36U) << text;
    for (const auto& [pair, number] : links) EXPECT_EQ(number, 1) << text << pair.first << pair.second;
  }
}

TEST(Blueprint, GivesEverySwitchOfATorusTheSameDegree) {
  const Topology torus = made("torus:3,4,5:hosts=2,links=2");
  const auto used = degrees(torus);
  for (std::size_t i = 0; i < torus.nodes.size(); ++i)
    if (torus.nodes[i].type == NodeType::switch_) {
      EXPECT_EQ(used[i], 2U + 12U);
    }
}

TEST(Blueprint, PutsHostsFirstAndOnTheFirstPorts) {
  for (const char* text : {"fat-tree:radix=6", "dragonfly:p=2,a=3,h=1", "torus:3,3:hosts=2", "hypercube:3",
                           "random:switches=9,hosts=21,radix=8,links=12"}) {
    const Topology fabric = made(text);
    EXPECT_EQ(fabric.nodes.front().id, "h00000");
    std::map<std::uint32_t, std::set<unsigned>> host_ports;
    for (const Cable& cable : fabric.cables)
      if (fabric.nodes[cable.a.node].type == NodeType::hca)
        host_ports[cable.b.node].insert(raw(cable.b.port));
    for (const auto& [node, ports] : host_ports) EXPECT_EQ(*ports.rbegin(), ports.size()) << text;
  }
}

TEST(Blueprint, IsTheFabricOfTheNetFile) {
  for (const auto& [file, text] : {std::pair{"tree-12.net", "fat-tree:radix=6,leaves=4:speed=EDR"},
                                   std::pair{"dragonfly-24.net", "dragonfly:p=2,a=3,h=1,g=4:speed=EDR"}}) {
    const auto read = load(std::string(WEFT_SOURCE_DIR "/tests/fabrics/") + file);
    ASSERT_TRUE(read.has_value()) << read.error().what;
    Topology topology = made(text);
    topology.name = read->name;
    EXPECT_EQ(topology.nodes, read->nodes) << file;
    EXPECT_EQ(topology.cables, read->cables) << file;
  }
}

TEST(Blueprint, TakesSpeedWidthAndPorts) {
  const Topology ring = made("ring:3:speed=ndr,width=2x,ports=40");
  EXPECT_EQ(ring.cables.front().speed, LinkSpeed::ndr);
  EXPECT_EQ(ring.cables.front().width, LinkWidth::x2);
  EXPECT_EQ(ring.nodes.back().port_count, 40);
}

TEST(Blueprint, MakesConnectedRandomFabricsOfEveryTightness) {
  for (int seed = 0; seed < 200; ++seed) {
    const int size = 2 + seed % 9;
    const int most = size * 4 / 2 - 0;
    const int links = size - 1 + seed % (most - size + 2);
    const auto fabric = from_blueprint(
        fmt::format("random:switches={},radix=5,hosts={},links={},seed={}", size, size, links, seed));
    if (!fabric) {
      EXPECT_NE(fabric.error().what.find("no room"), std::string::npos) << fabric.error().what;
      continue;
    }
    EXPECT_EQ(parts(*fabric), 1U);
    EXPECT_EQ(fabric->cables.size(), static_cast<std::size_t>(size + links));
  }
}

struct Bad {
  const char* text;
  const char* part;  ///< Of the message.
};

class BadBlueprint : public testing::TestWithParam<Bad> {};

TEST_P(BadBlueprint, IsRefusedWithWhatIsAllowed) {
  const auto topology = from_blueprint(GetParam().text);
  ASSERT_FALSE(topology.has_value());
  EXPECT_EQ(topology.error().code, Errc::invalid);
  EXPECT_NE(topology.error().what.find(GetParam().part), std::string::npos) << topology.error().what;
}

INSTANTIATE_TEST_SUITE_P(
    All, BadBlueprint,
    testing::Values(
        Bad{"", "there are fat-tree"}, Bad{"tree:3", "there are fat-tree"}, Bad{"ring", "size is missing"},
        Bad{"ring:", "empty value"}, Bad{"ring:x", "allowed is 1 to 49151"}, Bad{"ring:3,4", "at most 1"},
        Bad{"ring:-1", "allowed is"}, Bad{"ring:99999999999999999999", "allowed is"},
        Bad{"ring:6:colour=3", "colour is not a parameter"}, Bad{"ring:6:hosts=1,hosts=2", "given twice"},
        Bad{"ring:6:fail-links=200%", "0% to 100%"}, Bad{"ring:6:fail-links=7", "only 6"},
        Bad{"ring:6:fail-links=6,keep-connected=1", "only 1"}, Bad{"ring:6:seed=x", "seed=x"},
        Bad{"ring:6:speed=FAST", "SDR"}, Bad{"ring:6:ports=2", "needs 3 ports"},
        Bad{"ring:49151:hosts=254", "at most 254"}, Bad{"ring:49151", "49151 LIDs"},
        Bad{"ring:5:rails=2", "blocks of 2"}, Bad{"torus:9999,9999,9999,9999,9999", "LIDs"},
        Bad{"torus:1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", "at most 15"}, Bad{"hypercube:16", "1 to 15"},
        Bad{"fat-tree:levels=3", "radix is missing"}, Bad{"fat-tree:radix=254,levels=4", "LIDs"},
        Bad{"fat-tree:radix=8,hosts=6,uplinks=4", "too many for 8"},
        Bad{"fat-tree:radix=8,levels=2,pods=3", "pods is not a parameter"},
        Bad{"xgft:m=4,4:w=1", "equally many"}, Bad{"xgft:m=200,200:w=1,200", "at most 254"},
        Bad{"xgft:m=4,4:w=9,4:p=2,1", "at most 15"}, Bad{"xgft:m=1:w=2:rails=2", "w1 above 1"},
        Bad{"dragonfly:p=1,a=2,h=1,g=9", "cannot reach 8"}, Bad{"dragonfly:p=54,a=100,h=100", "LIDs"},
        Bad{"dragonfly:p=1,a=2,h=1:arrangement=odd", "absolute, palmtree"},
        Bad{"random:switches=10,links=3", "cannot join"},
        Bad{"random:switches=3,radix=2,hosts=9", "do not fit"}, Bad{"star:255", "1 to 254"}));

TEST(Blueprint, NamesEveryFamilyInItsHelp) {
  for (const char* family : {"fat-tree:", "xgft:", "dragonfly:", "dragonfly+:", "torus:", "mesh:", "ring:",
                             "chain:", "hypercube:", "star:", "random:"})
    EXPECT_NE(blueprint_help().find(family), std::string::npos) << family;
}

}  // namespace
}  // namespace weft::topology
