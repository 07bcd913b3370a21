#pragma once
// ChannelGraph: which lanes of links wait for which others. A channel is a lane of a link in one direction,
// named by the port it arrives at; it depends on every channel that some packet takes next. A cycle can
// deadlock. Source: Dally and Seitz, channel dependency graphs.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/programmed_tables.h"

namespace weft::sim {

class ChannelGraph {
 public:
  /// Number of a channel: the port it arrives at times lanes(), plus the lane.
  using Channel = std::uint32_t;
  static constexpr Channel kNone = 0xffffffff;

  /// Both must outlive it.
  ChannelGraph(const World& world, const ProgrammedTables& tables);

  unsigned lanes() const { return lanes_; }
  Channel channel(PortIndex arrival, Vl vl) const { return raw(arrival) * lanes_ + raw(vl); }
  /// A packet that came by `from` leaves the switch there by `exit` on lane `vl`.
  void depend(Channel from, PortNum exit, Vl vl) {
    const unsigned bit = raw(exit) * lanes_ + raw(vl);
    bits_[from * words_ + bit / 64] |= std::uint64_t{1} << bit % 64;
  }
  /// A cycle as the ports left by, "S0[2] > S1[2] VL1 > S0[2]"; nothing when there is none.
  std::optional<std::string> cycle() const;

 private:
  struct Frame {
    Channel channel;
    unsigned next;  // of its dependencies, to look at
  };
  int dependency(Channel channel, unsigned from) const;
  std::string name(Channel channel) const;
  std::string text(const std::vector<Frame>& stack, Channel back_to) const;

  const World& world_;
  const ProgrammedTables& tables_;
  unsigned lanes_ = 1;
  std::size_t words_ = 1;
  std::vector<std::uint64_t> bits_;  // [channel * words_ ...]: exits x lanes it depends on
};

}  // namespace weft::sim
