// How configurations come into force, are tried, taken back and kept.

#include "daemon/config_keeper.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/virtual_clock.h"
#include "canned.h"

namespace weft::daemon {
namespace {

using std::chrono::seconds;

/// Everything at once.
class AtOnce final : public Workers {
 public:
  void run(std::function<void()> work, std::function<void()> done) override {
    work();
    done();
  }
};

class Keeper : public testing::Test {
 protected:
  Keeper() { start("state_dir: /first\n"); }

  void start(const std::string& file) {
    keeper.reset();
    ConfigKeeper::Surroundings around;
    around.clock = &clock;
    around.workers = &workers;
    around.directory = (directory.path() / "configurations").string();
    around.read = [](const std::string& text) { return config::read_text(text, "w.yaml"); };
    around.objection = [this](const config::Loaded&, bool) { return refused; };
    around.use = [this](const config::Loaded& loaded) { in_force = loaded.settings.state_dir; };
    around.tell = [this](Severity, const std::string& kind, const std::string&) { told.push_back(kind); };
    keeper = std::make_unique<ConfigKeeper>(around, file);
  }
  Result<KeptConfig> apply(const std::string& text, std::optional<Duration> within = {}) {
    Result<KeptConfig> result = fail(Errc::unavailable, "not called");
    keeper->apply(text, "alice", within, [&result](Result<KeptConfig> done) { result = std::move(done); });
    return result;
  }
  Result<KeptConfig> undo() {
    Result<KeptConfig> result = fail(Errc::unavailable, "not called");
    keeper->undo("bob", [&result](Result<KeptConfig> done) { result = std::move(done); });
    return result;
  }

  test::TemporaryDirectory directory;
  VirtualClock clock;
  AtOnce workers;
  std::string refused;
  std::string in_force = "/first";
  std::vector<std::string> told;
  std::unique_ptr<ConfigKeeper> keeper;
};

TEST_F(Keeper, PutsOneInForceForGood) {
  ASSERT_TRUE(apply("state_dir: /second\n"));
  EXPECT_EQ(in_force, "/second");
  ASSERT_EQ(keeper->history().size(), 2u);
  EXPECT_EQ(keeper->history().back().author, "alice");
  EXPECT_EQ(keeper->history().back().state, KeptConfig::State::confirmed);
  clock.run_until(clock.now() + std::chrono::hours(1));
  EXPECT_EQ(in_force, "/second");
}

TEST_F(Keeper, TakesOneBackThatIsNotConfirmedInTime) {
  ASSERT_TRUE(apply("state_dir: /second\n", seconds(60)));
  EXPECT_TRUE(keeper->until());
  clock.run_until(clock.now() + seconds(59));
  EXPECT_EQ(in_force, "/second");
  clock.run_until(clock.now() + seconds(2));
  EXPECT_EQ(in_force, "/first");
  EXPECT_FALSE(keeper->until());
  EXPECT_EQ(keeper->history().back().state, KeptConfig::State::reverted);
  EXPECT_FALSE(keeper->confirm("alice"));
}

TEST_F(Keeper, KeepsOneThatIsConfirmed) {
  ASSERT_TRUE(apply("state_dir: /second\n", seconds(60)));
  ASSERT_TRUE(keeper->confirm("bob"));
  clock.run_until(clock.now() + std::chrono::hours(1));
  EXPECT_EQ(in_force, "/second");
}

TEST_F(Keeper, TriesOneAtATime) {
  ASSERT_TRUE(apply("state_dir: /second\n", seconds(60)));
  EXPECT_EQ(apply("state_dir: /third\n").error().code, Errc::conflict);
  EXPECT_EQ(in_force, "/second");
}

TEST_F(Keeper, RefusesWhatIsWrongAndWhatNeedsARestart) {
  EXPECT_EQ(apply("state_dri: /second\n").error().code, Errc::invalid);
  refused = "it needs a restart";
  EXPECT_EQ(apply("state_dir: /second\n").error().what, "it needs a restart");
  EXPECT_EQ(in_force, "/first");
  EXPECT_EQ(keeper->history().size(), 1u);
}

TEST_F(Keeper, GoesBackStepByStepAndForthAgain) {
  EXPECT_EQ(undo().error().code, Errc::not_found);
  ASSERT_TRUE(apply("state_dir: /second\n"));
  ASSERT_TRUE(undo());
  EXPECT_EQ(in_force, "/first");
  ASSERT_TRUE(undo());
  EXPECT_EQ(in_force, "/second") << "undo undoes an undo";
  ASSERT_TRUE(apply("state_dir: /third\n", seconds(60)));
  ASSERT_TRUE(undo());
  EXPECT_EQ(in_force, "/second");
}

TEST_F(Keeper, RemembersOverARestartAndTakesNothingTriedForGood) {
  ASSERT_TRUE(apply("state_dir: /second\n"));
  ASSERT_TRUE(apply("state_dir: /third\n", seconds(60)));
  start("state_dir: /second\n");
  ASSERT_EQ(keeper->history().size(), 3u);
  EXPECT_EQ(keeper->history()[1].text, "state_dir: /second\n");
  EXPECT_EQ(keeper->history()[1].author, "alice");
  EXPECT_EQ(keeper->history()[2].state, KeptConfig::State::reverted);
  ASSERT_TRUE(undo());
  EXPECT_EQ(in_force, "/first");
}

TEST_F(Keeper, TakesTheFileThatWasReadForWhatIsInForce) {
  ASSERT_TRUE(apply("state_dir: /second\n", seconds(60)));
  keeper->file_was_read("state_dir: /other\n");
  EXPECT_FALSE(keeper->until());
  clock.run_until(clock.now() + std::chrono::hours(1));
  EXPECT_EQ(in_force, "/second") << "who has read the file has put it in force";
  EXPECT_EQ(keeper->history().back().author, "whoever wrote the file");
  ASSERT_TRUE(undo());
  EXPECT_EQ(in_force, "/first");
}

TEST_F(Keeper, KeepsAHundred) {
  for (int i = 0; i < 150; ++i) ASSERT_TRUE(apply(fmt::format("state_dir: /n{}\n", i)));
  EXPECT_EQ(keeper->history().size(), 100u);
  start("state_dir: /n149\n");
  EXPECT_EQ(keeper->history().size(), 100u);
  EXPECT_EQ(keeper->history().back().number, 151u);
}

TEST_F(Keeper, LeavesAloneWhatIsNoConfiguration) {
  const std::filesystem::path path = directory.path() / "configurations";
  std::filesystem::create_directories(path);
  for (const char* name : {"000007.yaml", "notes.txt", "000008.yaml.new", "x.yaml"})
    std::ofstream(path / name) << "nothing of ours\n";
  start("state_dir: /first\n");
  EXPECT_EQ(keeper->history().size(), 1u);
}

}  // namespace
}  // namespace weft::daemon
