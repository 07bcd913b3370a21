#include "daemon/features.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "routing/engine.h"

namespace weft::daemon {
namespace {

TEST(Features, StandInTheDocuments) {
  const std::string file = WEFT_SOURCE_DIR "/docs/supported.md";
  if (std::getenv("UPDATE_GOLDEN") != nullptr) std::ofstream(file, std::ios::binary) << features_markdown();
  std::ifstream in(file, std::ios::binary);
  const std::string kept{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(kept, features_markdown()) << "UPDATE_GOLDEN=1 writes it anew";
}

TEST(Features, HaveAWordForEverything) {
  for (const FeatureGroup& group : features()) {
    EXPECT_FALSE(group.rows.empty()) << group.title;
    for (const FeatureRow& row : group.rows) {
      EXPECT_EQ(row.what.find('?'), std::string::npos) << group.title << ": " << row.what;
      EXPECT_EQ(row.detail.find('?'), std::string::npos) << group.title << ": " << row.detail;
      EXPECT_FALSE(row.detail.empty()) << row.what;
    }
  }
}

TEST(Features, NameEveryEngine) {
  const std::string text = features_text();
  for (const routing::Engine& engine : routing::engines())
    EXPECT_NE(text.find(engine.name), std::string::npos) << engine.name;
}

}  // namespace
}  // namespace weft::daemon
