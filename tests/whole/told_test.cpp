// What devices tell of themselves by trap 144 while the fabric stands as it is: another NodeDescription,
// other capabilities. Each costs the one SMP that reads it; keys, the SA and events follow at once.

#include <gtest/gtest.h>

#include "config/read.h"
#include "mad/node_info.h"
#include "mad/port_info.h"
#include "sim/probe.h"
#include "tests/whole/sa_client.h"

namespace weft::test {
namespace {

using mad::SaAttr;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint32_t kDeviceManagement = 1u << 19;  // a capability that means nothing to us

class Told : public testing::Test {
 protected:
  void start(std::string_view policy = "") {
    whole.start({}, config::read_text(policy, "f").value().settings);
    ASSERT_TRUE(whole.settle()) << whole.faults();
    whole.run_for(milliseconds(100));
    descriptions_ = descriptions_read();
    smps_ = whole.manager->client().sent();
    number_ = whole.manager->sweeps().back().number;
  }
  std::uint64_t descriptions_read() const {
    return whole.world->counters().total({.node = {},
                                          .mgmt_class = {},
                                          .method = mad::Method::get,
                                          .attribute = mad::AttrId::node_description});
  }
  /// NodeDescriptions asked for since start().
  std::uint64_t descriptions() const { return descriptions_read() - descriptions_; }
  /// All requests since then; our own port is looked at every second.
  std::uint64_t smps() const { return whole.manager->client().sent() - smps_; }
  std::string name_of(std::string_view id) const {
    const fabric::Fabric& fabric = *whole.manager->view()->fabric;
    return fabric.node(*fabric.find(whole.world->node(whole.node(id)).guid)).description;
  }
  bool is_called(std::string_view id, std::string_view name) {
    const bool known = whole.run_until([&] { return name_of(id) == name; }, milliseconds(200));
    whole.run_for(milliseconds(10));  // until that is told and its sweep has ended
    return known;
  }
  void rename(std::string_view id, std::string name) { whole.world->rename(whole.node(id), std::move(name)); }
  bool may_talk(std::string_view a, std::string_view b, Pkey key) const {
    const auto port = [&](std::string_view id) { return whole.world->port_of(whole.node(id), PortNum{1}); };
    return sim::send_probe(*whole.world,
                           {.from = port(a), .to = whole.world->port(port(b)).info.lid, .pkey = key})
        .delivered();
  }
  /// Phases of all sweeps since start().
  std::set<std::string> phases() const {
    std::set<std::string> names;
    for (const daemon::SweepReport& report : whole.manager->sweeps())
      if (report.number > number_)
        for (const daemon::PhaseReport& phase : report.phases) names.insert(phase.name);
    return names;
  }
  bool was_event(std::string_view kind, std::string_view text) const {
    for (const daemon::Event& one : whole.events->after(0, 10'000))
      if (one.kind == kind && one.text.find(text) != std::string::npos) return true;
    return false;
  }

  Whole whole{"fat-tree:radix=8,levels=2"};
  std::uint64_t smps_ = 0;
  std::uint64_t descriptions_ = 0;
  std::uint64_t number_ = 0;
};

TEST_F(Told, AnotherNameIsReadByOneSmpAndKnownEverywhere) {
  start();
  const auto routes = whole.manager->view()->plan;
  rename("h00005", "gpu-5");
  ASSERT_TRUE(is_called("h00005", "gpu-5"));
  EXPECT_EQ(descriptions(), 1u);
  EXPECT_LE(smps(), 2u);
  EXPECT_EQ(phases(), std::set<std::string>{"descriptions"});
  EXPECT_EQ(whole.manager->view()->plan, routes) << "no plan is made of a name";
  EXPECT_TRUE(was_event("node_changed", "gpu-5"));
  SaClient client(whole, "h00003");
  mad::Mad asked = client.request(mad::Method::get, SaAttr::node_record, sa::bit(0));
  const Lid lid = whole.world->port(whole.world->port_of(whole.node("h00005"), PortNum{1})).info.lid;
  put_bits(std::span<std::uint8_t>(asked.bytes), mad::kSaDataAt * 8, 16, raw(lid));
  const auto answer = client.ask(asked);
  ASSERT_TRUE(answer);
  const auto told = mad::decode<mad::NodeDescription>(std::span(answer->bytes).subspan(mad::kSaDataAt + 44));
  EXPECT_EQ(told.text, "gpu-5");
}

TEST_F(Told, ANewNameGivesItsKeysAndTheOldOneTakesThem) {
  start(
      "partitions:\n  define:\n    gpu: { key: 0x10, members: [ 'gpu-*', { h00003: full } ], "
      "default_membership: full }\n");
  ASSERT_FALSE(may_talk("h00005", "h00003", Pkey{0x8010}));
  const auto& lfts = whole.manager->view()->plan->routes().lfts;
  const std::vector before(lfts.begin(), lfts.end());
  rename("h00005", "gpu-5");
  EXPECT_TRUE(whole.run_until([&] { return may_talk("h00005", "h00003", Pkey{0x8010}); }, milliseconds(200)));
  ASSERT_TRUE(is_called("h00005", "gpu-5"));
  EXPECT_FALSE(phases().contains("discovery"));
  EXPECT_FALSE(phases().contains("planning"));
  EXPECT_LE(smps(), 20u) << "the name, two tables, and a look whether who was written to is who it was";
  const auto& now = whole.manager->view()->plan->routes().lfts;
  EXPECT_EQ(std::vector(now.begin(), now.end()), before) << "the same tables, not equal ones";
  EXPECT_EQ(whole.status().text, "the fabric is as planned");
  ASSERT_TRUE(whole.settle());
  rename("h00005", "cpu-5");
  EXPECT_TRUE(whole.run_until([&] { return !may_talk("h00005", "h00003", Pkey{0x8010}); }, seconds(2)));
  ASSERT_TRUE(whole.settle());
  const std::uint64_t sets = whole.sets();
  whole.manager->ask_for_sweep("test");
  whole.run_for(seconds(1));
  EXPECT_EQ(whole.sets(), sets) << "a full sweep finds all as it is";
}

TEST_F(Told, NamesOfAllHostsAtOnceCostOneSmpEachAndFewViews) {
  start("partitions:\n  define:\n    gpu: { key: 0x10, members: [ 'gpu-*' ] }\n");
  std::uint64_t hosts = 0;
  const std::uint64_t generation = whole.manager->view()->generation;
  for (std::uint32_t n = 0; n < whole.world->node_count(); ++n) {
    const auto node = static_cast<sim::NodeIndex>(n);
    if (whole.world->is_switch(node)) continue;
    whole.run_for(milliseconds(20));
    whole.world->rename(node, fmt::format("node-{}", n));
    ++hosts;
  }
  whole.run_for(milliseconds(1500));
  EXPECT_EQ(descriptions(), hosts);
  EXPECT_LE(smps(), hosts + 4);
  EXPECT_LE(whole.manager->view()->generation, generation + 3) << "one at once, then one a second";
  EXPECT_EQ(phases(), std::set<std::string>{"descriptions"});
  EXPECT_EQ(name_of("h00000").substr(0, 5), "node-");
}

TEST_F(Told, ANameAndCapabilitiesInOneTrapAreBothRead) {
  start();
  const sim::PortIndex port = whole.world->port_of(whole.node("h00006"), PortNum{1});
  whole.world->port(port).info.capabilities |= kDeviceManagement;
  rename("h00006", "gpu-6");  // tells the mask, too
  ASSERT_TRUE(is_called("h00006", "gpu-6"));
  const auto mask = [&] {
    const fabric::Fabric& fabric = *whole.manager->view()->fabric;
    return fabric.port(*fabric.find_port(whole.world->port(port).guid)).capabilities;
  };
  EXPECT_TRUE(whole.run_until([&] { return (mask() & kDeviceManagement) != 0; }, milliseconds(200)));
  EXPECT_TRUE(was_event("capabilities_changed", "gpu-6"));
  EXPECT_FALSE(phases().contains("planning"));
}

TEST_F(Told, CapabilitiesThatChangeAreReadAndAnsweredToWhoAsksForThem) {
  start();
  const sim::PortIndex port = whole.world->port_of(whole.node("h00006"), PortNum{1});
  whole.world->port(port).info.capabilities |= kDeviceManagement;
  whole.network->traps().capability_changed(port);
  whole.run_for(milliseconds(200));
  EXPECT_LE(smps(), 5u) << "it, and whether we hang where we did";
  SaClient client(whole, "h00003");
  mad::Mad asked = client.request(mad::Method::get, SaAttr::port_info_record, sa::bit(0));
  put_bits(std::span<std::uint8_t>(asked.bytes), mad::kSaDataAt * 8, 16,
           raw(whole.world->port(port).info.lid));
  const auto answer = client.ask(asked);
  ASSERT_TRUE(answer);
  const auto info = mad::decode<mad::PortInfo>(std::span(answer->bytes).subspan(mad::kSaDataAt + 4));
  EXPECT_NE(info.capabilities & kDeviceManagement, 0u);
}

TEST_F(Told, ANameThatIsConfiguredIsNotAskedFor) {
  const Guid guid = whole.world->node(whole.node("h00005")).guid;
  start(fmt::format("names: {{ '{}': mine }}\n", to_string(guid)));
  ASSERT_EQ(name_of("h00005"), "mine");
  rename("h00005", "gpu-5");
  whole.run_for(milliseconds(200));
  EXPECT_EQ(descriptions(), 0u);
  EXPECT_EQ(name_of("h00005"), "mine");
}

TEST_F(Told, ANameThatChangesInTheMiddleOfASweepIsReadAfterIt) {
  start();
  whole.manager->ask_for_sweep("test");
  whole.run_until([&] { return whole.manager->sweeping(); }, seconds(1));
  whole.run_for(milliseconds(1));
  ASSERT_TRUE(whole.manager->sweeping());
  rename("h00005", "gpu-5");
  EXPECT_TRUE(is_called("h00005", "gpu-5"));
  ASSERT_TRUE(whole.settle());
  EXPECT_EQ(name_of("h00005"), "gpu-5");
}

/// Where routing goes by names, a new one is a new design.
TEST_F(Told, ARootThatIsNamedAnewIsRoutedAnew) {
  start("routing: { engine: up-down, roots: [ top ] }\n");
  rename("L2-01", "top");
  const auto is_root = [&] {
    const auto& roots = whole.manager->view()->plan->problem.roots;
    return roots == std::vector{whole.world->node(whole.node("L2-01")).guid};
  };
  EXPECT_TRUE(whole.run_until(is_root, milliseconds(500)));
  EXPECT_FALSE(phases().contains("discovery"));
  ASSERT_TRUE(whole.settle()) << whole.faults();
}

TEST_F(Told, WhoIsSilentIsAskedAgain) {
  start();
  rename("h00005", "gpu-5");
  whole.world->set_mute(whole.node("h00005"), sim::Mute::agent);
  whole.run_for(milliseconds(500));
  EXPECT_EQ(name_of("h00005").substr(0, 6), "h00005");
  whole.world->set_mute(whole.node("h00005"), sim::Mute::none);
  EXPECT_TRUE(whole.run_until([&] { return name_of("h00005") == "gpu-5"; }, seconds(11)))
      << "by the trap that is repeated, or by the next look at all";
  EXPECT_FALSE(phases().contains("planning"));
}

}  // namespace
}  // namespace weft::test
