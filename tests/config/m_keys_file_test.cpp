#include "config/m_keys_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "config/read.h"

namespace weft::config {
namespace {

std::vector<std::uint64_t> keys_of(std::string_view text, std::string* problems = nullptr) {
  Report report;
  report.source = "m_keys";
  std::vector<std::uint64_t> keys = read_m_keys(text, report);
  for (const std::string& one : report.problems)
    if (problems != nullptr) *problems += one + "\n";
  return keys;
}

TEST(MKeysFile, HoldsOneKeyALine) {
  EXPECT_EQ(keys_of("# new\n0x00000000000000aa\n\n  0xbb # from before\n"),
            (std::vector<std::uint64_t>{0xaa, 0xbb}));
  EXPECT_EQ(keys_of("none\n0xaa"), (std::vector<std::uint64_t>{0, 0xaa}));
}

TEST(MKeysFile, IsRefusedWithoutShowingWhatStandsThere) {
  for (const char* bad :
       {"0x1\nhunter2\n", "0x0\n", "0x1\n0x1\n", "", "# nothing\n", "0x11223344556677889\n"}) {
    std::string problems;
    (void)keys_of(bad, &problems);
    EXPECT_NE(problems, "") << bad;
    EXPECT_EQ(problems.find("hunter2"), std::string::npos) << problems;
  }
}

class MKeysInConfiguration : public testing::Test {
 protected:
  MKeysInConfiguration()
      : folder_(std::filesystem::temp_directory_path() / ("m_keys" + std::to_string(getpid()))) {
    std::filesystem::create_directory(folder_);
  }
  ~MKeysInConfiguration() override { std::filesystem::remove_all(folder_); }
  std::string file(const std::string& name, const std::string& text, int mode) const {
    const std::filesystem::path path = folder_ / name;
    std::ofstream(path) << text;
    std::filesystem::permissions(path, static_cast<std::filesystem::perms>(mode));
    return path.string();
  }
  std::filesystem::path folder_;
};

TEST_F(MKeysInConfiguration, AnSmKeyMayStandInAPrivateFileToo) {
  const std::string keys = file("sm", "# ours\n0x5ec\n", 0600);
  const std::string config =
      file("weft.yaml", "manager: { sm_key_file: sm }\nsa: { sm_key_file: sm }\n", 0644);
  const auto loaded = read_file(config);
  ASSERT_TRUE(loaded.has_value()) << loaded.error().what;
  EXPECT_EQ(loaded->settings.manager.sm_key, 0x5ecu);
  EXPECT_EQ(loaded->settings.sa.sm_key, 0x5ecu);
  for (const char* wrong : {"", "0x1\n0x2\n", "hunter2\n"}) {
    file("sm", wrong, 0600);
    const auto refused = read_file(config);
    ASSERT_FALSE(refused) << wrong;
    EXPECT_EQ(refused.error().what.find("hunter2"), std::string::npos);
  }
  file("sm", "0x1\n", 0644);
  EXPECT_FALSE(read_file(config)) << "others can read it";
  file("sm", "0x1\n", 0600);
  const std::string both = file("both.yaml", "manager: { sm_key: 3, sm_key_file: sm }\n", 0644);
  EXPECT_FALSE(read_file(both));
}

TEST_F(MKeysInConfiguration, AreNotQuotedWhereTheyStandByMistake) {
  file("keys", "0x6d0f2b5c91a7e843\n", 0600);
  for (const char* wrong : {"partitions: { include: [keys] }\n", "m_key: 0x6d0f2b5c91a7e843\n",
                            "manager: { sm_key: 0x6d0f2b5c91a7e8439 }\n", "sa: { sm_key: '6d0f2b5c91a7e843zz' }\n",
                            "manager: { sm_key_file: [0x6d0f2b5c91a7e843] }\n"}) {
    const auto refused = read_file(file("weft.yaml", wrong, 0644));
    ASSERT_FALSE(refused) << wrong;
    EXPECT_EQ(refused.error().what.find("6d0f2b5c91a7e843"), std::string::npos) << refused.error().what;
  }
}

TEST_F(MKeysInConfiguration, AreReadFromAPrivateFileOnly) {
  const std::string config = file("weft.yaml", "m_key: { file: keys, protect: 2 }\n", 0644);
  const std::string keys = file("keys", "0xaa\n", 0600);
  const auto loaded = read_file(config);
  ASSERT_TRUE(loaded.has_value()) << loaded.error().what;
  EXPECT_EQ(loaded->settings.m_key.keys.keys, std::vector<std::uint64_t>{0xaa});
  EXPECT_EQ(loaded->settings.m_key.keys.protect, 2);
  for (const int mode : {0644, 0606, 0620}) {
    (void)file("keys", "0xaa\n", mode);
    const auto refused = read_file(config);
    ASSERT_FALSE(refused.has_value());
    EXPECT_NE(refused.error().what.find("chmod 600"), std::string::npos) << refused.error().what;
  }
  (void)file("keys", "0xaa\n", 0640);
  EXPECT_TRUE(read_file(config).has_value());
}

TEST_F(MKeysInConfiguration, OnePerDeviceCannotGuardReads) {
  (void)file("keys", "0xaa\n", 0600);
  const auto refused =
      read_file(file("weft.yaml", "m_key: { file: keys, protect: 2, per_device: true }\n", 0644));
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().what.find("m_key.protect"), std::string::npos) << refused.error().what;
}

}  // namespace
}  // namespace weft::config
