#include "daemon/shared_settings.h"

#include <fstream>

#include <gtest/gtest.h>

#include "canned.h"

namespace weft::daemon {
namespace {

TEST(SharedOptions, AreNoneWithoutEtcd) { EXPECT_FALSE(shared_options({}).value().has_value()); }

TEST(SharedOptions, TakeThePasswordFromAFileThatNobodyElseCanRead) {
  const test::TemporaryDirectory directory;
  const std::filesystem::path file = directory.path() / "password";
  std::ofstream(file) << "secret\n";
  config::Settings settings;
  settings.store.etcd = {"https://etcd-1", "http://127.0.0.1:1"};
  settings.store.prefix = "/a";
  settings.store.user = "weft";
  EXPECT_EQ(shared_options(settings).error().code, Errc::invalid) << "no file";
  settings.store.password_file = file.string();
  std::filesystem::permissions(file, std::filesystem::perms(0640));
  const auto open_to_others = shared_options(settings);
  ASSERT_FALSE(open_to_others);
  EXPECT_EQ(open_to_others.error().what.find("secret"), std::string::npos);
  std::filesystem::permissions(file, std::filesystem::perms(0600));
  const auto options = shared_options(settings);
  ASSERT_TRUE(options) << options.error().what;
  EXPECT_EQ((*options)->etcd.password, "secret");
  EXPECT_EQ((*options)->etcd.endpoints.size(), 2u);
  EXPECT_EQ((*options)->prefix, "/a/");
  settings.store.etcd = {"etcd-1"};
  EXPECT_NE(shared_options(settings).error().what.find("store.etcd"), std::string::npos);
}

TEST(ConfigDifferences, NameTheSectionsAndLeaveOutWhatBelongsToTheHost) {
  config::Settings ours;
  config::Settings theirs;
  theirs.manager.priority = 3;
  theirs.control.socket = "/elsewhere";
  theirs.sa.sm_key = 77;
  EXPECT_EQ(config_digests(ours), config_digests(theirs));
  theirs.plan.lids.lmc = 1;
  theirs.manager.allowed = {Guid{1}};
  const std::vector<Presence> others{{"a", Guid{1}, "sm-2", config_digests(theirs)},
                                     {"b", Guid{2}, "sm-3", config_digests(ours)}};
  const auto sentences = config_differences(config_digests(ours), others);
  ASSERT_EQ(sentences.size(), 1u);
  EXPECT_NE(sentences[0].find("sm-2"), std::string::npos);
  EXPECT_NE(sentences[0].find("lids, manager"), std::string::npos) << sentences[0];
}

}  // namespace
}  // namespace weft::daemon
