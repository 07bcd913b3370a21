#include "daemon/expected_check.h"

#include <gtest/gtest.h>

#include "base/virtual_clock.h"
#include "tests/support/fabric_of.h"

namespace weft::daemon {
namespace {

using std::chrono::milliseconds;

/// A check whose comparisons take some virtual time.
struct Checked {
  VirtualClock clock;
  InlineWorkers workers{clock, milliseconds(50)};
  std::vector<std::string> told;
  ExpectedCheck check{workers, [this](Severity, std::string text, plan::Plug) { told.push_back(text); }};
  topology::Topology design = weft::test::topology_of("ring:4:hosts=2");
  std::shared_ptr<const topology::Topology> expected = std::make_shared<topology::Topology>(design);

  static std::shared_ptr<const plan::View> view_of(const fabric::Fabric& fabric) {
    auto view = std::make_shared<plan::View>();
    view->fabric = std::make_shared<const fabric::Fabric>(fabric);
    return view;
  }
  std::shared_ptr<const plan::View> whole() const { return view_of(weft::test::fabric_of(design)); }
  std::shared_ptr<const plan::View> damaged() const {
    const fabric::Fabric fabric = weft::test::fabric_of(design);
    return view_of(weft::test::without_node(fabric, design.nodes.front().guid));
  }
  void pass() { clock.run_until(clock.now() + milliseconds(200)); }
};

TEST(ExpectedCheck, TellsOnceWhatComesAndWhenAllIsWellAgain) {
  Checked here;
  EXPECT_EQ(here.check.deviations(), nullptr);
  here.check.follow(here.damaged(), here.expected);
  here.pass();
  ASSERT_EQ(here.check.problems().size(), 1u);
  EXPECT_EQ(here.check.problems()[0].node, here.design.nodes.front().guid);
  ASSERT_EQ(here.told.size(), 1u);
  here.check.follow(here.damaged(), here.expected);
  here.pass();
  EXPECT_EQ(here.told.size(), 1u);
  here.check.follow(here.whole(), here.expected);
  here.pass();
  EXPECT_TRUE(here.check.problems().empty());
  ASSERT_EQ(here.told.size(), 2u);
  EXPECT_EQ(here.told[1], "the fabric is as expected again");
}

TEST(ExpectedCheck, TheNewestViewCountsWhenSeveralComeMeanwhile) {
  Checked here;
  here.check.follow(here.damaged(), here.expected);
  here.check.follow(here.whole(), here.expected);
  here.check.follow(here.damaged(), here.expected);
  here.check.follow(here.whole(), here.expected);
  here.pass();
  ASSERT_NE(here.check.deviations(), nullptr);
  EXPECT_TRUE(here.check.deviations()->empty());
}

TEST(ExpectedCheck, WithoutATopologyThereIsNothingToTell) {
  Checked here;
  here.check.follow(here.damaged(), here.expected);
  here.check.follow(here.damaged(), nullptr);
  here.pass();
  EXPECT_EQ(here.check.deviations(), nullptr);
  EXPECT_TRUE(here.check.problems().empty());
}

TEST(ExpectedCheck, AnAnswerThatComesAfterItsEndFallsAway) {
  Checked here;
  {
    ExpectedCheck brief(here.workers, [](Severity, std::string, plan::Plug) { FAIL(); });
    brief.follow(here.damaged(), here.expected);
  }
  here.pass();
}

}  // namespace
}  // namespace weft::daemon
