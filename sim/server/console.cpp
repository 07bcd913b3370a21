#include "sim/server/console.h"

#include <algorithm>
#include <charconv>

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
  return "other";
}

std::optional<double> fraction(std::string_view text) {
  double value = 0;
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (percent) value /= 100;
  return value >= 0 && value <= 1 ? std::optional(value) : std::nullopt;
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

/// A command about one node, or about one port.
Console::Command on_node(std::string help, Network& network, void (*act)(World&, NodeIndex)) {
  return {"NODE", std::move(help), 1, 1, [&network, act](const Words& words) -> Text {
            const Result<NodeIndex> node = node_called(network.world(), words[0]);
            if (!node) return fail(node.error());
            act(network.world(), *node);
            return std::string();
          }};
}

Console::Command on_link(std::string help, Network& network, void (*act)(World&, NodeIndex, PortNum)) {
  return {"NODE[PORT]", std::move(help), 1, 1, [&network, act](const Words& words) -> Text {
            World& world = network.world();
            const Result<PortIndex> port = port_called(world, words[0]);
            if (!port) return fail(port.error());
            if (world.port(*port).peer == kNoPort)
              return fail(Errc::not_found, "{} has no cable", world.name(*port));
            act(world, world.port(*port).node, world.port(*port).number);
            return std::string();
          }};
}

Text set_loss(Network& network, const Words& words) {
  const std::optional<double> loss = fraction(words[1]);
  if (!loss) return fail(Errc::malformed, "{} is no share from 0 to 1 or percentage", words[1]);
  if (words[0] == "exchange")
    network.settings().exchange_loss = *loss;
  else if (words[0] == "link")
    network.settings().link_loss = *loss;
  else
    return fail(Errc::invalid, "loss of what? exchange or link, not {}", words[0]);
  return std::string();
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
  bool quoted = false;
  bool inside = false;
  for (const char letter : line) {
    if (letter == '"') {
      quoted = !quoted;
      if (!inside) words.emplace_back();
      inside = true;
    } else if (!quoted && (letter == ' ' || letter == '\t' || letter == '\r' || letter == '\n')) {
      inside = false;
    } else {
      if (!inside) words.emplace_back();
      inside = true;
      words.back() += letter;
    }
  }
  if (quoted) return fail(Errc::malformed, "a quote does not end");
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

Result<PortIndex> port_called(const World& world, std::string_view text) {
  const std::size_t cut = text.find_last_of(text.ends_with(']') ? '[' : '/');
  if (cut == std::string_view::npos) return fail(Errc::malformed, "{} names no port; NODE[PORT] does", text);
  std::string_view digits = text.substr(cut + 1);
  if (digits.ends_with(']')) digits.remove_suffix(1);
  const Result<NodeIndex> node = node_called(world, text.substr(0, cut));
  if (!node) return fail(node.error());
  const std::optional<std::uint32_t> number = whole_number(digits);
  const PortIndex port =
      number && *number <= 0xff ? world.port_of(*node, static_cast<PortNum>(*number)) : kNoPort;
  if (port == kNoPort) return fail(Errc::not_found, "no port {}", text);
  return port;
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
  console.add("cut", on_link("both ends go Down", network,
                             [](World& w, NodeIndex node, PortNum port) { w.cut_link(node, port); }));
  console.add("mend", on_link("a cut cable is whole again", network,
                              [](World& w, NodeIndex node, PortNum port) { w.mend_link(node, port); }));
  console.add("mute", on_node("its agent answers nothing", network,
                              [](World& w, NodeIndex node) { w.set_mute(node, Mute::agent); }));
  console.add("mute-all", on_node("nor does it pass directed routes on", network,
                                  [](World& w, NodeIndex node) { w.set_mute(node, Mute::smi); }));
  console.add("unmute", on_node("it answers again", network,
                                [](World& w, NodeIndex node) { w.set_mute(node, Mute::none); }));
  console.add("reboot", on_node("off and on again, as a blank device", network,
                                [](World& w, NodeIndex node) { w.reboot(node); }));
  console.add("power-off", on_node("every link down, no answer", network,
                                   [](World& w, NodeIndex node) { w.power_off(node); }));
  console.add("power-on", on_node("on again, as a blank device", network,
                                  [](World& w, NodeIndex node) { w.power_on(node); }));
  console.add("set-loss", {"exchange|link SHARE", "of requests or answers; of any packet at each link", 2, 2,
                           [&network](const Words& words) { return set_loss(network, words); }});
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
                        mad::name(row.attribute), count);
  }
  text += fmt::format("{:<14} {:<12} {:<24} {:>12}\n", "all", "", "", all);
  return text;
}

}  // namespace weft::sim
