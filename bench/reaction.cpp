// How long hosts are cut off after a fault: from the moment a link or switch dies, which is when its
// neighbours send their traps, to the moment the last urgent block (bench/urgent.h) is in force at its
// switch. Daemon and fabric of 11,664 hosts in one process: 20 us a hop, 50 us of an agent's time, both
// virtual, and to these the CPU time that the daemon's thread has used in between is added. That holds the
// simulator's own work, too, so the figure is an upper bound; work in other threads, which goes on beside, is
// not counted.
//
// Also: SMPs sent until the fabric is in order again, against the least there could be: one Set for each
// block that differs, and one Get for each port of the switches that told of a change; and what the reboot of
// a host costs.
//
//   reaction [--check] [BLUEPRINT]

#include <cstdio>
#include <ctime>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/urgent.h"
#include "mad/mad.h"
#include "tests/whole/whole.h"

namespace weft::bench {
namespace {

using std::chrono::duration;
using std::chrono::microseconds;
using Milliseconds = duration<double, std::milli>;

Milliseconds cpu_of_thread() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

/// Plans in place; the time it takes is CPU time of the thread.
class MeasuredWorkers final : public daemon::Workers {
 public:
  explicit MeasuredWorkers(Clock& clock) : clock_(clock) {}
  void run(std::function<void()> work, std::function<void()> done) override {
    const Milliseconds before = cpu_of_thread();
    work();
    took_ += cpu_of_thread() - before;
    clock_.after({}, std::move(done));
  }
  Milliseconds take() { return std::exchange(took_, Milliseconds{}); }

 private:
  Clock& clock_;
  Milliseconds took_{};
};

/// When forwarding blocks came into force since the fault, the first time and the last.
class BlockTimes final : public sim::Watcher {
 public:
  struct Times {
    Milliseconds first{};
    Milliseconds last{};
  };

  explicit BlockTimes(test::Whole& whole) : whole_(whole) { whole_.network->watch(*this); }
  ~BlockTimes() override { whole_.network->unwatch(*this); }
  void begin() {
    began_ = whole_.clock.now();
    cpu_began_ = cpu_of_thread();
    blocks_.clear();
  }
  void handled(sim::NodeIndex node, const mad::Header& header) override {
    if (header.method != mad::Method::set || header.attribute != mad::AttrId::linear_forwarding) return;
    const Milliseconds now = (whole_.clock.now() - began_) + (cpu_of_thread() - cpu_began_);
    Times& times = blocks_.try_emplace({node, header.modifier}, Times{now, now}).first->second;
    times.last = now;
  }
  const Times* find(sim::NodeIndex node, std::uint32_t block) const {
    const auto at = blocks_.find({node, block});
    return at == blocks_.end() ? nullptr : &at->second;
  }

 private:
  test::Whole& whole_;
  Instant began_{};
  Milliseconds cpu_began_{};
  std::map<std::pair<sim::NodeIndex, std::uint32_t>, Times> blocks_;
};

struct Case {
  const char* name;
  double limit;  ///< Milliseconds.
  std::function<void(sim::World&)> fault;
};

/// Ports of the switches that told of a change: the ends of dead links.
std::uint64_t ports_concerned(const fabric::Fabric& before, const fabric::Fabric& after) {
  std::uint64_t ports = 0;
  for (const NodeId id : before.switches()) {
    const auto now = after.find(before.node(id).guid);
    if (!now) continue;
    bool changed = false;
    for (std::size_t p = 1; p < before.ports(id).size(); ++p)
      changed = changed || before.ports(id)[p].peer.has_value() != after.ports(*now)[p].peer.has_value();
    if (changed) ports += before.node(id).port_count;
  }
  return ports;
}

std::uint64_t blocks_that_differ(const plan::Plan& plan, const plan::Plan& before) {
  std::uint64_t blocks = 0;
  for (std::size_t s = 0; s < plan.routes().lfts.size(); ++s) {
    const auto old = routing::row_of(before.routes(), plan.routes().switches[s]);
    if (!old) continue;
    std::set<std::size_t> of_switch;
    routing::each_difference(*old, *plan.routes().lfts[s],
                             [&](std::size_t lid) { of_switch.insert(lid / 64); });
    blocks += of_switch.size();
  }
  return blocks;
}

/// Whether the tables of the first step, if there is one, already say all that is urgent in the block.
bool done_in_the_dark(const plan::Plan& plan, SwitchId at, std::uint32_t block) {
  if (plan.dark() == nullptr) return true;
  for (const routing::Destination& d : plan.problem.destinations) {
    if (raw(d.base) / 64 != block || d.is_switch()) continue;
    const PortNum port = plan.routes().out(at, d.base);
    if (port != plan.dark()->out(at, d.base)) return false;
  }
  return true;
}

int run(std::string_view blueprint, bool check) {
  sim::NetworkSettings network;
  network.hop = microseconds(20);
  network.agent = microseconds(50);
  test::Whole whole(blueprint, 1, network);
  auto owned = std::make_unique<MeasuredWorkers>(whole.clock);
  MeasuredWorkers& workers = *owned;
  whole.workers = std::move(owned);
  BlockTimes times(whole);
  whole.start();
  const auto settled = [&] {
    return !whole.manager->sweeping() && !whole.manager->sweeps().empty() &&
           whole.manager->sweeps().back().clean;
  };
  if (!whole.run_until(settled, std::chrono::minutes(2))) return 1;
  const auto cut = [&](const char* node, std::uint8_t port) {
    return [&whole, node, port](sim::World& world) { world.cut_link(whole.node(node), PortNum{port}); };
  };
  const std::vector<Case> cases{
      {"leaf uplink", 20, cut("L1-01-02", 24)},
      {"link of a middle switch to a root", 20, cut("L2-01-05", 24)},
      {"root", 60, [&](sim::World& world) { world.reboot(whole.node("L3-03-05"), std::chrono::hours(1)); }},
      {"middle switch", 60,
       [&](sim::World& world) { world.reboot(whole.node("L2-02-06"), std::chrono::hours(1)); }},
  };
  int exceeded = 0;
  for (const Case& one : cases) {
    const auto before = whole.manager->view();
    const std::uint64_t number = whole.manager->sweeps().back().number;
    const std::uint64_t smps = whole.manager->client().sent();
    workers.take();
    times.begin();
    one.fault(*whole.world);
    const auto done = [&] { return settled() && whole.manager->sweeps().back().number > number; };
    if (!whole.run_until(done, std::chrono::seconds(20))) {
      fmt::print("{}: not in order again after 20 s\n", one.name);
      return 1;
    }
    const Milliseconds planning = workers.take();
    const auto after = whole.manager->view();
    Milliseconds last{};
    std::size_t urgent = 0;
    for (const auto& [at, block] : urgent_blocks(*after->fabric, *after->plan, *before->plan)) {
      const std::string id = after->fabric->node(at).description;
      const BlockTimes::Times* sent = times.find(whole.node(id), block);
      if (sent == nullptr) {
        fmt::print("{}: block {} of {} was not sent\n", one.name, block, id);
        return 1;
      }
      const bool early = done_in_the_dark(*after->plan, at, block);
      last = std::max(last, early ? sent->first : sent->last);
      ++urgent;
    }
    const std::uint64_t least =
        blocks_that_differ(*after->plan, *before->plan) + ports_concerned(*before->fabric, *after->fabric);
    const std::uint64_t sent = whole.manager->client().sent() - smps;
    const bool late = last.count() > one.limit || sent > 3 * least;
    exceeded += late ? 1 : 0;
    fmt::print(
        "{:<34} {:>7.1f} ms (limit {}), planning {:.1f} ms; {} urgent blocks; {} SMPs, least {} (limit 3 "
        "times){}\n",
        one.name, last.count(), one.limit, planning.count(), urgent, sent, least, late ? "  exceeded" : "");
    for (const daemon::SweepReport& report : whole.manager->sweeps()) {
      if (report.number <= number) continue;
      for (const daemon::PhaseReport& phase : report.phases)
        fmt::print("    {} {:.2f} ms virtual, {} SMPs\n", phase.name, Milliseconds(phase.took).count(),
                   phase.smps);
    }
    std::fflush(stdout);
  }
  return check ? exceeded : 0;
}

}  // namespace
}  // namespace weft::bench

int main(int argc, char** argv) {
  bool check = false;
  std::string_view blueprint = "fat-tree:radix=36,levels=3";
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--check")
      check = true;
    else
      blueprint = argv[i];
  }
  return weft::bench::run(blueprint, check) == 0 ? 0 : 1;
}
