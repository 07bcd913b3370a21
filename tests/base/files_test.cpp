#include "base/files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace weft::inline base {
namespace {

TEST(ReadFile, TakesAllBytesOrSaysWhyNot) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("weft-files-" + std::to_string(getpid()));
  const std::string bytes(200'000, '\0');
  std::ofstream(path, std::ios::binary) << bytes;
  const Result<std::string> whole = read_file(path);
  ASSERT_TRUE(whole);
  EXPECT_EQ(*whole, bytes);
  std::filesystem::remove(path);
  EXPECT_EQ(read_file(path).error().code, Errc::not_found);
  EXPECT_EQ(read_file("/").error().what, "cannot read /: Is a directory");
}

}  // namespace
}  // namespace weft::inline base
