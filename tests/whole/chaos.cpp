#include "tests/whole/chaos.h"

#include <algorithm>

namespace weft::test {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::uint64_t kBetweenQuiet = 8;
constexpr std::uint64_t kChaosKey = 0x6d0f2b5c91a7e843;
constexpr Duration kLease = seconds(5);  // of the lock, as store.lease
constexpr std::size_t kClients = 6;

/// Links that flap are held, and soon come back.
config::Settings chaos_settings(const ChaosSettings& how) {
  config::Settings settings;
  settings.link_health.flaps = 1;
  settings.link_health.window = minutes(5);
  settings.link_health.hold = seconds(20);
  if (how.counts) settings.link_health.counters = minutes(1);
  settings.link_health.hold_by_counters = true;
  if (how.m_keys != 0) settings.m_key.keys.keys = {kChaosKey};
  settings.m_key.keys.per_device = how.m_keys == 2;
  return settings;
}

}  // namespace

Chaos::Chaos(std::string_view fabric, std::uint64_t seed, ChaosSettings settings)
    : whole_(fabric, seed), random_(seed), settings_(settings) {
  for (std::uint32_t n = 0; n < whole_.world->node_count(); ++n) {
    const auto node = static_cast<sim::NodeIndex>(n);
    (whole_.world->is_switch(node) ? switches_ : hosts_).push_back(node);
  }
  processes_.resize(3);
  const std::array places{hosts_.front(), hosts_.back(), hosts_[hosts_.size() / 2]};
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    Process& process = processes_[i];
    process.node = places[i];
    process.host = id(places[i]);
    process.settings = access_.over(chaos_settings(settings));
    if (settings.shares) process.shared = std::make_unique<MemoryShared>(memory_);
  }
  choose_latecomer();
}

Chaos::~Chaos() {
  for (Process& process : processes_) kill(process);
}

/// A switch without a manager is not there yet. Others need no way through it.
void Chaos::choose_latecomer() {
  for (const sim::NodeIndex node : switches_) {
    bool needed = false;
    for (std::uint8_t p = 1; p <= whole_.world->node(node).port_count; ++p) {
      const sim::PortIndex peer = whole_.world->port(whole_.world->port_of(node, PortNum{p})).peer;
      needed |= peer != sim::kNoPort && is_managers(whole_.world->port(peer).node);
    }
    if (needed || whole_.world->node(node).port_count == 0) continue;
    return hold_back(node);
  }
}

void Chaos::hold_back(sim::NodeIndex late) {
  for (std::uint8_t p = 1; p <= whole_.world->node(late).port_count; ++p) {
    if (whole_.world->port(whole_.world->port_of(late, PortNum{p})).peer == sim::kNoPort) continue;
    whole_.world->cut_link(late, PortNum{p});
    late_.emplace_back(late, PortNum{p});
  }
}

bool Chaos::is_managers(sim::NodeIndex node) const {
  return std::ranges::any_of(processes_, [node](const Process& one) { return one.node == node; });
}

Process* Chaos::master() {
  for (Process& process : processes_)
    if (process.is_master()) return &process;
  return nullptr;
}

ChaosClient* Chaos::client_at(sim::NodeIndex host) {
  for (const auto& client : clients_)
    if (client->host() == host) return client.get();
  return nullptr;
}

std::string Chaos::warm_up() {
  start(processes_[0]);
  if (const auto wrong = settles()) return *wrong;
  lids_ = lids();
  start(processes_[1]);
  run(seconds(10));
  kill(processes_[0]);
  if (const auto wrong = settles()) return *wrong;
  start(processes_[2]);
  if (!settings_.shares) {
    run(seconds(10));
    kill(processes_[1]);
    if (const auto wrong = settles()) return *wrong;
    start(processes_[1]);
  }
  start(processes_[0]);
  for (std::size_t i = 0; i < hosts_.size() && clients_.size() < kClients; ++i)
    if (!is_managers(hosts_[i])) clients_.push_back(std::make_unique<ChaosClient>(whole_, hosts_[i]));
  return settles().value_or("");
}

std::string Chaos::run_events(std::uint64_t count) {
  for (std::uint64_t i = 1; i <= count; ++i) {
    const std::string what = happen();
    ++events_;
    log_ += fmt::format("{:.6f} {}\n", std::chrono::duration<double>(whole_.clock.now()).count(), what);
    wait_for_the_next();
    if (!unjudged_ && !credit_loop().empty()) {
      // Trees of groups are made anew after the tables of unicast: docs/status.md.
      const std::string loop = credit_loop_without_groups();
      if (!loop.empty())
        return fmt::format("event {}: credit loop after {}: {}\n{}", events_, what, loop, log_);
      ++group_loops_;
    }
    if (i % kBetweenQuiet != 0 && i != count) continue;
    if (const std::string wrong = be_quiet(); !wrong.empty())
      return fmt::format("event {}: {}\n{}", events_, wrong, log_);
    log_.clear();
  }
  return "";
}

/// A third in the middle of what the last one has caused; never more than five minutes.
void Chaos::wait_for_the_next() {
  const auto sweeping = [this] {
    return std::ranges::any_of(processes_, [](const Process& one) {
      return one.rival && !one.frozen && one.rival->manager().sweeping();
    });
  };
  switch (one_of(12)) {
    case 0:
    case 1:
    case 2:
      whole_.run_until(sweeping, seconds(2));
      [[fallthrough]];
    case 3:
      run(microseconds(one_of(5000)));
      break;
    case 4:
      run(seconds(one_of(200)));
      break;
    default:
      run(milliseconds(one_of(30'000)));
  }
  in_a_sweep_ += sweeping();
}

/// Everything is mended; then all must be right, stay right, and be silent.
std::string Chaos::be_quiet() {
  heal();
  if (settings_.counts) run(minutes(3));  // what is bad is held, and enabled again
  if (const auto wrong = settles()) return *wrong;
  run(seconds(30));  // what has just come back makes itself known
  if (const std::string text = wrong(); !text.empty()) return "after it was well: " + text;
  if (const std::string text = not_silent(); !text.empty()) return text;
  unjudged_ = false;
  if (settings_.shares) lids_ = lids();
  return "";
}

void Chaos::start(Process& process) {
  if (process.rival) return;
  process.rival =
      std::make_unique<Rival>(whole_, process.host, process.settings, process.disk, process.shared.get());
  if (process.shared) process.shared->follow(process.rival->store);
  process.frozen = false;
}

/// As by kill -9: the lock stays until its lease ends.
void Chaos::kill(Process& process) {
  if (!process.rival) return;
  process.disk = process.rival->store.ledger;
  const bool had_lock = process.shared && process.shared->owns();
  process.rival.reset();
  process.frozen = false;
  if (!had_lock) return;
  memory_.owner = &process;
  whole_.clock.after(kLease, [this, &process] {
    if (memory_.owner == &process) memory_.owner = nullptr;
  });
}

void Chaos::freeze(Process& process) {
  process.rival->freeze();
  process.frozen = true;
  ++process.freezes;
  process.had_lock = process.shared && process.shared->owns();
  if (!process.had_lock) return;
  whole_.clock.after(kLease, [&process, number = process.freezes] {
    if (process.frozen && process.freezes == number) process.shared->expire();
  });
}

void Chaos::thaw(Process& process) {
  if (!process.rival || !process.frozen) return;
  process.frozen = false;
  process.rival->thaw();
  if (process.shared) process.shared->wake(process.had_lock);
  reconfigure(process);  // what it was to reload meanwhile
}

void Chaos::reconfigure(Process& process) {
  if (process.rival && !process.frozen)
    process.rival->manager().reconfigure(std::make_shared<const config::Settings>(process.settings));
}

/// Everything that is broken is mended, and all managers run.
void Chaos::heal() {
  sim::World& world = *whole_.world;
  for (const auto& [node, port] : cut_) world.mend_link(node, port);
  cut_.clear();
  for (const sim::NodeIndex node : switches_) {
    world.set_mute(node, sim::Mute::none);
    if (!world.node(node).powered) world.power_on(node);
  }
  end_loss();
  for (Process& process : processes_) {
    process.settings = access_.over(process.settings);
    thaw(process);
    start(process);
    if (!reloads_) reconfigure(process);
  }
  reloads_ = true;
  enable_ports();
  undrain();
  log_ += fmt::format("{:.6f} heal\n", std::chrono::duration<double>(whole_.clock.now()).count());
}

/// Drains are taken back; holds end by themselves.
void Chaos::undrain() {
  for (Process& process : processes_) {
    if (!process.is_master()) continue;
    for (const daemon::UpkeepRow& row : process.rival->manager().upkeep_rows()) {
      if (row.order.kind != plan::Order::Kind::drained) continue;
      std::string place = to_string(row.place.node);
      if (raw(row.place.port) != 0) place += fmt::format("/{}", raw(row.place.port));
      (void)process.rival->manager().ask_upkeep({daemon::UpkeepVerb::undrain, place, {}, false, ""});
    }
  }
}

/// What one manager holds the others do not know of: somebody has to enable it.
void Chaos::enable_ports() {
  for (const sim::NodeIndex node : switches_)
    for (std::uint8_t p = 1; p <= whole_.world->node(node).port_count; ++p) {
      const sim::PortIndex port = whole_.world->port_of(node, PortNum{p});
      if (whole_.world->port(port).info.phys != PhysState::disabled) continue;
      whole_.world->restart_link(port, PhysState::polling);
      ++held_;
    }
}

/// Nothing when all is right within six minutes; else what is not.
std::optional<std::string> Chaos::settles() {
  constexpr int kPolls = 6 * 60 * 4;
  std::string what;
  for (int i = 0; i < kPolls; ++i) {
    what = wrong();
    if (what.empty()) return std::nullopt;
    run(milliseconds(250));
    if (i != kPolls / 3) continue;
    enable_ports();  // held by one that has handed over since
    undrain();
  }
  return what;
}

double Chaos::virtual_days() const {
  return std::chrono::duration<double>(whole_.clock.now()).count() / 86'400;
}

std::string Chaos::summary() const {
  ChaosClient::Toll all;
  for (const auto& client : clients_) {
    all.confirmed += client->toll().confirmed;
    all.refused += client->toll().refused;
    all.asked_again += client->toll().asked_again;
    all.registered += client->toll().registered;
  }
  return fmt::format(
      "{} events ({} left a sweep at work), {:.2f} virtual days, {} ports held, {} orders; clients: {} "
      "confirmed, {} refused, {} repeated, {} times told to register again; {} loops with old trees{}{}{}",
      events_, in_a_sweep_, virtual_days(), held_, ordered_, all.confirmed, all.refused, all.asked_again,
      all.registered, group_loops_, settings_.shares ? "; shared state" : "",
      settings_.m_keys == 0   ? ""
      : settings_.m_keys == 1 ? "; one M_Key"
                              : "; M_Keys by device",
      settings_.counts ? "; counters" : "");
}

}  // namespace weft::test
