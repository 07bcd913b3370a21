#include "sim/server/console.h"

#include <algorithm>
#include <charconv>

#include "mad/mlnx_device_info.h"
#include "mad/perf.h"
#include "sim/faults/action.h"
#include "sim/judge.h"

namespace weft::sim {
namespace {

using Text = Result<std::string>;

std::string_view class_name(mad::MgmtClass mgmt_class) {
  switch (mgmt_class) {
    case mad::MgmtClass::subn_lid_routed:
      return "SMP by LID";
    case mad::MgmtClass::subn_directed:
      return "SMP directed";
    case mad::MgmtClass::subn_adm:
      return "SA";
    case mad::MgmtClass::perf:
      return "performance";
  }
  return mgmt_class == mad::kMlnxClass ? "Mellanox" : "other";
}

std::string_view perf_name(mad::PerfAttr attribute) {
  switch (attribute) {
    case mad::PerfAttr::class_port_info:
      return "ClassPortInfo";
    case mad::PerfAttr::samples_control:
      return "PortSamplesControl";
    case mad::PerfAttr::samples_result:
      return "PortSamplesResult";
    case mad::PerfAttr::port_counters:
      return "PortCounters";
    case mad::PerfAttr::rcv_error_details:
      return "PortRcvErrorDetails";
    case mad::PerfAttr::xmit_discard_details:
      return "PortXmitDiscardDetails";
    case mad::PerfAttr::op_rcv_counters:
      return "PortOpRcvCounters";
    case mad::PerfAttr::flow_control_counters:
      return "PortFlowCtlCounters";
    case mad::PerfAttr::vl_op_packets:
      return "PortVLOpPackets";
    case mad::PerfAttr::vl_op_data:
      return "PortVLOpData";
    case mad::PerfAttr::vl_flow_control_errors:
      return "PortVLXmitFlowCtlUpdateErrors";
    case mad::PerfAttr::vl_xmit_wait:
      return "PortVLXmitWait";
    case mad::PerfAttr::port_counters_extended:
      return "PortCountersExtended";
  }
  return "";
}

/// The same number means another attribute in each class; where no name is known it is told itself.
std::string attribute_name(mad::MgmtClass mgmt_class, mad::AttrId attribute) {
  std::string_view name;
  switch (mgmt_class) {
    case mad::MgmtClass::subn_lid_routed:
    case mad::MgmtClass::subn_directed:
      name = mad::name(attribute);
      break;
    case mad::MgmtClass::perf:
      name = perf_name(static_cast<mad::PerfAttr>(raw(attribute)));
      break;
    case mad::MgmtClass::subn_adm:
      break;  // agents answer none of it
  }
  return name.empty() ? fmt::format("0x{:04x}", raw(attribute)) : std::string(name);
}

std::optional<std::uint32_t> whole_number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string status_text(Network& network) {
  const World& world = network.world();
  const PortSummary ports = port_summary(world);
  std::string text = fmt::format("nodes={} switches={} links_ends={} down={} init={} armed={} active={}\n",
                                 world.node_count(), world.switch_count(), ports.linked, ports.down,
                                 ports.init, ports.armed, ports.active);
  for (std::size_t kind = 1; kind < kDropKinds; ++kind)
    if (const auto reason = static_cast<Drop>(kind); network.drops(reason) > 0)
      text += fmt::format("dropped reason=\"{}\" mads={}\n", name(reason), network.drops(reason));
  return text;
}

/// Words with blanks stand in quotes, as words_of() takes them.
std::string quoted(const std::string& word) {
  const bool needed = word.empty() || word.find_first_of(" \t") != std::string::npos;
  return needed ? '"' + word + '"' : word;
}

Text path_text(Network& network, const Words& words) {
  const World& world = network.world();
  std::array<PortIndex, 2> ends{};
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const Result<NodeIndex> node = node_called(world, words[i]);
    if (!node) return fail(node.error());
    ends[i] = world.port_of(*node, world.is_switch(*node) ? PortNum{0} : PortNum{1});
  }
  const Path way = path(world, ends[0], world.port(ends[1]).info.lid);
  return describe(world, ends[0], way) + "\n";
}

}  // namespace

Result<Words> words_of(std::string_view line) {
  Words words;
  bool in_quotes = false;
  bool inside = false;
  for (const char letter : line) {
    if (letter == '"') {
      in_quotes = !in_quotes;
      if (!inside) words.emplace_back();
      inside = true;
    } else if (!in_quotes && (letter == ' ' || letter == '\t' || letter == '\r' || letter == '\n')) {
      inside = false;
    } else {
      if (!inside) words.emplace_back();
      inside = true;
      words.back() += letter;
    }
  }
  if (in_quotes) return fail(Errc::malformed, "a quote does not end");
  return words;
}

Console::Console() {
  add("help", {"", "what can be said here", 0, 0, [this](const Words&) -> Text {
                 std::string text;
                 for (const auto& [name, command] : commands_)
                   text += fmt::format("{:<32} {}\n", name + " " + command.arguments, command.help);
                 return text;
               }});
}

Result<std::string> Console::run(std::string_view line) {
  Result<Words> words = words_of(line);
  if (!words) return fail(words.error());
  if (words->empty()) return std::string();
  const std::string name = words->front();
  words->erase(words->begin());
  const auto found = commands_.find(name);
  if (found == commands_.end()) return fail(Errc::not_found, "no command {}; try help", name);
  const Command& command = found->second;
  if (words->size() < command.least || words->size() > command.most)
    return fail(Errc::invalid, "usage: {} {}", name, command.arguments);
  return command.run(*words);
}

Result<NodeIndex> node_called(const World& world, std::string_view text) {
  std::optional<NodeIndex> found = world.find(text);
  if (!found)
    if (const std::optional<Guid> guid = guid_from(text)) found = world.find(*guid);
  if (!found) return fail(Errc::not_found, "no node {}", text);
  return *found;
}

void add_fabric_commands(Console& console, Network& network) {
  World& world = network.world();
  console.add("status", {"", "nodes, ports by state, packets dropped", 0, 0,
                         [&network](const Words&) -> Text { return status_text(network); }});
  console.add("counts",
              {"[NODE]", "MADs by class, method and attribute", 0, 1, [&world](const Words& words) -> Text {
                 if (words.empty()) return counts_table(world);
                 const Result<NodeIndex> node = node_called(world, words[0]);
                 if (!node) return fail(node.error());
                 return counts_table(world, *node);
               }});
  console.add("clear-counts", {"", "start counting from zero", 0, 0, [&world](const Words&) -> Text {
                                 world.counters().clear();
                                 return std::string();
                               }});
  console.add("path", {"NODE NODE", "the way through the tables, and where it ends", 2, 2,
                       [&network](const Words& words) { return path_text(network, words); }});
  console.add("judge", {"", "do all pairs reach each other; is there a credit loop", 0, 0,
                        [&world](const Words&) -> Text {
                          const Reach reach = all_pairs(world);
                          std::string text = fmt::format(
                              "host_pairs={} reached={} switch_pairs={} reached={}\n", reach.host_pairs,
                              reach.host_pairs_reached, reach.switch_pairs, reach.switch_pairs_reached);
                          for (const std::string& failure : reach.failures) text += failure + "\n";
                          text += "credit_loop=" + credit_loop(world).value_or("none") + "\n";
                          return text;
                        }});
}

void add_fault_commands(Console& console, Faults& faults) {
  for (const VerbHelp& verb : verbs()) {
    const std::string name(verb.name);
    console.add(name, {std::string(verb.takes), std::string(verb.does), 0, Console::kAny,
                       [&faults, name](const Words& words) -> Text {
                         std::string line = name;
                         for (const std::string& word : words) line += " " + quoted(word);
                         const Result<Action> action = action_from(faults.world(), line);
                         if (!action) return fail(action.error());
                         faults.now(*action);
                         return std::string();
                       }});
  }
  console.add("forget", {"", "forget what the script has still to do", 0, 0, [&faults](const Words&) -> Text {
                           faults.forget();
                           return std::string();
                         }});
}

void add_client_commands(Console& console, Desk& desk, std::function<bool(std::uint32_t)> drop) {
  console.add("clients",
              {"", "the programs attached", 0, 0, [&desk](const Words&) -> Text {
                 std::string text;
                 for (const Client* client : desk.clients()) {
                   const Client::Stats& stats = client->stats();
                   text += fmt::format(
                       "client={} port={} kind={} is_sm={} received={} sent={} waiting={} dropped={} "
                       "returned={}\n",
                       raw(client->id()), desk.world().name(client->port()),
                       client->kind() == Client::Kind::wide ? "weft" : "ibsim", client->is_sm(),
                       stats.received, stats.sent, client->outgoing().size(), stats.dropped, stats.returned);
                 }
                 return text;
               }});
  console.add("drop", {"CLIENT", "end the connection of a program", 1, 1,
                       [drop = std::move(drop)](const Words& words) -> Text {
                         const std::optional<std::uint32_t> number = whole_number(words[0]);
                         if (!number || !drop(*number))
                           return fail(Errc::not_found, "no client {}", words[0]);
                         return std::string();
                       }});
}

std::string counts_table(const World& world, std::optional<NodeIndex> node) {
  std::string text = fmt::format("{:<14} {:<12} {:<24} {:>12}\n", "class", "method", "attribute", "MADs");
  std::uint64_t all = 0;
  for (const Counters::Row& row : world.counters().table()) {
    const std::uint64_t count =
        node ? world.counters().total({node, row.mgmt_class, row.method, row.attribute}) : row.count;
    if (count == 0) continue;
    all += count;
    text += fmt::format("{:<14} {:<12} {:<24} {:>12}\n", class_name(row.mgmt_class), mad::name(row.method),
                        attribute_name(row.mgmt_class, row.attribute), count);
  }
  text += fmt::format("{:<14} {:<12} {:<24} {:>12}\n", "all", "", "", all);
  return text;
}

}  // namespace weft::sim
