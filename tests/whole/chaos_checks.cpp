// What must hold after every quiet period.

#include <algorithm>

#include <fmt/ranges.h>

#include "mad/m_keys.h"
#include "program/lane_rows.h"
#include "sim/lanes.h"
#include "sim/partition.h"
#include "sim/probe.h"
#include "tests/whole/chaos.h"

namespace weft::test {

std::string Chaos::wrong() const {
  if (std::string text = wrong_mastership(); !text.empty()) return text;
  const Process& process = *master();
  if (std::string text = still_held(process); !text.empty()) return text;
  const auto& sweeps = process.rival->manager().sweeps();
  if (sweeps.empty() || !sweeps.back().clean) return "the master's last sweep was not clean";
  if (std::string faults = whole_.faults(); !faults.empty()) {
    const daemon::SweepReport& last = sweeps.back();
    return fmt::format("{}; last sweep {} ({}): {}", faults, daemon::name(last.kind), last.cause,
                       fmt::join(last.notes, "; "));
  }
  if (std::string text = wrong_lids(); !text.empty()) return text;
  if (std::string text = wrong_m_keys(); !text.empty()) return text;
  if (std::string text = wrong_keys(process); !text.empty()) return text;
  if (std::string text = wrong_lanes(*process.rival->manager().view()); !text.empty()) return text;
  if (std::string text = credit_loop(); !text.empty()) return text;
  if (std::string text = lost_registration(process); !text.empty()) return text;
  return wrong_members(process);
}

std::string Chaos::wrong_mastership() const {
  if (std::ranges::count_if(processes_, [](const Process& one) { return one.is_master(); }) == 1) return "";
  std::string text = "not one master:";
  for (const Process& process : processes_) text += fmt::format(" {} is {};", process.host, state(process));
  return text;
}

/// A link that is held comes back by itself, and changes the fabric once more.
std::string Chaos::still_held(const Process& process) const {
  for (const daemon::UpkeepRow& row : process.rival->manager().upkeep_rows())
    if (row.order.kind == plan::Order::Kind::held && whole_.world->find(row.place.node))
      return row.where + " is still held";
  return "";
}

std::string Chaos::state(const Process& process) {
  if (!process.rival) return "not running";
  const daemon::Status status = process.rival->status();
  return fmt::format("{}: {} (now: {}, sweeps: {}, last: {}; missing: {})", name(status.state), status.text,
                     status.progress ? status.progress->phase : "idle",
                     process.rival->manager().sweeps().size(),
                     status.last_sweep ? status.last_sweep->cause + ": " + status.last_sweep->error : "none",
                     fmt::join(status.missing, "; "));
}

/// Of end ports whose cable is whole, by port GUID.
std::map<Guid, Lid> Chaos::lids() const {
  std::map<Guid, Lid> all;
  const auto add = [&](sim::PortIndex port) {
    all[whole_.world->port(port).guid] = whole_.world->port(port).info.lid;
  };
  for (const sim::NodeIndex node : switches_)
    if (late_.empty() || late_.front().first != node) add(whole_.world->port_of(node, PortNum{0}));
  for (const sim::NodeIndex node : hosts_)
    if (whole_.world->link_active(first_port(node))) add(first_port(node));
  return all;
}

/// None has moved, and no two ports have one.
std::string Chaos::wrong_lids() const {
  std::map<Lid, Guid> owners;
  for (const auto& [guid, lid] : lids()) {
    const auto was = lids_.find(guid);
    if (was != lids_.end() && was->second != lid)
      return fmt::format("LID of {} is {}, and was {}", to_string(guid), raw(lid), raw(was->second));
    if (const auto [other, is_new] = owners.emplace(lid, guid); !is_new)
      return fmt::format("{} and {} both have LID {}", to_string(guid), to_string(other->second), raw(lid));
  }
  return "";
}

std::string Chaos::wrong_m_keys() const {
  if (settings_.m_keys == 0) return "";
  const std::uint64_t key = processes_.front().settings.m_key.keys.keys.front();
  for (const auto* nodes : {&hosts_, &switches_})
    for (const sim::NodeIndex node : *nodes) {
      const sim::PortIndex port = whole_.world->end_ports(node).front();
      const bool here = whole_.world->is_switch(node) ? late_.empty() || late_.front().first != node
                                                      : whole_.world->link_active(port);
      const std::uint64_t wanted =
          settings_.m_keys == 1 ? key : mad::device_m_key(key, whole_.world->node(node).guid);
      if (here && whole_.world->port(port).info.m_key != wanted)
        return fmt::format("{} has not the M_Key that it should have", id(node));
    }
  return "";
}

/// What every host holds is what the policy's lines mean, and the switch before it checks the same.
std::string Chaos::wrong_keys(const Process& process) const {
  const sim::World& world = *whole_.world;
  for (const sim::NodeIndex host : hosts_) {
    const sim::PortIndex port = first_port(host);
    if (!world.link_active(port)) continue;
    std::set<Pkey> held;
    for (std::uint16_t i = 0; i < world.pkey_capacity(port); ++i)
      if (const Pkey key = sim::pkey_at(world, port, i); key != Pkey{0}) held.insert(key);
    const std::set<Pkey> wanted = access_.keys_of(world, host);
    if (held != wanted) {
      const auto text = [](const std::set<Pkey>& keys) {
        std::string all;
        for (const Pkey key : keys) all += fmt::format(" {:#x}", raw(key));
        return all;
      };
      const plan::View& view = *process.rival->manager().view();
      const auto known = view.fabric->find_port(world.port(port).guid);
      std::set<Pkey> planned;
      if (known)
        for (const Pkey key :
             view.plan->partitions.tables.of(view.fabric->node(known->node).first_port + raw(known->port)))
          if (key != Pkey{0}) planned.insert(key);
      return fmt::format("{} ({}) holds the keys{}, and should hold{} (the master is {}, and plans{} for {})",
                         id(host), to_string(world.port(port).guid), text(held), text(wanted), process.host,
                         text(planned),
                         known ? view.fabric->node(known->node).description : "nobody it knows");
    }
    for (int part = 0; part < Access::kParts; ++part) {
      const Pkey full = Access::full_key(part);
      const auto limited = static_cast<Pkey>(raw(full) & 0x7fff);
      const bool member = wanted.contains(full) || wanted.contains(limited);
      for (const sim::Direction direction : {sim::Direction::in, sim::Direction::out})
        if (sim::partition_admits(world, world.port(port).peer, full, direction) != member)
          return fmt::format("{} {} packets of {:#x} {} {}", world.name(world.port(port).peer),
                             member ? "stops" : "lets pass", raw(full),
                             direction == sim::Direction::in ? "from" : "to", id(host));
    }
  }
  return "";
}

/// SL2VL tables are those of the plan.
std::string Chaos::wrong_lanes(const plan::View& view) const {
  if (!program::has_lanes(*view.plan)) return "";
  const sim::World& world = *whole_.world;
  for (std::size_t s = 0; s < view.fabric->switch_count(); ++s) {
    const auto sw = static_cast<SwitchId>(s);
    const fabric::Node& planned = view.fabric->node(view.fabric->node_of(sw));
    const auto node = world.find(planned.guid);
    if (!node) return "a switch of the plan is not there";
    for (std::uint8_t in = 0; in <= planned.port_count; ++in)
      for (std::uint8_t out = 1; out <= planned.port_count; ++out) {
        if (in == out || !world.link_active(world.port_of(*node, PortNum{out}))) continue;
        if (in != 0 && !world.link_active(world.port_of(*node, PortNum{in}))) continue;
        if (view.plan->turns && !view.plan->turns->used(sw, in, out)) continue;
        const auto row = program::lane_row(*view.fabric, *view.plan, sw, PortNum{in}, PortNum{out});
        for (std::uint8_t sl = 0; sl < 15; ++sl)
          if (const Vl vl = sim::lane_out(world, *node, PortNum{in}, PortNum{out}, Sl{sl}); vl != row[sl])
            return fmt::format("{} from port {} to {}: SL {} goes on VL {}, planned is {}", id(*node), in,
                               out, sl, raw(vl), raw(row[sl]));
      }
  }
  return "";
}

std::string Chaos::credit_loop() const {
  const std::vector<Sl> levels{Sl{0}, Access::kOwnLevel};
  return sim::credit_loop(*whole_.world, levels).value_or("");
}

/// The same as long as groups have no tables.
std::string Chaos::credit_loop_without_groups() {
  constexpr mad::AttrId kTable = mad::AttrId::multicast_forwarding;
  std::map<sim::NodeIndex, mad::DeviceBlocks> kept;
  for (const sim::NodeIndex node : switches_) {
    kept[node] = whole_.world->blocks(node);
    whole_.world->blocks(node).erase(kTable);
  }
  std::string loop = credit_loop();
  for (const auto& [node, blocks] : kept) whole_.world->blocks(node) = blocks;
  return loop;
}

std::string Chaos::lost_registration(const Process& process) const {
  const plan::SaState& state = process.rival->manager().sa().state();
  for (const auto& client : clients_) {
    if (!whole_.world->link_active(client->port())) continue;
    if (!client->idle()) return id(client->host()) + " has not been answered";
    if (std::string text = client->lost(state); !text.empty()) return text + ": " + process.host;
  }
  return "";
}

/// A packet to a group from each member reaches all others, once, and nobody else.
std::string Chaos::wrong_members(const Process& process) const {
  const daemon::Manager& manager = process.rival->manager();
  if (!manager.multicast().settled()) return "multicast tables are still to be written";
  sim::World& world = *whole_.world;
  std::string wrong;
  manager.sa().state().groups.each([&](const plan::McGroup& group) {
    std::set<sim::PortIndex> members;
    group.members.each([&](Guid guid, const plan::McMember& member) {
      const auto node = world.find(guid);
      if (node && (member.join_state & mad::join::kFull) != 0 && world.link_active(first_port(*node)))
        members.insert(first_port(*node));
    });
    for (const sim::PortIndex from : members) {
      if (!sim::partition_admits(world, from, group.pkey, sim::Direction::out)) continue;  // a limited one
      const sim::Probed probed =
          sim::send_probe(world, {.from = from, .to = group.mlid, .pkey = group.pkey, .sl = group.sl});
      std::set<sim::PortIndex> others = members;
      others.erase(from);
      const std::set<sim::PortIndex> heard(probed.arrived.begin(), probed.arrived.end());
      if (members.size() > 1 && probed.drop != sim::Drop::none)
        wrong = fmt::format("group {:#x}: {}", raw(group.mlid), sim::describe(world, probed));
      else if (heard.size() != probed.arrived.size())
        wrong = fmt::format("group {:#x} from {}: somebody hears twice", raw(group.mlid), world.name(from));
      else if (heard != others)
        wrong = fmt::format("group {:#x} from {}: {} of {} members hear, {} ports in all", raw(group.mlid),
                            world.name(from),
                            std::ranges::count_if(others, [&](auto one) { return heard.contains(one); }),
                            others.size(), heard.size());
    }
  });
  return wrong;
}

std::uint64_t Chaos::asked_of_devices(mad::Method method) const {
  const sim::Counters& counters = whole_.world->counters();
  return counters.total({.mgmt_class = mad::MgmtClass::subn_lid_routed, .method = method}) +
         counters.total({.mgmt_class = mad::MgmtClass::subn_directed, .method = method});
}

/// In a minute: no Set, and no more questions than light sweeps, standbys and the audit ask.
std::string Chaos::not_silent() {
  constexpr std::uint64_t kLightSweeps = 7;
  constexpr std::uint64_t kBySweep = 12;  // beside one a switch: our own port, its peer, other managers
  constexpr std::uint64_t kPolls = 2 * 31 * 2;
  constexpr std::uint64_t kAudited = 400;
  const std::uint64_t sets = asked_of_devices(mad::Method::set);
  const std::uint64_t gets = asked_of_devices(mad::Method::get);
  const Process* before = master();
  const std::size_t sweeps = before->rival->manager().sweeps().back().number;
  run(std::chrono::seconds(60));
  const std::uint64_t more_sets = asked_of_devices(mad::Method::set) - sets;
  const std::uint64_t more_gets = asked_of_devices(mad::Method::get) - gets;
  std::string causes;
  for (const daemon::SweepReport& report : before->rival->manager().sweeps())
    if (report.number > sweeps && report.kind != daemon::SweepKind::light)
      causes += fmt::format(" {} ({});", daemon::name(report.kind), report.cause);
  if (more_sets != 0) return fmt::format("{} Sets though nothing happens; sweeps:{}", more_sets, causes);
  if (more_gets > kLightSweeps * (switches_.size() + kBySweep) + kPolls + kAudited)
    return fmt::format("{} Gets though nothing happens; sweeps:{}", more_gets, causes);
  if (!causes.empty()) return "sweeps though nothing happens:" + causes;
  return "";
}

}  // namespace weft::test
