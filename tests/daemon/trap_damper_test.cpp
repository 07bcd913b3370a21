#include "daemon/trap_damper.h"

#include <gtest/gtest.h>

#include "base/virtual_clock.h"

namespace weft::daemon {
namespace {

using mad::TrapNumber;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr TrapNumber kLinkState = TrapNumber::link_state_changed;

/// A damper whose looks are counted.
struct Damping {
  VirtualClock clock;
  std::vector<TrapDamper::Storm> storms;
  int whole = 0;
  int brief = 0;
  bool finds_something = false;
  TrapDamper damper{clock,
                    {.limit = 10, .window = seconds(10), .interval = seconds(1)},
                    [this](const auto& all) { storms.insert(storms.end(), all.begin(), all.end()); }};

  void pass(Duration time) { clock.run_until(clock.now() + time); }
  void trap(Lid from, TrapNumber number = kLinkState) {
    damper.heard(from, number, [this, from, number](bool briefly) {
      ++(briefly ? brief : whole);
      if (finds_something) damper.was_so(from, number);
    });
  }
  void traps(Lid from, int count, Duration every) {
    for (int i = 0; i < count; ++i) {
      trap(from);
      pass(every);
    }
  }
};

TEST(TrapDamper, ActsAtOnceOnWhoSendsFew) {
  Damping one;
  one.traps(Lid{3}, 10, milliseconds(100));
  EXPECT_EQ(one.whole, 10);
  EXPECT_EQ(one.brief, 0);
  one.pass(minutes(2));
  EXPECT_TRUE(one.storms.empty());
}

TEST(TrapDamper, LooksBrieflyAndSeldomDuringAStormAndOnceAfterItsLastTrap) {
  Damping one;
  one.traps(Lid{3}, 1000, milliseconds(1));
  EXPECT_EQ(one.whole, 10);
  EXPECT_LE(one.brief, 20);
  const int until_now = one.brief;
  one.pass(seconds(1));
  EXPECT_EQ(one.brief, until_now + 1);
  one.pass(minutes(1));
  ASSERT_EQ(one.storms.size(), 1u);
  EXPECT_EQ(one.storms[0].source, Lid{3});
  EXPECT_EQ(one.storms[0].traps, 1000u);
}

TEST(TrapDamper, TakesUpWhatDoesChangeOnceAnInterval) {
  Damping one;
  one.finds_something = true;
  one.traps(Lid{3}, 10'000, milliseconds(1));
  EXPECT_EQ(one.whole, 10);
  EXPECT_GE(one.brief, 9);
  EXPECT_LE(one.brief, 10);
}

TEST(TrapDamper, ActsAtOnceAgainWhenTheStormIsOver) {
  Damping one;
  one.traps(Lid{3}, 100, milliseconds(10));
  one.pass(seconds(25));
  const int before = one.whole;
  one.trap(Lid{3});
  EXPECT_EQ(one.whole, before + 1);
}

TEST(TrapDamper, DoesNotLetOneSourceOrKindOfTrapStandInAnothersWay) {
  Damping one;
  one.traps(Lid{3}, 100, milliseconds(1));
  const int before = one.whole;
  one.trap(Lid{4});
  one.trap(Lid{3}, TrapNumber::capability_changed);
  EXPECT_EQ(one.whole, before + 2);
}

TEST(TrapDamper, LooksBrieflyAtAllWhenVeryManySendAtOnce) {
  Damping one;
  for (std::uint16_t lid = 1; lid <= 1000; ++lid) one.trap(static_cast<Lid>(lid));
  EXPECT_EQ(one.whole + one.brief, 1000) << "nobody is left out";
  EXPECT_EQ(one.whole, 200);
}

TEST(TrapDamper, ForgetsWhoIsSilent) {
  Damping one;
  for (std::uint16_t lid = 1; lid <= 1000; ++lid) one.trap(static_cast<Lid>(lid));
  EXPECT_EQ(one.damper.sources(), 1000u);
  one.pass(minutes(3));
  EXPECT_EQ(one.damper.sources(), 0u);
}

TEST(TrapDamper, TellsTheLoudestFirst) {
  Damping one;
  one.traps(Lid{3}, 20, milliseconds(1));
  one.traps(Lid{4}, 30, milliseconds(1));
  one.pass(minutes(1));
  ASSERT_EQ(one.storms.size(), 2u);
  EXPECT_EQ(one.storms[0].source, Lid{4});
}

}  // namespace
}  // namespace weft::daemon
