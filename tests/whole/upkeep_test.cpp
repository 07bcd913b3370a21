// Links that are bad, and what people ask of links and switches: traffic goes elsewhere first, nobody is cut
// off unasked, nothing is forgotten, and all of it comes back.

#include <algorithm>

#include <gtest/gtest.h>

#include "sim/notices.h"
#include "tests/whole/sa_client.h"
#include "tests/whole/whole.h"

namespace weft::test {
namespace {

using daemon::UpkeepRow;
using daemon::UpkeepVerb;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr const char* kTree = "fat-tree:radix=8";

config::Settings strict_settings() {
  config::Settings settings;
  settings.link_health.flaps = 3;
  settings.link_health.errors = 5;
  settings.link_health.window = minutes(5);
  settings.link_health.hold = seconds(60);
  return settings;
}

/// A tree of eight leaves and four spines under management.
struct Kept {
  explicit Kept(config::Settings settings = strict_settings()) : whole(kTree) {
    whole.start({}, settings);
    EXPECT_TRUE(whole.settle()) << whole.faults();
  }
  sim::PortIndex port(std::string_view node, int number) const {
    return whole.world->port_of(whole.node(node), PortNum{static_cast<std::uint8_t>(number)});
  }
  const mad::PortInfo& info(std::string_view node, int number) const {
    return whole.world->port(port(node, number)).info;
  }
  void flap(std::string_view node, int number, int times, Duration every = seconds(4)) {
    for (int i = 0; i < times; ++i) {
      whole.world->cut_link(whole.node(node), PortNum{static_cast<std::uint8_t>(number)});
      whole.run_for(every / 2);
      whole.world->mend_link(whole.node(node), PortNum{static_cast<std::uint8_t>(number)});
      whole.run_for(every / 2);
    }
  }
  Result<std::string> ask(UpkeepVerb verb, std::string place, bool force = false,
                          Duration time = seconds(30)) {
    return whole.manager->ask_upkeep({verb, std::move(place), time, force, "test"});
  }
  std::vector<UpkeepRow> rows() const { return whole.manager->upkeep_rows(); }
  bool all_done() const {
    return std::ranges::all_of(rows(), [](const UpkeepRow& row) { return row.done; });
  }
  bool carried_out(Duration limit = seconds(10)) {
    return whole.run_until([this] { return !rows().empty() && all_done(); }, limit);
  }
  std::size_t events(std::string_view kind) const {
    return static_cast<std::size_t>(
        std::ranges::count(whole.events->after(0, 10'000), kind, &daemon::Event::kind));
  }
  /// All hosts that have power and a link reach each other.
  bool hosts_reach() const {
    const sim::Reach reach = sim::all_pairs(*whole.world);
    return reach.host_pairs == reach.host_pairs_reached;
  }
  bool disabled(std::string_view node, int number) const {
    const sim::PortIndex peer = whole.world->port(port(node, number)).peer;
    return info(node, number).phys == PhysState::disabled ||
           whole.world->port(peer).info.phys == PhysState::disabled;
  }

  Whole whole;
};

TEST(BadLinks, AreHeldAndComeBackByThemselves) {
  Kept here;
  here.flap("L1-01", 8, 4);
  EXPECT_EQ(here.events("link_held"), 1u);
  EXPECT_TRUE(here.carried_out());
  EXPECT_TRUE(here.disabled("L1-01", 8));
  EXPECT_TRUE(here.whole.has_problem("is held: disabled (it went down 4 times within 5min)"));
  EXPECT_TRUE(here.hosts_reach());
  EXPECT_TRUE(here.whole.run_until([&] { return here.rows().empty(); }, seconds(90)));
  EXPECT_TRUE(here.whole.settle()) << here.whole.faults();
  EXPECT_EQ(here.info("L1-01", 8).state, PortState::active);
  EXPECT_FALSE(here.whole.has_problem("held"));
}

TEST(BadLinks, ThatGoUpAndDownForTenMinutesCostAFewSweeps) {
  Kept here;
  const std::uint64_t number = here.whole.manager->sweeps().back().number;
  here.flap("L1-01", 8, 600, seconds(1));
  // Held after three, for a minute, then tried again.
  std::size_t planned = 0;
  for (const auto& report : here.whole.manager->sweeps())
    planned += report.number > number && report.kind != daemon::SweepKind::light && !report.unchanged ? 1 : 0;
  EXPECT_LE(planned, 150u);
  EXPECT_GE(here.events("link_held"), 8u);
  EXPECT_LE(here.events("link_held"), 11u);
  EXPECT_TRUE(here.whole.settle(minutes(3))) << here.whole.faults();
}

TEST(BadLinks, ThatAreTheOnlyWayToAHostAreToldOnly) {
  Kept here;
  here.flap("h00003", 1, 5);
  EXPECT_EQ(here.events("link_held"), 0u);
  EXPECT_EQ(here.events("link_bad"), 1u);
  EXPECT_TRUE(here.whole.settle()) << here.whole.faults();
  EXPECT_TRUE(here.whole.has_problem("is bad: it went down 4 times within 5min; it is not held"));
}

TEST(BadLinks, OfHostsAreHeldWhereThatIsAskedFor) {
  config::Settings settings = strict_settings();
  settings.link_health.hosts = true;
  Kept here(settings);
  here.flap("h00007", 1, 4);
  EXPECT_EQ(here.events("link_held"), 1u);
  EXPECT_TRUE(here.whole.run_until([&] { return here.disabled("h00007", 1); }, seconds(10)));
  EXPECT_TRUE(here.whole.run_until([&] { return here.rows().empty(); }, seconds(90)));
  EXPECT_TRUE(here.whole.settle()) << here.whole.faults();
}

TEST(BadLinks, AreNotHeldWithAHoldOfZero) {
  config::Settings settings = strict_settings();
  settings.link_health.hold = Duration{};
  Kept here(settings);
  here.flap("L1-01", 8, 8);
  EXPECT_EQ(here.events("link_held"), 0u);
  EXPECT_EQ(here.events("link_bad"), 2u);
  EXPECT_TRUE(here.whole.settle()) << here.whole.faults();
}

TEST(BadLinks, AreThoseWhosePortsReportErrors) {
  Kept here;
  const sim::PortIndex port = here.port("L1-01", 8);
  here.whole.network->traps().storm(
      sim::notifier(*here.whole.world, port),
      sim::port_error_notice(*here.whole.world, port, mad::TrapNumber::link_integrity), 6, milliseconds(100));
  here.whole.run_for(seconds(2));
  EXPECT_EQ(here.events("link_held"), 1u);
  EXPECT_TRUE(here.carried_out());
  EXPECT_TRUE(here.whole.run_until([&] { return here.rows().empty(); }, seconds(90)));
  EXPECT_TRUE(here.whole.settle()) << here.whole.faults();
}

TEST(BadLinks, DoNotIncludeThoseOfASwitchThatReboots) {
  Kept here;
  for (int i = 0; i < 6; ++i) {
    here.whole.world->reboot(here.whole.node("L2-01"), seconds(1));
    here.whole.run_for(seconds(20));
  }
  EXPECT_EQ(here.events("link_held") + here.events("link_bad"), 0u);
  EXPECT_TRUE(here.whole.settle()) << here.whole.faults();
}

TEST(BadLinks, OfTheManagerAreNeverHeld) {
  config::Settings settings = strict_settings();
  settings.link_health.hosts = true;
  Kept here(settings);
  here.flap("h00000", 1, 6, seconds(10));
  EXPECT_EQ(here.events("link_held"), 0u);
  EXPECT_TRUE(here.whole.settle()) << here.whole.faults();
}

TEST(Drain, LetsASwitchBePulledWithoutALostPacket) {
  Kept here;
  const auto said = here.ask(UpkeepVerb::drain, "L2-01");
  ASSERT_TRUE(said) << said.error().what;
  ASSERT_TRUE(here.carried_out());
  ASSERT_EQ(here.rows().size(), 1u);
  EXPECT_EQ(here.rows()[0].state, "nothing goes over it: safe to pull");
  EXPECT_TRUE(here.whole.has_problem("is drained: nothing goes over it: safe to pull (test)"));
  EXPECT_EQ(here.whole.faults(), "") << "it is there still";
  here.whole.world->power_off(here.whole.node("L2-01"));
  EXPECT_TRUE(here.hosts_reach()) << "at once";
  here.whole.run_for(seconds(30));
  here.whole.world->power_on(here.whole.node("L2-01"));
  EXPECT_TRUE(here.whole.settle()) << here.whole.faults();
  EXPECT_TRUE(here.carried_out()) << "it is drained still";
  ASSERT_TRUE(here.ask(UpkeepVerb::undrain, "L2-01"));
  EXPECT_TRUE(here.whole.run_until([&] { return here.rows().empty(); }, seconds(10)));
  EXPECT_TRUE(here.whole.settle()) << here.whole.faults();
}

TEST(Drain, LetsALinkBePulledWithoutALostPacket) {
  Kept here;
  ASSERT_TRUE(here.ask(UpkeepVerb::drain, "L1-01/8"));
  ASSERT_TRUE(here.carried_out());
  here.whole.world->cut_link(here.whole.node("L1-01"), PortNum{8});
  EXPECT_TRUE(here.hosts_reach()) << "at once";
}

TEST(Drain, NamesWhomItWouldCutOffAndIsRefused) {
  Kept here;
  const auto refused = here.ask(UpkeepVerb::drain, "L1-01");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::conflict);
  EXPECT_NE(refused.error().what.find("4 nodes would be cut off: "), std::string::npos)
      << refused.error().what;
  EXPECT_NE(refused.error().what.find("h00004"), std::string::npos) << refused.error().what;
  EXPECT_TRUE(here.rows().empty());
  EXPECT_FALSE(here.ask(UpkeepVerb::drain, "L1-00")) << "we hang on it";
  EXPECT_FALSE(here.ask(UpkeepVerb::drain, "h00004/1"));
  EXPECT_EQ(here.ask(UpkeepVerb::drain, "h00004").error().code, Errc::invalid);
  EXPECT_EQ(here.ask(UpkeepVerb::drain, "nobody").error().code, Errc::not_found);
  EXPECT_EQ(here.ask(UpkeepVerb::drain, "L1-01/77").error().code, Errc::not_found);
  EXPECT_EQ(here.ask(UpkeepVerb::drain, "L1-01/x").error().code, Errc::not_found);
  ASSERT_TRUE(here.ask(UpkeepVerb::drain, "L1-01", true));
  here.whole.run_for(seconds(5));
  EXPECT_EQ(here.whole.faults(), "") << "nobody is cut off before it is pulled";
}

TEST(Drain, OfSeveralThatTogetherCutSomebodyOffIsRefused) {
  Kept here;
  for (const char* link : {"L1-01/5", "L1-01/6", "L1-01/7"})
    ASSERT_TRUE(here.ask(UpkeepVerb::drain, link)) << link;
  EXPECT_FALSE(here.ask(UpkeepVerb::drain, "L1-01/8"));
}

TEST(DisabledPorts, LoseTheirTrafficFirstAndComeBackWhenTheyAreEnabled) {
  Kept here;
  ASSERT_TRUE(here.ask(UpkeepVerb::disable, "L1-01/8"));
  ASSERT_TRUE(here.whole.run_until([&] { return here.disabled("L1-01", 8); }, seconds(10)));
  EXPECT_TRUE(here.hosts_reach()) << "at once";
  EXPECT_TRUE(here.carried_out());
  EXPECT_TRUE(here.whole.has_problem("is disabled: disabled (test)"));
  here.whole.run_for(minutes(2));
  EXPECT_TRUE(here.disabled("L1-01", 8));
  ASSERT_TRUE(here.ask(UpkeepVerb::enable, "L1-01/8"));
  EXPECT_TRUE(here.whole.run_until([&] { return here.rows().empty(); }, seconds(20)));
  EXPECT_TRUE(here.whole.settle()) << here.whole.faults();
  EXPECT_EQ(here.ask(UpkeepVerb::enable, "L1-01/8").error().code, Errc::not_found);
}

TEST(DisabledPorts, AreSoAfterARestartAndAfterTheSwitchWasReset) {
  Kept here;
  ASSERT_TRUE(here.ask(UpkeepVerb::disable, "L1-01/8"));
  ASSERT_TRUE(here.ask(UpkeepVerb::drain, "L2-01"));
  ASSERT_TRUE(here.carried_out());
  here.whole.start(here.whole.store.ledger, strict_settings());
  ASSERT_TRUE(here.carried_out());
  EXPECT_EQ(here.rows().size(), 2u);
  here.whole.world->reboot(here.whole.node("L1-01"), seconds(2));
  here.whole.world->reboot(here.whole.node("L2-03"), seconds(2));
  here.whole.run_for(seconds(30));
  EXPECT_TRUE(here.disabled("L1-01", 8));
  EXPECT_TRUE(here.carried_out());
  EXPECT_TRUE(here.hosts_reach());
}

TEST(DisabledPorts, CutAHostOffOnlyByForce) {
  Kept here;
  const auto refused = here.ask(UpkeepVerb::disable, "h00007/1");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("1 node would be cut off: "), std::string::npos)
      << refused.error().what;
  ASSERT_TRUE(here.ask(UpkeepVerb::disable, "h00007/1", true));
  EXPECT_TRUE(here.carried_out());
  EXPECT_TRUE(here.disabled("h00007", 1));
  here.whole.run_for(seconds(20));
  ASSERT_TRUE(here.ask(UpkeepVerb::enable, here.rows()[0].where.substr(0, 18) + "/" +
                                               std::to_string(raw(here.rows()[0].place.port))));
  EXPECT_TRUE(here.whole.run_until([&] { return here.rows().empty(); }, seconds(20)));
  EXPECT_TRUE(here.whole.settle()) << here.whole.faults();
}

TEST(Drain, MovesMulticastToo) {
  Kept here;
  const Gid group{0xff12401bffff0000, 0x0000000000000101};
  std::vector<std::unique_ptr<SaClient>> members;
  for (const char* host : {"h00001", "h00005", "h00009", "h00030"}) {
    members.push_back(std::make_unique<SaClient>(here.whole, host));
    EXPECT_EQ(members.back()->join(group), 0) << host;
  }
  for (const char* spine : {"L2-00", "L2-01", "L2-02", "L2-03"}) {
    ASSERT_TRUE(here.ask(UpkeepVerb::drain, spine));
    EXPECT_TRUE(here.carried_out()) << here.rows()[0].state;
    ASSERT_TRUE(here.ask(UpkeepVerb::undrain, spine));
    here.whole.run_for(seconds(2));
  }
  EXPECT_TRUE(here.whole.settle()) << here.whole.faults();
}

TEST(Drain, OfASwitchThatNeverComesBackIsForgottenByItsGuid) {
  Kept here;
  ASSERT_TRUE(here.ask(UpkeepVerb::drain, "L2-01"));
  ASSERT_TRUE(here.carried_out());
  here.whole.world->power_off(here.whole.node("L2-01"));
  here.whole.run_for(seconds(30));
  ASSERT_EQ(here.rows().size(), 1u);
  EXPECT_EQ(here.rows()[0].state, "its node is not there");
  EXPECT_FALSE(here.ask(UpkeepVerb::undrain, "L2-01"));
  ASSERT_TRUE(here.ask(UpkeepVerb::undrain, to_string(here.rows()[0].place.node)));
  EXPECT_TRUE(here.rows().empty());
}

TEST(Drain, IsNotMistakenForABadLinkWhenItIsPulledAndPluggedAgain) {
  Kept here;
  ASSERT_TRUE(here.ask(UpkeepVerb::drain, "L2-01"));
  ASSERT_TRUE(here.carried_out());
  here.flap("L2-01", 2, 6);
  EXPECT_EQ(here.events("link_held") + here.events("link_bad"), 0u);
}

TEST(DisabledPorts, AreNeverTheManagersOwn) {
  Kept here;
  EXPECT_EQ(here.ask(UpkeepVerb::disable, "h00000/1", true).error().code, Errc::invalid);
  EXPECT_EQ(here.ask(UpkeepVerb::disable, "L1-00/1", true).error().code, Errc::invalid);
}

TEST(DisabledPorts, MayBeNamedByEitherEnd) {
  Kept here;
  ASSERT_TRUE(here.ask(UpkeepVerb::disable, "L1-01/8"));
  ASSERT_TRUE(here.carried_out());
  ASSERT_TRUE(here.ask(UpkeepVerb::hold, "L2-03/2", false, seconds(600)));
  ASSERT_TRUE(here.carried_out());
  EXPECT_EQ(here.rows().size(), 1u);
  ASSERT_TRUE(here.ask(UpkeepVerb::enable, "L2-03/2"));
  EXPECT_TRUE(here.whole.run_until([&] { return here.rows().empty(); }, seconds(20)));
  EXPECT_TRUE(here.whole.settle()) << here.whole.faults();
}

TEST(DisabledPorts, ThatAreHeldComeBackWhenTheTimeIsOver) {
  Kept here;
  ASSERT_TRUE(here.ask(UpkeepVerb::hold, "L2-02/3", false, seconds(30)));
  ASSERT_TRUE(here.carried_out());
  EXPECT_TRUE(here.disabled("L2-02", 3));
  here.whole.run_for(seconds(15));
  EXPECT_TRUE(here.disabled("L2-02", 3));
  EXPECT_TRUE(here.whole.run_until([&] { return here.rows().empty(); }, seconds(30)));
  EXPECT_TRUE(here.whole.settle()) << here.whole.faults();
}

}  // namespace
}  // namespace weft::test
