#include "plan/difference.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/gid.h"
#include "base/words.h"
#include "partitions/changes.h"

namespace weft::plan {
namespace {

using fabric::Fabric;
using fabric::PortRef;

/// By end port, the LIDs that differ.
std::vector<Difference::MovedLid> moved_lids(const Fabric& fabric, const Plan& before, const Plan& after) {
  std::vector<Difference::MovedLid> moved;
  const auto ends = fabric.end_ports();
  for (std::size_t i = 0; i < ends.size(); ++i)
    if (before.lids.of_end_port[i] != after.lids.of_end_port[i])
      moved.push_back({ends[i], before.lids.of_end_port[i], after.lids.of_end_port[i]});
  return moved;
}

std::uint64_t changed_entries(const Plan& before, const Plan& after) {
  std::uint64_t entries = 0;
  for (std::size_t s = 0; s < before.routes().lfts.size(); ++s) {
    const auto& a = before.routes().lfts[s];
    const auto& b = after.routes().lfts[s];
    if (a != b) routing::each_difference(*a, *b, [&entries](std::size_t) { ++entries; });
  }
  return entries;
}

/// Counts, destination by destination, the hosts whose way differs somewhere.
class PairCount {
 public:
  PairCount(const Fabric& fabric, const Plan& before, const Plan& after)
      : fabric_(fabric), before_(before), after_(after), hosts_at_(fabric.switch_count()) {
    for (const PortRef end : fabric.end_ports()) {
      if (fabric.is_switch(end.node) || !fabric.port(end).peer) continue;
      if (const NodeId leaf = fabric.port(end).peer->node; fabric.is_switch(leaf))
        ++hosts_at_[raw(*fabric.switch_of(leaf))];
    }
    for (const std::uint64_t hosts : hosts_at_) hosts_ += hosts;
  }
  std::uint64_t all() const { return hosts_ == 0 ? 0 : hosts_ * (hosts_ - 1); }
  std::uint64_t moved() {
    std::uint64_t pairs = 0;
    const auto ends = fabric_.end_ports();
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if (fabric_.is_switch(ends[i].node) || !fabric_.port(ends[i]).peer) continue;
      pairs += moved_to(ends[i], before_.lids.of_end_port[i].base, after_.lids.of_end_port[i].base);
    }
    return pairs;
  }

 private:
  static std::uint8_t entry(const Plan& plan, std::size_t s, Lid lid) {
    const routing::Lft& lft = *plan.routes().lfts[s];
    return raw(lid) < lft.size() ? lft[raw(lid)] : raw(kPortDrop);
  }
  std::uint64_t moved_to(PortRef end, Lid before, Lid after) {
    const std::size_t count = fabric_.switch_count();
    next_.assign(count, 0);
    moved_.assign(count, kUnknown);
    bool any = false;
    for (std::size_t s = 0; s < count; ++s) {
      next_[s] = entry(after_, s, after);
      if (next_[s] == entry(before_, s, before)) continue;
      moved_[s] = kMoved;
      any = true;
    }
    if (!any) return 0;
    std::uint64_t hosts = 0;
    const NodeId leaf = fabric_.port(end).peer->node;
    for (std::size_t s = 0; s < count; ++s)
      if (hosts_at_[s] > 0 && is_moved(s))
        hosts += hosts_at_[s] - (fabric_.node_of(static_cast<SwitchId>(s)) == leaf);
    return hosts;
  }
  /// Follows the way until what is known.
  bool is_moved(std::size_t from) {
    way_.clear();
    std::size_t at = from;
    while (moved_[at] == kUnknown) {
      moved_[at] = kSame;  // also where the way ends, or goes round
      way_.push_back(at);
      const PortRef out{fabric_.node_of(static_cast<SwitchId>(at)), static_cast<PortNum>(next_[at])};
      if (next_[at] == 0 || next_[at] > fabric_.node(out.node).port_count) break;
      const auto& peer = fabric_.port(out).peer;
      if (!peer || !fabric_.is_switch(peer->node)) break;
      at = raw(*fabric_.switch_of(peer->node));
    }
    const std::uint8_t known = moved_[at];
    for (const std::size_t s : way_) moved_[s] = known;
    return moved_[from] == kMoved;
  }

  static constexpr std::uint8_t kUnknown = 0, kSame = 1, kMoved = 2;
  const Fabric& fabric_;
  const Plan& before_;
  const Plan& after_;
  std::vector<std::uint64_t> hosts_at_;
  std::uint64_t hosts_ = 0;
  std::vector<std::uint8_t> next_;
  std::vector<std::uint8_t> moved_;
  std::vector<std::size_t> way_;
};

/// Sentences of what two maps have differently.
template <typename Map>
std::vector<std::string> map_changes(std::string_view noun, const Map& before, const Map& after) {
  std::vector<std::string> texts;
  for (const auto& [name, text] : before)
    if (!after.contains(name)) texts.push_back(fmt::format("{} {} goes: {}", noun, name, text));
  for (const auto& [name, text] : after) {
    const auto was = before.find(name);
    if (was == before.end())
      texts.push_back(fmt::format("{} {} comes: {}", noun, name, text));
    else if (was->second != text)
      texts.push_back(fmt::format("{} {}: {}, was {}", noun, name, text, was->second));
  }
  return texts;
}

std::map<std::string, std::string> levels_of(const Plan& plan) {
  std::map<std::string, std::string> texts;
  const qos::LanePlan& lanes = plan.levels;
  for (std::size_t i = 0; i < lanes.levels.size(); ++i) {
    const qos::PlannedLevel& one = lanes.levels[i];
    const int first = one.block * lanes.demand;
    texts[one.level.name] =
        fmt::format("SL {}, VL {}{}, {} {}{}{}{}", raw(one.sl), first,
                    lanes.demand > 1 ? fmt::format(" to {}", first + lanes.demand - 1) : std::string(),
                    one.level.strict ? "strict, weight" : "weight", one.level.weight,
                    one.level.mtu ? fmt::format(", MTU {}", bytes(*one.level.mtu)) : std::string(),
                    one.level.rate ? fmt::format(", at most {} Gb/s", *one.level.rate / 10.0) : std::string(),
                    i == lanes.default_level ? ", default" : "");
  }
  return texts;
}

std::map<std::string, std::string> groups_of(const Plan& plan) {
  std::map<std::string, std::string> texts;
  for (const partitions::Group& group : plan.partitions.groups) {
    const partitions::GroupOptions& options = group.options;
    texts[to_string(group.mgid)] =
        fmt::format("P_Key {}{}{}{}", to_string(group.pkey),
                    options.mtu ? fmt::format(", MTU {}", bytes(*options.mtu)) : std::string(),
                    options.rate ? fmt::format(", {} Gb/s", *options.rate / 10.0) : std::string(),
                    !options.level.empty() ? ", level " + options.level
                    : options.sl           ? fmt::format(", SL {}", raw(*options.sl))
                                           : std::string());
  }
  return texts;
}

/// "LMC, SM SL: 432 ports".
std::vector<std::string> changed_settings(const Plan& before, const Plan& after) {
  std::map<std::string_view, std::uint64_t> ports;
  for (std::size_t i = 0; i < std::min(before.ports.size(), after.ports.size()); ++i) {
    const PortSettings& a = before.ports[i];
    const PortSettings& b = after.ports[i];
    const auto note = [&ports](std::string_view what, bool differs) { ports[what] += differs ? 1 : 0; };
    note("SM LID", a.sm_lid != b.sm_lid);
    note("subnet prefix", a.prefix != b.prefix);
    note("SM SL", a.sm_sl != b.sm_sl);
    note("subnet time-out", a.subnet_timeout != b.subnet_timeout);
    note("error thresholds",
         a.local_phy_errors != b.local_phy_errors || a.overrun_errors != b.overrun_errors);
    note("link settings (MTU, VLs, head of queue)", a.link != b.link);
    note("checking of P_Keys", a.enforcement != b.enforcement);
    note("VL high limit", a.high_limit != b.high_limit);
  }
  std::vector<std::string> texts;
  for (const auto& [what, count] : ports)
    if (count > 0) texts.push_back(fmt::format("{}: {}", what, counted(count, "port")));
  return texts;
}

std::vector<std::string> routing_changes(const Plan& before, const Plan& after) {
  std::vector<std::string> texts;
  const routing::Routes& a = before.routes();
  const routing::Routes& b = after.routes();
  if (a.engine != b.engine) texts.push_back(fmt::format("engine {}, was {}", b.engine, a.engine));
  if (before.routing.report.lost != after.routing.report.lost)
    texts.push_back(fmt::format("{} pairs of ports are not served, were {}", after.routing.report.lost,
                                before.routing.report.lost));
  for (const routing::Refusal& refusal : after.routing.refusals)
    texts.push_back(fmt::format("{} is refused: {}", refusal.engine, refusal.reason));
  return texts;
}

std::vector<std::string> new_problems(const Plan& before, const Plan& after) {
  std::vector<std::string> old = before.partitions.problems;
  old.insert(old.end(), before.levels.problems.begin(), before.levels.problems.end());
  std::vector<std::string> now = after.partitions.problems;
  now.insert(now.end(), after.levels.problems.begin(), after.levels.problems.end());
  std::erase_if(now, [&old](const std::string& one) { return std::ranges::find(old, one) != old.end(); });
  return now;
}

}  // namespace

Difference difference(const Fabric& fabric, const Plan& before, const Plan& after) {
  Difference result;
  result.lids = moved_lids(fabric, before, after);
  result.entries = changed_entries(before, after);
  PairCount pairs(fabric, before, after);
  result.all_pairs = pairs.all();
  result.pairs = pairs.moved();
  result.routing = routing_changes(before, after);
  result.access = partitions::access_changes({fabric, before.partitions}, {fabric, after.partitions});
  result.groups = map_changes("group", groups_of(before), groups_of(after));
  result.levels = map_changes("level", levels_of(before), levels_of(after));
  result.settings = changed_settings(before, after);
  result.problems = new_problems(before, after);
  return result;
}

}  // namespace weft::plan
