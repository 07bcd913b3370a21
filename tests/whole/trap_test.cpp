// Traps: each is repressed, few are acted on at once, and a storm of them keeps nobody from their work.

#include <algorithm>
#include <fstream>

#include <gtest/gtest.h>

#include "sim/notices.h"
#include "tests/whole/sa_client.h"

namespace weft::test {
namespace {

using mad::TrapNumber;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

/// Counts the TrapRepress that programs send.
class Represses final : public sim::Watcher {
 public:
  explicit Represses(Whole& whole) : whole_(whole) { whole.network->watch(*this); }
  ~Represses() override { whole_.network->unwatch(*this); }
  void sent(sim::ClientId, const mad::Mad& mad, sim::Drop) override {
    count += mad::method_of(mad) == mad::Method::trap_repress ? 1 : 0;
  }
  void received(sim::ClientId, const mad::Mad& mad) override {
    traps += mad::method_of(mad) == mad::Method::trap ? 1 : 0;
  }
  std::uint64_t count = 0;
  std::uint64_t traps = 0;  ///< That have arrived.

 private:
  Whole& whole_;
};

std::vector<daemon::Event> trap_events(const Whole& whole, std::string_view kind) {
  std::vector<daemon::Event> found;
  for (const daemon::Event& one : whole.events->after(0, 10'000))
    if (one.kind == kind) found.push_back(one);
  return found;
}

/// Sweeps with this phase since the one with this number.
std::size_t sweeps_with(const Whole& whole, std::string_view phase, std::uint64_t after) {
  return static_cast<std::size_t>(std::ranges::count_if(whole.manager->sweeps(), [&](const auto& report) {
    return report.number > after && std::ranges::count(report.phases, phase, &daemon::PhaseReport::name) > 0;
  }));
}

mad::Notice notice_of(TrapNumber trap, bool generic = true) {
  mad::Notice notice;
  notice.generic = generic;
  notice.trap = trap;
  return notice;
}

TEST(Traps, AreAllRepressedWhateverTheySayAndWhateverWeDo) {
  Whole whole("fat-tree:radix=8");
  whole.start();
  ASSERT_TRUE(whole.settle());
  whole.manager->ask_for_sweep("test");  // in the middle of it
  whole.run_for(milliseconds(6));
  ASSERT_TRUE(whole.manager->sweeping());
  const Represses represses(whole);
  const sim::PortIndex port = whole.world->port_of(whole.node("h00003"), PortNum{1});
  sim::Traps& traps = whole.network->traps();
  std::uint64_t sent = 0;
  for (const int number : {128, 129, 130, 131, 144, 145, 256, 257, 258, 259, 64, 1, 999, 0xffff})
    for (const bool generic : {true, false}) {
      traps.storm(port, notice_of(static_cast<TrapNumber>(number), generic), 1, milliseconds(1));
      ++sent;
    }
  whole.run_for(milliseconds(1));
  EXPECT_EQ(represses.count, sent);
  ASSERT_TRUE(whole.settle());
}

TEST(Traps, ThatSayNothingNewCostNoPlan) {
  Whole whole("fat-tree:radix=8");
  whole.start();
  ASSERT_TRUE(whole.settle());
  const std::uint64_t generation = whole.manager->view()->generation;
  const std::uint64_t number = whole.manager->sweeps().back().number;
  const std::uint64_t sets = whole.sets();
  whole.network->traps().link_changed(whole.node("L1-01"));
  whole.run_for(seconds(1));
  EXPECT_GT(whole.manager->sweeps().back().number, number);
  EXPECT_EQ(sweeps_with(whole, "planning", number), 0u);
  EXPECT_EQ(whole.manager->view()->generation, generation);
  EXPECT_EQ(whole.sets(), sets);
  EXPECT_EQ(whole.status().text, "the fabric is as planned");
}

TEST(Traps, OfAThousandInASecondAreAllRepressedAndOneEventTellsOfThem) {
  Whole whole("fat-tree:radix=8");
  whole.start();
  ASSERT_TRUE(whole.settle());
  const sim::NodeIndex leaf = whole.node("L1-01");
  const Represses represses(whole);
  const std::uint64_t number = whole.manager->sweeps().back().number;
  whole.network->traps().storm(whole.world->node(leaf).first_port, sim::link_state_notice(*whole.world, leaf),
                               1000, milliseconds(1));
  whole.run_for(seconds(2));
  EXPECT_EQ(represses.count, 1000u);
  EXPECT_LE(whole.manager->sweeps().back().number, number + 35);
  EXPECT_EQ(sweeps_with(whole, "planning", number), 0u);
  whole.run_for(minutes(1));
  const auto told = trap_events(whole, "trap_storm");
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(told[0].text.find("(L1-01 leaf) sent 1000 traps 128"), std::string::npos) << told[0].text;
}

TEST(Traps, OfTheSourceOfAStormAreStillHeeded) {
  Whole whole("fat-tree:radix=8");
  whole.start();
  ASSERT_TRUE(whole.settle());
  const sim::NodeIndex leaf = whole.node("L1-01");
  whole.network->traps().storm(whole.world->node(leaf).first_port, sim::link_state_notice(*whole.world, leaf),
                               5000, milliseconds(1));
  whole.run_for(seconds(2));
  whole.world->cut_link(leaf, PortNum{8});
  const auto cut_is_known = [&] {
    const auto view = whole.manager->view();
    const auto node = view->fabric->find(whole.world->node(leaf).guid);
    return !view->fabric->port({*node, PortNum{8}}).peer;
  };
  EXPECT_TRUE(whole.run_until(cut_is_known, milliseconds(120)));
  EXPECT_TRUE(whole.settle()) << whole.faults();
}

TEST(Traps, OfAStormDoNotPutOffTheLooksAtEverybodyElse) {
  Whole whole("fat-tree:radix=8");
  whole.start();
  ASSERT_TRUE(whole.settle());
  const sim::NodeIndex leaf = whole.node("L1-01");
  whole.network->traps().storm(whole.world->node(leaf).first_port, sim::link_state_notice(*whole.world, leaf),
                               60'000, milliseconds(1));
  whole.run_for(seconds(5));
  const std::uint64_t number = whole.manager->sweeps().back().number;
  whole.run_for(seconds(20));
  const auto all = [](const auto& report) {
    return report.kind == daemon::SweepKind::light && report.cause.find("timer") != std::string::npos;
  };
  std::size_t looks = 0;
  for (const auto& report : whole.manager->sweeps()) looks += report.number > number && all(report) ? 1 : 0;
  EXPECT_GE(looks, 1u);  // of the last 100 sweeps
}

/// Memory of this process, manager and simulator together.
double resident_mb() {
  std::ifstream file("/proc/self/statm");
  double total = 0;
  double pages = 0;
  file >> total >> pages;
  return pages * 4096 / 1e6;
}

/// A PathRecord between two hosts by LID.
mad::Mad path_request(Whole& whole, SaClient& client, std::string_view from, std::string_view to) {
  const auto lid = [&](std::string_view host) {
    return whole.world->port(whole.world->port_of(whole.node(host), PortNum{1})).info.lid;
  };
  mad::Mad request = client.request(mad::Method::get, mad::SaAttr::path_record, sa::bit(4) | sa::bit(5));
  mad::PathRecord asked;
  asked.slid = lid(from);
  asked.dlid = lid(to);
  mad::encode_into(std::span<std::uint8_t>(request.bytes).subspan(mad::kSaDataAt), asked);
  return request;
}

/// 1,000 sources, each once a second: switches that say a port has changed, hosts that say this and that.
class StormOfAll {
 public:
  explicit StormOfAll(Whole& whole) : whole_(whole) {
    const TrapNumber of_hosts[] = {TrapNumber::capability_changed, TrapNumber::bad_pkey,
                                   TrapNumber::bad_m_key};
    for (std::uint32_t n = 0; n < whole.world->node_count() && sources_.size() < 1000; ++n) {
      const auto node = static_cast<sim::NodeIndex>(whole.world->node_count() - 1 - n);  // switches are last
      const sim::PortIndex port =
          whole.world->port_of(node, whole.world->is_switch(node) ? PortNum{0} : PortNum{1});
      mad::Notice notice = notice_of(of_hosts[n % 3]);
      if (whole.world->is_switch(node)) notice = sim::link_state_notice(*whole.world, node);
      if (notice.trap == TrapNumber::capability_changed) notice = sim::change_notice(*whole.world, port);
      sources_.emplace_back(port, notice);
    }
  }
  void begin(int seconds_of_it) {
    for (std::size_t i = 0; i < sources_.size(); ++i)
      whole_.clock.after(milliseconds(i), [this, i, seconds_of_it] {
        whole_.network->traps().storm(sources_[i].first, sources_[i].second, seconds_of_it, seconds(1));
      });
  }
  std::size_t size() const { return sources_.size(); }

 private:
  Whole& whole_;
  std::vector<std::pair<sim::PortIndex, mad::Notice>> sources_;
};

TEST(Traps, OfAThousandSourcesForAMinuteKeepNobodyFromTheirWork) {
  sim::NetworkSettings network;
  network.hop = microseconds(20);
  network.agent = microseconds(50);
  Whole whole("fat-tree:radix=16,levels=3", 1, network);
  whole.start();
  ASSERT_TRUE(whole.settle());
  SaClient client(whole, "h00100");
  StormOfAll storm(whole);
  ASSERT_EQ(storm.size(), 1000u);
  const Represses represses(whole);
  const double memory = resident_mb();
  const std::uint64_t smps = whole.manager->client().sent();
  storm.begin(60);
  std::vector<Duration> waits;
  for (int i = 0; i < 500; ++i) {
    whole.run_for(milliseconds(100));
    const Instant asked = whole.clock.now();
    ASSERT_TRUE(client.ask(path_request(whole, client, "h00100", "h00900")));
    waits.push_back(whole.clock.now() - asked);
  }
  std::ranges::sort(waits);
  EXPECT_LT(waits[waits.size() * 99 / 100], milliseconds(50));
  const sim::NodeIndex leaf = whole.node("L1-00-00");
  ASSERT_TRUE(whole.run_until([&] { return !whole.manager->sweeping(); }, seconds(1)));
  whole.world->cut_link(leaf, PortNum{16});
  const Instant cut = whole.clock.now();
  const auto is_handled = [&] {
    const auto view = whole.manager->view();
    return !view->fabric->port({*view->fabric->find(whole.world->node(leaf).guid), PortNum{16}}).peer;
  };
  EXPECT_TRUE(whole.run_until(is_handled, milliseconds(100)));
  std::printf("SA: p99 %.2f ms; fault handled after %.1f ms\n",
              std::chrono::duration<double, std::milli>(waits[waits.size() * 99 / 100]).count(),
              std::chrono::duration<double, std::milli>(whole.clock.now() - cut).count());
  whole.run_for(seconds(70));
  EXPECT_EQ(represses.count, represses.traps);
  EXPECT_GE(represses.traps, 59'900u);  // some were on the link that was cut
  EXPECT_LT(resident_mb() - memory, 50.0);
  std::printf("%.1f MB more, %llu SMPs\n", resident_mb() - memory,
              static_cast<unsigned long long>(whole.manager->client().sent() - smps));
  EXPECT_TRUE(whole.settle());
}

}  // namespace
}  // namespace weft::test
