// What happens to links and nodes: one kind of event a function; each tells in a few words what it has done.

#include <algorithm>

#include "sim/link_training.h"
#include "tests/whole/chaos.h"

namespace weft::test {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr const char* kNothing = "nothing";
constexpr std::size_t kMostDegraded = 3;

}  // namespace

const std::vector<Chaos::Kind>& Chaos::kinds() {
  static const std::vector<Kind> all{
      {"cut", 4, &Chaos::cut},
      {"mend", 2, &Chaos::mend},
      {"cut and mend", 1, &Chaos::cut_and_mend},
      {"split", 1, &Chaos::split},
      {"reboot switch", 2, &Chaos::reboot_switch},
      {"reboot host", 2, &Chaos::reboot_host},
      {"power off", 2, &Chaos::power_off},
      {"rename", 2, &Chaos::rename},
      {"swap", 2, &Chaos::swap},
      {"exchange HCA", 1, &Chaos::exchange_hca},
      {"exchange switch", 1, &Chaos::exchange_switch},
      {"late switch", 1, &Chaos::late_switch},
      {"mute", 2, &Chaos::mute},
      {"kill", 2, &Chaos::kill_one},
      {"start", 2, &Chaos::start_one},
      {"freeze", 2, &Chaos::freeze_one},
      {"thaw", 2, &Chaos::thaw_one},
      {"priority", 2, &Chaos::prioritize},
      {"drain", 2, &Chaos::drain},
      {"hold", 2, &Chaos::hold},
      {"loss", 2, &Chaos::lose_packets},
      {"slow link", 2, &Chaos::slow_link},
      {"slow agent", 2, &Chaos::slow_agent},
      {"end of loss", 1, &Chaos::end_loss},
      {"degrade", 1, &Chaos::degrade},
      {"errors", 1, &Chaos::count_errors},
      {"reload", 2, &Chaos::reload},
      {"bad reload", 1, &Chaos::reload_badly},
      {"join", 6, &Chaos::join},
      {"leave", 2, &Chaos::leave},
  };
  return all;
}

std::string Chaos::happen() {
  int all = 0;
  for (const Kind& kind : kinds()) all += kind.weight;
  auto at = static_cast<int>(one_of(static_cast<std::uint64_t>(all)));
  for (const Kind& kind : kinds()) {
    at -= kind.weight;
    if (at >= 0) continue;
    const std::string what = (this->*kind.happen)();
    if (what != kNothing) ++happened_[kind.what];
    return fmt::format("{}: {}", kind.what, what);
  }
  return kNothing;
}

// Links.

void Chaos::disconnect(sim::NodeIndex node, PortNum port) {
  const sim::Port& end = whole_.world->port(whole_.world->port_of(node, port));
  if (end.peer == sim::kNoPort || end.cut) return;
  whole_.world->cut_link(node, port);
  cut_.emplace_back(node, port);
}

std::string Chaos::cut() {
  const sim::NodeIndex node = any(switches_);
  const PortNum port{static_cast<std::uint8_t>(1 + one_of(whole_.world->node(node).port_count))};
  disconnect(node, port);
  return fmt::format("{} port {}", id(node), raw(port));
}

std::string Chaos::mend() {
  if (cut_.empty()) return kNothing;
  whole_.world->mend_link(cut_.back().first, cut_.back().second);
  cut_.pop_back();
  return "the last cut";
}

std::string Chaos::cut_and_mend() {
  const std::string what = cut();
  run(microseconds(one_of(20'000)));
  mend();
  return what;
}

/// From some switch on, half of them.
std::vector<sim::NodeIndex> Chaos::half_of_the_switches() {
  std::vector<sim::NodeIndex> half{any(switches_)};
  for (std::size_t next = 0; next < half.size(); ++next)
    for (std::uint8_t p = 1; p <= whole_.world->node(half[next]).port_count; ++p) {
      const sim::Port& port = whole_.world->port(whole_.world->port_of(half[next], PortNum{p}));
      if (port.peer == sim::kNoPort || half.size() >= switches_.size() / 2) continue;
      const sim::NodeIndex peer = whole_.world->port(port.peer).node;
      if (whole_.world->is_switch(peer) && std::ranges::find(half, peer) == half.end()) half.push_back(peer);
    }
  return half;
}

/// Both parts live on; new hosts in both get LIDs that clash when the parts meet.
std::string Chaos::split() {
  const std::vector<sim::NodeIndex> half = half_of_the_switches();
  const auto is_in_half = [&half](sim::NodeIndex node) {
    return std::ranges::find(half, node) != half.end();
  };
  std::vector<sim::NodeIndex> here;
  std::vector<sim::NodeIndex> there;
  for (const sim::NodeIndex node : switches_)
    for (std::uint8_t p = 1; p <= whole_.world->node(node).port_count; ++p) {
      const sim::Port& port = whole_.world->port(whole_.world->port_of(node, PortNum{p}));
      if (port.peer == sim::kNoPort) continue;
      const sim::NodeIndex peer = whole_.world->port(port.peer).node;
      if (!whole_.world->is_switch(peer))
        (is_in_half(node) ? here : there).push_back(peer);
      else if (is_in_half(node) != is_in_half(peer))
        disconnect(node, PortNum{p});
    }
  std::string what = fmt::format("{} of {} switches from {} on", half.size(), switches_.size(), id(half[0]));
  if (one_in(2)) return what;
  for (const auto* part : {&here, &there}) {
    if (part->empty()) continue;
    const sim::NodeIndex host = any(*part);
    if (is_managers(host)) continue;
    exchange(host);
    what += ", another HCA in " + id(host);
  }
  return what;
}

std::string Chaos::lose_packets() {
  sim::NetworkSettings& network = whole_.network->settings();
  network.link_loss = static_cast<double>(one_of(80)) / 1000;
  network.exchange_loss = static_cast<double>(one_of(50)) / 1000;
  network.duplicates = static_cast<double>(one_of(100)) / 1000;
  network.reordered = static_cast<double>(one_of(300)) / 1000;
  network.reorder_by = microseconds(1 + one_of(20'000));
  return fmt::format("{:.3f} a link, {:.3f} twice, {:.3f} late", network.link_loss, network.duplicates,
                     network.reordered);
}

std::string Chaos::slow_link() {
  const sim::NodeIndex node = any(switches_);
  const PortNum number{static_cast<std::uint8_t>(1 + one_of(whole_.world->node(node).port_count))};
  const sim::PortIndex port = whole_.world->port_of(node, number);
  if (whole_.world->port(port).peer == sim::kNoPort) return kNothing;
  const sim::LinkCondition condition{.delay = microseconds(one_of(50'000)),
                                     .loss = static_cast<double>(one_of(50)) / 100};
  whole_.network->conditions().set_link(*whole_.world, port, condition);
  // Either end keeps it, wherever the cable goes before it is ended.
  slow_links_.insert(slow_links_.end(), {port, whole_.world->port(port).peer});
  return fmt::format("{} loses {:.2f}", whole_.world->name(port), condition.loss);
}

std::string Chaos::slow_agent() {
  const sim::NodeIndex node = one_in(3) ? any(hosts_) : any(switches_);
  const sim::AgentCondition condition{.delay = milliseconds(one_of(400)),
                                      .request_loss = static_cast<double>(one_of(50)) / 100,
                                      .answer_loss = static_cast<double>(one_of(50)) / 100};
  whole_.network->conditions().set_agent(node, condition);
  slow_agents_.push_back(node);
  return fmt::format("{} by {} ms, loses {:.2f} and {:.2f}", id(node),
                     std::chrono::duration_cast<milliseconds>(condition.delay).count(),
                     condition.request_loss, condition.answer_loss);
}

std::string Chaos::end_loss() {
  sim::NetworkSettings& network = whole_.network->settings();
  network.link_loss = network.exchange_loss = network.duplicates = network.reordered = 0;
  for (const sim::PortIndex port : slow_links_)
    whole_.network->conditions().set_link(*whole_.world, port, {});
  for (const sim::NodeIndex node : slow_agents_) whole_.network->conditions().set_agent(node, {});
  slow_links_.clear();
  slow_agents_.clear();
  return "everywhere";
}

/// A cable that carries one lane only; the oldest of too many is exchanged for a good one.
std::string Chaos::degrade() {
  sim::World& world = *whole_.world;
  const auto retrain = [&world](sim::PortIndex port) {
    if (world.port(port).cut) return;
    world.cut_link(world.port(port).node, world.port(port).number);
    world.mend_link(world.port(port).node, world.port(port).number);
  };
  if (degraded_.size() == kMostDegraded) {
    const auto [port, was] = degraded_.front();
    degraded_.erase(degraded_.begin());
    world.port(port).info.width_supported = was.width_supported;
    world.port(port).info.width_enabled = was.width_enabled;
    retrain(port);
    return world.name(port) + " has a good cable again";
  }
  const sim::NodeIndex node = any(switches_);
  const PortNum number{static_cast<std::uint8_t>(1 + one_of(world.node(node).port_count))};
  const sim::PortIndex port = world.port_of(node, number);
  const auto is_it = [port](const auto& one) { return one.first == port; };
  if (world.port(port).peer == sim::kNoPort || std::ranges::any_of(degraded_, is_it)) return kNothing;
  degraded_.emplace_back(port, world.port(port).info);
  world.port(port).info.width_supported = world.port(port).info.width_enabled = 1;
  retrain(port);
  return world.name(port) + " is 1x";
}

std::string Chaos::count_errors() {
  const sim::NodeIndex node = any(switches_);
  const PortNum number{static_cast<std::uint8_t>(1 + one_of(whole_.world->node(node).port_count))};
  const sim::PortIndex port = whole_.world->port_of(node, number);
  whole_.world->perf().add(port, sim::PerfCounter::symbol_errors, 200);
  return whole_.world->name(port);
}

// Nodes.

std::string Chaos::reboot_switch() {
  const sim::NodeIndex node = any(switches_);
  whole_.world->reboot(node, milliseconds(one_of(3000)));
  return id(node);
}

std::string Chaos::reboot_host() {
  const sim::NodeIndex node = any(hosts_);
  whole_.world->reboot(node, milliseconds(one_of(3000)));
  if (ChaosClient* client = client_at(node)) client->boot();
  return id(node);
}

std::string Chaos::power_off() {
  const sim::NodeIndex node = any(switches_);
  whole_.world->power_off(node);
  return id(node);
}

/// Members by name may lose their keys, or have them back; that takes a full sweep.
std::string Chaos::rename() {
  const sim::NodeIndex node = any(hosts_);
  const bool keeps = !one_in(4);
  whole_.world->rename(node, fmt::format("{} renamed {}", keeps ? id(node) : "somebody", one_of(100)));
  reloads_ = false;
  if (ChaosClient* client = client_at(node))
    for (int part = 0; part < Access::kParts; ++part)
      if (!access_.is_full_member(*whole_.world, node, part)) client->lost_partition(Access::full_key(part));
  return id(node) + (keeps ? "" : " to another name");
}

std::string Chaos::swap() {
  const sim::NodeIndex a = any(hosts_);
  const sim::NodeIndex b = any(hosts_);
  if (a == b) return kNothing;
  // What a manager sends while its own cable moves goes astray; by the next quiet that is mended.
  unjudged_ |= is_managers(a) || is_managers(b);
  whole_.world->swap_places(a, b);
  return fmt::format("{} and {}", id(a), id(b));
}

/// Another device in the old place, with a GUID that nobody has seen.
void Chaos::exchange(sim::NodeIndex node) {
  whole_.world->reboot(node, milliseconds(one_of(3000)));
  next_guid_ += 0x10;
  whole_.world->set_guid(node, static_cast<Guid>(next_guid_));
  if (ChaosClient* client = client_at(node)) client->boot();
}

std::string Chaos::exchange_hca() {
  const sim::NodeIndex node = any(hosts_);
  if (is_managers(node)) return kNothing;
  exchange(node);
  return id(node);
}

std::string Chaos::exchange_switch() {
  const sim::NodeIndex node = any(switches_);
  exchange(node);
  return id(node);
}

std::string Chaos::late_switch() {
  if (late_.empty()) return kNothing;
  for (const auto& [node, port] : late_) whole_.world->mend_link(node, port);
  const std::string what = id(late_.front().first);
  late_.clear();
  return what;
}

std::string Chaos::mute() {
  const sim::NodeIndex node = any(switches_);
  whole_.world->set_mute(node, sim::Mute::agent);
  unjudged_ = true;  // it goes on forwarding by tables that nobody can change
  return id(node);
}

}  // namespace weft::test
