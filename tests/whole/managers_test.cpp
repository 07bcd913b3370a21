// Beside other managers: who is master, who yields, and what tells others that we are here.

#include <algorithm>

#include <gtest/gtest.h>

#include "mad/port_info.h"
#include "tests/whole/whole.h"

namespace weft::test {
namespace {

using std::chrono::seconds;

constexpr const char* kOtherHost = "h00007";

bool shows_is_sm(const Whole& whole) {
  const sim::PortIndex port = whole.world->port_of(whole.node(whole.first_host), PortNum{1});
  return mad::has(whole.world->port(port).info, mad::PortCap::is_sm);
}

/// A program at another host that sets IsSM and never answers anything.
struct Silent {
  explicit Silent(Whole& whole)
      : transport(*sim::SimTransport::open(*whole.network, kOtherHost, PortNum{1})) {
    (void)transport->set_is_sm(true);
  }
  std::unique_ptr<sim::SimTransport> transport;
};

TEST(StandbyThatGoes, IsListedNoLonger) {
  Whole whole("fat-tree:radix=4,levels=2");
  whole.start();
  ASSERT_TRUE(whole.settle()) << whole.faults();
  {
    const Rival rival(whole, "h00003");
    whole.run_for(std::chrono::seconds(15));
    whole.manager->ask_for_sweep("test");
    ASSERT_TRUE(
        whole.run_until([&] { return !whole.status().other_managers.empty(); }, std::chrono::seconds(30)));
  }
  EXPECT_TRUE(
      whole.run_until([&] { return whole.status().other_managers.empty(); }, std::chrono::seconds(40)));
}

TEST(SilentManager, IsAskedInThreeSweepsBeforeAnythingIsWritten) {
  Whole whole("fat-tree:radix=8");
  const Silent silent(whole);
  whole.start();
  ASSERT_TRUE(whole.run_until([&] { return whole.manager->sweeps().size() == 2; }, seconds(60)));
  EXPECT_EQ(whole.sets(), 0u);
  EXPECT_NE(whole.status().text.find("does not answer"), std::string::npos) << whole.status().text;
  EXPECT_TRUE(whole.settle());
  EXPECT_EQ(whole.manager->sweeps().size(), 3u);
  EXPECT_TRUE(whole.has_problem("does not answer"));
}

TEST(SilentManager, DoesNotKeepAMasterFromItsWork) {
  Whole whole("fat-tree:radix=8");
  whole.start();
  ASSERT_TRUE(whole.settle());
  const Silent silent(whole);
  whole.world->reboot(whole.node("L2-01"));
  whole.run_for(seconds(30));
  EXPECT_EQ(whole.status().state, daemon::State::master);
  EXPECT_TRUE(whole.manager->sweeps().back().clean);
  EXPECT_EQ(whole.faults(), "");
}

TEST(SilentManager, IsObeyedOnceItAnswersAsAMasterThatOutranksUs) {
  Whole whole("fat-tree:radix=8");
  whole.start();
  ASSERT_TRUE(whole.settle());
  bool answers = false;
  whole.world->forge(whole.node(kOtherHost), mad::AttrId::sm_info, [&](mad::Smp&) { return answers; });
  auto silent = std::make_unique<Silent>(whole);
  whole.manager->ask_for_sweep("test");
  whole.run_for(seconds(30));
  ASSERT_EQ(whole.status().state, daemon::State::master) << whole.status().text;
  silent.reset();
  (void)whole.transport->set_is_sm(false);  // the other one takes over without having seen us
  config::Settings higher;
  higher.manager.priority = 15;
  Rival rival(whole, kOtherHost, higher);
  answers = true;
  whole.run_for(seconds(30));
  EXPECT_EQ(whole.status().state, daemon::State::standby) << whole.status().text;
}

TEST(LostIsSm, IsSetAgain) {
  Whole whole("fat-tree:radix=8");
  whole.start();
  ASSERT_TRUE(whole.settle());
  ASSERT_TRUE(shows_is_sm(whole));
  whole.world->edit_port(whole.world->port_of(whole.node(whole.first_host), PortNum{1}),
                         [](mad::PortInfo& info) { info.capabilities &= ~raw(mad::PortCap::is_sm); });
  whole.run_for(seconds(30));
  EXPECT_TRUE(shows_is_sm(whole));
  const auto events = whole.events->after(0, 10'000);
  EXPECT_EQ(std::ranges::count(events, "is_sm_lost", &daemon::Event::kind), 1);
}

TEST(IsSmThatWasNeverSet, IsSetOnceWeAreMaster) {
  Whole whole("fat-tree:radix=8");
  whole.start();
  (void)whole.transport->set_is_sm(false);
  ASSERT_FALSE(shows_is_sm(whole));
  whole.run_for(seconds(30));
  EXPECT_TRUE(shows_is_sm(whole));
}

}  // namespace
}  // namespace weft::test
