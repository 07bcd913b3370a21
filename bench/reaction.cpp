// How long hosts are cut off after a fault: from the moment a link or switch dies, which is when its
// neighbours send their traps, to the moment the last urgent block (bench/urgent.h) is in force at its
// switch. Daemon and fabric of 11,664 hosts in one process: 20 us a hop, 50 us of an agent's time, both
// virtual. To these is added the CPU time of the planning and of the diff, from the plan to its first block;
// for comparison, all CPU time of the thread, which holds discovery, the sending of packets and the
// simulator itself, too. Work of planning in other threads, which goes on beside, is not counted.
//
// Also: SMPs sent until the fabric is in order again, against the least there could be: one Set for each
// block that differs, and one Get for each port of the switches that told of a change. And the reboot of a
// host, which is to change no table and to read the ports of its switch alone.
//
// Every kind of fault is measured at several places, each mended before the next; one more before them is
// not counted, since a manager that has just started has not the memory yet that planning takes. The median
// is held against the limit.
//
//   reaction [--check] [--rounds N] [BLUEPRINT]

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/memory.h"
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
    ended_ = cpu_of_thread();
    took_ += ended_ - before;
    clock_.after({}, std::move(done));
  }
  void begin() { took_ = {}; }
  Milliseconds took() const { return took_; }
  /// CPU time of the thread when the last work ended.
  Milliseconds ended() const { return ended_; }

 private:
  Clock& clock_;
  Milliseconds took_{};
  Milliseconds ended_{};
};

/// When forwarding blocks came into force since the fault, the first time and the last.
class BlockTimes final : public sim::Watcher {
 public:
  struct Time {
    Milliseconds reaction{};  ///< Virtual, with the CPU time of planning and diff.
    Milliseconds all{};       ///< Virtual, with all CPU time.
  };
  struct Times {
    Time first;
    Time last;
  };

  BlockTimes(test::Whole& whole, const MeasuredWorkers& workers) : whole_(whole), workers_(workers) {
    whole_.network->watch(*this);
  }
  ~BlockTimes() override { whole_.network->unwatch(*this); }
  void begin() {
    began_ = whole_.clock.now();
    cpu_began_ = cpu_of_thread();
    diff_ = planning_ = {};
    plan_seen_ = workers_.ended();
    blocks_.clear();
  }
  void handled(sim::NodeIndex node, const mad::Header& header) override {
    if (header.method != mad::Method::set || header.attribute != mad::AttrId::linear_forwarding) return;
    const Milliseconds cpu = cpu_of_thread();
    if (workers_.ended() != plan_seen_) {  // the first block of this plan
      plan_seen_ = workers_.ended();
      diff_ += cpu - plan_seen_;
    }
    planning_ = workers_.took();
    const Milliseconds virtual_time = whole_.clock.now() - began_;
    const Time now{virtual_time + planning_ + diff_, virtual_time + (cpu - cpu_began_)};
    blocks_.try_emplace({node, header.modifier}, Times{now, now}).first->second.last = now;
  }
  const Times* find(sim::NodeIndex node, std::uint32_t block) const {
    const auto at = blocks_.find({node, block});
    return at == blocks_.end() ? nullptr : &at->second;
  }
  std::size_t blocks() const { return blocks_.size(); }
  Milliseconds diff() const { return diff_; }
  /// Up to the last block; look-ups of the View are made by the same workers after it.
  Milliseconds planning() const { return planning_; }

 private:
  test::Whole& whole_;
  const MeasuredWorkers& workers_;
  Instant began_{};
  Milliseconds cpu_began_{};
  Milliseconds diff_{};
  Milliseconds planning_{};
  Milliseconds plan_seen_{};
  std::map<std::pair<sim::NodeIndex, std::uint32_t>, Times> blocks_;
};

/// A kind of fault; `round` chooses the place.
struct Case {
  const char* name;
  double limit;  ///< Milliseconds.
  std::function<void(sim::World&, int round)> fault;
  std::function<void(sim::World&, int round)> mend;
};

/// Of one fault.
struct Outcome {
  BlockTimes::Time last;
  Milliseconds planning{};
  Milliseconds diff{};
  std::size_t urgent = 0;
  std::uint64_t smps = 0;
  std::uint64_t least = 0;
  double times_least() const { return static_cast<double>(smps) / static_cast<double>(least); }
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[values.size() / 2];
}

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

/// One fabric and its manager, over all faults.
class Bench {
 public:
  explicit Bench(std::string_view blueprint) : whole_(blueprint, 1, network()) {
    auto workers = std::make_unique<MeasuredWorkers>(whole_.clock);
    workers_ = workers.get();
    whole_.workers = std::move(workers);
    times_.emplace(whole_, *workers_);
    whole_.start();
  }

  /// False when it does not come up, or is not in order again after a fault.
  bool run(int rounds, int& exceeded) {
    if (!whole_.run_until([this] { return settled(); }, std::chrono::minutes(2))) return false;
    // Names of the places, as fat-tree blueprints with three levels give them: of tier, pod and switch.
    const auto name = [](int tier, int pod, int number) {
      return fmt::format("L{}-{:02}-{:02}", tier, pod, number);
    };
    const auto link = [&](const char* kind, double limit, auto node, std::uint8_t port) {
      return Case{kind, limit,
                  [this, node, port](sim::World& world, int r) {
                    world.cut_link(whole_.node(node(r)), PortNum{port});
                  },
                  [this, node, port](sim::World& world, int r) {
                    world.mend_link(whole_.node(node(r)), PortNum{port});
                  }};
    };
    const auto node = [&](const char* kind, double limit, auto id) {
      return Case{
          kind, limit,
          [this, id](sim::World& world, int r) { world.reboot(whole_.node(id(r)), std::chrono::seconds(2)); },
          [](sim::World&, int) {}};
    };
    const std::vector<Case> cases{
        link(
            "leaf uplink", 20, [&](int r) { return name(1, r + 1, r % 18); }, 24),
        link(
            "link of a middle switch to a root", 20, [&](int r) { return name(2, r + 1, (r + 4) % 18); }, 24),
        node("root", 60, [&](int r) { return name(3, (r + 3) % 18, (r + 5) % 18); }),
        node("middle switch", 60, [&](int r) { return name(2, r + 2, (r + 6) % 18); })};
    for (const Case& one : cases) {
      std::vector<Outcome> outcomes;
      for (int r = 0; r <= rounds; ++r) {
        const auto outcome = measure(one, r);
        if (!outcome) return false;
        if (r > 0) outcomes.push_back(*outcome);
      }
      report(one, outcomes, exceeded);
    }
    return reboot_a_host(exceeded);
  }

 private:
  static sim::NetworkSettings network() {
    sim::NetworkSettings network;
    network.hop = microseconds(20);
    network.agent = microseconds(50);
    return network;
  }
  bool settled() const {
    return !whole_.manager->sweeping() && !whole_.manager->sweeps().empty() &&
           whole_.manager->sweeps().back().clean;
  }
  void begin() {
    number_ = whole_.manager->sweeps().back().number;
    smps_ = whole_.manager->client().sent();
    workers_->begin();
    times_->begin();
  }
  std::uint64_t sent() const { return whole_.manager->client().sent() - smps_; }
  bool in_order_again() {
    const auto done = [this] { return settled() && whole_.manager->sweeps().back().number > number_; };
    return whole_.run_until(done, std::chrono::seconds(20));
  }

  /// Nothing when it is not in order again, before or after it is mended.
  std::optional<Outcome> measure(const Case& one, int round) {
    const auto before = whole_.manager->view();
    begin();
    one.fault(*whole_.world, round);
    if (!in_order_again()) {
      fmt::print("{}: not in order again after 20 s\n", one.name);
      return std::nullopt;
    }
    const auto after = whole_.manager->view();
    Outcome outcome{{}, times_->planning(), times_->diff(), 0, sent(), 0};
    for (const auto& [at, block] : urgent_blocks(*after->fabric, *after->plan, *before->plan)) {
      const std::string id = after->fabric->node(at).description;
      const BlockTimes::Times* sent = times_->find(whole_.node(id), block);
      if (sent == nullptr) {
        fmt::print("{}: block {} of {} was not sent\n", one.name, block, id);
        return std::nullopt;
      }
      const BlockTimes::Time& time = done_in_the_dark(*after->plan, at, block) ? sent->first : sent->last;
      outcome.last.reaction = std::max(outcome.last.reaction, time.reaction);
      outcome.last.all = std::max(outcome.last.all, time.all);
      ++outcome.urgent;
    }
    outcome.least =
        blocks_that_differ(*after->plan, *before->plan) + ports_concerned(*before->fabric, *after->fabric);
    if (round == 1) print_phases();
    begin();
    one.mend(*whole_.world, round);
    if (in_order_again()) {
      whole_.run_for(std::chrono::seconds(3));  // whoever tells of it late
      return outcome;
    }
    fmt::print("{}: not in order again after it was mended\n", one.name);
    return std::nullopt;
  }

  static void report(const Case& one, const std::vector<Outcome>& outcomes, int& exceeded) {
    const auto middle = [&](auto of) {
      std::vector<double> values;
      for (const Outcome& outcome : outcomes) values.push_back(of(outcome));
      return median(std::move(values));
    };
    const double took = middle([](const Outcome& o) { return o.last.reaction.count(); });
    const auto worst = std::ranges::max(outcomes, {}, [](const Outcome& o) { return o.last.reaction; });
    const auto most = std::ranges::max(outcomes, {}, &Outcome::times_least);
    const bool late = took > one.limit || most.times_least() > 3;
    exceeded += late ? 1 : 0;
    fmt::print(
        "{:<34} {:>6.1f} ms (limit {}, worst of {}: {:.1f}): planning {:.1f}, diff {:.1f}; with all CPU time "
        "{:.1f}\n"
        "    {} urgent blocks; {} SMPs, least {}, {:.2f} times (limit 3){}\n",
        one.name, took, one.limit, outcomes.size(), worst.last.reaction.count(),
        middle([](const Outcome& o) { return o.planning.count(); }),
        middle([](const Outcome& o) { return o.diff.count(); }),
        middle([](const Outcome& o) { return o.last.all.count(); }), most.urgent, most.smps, most.least,
        most.times_least(), late ? "  exceeded" : "");
    std::fflush(stdout);
  }

  bool reboot_a_host(int& exceeded) {
    const sim::NodeIndex host = whole_.node("h05000");
    const sim::Port& own = whole_.world->port(whole_.world->port_of(host, PortNum{1}));
    const std::uint64_t ports = whole_.world->node(whole_.world->port(own.peer).node).port_count;
    begin();
    whole_.world->reboot(host, std::chrono::seconds(3));
    whole_.run_for(std::chrono::seconds(5));
    if (!in_order_again()) return false;
    // Other switches may tell of earlier faults once more meanwhile, and the timer looks at all.
    const std::string leaf(whole_.world->node(whole_.world->port(own.peer).node).id);
    std::uint64_t smps = 0;
    for (const daemon::SweepReport& report : whole_.manager->sweeps())
      if (report.number > number_ && report.cause.find(leaf) != std::string::npos) smps += report.smps;
    // Twice: its ports, four looks at the switch, our own port, and what the host is told and asked.
    const std::uint64_t most = 2 * (ports + 16);
    const bool late = times_->blocks() != 0 || smps == 0 || smps > most;
    exceeded += late ? 1 : 0;
    fmt::print("host reboot: {} forwarding blocks (limit 0), {} SMPs (limit {}){}\n", times_->blocks(), smps,
               most, late ? "  exceeded" : "");
    print_phases();
    return true;
  }

  void print_phases() const {
    for (const daemon::SweepReport& report : whole_.manager->sweeps()) {
      if (report.number <= number_) continue;
      for (const daemon::PhaseReport& phase : report.phases)
        fmt::print("    {} {:.2f} ms virtual, {} SMPs\n", phase.name, Milliseconds(phase.took).count(),
                   phase.smps);
    }
    std::fflush(stdout);
  }

  test::Whole whole_;
  MeasuredWorkers* workers_ = nullptr;
  std::optional<BlockTimes> times_;
  std::uint64_t number_ = 0;
  std::uint64_t smps_ = 0;
};

}  // namespace
}  // namespace weft::bench

int main(int argc, char** argv) {
  weft::keep_freed_memory();
  bool check = false;
  int rounds = 5;
  std::string_view blueprint = "fat-tree:radix=36,levels=3";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--check")
      check = true;
    else if (argument == "--rounds" && i + 1 < argc)
      rounds = std::max(1, std::atoi(argv[++i]));
    else
      blueprint = argument;
  }
  int exceeded = 0;
  const bool done = weft::bench::Bench(blueprint).run(rounds, exceeded);
  return done && (!check || exceeded == 0) ? 0 : 1;
}
