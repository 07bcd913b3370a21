#include "daemon/app.h"

#include <gtest/gtest.h>

#include "canned.h"
#include "transport/real_clock.h"
#include "transport/run.h"

namespace weft::daemon {
namespace {

using Opened = Result<std::unique_ptr<transport::Transport>>;

/// Runs weftd to its end when the way to the fabric cannot be opened.
int exit_code_of(Errc why, bool once) {
  const test::TemporaryDirectory directory;
  asio::io_context loop(1);
  transport::RealClock clock(loop);
  InlineWorkers workers(clock, Duration::zero());
  App::Parts parts;
  parts.loop = &loop;
  parts.clock = &clock;
  parts.workers = &workers;
  struct Open {
    Errc why;
    static asio::awaitable<Opened> run(Errc why) { co_return fail(why, "no way"); }
    asio::awaitable<Opened> operator()(std::shared_ptr<const config::Settings>) const { return run(why); }
  };
  parts.open = Open{why};
  auto loaded = std::make_shared<config::Loaded>();
  loaded->settings.state_dir = (directory.path() / "state").string();
  loaded->settings.control.socket = (directory.path() / "socket").string();
  App app(parts, loaded, once);
  return transport::run(loop, app.run());
}

TEST(App, EndsWithBadUsageWhenTheSettingsNameWhatCannotBe) {
  EXPECT_EQ(exit_code_of(Errc::malformed, true), kBadUsage);
  EXPECT_EQ(exit_code_of(Errc::malformed, false), kBadUsage);
}

TEST(App, EndsWithNoDeviceWhenAPersonMustChoose) {
  EXPECT_EQ(exit_code_of(Errc::ambiguous, false), kNoDevice);
  EXPECT_EQ(exit_code_of(Errc::unavailable, true), kNoDevice);
}

TEST(App, OnceEndsWithFailureWhenAnotherIsManagerOfThePort) {
  EXPECT_EQ(exit_code_of(Errc::conflict, true), kFailed);
}

}  // namespace
}  // namespace weft::daemon
