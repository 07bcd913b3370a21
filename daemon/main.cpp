// weftd: the subnet manager. Options, signals, and the simulator in process; everything else is App.

#include <unistd.h>
#include <csignal>
#include <iostream>

#include <CLI/CLI.hpp>
#include <boost/asio/signal_set.hpp>

#include "base/memory.h"
#include "config/show.h"
#include "daemon/app.h"
#include "daemon/features.h"
#include "daemon/open_transport.h"
#include "daemon/service.h"
#include "daemon/subnets.h"
#include "log/log.h"
#include "sim/network.h"
#include "sim/sim_transport.h"
#include "topology/blueprint.h"
#include "topology/load.h"
#include "transport/real_clock.h"

namespace {

using namespace weft;  // NOLINT: a main of its own

struct Arguments {
  std::string config = "/etc/weft/weft.yaml";
  bool config_named = false;
  bool once = false;
  bool check = false;
  bool features = false;
  std::vector<config::Override> overrides;
};

/// Fills in the arguments; an exit code when that was all there is to do.
std::optional<int> parse(int argc, char** argv, Arguments& arguments) {
  CLI::App app{"weftd, an InfiniBand subnet manager"};
  app.set_version_flag("--version", std::string("weftd ") + WEFT_VERSION);
  std::string transport, fabric, socket, state_dir, log_level;
  CLI::Option* config =
      app.add_option("-c,--config", arguments.config, "Configuration file")->capture_default_str();
  app.add_flag("--once", arguments.once, "Bring the fabric up, then end: 0 when all is as planned, else 1");
  app.add_flag("--features", arguments.features, "List what this weftd supports, end");
  app.add_flag("--check-config", arguments.check, "Read the configuration, say what is wrong with it, end");
  app.add_option("--transport", transport, "umad, ibsim or sim")
      ->check(CLI::IsMember({"umad", "ibsim", "sim"}));
  app.add_option(
      "--fabric", fabric,
      "Simulates it (implies --transport sim): a file, or a blueprint such as fat-tree:radix=12,levels=3");
  app.footer("Blueprints, beside files of ibnetdiscover and ibsim:\n" + topology::blueprint_help());
  app.add_option("--socket", socket, "Control socket");
  app.add_option("--state-dir", state_dir, "Directory of the state file");
  app.add_option("--log-level", log_level, "trace, debug, info, warn or error");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? daemon::kDone : daemon::kBadUsage;
  }
  if (!fabric.empty() && transport.empty()) transport = "sim";
  if (!fabric.empty() && transport != "sim") {
    std::cerr << "--fabric is for --transport sim only, not for " << transport << "\n";
    return daemon::kBadUsage;
  }
  arguments.config_named = config->count() > 0;
  const auto set = [&arguments](const char* key, const std::string& value) {
    if (!value.empty()) arguments.overrides.push_back({key, value});
  };
  set("transport.kind", transport);
  set("transport.sim.fabric", fabric);
  set("control.socket", socket);
  set("state_dir", state_dir);
  set("log.level", log_level);
  return std::nullopt;
}

/// A file that was not named on the command line may be missing: then the defaults hold.
bool only_defaults(const Arguments& arguments) {
  return !arguments.config_named && access(arguments.config.c_str(), F_OK) != 0;
}

Result<config::Loaded> load(const Arguments& arguments) {
  if (only_defaults(arguments)) return config::read_text("", "defaults", arguments.overrides);
  return config::read_file(arguments.config, arguments.overrides);
}

/// The simulated fabric that --transport sim manages.
class Simulation {
 public:
  explicit Simulation(Clock& clock) : clock_(clock) {}

  /// Reads the fabric. Errors: what is wrong with its file or blueprint.
  Result<void> load(const std::string& fabric) {
    Result<topology::Topology> topology = topology::load(fabric);
    if (!topology) return fail(Errc::malformed, "{}", topology.error().what);
    world_ = std::make_unique<sim::World>(*topology, clock_, 1);
    sim::NetworkSettings network;
    network.hop = network.agent = Duration::zero();
    network_ = std::make_unique<sim::Network>(*world_, network);
    topology_ = std::move(*topology);
    return {};
  }

  /// Errors: `invalid` for a port that is not there.
  Result<std::unique_ptr<transport::Transport>> open(const config::PortChoice& wanted) {
    if (!wanted.device.empty() && wanted.device != "sim")
      return fail(Errc::invalid,
                  "port.device is {}, but the only device of the simulated fabric is called sim",
                  wanted.device);
    const auto chosen = choose(wanted);
    if (!chosen) return fail(chosen.error());
    auto opened = sim::SimTransport::open(*network_, chosen->first, chosen->second);
    if (!opened) return fail(opened.error());
    return std::unique_ptr<transport::Transport>(std::move(*opened));
  }

 private:
  /// The first host's first port, unless another is wanted: that with the GUID, or of this number.
  Result<std::pair<std::string, PortNum>> choose(const config::PortChoice& wanted) const {
    for (const topology::Node& node : topology_.nodes) {
      const bool is_switch = node.type == NodeType::switch_;
      if (is_switch && !wanted.guid) continue;
      for (int number = is_switch ? 0 : 1; number <= (is_switch ? 0 : node.port_count); ++number) {
        if (wanted.number && number != *wanted.number) continue;
        const sim::PortIndex port = world_->port_of(*world_->find(node.id), static_cast<PortNum>(number));
        if (wanted.guid && world_->port(port).guid != *wanted.guid) continue;
        return std::pair(node.id, static_cast<PortNum>(number));
      }
    }
    return fail(Errc::invalid, "no host of the simulated fabric has {}{}{}",
                wanted.number ? fmt::format("a port {}", *wanted.number) : "a port",
                wanted.guid ? " with the GUID " + to_string(*wanted.guid) : "",
                wanted.number || wanted.guid ? ": change port in the configuration" : "");
  }

  Clock& clock_;
  topology::Topology topology_;
  std::unique_ptr<sim::World> world_;
  std::unique_ptr<sim::Network> network_;
};

struct OpenAny {
  std::shared_ptr<Simulation> simulation;
  daemon::OpenTransport real;

  static asio::awaitable<Result<std::unique_ptr<transport::Transport>>> run(
      std::shared_ptr<Simulation> simulation, daemon::OpenTransport real,
      std::shared_ptr<const config::Settings> settings) {
    if (settings->transport.kind == config::TransportKind::sim)
      co_return simulation->open(settings->transport.port);
    auto opened = co_await real(settings);
    co_return opened;
  }
  asio::awaitable<Result<std::unique_ptr<transport::Transport>>> operator()(
      std::shared_ptr<const config::Settings> settings) const {
    return run(simulation, real, std::move(settings));
  }
};

Result<daemon::OpenTransport> way_to_fabric(asio::io_context& loop, Clock& clock,
                                            const config::Settings& settings) {
  auto simulation = std::make_shared<Simulation>(clock);
  if (settings.transport.kind == config::TransportKind::sim)
    if (Result<void> read = simulation->load(settings.transport.sim_fabric); !read) return fail(read.error());
  return daemon::OpenTransport(OpenAny{std::move(simulation), daemon::open_real_transport(loop, clock)});
}

/// SIGTERM and SIGINT end, SIGHUP reloads; for as long as the subnets are managed.
void watch_signals(asio::signal_set& signals, daemon::Subnets& subnets, daemon::Service& service) {
  signals.async_wait([&](const boost::system::error_code& error, int signal) {
    if (error) return;
    if (signal == SIGHUP) {
      service.reloading();
      subnets.reload();
    } else {
      service.stopping();
      subnets.stop();
    }
    watch_signals(signals, subnets, service);
  });
}

int run(const Arguments& arguments, const config::Loaded& loaded) {
  const config::LogSettings& to = loaded.settings.log;
  const Result<void> logging =
      log::configure({to.level, to.file, static_cast<std::size_t>(to.file_bytes), to.files_kept});
  if (!logging) {
    std::cerr << logging.error().what << "\n";
    return daemon::kFailed;
  }
  asio::io_context loop(1);
  transport::RealClock clock(loop);
  std::unique_ptr<daemon::Subnets> subnets;
  daemon::Service service(clock, [&subnets](Duration within) { return !subnets || subnets->alive(within); });
  daemon::Subnets::Parts parts;
  parts.open = way_to_fabric;
  parts.read_config = [arguments] { return load(arguments); };
  parts.read_text = [arguments](const std::string& text) {
    return config::read_as(arguments.config, text, arguments.overrides);
  };
  parts.config_file = arguments.config;
  parts.notify = [&service](const std::string& text) { service.notify(text); };
  auto made = daemon::Subnets::make(parts, loaded, arguments.once);
  if (!made) {
    std::cerr << made.error().what << "\n";
    return daemon::kBadUsage;
  }
  subnets = std::move(*made);
  asio::signal_set signals(loop, SIGTERM, SIGINT, SIGHUP);
  watch_signals(signals, *subnets, service);
  subnets->start([&loop] { loop.stop(); });
  loop.run();
  const int code = subnets->exit_code();
  subnets.reset();
  return code;
}

/// Whether simulated fabrics can be read; says why not.
bool fabrics_exist(const config::Loaded& loaded) {
  std::vector<const config::Loaded*> all;
  for (const config::Loaded& one : loaded.subnets) all.push_back(&one);
  if (all.empty()) all.push_back(&loaded);
  for (const config::Loaded* one : all) {
    const config::TransportSettings& to = one->settings.transport;
    if (to.kind != config::TransportKind::sim) continue;
    if (const auto fabric = topology::load(to.sim_fabric); !fabric) {
      std::cerr << "transport.sim.fabric: " << fabric.error().what << "\n";
      return false;
    }
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  weft::keep_freed_memory();
  Arguments arguments;
  if (const std::optional<int> code = parse(argc, argv, arguments)) return *code;
  if (arguments.features) {
    std::cout << daemon::features_text();
    return daemon::kDone;
  }
  Result<config::Loaded> loaded = load(arguments);
  if (!loaded) {
    std::cerr << loaded.error().what << "\n";
    return daemon::kBadUsage;
  }
  if (arguments.check) {
    if (!fabrics_exist(*loaded)) return daemon::kBadUsage;
    for (const std::string& note : loaded->notes) std::cerr << note << "\n";
    std::cout << arguments.config
              << (only_defaults(arguments) ? " is not there: the defaults hold\n" : ": ok\n");
    return daemon::kDone;
  }
  std::signal(SIGPIPE, SIG_IGN);
  return run(arguments, *loaded);
}
