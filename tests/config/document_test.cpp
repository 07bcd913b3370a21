#include "config/document.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "config/read.h"
#include "config/schema.h"

namespace weft::config {
namespace {

const std::string kFile = std::string(WEFT_SOURCE_DIR) + "/etc/weft.yaml";

std::string file_text() {
  std::ifstream stream(kFile);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

TEST(DocumentedFile, IsWhatTheSchemaSays) {
  if (std::getenv("UPDATE_GOLDEN")) std::ofstream(kFile) << documented_file();
  EXPECT_EQ(file_text(), documented_file()) << "UPDATE_GOLDEN=1 rewrites " << kFile;
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
