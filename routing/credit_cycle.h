#pragma once
// ChannelGraph: which buffer waits for which. A channel is one direction of a link on one VL; a packet that
// holds it and must go on through another makes the first depend on the second. Tables are free of deadlock
// when the dependencies have no cycle. Source: Dally and Seitz, 1987.

#include <array>
#include <cassert>
#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace weft::routing {

/// The buffer behind a port, on one VL: what leaves switch `from` by `port`.
struct Channel {
  SwitchId from{};
  PortNum port{};
  Vl vl{};
  auto operator<=>(const Channel&) const = default;
};

class ChannelGraph {
 public:
  /// `width`: port slots of a switch, 0 included. `peers`: [switch * width + port], the switch behind the
  /// port, or a number that is none. The caller keeps `peers`.
  ChannelGraph(const std::vector<std::uint16_t>& peers, std::uint32_t width, std::uint32_t lanes);

  /// The channel's number; ports below `width`, lanes below `lanes`.
  std::uint32_t id(std::uint32_t s, std::uint32_t port, std::uint32_t lane = 0) const {
    return (s * width_ + port) * lanes_ + lane;
  }
  /// Packets that hold `channel` go on by `port` of the switch behind it. A port that leads to a host waits
  /// for nobody.
  void depend(std::uint32_t channel, std::uint32_t port, std::uint32_t lane = 0) {
    const std::uint32_t bit = port * lanes_ + lane;
    waits_[static_cast<std::size_t>(channel) * words_ + bit / 64] |= std::uint64_t{1} << bit % 64;
  }

  bool depends(std::uint32_t channel, std::uint32_t port, std::uint32_t lane = 0) const {
    const std::uint32_t bit = port * lanes_ + lane;
    return (waits_[static_cast<std::size_t>(channel) * words_ + bit / 64] >> bit % 64 & 1) != 0;
  }

  /// The same for all ports of a set, 64 to a word; for graphs with one lane.
  void depend_all(std::uint32_t channel, const std::array<std::uint64_t, 4>& ports) {
    for (std::uint32_t w = 0; w < words_; ++w)
      waits_[static_cast<std::size_t>(channel) * words_ + w] |= ports[w];
  }
  /// The channel waits for the ports and lanes that a channel of another graph waits for; ports that there
  /// are none of here fall away. Both have as many lanes.
  void take(std::uint32_t channel, const ChannelGraph& from, std::uint32_t from_channel) {
    assert(lanes_ == from.lanes_);
    const std::uint32_t bits = width_ * lanes_;
    for (std::uint32_t w = 0; w < words_; ++w) {
      const std::uint64_t ports =
          w < from.words_ ? from.waits_[static_cast<std::size_t>(from_channel) * from.words_ + w] : 0;
      const std::uint32_t left = bits - w * 64;
      waits_[static_cast<std::size_t>(channel) * words_ + w] =
          left < 64 ? ports & ((std::uint64_t{1} << left) - 1) : ports;
    }
  }
  /// A channel no longer waits for this.
  void forget(std::uint32_t channel, std::uint32_t port, std::uint32_t lane = 0) {
    const std::uint32_t bit = port * lanes_ + lane;
    waits_[static_cast<std::size_t>(channel) * words_ + bit / 64] &= ~(std::uint64_t{1} << bit % 64);
  }
  /// Adds the dependencies of another graph of the same channels.
  void merge(const ChannelGraph& other) {
    for (std::size_t i = 0; i < waits_.size(); ++i) waits_[i] |= other.waits_[i];
  }

  /// Calls use(channel held, port and lane of the switch behind it that it waits for).
  template <typename Use>
  void each_wait(const Use& use) const {
    for (std::uint32_t channel = 0; channel < peers_->size() * lanes_; ++channel) {
      const std::uint32_t link = channel / lanes_;
      const Channel held{static_cast<SwitchId>(link / width_), static_cast<PortNum>(link % width_),
                         static_cast<Vl>(channel % lanes_)};
      for (std::uint32_t bit = next_bit(channel, 0); bit < words_ * 64; bit = next_bit(channel, bit + 1))
        use(held, static_cast<PortNum>(bit / lanes_), static_cast<Vl>(bit % lanes_));
    }
  }

  /// Whether there is a cycle, when there is none in `acyclic`, a graph of the same channels: one would go
  /// through a dependency that stands here alone. Cost: O(channels) words compared, and a search from there.
  bool closes_cycle(const ChannelGraph& acyclic) const;

  /// The graph as it is when all lanes are one.
  ChannelGraph on_one_lane() const;

  /// A cycle, each channel waiting for the next and the last for the first, as short as can be found at
  /// little cost, the same at every call; empty when there is none. Cost: O(channels * width / 64).
  std::vector<Channel> find_cycle() const;
  /// Likewise up to `most`, found where none of them shares a channel, then each made as short as is found
  /// from `tries` of its channels. Cost: O(channels * width / 64), and as much for each try.
  std::vector<std::vector<Channel>> find_cycles(std::size_t most, std::size_t tries) const;

 private:
  /// Position of the first bit set at or after `bit`, or words_ * 64.
  std::uint32_t next_bit(std::uint32_t channel, std::uint32_t bit) const;
  std::vector<std::uint64_t> links() const;
  std::uint32_t first_of(std::uint32_t channel, const std::vector<std::uint64_t>& among) const;
  void flip(std::uint32_t channel, std::vector<std::uint64_t>& set) const;
  std::vector<std::vector<std::uint32_t>> some_cycles(std::size_t most,
                                                      const std::vector<std::uint32_t>* roots) const;
  std::vector<Channel> named(const std::vector<std::uint32_t>& cycle) const;
  std::vector<std::uint32_t> shortest_cycle_from(std::uint32_t channel) const;

  static constexpr std::uint32_t kNone = ~0U;
  const std::vector<std::uint16_t>* peers_;
  std::uint32_t width_;
  std::uint32_t lanes_;
  std::uint32_t words_;
  std::uint32_t switches_;
  std::vector<std::uint64_t> waits_;  // [channel][word]: ports * lanes of the next switch
};

}  // namespace weft::routing
