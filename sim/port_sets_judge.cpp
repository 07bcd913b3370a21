// What packets may do under port sets: for each destination every switch and arrival port that some packet
// can come to, with every member of its set from there on.
#include <algorithm>

#include "sim/channel_graph.h"
#include "sim/lanes.h"
#include "sim/port_sets.h"

namespace weft::sim {
namespace {

class Judge {
 public:
  Judge(const World& world, const PortSets& sets, Sl sl, std::size_t max_failures)
      : world_(world),
        sets_(sets),
        sl_(sl),
        max_failures_(max_failures),
        tables_(world),
        graph_(world, tables_) {
    state_.resize(world.port_slots() * graph_.lanes());
  }

  SetsVerdict judge() {
    for (std::size_t d = 0; d < sets_.destinations.size(); ++d) {
      // Sets are for all LIDs of a destination; tables are not.
      const std::vector<Lid> lids = goes_by_tables(d) ? lids_of(d) : std::vector<Lid>{kLidNone};
      for (const Lid lid : lids) {
        lid_ = lid;
        visit_all(d);
      }
      deliver(d);
    }
    if (const auto cycle = graph_.cycle()) verdict_.credit_loop = *cycle;
    return std::move(verdict_);
  }

 private:
  enum : std::uint8_t { fresh, on_stack, finished };
  /// Where a packet is: the port it came in by, and on which lane.
  struct Place {
    PortIndex arrival;
    Vl vl{};
  };
  struct Frame {
    Place at;
    std::size_t next = 0;  // member to look at
  };
  std::uint8_t& state(Place at) { return state_[graph_.channel(at.arrival, at.vl)]; }
  static PortIndex plus(PortIndex port0, unsigned number) {
    return static_cast<PortIndex>(raw(port0) + number);
  }
  bool goes_by_tables(std::size_t d) const {
    return std::ranges::any_of(sets_.switches, [d](const PortSets::SwitchSets& at) {
      return std::ranges::any_of(at.of, [d](const auto& row) { return row[d] == PortSets::kByTables; });
    });
  }
  std::vector<Lid> lids_of(std::size_t d) const {
    std::vector<Lid> lids;
    for (const auto& [first, last] : sets_.destinations[d].lids)
      for (unsigned lid = raw(first); lid <= raw(last); ++lid) lids.push_back(static_cast<Lid>(lid));
    return lids;
  }
  void visit_all(std::size_t d) {
    std::ranges::fill(state_, fresh);
    for (std::uint32_t sw = 0; sw < tables_.switch_count(); ++sw) {
      visit({tables_.port0(sw)}, d);
      for (unsigned number = 1; number <= tables_.port_count(sw); ++number)
        if (const PortIndex p = plus(tables_.port0(sw), number); host_behind(p)) visit({p}, d);
    }
  }
  bool host_behind(PortIndex p) const {
    const PortIndex peer = tables_.arrival_from(p);
    return peer != kNoPort && tables_.switch_at(peer) == ProgrammedTables::kNoSwitch;
  }
  void failed(std::string what) {
    if (verdict_.failures.size() < max_failures_) verdict_.failures.push_back(std::move(what));
  }
  std::string target(std::size_t d) const { return world_.node(sets_.destinations[d].sw).id; }

  /// The set for packets that came in by `arrival`; nullptr when there is none.
  const std::vector<PortNum>* set_at(PortIndex arrival, std::size_t d) {
    const Port& port = world_.port(arrival);
    const PortSets::SwitchSets& at = sets_.switches[world_.node(port.node).switch_index];
    const std::size_t klass =
        raw(port.number) < at.class_of_arrival.size() ? at.class_of_arrival[raw(port.number)] : 0;
    if (klass < at.of.size() && at.of[klass][d] == PortSets::kByTables) {
      const std::vector<PortNum>& lft = world_.switch_of(port.node).lft;
      const PortNum exit = raw(lid_) < lft.size() ? lft[raw(lid_)] : kPortDrop;
      if (exit == kPortDrop) return nullptr;
      by_table_.front() = exit;
      return &by_table_;
    }
    if (klass >= at.of.size() || at.of[klass][d] < 0) return nullptr;
    const std::vector<PortNum>& set = at.sets[static_cast<std::size_t>(at.of[klass][d])];
    return set.empty() ? nullptr : &set;
  }

  /// Depth first from one place, through every member.
  void visit(Place start, std::size_t d) {
    if (state(start) != fresh) return;
    std::vector<Frame> stack{{start}};
    state(start) = on_stack;
    while (!stack.empty()) {
      Frame& top = stack.back();
      const bool arrived = world_.port(top.at.arrival).node == sets_.destinations[d].sw;
      const std::vector<PortNum>* set = arrived ? nullptr : set_at(top.at.arrival, d);
      if (top.next == 0) {
        ++verdict_.walked;
        if (!arrived && set == nullptr)
          failed(fmt::format("no port set for {} at {}", target(d), world_.name(top.at.arrival)));
      }
      if (set == nullptr || top.next >= set->size()) {
        state(top.at) = finished;
        stack.pop_back();
        continue;
      }
      const std::optional<Place> next = step(top.at, (*set)[top.next++], d);
      if (!next || state(*next) == finished) continue;
      if (state(*next) == on_stack) {
        failed(fmt::format("packets to {} can go in a circle through {}", target(d),
                           world_.name(next->arrival)));
        continue;
      }
      state(*next) = on_stack;
      stack.push_back({*next});
    }
  }

  /// Where a member leads; nothing, and told, when nowhere. Its lanes go into the graph.
  std::optional<Place> step(Place at, PortNum exit, std::size_t d) {
    const Port& port = world_.port(at.arrival);
    const PortIndex out = world_.port_of(port.node, exit);
    const PortIndex next = tables_.arrival_from(out);
    if (next == kNoPort || tables_.switch_at(next) == ProgrammedTables::kNoSwitch) {
      failed(fmt::format("{}, a member for {}, leads to no switch", world_.name(out), target(d)));
      return std::nullopt;
    }
    const Vl vl = lane_out(world_, port.node, port.number, exit, sl_);
    if (vl == kVlDrop) {
      failed(fmt::format("SL {} has no lane from {} to {}", raw(sl_), world_.name(at.arrival),
                         world_.name(out)));
      return std::nullopt;
    }
    // Nothing waits for the first link of a way: what comes from a host or the switch itself holds no lane.
    const bool from_a_switch =
        port.number != PortNum{0} && tables_.switch_at(port.peer) != ProgrammedTables::kNoSwitch;
    if (from_a_switch) graph_.depend(graph_.channel(at.arrival, at.vl), exit, vl);
    return Place{next, vl};
  }

  /// At the destination's own switch the ordinary table must lead to whoever has the LID.
  void deliver(std::size_t d) {
    const NodeIndex n = sets_.destinations[d].sw;
    const std::uint32_t sw = tables_.switch_at(world_.node(n).first_port);
    for (const auto& [first, last] : sets_.destinations[d].lids)
      for (unsigned lid = raw(first); lid <= raw(last); ++lid) {
        const PortIndex end = tables_.arrival(sw, static_cast<Lid>(lid));
        if (end == kNoPort || !world_.owns(end, static_cast<Lid>(lid)))
          failed(fmt::format("LID {} is not behind {}", lid, target(d)));
      }
  }

  const World& world_;
  const PortSets& sets_;
  std::vector<PortNum> by_table_ = std::vector<PortNum>(1);  // a set of one, good until the next look
  Lid lid_{};
  Sl sl_;
  std::size_t max_failures_;
  ProgrammedTables tables_;
  ChannelGraph graph_;
  std::vector<std::uint8_t> state_;  // by channel, of one destination
  SetsVerdict verdict_;
};

}  // namespace

SetsVerdict judge_port_sets(const World& world, const PortSets& sets, Sl sl, std::size_t max_failures) {
  return Judge(world, sets, sl, max_failures).judge();
}

}  // namespace weft::sim
