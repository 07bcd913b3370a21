// weftctl: the control program of weftd. Reads the command line; what the commands do stands in commands.cpp.

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <optional>
#include <span>
#include <vector>

#include <fmt/ranges.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include "base/words.h"
#include "config/subnet_types.h"
#include "ctl/commands.h"
#include "ctl/config_commands.h"
#include "ctl/counter_commands.h"
#include "ctl/expected_commands.h"
#include "ctl/explain_commands.h"
#include "ctl/history_commands.h"
#include "ctl/import_commands.h"
#include "ctl/opensm_setup.h"
#include "ctl/partition_commands.h"
#include "ctl/plan.h"
#include "ctl/port_sets_commands.h"
#include "ctl/qos_commands.h"
#include "ctl/sa_commands.h"
#include "ctl/support_bundle.h"
#include "ctl/upkeep_commands.h"

namespace {

using weft::ctl::Client;
using weft::ctl::Exit;
using weft::ctl::Output;
namespace ctl = weft::ctl;

/// All that the command line can say.
struct Arguments {
  std::string socket = "/run/weft/weftd.sock";
  std::string subnet;
  bool json = false;
  ctl::Filter filter;
  ctl::EventOptions events;
  std::string from;
  std::string to;
  std::string file;
  ctl::OpensmFile opensm_file = ctl::OpensmFile::partitions;
  ctl::OpensmSetup opensm;
  bool guid2lid = false;
  bool sa_dump = false;
  bool registrations = false;
  std::string directory;
  bool no_wait = false;
  ctl::PlanOptions plan;
  bool as_sa = false;
  bool members = false;
  std::string leaf = "*";
  std::string group = "broadcast";
  std::string key;
  ctl::QosQuestion qos;
  ctl::UpkeepOrder order;
  ctl::ApplyOptions apply;
  std::string since;
  bool once = false;
  std::string plugin;
};

using Action = std::function<Exit(const Client&, const Output&)>;

/// A command, which also takes the options that all have in common.
CLI::App* add_command(CLI::App& parent, const std::string& name, const std::string& help, Action& chosen,
                      Action action) {
  CLI::App* command = parent.add_subcommand(name, help);
  command->fallthrough();
  command->callback([&chosen, action = std::move(action)] { chosen = action; });
  return command;
}

void add_fabric_commands(CLI::App& app, Arguments& a, Action& chosen) {
  add_command(app, "status", "What the daemon does, the fabric in numbers, and what is wrong", chosen,
              [](const Client& client, const Output& output) { return ctl::show_status(client, output); });
  auto* nodes = add_command(
      app, "nodes", "Every node with its LIDs and ports", chosen,
      [&a](const Client& client, const Output& output) { return ctl::show_nodes(client, output, a.filter); });
  nodes->add_option("--name", a.filter.name, "Only names that match: * any characters, ? one");
  nodes->add_option("--type", a.filter.type, "Only this type")
      ->check(CLI::IsMember({"hca", "switch", "router"}));
  auto* links = add_command(
      app, "links", "Every link with state, rate, MTU and lanes", chosen,
      [&a](const Client& client, const Output& output) { return ctl::show_links(client, output, a.filter); });
  links->add_option("--name", a.filter.name, "Only links with an end whose name matches");
  links->add_option("--state", a.filter.state, "Only this state")
      ->check(CLI::IsMember({"active", "armed", "init", "down"}));
  links->add_flag("--below-best", a.filter.below_best, "Only links below what both their ends can do");
  auto* path = add_command(app, "path", "The way from one end port to another, hop by hop", chosen,
                           [&a](const Client& client, const Output& output) {
                             return a.as_sa ? ctl::show_sa_path(client, output, a.from, a.to)
                                            : ctl::show_path(client, output, a.from, a.to);
                           });
  path->add_option("FROM", a.from, "A name, a GUID or a LID")->required();
  path->add_option("TO", a.to, "A name, a GUID or a LID")->required();
  path->add_flag("--as-sa", a.as_sa, "What subnet administration tells a program that asks for it");
  auto* sets = add_command(app, "port-sets", "Sets of ports for adaptive routing", chosen,
                           [&a](const Client& client, const Output& output) {
                             return ctl::show_port_sets(client, output, a.from, a.leaf);
                           });
  sets->add_option("SWITCH", a.from, "Of this switch, leaf by leaf: a name, a GUID or a LID");
  sets->add_option("--leaf", a.leaf, "Only leaves whose name matches")->capture_default_str();
  auto* dump = add_command(
      app, "dump", "Writes the fabric in other programs' formats", chosen,
      [&a](const Client& client, const Output& output) {
        const Exit done = a.directory.empty() ? Exit::done : ctl::dump_opensm(client, output, a.directory);
        if (done != Exit::done || a.file.empty()) return done;
        return ctl::dump_port_sets(client, output, a.file);
      });
  dump->require_option(1, 2);
  dump->add_option("--opensm", a.directory,
                   "Directory for opensm-subnet.lst and opensm.fdbs, .mcfdbs, .psl, .slvl");
  dump->add_option("--port-sets", a.file, "File for the port sets of adaptive routing, as JSON");
}

void add_topology_command(CLI::App& app, Arguments& a, Action& chosen) {
  auto* topology = add_command(app, "topology", "Writes the fabric for a scheduler", chosen,
                               [&a](const Client& client, const Output& output) {
                                 return ctl::dump_slurm(client, output, a.plugin, a.filter.name, a.file);
                               });
  topology->add_option("--slurm", a.file, "File for Slurm's topology.conf; - for standard output")
      ->required();
  topology
      ->add_option("--plugin", a.plugin, "Slurm's; block for dragonflies and tree for others when left out")
      ->check(CLI::IsMember({"tree", "block"}));
  topology->add_option("--hosts", a.filter.name, "Only hosts whose name matches: * any characters, ? one");
}

void add_explain_commands(CLI::App& explain, Arguments& a, Action& chosen) {
  const auto ask = [&](const std::string& what, const std::string& help, auto query) {
    return add_command(explain, what, help, chosen,
                       [what, query](const Client& client, const Output& output) {
                         return ctl::explain(client, output, what, query());
                       });
  };
  const std::string where = "A name, a GUID or a LID";
  auto* port = ask("port", "Why a port is down, held, slow or narrow",
                   [&a] { return "port=" + ctl::escaped(a.from); });
  port->add_option("PORT", a.from, "leaf-3/7, or a host")->required();
  auto* lid = ask("lid", "Who has a LID", [&a] { return "lid=" + ctl::escaped(a.from); });
  lid->add_option("LID", a.from, "A number")->required();
  const auto two = [&a](const char* first, const char* second) {
    return [&a, first, second] {
      return fmt::format("{}={}&{}={}", first, ctl::escaped(a.from), second, ctl::escaped(a.to));
    };
  };
  auto* path = ask("path", "Whether there is a way from one port to another, and which", two("from", "to"));
  path->add_option("FROM", a.from, where)->required();
  path->add_option("TO", a.to, where)->required();
  auto* partition = ask("partition", "Whether two ports may talk, and by which partitions", two("a", "b"));
  partition->add_option("A", a.from, where)->required();
  partition->add_option("B", a.to, where)->required();
  ask("engine", "Why the tables are those of this routing engine", [] { return std::string(); });
  auto* sweep = ask("sweep", "What caused a sweep, what it did, and how long each phase took",
                    [&a] { return a.from.empty() ? std::string() : "number=" + ctl::escaped(a.from); });
  sweep->add_option("NUMBER", a.from, "As status and sweeps tell it; the last one when left out");
}

void add_sa_commands(CLI::App& app, Arguments& a, Action& chosen) {
  auto* groups = add_command(app, "groups", "Multicast groups", chosen,
                             [&a](const Client& client, const Output& output) {
                               return ctl::show_groups(client, output, a.members);
                             });
  groups->add_flag("--members", a.members, "Their members, too");
  auto* partitions = add_command(app, "partitions", "Partitions, and how many ports are in them", chosen,
                                 [&a](const Client& client, const Output& output) {
                                   return ctl::show_partitions(client, output, a.members);
                                 });
  partitions->add_flag("--members", a.members, "Their members, too");
  add_command(app, "levels", "Service levels: SLs, lanes and shares", chosen,
              [](const Client& client, const Output& output) { return ctl::show_levels(client, output); });
  CLI::App* import = app.add_subcommand("import", "What other programs' files become here");
  import->require_subcommand(1)->fallthrough();
  auto* opensm =
      add_command(*import, "opensm",
                  "A whole OpenSM set-up as weft.yaml and LIDs, or one of its files as YAML, and what each "
                  "line becomes",
                  chosen, [&a](const Client&, const Output& output) {
                    return a.file.empty() ? ctl::import_opensm_setup(output, a.opensm)
                                          : ctl::import_opensm(output, a.opensm_file, a.file);
                  });
  opensm->add_option("--dir", a.opensm.dir, "Folder of opensm.conf")->capture_default_str();
  opensm->add_option("--cache", a.opensm.cache, "Folder of guid2lid, guid2mkey and opensm-sa.dump")
      ->capture_default_str();
  opensm->add_option("--out", a.opensm.out, "Folder to write; without it only the report");
  std::vector<CLI::Option*> files;
  const auto add_file = [&](const std::string& option, ctl::OpensmFile kind, const std::string& help) {
    CLI::Option* added = opensm->add_option_function<std::string>(
        option,
        [&a, kind](const std::string& file) {
          a.opensm_file = kind;
          a.file = file;
        },
        help);
    for (CLI::Option* other : files) added->excludes(other);
    files.push_back(added);
  };
  add_file("--partitions", ctl::OpensmFile::partitions, "partitions.conf");
  add_file("--qos-policy", ctl::OpensmFile::qos_policy, "qos-policy.conf");
  add_file("--options", ctl::OpensmFile::options, "opensm.conf: its qos_* options");
  add_command(app, "services", "Services that programs have registered", chosen,
              [](const Client& client, const Output& output) { return ctl::show_services(client, output); });
  add_command(
      app, "subscriptions", "Who wants to hear of which notices", chosen,
      [](const Client& client, const Output& output) { return ctl::show_subscriptions(client, output); });
  add_command(app, "sa", "What subnet administration does, in numbers", chosen,
              [](const Client& client, const Output& output) { return ctl::show_sa(client, output); });
  CLI::App* explain = app.add_subcommand("explain", "Why something is so");
  explain->require_subcommand(1)->fallthrough();
  auto* join = add_command(*explain, "join", "Whether a port may join a multicast group, and why not", chosen,
                           [&a](const Client& client, const Output& output) {
                             return ctl::explain_join(client, output, a.from, a.group);
                           });
  join->add_option("PORT", a.from, "A name, a GUID or a LID")->required();
  auto* qos = add_command(
      *explain, "qos", "Which service level a path gets, and the lane on each hop", chosen,
      [&a](const Client& client, const Output& output) { return ctl::explain_qos(client, output, a.qos); });
  qos->add_option("FROM", a.qos.from, "A name, a GUID or a LID")->required();
  qos->add_option("TO", a.qos.to, "A name, a GUID or a LID")->required();
  qos->add_option("--pkey", a.qos.pkey, "In this partition");
  qos->add_option("--service-id", a.qos.service, "For this service");
  qos->add_option("--class", a.qos.qos_class, "Of this QoS class");
  auto* pkey = add_command(*explain, "pkey", "A port's P_Keys, and why it has one or not", chosen,
                           [&a](const Client& client, const Output& output) {
                             return ctl::explain_pkey(client, output, a.from, a.key);
                           });
  pkey->add_option("PORT", a.from, "A name, a GUID or a LID")->required();
  pkey->add_option("KEY", a.key, "A P_Key; 0x0010 and 0x8010 mean the same partition");
  add_explain_commands(*explain, a, chosen);
  join->add_option("GROUP", a.group, "An MGID, an MLID, or broadcast for IPoIB's")->capture_default_str();
}

/// A command that gives an order of this kind.
CLI::App* add_order(CLI::App& parent, const std::string& verb, const std::string& help,
                    const std::string& place, Arguments& a, Action& chosen) {
  auto* command =
      add_command(parent, verb, help, chosen, [&a, verb](const Client& client, const Output& output) {
        a.order.verb = verb;
        return ctl::give_order(client, output, a.order);
      });
  command->add_option(place, a.order.place, "A name or GUID, with /PORT for one port: leaf-3/7")->required();
  return command;
}

void add_upkeep_commands(CLI::App& app, Arguments& a, Action& chosen) {
  const std::string force = "Also when that cuts somebody off";
  const std::string why = "Told wherever the order is shown";
  auto* drain = add_order(app, "drain", "Moves traffic off a switch or a link, so that it can be pulled",
                          "PLACE", a, chosen);
  drain->add_flag("--force", a.order.force, force);
  drain->add_option("--why", a.order.why, why);
  add_order(app, "undrain", "Takes that back", "PLACE", a, chosen);
  CLI::App* port = app.add_subcommand("port", "Disables ports and enables them again");
  port->require_subcommand(1)->fallthrough();
  auto* disable = add_order(*port, "disable", "Moves traffic off a link, and disables it until it is enabled",
                            "PORT", a, chosen);
  auto* hold = add_order(*port, "hold", "The same for a time", "PORT", a, chosen);
  for (CLI::App* one : {disable, hold}) {
    one->add_flag("--force", a.order.force, force);
    one->add_option("--why", a.order.why, why);
  }
  hold->add_option("--for", a.order.time, "For how long: 30min, 2h; an hour when left out");
  add_order(*port, "enable", "Enables a port that was disabled or held", "PORT", a, chosen);
  add_command(app, "upkeep", "What is drained, disabled or held, and how far that is", chosen,
              [](const Client& client, const Output& output) { return ctl::show_upkeep(client, output); });
}

void add_history_commands(CLI::App& app, Arguments& a, Action& chosen) {
  auto* events =
      add_command(app, "events", "What happened", chosen, [&a](const Client& client, const Output& output) {
        return ctl::show_events(client, output, a.events);
      });
  events->add_option("--since", a.events.since, "From then on: 30min, 2d, or 2026-01-02T03:04:05Z");
  events->add_option("--until", a.events.until, "Until then, likewise");
  events->add_option("--kind", a.events.kind, "Only these kinds: link_*,node_gone");
  events->add_option("--severity", a.events.severity, "Only this and worse")
      ->check(CLI::IsMember({"info", "warning", "error"}));
  events->add_option("--node", a.events.node, "Only of this node: a name or a GUID");
  events->add_option("--port", a.events.port, "Only of this port: leaf-3/7, or a host");
  events->add_flag("-f,--follow", a.events.follow, "Go on with new ones as they come");
  events->add_option("--after", a.events.after, "Only ids above this one");
  events->add_option("-n,--limit", a.events.limit, "At most so many, the newest")
      ->check(CLI::Range(1, 10000));
  auto* sweeps = add_command(
      app, "sweeps", "The sweeps of late, or since a time", chosen,
      [&a](const Client& client, const Output& output) { return ctl::show_sweeps(client, output, a.since); });
  sweeps->add_option("--since", a.since, "From then on: 1h, 2d, or 2026-01-02T03:04:05Z");
  auto* changed = add_command(app, "what-changed", "What is other than it was, a sentence a change", chosen,
                              [&a](const Client& client, const Output& output) {
                                return ctl::show_changes(client, output, a.since.empty() ? "24h" : a.since);
                              });
  changed->add_option("--since", a.since, "From then on: 2h, or 2026-01-02T03:04:05Z; a day when left out");
  auto* counters = add_command(app, "counters", "Traffic and errors of ports", chosen,
                               [&a](const Client& client, const Output& output) {
                                 return ctl::show_counters(client, output, a.from);
                               });
  counters->add_option("PORT", a.from, "This one, read now: leaf-3/7; all that were read when left out");
  auto* top = add_command(
      app, "top", "Sweeps, rates, worst links and events, redrawn", chosen,
      [&a](const Client& client, const Output& output) { return ctl::show_top(client, output, a.once); });
  top->add_flag("--once", a.once, "Draws once");
}

void add_expected_commands(CLI::App& app, Arguments& a, Action& chosen) {
  auto* expected = add_command(app, "expected",
                               "Cables and devices that are not as fabric.expected says, and how to mend it",
                               chosen, [&a](const Client& client, const Output& output) {
                                 // CLI11 calls back for this command after `make`, too.
                                 return a.file.empty() ? ctl::show_expected(client, output)
                                                       : ctl::make_expected(client, output, a.file, a.from);
                               });
  auto* make = add_command(*expected, "make", "Writes such a file from the live fabric, or from a design",
                           chosen, [&a](const Client& client, const Output& output) {
                             return ctl::make_expected(client, output, a.file, a.from);
                           });
  make->add_option("FILE", a.file, "The file; - for standard output")->required();
  make->add_option("--fabric", a.from, "A file (ibnetdiscover, ibsim, our JSON) or a blueprint instead");
}

void add_daemon_commands(CLI::App& app, Arguments& a, Action& chosen) {
  auto* sweep = add_command(app, "sweep", "Sweeps the whole fabric now", chosen,
                            [&a](const Client& client, const Output& output) {
                              return ctl::run_sweep(client, output, !a.no_wait);
                            });
  sweep->add_flag("--no-wait", a.no_wait, "Do not wait for its end");
  add_command(app, "accept",
              "Takes the fabric as it is for whole: what is missing is not waited for any longer", chosen,
              [](const Client& client, const Output& output) { return ctl::accept_fabric(client, output); });
  auto* hand_over = add_command(
      app, "hand-over", "Lets a standby take over", chosen,
      [&a](const Client& client, const Output& output) { return ctl::hand_over(client, output, a.from); });
  hand_over->add_option("GUID", a.from, "Its port GUID; the best standby when left out");
  CLI::App* config = app.add_subcommand("config", "The configuration");
  config->require_subcommand(1)->fallthrough();
  CLI::App* diff = add_command(*config, "diff", "What a file would change on the live fabric; nothing is set",
                               chosen, [&a](const Client& client, const Output& output) {
                                 return ctl::config_diff(client, output, a.apply.file);
                               });
  diff->add_option("file", a.apply.file, "Configuration file")->required();
  CLI::App* apply = add_command(*config, "apply", "Puts a file in force, and in the place of weftd's own",
                                chosen, [&a](const Client& client, const Output& output) {
                                  return ctl::config_apply(client, output, a.apply);
                                });
  apply->add_option("file", a.apply.file, "Configuration file")->required();
  apply
      ->add_option("--confirm", a.apply.confirm,
                   "It goes back by itself after this time, unless confirmed: 60s")
      ->check([](const std::string& time) {
        return time.empty() ? std::string("it needs a time such as 60s") : "";
      });
  add_command(*config, "confirm", "What is tried stays in force", chosen, ctl::config_confirm);
  add_command(*config, "undo", "Back to the configuration before", chosen, ctl::config_undo);
  add_command(*config, "history", "What has been in force, since when and by whom", chosen,
              ctl::config_history);
  add_command(*config, "show", "The settings in force, each with where it comes from", chosen,
              [](const Client& client, const Output& output) { return ctl::show_config(client, output); });
  auto* check =
      add_command(*config, "check", "Checks a file without the daemon", chosen,
                  [&a](const Client&, const Output& output) { return ctl::check_config(output, a.file); });
  check->add_option("FILE", a.file, "The file")->required();
  add_command(*config, "schema", "Prints the JSON schema that editors check and complete weft.yaml with",
              chosen, [](const Client&, const Output& output) { return ctl::show_config_schema(output); });
  auto* bundle =
      add_command(app, "support-bundle", "Writes what a bug report needs, without secrets, as .tar.gz",
                  chosen, [&a](const Client& client, const Output& output) {
                    return ctl::support_bundle(client, output, a.file, "weft " WEFT_VERSION);
                  });
  bundle->add_option("FILE", a.file, "The archive to write")->required();

  CLI::App* state =
      app.add_subcommand("state", "What the daemon keeps over restarts: LIDs and device records");
  state->require_subcommand(1)->fallthrough();
  auto* give = add_command(*state, "export", "Writes it as JSON", chosen,
                           [&a](const Client& client, const Output& output) {
                             if (a.registrations) return ctl::export_registrations(client, output, a.file);
                             if (a.guid2lid) return ctl::export_guid2lid(client, output, a.file);
                             return a.sa_dump ? ctl::export_sa_dump(client, output, a.file)
                                              : ctl::export_state(client, output, a.file);
                           });
  give->add_option("FILE", a.file, "The file; - for standard output")->required();
  give->add_flag("--guid2lid", a.guid2lid, "Only the LIDs, as OpenSM's guid2lid");
  give->add_flag("--sa-dump", a.sa_dump,
                 "Groups, members, services and subscriptions, as OpenSM's opensm-sa.dump")
      ->excludes("--guid2lid");
  give->add_flag("--registrations", a.registrations,
                 "What clients have told the SA, too, with keys: the file is its owner's alone")
      ->excludes("--guid2lid")
      ->excludes("--sa-dump");
  auto* take = add_command(
      *state, "import", "Takes LIDs and registrations from such a file, from the next sweep on", chosen,
      [&a](const Client& client, const Output& output) { return ctl::import_state(client, output, a.file); });
  take->add_option("FILE", a.file, "The file; - for standard input")->required();
}

void add_plan_command(CLI::App& app, ctl::PlanOptions& p, Action& chosen) {
  auto* plan =
      add_command(app, "plan", "What would be planned for a fabric, without a daemon, and how good it is",
                  chosen, [&p](const Client&, const Output& output) { return ctl::plan_offline(output, p); });
  plan->add_option("--fabric", p.fabric, "A file (ibnetdiscover, ibsim, our JSON) or a blueprint")
      ->required();
  plan->add_option("--config", p.config, "Configuration file; without one, defaults");
  plan->add_option("--engine", p.engine, "This routing engine instead of the configured ones");
  plan->add_option("--fail", p.fail, "Takes links between switches away first: a number, or a share like 1%");
  plan->add_option("--seed", p.seed, "Of what fails and of the patterns measured")->capture_default_str();
  plan->add_option("--vls", p.vls, "Data VLs of all ports")->check(CLI::Range(1, 8))->capture_default_str();
  plan->add_flag("--report", p.report, "Measures how evenly the tables spread traffic");
  plan->add_option("--compare", p.compare, "Measures these engines beside it: min-hop,up-down")
      ->delimiter(',');
  plan->add_option(
      "--dump", p.dump,
      "Directory for the same files as dump --opensm, and port-sets.json if they are configured");
  plan->add_option("--job", p.job, "Hosts of the job whose collectives are estimated; 0: all");
}

/// The first word of the command line that names no command, with the command that holds it ("config");
/// nothing when every word up to a full command is known.
std::optional<std::pair<CLI::App*, std::string>> unknown_command(CLI::App& app, std::span<char*> words) {
  CLI::App* parent = &app;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string word = words[i];
    if (word == "--socket" || word == "--subnet") ++i;
    if (word.starts_with('-')) continue;
    const std::vector<CLI::App*> commands = parent->get_subcommands({});
    const auto command =
        std::ranges::find(commands, word, [](const CLI::App* one) { return one->get_name(); });
    if (command == commands.end()) return std::pair(parent, word);
    if ((*command)->get_subcommands({}).empty()) return std::nullopt;
    parent = *command;
  }
  return std::nullopt;
}

std::string refusal_of(CLI::App& parent, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : parent.get_subcommands({})) names.push_back(command->get_name());
  const std::string_view meant = weft::nearest(word, names);
  const std::string within = parent.get_parent() == nullptr ? "" : parent.get_name() + " ";
  std::string text = fmt::format("weftctl: there is no command \"{}{}\"\n", within, word);
  if (!meant.empty()) return text + fmt::format("  did you mean: weftctl {}{}\n", within, meant);
  return text + fmt::format("  there are: {}\n", fmt::join(names, ", "));
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  Action chosen;
  CLI::App app("Controls weftd, the InfiniBand subnet manager.", "weftctl");
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("weftctl ") + WEFT_VERSION);
  app.add_option("--socket", arguments.socket, "Control socket of the daemon")
      ->envname("WEFT_SOCKET")
      ->capture_default_str();
  app.add_option("--subnet", arguments.subnet, "Of a weftd that manages several subnets, this one")
      ->envname("WEFT_SUBNET");
  app.add_flag("--json", arguments.json, "JSON instead of tables");
  add_fabric_commands(app, arguments, chosen);
  add_topology_command(app, arguments, chosen);
  add_sa_commands(app, arguments, chosen);
  add_upkeep_commands(app, arguments, chosen);
  add_expected_commands(app, arguments, chosen);
  add_daemon_commands(app, arguments, chosen);
  add_history_commands(app, arguments, chosen);
  add_plan_command(app, arguments.plan, chosen);
  app.footer("Exit codes: 0 done, 1 failed, 2 bad usage or configuration, 3 no usable device.");
  if (const auto unknown = unknown_command(app, std::span(argv, static_cast<std::size_t>(argc)))) {
    std::cerr << refusal_of(*unknown->first, unknown->second);
    return static_cast<int>(Exit::usage);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? 0 : static_cast<int>(Exit::usage);
  }
  const Output output{std::cout, std::cerr, ctl::style_of(STDOUT_FILENO), arguments.json,
                      isatty(STDERR_FILENO) == 1};
  std::string socket = arguments.socket;
  if (!arguments.subnet.empty()) socket = weft::config::socket_of_subnet(socket, arguments.subnet);
  return static_cast<int>(chosen(Client(std::move(socket)), output));
}
