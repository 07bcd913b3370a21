// Partitions and levels from several files: all or nothing, and every problem with its file and place.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "config/read.h"

namespace weft::config {
namespace {

class PolicyFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "weft-policy-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void file(const std::string& name, std::string_view text) const {
    std::ofstream(folder_ + "/" + name) << text;
  }
  Result<Loaded> read() const { return read_file(folder_ + "/weft.yaml"); }
  /// The problems, without the folder in their names.
  std::string problems() const {
    const Result<Loaded> loaded = read();
    if (loaded) return "";
    std::string text = loaded.error().what;
    for (std::size_t at; (at = text.find(folder_ + "/")) != text.npos;) text.erase(at, folder_.size() + 1);
    return text;
  }
  std::string folder_;
};

TEST_F(PolicyFiles, AreTakenTogether) {
  file("weft.yaml",
       "partitions: { include: [ a.yaml, b.yaml ], opensm_file: p.conf, define: { own: { key: 1 } } }\n"
       "qos: { opensm_file: q.conf }\n");
  file("a.yaml", "red: { key: 2, members: [ hosts ], ipoib: { level: DEFAULT } }\n");
  file("b.yaml", "");
  file("p.conf", "Default=0x7fff : ALL ;\nblue=3 : SELF ;\n");
  file("q.conf",
       "port-groups\nport-group\nname: g\npartition: red\nend-port-group\nend-port-groups\n"
       "qos-levels\nqos-level\nname: DEFAULT\nsl: 2\nend-qos-level\nend-qos-levels\n"
       "qos-match-rules\nqos-match-rule\nsource: g\nqos-level-name: DEFAULT\nend-qos-match-rule\n"
       "end-qos-match-rules\n");
  const Result<Loaded> loaded = read();
  ASSERT_TRUE(loaded) << loaded.error().what;
  std::vector<std::string> names;
  for (const auto& one : loaded->settings.plan.partitions.partitions) names.push_back(one.name);
  EXPECT_EQ(names, (std::vector<std::string>{"own", "red", "Default", "blue"}));
  EXPECT_EQ(loaded->settings.plan.qos.rules.at(0).source.partitions.at(0).partition, "red");
}

TEST_F(PolicyFiles, TellWhereAPartitionStandsTwice) {
  file("weft.yaml",
       "partitions: { include: [ a.yaml ], opensm_file: p.conf, define: { own: { key: 1 } } }\n");
  file("a.yaml", "red: { key: 2 }\n# more\nown: { key: 3 }\nblue: { key: 0x8001 }\n");
  file("p.conf", "\n  green=2 : ALL ;\n");
  EXPECT_EQ(problems(),
            "a.yaml:3:1: partition \"own\" is defined twice\n"
            "a.yaml:4:1: partitions \"own\" and \"blue\" both have the key 0x0001\n"
            "p.conf:2:3: partitions \"red\" and \"green\" both have the key 0x0002");
}

TEST_F(PolicyFiles, AFileThatIncludesItselfOrIsNoneIsRefusedByItsPlace) {
  file("weft.yaml", "partitions:\n  include: [ weft.yaml ]\n");
  EXPECT_EQ(problems().substr(0, 60),
            std::string("weft.yaml:2:3: a partition has no \"include\"; it has key, members").substr(0, 60));
  file("weft.yaml", "partitions:\n  include: [ a.yaml, gone.yaml ]\n");
  file("a.yaml", "red: { key: 2 }\n");
  EXPECT_NE(problems().find("weft.yaml:2:3: partitions.include: gone.yaml: No such file"), std::string::npos)
      << problems();
  file("weft.yaml", "partitions:\n  include: [ a.yaml, a.yaml ]\n");
  EXPECT_NE(problems().find("weft.yaml:2:22: partitions.include: \"a.yaml\" stands here twice"),
            std::string::npos)
      << problems();
}

TEST_F(PolicyFiles, NamesAreLookedForInAllOfThem) {
  file("weft.yaml",
       "partitions: { include: [ a.yaml ] }\n"
       "qos:\n  levels: { gold: {} }\n  rules: [ { level: gold, partition: red } ]\n");
  file("a.yaml", "red: { ipoib: { level: gold } }\n");
  EXPECT_EQ(problems(), "");
  file("a.yaml", "rde:\n  ipoib: { level: gould }\n");
  EXPECT_EQ(problems(),
            "weft.yaml:4:38: qos.rules: there is no partition \"red\"; did you mean rde?\n"
            "a.yaml:2:19: there is no level \"gould\"; did you mean gold?");
}

TEST_F(PolicyFiles, LevelsStandInOnePlace) {
  file("weft.yaml", "qos:\n  levels: { a: {} }\n  opensm_file: q.conf\n");
  file("q.conf", "qos-ulps\ndefault : 0\nend-qos-ulps\n");
  EXPECT_EQ(
      problems(),
      "weft.yaml:3:3: qos.opensm_file: there are levels or rules in the configuration too; keep one of both");
}

}  // namespace
}  // namespace weft::config
