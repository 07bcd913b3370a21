#include "topology/load.h"

#include <gtest/gtest.h>
#include <fstream>

#include "topology/blueprint.h"
#include "topology/json_file.h"

namespace weft::topology {
namespace {

TEST(Load, MakesABlueprint) { EXPECT_EQ(load("ring:6").value(), from_blueprint("ring:6").value()); }

TEST(Load, PicksTheReaderByContent) {
  Topology ring = from_blueprint("ring:3").value();
  const std::string path = testing::TempDir() + "weft_load_test.txt";
  std::ofstream(path) << write_json(ring);
  EXPECT_EQ(load(path).value(), ring);
  EXPECT_EQ(load(WEFT_SOURCE_DIR "/tests/fabrics/tree-12.net").value().nodes.size(), 19U);
}

TEST(Load, SaysThatAFileIsMissing) {
  for (const char* name : {"no/such:6", "missing.net", "missing.json"}) {
    const auto topology = load(name);
    ASSERT_FALSE(topology.has_value());
    EXPECT_EQ(topology.error().code, Errc::unavailable);
    EXPECT_NE(topology.error().what.find("No such file"), std::string::npos) << topology.error().what;
  }
}

TEST(Load, SaysWhatItTried) {
  const auto topology = load("rink:6");
  ASSERT_FALSE(topology.has_value());
  EXPECT_NE(topology.error().what.find("no file \"rink:6\""), std::string::npos);
  EXPECT_NE(topology.error().what.find("ring"), std::string::npos);
}

TEST(Load, RefusesADirectory) { EXPECT_NE(load("/").error().what.find("directory"), std::string::npos); }

}  // namespace
}  // namespace weft::topology
