#pragma once
// CheckPiece: the check of the tables for some LIDs. Inside of check.cpp and check_again.cpp only.
//
// Two passes over each block of 64 LIDs, copied side by side so that it stays in the cache. First, LID by
// LID, the next-hop function is followed from every source until it meets a switch whose distance is known:
// that gives delivery, loops, lengths, and marks the entries in use. Then, switch by switch, every entry in
// use adds its dependency to the ChannelGraph.

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "routing/check.h"
#include "routing/waits.h"

namespace weft::routing {

/// What is wrong with the shape of the tables; or empty.
std::string what_is_malformed(const Problem& problem, const Routes& routes);
/// Adds the switches that are too small.
void check_capacity(const Problem& problem, CheckReport& report);

/// Entries at which walks end badly.
struct CheckFaults {
  std::uint64_t missing = 0;
  std::uint64_t dead = 0;
  std::uint64_t misdelivered = 0;
  std::uint64_t loops = 0;

  void count(std::uint8_t port, std::uint16_t peer) {
    ++(port == raw(kPortDrop) ? missing : peer == CheckCables::kDead ? dead : misdelivered);
  }
};

/// Names for people.
inline std::string switch_name(const fabric::Fabric& fabric, std::size_t s) {
  return describe(fabric.node(static_cast<SwitchId>(s)));
}

/// End ports whose packets to a destination count, of those that cables join to it.
inline std::uint64_t pairs_to(const CheckCables& cables, const Destination& to) {
  const std::uint32_t part = cables.part[raw(to.at)];
  return to.is_peer() ? cables.to_peer[part] - 1 : cables.to_switch[part];
}

inline std::uint32_t lanes_in(const Routes& routes) {
  return static_cast<std::uint32_t>(routes.lanes ? routes.lanes->count : routes.layers);
}

/// The check of some blocks, one after another; several go side by side.
class CheckPiece {
 public:
  static constexpr std::uint32_t kBlock = Lft::kBlock;
  static constexpr std::size_t kExamples = 5;
  /// `longest`: by LID, written here.
  CheckPiece(const Problem& problem, const Routes& routes, const CheckCables& cables,
             std::vector<std::uint8_t>& longest)
      : problem_(problem),
        fabric_(*problem.fabric),
        routes_(routes),
        c_(cables),
        longest_(longest),
        count_(cables.count),
        lanes_(routes.lanes.get()),
        channels_(cables.peers, cables.width, lanes_in(routes)),
        block_(std::size_t{count_} * kBlock),
        distance_(count_),
        used_(count_) {
    if (!lanes_) return;
    masks_.resize(block_.size());
    class_.resize(c_.peers.size());
    for (std::uint32_t i = 0; i < class_.size(); ++i)
      class_[i] = lanes_->class_of(i / c_.width, i % c_.width);
  }

  /// Blocks `from` to `upto` - 1; with `only`, no other LIDs than these.
  void run(std::uint32_t from, std::uint32_t upto, const std::vector<bool>* only = nullptr) {
    auto next = std::ranges::partition_point(problem_.destinations, [&](const Destination& d) {
      return raw(d.base) + (1U << d.lmc) <= from * kBlock;
    });
    for (std::uint32_t first = from * kBlock; first < upto * kBlock; first += kBlock) {
      if (only && std::find(only->begin() + first, only->begin() + first + kBlock, true) ==
                      only->begin() + first + kBlock)
        continue;
      load_block(first);
      std::ranges::fill(used_, 0);
      used_by_all_ = 0;
      to_peer_ = 0;
      for (std::uint32_t lid = first; lid < first + kBlock; ++lid) {
        while (next != problem_.destinations.end() && raw(next->base) + (1U << next->lmc) <= lid) ++next;
        if (next == problem_.destinations.end() || raw(next->base) > lid || (only && !(*only)[lid])) continue;
        layer_[lid % kBlock] = static_cast<std::uint8_t>(routes_.layer_of(*next, static_cast<Lid>(lid)));
        if (next->is_peer()) to_peer_ |= std::uint64_t{1} << lid % kBlock;
        check_lid(*next, lid);
      }
      if (lanes_)
        add_dependencies_by_lane();
      else
        add_dependencies();
    }
  }

  /// What was found, added to `report`; and the dependencies.
  ChannelGraph& finish(CheckReport& report) {
    report.pairs += report_.pairs;
    report.lost += report_.lost;
    report.uncounted_lost += report_.uncounted_lost;
    report.missing += counted_.missing;
    report.dead += counted_.dead;
    report.misdelivered += counted_.misdelivered;
    report.loops += counted_.loops + uncounted_.loops;
    report.longest = std::max(report.longest, report_.longest);
    for (std::string& example : report_.examples)
      if (report.examples.size() < 2 * kExamples) report.examples.push_back(std::move(example));
    return channels_;
  }

 private:
  static constexpr std::uint16_t kEnd = CheckCables::kEnd;
  static constexpr std::uint16_t kDead = CheckCables::kDead;
  static constexpr std::uint16_t kLastIndex = CheckCables::kLastIndex;
  // Codes in place of a distance.
  static constexpr std::uint16_t kUnknown = 0xffff;
  static constexpr std::uint16_t kLost = 0xfffe;
  static constexpr std::uint16_t kOpen = 0xfffd;  // on the walk at hand

  void load_block(std::uint32_t first) {
    for (std::size_t s = 0; s < count_; ++s) {
      const Lft& lft = *routes_.lfts[s];
      std::uint8_t* to = block_.data() + s * kBlock;
      if (first < lft.size())
        std::ranges::copy(lft.block(first / kBlock), to);
      else
        std::memset(to, raw(kPortDrop), kBlock);
    }
  }

  void check_lid(const Destination& to, std::uint32_t lid) {
    const std::uint32_t lane = lid % kBlock;
    const std::uint32_t at = raw(to.at);
    std::ranges::fill(distance_, kUnknown);
    if (delivers(to, lane)) distance_[at] = 0;  // else the walk goes through it like through any other
    std::uint16_t longest = 0;
    bool lost = false;
    for (const std::uint32_t s : to.is_peer() ? c_.all : c_.talkers) {
      if (c_.part[s] != c_.part[at]) continue;
      const std::uint16_t distance = distance_from(s, lane);
      lost |= distance == kLost;
      longest = distance == kLost ? longest : std::max(longest, distance);
    }
    report_.longest = std::max<int>(report_.longest, longest);
    longest_[lid] = static_cast<std::uint8_t>(std::min<std::uint16_t>(longest, 255));
    report_.pairs += pairs_to(c_, to);
    const std::uint64_t bit = std::uint64_t{1} << lane;
    const bool by_all = to.is_peer() && c_.one_part;
    used_by_all_ |= by_all ? bit : 0;
    if (!by_all)
      for (std::uint32_t s = 0; s < count_; ++s) used_[s] |= distance_[s] != kUnknown ? bit : 0;
    if (lost) count_lost(to, lid);
    if (!by_all) check_rest(to, lane);
  }

  /// Mostly the next switch is known already, and there is nothing to walk.
  std::uint16_t distance_from(std::uint32_t s, std::uint32_t lane) {
    if (distance_[s] != kUnknown) return distance_[s];
    const std::uint16_t next = c_.peer(s, block_[s * kBlock + lane]);
    if (next < kLastIndex && distance_[next] < kOpen)
      distance_[s] = static_cast<std::uint16_t>(distance_[next] + 1);
    else
      walk(s, lane, counted_);
    return distance_[s];
  }

  bool delivers(const Destination& to, std::uint32_t lane) const {
    const std::uint8_t port = block_[raw(to.at) * kBlock + lane];
    const std::uint16_t behind = c_.peer(raw(to.at), port);
    return port == raw(to.port) && (behind == kEnd || (to.away && behind == kDead));
  }

  /// Follows the tables from `s` to a switch whose distance is known, and back again to set those on the way.
  void walk(std::uint32_t s, std::uint32_t lane, CheckFaults& faults) {
    walk_.clear();
    bool ended = false;
    while (distance_[s] == kUnknown) {
      distance_[s] = kOpen;
      walk_.push_back(s);
      const std::uint8_t port = block_[s * kBlock + lane];
      const std::uint16_t to = c_.peer(s, port);
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
      if (distance_[s] != kLost || c_.part[s] != c_.part[raw(to.at)]) continue;
      const std::uint32_t count = c_.sources(s, to);
      report_.lost += count;
      if (count != 0 && report_.examples.size() < 2 * kExamples) add_example(s, to, lid);
    }
  }

  /// Entries of switches whose packets to this LID do not count: they may be lost, but must not loop.
  void check_rest(const Destination& to, std::uint32_t lane) {
    for (std::uint32_t s = 0; s < count_; ++s) {
      if (distance_[s] == kUnknown) walk(s, lane, uncounted_);
      const bool counts = to.is_peer() || c_.hosts[s] + c_.runs_sm[s] != 0;
      if (!counts && distance_[s] == kLost && c_.part[s] == c_.part[raw(to.at)]) ++report_.uncounted_lost;
    }
  }

  void add_dependencies() {
    for (std::uint32_t s = 0; s < count_; ++s) {
      const std::uint8_t* row = block_.data() + s * kBlock;
      const std::uint16_t* peers = c_.peers.data() + s * c_.width;
      for (std::uint64_t lanes = used_[s] | used_by_all_; lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
        const std::uint8_t port = row[lane];
        if (port >= c_.width || peers[port] >= kLastIndex) continue;
        const std::uint8_t onward = block_[peers[port] * kBlock + lane];
        const std::uint32_t layer = layer_[lane];
        if (onward < c_.width) channels_.depend(channels_.id(s, port, layer), onward, layer);
      }
    }
  }

  std::uint32_t lane_of(std::uint32_t s, std::uint8_t in, std::uint8_t out) const {
    return lanes_->vl[class_[s * c_.width + in]][class_[s * c_.width + out]];
  }

  /// The same where the VL of a packet depends on where it came from: first, by entry, the VLs that packets
  /// leave by; then what they wait for.
  void add_dependencies_by_lane() {
    std::ranges::fill(masks_, 0);
    const auto each = [this](auto&& use) {
      for (std::uint32_t s = 0; s < count_; ++s) {
        for (std::uint64_t lids = used_[s] | used_by_all_; lids != 0; lids &= lids - 1) {
          const auto lid = static_cast<std::uint32_t>(std::countr_zero(lids));
          const std::uint8_t port = block_[s * kBlock + lid];
          if (c_.peer(s, port) < kLastIndex) use(s, lid, port, c_.peers[s * c_.width + port]);
        }
      }
    };
    each([this](std::uint32_t s, std::uint32_t lid, std::uint8_t port, std::uint32_t next) {
      if (c_.hosts[s] + c_.runs_sm[s] != 0 || (to_peer_ >> lid & 1) != 0)
        masks_[s * kBlock + lid] |= static_cast<std::uint8_t>(1U << lane_of(s, 0, port));
      const std::uint8_t onward = block_[next * kBlock + lid];
      if (onward < c_.width)
        masks_[next * kBlock + lid] |=
            static_cast<std::uint8_t>(1U << lane_of(next, c_.far[s * c_.width + port], onward));
    });
    each([this](std::uint32_t s, std::uint32_t lid, std::uint8_t port, std::uint32_t next) {
      const std::uint8_t onward = block_[next * kBlock + lid];
      if (onward >= c_.width) return;
      const std::uint32_t lane = lane_of(next, c_.far[s * c_.width + port], onward);
      for (std::uint32_t mask = masks_[s * kBlock + lid]; mask != 0; mask &= mask - 1)
        channels_.depend(channels_.id(s, port, static_cast<std::uint32_t>(std::countr_zero(mask))), onward,
                         lane);
    });
  }

  // Words for people.

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
    const std::string source = from == problem_.destinations.end() ? switch_name(fabric_, s) : name(*from);
    report_.examples.push_back(
        fmt::format("{} does not reach {} (LID {}): {}", source, name(to), lid, reason(s, lid)));
  }

  std::string reason(std::uint32_t s, std::uint32_t lid) const {
    std::vector<std::uint32_t> path;
    while (std::ranges::find(path, s) == path.end()) {
      path.push_back(s);
      const std::uint8_t port = block_[s * kBlock + lid % kBlock];
      if (port == raw(kPortDrop)) return fmt::format("{} has no entry for it", switch_name(fabric_, s));
      const std::uint16_t to = c_.peer(s, port);
      if (to == kDead)
        return fmt::format("{} sends it to port {}, which has no link", switch_name(fabric_, s), port);
      if (to == kEnd)
        return fmt::format("{} sends it to port {}, the wrong end port", switch_name(fabric_, s), port);
      s = to;
    }
    return fmt::format("it comes round to {} again", switch_name(fabric_, s));
  }

  const Problem& problem_;
  const fabric::Fabric& fabric_;
  const Routes& routes_;
  const CheckCables& c_;
  std::vector<std::uint8_t>& longest_;
  std::uint32_t count_;
  const Lanes* lanes_;  // null: all on VL 0
  ChannelGraph channels_;
  CheckReport report_;
  CheckFaults counted_;
  CheckFaults uncounted_;
  std::vector<std::uint8_t> block_;           // [switch][LID of the block]: out port
  std::vector<std::uint16_t> distance_;       // by switch: links to the destination of the LID at hand
  std::vector<std::uint64_t> used_;           // by switch: LIDs whose entry counted traffic uses
  std::uint64_t used_by_all_ = 0;             // LIDs whose entry is in use at every switch
  std::uint64_t to_peer_ = 0;                 // LIDs that everybody talks to
  std::array<std::uint8_t, kBlock> layer_{};  // by LID of the block
  std::vector<std::uint8_t> masks_;           // [switch][LID]: VLs that packets leave by
  std::vector<std::uint8_t> class_;           // [switch * width + port]
  std::vector<std::uint32_t> walk_;
};

}  // namespace weft::routing
