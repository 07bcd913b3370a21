#include "transport/gate.h"

#include <vector>

#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "base/virtual_clock.h"
#include "tests/transport/fake_transport.h"
#include "transport/flight_window.h"

namespace weft::transport::tests {
namespace {

using namespace std::chrono_literals;

asio::awaitable<void> enter(Gate& gate, int name, std::vector<int>& inside) {
  co_await gate.enter();
  inside.push_back(name);
}

TEST(Gate, LetsInAsManyAsTheLimitAndTheRestInOrderOfArrival) {
  asio::io_context loop;
  Gate gate(2);
  std::vector<int> inside;
  for (int i = 0; i < 4; ++i) asio::co_spawn(loop, enter(gate, i, inside), asio::detached);
  settle(loop);
  EXPECT_EQ(inside, (std::vector<int>{0, 1}));
  gate.leave();
  gate.leave();
  settle(loop);
  EXPECT_EQ(inside, (std::vector<int>{0, 1, 2, 3}));
}

TEST(Gate, NobodyOvertakesThoseWhoWait) {
  asio::io_context loop;
  Gate gate(1);
  std::vector<int> inside;
  ASSERT_TRUE(gate.try_enter());
  asio::co_spawn(loop, enter(gate, 7, inside), asio::detached);
  settle(loop);
  gate.leave();  // the place is the waiting one's at once, although it has not run yet
  EXPECT_FALSE(gate.try_enter());
  settle(loop);
  EXPECT_EQ(inside, std::vector<int>{7});
}

TEST(Gate, AWiderLimitLetsMoreIn) {
  asio::io_context loop;
  Gate gate(0);
  std::vector<int> inside;
  for (int i = 0; i < 3; ++i) asio::co_spawn(loop, enter(gate, i, inside), asio::detached);
  settle(loop);
  gate.set_limit(2);
  settle(loop);
  EXPECT_EQ(inside.size(), 2u);
}

TEST(Gate, MayGoWhileSomeoneWaits) {
  asio::io_context loop;
  std::vector<int> inside;
  {
    Gate gate(0);
    asio::co_spawn(loop, enter(gate, 1, inside), asio::detached);
    settle(loop);
  }
  settle(loop);
  EXPECT_TRUE(inside.empty());
}

asio::awaitable<void> fly(FlightWindow& window, int& departed) {
  co_await window.enter();
  window.depart();
  ++departed;
}

TEST(FlightWindow, GivesAPlaceBackWhenAPacketHasBeenOutLongEnough) {
  asio::io_context loop;
  VirtualClock clock;
  FlightWindow window(clock, 1, 10ms);
  int departed = 0;
  for (int i = 0; i < 3; ++i) asio::co_spawn(loop, fly(window, departed), asio::detached);
  settle(loop);
  EXPECT_EQ(departed, 1);
  clock.run_until(9ms);
  settle(loop);
  EXPECT_EQ(departed, 1);
  clock.run_until(10ms);
  settle(loop);
  EXPECT_EQ(departed, 2);
  clock.run_until(20ms);
  settle(loop);
  EXPECT_EQ(departed, 3);
}

TEST(FlightWindow, ALandingFreesThePlaceOnceOnly) {
  VirtualClock clock;
  FlightWindow window(clock, 2, 10ms);
  ASSERT_TRUE(window.try_enter());
  const FlightWindow::Flight first = window.depart();
  ASSERT_TRUE(window.try_enter());
  const FlightWindow::Flight second = window.depart();
  window.land(second);
  window.land(second);
  EXPECT_EQ(window.on_the_wire(), 1);
  window.land(first);
  window.land(first);
  EXPECT_EQ(window.on_the_wire(), 0);
}

}  // namespace
}  // namespace weft::transport::tests
