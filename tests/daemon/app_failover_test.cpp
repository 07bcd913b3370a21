// weftd on a host with two ports to one subnet: when the one it manages from fails, it goes on by the other.

#include <algorithm>

#include <gtest/gtest.h>

#include "canned.h"
#include "daemon/app.h"
#include "sim/judge.h"
#include "sim/network.h"
#include "sim/sim_transport.h"
#include "topology/ibsim_file.h"
#include "transport/run.h"

namespace weft::daemon {
namespace {

using Opened = Result<std::unique_ptr<transport::Transport>>;
using std::chrono::seconds;

constexpr std::string_view kTwoPorts = R"(
Switch 8 "s0"
[1] "manager"[1]
[2] "other"[1]
[8] "s1"[8]

Switch 8 "s1"
[1] "manager"[2]
[2] "another"[1]
[8] "s0"[8]

Hca 2 "manager"
[1] "s0"[1]
[2] "s1"[1]

Hca 1 "other"
[1] "s0"[2]

Hca 1 "another"
[1] "s1"[2]
)";

class Failover : public testing::Test {
 protected:
  Failover()
      : topology(topology::read_ibsim(kTwoPorts, "two ports").value()),
        world(topology, clock, 1),
        network(world) {
    loaded->settings.state_dir = (directory.path() / "state").string();
    loaded->settings.control.socket = (directory.path() / "socket").string();
    loaded->settings.transport.port.number = 1;
    loaded->settings.transport.failover = {{"", 2, {}}};
    App::Parts parts;
    parts.loop = &loop;
    parts.clock = &clock;
    parts.workers = &workers;
    parts.open = Open{this};
    app = std::make_unique<App>(parts, loaded, false);
    asio::co_spawn(loop, app->run(), [this](std::exception_ptr, int) { ended = true; });
  }
  ~Failover() override {
    app->stop();
    while (!ended) transport::run_virtual(loop, clock, [this] { return ended; });
    app.reset();
  }

  struct Open {
    Failover* test;
    static asio::awaitable<Opened> run(Failover* test, int port) {
      if (port == test->away) co_return fail(Errc::unavailable, "port {} is away", port);
      auto opened = sim::SimTransport::open(test->network, "manager", static_cast<PortNum>(port));
      if (!opened) co_return fail(opened.error());
      co_return std::unique_ptr<transport::Transport>(std::move(*opened));
    }
    asio::awaitable<Opened> operator()(std::shared_ptr<const config::Settings> settings) const {
      return run(test, settings->transport.port.number.value_or(1));
    }
  };

  /// The state file is written in real time, and virtual time runs on meanwhile: the limit is a real one.
  bool manages_by(std::string_view device) {
    using Real = std::chrono::steady_clock;
    const Real::time_point end = Real::now() + seconds(20);
    const auto settled = [&] {
      const Status status = app->status();
      return status.state == State::master && status.device == device && status.last_sweep &&
             status.last_sweep->clean;
    };
    // While only the state file is waited for nothing is left to happen here.
    while (!settled() && Real::now() < end)
      transport::run_virtual(loop, clock, [&] { return settled() || Real::now() >= end; });
    return settled();
  }
  bool told(std::string_view kind) {
    const std::vector<Event> events = app->events().after(0, 1000);
    return std::ranges::any_of(events, [&](const Event& one) { return one.kind == kind; });
  }
  void cut(std::uint8_t port) { world.cut_link(*world.find("manager"), PortNum{port}); }
  void mend(std::uint8_t port) { world.mend_link(*world.find("manager"), PortNum{port}); }

  test::TemporaryDirectory directory;
  asio::io_context loop{1};
  VirtualClock clock;
  topology::Topology topology;
  sim::World world;
  sim::Network network;
  InlineWorkers workers{clock, Duration::zero()};
  std::shared_ptr<config::Loaded> loaded = std::make_shared<config::Loaded>();
  std::unique_ptr<App> app;
  int away = 0;
  bool ended = false;
};

TEST_F(Failover, GoesOnByTheOtherPortAndComesBackOnlyWhenThatFailsInTurn) {
  ASSERT_TRUE(manages_by("sim port 1"));
  const Lid lid = app->status().lid;
  cut(1);
  ASSERT_TRUE(manages_by("sim port 2"));
  EXPECT_TRUE(told("port_failover"));
  mend(1);
  ASSERT_TRUE(manages_by("sim port 2"));
  transport::run_virtual(loop, clock,
                         [until = clock.now() + seconds(60), this] { return clock.now() >= until; });
  EXPECT_EQ(app->status().device, "sim port 2") << "what works is kept";
  cut(2);
  ASSERT_TRUE(manages_by("sim port 1"));
  EXPECT_EQ(app->status().lid, lid);
}

TEST_F(Failover, WaitsWhereItIsWhileNoOtherPortHasALink) {
  ASSERT_TRUE(manages_by("sim port 1"));
  cut(2);
  cut(1);
  transport::run_virtual(loop, clock,
                         [until = clock.now() + seconds(60), this] { return clock.now() >= until; });
  EXPECT_EQ(app->status().device, "sim port 1");
  EXPECT_FALSE(told("port_failover"));
  mend(2);
  EXPECT_TRUE(manages_by("sim port 2"));
}

TEST_F(Failover, DoesNotLeaveAPortForAMoment) {
  ASSERT_TRUE(manages_by("sim port 1"));
  cut(1);
  transport::run_virtual(loop, clock,
                         [until = clock.now() + seconds(3), this] { return clock.now() >= until; });
  mend(1);
  ASSERT_TRUE(manages_by("sim port 1"));
  EXPECT_FALSE(told("port_failover"));
}

class FailoverFromTheStart : public Failover {
 protected:
  FailoverFromTheStart() { away = 1; }
};

TEST_F(FailoverFromTheStart, TakesTheOtherPortWhenTheFirstIsNotThere) {
  EXPECT_TRUE(manages_by("sim port 2"));
}

}  // namespace
}  // namespace weft::daemon
