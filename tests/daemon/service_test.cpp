#include "daemon/service.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/virtual_clock.h"
#include "canned.h"

namespace weft::daemon {
namespace {

using std::chrono::seconds;

/// What systemd hears, by a socket of our own.
class Systemd {
 public:
  Systemd() {
    socket_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    const std::string path = (directory_.path() / "notify").string();
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    if (::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      throw std::runtime_error("no socket for sd_notify");
    ::setenv("NOTIFY_SOCKET", path.c_str(), 1);
    ::setenv("WATCHDOG_USEC", "30000000", 1);
    ::setenv("WATCHDOG_PID", std::to_string(::getpid()).c_str(), 1);
  }
  ~Systemd() {
    for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}) ::unsetenv(name);
    ::close(socket_);
  }
  Systemd(const Systemd&) = delete;
  Systemd& operator=(const Systemd&) = delete;

  std::vector<std::string> heard() {
    std::vector<std::string> all;
    char text[4096];
    for (ssize_t got; (got = ::recv(socket_, text, sizeof text, 0)) > 0;)
      all.emplace_back(text, static_cast<std::size_t>(got));
    return all;
  }

 private:
  test::TemporaryDirectory directory_;
  int socket_ = -1;
};

bool always(Duration) { return true; }

TEST(Service, IsReadyOnceAndTellsEachStateOnce) {
  Systemd systemd;
  VirtualClock clock;
  Service service(clock, always);
  (void)systemd.heard();
  service.notify("waiting for device: no umad device\nload ib_umad");
  EXPECT_EQ(systemd.heard(),
            (std::vector<std::string>{"STATUS=waiting for device: no umad device load ib_umad\nREADY=1"}));
  service.notify("master");
  service.notify("master");
  EXPECT_EQ(systemd.heard(), (std::vector<std::string>{"STATUS=master"}));
}

TEST(Service, IsAliveAsLongAsTheLoopRuns) {
  Systemd systemd;
  VirtualClock clock;
  Service service(clock, always);
  EXPECT_EQ(systemd.heard().size(), 1u) << "one at the start";
  clock.run_until(clock.now() + seconds(60));
  EXPECT_EQ(systemd.heard().size(), 6u) << "three within each 30 s";
  EXPECT_TRUE(systemd.heard().empty()) << "the loop stands still, and nobody speaks for it";
}

TEST(Service, IsNotAliveWhenASubnetIsNot) {
  Systemd systemd;
  VirtualClock clock;
  bool alive = true;
  Service service(clock, [&alive](Duration within) {
    EXPECT_EQ(within, seconds(30));
    return alive;
  });
  (void)systemd.heard();
  alive = false;
  clock.run_until(clock.now() + seconds(60));
  EXPECT_TRUE(systemd.heard().empty());
}

TEST(Service, SaysThatItReloadsAndStops) {
  Systemd systemd;
  VirtualClock clock;
  Service service(clock, always);
  (void)systemd.heard();
  service.reloading();
  service.stopping();
  EXPECT_EQ(systemd.heard(), (std::vector<std::string>{"RELOADING=1\nREADY=1", "STOPPING=1"}));
}

}  // namespace
}  // namespace weft::daemon
