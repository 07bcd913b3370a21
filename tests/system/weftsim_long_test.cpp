// The long runs on weftsim: all osmtest flows against OpenSM, with and without -d1.
#include <gtest/gtest.h>

#include "tests/system/simulator.h"

namespace weft::system_test {
namespace {

class AllOfOsmtest : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Dispatch, AllOfOsmtest, testing::Values("", "-d1"));

/// Source: the sixteen runs that a subnet administration is measured by.
TEST_P(AllOfOsmtest, PassesAgainstOpenSm) {
  Simulator sim(WEFT_SOURCE_DIR "/tests/fabrics/tree-12.net");
  const OpenSm opensm(sim.environment(Under::weftsim_run, "h00000"), sim.path(""), GetParam());
  ASSERT_TRUE(opensm.is_up()) << opensm.log();
  for (const std::string flow :
       {"-f c", "-f e", "-f t", "-f v", "-f s", "-f a", "-f v -G", "-f q", "-f m -M 1", "-f m -M 2",
        "-f m -M 3", "-f m -M 4", "-f f -s 1", "-f f -s 2", "-f f -s 3", "-f f -s 4"}) {
    const Output output =
        sim.tool("osmtest " + flow + " -i " + sim.path("osmtest.dat") + " -l " + sim.path("osmtest.log"),
                 Under::weftsim_run, "h00004", std::chrono::seconds(240));
    EXPECT_EQ(output.status, 0) << flow << "\n" << output.text;
  }
}

}  // namespace
}  // namespace weft::system_test
