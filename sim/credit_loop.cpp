// Credit loops by channel dependencies: a channel is a link in one direction, named by the port it arrives
// at; it depends on every channel that some packet takes next. A cycle of channels can deadlock.
#include <algorithm>
#include <bit>

#include "sim/judge.h"
#include "sim/programmed_tables.h"

namespace weft::sim {
namespace {

constexpr std::uint32_t kNoSwitch = ProgrammedTables::kNoSwitch;

class Dependencies {
 public:
  Dependencies(const World& world, const ProgrammedTables& tables) : world_(world), tables_(tables) {
    unsigned most = 0;
    for (std::uint32_t sw = 0; sw < tables.switch_count(); ++sw) most = std::max(most, tables.port_count(sw));
    words_ = most / 64 + 1;
    bits_.resize(world.port_slots() * words_);
    for (std::uint32_t p = 0; p < world.port_slots(); ++p) {
      if (tables_.switch_at(PortIndex{p}) == kNoSwitch && world.link_active(PortIndex{p}))
        add_entry(tables_.switch_at(world.port(PortIndex{p}).peer));
      const Port& port = world.port(PortIndex{p});
      if (port.number == PortNum{0} && world.is_switch(port.node) && mad::has(port.info, mad::PortCap::is_sm))
        add_entry(tables_.switch_at(PortIndex{p}));
    }
    std::ranges::sort(entries_);
    entries_.erase(std::unique(entries_.begin(), entries_.end()), entries_.end());
    used_.resize(tables.switch_count());
  }

  /// Adds what packets to one LID do, from wherever they enter.
  void add(const Destination& to) {
    ++round_;
    if (!to.host) {
      for (const std::uint32_t sw : entries_) follow(sw, to.lid);
      return;
    }
    // Hosts answer every switch, so for their LIDs all switches are sources.
    for (std::uint32_t sw = 0; sw < tables_.switch_count(); ++sw) follow(sw, to.lid);
  }

  std::optional<std::string> cycle();

 private:
  struct Frame {
    PortIndex channel;
    unsigned next_exit;
  };
  void add_entry(std::uint32_t sw) {
    if (sw != kNoSwitch) entries_.push_back(sw);
  }
  /// From a switch to the end of the way, or to where this LID's packets have been followed already.
  void follow(std::uint32_t sw, Lid lid) {
    PortIndex here = kNoPort;  // channel the packet came by
    while (true) {
      const PortIndex next = tables_.arrival(sw, lid);
      if (next == kNoPort) return;
      const std::uint32_t next_switch = tables_.switch_at(next);
      if (next_switch == kNoSwitch || next == tables_.port0(next_switch)) return;
      if (here != kNoPort) {
        const unsigned exit = raw(world_.port(world_.port(next).peer).number);
        bits_[raw(here) * words_ + exit / 64] |= std::uint64_t{1} << exit % 64;
      }
      if (used_[sw] == round_) return;
      used_[sw] = round_;
      sw = next_switch;
      here = next;
    }
  }
  /// The next exit from `from` on that a channel depends on; -1 when there is none.
  int exit_of(PortIndex channel, unsigned from) const {
    for (unsigned word = from / 64; word < words_; ++word) {
      std::uint64_t bits = bits_[raw(channel) * words_ + word];
      if (word == from / 64) bits &= ~std::uint64_t{0} << from % 64;
      if (bits != 0) return static_cast<int>(word * 64 + static_cast<unsigned>(std::countr_zero(bits)));
    }
    return -1;
  }
  std::string text(const std::vector<Frame>& stack, PortIndex back_to) const;

  const World& world_;
  const ProgrammedTables& tables_;
  std::vector<std::uint32_t> entries_;  // switches where hosts' packets enter
  std::vector<std::uint32_t> used_;     // by switch: last round its exit was followed in
  std::uint32_t round_ = 0;
  std::size_t words_ = 1;
  std::vector<std::uint64_t> bits_;  // [channel * words_ ...]: exits it depends on
};

std::string Dependencies::text(const std::vector<Frame>& stack, PortIndex back_to) const {
  const auto start = std::ranges::find(stack, back_to, &Frame::channel);
  std::string cycle;
  for (auto frame = start; frame != stack.end(); ++frame)
    cycle += world_.name(world_.port(frame->channel).peer) + " > ";
  return cycle + world_.name(world_.port(back_to).peer);
}

std::optional<std::string> Dependencies::cycle() {
  enum : std::uint8_t { fresh, on_stack, finished };
  std::vector<std::uint8_t> mark(world_.port_slots(), fresh);
  std::vector<Frame> stack;
  for (std::uint32_t p = 0; p < world_.port_slots(); ++p) {
    if (mark[p] != fresh || exit_of(PortIndex{p}, 0) < 0) continue;
    stack.push_back({PortIndex{p}, 0});
    mark[p] = on_stack;
    while (!stack.empty()) {
      Frame& top = stack.back();
      const int exit = top.next_exit < words_ * 64 ? exit_of(top.channel, top.next_exit) : -1;
      if (exit < 0) {
        mark[raw(top.channel)] = finished;
        stack.pop_back();
        continue;
      }
      top.next_exit = static_cast<unsigned>(exit) + 1;
      const NodeIndex n = world_.port(top.channel).node;
      const PortIndex next = tables_.arrival_from(world_.port_of(n, static_cast<PortNum>(exit)));
      if (mark[raw(next)] == on_stack) return text(stack, next);
      if (mark[raw(next)] == finished) continue;
      mark[raw(next)] = on_stack;
      stack.push_back({next, 0});
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> credit_loop(const World& world) {
  const ProgrammedTables tables(world);
  Dependencies dependencies(world, tables);
  for (const Destination& to : destinations(world))
    if (to.lid != kLidNone) dependencies.add(to);
  return dependencies.cycle();
}

}  // namespace weft::sim
