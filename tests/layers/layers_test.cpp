// The layers of docs/design.md, section 3, kept: every include line of every folder is read.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/layers/rules.h"

namespace weft::layers {
namespace {

namespace fs = std::filesystem;

/// All sources of the project, in order of path; not what was built.
std::vector<Source> sources() {
  std::vector<Source> found;
  const fs::path root(WEFT_SOURCE_DIR);
  for (const auto& top : fs::directory_iterator(root)) {
    const std::string folder = top.path().filename().string();
    if (!top.is_directory() || folder.starts_with('.') || folder.starts_with("build")) continue;
    for (const auto& entry : fs::recursive_directory_iterator(top.path())) {
      const std::string extension = entry.path().extension().string();
      if (!entry.is_regular_file() || (extension != ".h" && extension != ".cpp" && extension != ".c"))
        continue;
      std::ostringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      found.push_back({entry.path().lexically_relative(root).generic_string(), text.str()});
    }
  }
  std::ranges::sort(found, {}, &Source::path);
  return found;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST(Layers, AreKeptByEveryInclude) {
  std::size_t read = 0;
  for (const Source& source : sources()) {
    if (!has_rules(folder_of(source.path))) continue;
    EXPECT_EQ(joined(forbidden_includes(source)), "");
    ++read;
  }
  EXPECT_GT(read, 30u) << "the sources were not found in " WEFT_SOURCE_DIR;
}

TEST(Layers, HaveRulesForEveryFolder) {
  for (const Source& source : sources()) {
    const std::string_view folder = folder_of(source.path);
    const bool free = folder == "tests" || folder == "bench" || folder == "cmake" || folder == "scripts";
    EXPECT_TRUE(free || has_rules(folder)) << source.path;
  }
}

TEST(Phrases, ThatAreForbiddenStandNowhere) {
  for (const Source& source : sources()) EXPECT_EQ(joined(forbidden_phrases(source)), "");
}

std::string include_error(const std::string& path, const std::string& line) {
  return joined(forbidden_includes({path, "#pragma once\n" + line + "\n"}));
}

TEST(ForbiddenIncludes, FindsAFolderThatIsNotBelow) {
  EXPECT_EQ(include_error("mad/x.h", "#include \"fabric/fabric.h\""),
            "mad/x.h:2: mad may not include fabric (\"fabric/fabric.h\")\n");
  EXPECT_EQ(include_error("mad/x.h", "  #  include \"base/ids.h\""), "");
  EXPECT_EQ(include_error("mad/x.h", "#include \"mad/mad.h\""), "");
  EXPECT_NE(include_error("mad/x.h", "  #  include \"log/log.h\""), "");
  EXPECT_NE(include_error("sim/x.h", "#include \"fabric/fabric.h\""), "");
  EXPECT_NE(include_error("base/x.h", "#include \"nowhere/x.h\""), "");
  EXPECT_NE(include_error("base/x.h", "#include \"ids.h\""), "");
}

TEST(ForbiddenIncludes, CountsSubFoldersAsTheirFolder) {
  EXPECT_EQ(include_error("transport/umad/x.cpp", "#include \"log/log.h\""), "");
  EXPECT_NE(include_error("transport/ibsim/x.cpp", "#include \"fabric/fabric.h\""), "");
  EXPECT_EQ(include_error("discovery/x.cpp", "#include \"transport/umad/x.h\""), "");
}

TEST(ForbiddenIncludes, LetsOnlyTheDaemonsMainSeeTheSimulator) {
  EXPECT_EQ(include_error("daemon/main.cpp", "#include \"sim/sim.h\""), "");
  EXPECT_NE(include_error("daemon/sweeper.cpp", "#include \"sim/sim.h\""), "");
  EXPECT_NE(include_error("daemon/main.cpp", "#include \"ctl/ctl.h\""), "");
}

TEST(ForbiddenIncludes, KeepsHeavyHeadersOutOfPureFolders) {
  EXPECT_EQ(include_error("plan/x.h", "#include <boost/asio/awaitable.hpp>"),
            "plan/x.h:2: <boost/asio/awaitable.hpp> in a pure folder\n");
  EXPECT_NE(include_error("fabric/x.h", "#include <spdlog/spdlog.h>"), "");
  EXPECT_EQ(include_error("transport/x.h", "#include <boost/asio.hpp>"), "");
  EXPECT_EQ(include_error("config/x.cpp", "#include <yaml-cpp/yaml.h>"), "");
  EXPECT_NE(include_error("daemon/x.cpp", "#include <yaml-cpp/yaml.h>"), "");
  EXPECT_EQ(include_error("transport/umad/x.cpp", "#include <infiniband/umad.h>"), "");
  EXPECT_NE(include_error("mad/x.cpp", "#include <infiniband/mad.h>"), "");
}

std::string phrase_error(const std::string& text) { return joined(forbidden_phrases({"a.cpp", text})); }

TEST(ForbiddenPhrases, FindsAnAwaitInACondition) {
  EXPECT_EQ(phrase_error("\nif (co_await ready()) go();"), "a.cpp:2: co_await in the condition of if\n");
  EXPECT_NE(phrase_error("while (!(co_await next(a, (b)))) {}"), "");
  EXPECT_NE(phrase_error("switch (co_await kind()) {}"), "");
  EXPECT_NE(phrase_error("if (auto r = co_await f();\n    r) {}"), "");
  EXPECT_EQ(phrase_error("if (ready) co_await f();"), "");
  EXPECT_EQ(phrase_error("if (f(x)) { const auto r = co_await g(); }"), "");
  EXPECT_EQ(phrase_error("// never if (co_await x)\nconst char* s = \"if (co_await x)\"; char c = '\"';"),
            "");
  EXPECT_EQ(phrase_error("int n = 1'000; if (n) co_await f();"), "");
}

TEST(ForbiddenPhrases, FindsWhatIsLeftToDo) {
  EXPECT_EQ(phrase_error(std::string("// TO") + "DO: later"), std::string("a.cpp:1: TO") + "DO\n");
  EXPECT_NE(phrase_error(std::string("\n// FIX") + "ME"), "");
}

}  // namespace
}  // namespace weft::layers
