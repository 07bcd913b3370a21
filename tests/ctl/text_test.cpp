#include "ctl/text.h"

#include <cstdlib>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>
#include <boost/json/parse.hpp>

namespace weft::ctl {
namespace {

namespace json = boost::json;

std::string folder() { return WEFT_SOURCE_DIR "/tests/ctl/golden/"; }

std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The text for golden/<name>.json must be golden/<name>.txt; UPDATE_GOLDEN=1 rewrites it.
void expect_golden(const std::string& name, std::string (*to_text)(const json::value&, const Style&),
                   Style style = {}) {
  const std::string input = content(folder() + name.substr(0, name.find('@')) + ".json");
  ASSERT_FALSE(input.empty()) << name;
  const std::string made = to_text(json::parse(input), style);
  const std::string file = folder() + name + ".txt";
  if (std::getenv("UPDATE_GOLDEN") != nullptr) std::ofstream(file, std::ios::binary) << made;
  EXPECT_EQ(made, content(file));
}

TEST(StatusText, ShowsAHealthyFabric) { expect_golden("status", status_text); }
TEST(StatusText, ShowsWhatIsWrong) { expect_golden("status-trouble", status_text); }
TEST(StatusText, Colours) {
  expect_golden("status-trouble@colour", status_text, {.width = 80, .colour = true});
}
TEST(StatusText, ShowsADaemonWithoutADevice) { expect_golden("status-waiting", status_text); }
TEST(NodesText, ListsNodes) { expect_golden("nodes", nodes_text); }
TEST(LinksText, ListsLinks) { expect_golden("links", links_text); }
TEST(PathText, ShowsEveryHop) { expect_golden("path", path_text); }
TEST(EventsText, ShowsOneLineEach) { expect_golden("events", events_text); }
TEST(SweepText, ShowsPhases) { expect_golden("sweep", sweep_text); }
TEST(ConfigText, ShowsOrigins) { expect_golden("config", config_text); }

TEST(StatusText, ListsWhatADaemonWithoutIssuesSaysIsWrong) {
  const std::string text = status_text(json::parse(R"({"state":"master",
    "problems":[{"node":"0x0002c90300000010","name":"leaf-3","what":"PortInfo of port 7: no answer"}],
    "missing":["switch leaf-9 is gone"],
    "dirty":[{"node":"0x0002c90300000011","name":null,"what":"P_Key block 0","why":"timeout"}]})"),
                                       {});
  EXPECT_TRUE(
      text.ends_with("\nProblems\n  0x0002c90300000010 (leaf-3): PortInfo of port 7: no answer\n"
                     "\nMissing\n  switch leaf-9 is gone\n"
                     "\nLeft dirty\n  0x0002c90300000011: P_Key block 0: timeout\n"))
      << text;
}

TEST(Texts, TakeWhatLacksEverything) {
  for (const auto* text :
       {"{}", "null", "[1]", R"({"nodes":[1],"hops":{},"fabric":{},"routing":{},"plan":{}})"}) {
    const json::value value = json::parse(text);
    for (const auto to_text :
         {status_text, nodes_text, links_text, path_text, events_text, sweep_text, config_text}) {
      EXPECT_NO_THROW(to_text(value, {}));
    }
  }
}

}  // namespace
}  // namespace weft::ctl
