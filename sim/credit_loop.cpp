// Credit loops by channel dependencies: a channel is a lane of a link in one direction; it depends on every
// channel that some packet takes next. A cycle of channels can deadlock.
#include <algorithm>
#include <bit>

#include "sim/judge.h"
#include "sim/lanes.h"
#include "sim/programmed_tables.h"

namespace weft::sim {
namespace {

constexpr std::uint32_t kNoSwitch = ProgrammedTables::kNoSwitch;
constexpr unsigned kMostLanes = 15;
using LaneMask = std::uint16_t;  // a bit a VL

/// Highest VL that any port operates, and one more.
unsigned lanes_in_use(const World& world) {
  unsigned most = 1;
  for (std::uint32_t p = 0; p < world.port_slots(); ++p) {
    const Port& port = world.port(PortIndex{p});
    if (port.peer != kNoPort && port.info.state == PortState::active)
      most = std::max(most, static_cast<unsigned>(lanes(port.info.operational_vls)));
  }
  return std::min(most, kMostLanes);
}

/// Which lanes depend on which. A channel is a link in one direction on one lane; its number is that of the
/// port it arrives at times the lanes, plus the lane.
class Dependencies {
 public:
  Dependencies(const World& world, const ProgrammedTables& tables)
      : world_(world), tables_(tables), lanes_(lanes_in_use(world)) {
    unsigned most = 0;
    for (std::uint32_t sw = 0; sw < tables.switch_count(); ++sw) most = std::max(most, tables.port_count(sw));
    words_ = ((most + 1) * lanes_ + 63) / 64;
    bits_.resize(world.port_slots() * lanes_ * words_);
    from_hosts_.resize(tables.switch_count());
    is_sm_.resize(tables.switch_count());
    for (std::uint32_t p = 0; p < world.port_slots(); ++p) {
      const Port& port = world.port(PortIndex{p});
      if (tables_.switch_at(PortIndex{p}) == kNoSwitch && world.link_active(PortIndex{p})) {
        const std::uint32_t leaf = tables_.switch_at(port.peer);
        if (leaf != kNoSwitch) from_hosts_[leaf].push_back(world.port(port.peer).number);
      }
      if (port.number == PortNum{0} && world.is_switch(port.node) && mad::has(port.info, mad::PortCap::is_sm))
        is_sm_[tables_.switch_at(PortIndex{p})] = true;
    }
    seen_.resize(world.port_slots());
    lanes_seen_.resize(world.port_slots());
  }

  /// Adds what packets of one SL to one LID do, from wherever they enter. Hosts answer every switch, so for
  /// their LIDs all switches are sources.
  void add(const Destination& to, Sl sl) {
    ++round_;
    for (std::uint32_t sw = 0; sw < tables_.switch_count(); ++sw) {
      for (const PortNum in : from_hosts_[sw]) follow(sw, in, to.lid, sl);
      if (to.host || is_sm_[sw]) follow(sw, PortNum{0}, to.lid, sl);
    }
  }

  std::optional<std::string> cycle();

 private:
  struct Frame {
    std::uint32_t channel;
    unsigned next;  // of its dependencies, to look at
  };
  PortIndex port_of(std::uint32_t channel) const { return static_cast<PortIndex>(channel / lanes_); }
  NodeIndex node_of(std::uint32_t sw) const { return world_.port(tables_.port0(sw)).node; }

  /// From a switch that a packet entered by `in` to the end of the way, or to where packets to this LID have
  /// been followed on the same lane already.
  void follow(std::uint32_t sw, PortNum in, Lid lid, Sl sl) {
    std::uint32_t here = kNoSwitch;  // channel the packet came by
    while (true) {
      const PortIndex next = tables_.arrival(sw, lid);
      if (next == kNoPort) return;
      const std::uint32_t next_switch = tables_.switch_at(next);
      if (next_switch == kNoSwitch || next == tables_.port0(next_switch)) return;
      const PortNum exit = world_.port(world_.port(next).peer).number;
      const Vl vl = lane_out(world_, node_of(sw), in, exit, sl);
      if (vl == kVlDrop) return;
      if (here != kNoSwitch) {
        const unsigned bit = raw(exit) * lanes_ + raw(vl);
        bits_[here * words_ + bit / 64] |= std::uint64_t{1} << bit % 64;
      }
      if (seen_[raw(next)] != round_) lanes_seen_[raw(next)] = 0;
      seen_[raw(next)] = round_;
      const auto lane = static_cast<LaneMask>(1u << raw(vl));
      if (lanes_seen_[raw(next)] & lane) return;
      lanes_seen_[raw(next)] = static_cast<LaneMask>(lanes_seen_[raw(next)] | lane);
      here = raw(next) * lanes_ + raw(vl);
      sw = next_switch;
      in = world_.port(next).number;
    }
  }
  /// The next dependency of a channel from `from` on; -1 when there is none.
  int dependency(std::uint32_t channel, unsigned from) const {
    for (unsigned word = from / 64; word < words_; ++word) {
      std::uint64_t bits = bits_[channel * words_ + word];
      if (word == from / 64) bits &= ~std::uint64_t{0} << from % 64;
      if (bits != 0) return static_cast<int>(word * 64 + static_cast<unsigned>(std::countr_zero(bits)));
    }
    return -1;
  }
  std::string text(const std::vector<Frame>& stack, std::uint32_t back_to) const;
  std::string name(std::uint32_t channel) const {
    const std::string port = world_.name(world_.port(port_of(channel)).peer);
    return lanes_ == 1 || channel % lanes_ == 0 ? port : fmt::format("{} VL{}", port, channel % lanes_);
  }

  const World& world_;
  const ProgrammedTables& tables_;
  std::uint32_t lanes_;
  std::vector<std::vector<PortNum>> from_hosts_;  // by switch: ports where hosts' packets enter
  std::vector<std::uint8_t> is_sm_;               // by switch: its port 0 sends to everybody
  std::vector<std::uint32_t> seen_;               // by port arrived at: round of lanes_seen_
  std::vector<LaneMask> lanes_seen_;              // by port arrived at: followed this round
  std::uint32_t round_ = 0;
  std::size_t words_ = 1;
  std::vector<std::uint64_t> bits_;  // [channel * words_ ...]: exits x lanes it depends on
};

std::string Dependencies::text(const std::vector<Frame>& stack, std::uint32_t back_to) const {
  const auto start = std::ranges::find(stack, back_to, &Frame::channel);
  std::string cycle;
  for (auto frame = start; frame != stack.end(); ++frame) cycle += name(frame->channel) + " > ";
  return cycle + name(back_to);
}

std::optional<std::string> Dependencies::cycle() {
  enum : std::uint8_t { fresh, on_stack, finished };
  std::vector<std::uint8_t> mark(world_.port_slots() * lanes_, fresh);
  std::vector<Frame> stack;
  for (std::uint32_t channel = 0; channel < mark.size(); ++channel) {
    if (mark[channel] != fresh || dependency(channel, 0) < 0) continue;
    stack.push_back({channel, 0});
    mark[channel] = on_stack;
    while (!stack.empty()) {
      Frame& top = stack.back();
      const int bit = top.next < words_ * 64 ? dependency(top.channel, top.next) : -1;
      if (bit < 0) {
        mark[top.channel] = finished;
        stack.pop_back();
        continue;
      }
      top.next = static_cast<unsigned>(bit) + 1;
      const NodeIndex n = world_.port(port_of(top.channel)).node;
      const auto exit = static_cast<PortNum>(static_cast<unsigned>(bit) / lanes_);
      const std::uint32_t next =
          raw(tables_.arrival_from(world_.port_of(n, exit))) * lanes_ + static_cast<unsigned>(bit) % lanes_;
      if (mark[next] == on_stack) return text(stack, next);
      if (mark[next] == finished) continue;
      mark[next] = on_stack;
      stack.push_back({next, 0});
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> credit_loop(const World& world, std::span<const Sl> levels) {
  const ProgrammedTables tables(world);
  Dependencies dependencies(world, tables);
  for (const Destination& to : destinations(world))
    for (const Sl sl : levels)
      if (to.lid != kLidNone) dependencies.add(to, sl);
  return dependencies.cycle();
}

std::optional<std::string> credit_loop(const World& world) {
  constexpr std::array kLevel = {Sl{0}};
  return credit_loop(world, kLevel);
}

}  // namespace weft::sim
