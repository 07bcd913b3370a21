// Two passes over each block of 64 LIDs, copied side by side so that it stays in the cache. First, LID by
// LID, the next-hop function is followed from every source until it meets a switch whose distance is known:
// that gives delivery, loops, lengths, and marks the entries in use. Then, switch by switch, every entry in
// use adds its dependency to the ChannelGraph.

#include "routing/check.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace weft::routing {
namespace {

constexpr std::uint32_t kBlock = 64;
constexpr std::size_t kExamples = 5;

// Codes in place of a neighbour's index.
constexpr std::uint16_t kEnd = 0xffff;   // an end port: a host's, or the switch's own port 0
constexpr std::uint16_t kDead = 0xfffe;  // no such port, or no link
constexpr std::uint16_t kLastIndex = 0xfff0;

// Codes in place of a distance.
constexpr std::uint16_t kUnknown = 0xffff;
constexpr std::uint16_t kLost = 0xfffe;
constexpr std::uint16_t kOpen = 0xfffd;  // on the walk at hand

/// Entries at which walks end badly.
struct Faults {
  std::uint64_t missing = 0;
  std::uint64_t dead = 0;
  std::uint64_t misdelivered = 0;
  std::uint64_t loops = 0;

  void count(std::uint8_t port, std::uint16_t peer) {
    ++(port == raw(kPortDrop) ? missing : peer == kDead ? dead : misdelivered);
  }
};

class Checker {
 public:
  Checker(const Problem& problem, const Routes& routes)
      : problem_(problem), fabric_(*problem.fabric), routes_(routes), count_(fabric_.switch_count()) {}

  CheckReport run() {
    report_.malformed = malformed();
    if (!report_.malformed.empty()) return std::move(report_);
    check_capacity();
    if (count_ == 0) return std::move(report_);
    read_cables();
    find_parts();
    count_sources();
    ChannelGraph channels(peers_, width_, 1);
    block_.resize(count_ * kBlock);
    distance_.resize(count_);
    used_.resize(count_);
    auto next = problem_.destinations.begin();
    for (std::uint32_t first = 0; first <= raw(problem_.top); first += kBlock) {
      load_block(first);
      std::ranges::fill(used_, 0);
      used_by_all_ = 0;
      for (std::uint32_t lid = first; lid < first + kBlock; ++lid) {
        while (next != problem_.destinations.end() && raw(next->base) + (1U << next->lmc) <= lid) ++next;
        if (next == problem_.destinations.end() || raw(next->base) > lid) continue;
        check_lid(*next, lid);
      }
      add_dependencies(channels);
    }
    report_.missing = counted_.missing;
    report_.dead = counted_.dead;
    report_.misdelivered = counted_.misdelivered;
    report_.loops = counted_.loops + uncounted_.loops;
    report_.cycle = channels.find_cycle();
    return std::move(report_);
  }

 private:
  std::string malformed() const {
    if (routes_.lfts.size() != count_)
      return fmt::format("tables for {} switches, but the fabric has {}", routes_.lfts.size(), count_);
    if (count_ > kLastIndex) return fmt::format("{} switches are more than a subnet can hold", count_);
    for (std::size_t s = 0; s < count_; ++s)
      if (!routes_.lfts[s]) return fmt::format("no table for {}", name(s));
    return {};
  }

  void check_capacity() {
    for (std::uint32_t s = 0; s < count_; ++s) {
      const std::uint16_t capacity = fabric_.node(static_cast<SwitchId>(s)).switch_facts.lft_capacity;
      if (capacity == 0 || raw(problem_.top) < capacity) continue;
      report_.too_small.push_back(static_cast<SwitchId>(s));
      if (report_.too_small.size() > kExamples) continue;
      report_.examples.push_back(fmt::format("{} holds LIDs up to {}, but LID {} is in use", name(s),
                                             capacity - 1, raw(problem_.top)));
    }
  }

  void read_cables() {
    for (const NodeId id : fabric_.switches())
      width_ = std::max<std::uint32_t>(width_, static_cast<std::uint32_t>(fabric_.ports(id).size()));
    peers_.assign(count_ * width_, kDead);
    for (std::uint32_t s = 0; s < count_; ++s) {
      const std::span<const fabric::Port> ports = fabric_.ports(static_cast<SwitchId>(s));
      peers_[s * width_] = kEnd;
      for (std::uint32_t p = 1; p < ports.size(); ++p) {
        if (!ports[p].peer) continue;
        const std::optional<SwitchId> to = fabric_.switch_of(ports[p].peer->node);
        peers_[s * width_ + p] = to ? static_cast<std::uint16_t>(raw(*to)) : kEnd;
      }
    }
  }

  /// Union-find with path halving, over the cables.
  void find_parts() {
    part_.resize(count_);
    std::iota(part_.begin(), part_.end(), 0U);
    const auto root = [this](std::uint32_t s) {
      while (part_[s] != s) s = part_[s] = part_[part_[s]];
      return s;
    };
    for (std::uint32_t i = 0; i < peers_.size(); ++i)
      if (peers_[i] < count_) part_[root(i / width_)] = root(peers_[i]);
    for (std::uint32_t s = 0; s < count_; ++s) part_[s] = root(s);
    one_part_ = std::ranges::all_of(part_, [this](std::uint32_t part) { return part == part_[0]; });
  }

  void count_sources() {
    hosts_.resize(count_);
    runs_sm_.resize(count_);
    for (const Destination& d : problem_.destinations) {
      if (!d.is_switch()) ++hosts_[raw(d.at)];
      if (d.is_switch() && d.runs_sm) runs_sm_[raw(d.at)] = 1;
    }
    to_peer_.resize(count_);
    to_switch_.resize(count_);
    for (std::uint32_t s = 0; s < count_; ++s) {
      all_.push_back(s);
      if (hosts_[s] + runs_sm_[s] != 0) talkers_.push_back(s);
      to_peer_[part_[s]] += hosts_[s] + 1;
      to_switch_[part_[s]] += hosts_[s] + runs_sm_[s];
    }
  }

  /// End ports at `s` whose packets to this destination count.
  std::uint32_t sources(std::uint32_t s, const Destination& to) const {
    if (!to.is_peer()) return hosts_[s] + runs_sm_[s];
    return hosts_[s] + (s == raw(to.at) ? 0U : 1U);  // all but itself
  }

  std::uint16_t peer(std::uint32_t s, std::uint8_t port) const {
    return port < width_ ? peers_[s * width_ + port] : kDead;
  }

  void load_block(std::uint32_t first) {
    for (std::size_t s = 0; s < count_; ++s) {
      const Lft& lft = *routes_.lfts[s];
      std::uint8_t* to = block_.data() + s * kBlock;
      const std::size_t have = lft.size() <= first ? 0 : std::min<std::size_t>(kBlock, lft.size() - first);
      std::memset(to, raw(kPortDrop), kBlock);
      if (have != 0) std::memcpy(to, lft.data() + first, have);
    }
  }

  void check_lid(const Destination& to, std::uint32_t lid) {
    const std::uint32_t lane = lid % kBlock;
    const std::uint32_t at = raw(to.at);
    std::ranges::fill(distance_, kUnknown);
    if (delivers(to, lane)) distance_[at] = 0;  // else the walk goes through it like through any other
    std::uint16_t longest = 0;
    bool lost = false;
    for (const std::uint32_t s : to.is_peer() ? all_ : talkers_) {
      if (part_[s] != part_[at]) continue;
      const std::uint16_t distance = distance_from(s, lane);
      lost |= distance == kLost;
      longest = distance == kLost ? longest : std::max(longest, distance);
    }
    report_.longest = std::max<int>(report_.longest, longest);
    report_.pairs += to.is_peer() ? to_peer_[part_[at]] - 1 : to_switch_[part_[at]];
    const std::uint64_t bit = std::uint64_t{1} << lane;
    const bool by_all = to.is_peer() && one_part_;
    used_by_all_ |= by_all ? bit : 0;
    if (!by_all)
      for (std::uint32_t s = 0; s < count_; ++s) used_[s] |= distance_[s] != kUnknown ? bit : 0;
    if (lost) count_lost(to, lid);
    if (!by_all) check_rest(to, lane);
  }

  /// Mostly the next switch is known already, and there is nothing to walk.
  std::uint16_t distance_from(std::uint32_t s, std::uint32_t lane) {
    if (distance_[s] != kUnknown) return distance_[s];
    const std::uint16_t next = peer(s, block_[s * kBlock + lane]);
    if (next < kLastIndex && distance_[next] < kOpen)
      distance_[s] = static_cast<std::uint16_t>(distance_[next] + 1);
    else
      walk(s, lane, counted_);
    return distance_[s];
  }

  bool delivers(const Destination& to, std::uint32_t lane) const {
    const std::uint8_t port = block_[raw(to.at) * kBlock + lane];
    return port == raw(to.port) && peer(raw(to.at), port) == kEnd;
  }

  /// Follows the tables from `s` to a switch whose distance is known, and back again to set those on the way.
  void walk(std::uint32_t s, std::uint32_t lane, Faults& faults) {
    walk_.clear();
    bool ended = false;
    while (distance_[s] == kUnknown) {
      distance_[s] = kOpen;
      walk_.push_back(s);
      const std::uint8_t port = block_[s * kBlock + lane];
      const std::uint16_t to = peer(s, port);
      if (to >= kLastIndex) {
        faults.count(port, to);
        ended = true;
        break;
      }
      s = to;
    }
    std::uint16_t distance = distance_[s];
    if (distance == kOpen) {
      if (!ended) ++faults.loops;
      distance = kLost;
    }
    for (auto back = walk_.rbegin(); back != walk_.rend(); ++back)
      distance_[*back] = distance = distance == kLost ? kLost : static_cast<std::uint16_t>(distance + 1);
  }

  void count_lost(const Destination& to, std::uint32_t lid) {
    for (std::uint32_t s = 0; s < count_; ++s) {
      if (distance_[s] != kLost || part_[s] != part_[raw(to.at)]) continue;
      const std::uint32_t count = sources(s, to);
      report_.lost += count;
      if (count != 0 && report_.examples.size() < 2 * kExamples) add_example(s, to, lid);
    }
  }

  /// Entries of switches whose packets to this LID do not count: they may be lost, but must not loop.
  void check_rest(const Destination& to, std::uint32_t lane) {
    for (std::uint32_t s = 0; s < count_; ++s) {
      if (distance_[s] == kUnknown) walk(s, lane, uncounted_);
      const bool counts = to.is_peer() || hosts_[s] + runs_sm_[s] != 0;
      if (!counts && distance_[s] == kLost && part_[s] == part_[raw(to.at)]) ++report_.uncounted_lost;
    }
  }

  void add_dependencies(ChannelGraph& channels) const {
    for (std::uint32_t s = 0; s < count_; ++s) {
      const std::uint8_t* row = block_.data() + s * kBlock;
      const std::uint16_t* peers = peers_.data() + s * width_;
      for (std::uint64_t lanes = used_[s] | used_by_all_; lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
        const std::uint8_t port = row[lane];
        if (port >= width_ || peers[port] >= kLastIndex) continue;
        const std::uint8_t onward = block_[peers[port] * kBlock + lane];
        if (onward < width_) channels.depend(channels.id(s, port), onward);
      }
    }
  }

  // Words for people.

  std::string name(std::size_t s) const { return describe(fabric_.node(static_cast<SwitchId>(s))); }

  std::string name(const Destination& d) const {
    const NodeId at = fabric_.node_of(d.at);
    if (d.is_switch() || raw(d.port) >= fabric_.ports(at).size()) return describe(fabric_.node(at));
    const std::optional<fabric::PortRef>& host = fabric_.port({at, d.port}).peer;
    return host ? describe(fabric_, *host) : fmt::format("what was at {}", describe(fabric_, {at, d.port}));
  }

  void add_example(std::uint32_t s, const Destination& to, std::uint32_t lid) {
    const auto from = std::ranges::find_if(problem_.destinations, [&](const Destination& d) {
      return raw(d.at) == s && !d.is_switch() && d.base != to.base;
    });
    const std::string source = from == problem_.destinations.end() ? name(s) : name(*from);
    report_.examples.push_back(
        fmt::format("{} does not reach {} (LID {}): {}", source, name(to), lid, reason(s, lid)));
  }

  std::string reason(std::uint32_t s, std::uint32_t lid) const {
    std::vector<std::uint32_t> path;
    while (std::ranges::find(path, s) == path.end()) {
      path.push_back(s);
      const std::uint8_t port = block_[s * kBlock + lid % kBlock];
      if (port == raw(kPortDrop)) return fmt::format("{} has no entry for it", name(s));
      const std::uint16_t to = peer(s, port);
      if (to == kDead) return fmt::format("{} sends it to port {}, which has no link", name(s), port);
      if (to == kEnd) return fmt::format("{} sends it to port {}, the wrong end port", name(s), port);
      s = to;
    }
    return fmt::format("it comes round to {} again", name(s));
  }

  const Problem& problem_;
  const fabric::Fabric& fabric_;
  const Routes& routes_;
  std::size_t count_;
  CheckReport report_;
  Faults counted_;
  Faults uncounted_;
  std::uint32_t width_ = 0;             // port slots of the widest switch, 0 included
  std::vector<std::uint16_t> peers_;    // [switch * width + port]: switch behind it, kEnd or kDead
  std::vector<std::uint32_t> part_;     // by switch: one switch of its connected part
  std::vector<std::uint32_t> hosts_;    // by switch
  std::vector<std::uint8_t> runs_sm_;   // by switch
  std::vector<std::uint32_t> all_;      // every switch
  std::vector<std::uint32_t> talkers_;  // those with hosts or an SM
  bool one_part_ = true;
  std::vector<std::uint64_t> to_peer_;    // by part: end ports that talk to a host, switches included
  std::vector<std::uint64_t> to_switch_;  // by part: end ports that talk to a plain switch
  std::vector<std::uint8_t> block_;       // [switch][lane]: out port
  std::vector<std::uint16_t> distance_;   // by switch: links to the destination of the LID at hand
  std::vector<std::uint64_t> used_;       // by switch: lanes whose entry counted traffic uses
  std::uint64_t used_by_all_ = 0;         // lanes whose entry is in use at every switch
  std::vector<std::uint32_t> walk_;
};

}  // namespace

CheckReport check(const Problem& problem, const Routes& routes) { return Checker(problem, routes).run(); }

std::string describe_cycle(const fabric::Fabric& fabric, const std::vector<Channel>& cycle) {
  std::string text;
  for (const Channel& c : cycle)
    text += fmt::format("{} VL {} -> ", describe(fabric, {fabric.node_of(c.from), c.port}), raw(c.vl));
  return cycle.empty() ? text : text + "back to the first";
}

std::string explain(const fabric::Fabric& fabric, const CheckReport& report) {
  if (!report.malformed.empty()) return report.malformed;
  std::vector<std::string> parts;
  if (report.lost != 0) parts.push_back(fmt::format("{} of {} pairs lost", report.lost, report.pairs));
  if (report.loops != 0) parts.push_back(fmt::format("{} forwarding loops", report.loops));
  if (!report.too_small.empty())
    parts.push_back(fmt::format("{} switches have too small a table", report.too_small.size()));
  if (!report.safe() && !report.examples.empty())
    parts.push_back(fmt::format("e.g. {}", report.examples.front()));
  if (!report.cycle.empty())
    parts.push_back(fmt::format("credit cycle of {} channels: {}", report.cycle.size(),
                                describe_cycle(fabric, report.cycle)));
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace weft::routing
