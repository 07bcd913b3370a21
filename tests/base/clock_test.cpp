#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "base/timer_queue.h"
#include "base/virtual_clock.h"

namespace weft {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(TimerQueue, GivesNothingBeforeItIsDue) {
  TimerQueue queue;
  EXPECT_EQ(queue.next(), std::nullopt);
  queue.add(seconds(2), [] {});
  EXPECT_EQ(queue.next(), Instant(seconds(2)));
  EXPECT_FALSE(queue.take_due(seconds(1)).has_value());
  EXPECT_TRUE(queue.take_due(seconds(2)).has_value());
  EXPECT_EQ(queue.size(), 0u);
}

TEST(TimerQueue, ForgetsACancelledTimerAndWhatItHolds) {
  TimerQueue queue;
  const auto held = std::make_shared<int>(1);
  const Clock::TimerId id = queue.add(seconds(1), [held] {});
  EXPECT_EQ(held.use_count(), 2);
  queue.cancel(id);
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(queue.next(), std::nullopt);
  queue.cancel(id);  // once more: ignored
  queue.cancel(Clock::TimerId::none);
}

RC_GTEST_PROP(TimerQueue, RunsInOrderOfTimeAndThenOfCreation, ()) {
  const auto times = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 8));
  const auto cancelled = *rc::gen::container<std::vector<bool>>(times.size(), rc::gen::arbitrary<bool>());
  TimerQueue queue;
  std::vector<std::size_t> ran;
  std::vector<Clock::TimerId> ids;
  for (std::size_t i = 0; i < times.size(); ++i)
    ids.push_back(queue.add(seconds(times[i]), [&ran, i] { ran.push_back(i); }));
  std::multimap<int, std::size_t> kept;  // equal keys stay in the order they were added
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (cancelled[i])
      queue.cancel(ids[i]);
    else
      kept.emplace(times[i], i);
  }
  while (auto action = queue.take_due(seconds(8))) (*action)();
  std::vector<std::size_t> expected;
  for (const auto& [time, i] : kept) expected.push_back(i);
  RC_ASSERT(ran == expected);
}

TEST(VirtualClock, JumpsToTheNextTimer) {
  VirtualClock clock;
  std::vector<Instant> ran;
  clock.after(hours(5), [&] { ran.push_back(clock.now()); });
  clock.after(hours(2), [&] { ran.push_back(clock.now()); });
  EXPECT_EQ(clock.now(), Instant(0));
  EXPECT_TRUE(clock.advance());
  EXPECT_EQ(clock.now(), Instant(hours(2)));
  EXPECT_TRUE(clock.advance());
  EXPECT_FALSE(clock.advance());
  EXPECT_EQ(ran, (std::vector<Instant>{hours(2), hours(5)}));
}

TEST(VirtualClock, RunsEqualTimesTogetherAndInOrder) {
  VirtualClock clock;
  std::string ran;
  for (const char letter : {'a', 'b', 'c'}) clock.at(seconds(1), [&ran, letter] { ran += letter; });
  EXPECT_TRUE(clock.advance());
  EXPECT_EQ(ran, "abc");
}

TEST(VirtualClock, RunsATimerOfThePastAtOnceAndNeverGoesBack) {
  VirtualClock clock;
  clock.run_until(seconds(10));
  Instant ran{};
  clock.at(seconds(3), [&] { ran = clock.now(); });
  EXPECT_TRUE(clock.advance());
  EXPECT_EQ(ran, Instant(seconds(10)));
}

TEST(VirtualClock, RunsTimersThatATimerAddsForTheSameMoment) {
  VirtualClock clock;
  std::string ran;
  clock.after(seconds(1), [&] {
    ran += 'a';
    clock.after(seconds(0), [&] { ran += 'c'; });
    clock.after(seconds(1), [&] { ran += 'd'; });
  });
  clock.after(seconds(1), [&] { ran += 'b'; });
  EXPECT_TRUE(clock.advance());
  EXPECT_EQ(ran, "abc");
  EXPECT_TRUE(clock.advance());
  EXPECT_EQ(ran, "abcd");
}

TEST(VirtualClock, LetsATimerCancelAnotherOneAndItself) {
  VirtualClock clock;
  std::string ran;
  Clock::TimerId own{};
  Clock::TimerId other{};
  own = clock.after(seconds(1), [&] {
    ran += 'a';
    clock.cancel(own);  // is running: ignored
    clock.cancel(other);
  });
  other = clock.after(seconds(1), [&] { ran += 'b'; });
  clock.after(seconds(1), [&] { ran += 'c'; });
  EXPECT_TRUE(clock.advance());
  EXPECT_EQ(ran, "ac");
  EXPECT_FALSE(clock.advance());
}

TEST(VirtualClock, RunsUntilATimeAndStandsThere) {
  VirtualClock clock;
  int ticks = 0;
  std::function<void()> tick = [&] {
    ++ticks;
    clock.after(milliseconds(100), tick);
  };
  clock.after(milliseconds(100), tick);
  clock.run_until(milliseconds(1000));
  EXPECT_EQ(ticks, 10);
  clock.run_until(milliseconds(1050));
  EXPECT_EQ(ticks, 10);
  EXPECT_EQ(clock.now(), Instant(milliseconds(1050)));
  clock.run_until(milliseconds(1));  // past: nothing
  EXPECT_EQ(clock.now(), Instant(milliseconds(1050)));
}

}  // namespace
}  // namespace weft
