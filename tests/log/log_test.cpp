#include "log/log.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/support/ibsim_process.h"

namespace weft::log {
namespace {

namespace fs = std::filesystem;

TEST(Log, NeverTakesMoreThanItsFilesMay) {
  const tests::TempDir directory;
  Settings settings{.level = "debug",
                    .file = (directory.path() / "weftd.log").string(),
                    .file_bytes = 64u << 10,
                    .files_kept = 3};
  testing::internal::CaptureStderr();
  ASSERT_TRUE(configure(settings));
  const std::string line(200, 'x');
  for (int i = 0; i < 5000; ++i) named("test")->debug("line={} {}", i, line);  // over 1 MB
  ASSERT_TRUE(configure({}));
  testing::internal::GetCapturedStderr();
  std::uintmax_t bytes = 0;
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(directory.path())) {
    EXPECT_LE(entry.file_size(), settings.file_bytes) << entry.path();
    bytes += entry.file_size();
    ++files;
  }
  EXPECT_EQ(files, 4u) << "the file and three that were put aside";
  EXPECT_LE(bytes, 4 * settings.file_bytes);
  EXPECT_GT(bytes, 2 * settings.file_bytes) << "what there is room for is kept";
}

TEST(Log, SaysWhichFileItCannotOpenAndWhy) {
  const tests::TempDir directory;
  std::ofstream(directory.path() / "file") << "no folder";
  const std::string path = (directory.path() / "file" / "weftd.log").string();
  const Result<void> refused = configure({.level = "info", .file = path});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find(path), std::string::npos) << refused.error().what;
  ASSERT_TRUE(configure({}));
}

}  // namespace
}  // namespace weft::log
