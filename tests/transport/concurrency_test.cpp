#include "transport/concurrency.h"

#include <array>
#include <numeric>

#include <gtest/gtest.h>

#include "base/virtual_clock.h"
#include "transport/real_clock.h"
#include "transport/run.h"

namespace weft::transport::tests {
namespace {

using namespace std::chrono_literals;

struct Load {
  int now = 0;
  int most = 0;
  int done = 0;
};

struct Worker {
  Clock* clock;
  Load* load;
  asio::awaitable<void> operator()(int) const { return work(*clock, *load); }
  static asio::awaitable<void> work(Clock& clock, Load& load) {
    load.most = std::max(load.most, ++load.now);
    co_await sleep_for(clock, 1ms);
    --load.now;
    ++load.done;
  }
};

asio::awaitable<Done> work_on(std::span<const int> items, std::size_t width, Worker worker) {
  co_await for_each(items, width, worker);
  co_return Done{};
}

TEST(ForEach, DoesAllAndNeverMoreAtATimeThanTheWidth) {
  asio::io_context loop;
  VirtualClock clock;
  Load load;
  std::array<int, 10> items{};
  run_virtual(loop, clock, work_on(items, 3, Worker{&clock, &load}));
  EXPECT_EQ(load.done, 10);
  EXPECT_EQ(load.most, 3);
  EXPECT_EQ(clock.now(), 4ms);
}

TEST(ForEach, IsDoneAtOnceWithNothing) {
  asio::io_context loop;
  VirtualClock clock;
  Load load;
  run_virtual(loop, clock, work_on({}, 3, Worker{&clock, &load}));
  EXPECT_EQ(load.done, 0);
}

asio::awaitable<void> fail_later(Clock& clock) {
  co_await sleep_for(clock, 1ms);
  throw std::runtime_error("broken");
}

asio::awaitable<Done> wait_for_failure(Clock& clock, Load& load) {
  const auto executor = co_await asio::this_coro::executor;
  Tasks tasks(executor);
  tasks.start(fail_later(clock));
  tasks.start(Worker::work(clock, load));
  co_await tasks.all();
  co_return Done{};
}

TEST(Tasks, RethrowWhatOneThrewWhenAllAreDone) {
  asio::io_context loop;
  VirtualClock clock;
  Load load;
  EXPECT_THROW(run_virtual(loop, clock, wait_for_failure(clock, load)), std::runtime_error);
  EXPECT_EQ(load.done, 1);
}

asio::awaitable<void> breed(Tasks& tasks, Clock& clock, int generations, int& born) {
  ++born;
  co_await sleep_for(clock, 1ms);
  if (generations > 0) tasks.start(breed(tasks, clock, generations - 1, born));
}

asio::awaitable<Done> wait_for_generations(Clock& clock, int& born) {
  const auto executor = co_await asio::this_coro::executor;
  Tasks tasks(executor);
  tasks.start(breed(tasks, clock, 4, born));
  co_await tasks.all();
  EXPECT_EQ(tasks.running(), 0u);
  co_return Done{};
}

TEST(Tasks, WaitForThoseThatTasksStart) {
  asio::io_context loop;
  VirtualClock clock;
  int born = 0;
  run_virtual(loop, clock, wait_for_generations(clock, born));
  EXPECT_EQ(born, 5);
}

asio::awaitable<Done> sleep_twice(Clock& clock) {
  co_await sleep_for(clock, 1h);
  co_await sleep_for(clock, 1h);
  co_return Done{};
}

TEST(SleepFor, TakesNoTimeUnderAVirtualClock) {
  asio::io_context loop;
  VirtualClock clock;
  run_virtual(loop, clock, sleep_twice(clock));
  EXPECT_EQ(clock.now(), 2h);
}

asio::awaitable<Done> never() {
  return suspend<Done>([](Completion<Done> done) {
    static Completion<Done> kept;
    kept = std::move(done);
    kept = {};
  });
}

TEST(RunVirtual, SaysWhenACoroutineNeverEnds) {
  asio::io_context loop;
  VirtualClock clock;
  EXPECT_THROW(run_virtual(loop, clock, never()), std::logic_error);
}

TEST(RealClock, RunsTimersInOrderOfTimeAndNotTheCancelledOnes) {
  asio::io_context loop;
  RealClock clock(loop);
  std::vector<int> ran;
  clock.after(3ms, [&] { ran.push_back(3); });
  const Clock::TimerId cancelled = clock.after(2ms, [&] { ran.push_back(2); });
  clock.after(1ms, [&] { ran.push_back(1); });
  clock.after(-1s, [&] { ran.push_back(0); });
  clock.cancel(cancelled);
  loop.run();
  EXPECT_EQ(ran, (std::vector<int>{0, 1, 3}));
  EXPECT_GE(clock.now(), 3ms);
}

TEST(RealClock, ATimerMaySetAnother) {
  asio::io_context loop;
  RealClock clock(loop);
  bool second = false;
  clock.after(1us, [&] { clock.after(1us, [&] { second = true; }); });
  loop.run();
  EXPECT_TRUE(second);
}

asio::awaitable<Instant> time_after(Clock& clock, Duration wait) {
  co_await sleep_for(clock, wait);
  co_return clock.now();
}

TEST(RealClock, SleepsOnTheRealLoop) {
  asio::io_context loop;
  RealClock clock(loop);
  EXPECT_GE(run(loop, time_after(clock, 1ms)), 1ms);
}

}  // namespace
}  // namespace weft::transport::tests
