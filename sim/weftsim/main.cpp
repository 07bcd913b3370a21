// weftsim: a simulated fabric that InfiniBand programs attach to: unchanged ones under ibsim-run, any under
// weftsim-run, ours by themselves.

#include <sys/epoll.h>
#include <sys/signalfd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>

#include "base/files.h"
#include "base/virtual_clock.h"
#include "sim/faults/script.h"
#include "sim/recorder.h"
#include "sim/server/control.h"
#include "sim/server/server.h"
#include "topology/blueprint.h"
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
  std::string record;
  std::string replay;
  std::uint32_t program = 0;
  std::uint64_t seed = 1;
  double hop_us = 0;
  double agent_us = 0;
  int smp_timeout_ms = 200;
  int gmp_timeout_ms = 2000;
  bool sl2vl_wildcards = false;
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

int failed(const Error& error, int code) {
  std::cerr << "weftsim: " << error.what << "\n";
  return code;
}

Result<topology::Topology> load_fabric(const Options& options) {
  Result<topology::Topology> topology = topology::load(options.fabric);
  if (topology && topology->nodes.empty()) return fail(Errc::invalid, "{}: no nodes", options.fabric);
  return topology;
}

/// A recorder into a file, if one is asked for.
struct Recording {
  std::ofstream file;
  std::unique_ptr<Recorder> recorder;

  Result<void> open(const Options& options, Network& network) {
    if (options.record.empty()) return {};
    file.open(options.record, std::ios::binary);
    if (!file) return fail(Errc::system, "cannot write the recording {}", options.record);
    recorder = std::make_unique<Recorder>(network, [this](std::span<const std::uint8_t> bytes) {
      file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    });
    return {};
  }
  /// Errors: `system` when some of it could not be written.
  Result<void> close(const Options& options) {
    recorder.reset();
    if (options.record.empty()) return {};
    file.close();
    if (!file) return fail(Errc::system, "the recording {} is not complete: no room for it?", options.record);
    return {};
  }
};

/// The port that a recorded program was at: "h0[1] #0" names it.
Result<PortIndex> port_of_program(const World& world, const std::string& name) {
  const std::size_t bracket = name.rfind('[');
  const std::optional<NodeIndex> node = world.find(name.substr(0, bracket));
  const int number = bracket == name.npos ? -1 : std::atoi(name.c_str() + bracket + 1);
  const PortIndex port = node ? world.port_of(*node, static_cast<PortNum>(number)) : kNoPort;
  if (port == kNoPort) return fail(Errc::not_found, "the fabric has no port {}", name);
  return port;
}

/// As real devices are, and ibsim's: the field's tools ask for PortInfo without modifier bit 31, and are told
/// extended speeds all the same.
Settings devices(const Options& options) {
  Settings settings;
  settings.optimized_sl_to_vl = options.sl2vl_wildcards;
  settings.hide_extended_speeds = false;
  return settings;
}

/// Plays what a recorded program sent to the fabric, without waiting; 0 when all answers are as recorded.
int replay_recording(const Options& options) {
  const Result<topology::Topology> topology = load_fabric(options);
  if (!topology) return failed(topology.error(), kBadUsage);
  const Result<std::string> read = read_file(options.replay);
  if (!read) return failed(read.error(), kBadUsage);
  const Result<transport::Recording> recording =
      transport::read_pcapng({reinterpret_cast<const std::uint8_t*>(read->data()), read->size()});
  if (!recording) return failed({Errc::malformed, options.replay + ": " + recording.error().what}, kBadUsage);
  if (recording->cut)
    std::cerr << options.replay << " ends in the middle of a block; what comes before is played\n";
  if (options.program >= recording->interfaces.size())
    return failed({Errc::not_found, fmt::format("{} has {} programs; --program counts them from 0",
                                                options.replay, recording->interfaces.size())},
                  kBadUsage);
  if (recording->interfaces.size() > 1)
    std::cerr << fmt::format("{} has {} programs; playing number {}, {} (--program chooses)\n",
                             options.replay, recording->interfaces.size(), options.program,
                             recording->interfaces[options.program]);
  VirtualClock clock;
  World world(*topology, clock, options.seed, devices(options));
  Network network(world, {.hop = microseconds(options.hop_us), .agent = microseconds(options.agent_us)});
  const Result<PortIndex> port = port_of_program(world, recording->interfaces[options.program]);
  if (!port) return failed(port.error(), kBadUsage);
  Recording again;
  if (const Result<void> opened = again.open(options, network); !opened)
    return failed(opened.error(), kFailed);
  const Result<Replayed> replayed =
      replay(*recording, options.program, network, *port, [&clock](Instant end) { clock.run_until(end); });
  if (!replayed) return failed(replayed.error(), kFailed);
  if (const Result<void> closed = again.close(options); !closed) return failed(closed.error(), kFailed);
  for (const std::string& difference : replayed->differences) std::cout << difference << "\n";
  std::cout << fmt::format("{} requests, {} answers where {} were recorded, {} of them as recorded\n",
                           replayed->requests, replayed->answers, replayed->recorded, replayed->same);
  return replayed->all_as_recorded() ? kDone : kFailed;
}

int serve(const Options& options) {
  const Result<topology::Topology> topology = load_fabric(options);
  if (!topology) return failed(topology.error(), kBadUsage);
  const transport::ibsim::Descriptor signals = end_signals();
  Loop loop;
  World world(*topology, loop, options.seed, devices(options));
  Network network(world, {.hop = microseconds(options.hop_us), .agent = microseconds(options.agent_us)});
  Desk desk(network, {.smp_timeout = std::chrono::milliseconds(options.smp_timeout_ms),
                      .gmp_timeout = std::chrono::milliseconds(options.gmp_timeout_ms)});
  Faults faults(network);
  const Result<Script> script =
      options.script.empty() ? Result<Script>(Script{}) : load_script(world, options.script);
  if (!script) return failed(script.error(), kBadUsage);
  Recording recording;
  if (const Result<void> recorded = recording.open(options, network); !recorded)
    return failed(recorded.error(), kFailed);
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
  if (!opened) return failed(opened.error(), kFailed);
  say_ready(options, world);
  start(faults, *script);
  loop.run();
  if (!options.quiet) std::cout << counts_table(world);
  if (const Result<void> closed = recording.close(options); !closed) return failed(closed.error(), kFailed);
  return kDone;
}

int send_to_running(const Options& options, const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    const bool whole = words.size() == 1;  // a command with its arguments in one word
    const bool quote = !whole && (word.empty() || word.find_first_of(" \t") != std::string::npos);
    line += (line.empty() ? "" : " ") + (quote ? '"' + word + '"' : word);
  }
  const Result<std::string> said = send_command(options.socket, line);
  if (!said) return failed(said.error(), kFailed);
  std::cout << *said;
  return kDone;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (const char* name = std::getenv("IBSIM_SOCKNAME")) options.socket = name;
  CLI::App app{"weftsim, a simulated InfiniBand fabric that programs attach to"};
  app.set_version_flag("--version", std::string("weftsim ") + WEFT_VERSION);
  app.footer("Blueprints, beside files of ibnetdiscover and ibsim:\n" + topology::blueprint_help());
  app.add_option("--fabric", options.fabric, "A file (ibnetdiscover, ibsim, JSON) or a blueprint");
  app.add_option("--socket", options.socket, "Base of its socket names, as IBSIM_SOCKNAME")
      ->capture_default_str();
  app.add_option("--script", options.script,
                 "What goes wrong and when, a YAML file; times count from `ready`");
  app.add_option("--record", options.record,
                 "Writes every MAD of every program to a pcapng file (Wireshark)");
  CLI::Option* replay_option = app.add_option("--replay", options.replay,
                                              "Plays one program of a recording to the fabric, and compares");
  app.add_option("--program", options.program, "Which program of the recording, from 0")
      ->needs(replay_option);
  app.add_option("--seed", options.seed, "Of every random choice")->capture_default_str();
  const CLI::Range up_to_a_minute(0.0, 60e6);
  app.add_option("--hop", options.hop_us, "Time a link takes, in microseconds")->check(up_to_a_minute);
  app.add_option("--agent", options.agent_us, "Time a device takes to answer, in microseconds")
      ->check(up_to_a_minute);
  app.add_option("--smp-timeout", options.smp_timeout_ms,
                 "When programs under ibsim-run learn that an SMP is lost, in milliseconds")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--gmp-timeout", options.gmp_timeout_ms, "The same for all other MADs")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--sl2vl-wildcards", options.sl2vl_wildcards,
               "Switches take SL2VL for many ports in one packet (OptimizedSLtoVLMappingProgramming)");
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
  return options.replay.empty() ? serve(options) : replay_recording(options);
}
