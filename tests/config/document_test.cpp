#include "config/document.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "config/json_schema.h"
#include "config/read.h"
#include "config/reference.h"
#include "config/schema.h"

namespace weft::config {
namespace {

const std::string kFile = std::string(WEFT_SOURCE_DIR) + "/etc/weft.yaml";

/// What stands in a file of the sources must be this; UPDATE_GOLDEN=1 writes it there.
void expect_file(const std::string& name, const std::string& wanted) {
  const std::string path = std::string(WEFT_SOURCE_DIR) + "/" + name;
  if (std::getenv("UPDATE_GOLDEN")) std::ofstream(path) << wanted;
  std::ifstream stream(path);
  std::stringstream text;
  text << stream.rdbuf();
  EXPECT_EQ(text.str(), wanted) << "UPDATE_GOLDEN=1 rewrites " << path;
}

TEST(DocumentedFile, IsWhatTheSchemaSays) { expect_file("etc/weft.yaml", documented_file()); }

TEST(JsonSchema, IsWhatTheSchemaSays) { expect_file("etc/weft.schema.json", json_schema()); }

TEST(Reference, IsWhatTheSchemaSays) {
  expect_file("docs/configuration.md", reference_markdown());
  expect_file("packaging/man/weft.yaml.5", reference_manual());
}

TEST(Reference, HoldsEveryKeyOnce) {
  const std::string markdown = reference_markdown();
  const std::string manual = reference_manual();
  for (const Key& key : schema()) {
    const std::string heading = "**`" + std::string(key.path) + "`**";
    EXPECT_NE(markdown.find(heading), markdown.npos) << key.path;
    EXPECT_EQ(markdown.find(heading), markdown.rfind(heading)) << key.path;
    EXPECT_NE(manual.find("\n.B " + std::string(key.path) + "\n"), manual.npos) << key.path;
    EXPECT_FALSE(key.json.empty()) << key.path;
  }
}

TEST(DocumentedFile, ReadsAsTheDefaults) {
  const Result<Loaded> loaded = read_file(kFile);
  ASSERT_TRUE(loaded) << loaded.error().what;
  EXPECT_EQ(loaded->settings, Settings{});
  EXPECT_EQ(loaded->notes, std::vector<std::string>{});
}

TEST(DocumentedFile, HoldsEveryKeyAndNothingElse) {
  const Result<Loaded> loaded = read_file(kFile);
  ASSERT_TRUE(loaded) << loaded.error().what;
  std::set<std::string> in_file;
  std::set<std::string> in_schema;
  for (const auto& [key, origin] : loaded->origins) in_file.insert(key);
  for (const Key& key : schema()) in_schema.insert(std::string(key.path));
  EXPECT_EQ(in_file, in_schema);
}

TEST(DocumentedFile, HasNoLineLongerThanAScreen) {
  std::istringstream lines(documented_file());
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 120u) << line;
}

/// Blocks of a document that are indented by four, where they begin with a section of the configuration.
std::vector<std::string> examples_in(const std::filesystem::path& document) {
  std::vector<std::string> found;
  std::string block;
  const auto take = [&] {
    const std::size_t colon = block.find(':');
    const std::string first = block.substr(0, colon);
    if (colon != block.npos && is_section(first)) found.push_back(block);
    block.clear();
  };
  std::ifstream lines(document);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("    "))
      block += line.substr(4) + "\n";
    else if (!line.empty())
      take();
  }
  take();
  return found;
}

TEST(Documents, HaveExamplesThatAreRead) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(WEFT_SOURCE_DIR) + "/docs")) {
    if (entry.path().extension() != ".md") continue;
    for (const std::string& example : examples_in(entry.path())) {
      ++count;
      const Result<Loaded> loaded = read_text(example, entry.path().string());
      EXPECT_TRUE(loaded) << loaded.error().what << "\n" << example;
    }
  }
  EXPECT_GE(count, 4u);
}

}  // namespace
}  // namespace weft::config
