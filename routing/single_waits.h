#pragma once
// SingleWaits: what one LID makes wait while switches are written one by one, so that a packet may meet the
// old or the new entry at each. Inside of mixture.h only.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "routing/waits.h"

namespace weft::routing {

using Ways = std::array<std::uint8_t, 2>;  // old, new out port

/// What a channel waits for: a port and lane of the switch behind it.
struct Wait {
  std::uint32_t channel = 0;
  std::uint8_t port = 0;
  std::uint8_t lane = 0;
};

/// Old and new tables side by side, over the cables that live.
struct BothTables {
  BothTables(const Problem& asked, const Routes& old, const Routes& latest, const Waits* waits)
      : problem(asked), now(&latest), cables(asked), old_waits(waits) {
    for (std::uint32_t s = 0; s < cables.count; ++s)
      before.push_back(row_of(old, problem.fabric->node(static_cast<SwitchId>(s)).guid));
  }

  static std::uint8_t entry(const Lft* row, std::uint16_t lid) {
    return row && lid < row->size() ? (*row)[lid] : raw(kPortDrop);
  }
  Ways ways(std::uint32_t s, std::uint16_t lid) const {
    return {entry(before[s].get(), lid), entry(now->lfts[s].get(), lid)};
  }
  std::uint32_t lane_count() const {
    return static_cast<std::uint32_t>(now->lanes ? now->lanes->count : now->layers);
  }

  const Problem& problem;
  const Routes* now;
  const CheckCables cables;
  const Waits* old_waits;  ///< Null: not known.
  std::vector<std::shared_ptr<const Lft>> before;
};

/// A LID that is looked at by itself.
struct Single {
  const Destination* to = nullptr;
  std::uint16_t lid = 0;
  std::vector<std::uint32_t> at;  ///< Switches whose entry changes.
  bool known = false;             ///< The old tables' waits hold those of its old entries.
  bool stale = true;
  std::vector<Wait> adds;  ///< Beside what is known to wait under the old tables.
};

/// Finds what a LID makes wait by old and new entries in any mixture. One for each thread.
class SingleWaits {
 public:
  SingleWaits(const BothTables& both, const ChannelGraph& base)
      : both_(both), c_(both.cables), base_(base), seen_(c_.count), changes_(c_.count) {}

  void find(Single& one) {
    one.stale = false;
    one.adds.clear();
    one_ = &one;
    for (const std::uint32_t s : one.at) changes_[s] = 1;
    reach();
    if (both_.now->lanes)
      add_by_lanes();
    else
      add_all();
    for (const std::uint32_t s : one.at) changes_[s] = 0;
  }

 private:
  enum : std::uint8_t { unseen, by_old, newly };

  Ways ways(std::uint32_t s) const { return both_.ways(s, one_->lid); }

  /// seen_: switches that traffic to the LID can reach by either table; by_old: by the old one alone.
  void reach() {
    const bool everybody = one_->to->is_peer();
    std::ranges::fill(seen_, everybody ? (one_->known ? by_old : newly) : unseen);
    reached_ = everybody ? c_.all : c_.talkers;
    if (everybody) return;
    for (const std::uint32_t s : reached_) seen_[s] = one_->known ? by_old : newly;
    const auto visit = [this](std::uint8_t port, std::uint32_t s, std::uint8_t how) {
      const std::uint16_t next = c_.peer(s, port);
      if (next >= CheckCables::kLastIndex || seen_[next] != unseen) return;
      seen_[next] = how;
      reached_.push_back(next);
    };
    for (std::size_t i = 0; one_->known && i < reached_.size(); ++i)
      visit(BothTables::entry(both_.before[reached_[i]].get(), one_->lid), reached_[i], by_old);
    for (std::size_t i = 0; i < reached_.size(); ++i)
      for (const std::uint8_t port : ways(reached_[i])) visit(port, reached_[i], newly);
  }

  /// Calls use(neighbour, own port) for those that send the LID to `s` by either table.
  template <typename Use>
  void each_sender(std::uint32_t s, const Use& use) const {
    for (std::uint32_t port = 1; port < c_.width; ++port) {
      const std::uint16_t from = c_.peers[s * c_.width + port];
      if (from >= CheckCables::kLastIndex || seen_[from] == unseen) continue;
      const std::uint8_t there = c_.far[s * c_.width + port];
      const Ways out = ways(from);
      if (out[0] == there || out[1] == there) use(from, static_cast<std::uint8_t>(port));
    }
  }

  void add(std::uint32_t channel, std::uint8_t port, std::uint8_t lane) {
    if (!base_.depends(channel, port, lane)) one_->adds.push_back({channel, port, lane});
  }

  void add_all() {
    const auto lane = static_cast<std::uint8_t>(both_.now->layer_of(*one_->to, static_cast<Lid>(one_->lid)));
    for (const std::uint32_t s : candidates()) {
      const Ways out = ways(s);
      const bool all = seen_[s] == newly || changes_[s] != 0;
      for (std::size_t v = 0; v < (out[0] == out[1] ? 1U : 2U); ++v) {
        const std::uint16_t next = c_.peer(s, out[v]);
        if (next >= CheckCables::kLastIndex || (!all && changes_[next] == 0)) continue;
        for (const std::uint8_t on : ways(next))
          if (on < c_.width) add(base_.id(s, out[v], lane), on, lane);
      }
    }
  }

  /// Of the switches reached all that may add something: of a peer that changes at few switches, these and
  /// those who send to them.
  const std::vector<std::uint32_t>& candidates() {
    const bool few = one_->known && one_->to->is_peer() && one_->at.size() * c_.width < c_.count;
    if (!few) return reached_;
    reached_ = one_->at;
    for (const std::uint32_t s : one_->at)
      each_sender(s, [this](std::uint32_t from, std::uint8_t) { reached_.push_back(from); });
    return reached_;
  }

  /// The same where the lane depends on where a packet comes from.
  void add_by_lanes() {
    sends_.assign(c_.count, 0);
    const auto send = [this](std::uint32_t s) {
      if (seen_[s] != unseen && std::exchange(sends_[s], std::uint8_t{1}) == 0) add_from(s);
    };
    if (!one_->known || !one_->to->is_peer())
      for (const std::uint32_t s : reached_) send(s);
    for (const std::uint32_t s : one_->at) {
      send(s);
      each_sender(s, [&](std::uint32_t from, std::uint8_t) { send(from); });
      // Where it comes to by another port than before, it goes on by another lane.
      for (const std::uint8_t port : ways(s))
        if (const std::uint16_t next = c_.peer(s, port); next < CheckCables::kLastIndex) send(next);
    }
  }
  void add_from(std::uint32_t s) {
    const Ways out = ways(s);
    for (std::size_t v = 0; v < (out[0] == out[1] ? 1U : 2U); ++v) {
      const std::uint16_t next = c_.peer(s, out[v]);
      if (next >= CheckCables::kLastIndex) continue;
      const Ways onward = ways(next);
      for (std::uint32_t held = lanes_held(s, out[v]); held != 0; held &= held - 1) {
        const std::uint32_t channel = base_.id(s, out[v], static_cast<std::uint32_t>(std::countr_zero(held)));
        for (const std::uint8_t on : onward)
          if (on < c_.width) add(channel, on, lane(next, c_.far[s * c_.width + out[v]], on));
      }
    }
  }
  std::uint8_t lane(std::uint32_t s, std::uint8_t in, std::uint8_t out) const {
    return raw(
        both_.now->lanes->at(static_cast<SwitchId>(s), static_cast<PortNum>(in), static_cast<PortNum>(out)));
  }
  /// VLs by which packets leave, its own and what comes from others.
  std::uint32_t lanes_held(std::uint32_t s, std::uint8_t out) const {
    const bool talks = one_->to->is_peer() || c_.hosts[s] + c_.runs_sm[s] != 0;
    std::uint32_t held = talks ? 1U << lane(s, 0, out) : 0U;
    each_sender(s, [&](std::uint32_t, std::uint8_t in) { held |= 1U << lane(s, in, out); });
    return held;
  }

  const BothTables& both_;
  const CheckCables& c_;
  const ChannelGraph& base_;
  Single* one_ = nullptr;
  std::vector<std::uint8_t> seen_;     // by switch
  std::vector<std::uint8_t> changes_;  // by switch: its entry does
  std::vector<std::uint8_t> sends_;    // by switch
  std::vector<std::uint32_t> reached_;
};

}  // namespace weft::routing
