// Local sweeps: what a changed port costs does not grow with the fabric.

#include <gtest/gtest.h>

#include "tests/whole/whole.h"

namespace weft::test {
namespace {

using std::chrono::seconds;

/// Packets and Sets that a manager sends until the fabric is in order again.
struct Cost {
  std::uint64_t smps = 0;
  std::uint64_t sets = 0;
  std::vector<daemon::SweepReport> sweeps;
};

template <typename Act>
Cost cost_of(Whole& whole, Act act) {
  const auto& client = whole.manager->client();
  const std::uint64_t smps = client.sent();
  const std::uint64_t sets = client.sets_sent();
  const std::uint64_t number = whole.manager->sweeps().back().number;
  act();
  EXPECT_TRUE(whole.run_until([&] { return whole.manager->sweeps().back().number > number; }, seconds(15)));
  EXPECT_TRUE(whole.settle()) << whole.faults();
  Cost cost{client.sent() - smps, client.sets_sent() - sets, {}};
  for (const daemon::SweepReport& report : whole.manager->sweeps())
    if (report.number > number) cost.sweeps.push_back(report);
  return cost;
}

/// "discovery 40, forwarding 3"
std::string phases(const Cost& cost) {
  std::string text;
  for (const daemon::SweepReport& report : cost.sweeps)
    for (const daemon::PhaseReport& phase : report.phases)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", phase.name, phase.smps);
  return text;
}

/// SL2VL rows of a switch whose lanes change are read before they are written, since only their digest is
/// kept.
std::uint64_t lanes(const Cost& cost) {
  std::uint64_t smps = 0;
  for (const daemon::SweepReport& report : cost.sweeps)
    for (const daemon::PhaseReport& phase : report.phases)
      if (phase.name == "lanes") smps += phase.smps;
  return smps;
}

bool all_local(const Cost& cost) {
  return std::ranges::all_of(cost.sweeps,
                             [](const auto& one) { return one.kind == daemon::SweepKind::local; });
}

class Local : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Fabrics, Local,
                         testing::Values("fat-tree:radix=8,levels=3", "fat-tree:radix=16,levels=3",
                                         "dragonfly:p=2,a=4,h=2", "torus:4,4"));

TEST_P(Local, ALinkThatGoesAndComesCostsItsSwitchesAndTheChangedBlocks) {
  Whole whole(GetParam());
  whole.start();
  ASSERT_TRUE(whole.settle());
  // A link between two switches, far from the manager.
  sim::NodeIndex node{};
  PortNum port{};
  for (std::uint32_t n = 0; n < whole.world->node_count(); ++n) {
    const auto one = static_cast<sim::NodeIndex>(n);
    if (!whole.world->is_switch(one)) continue;
    for (std::uint8_t p = 1; p <= whole.world->node(one).port_count; ++p) {
      const sim::PortIndex peer = whole.world->port(whole.world->port_of(one, PortNum{p})).peer;
      if (peer == sim::kNoPort || !whole.world->is_switch(whole.world->port(peer).node)) continue;
      node = one;
      port = PortNum{p};
    }
  }
  const std::uint64_t ports = 2u * whole.world->node(node).port_count;
  for (const bool cut : {true, false}) {
    const Cost cost =
        cost_of(whole, [&] { cut ? whole.world->cut_link(node, port) : whole.world->mend_link(node, port); });
    EXPECT_TRUE(all_local(cost)) << cut;
    // Ports of both switches, twice SwitchInfo and its Set, our own port, NodeInfo of the other end, and for
    // each Set its confirmation and a look at the switch it went to.
    EXPECT_LE(cost.smps - lanes(cost), ports + 16 + 3 * cost.sets) << cut << ": " << phases(cost);
    EXPECT_EQ(whole.faults(), "");
  }
}

TEST_P(Local, AHostThatRebootsCostsItsSwitch) {
  Whole whole(GetParam());
  whole.start();
  ASSERT_TRUE(whole.settle());
  const sim::NodeIndex host = whole.node("h00003");
  const sim::Port& own = whole.world->port(whole.world->port_of(host, PortNum{1}));
  const std::uint64_t ports = whole.world->node(whole.world->port(own.peer).node).port_count;
  const Cost cost = cost_of(whole, [&] { whole.world->reboot(host, seconds(2)); });
  whole.run_for(seconds(3));
  EXPECT_EQ(whole.faults(), "");
  EXPECT_TRUE(all_local(cost));
  EXPECT_LE(cost.smps - lanes(cost), ports + 20 + 3 * cost.sets) << phases(cost);
}

TEST_P(Local, AHostThatRebootsChangesNoTable) {
  Whole whole(GetParam());
  whole.start();
  ASSERT_TRUE(whole.settle());
  const auto tables_set = [&] {
    return whole.world->counters().total(
        {.mgmt_class = {}, .method = mad::Method::set, .attribute = mad::AttrId::linear_forwarding});
  };
  const std::uint64_t before = tables_set();
  const auto entries = whole.manager->view()->plan->routes().lfts;
  const std::size_t hosts = whole.manager->view()->fabric->host_count();
  whole.world->reboot(whole.node("h00003"), seconds(2));
  whole.run_for(seconds(1));
  EXPECT_EQ(whole.manager->view()->fabric->host_count() + 1, hosts);
  whole.run_for(seconds(4));
  EXPECT_EQ(whole.faults(), "");
  EXPECT_EQ(tables_set(), before);
  EXPECT_EQ(whole.manager->view()->plan->routes().lfts, entries);  // pointers
}

TEST(LocalSweep, OfASwitchThatTellsAllPortStatesAtOnceReadsTheChangedPortOnly) {
  Whole whole("fat-tree:radix=16,levels=3");
  sim::Settings settings;
  settings.switch_port_state = true;
  for (std::uint32_t n = 0; n < whole.world->node_count(); ++n) {
    whole.world->equip(sim::NodeIndex{n}, settings);
    whole.world->reboot(sim::NodeIndex{n});
  }
  whole.start();
  ASSERT_TRUE(whole.settle());
  const sim::NodeIndex leaf = whole.node("L1-01-01");
  for (const bool cut : {true, false}) {
    const Cost cost = cost_of(whole, [&] {
      cut ? whole.world->cut_link(leaf, PortNum{9}) : whole.world->mend_link(leaf, PortNum{9});
    });
    EXPECT_TRUE(all_local(cost)) << cut;
    // SwitchInfo and its Set, PortInfo of port 0, the table and one PortInfo at each end; our own port,
    // NodeInfo.
    EXPECT_LE(cost.smps, 18 + 3 * cost.sets) << cut << ": " << phases(cost);
    EXPECT_EQ(whole.faults(), "");
  }
}

TEST(LocalSweep, WhatDoesNotFitIsLookedAtWhole) {
  Whole whole("fat-tree:radix=8");
  whole.start();
  ASSERT_TRUE(whole.settle());
  // The bit says that a port has changed, and no port shows it.
  const Cost cost = cost_of(
      whole, [&] { whole.world->hint_change(whole.world->port_of(whole.node("L1-03"), PortNum{1})); });
  EXPECT_EQ(cost.sweeps.back().kind, daemon::SweepKind::full);
}

}  // namespace
}  // namespace weft::test
