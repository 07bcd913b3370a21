// weftsim: a simulated fabric that InfiniBand programs attach to: unchanged ones under ibsim-run, any under
// weftsim-run, ours by themselves.

#include <sys/epoll.h>
#include <sys/signalfd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>

#include <CLI/CLI.hpp>

#include "sim/faults/script.h"
#include "sim/server/control.h"
#include "sim/server/server.h"
#include "topology/load.h"

namespace {

using namespace weft;       // NOLINT: a main of its own
using namespace weft::sim;  // NOLINT

constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kBadUsage = 2;

struct Options {
  std::string fabric;
  std::string socket = "sim";
  std::string script;
  std::uint64_t seed = 1;
  double hop_us = 0;
  double agent_us = 0;
  int smp_timeout_ms = 200;
  int gmp_timeout_ms = 2000;
  bool quiet = false;
};

Duration microseconds(double value) { return Duration(static_cast<Duration::rep>(value * 1000)); }

/// SIGTERM and SIGINT as a descriptor.
transport::ibsim::Descriptor end_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  return transport::ibsim::Descriptor(signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
}

void say_ready(const Options& options, const World& world) {
  std::cout << fmt::format(
                   "ready: {} nodes, {} of them switches, at {}; connect with IBSIM_SOCKNAME={} weftsim-run "
                   "PROGRAM, or "
                   "ibsim-run PROGRAM; control with weftsim ctl --socket {} help",
                   world.node_count(), world.switch_count(), options.socket, options.socket, options.socket)
            << std::endl;
}

int serve(const Options& options) {
  const Result<topology::Topology> topology = topology::load(options.fabric);
  if (!topology) {
    std::cerr << "weftsim: " << topology.error().what << "\n";
    return kBadUsage;
  }
  if (topology->nodes.empty()) {
    std::cerr << "weftsim: " << options.fabric << ": no nodes\n";
    return kBadUsage;
  }
  const transport::ibsim::Descriptor signals = end_signals();
  Loop loop;
  World world(*topology, loop, options.seed);
  Network network(world, {.hop = microseconds(options.hop_us), .agent = microseconds(options.agent_us)});
  Desk desk(network, {.smp_timeout = std::chrono::milliseconds(options.smp_timeout_ms),
                      .gmp_timeout = std::chrono::milliseconds(options.gmp_timeout_ms)});
  Faults faults(network);
  const Result<Script> script =
      options.script.empty() ? Result<Script>(Script{}) : load_script(world, options.script);
  if (!script) {
    std::cerr << "weftsim: " << script.error().what << "\n";
    return kBadUsage;
  }
  Server server(loop, desk, options.socket);
  Console console;
  add_fabric_commands(console, network);
  add_fault_commands(console, faults);
  add_client_commands(console, desk, [&server](std::uint32_t number) { return server.drop_client(number); });
  console.add("quit", {"", "end the simulator", 0, 0, [&loop](const Words&) -> Result<std::string> {
                         loop.stop();
                         return std::string();
                       }});
  Control control(loop, console, options.socket);
  Result<void> opened = loop.watch(signals.get(), EPOLLIN, [&loop](std::uint32_t) { loop.stop(); });
  if (opened) opened = server.open();
  if (opened) opened = control.open();
  if (!opened) {
    std::cerr << "weftsim: " << opened.error().what << "\n";
    return kFailed;
  }
  say_ready(options, world);
  start(faults, *script);
  loop.run();
  if (!options.quiet) std::cout << counts_table(world);
  return kDone;
}

int send_to_running(const Options& options, const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    const bool quote = word.empty() || word.find_first_of(" \t") != std::string::npos;
    line += (line.empty() ? "" : " ") + (quote ? '"' + word + '"' : word);
  }
  const Result<std::string> said = send_command(options.socket, line);
  if (!said) {
    std::cerr << "weftsim: " << said.error().what << "\n";
    return kFailed;
  }
  std::cout << *said;
  return kDone;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (const char* name = std::getenv("IBSIM_SOCKNAME")) options.socket = name;
  CLI::App app{"weftsim, a simulated InfiniBand fabric that programs attach to"};
  app.add_option("--fabric", options.fabric, "A file (ibnetdiscover, ibsim, JSON) or a blueprint");
  app.add_option("--socket", options.socket, "Base of its socket names, as IBSIM_SOCKNAME")
      ->capture_default_str();
  app.add_option("--script", options.script,
                 "What goes wrong and when, a YAML file; times count from `ready`");
  app.add_option("--seed", options.seed, "Of every random choice")->capture_default_str();
  app.add_option("--hop", options.hop_us, "Time a link takes, in microseconds")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--agent", options.agent_us, "Time a device takes to answer, in microseconds")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--smp-timeout", options.smp_timeout_ms,
                 "When programs under ibsim-run learn that an SMP is lost, in milliseconds")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--gmp-timeout", options.gmp_timeout_ms, "The same for all other MADs")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--quiet", options.quiet, "Print no table of MADs at the end");
  std::vector<std::string> words;
  CLI::App* ctl = app.add_subcommand("ctl", "Say a command to a running simulator; `ctl help` lists them");
  ctl->add_option("--socket", options.socket, "Name of the simulator")->capture_default_str();
  ctl->add_option("command", words)->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kBadUsage;
  }
  if (ctl->parsed()) return send_to_running(options, words);
  if (options.fabric.empty()) {
    std::cerr << "weftsim: --fabric says what to simulate\n";
    return kBadUsage;
  }
  return serve(options);
}
