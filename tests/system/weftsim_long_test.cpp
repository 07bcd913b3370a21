// The long runs on weftsim: all osmtest flows against OpenSM, with and without -d1, side by side,
// and against weftd.
#include <filesystem>
#include <future>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/system/simulator.h"

namespace weft::system_test {
namespace {

/// The sixteen runs that a subnet administration is measured by; the flows e and t are empty in Debian's
/// build.
constexpr const char* kFlows[] = {
    "-f c",      "-f e",      "-f t",      "-f v",      "-f s",      "-f a",      "-f v -G",   "-f q",
    "-f m -M 1", "-f m -M 2", "-f m -M 3", "-f m -M 4", "-f f -s 1", "-f f -s 2", "-f f -s 3", "-f f -s 4"};

/// A hundred thousand questions one after the other are the longest; seconds on an idle machine.
constexpr std::chrono::seconds kPatience{900};

Output osmtest(const Simulator& sim, const std::string& flow) {
  std::filesystem::remove(sim.path("osmtest.log"));
  return sim.tool("osmtest " + flow + " -i " + sim.path("osmtest.dat") + " -l " + sim.path("osmtest.log"),
                  Under::weftsim_run, "h00004", kPatience);
}

/// The later flows compare the subnet with the inventory that `-f c` took: a manager may still be at work
/// behind the sign that all is up, so two in a row have to agree. False when they never do.
bool settled(const Simulator& sim) {
  std::string before;
  return eventually(
      [&] {
        osmtest(sim, "-f c");
        const std::string now = read_file(sim.path("osmtest.dat"));
        return !now.empty() && now == std::exchange(before, now);
      },
      std::chrono::seconds(60));
}

/// Runs them one after the other; what the failed ones said.
std::string failures(const Simulator& sim) {
  std::string text = settled(sim) ? "" : "the inventory changes all the time\n";
  for (const std::string flow : kFlows) {
    const Output output = osmtest(sim, flow);
    if (output.status == 0) continue;
    text += fmt::format("{}: status {}\n{}\n", flow, output.status, output.text);
    std::istringstream log(read_file(sim.path("osmtest.log")));
    for (std::string line; std::getline(log, line);)
      if (line.find("ERR") != std::string::npos) text += line + "\n";
  }
  return text;
}

TEST(AllOfOsmtest, PassesAgainstOpenSmWithOneDispatcherAndWithTwo) {
  const std::string fabric = WEFT_SOURCE_DIR "/tests/fabrics/tree-12.net";
  Simulator one(fabric);
  Simulator two(fabric);
  const OpenSm single(one.environment(Under::weftsim_run, "h00000"), one.path(""), "-d1");
  const OpenSm twofold(two.environment(Under::weftsim_run, "h00000"), two.path(""));
  ASSERT_TRUE(single.is_up()) << single.log();
  ASSERT_TRUE(twofold.is_up()) << twofold.log();
  std::future<std::string> beside = std::async(std::launch::async, [&one] { return failures(one); });
  EXPECT_EQ(failures(two), "");
  EXPECT_EQ(beside.get(), "") << "with -d1";
}

TEST(AllOfOsmtest, PassesAgainstWeftd) {
  Simulator sim(WEFT_SOURCE_DIR "/tests/fabrics/tree-12.net");
  const WeftDaemon weftd(sim, "h00000");
  ASSERT_TRUE(weftd.is_up()) << weftd.log();
  EXPECT_EQ(failures(sim), "");
}

}  // namespace
}  // namespace weft::system_test
