// Several subnets in one weftd: each with its own socket, state and log lines, none touched by another.

#include <unistd.h>
#include <csignal>
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/system/programs.h"

namespace weft::system_test {
namespace {

using std::chrono::seconds;

class SeveralSubnets : public testing::Test {
 protected:
  SeveralSubnets() {
    std::string name = (std::filesystem::temp_directory_path() / "weft-XXXXXX").string();
    directory = mkdtemp(name.data());
  }
  ~SeveralSubnets() override {
    std::error_code ignored;
    std::filesystem::remove_all(directory, ignored);
  }
  void configure(const std::string& subnets) {
    write_file(directory / "weft.yaml",
               fmt::format("transport: {{ kind: sim }}\ncontrol: {{ socket: {0}/w.sock }}\n"
                           "state_dir: {0}/state\nsubnets:\n{1}",
                           directory.string(), subnets));
  }
  std::unique_ptr<Background> start(const std::string& options = "", const std::string& log = "log") {
    return std::make_unique<Background>(
        program("weftd") + " --config " + (directory / "weft.yaml").string() + options, Environment{},
        directory, directory / log);
  }
  std::string ctl(const std::string& arguments) {
    return run(fmt::format("{} --socket {}/w.sock {}", program("weftctl"), directory.string(), arguments))
        .text;
  }
  bool says(const std::string& arguments, const std::string& words) {
    return eventually([&] { return ctl(arguments).find(words) != std::string::npos; }, seconds(30));
  }
  std::filesystem::path directory;
};

constexpr const char* kTwo =
    "  rail1: { transport: { sim: { fabric: 'fat-tree:radix=4,levels=2' } } }\n"
    "  rail2: { transport: { sim: { fabric: 'ring:5' } } }\n";

TEST_F(SeveralSubnets, AreManagedSideBySide) {
  configure(kTwo);
  const auto daemon = start();
  EXPECT_TRUE(says("--subnet rail1 status", ": master,")) << daemon->log();
  EXPECT_TRUE(says("--subnet rail2 status", ": master,")) << daemon->log();
  EXPECT_NE(ctl("--subnet rail1 nodes --type switch"), ctl("--subnet rail2 nodes --type switch"));
  EXPECT_TRUE(std::filesystem::exists(directory / "state" / "rail2"));
  EXPECT_NE(daemon->log().find("[rail1] daemon: managing through"), std::string::npos) << daemon->log();
  EXPECT_NE(daemon->log().find("[rail2] daemon: managing through"), std::string::npos) << daemon->log();
  const std::string none = ctl("status");
  EXPECT_NE(none.find("--subnet rail1"), std::string::npos) << none;
  EXPECT_NE(none.find("rail2"), std::string::npos) << none;
  daemon->signal(SIGTERM);
  EXPECT_EQ(daemon->wait(seconds(10)), 0) << daemon->log();
}

TEST_F(SeveralSubnets, GoOnWhenOneCannotStart) {
  configure(kTwo);
  // A file where the state of rail2 is to be.
  std::filesystem::create_directories(directory / "state");
  write_file(directory / "state" / "rail2", "in the way");
  const auto daemon = start();
  EXPECT_TRUE(says("--subnet rail1 status", ": master,")) << daemon->log();
  EXPECT_NE(daemon->log().find("[rail2] daemon: subnet ended"), std::string::npos) << daemon->log();
  std::filesystem::remove(directory / "state" / "rail2");
  EXPECT_TRUE(says("--subnet rail2 status", ": master,")) << "it is started again: " << daemon->log();
  daemon->signal(SIGTERM);
  EXPECT_EQ(daemon->wait(seconds(10)), 0);
}

TEST_F(SeveralSubnets, OfASecondDaemonEndItWhenTheFirstHasTheStateOfAll) {
  configure(kTwo);
  const auto first = start();
  ASSERT_TRUE(says("--subnet rail1 status", ": master,")) << first->log();
  ASSERT_TRUE(says("--subnet rail2 status", ": master,")) << first->log();
  const auto second = start(" --socket " + (directory / "second.sock").string(), "second.log");
  EXPECT_EQ(second->wait(seconds(30)), 1) << second->log();
  EXPECT_NE(second->log().find("another process has the state files of all 2 subnets"), std::string::npos)
      << second->log();
  EXPECT_NE(second->log().find("state.db"), std::string::npos) << "which files: " << second->log();
  EXPECT_TRUE(first->running());
  EXPECT_TRUE(says("--subnet rail1 status", ": master,"));
}

TEST_F(SeveralSubnets, GoOnWhileAnotherDaemonHasTheStateOfOne) {
  configure(kTwo);
  const std::string rail1 = (directory / "state" / "rail1").string();
  auto alone =
      std::make_unique<Background>(program("weftd") + " --fabric ring:4 --state-dir " + rail1 + " --socket " +
                                       (directory / "alone.sock").string() + " --config /dev/null",
                                   Environment{}, directory, directory / "alone.log");
  ASSERT_TRUE(eventually([&] { return alone->log().find("clean=true") != std::string::npos; }, seconds(30)))
      << alone->log();
  const auto daemon = start();
  EXPECT_TRUE(says("--subnet rail2 status", ": master,")) << daemon->log();
  const auto waits = [&] { return daemon->log().find("[rail1] daemon: subnet ended") != std::string::npos; };
  EXPECT_TRUE(eventually(waits, seconds(30))) << daemon->log();
  alone->signal(SIGTERM);
  EXPECT_EQ(alone->wait(seconds(10)), 0);
  EXPECT_TRUE(says("--subnet rail1 status", ": master,")) << daemon->log();
  EXPECT_TRUE(says("--subnet rail2 status", ": master,"));
}

TEST_F(SeveralSubnets, AreReloadedEachWithItsOwnKeys) {
  configure(kTwo);
  const auto daemon = start();
  ASSERT_TRUE(says("--subnet rail1 status", ": master,")) << daemon->log();
  ASSERT_TRUE(says("--subnet rail2 status", ": master,")) << daemon->log();
  configure(
      "  rail1: { sweep: { interval: 7s }, transport: { sim: { fabric: 'fat-tree:radix=4,levels=2' } } }\n"
      "  rail2: { transport: { sim: { fabric: 'ring:6' } } }\n");
  daemon->signal(SIGHUP);
  const auto refused = [&] {
    return daemon->log().find("transport.sim.fabric changed, which needs a restart") != std::string::npos;
  };
  EXPECT_TRUE(eventually(refused, seconds(10))) << daemon->log();
  EXPECT_TRUE(says("--subnet rail1 config show", "7s"));
  configure("  rail1: { transport: { sim: { fabric: 'fat-tree:radix=4,levels=2' } } }\n");
  daemon->signal(SIGHUP);
  const auto told = [&] { return daemon->log().find("no subnet rail2 any more") != std::string::npos; };
  EXPECT_TRUE(eventually(told, seconds(10))) << daemon->log();
  EXPECT_TRUE(says("--subnet rail2 status", ": master,")) << "what runs goes on";
}

TEST_F(SeveralSubnets, EndTogetherWithOnce) {
  configure(kTwo);
  const Output once = run(program("weftd") + " --once --config " + (directory / "weft.yaml").string());
  EXPECT_EQ(once.status, 0) << once.text;
}

}  // namespace
}  // namespace weft::system_test
