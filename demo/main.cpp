// weft-demo: the main job in front of one's eyes: weftd in process on a simulated fabric, from power-on to
// Active, a pulled cable, and what became of it. Who reaches whom is judged by the simulator's own tables,
// not by the daemon's.

#include <unistd.h>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include <CLI/CLI.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/signal_set.hpp>

#include "ctl/table.h"
#include "daemon/app.h"
#include "fabric/summary.h"
#include "log/log.h"
#include "sim/judge.h"
#include "sim/network.h"
#include "sim/sim_transport.h"
#include "topology/load.h"
#include "transport/real_clock.h"

namespace {

using namespace weft;  // NOLINT: a main of its own

constexpr std::string_view kFabric = "fat-tree:radix=12,levels=3";

struct Demo {
  asio::io_context& loop;
  Clock& clock;
  sim::World& world;
  sim::Network& network;
  daemon::App& app;
  std::string socket;
  ctl::Style style;
  bool once = false;
  bool ended = false;
  bool good = false;

  bool on_terminal() const { return style.width > 0; }
};

void title(const Demo& demo, std::string_view text) {
  std::cout << "\n" << ctl::coloured(text, ctl::Colour::bold, demo.style) << "\n";
}

/// One line that is written over on a terminal; elsewhere one line a phase.
void show_progress(const Demo& demo, const daemon::Status& status, std::string& last_phase) {
  if (!status.progress) return;
  const daemon::Progress& now = *status.progress;
  if (!demo.on_terminal() && now.phase == last_phase) return;
  std::string line = fmt::format("  {:<12}", now.phase);
  if (now.total > 0)
    line += fmt::format(" {:>7} of {}", ctl::human_count(now.done), ctl::human_count(now.total));
  else if (now.done > 0)
    line += fmt::format(" {:>7} nodes", ctl::human_count(now.done));
  if (demo.on_terminal())
    std::cout << "\r\x1b[K" << line << std::flush;
  else
    std::cout << line << "\n";
  last_phase = now.phase;
}

/// Waits until a sweep numbered `after` or later has ended and none is under way; nothing when the demo was
/// ended.
asio::awaitable<std::optional<daemon::SweepReport>> sweep_ended(Demo& demo, std::uint64_t after) {
  std::string last_phase;
  while (!demo.ended) {
    const daemon::Status status = demo.app.status();
    show_progress(demo, status, last_phase);
    const auto& report = status.last_full_sweep;
    if (report && report->number >= after && !status.progress) {
      if (demo.on_terminal()) std::cout << "\r\x1b[K";
      co_return report;
    }
    co_await transport::sleep_for(demo.clock, std::chrono::milliseconds(20));
  }
  co_return std::nullopt;
}

void show_sweep(const Demo& demo, const daemon::SweepReport& report) {
  ctl::Table table({{"phase"}, {"time", ctl::Align::right}, {"SMPs", ctl::Align::right}});
  for (const daemon::PhaseReport& phase : report.phases)
    table.add({phase.name, ctl::human_duration(phase.took), ctl::human_count(phase.smps)});
  table.add({"all", ctl::human_duration(report.took), ctl::human_count(report.smps)});
  std::cout << table.text(demo.style, 2);
}

/// What the simulator says of the fabric: true when every link is Active and every pair has a path.
bool judge(const Demo& demo) {
  const sim::PortSummary ports = sim::port_summary(demo.world);
  const sim::Reach reach = sim::all_pairs(demo.world);
  const std::optional<std::string> loop = sim::credit_loop(demo.world);
  const bool all_active = ports.all_active();
  const auto mark = [](bool good) {
    return good ? ctl::Cell("yes", ctl::Colour::green) : ctl::Cell("NO", ctl::Colour::red);
  };
  ctl::Table table({{"judged by walking the switches' own tables"}, {""}, {"", ctl::Align::right}});
  table.add({"every linked port Active", mark(all_active),
             fmt::format("{} of {}", ctl::human_count(ports.active), ctl::human_count(ports.linked))});
  table.add({"every host pair has a path", mark(reach.host_pairs_reached == reach.host_pairs),
             fmt::format("{} of {}", ctl::human_count(reach.host_pairs_reached),
                         ctl::human_count(reach.host_pairs))});
  table.add({"every host and switch reach each other", mark(reach.switch_pairs_reached == reach.switch_pairs),
             fmt::format("{} of {}", ctl::human_count(reach.switch_pairs_reached),
                         ctl::human_count(reach.switch_pairs))});
  table.add({"free of credit loops", mark(!loop.has_value()), loop.value_or("")});
  std::cout << table.text(demo.style, 2);
  for (const std::string& failure : reach.failures) std::cout << "  " << failure << "\n";
  return all_active && reach.complete() && !loop;
}

sim::Path path_between(const Demo& demo, sim::PortIndex from, sim::PortIndex to) {
  return sim::path(demo.world, from, demo.world.port(to).info.lid);
}

asio::awaitable<void> show(Demo& demo) {
  title(demo, fmt::format("Bringing up a simulated {}", kFabric));
  const auto up = co_await sweep_ended(demo, 1);
  if (!up) co_return;
  const auto view = demo.app.manager()->view();
  if (!up->error.empty() || !view) {
    std::cout << "  " << up->error << "\n";
    co_return;
  }
  show_sweep(demo, *up);
  title(demo, "The fabric");
  std::cout << "  " << fabric::to_string(fabric::summarize(*view->fabric)) << "\n";
  std::cout << "  routed by " << view->plan->routes().engine << "\n";
  const bool first = judge(demo);

  const auto hosts = [&demo](std::string_view id) {
    return demo.world.port_of(*demo.world.find(id), PortNum{1});
  };
  const sim::PortIndex from = hosts("h00000");
  const sim::PortIndex to = hosts("h00431");
  title(demo, "The path between the first and the last host");
  const sim::Path before = path_between(demo, from, to);
  std::cout << "  " << sim::describe(demo.world, from, before) << "\n";

  title(demo, "A cable of that path is pulled");
  const sim::PortIndex cut = before.hops.at(2).out;
  std::cout << "  " << demo.world.name(cut) << " to " << demo.world.name(before.hops.at(2).in) << "\n";
  demo.world.cut_link(demo.world.port(cut).node, demo.world.port(cut).number);
  const auto rerouted = co_await sweep_ended(demo, up->number + 1);
  if (!rerouted) co_return;
  std::cout << "  noticed: " << rerouted->cause << "\n";
  std::cout << fmt::format("  routed around after {}, with {} Sets\n", ctl::human_duration(rerouted->took),
                           ctl::human_count(rerouted->sets));
  std::cout << "  " << sim::describe(demo.world, from, path_between(demo, from, to)) << "\n";
  const bool second = judge(demo);
  demo.good = first && second;
  if (demo.once) co_return;

  title(demo, "weftd is running; look at it from another terminal");
  std::cout << "  build/release/bin/weftctl --socket " << demo.socket << " status\n"
            << "  (also: nodes, links, path h00000 h00431, events)   Ctrl-C ends the demo\n"
            << std::flush;
  while (!demo.ended) co_await transport::sleep_for(demo.clock, std::chrono::milliseconds(100));
}

/// A directory of our own for state and socket, gone at the end.
class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "weft-demo-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct OpenSim {
  sim::Network* network;
  static asio::awaitable<Result<std::unique_ptr<transport::Transport>>> run(sim::Network* network) {
    auto opened = sim::SimTransport::open(*network, "h00000", PortNum{1});
    if (!opened) co_return fail(opened.error());
    co_return std::unique_ptr<transport::Transport>(std::move(*opened));
  }
  asio::awaitable<Result<std::unique_ptr<transport::Transport>>> operator()(
      std::shared_ptr<const config::Settings>) const {
    return run(network);
  }
};

int run(bool once) {
  const ScratchDirectory scratch;
  auto topology = topology::load(kFabric);
  if (scratch.path().empty() || !topology) {
    std::cerr << (topology ? "no temporary directory" : topology.error().what) << "\n";
    return daemon::kFailed;
  }
  config::Loaded loaded;
  const config::Origin here{config::Origin::Kind::command_line, {}, {}};
  for (const char* key : {"transport.kind", "state_dir", "control.socket", "log.level"})
    loaded.origins[key] = here;
  loaded.settings.transport.kind = config::TransportKind::sim;
  loaded.settings.state_dir = scratch.path();
  loaded.settings.control.socket = scratch.path() + "/weftd.sock";
  loaded.settings.log.level = "error";
  (void)log::configure({.level = "error"});

  asio::io_context loop(1);
  transport::RealClock clock(loop);
  daemon::PoolWorkers workers(loop);
  sim::World world(*topology, clock, 1);
  sim::Network network(world, {.hop = Duration::zero(), .agent = Duration::zero()});
  daemon::App::Parts parts;
  parts.loop = &loop;
  parts.clock = &clock;
  parts.workers = &workers;
  parts.open = OpenSim{&network};
  daemon::App app(parts, std::make_shared<const config::Loaded>(loaded), false);
  Demo demo{loop, clock, world, network, app, loaded.settings.control.socket, ctl::style_of(STDOUT_FILENO),
            once};

  asio::signal_set signals(loop, SIGTERM, SIGINT);
  signals.async_wait([&demo](const boost::system::error_code& error, int) {
    if (!error) demo.ended = true;
  });
  int code = daemon::kFailed;
  asio::co_spawn(loop, app.run(), [&](std::exception_ptr, int ended) {
    code = ended;
    demo.ended = true;
    loop.stop();
  });
  asio::co_spawn(loop, show(demo), [&](std::exception_ptr thrown) {
    app.stop();
    if (thrown) std::rethrow_exception(thrown);
  });
  loop.run();
  if (code != daemon::kDone) return code;
  return once && !demo.good ? daemon::kFailed : daemon::kDone;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App options{"weft-demo, weftd on a simulated fabric"};
  bool once = false;
  options.add_flag("--once", once, "End by itself: 0 when all is Active and every pair has a path");
  options.set_version_flag("--version", std::string("weft-demo ") + WEFT_VERSION);
  try {
    options.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return options.exit(error) == 0 ? daemon::kDone : daemon::kBadUsage;
  }
  std::signal(SIGPIPE, SIG_IGN);
  return run(once);
}
