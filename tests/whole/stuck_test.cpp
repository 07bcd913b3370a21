// A manager whose sweep does not come to an end, because of its configuration: it must be possible to see
// that, and to mend it, while it sweeps.

#include <gtest/gtest.h>

#include "tests/whole/asked_api.h"

namespace weft::test {
namespace {

using namespace std::chrono_literals;

/// Each switch that keeps silent costs an hour and a half.
config::Settings much_too_patient() {
  return config::read_text("smp: { timeout: 1min, attempts: 100 }\n", "file").value().settings;
}

TEST(Stuck, AManagerTakesAnotherConfigurationInTheMiddleOfItsSweep) {
  Whole whole("fat-tree:radix=4,levels=3");
  for (const char* silent : {"L2-00-00", "L2-01-01", "L3-00-00"})
    whole.world->set_mute(whole.node(silent), sim::Mute::smi);
  whole.start({}, much_too_patient());
  AskedApi api(whole, much_too_patient());
  whole.run_for(10min);
  ASSERT_FALSE(whole.status().last_sweep) << "it should still be at its first";

  const Instant asked = whole.clock.now();
  const daemon::Response status = api.ask(whole, "GET", "/v1/status");
  EXPECT_EQ(status.status, 200);
  const auto told = boost::json::parse(status.body);
  EXPECT_EQ(told.at("state"), "discovering");
  EXPECT_EQ(told.at("progress").at("phase"), "discovery");
  EXPECT_EQ(api.ask(whole, "GET", "/livez").status, 200);
  EXPECT_EQ(api.ask(whole, "GET", "/readyz").status, 503);
  const daemon::Response diff = api.ask(whole, "POST", "/v1/config/diff", "smp: { attempts: 3 }\n");
  EXPECT_EQ(diff.status, 200) << diff.body;
  EXPECT_EQ(whole.clock.now(), asked) << "nothing of that waits for the sweep";

  whole.manager->reconfigure(std::make_shared<const config::Settings>());
  EXPECT_TRUE(whole.run_until([&] { return whole.status().last_sweep.has_value(); }, 2min))
      << "requests that are out may take their minute, and no more";
  EXPECT_TRUE(whole.run_until([&] { return whole.status().state == daemon::State::master; }, 1min));
}

}  // namespace
}  // namespace weft::test
