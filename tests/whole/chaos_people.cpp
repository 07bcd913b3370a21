// What people do: with managers and their processes, with links by order, with the configuration, and what
// clients on hosts ask for.

#include "config/read.h"
#include "tests/whole/chaos.h"

namespace weft::test {
namespace {

using std::chrono::seconds;

constexpr const char* kNothingDone = "nothing";

}  // namespace

// Managers.

std::string Chaos::kill_one() {
  Process& process = any_process();
  if (!process.rival) return kNothingDone;
  kill(process);
  return process.host;
}

std::string Chaos::start_one() {
  Process& process = any_process();
  if (process.rival) return kNothingDone;
  start(process);
  return process.host;
}

std::string Chaos::freeze_one() {
  Process& process = any_process();
  if (!process.rival || process.frozen) return kNothingDone;
  freeze(process);
  return process.host;
}

std::string Chaos::thaw_one() {
  Process& process = any_process();
  if (!process.frozen) return kNothingDone;
  thaw(process);
  return process.host;
}

std::string Chaos::prioritize() {
  Process& process = any_process();
  process.settings.manager.priority = static_cast<std::uint8_t>(one_of(16));
  reconfigure(process);
  return fmt::format("{} of {}", process.settings.manager.priority, process.host);
}

std::string Chaos::drain() { return order("drain", daemon::UpkeepVerb::drain); }
std::string Chaos::hold() { return order("hold", daemon::UpkeepVerb::hold); }

/// A person orders something of a link or a switch, where that cuts nobody off.
std::string Chaos::order(std::string_view verb, daemon::UpkeepVerb what) {
  const sim::NodeIndex node = any(switches_);
  const bool whole_switch = what == daemon::UpkeepVerb::drain && one_in(2);
  std::string place = to_string(whole_.world->node(node).guid);
  if (!whole_switch) place += fmt::format("/{}", 1 + one_of(whole_.world->node(node).port_count));
  Process* process = master();
  if (process == nullptr || process->frozen) return kNothingDone;
  const auto taken = process->rival->manager().ask_upkeep({what, place, seconds(20), false, "chaos"});
  ordered_ += taken ? 1 : 0;
  return fmt::format("{} {} ({}): {}", verb, place, id(node), taken ? "ok" : taken.error().what);
}

// Configuration.

/// Other partitions and levels, for all managers at once; those that stand still read them later.
std::string Chaos::reload() {
  access_ = Access(*whole_.world, hosts_, random_);
  for (Process& process : processes_) {
    process.settings = access_.over(process.settings);
    reconfigure(process);
  }
  for (const auto& client : clients_)
    for (int part = 0; part < Access::kParts; ++part)
      if (!access_.is_full_member(*whole_.world, client->host(), part))
        client->lost_partition(Access::full_key(part));
  return access_.has_levels() ? "partitions and levels" : "partitions";
}

/// What cannot be read changes nothing, and a policy without room leaves the last one in force. That a
/// manager keeps for itself unless it shares its state.
std::string Chaos::reload_badly() {
  if (config::read_text(access_.yaml() + "partition: {}\n", "chaos.yaml")) return "A BAD FILE WAS TAKEN";
  if (!settings_.shares) return "a file that cannot be read";
  reloads_ = false;
  for (Process& process : processes_) {
    process.settings = access_.overflowing(process.settings);
    reconfigure(process);
  }
  return "partitions without room";
}

// Clients.

ChaosClient::Thing Chaos::any_thing(const ChaosClient& client) {
  using Asked = ChaosClient::Kind;
  constexpr std::array kTraps{64u, 65u, 66u, 67u, 128u};
  switch (one_of(5)) {
    case 0:
      return {Asked::service, static_cast<std::uint32_t>(one_of(3))};
    case 1:
      return {Asked::subscription, kTraps[one_of(kTraps.size())]};
    default: {
      ChaosClient::Thing thing{Asked::group, static_cast<std::uint32_t>(one_of(3))};
      const auto part = static_cast<int>(one_of(Access::kParts));
      if (one_in(2) && access_.is_full_member(*whole_.world, client.host(), part))
        thing.pkey = Access::full_key(part);
      return thing;
    }
  }
}

std::string Chaos::join() {
  ChaosClient& client = *clients_[one_of(clients_.size())];
  const ChaosClient::Thing thing = any_thing(client);
  if (client.wants(thing)) return kNothingDone;
  client.want(thing);
  return fmt::format("{}: kind {} number {} pkey {:#x}", id(client.host()), static_cast<int>(thing.kind),
                     thing.number, raw(thing.pkey));
}

std::string Chaos::leave() {
  ChaosClient& client = *clients_[one_of(clients_.size())];
  if (client.confirmed().empty()) return kNothingDone;
  auto at = client.confirmed().begin();
  std::advance(at, static_cast<std::ptrdiff_t>(one_of(client.confirmed().size())));
  const ChaosClient::Thing thing = *at;
  client.give_up(thing);
  return fmt::format("{}: kind {} number {} pkey {:#x}", id(client.host()), static_cast<int>(thing.kind),
                     thing.number, raw(thing.pkey));
}

}  // namespace weft::test
