// The fabric held against the topology it should have, by weftd on weftsim: a design, a good day, hosts that
// change places, a cable in the wrong port.

#include <csignal>
#include <memory>
#include <regex>

#include <gtest/gtest.h>

#include "tests/system/programs.h"
#include "tests/system/simulator.h"

namespace weft::system_test {
namespace {

using std::chrono::seconds;

class ExpectedTopology : public testing::Test {
 protected:
  ExpectedTopology() : sim_("fat-tree:radix=8") {
    const Output made =
        run(program("weftctl") + " expected make " + sim_.path("design.json") + " --fabric fat-tree:radix=8");
    EXPECT_EQ(made.status, 0) << made.text;
    weftd_ = std::make_unique<WeftDaemon>(sim_, "h00000",
                                          "fabric: { expected: " + sim_.path("design.json") + " }\n");
  }
  Output weftctl(const std::string& command) const {
    return run(program("weftctl") + " --socket " + weftd_->socket() + " " + command);
  }
  bool says(const std::string& words) const {
    return eventually([&] { return weftctl("expected").text.find(words) != std::string::npos; }, seconds(30));
  }

  Simulator sim_;
  std::unique_ptr<WeftDaemon> weftd_;
};

TEST_F(ExpectedTopology, HostsThatChangePlacesAreAPairOfPortsToSwap) {
  ASSERT_TRUE(weftd_->is_up()) << weftd_->log();
  ASSERT_TRUE(says("the fabric is as ")) << weftctl("expected").text;
  EXPECT_EQ(weftctl("expected").status, 0);
  ASSERT_EQ(sim_.ctl("swap h00005 with=h00006").status, 0);
  ASSERT_TRUE(says("swap ports 2 and 3 of ")) << weftctl("expected").text;
  EXPECT_EQ(weftctl("expected").status, 1);
  EXPECT_NE(weftctl("status").text.find("swap ports 2 and 3 of "), std::string::npos);
  EXPECT_NE(weftctl("events").text.find("not_as_expected"), std::string::npos) << weftctl("events").text;
  ASSERT_EQ(sim_.ctl("swap h00005 with=h00006").status, 0);
  EXPECT_TRUE(says("the fabric is as ")) << weftctl("expected").text;
}

TEST_F(ExpectedTopology, AGoodDayIsWrittenAndIsWhatTheDesignSays) {
  ASSERT_TRUE(weftd_->is_up()) << weftd_->log();
  const Output made = weftctl("expected make " + sim_.path("live.json"));
  ASSERT_EQ(made.status, 0) << made.text;
  EXPECT_EQ(made.text, "44 nodes and 64 cables written to " + sim_.path("live.json") + "\n");
  // Held against it, the fabric deviates in nothing either.
  write_file(sim_.path("weft.yaml"),
             std::regex_replace(read_file(sim_.path("weft.yaml")), std::regex("design\\.json"), "live.json"));
  weftd_->process().signal(SIGHUP);
  EXPECT_TRUE(says("the fabric is as " + sim_.path("live.json"))) << weftctl("expected").text;
}

}  // namespace
}  // namespace weft::system_test
