#include "sim/judge.h"

#include <algorithm>

#include "sim/programmed_tables.h"

namespace weft::sim {
namespace {

constexpr std::int16_t kUnknown = -1;
constexpr std::int16_t kFails = -2;
constexpr std::int16_t kOnTheWay = -3;

/// Hops from every switch to one destination port, by the tables; kFails where they do not lead there.
class Walk {
 public:
  Walk(const ProgrammedTables& tables, std::vector<std::int16_t>& hops, Destination to)
      : tables_(tables), hops_(hops), to_(to) {
    std::ranges::fill(hops_, to.lid == kLidNone ? kFails : kUnknown);
    for (std::uint32_t sw = 0; sw < tables_.switch_count(); ++sw)
      if (hops_[sw] == kUnknown) resolve(sw);
  }

 private:
  void resolve(std::uint32_t start) {
    way_.clear();
    std::uint32_t here = start;
    std::int16_t result = kUnknown;
    while (result == kUnknown) {
      hops_[here] = kOnTheWay;
      way_.push_back(here);
      const PortIndex next = tables_.arrival(here, to_.lid);
      if (next == to_.port) {
        const bool own = next == tables_.port0(here);
        result = own ? -1 : 0;  // hops counted below, from the last switch on
        break;
      }
      result = kFails;
      if (next == kNoPort) break;
      const std::uint32_t sw = tables_.switch_at(next);
      if (sw == ProgrammedTables::kNoSwitch || next == tables_.port0(sw)) break;  // another's port
      if (hops_[sw] == kOnTheWay) break;                                          // a loop
      if (hops_[sw] != kUnknown) {
        result = hops_[sw];
        break;
      }
      result = kUnknown;
      here = sw;
    }
    for (auto sw = way_.rbegin(); sw != way_.rend(); ++sw) {
      if (result != kFails && ++result > kMaxLidHops) result = kFails;
      hops_[*sw] = result;
    }
  }

  const ProgrammedTables& tables_;
  std::vector<std::int16_t>& hops_;
  Destination to_;
  std::vector<std::uint32_t> way_;
};

/// HCA ports by the switch they hang on, those with an Active link.
struct Sources {
  std::vector<PortIndex> hosts;             // linked HCA ports, Active or not
  std::vector<PortIndex> switches;          // port 0 of linked switches
  std::vector<std::uint32_t> active_hosts;  // count by dense switch number
  std::vector<std::uint8_t> linked;         // by dense switch number
};

Sources sources_of(const ProgrammedTables& tables, const std::vector<Destination>& all) {
  Sources sources;
  sources.active_hosts.resize(tables.switch_count());
  sources.linked.resize(tables.switch_count());
  PortIndex last = kNoPort;
  for (const Destination& d : all) {
    if (d.port == last) continue;  // another path bit of the same port
    last = d.port;
    (d.host ? sources.hosts : sources.switches).push_back(d.port);
    if (!d.host) {
      sources.linked[tables.switch_at(d.port)] = 1;
      continue;
    }
    const PortIndex in = tables.arrival_from(d.port);
    if (in != kNoPort && tables.switch_at(in) != ProgrammedTables::kNoSwitch)
      ++sources.active_hosts[tables.switch_at(in)];
  }
  return sources;
}

std::string failure(const World& world, PortIndex from, const Destination& to) {
  if (to.lid == kLidNone) return fmt::format("{} has no LID", world.name(to.port));
  const Path taken = path(world, from, to.lid);
  std::string text = fmt::format("{} to {} (LID {}): {}", world.name(from), world.name(to.port), raw(to.lid),
                                 describe(world, from, taken));
  if (taken.drop == Drop::none) text += ", another port with this LID";
  return text;
}

}  // namespace

Path path(const World& world, PortIndex from, Lid to) {
  const Way way = route_by_lid(world, from, to);
  Path path{{}, way.end, way.drop};
  for (int i = 0; i < way.hops; ++i) {
    const PortIndex out = way.out[static_cast<std::size_t>(i)];
    path.hops.push_back({out, world.port(out).peer});
  }
  return path;
}

std::string describe(const World& world, PortIndex from, const Path& path) {
  std::string text = path.hops.empty() ? world.name(from) : std::string();
  for (const Path::Hop& hop : path.hops) text += world.name(hop.out) + " > ";
  if (!path.hops.empty()) text += world.name(path.drop == Drop::none ? path.end : path.hops.back().in);
  if (path.drop != Drop::none) text += fmt::format(": {} at {}", name(path.drop), world.name(path.end));
  return text;
}

Reach all_pairs(const World& world, std::size_t max_failures) {
  const ProgrammedTables tables(world);
  const std::vector<Destination> all = destinations(world);
  const Sources sources = sources_of(tables, all);
  std::vector<std::int16_t> hops(tables.switch_count());
  Reach reach;
  const auto reaches = [&](PortIndex from, const Destination& to) {
    const std::uint32_t own = tables.switch_at(from);
    if (own != ProgrammedTables::kNoSwitch) return hops[own] >= 0;
    const PortIndex in = tables.arrival_from(from);
    if (in == kNoPort || to.lid == kLidNone) return false;
    const std::uint32_t sw = tables.switch_at(in);
    return sw == ProgrammedTables::kNoSwitch ? in == to.port : hops[sw] >= 0 && hops[sw] < kMaxLidHops;
  };
  const auto list = [&](const std::vector<PortIndex>& from, const Destination& to) {
    for (const PortIndex source : from) {
      if (reach.failures.size() >= max_failures) return;
      if (source == to.port || reaches(source, to)) continue;
      reach.failures.push_back(failure(world, source, to));
      if (to.lid == kLidNone) return;  // one line says it
    }
  };
  for (const Destination& to : all) {
    Walk(tables, hops, to);
    std::uint64_t from_hosts = 0;
    std::uint64_t from_switches = 0;
    for (std::uint32_t sw = 0; sw < tables.switch_count(); ++sw) {
      if (hops[sw] < 0) continue;
      if (hops[sw] < kMaxLidHops) from_hosts += sources.active_hosts[sw];
      from_switches += sources.linked[sw];
    }
    if (to.host) {
      const PortIndex in = tables.arrival_from(to.port);
      const std::uint32_t leaf = in == kNoPort ? ProgrammedTables::kNoSwitch : tables.switch_at(in);
      if (leaf != ProgrammedTables::kNoSwitch) {
        from_hosts -= hops[leaf] >= 0 && hops[leaf] < kMaxLidHops;  // itself
      } else if (in != kNoPort && to.lid != kLidNone) {
        from_hosts += 1;  // HCA to HCA without a switch
      }
    }
    const std::uint64_t hosts = sources.hosts.size() - (to.host ? 1 : 0);
    const std::uint64_t switches = to.host ? sources.switches.size() : 0;
    (to.host ? reach.host_pairs : reach.switch_pairs) += hosts;
    (to.host ? reach.host_pairs_reached : reach.switch_pairs_reached) += from_hosts;
    reach.switch_pairs += switches;
    if (to.host) reach.switch_pairs_reached += from_switches;
    if (from_hosts < hosts) list(sources.hosts, to);
    if (to.host && from_switches < switches) list(sources.switches, to);
  }
  return reach;
}

PortSummary port_summary(const World& world) {
  PortSummary summary;
  for (std::uint32_t p = 0; p < world.port_slots(); ++p) {
    const Port& port = world.port(PortIndex{p});
    if (port.peer == kNoPort || port.cut) continue;
    ++summary.linked;
    switch (port.info.state) {
      case PortState::init:
        ++summary.init;
        break;
      case PortState::armed:
        ++summary.armed;
        break;
      case PortState::active:
        ++summary.active;
        break;
      default:
        ++summary.down;
        break;
    }
  }
  return summary;
}

}  // namespace weft::sim
