#include "config/document.h"

#include <gtest/gtest.h>

#include <cstdlib>
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

}  // namespace
}  // namespace weft::config
