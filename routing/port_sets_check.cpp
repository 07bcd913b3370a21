// The judge of port sets: it reads the cables and the tables by itself. Per leaf, or per LID where these part
// by the tables, the members at every switch and state class make a graph; what packets can reach of it must
// have no cycle and no end but the leaf. What every member may wait for goes into one ChannelGraph, with the
// traffic to switches that the tables alone carry.

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "routing/check.h"
#include "routing/check_cables.h"
#include "routing/port_sets.h"

namespace weft::routing {
namespace {

constexpr std::size_t kSetExamples = 5;
constexpr std::size_t kMostCycles = 32;

class SetsChecker {
 public:
  SetsChecker(const Problem& problem, const Routes& routes, const PortSets& sets)
      : problem_(problem),
        routes_(routes),
        sets_(sets),
        cables_(problem),
        lanes_(routes.lanes.get()),
        classes_(static_cast<std::uint32_t>(sets.state_classes)),
        channels_(cables_.peers, cables_.width, lanes_ ? static_cast<std::uint32_t>(lanes_->count) : 1),
        mask_(std::size_t{cables_.count} * classes_),
        came_(mask_.size()) {}

  SetsReport run() {
    std::vector<std::vector<Lid>> lids(cables_.count);
    for (const Destination& d : problem_.destinations)
      for (std::uint32_t j = 0; !d.is_switch() && j < 1U << d.lmc; ++j)
        lids[raw(d.at)].push_back(static_cast<Lid>(raw(d.base) + j));
    for (std::size_t leaf = 0; leaf < sets_.leaves.size(); ++leaf) {
      leaf_ = raw(sets_.leaves[leaf]);
      bool round = false;
      for (const std::span<const Lid> flow : flows(leaf, lids[leaf_])) {
        spread(leaf, flow);
        round |= comes_round();
        add_dependencies();
      }
      if (!round) continue;
      report_.loops.push_back(static_cast<std::uint32_t>(leaf));
      note(fmt::format("members for {} come round", name(leaf_)));
    }
    for (const Destination& d : problem_.destinations)
      if (d.is_switch()) add_tables(d);
    report_.cycles = channels_.find_cycles(kMostCycles, 1);
    if (!report_.cycles.empty()) report_.cycle = describe_cycle(*problem_.fabric, report_.cycles.front());
    return std::move(report_);
  }

 private:
  /// A switch and the state class of packets there; leaf_ has none.
  using State = std::uint32_t;

  std::string name(std::uint32_t s) const {
    return describe(problem_.fabric->node(static_cast<SwitchId>(s)));
  }
  void note(std::string text) {
    if (report_.examples.size() < kSetExamples) report_.examples.push_back(std::move(text));
  }
  std::uint32_t lane_class(std::uint32_t s, std::uint32_t port) const {
    return lanes_ ? lanes_->class_of(s, port) : 0;
  }
  State behind(std::uint32_t s, std::uint8_t port) const {
    const std::uint16_t next = cables_.peers[s * cables_.width + port];
    return next * classes_ + sets_.class_at(next, cables_.far[s * cables_.width + port]);
  }

  /// LIDs of a leaf that packets may be taken together for: all, unless some switch sends one of them another
  /// way than the others, by the tables.
  std::vector<std::span<const Lid>> flows(std::size_t leaf, std::span<const Lid> lids) const {
    bool apart = false;
    for (std::uint32_t s = 0; s < cables_.count && !apart && lids.size() > 1; ++s) {
      bool by_tables = false;
      for (std::uint32_t c = 0; c < classes_; ++c) by_tables |= sets_.at(s, leaf, c) == PortMask{};
      const auto out = [&](Lid lid) { return routes_.out(static_cast<SwitchId>(s), lid); };
      apart = by_tables && s != leaf_ &&
              std::ranges::any_of(lids, [&](Lid lid) { return out(lid) != out(lids.front()); });
    }
    std::vector<std::span<const Lid>> flows;
    if (!apart) return {lids};
    for (std::size_t i = 0; i < lids.size(); ++i) flows.push_back(lids.subspan(i, 1));
    return flows;
  }

  /// mask_: by state that packets for the leaf reach, members that lead to a switch; came_: lane classes of
  /// the ports that they come in by. Counts what is missing or astray.
  void spread(std::size_t leaf, std::span<const Lid> lids) {
    std::ranges::fill(mask_, PortMask{});
    std::ranges::fill(came_, 0);
    reached_.clear();
    for (std::uint32_t s = 0; s < cables_.count; ++s) {
      if (s == leaf_ || cables_.part[s] != cables_.part[leaf_]) continue;
      came_[s * classes_] = 1U << Lanes::kEndClass;
      reached_.push_back(s * classes_);
    }
    for (std::size_t i = 0; i < reached_.size(); ++i) {
      const State state = reached_[i];
      const std::uint32_t s = state / classes_;
      read_members(state, leaf, lids);
      each_port(mask_[state], [&](std::uint8_t port) {
        const State next = behind(s, port);
        if (next / classes_ == leaf_) return;
        if (came_[next] == 0) reached_.push_back(next);
        came_[next] |= static_cast<std::uint8_t>(
            1U << lane_class(next / classes_, cables_.far[s * cables_.width + port]));
      });
    }
  }

  void read_members(State state, std::size_t leaf, std::span<const Lid> lids) {
    const std::uint32_t s = state / classes_;
    PortMask members = sets_.at(s, leaf, state % classes_);
    const bool by_tables = members == PortMask{};
    for (const Lid lid : lids) {
      const std::uint8_t port = raw(routes_.out(static_cast<SwitchId>(s), lid));
      if (by_tables && port != raw(kPortDrop)) add_port(members, port);
      if (!by_tables && !has_port(members, port)) {
        ++report_.strays;
        note(fmt::format("port {} of {} for LID {} is no member", port, name(s), raw(lid)));
      }
    }
    bool astray = !by_tables && members == sets_.spare_of(s, sets_.set_at(s, leaf, state % classes_));
    astray = astray || members == PortMask{};
    each_port(members,
              [&](std::uint8_t port) { astray |= cables_.peer(s, port) >= CheckCables::kLastIndex; });
    if (!astray) {
      mask_[state] = members;
    } else if (!lids.empty()) {
      ++report_.missing;
      note(fmt::format("{} has a set for {} that leads nowhere, or by spare ports alone", name(s),
                       name(leaf_)));
    }
  }

  /// Depth-first search along the members.
  bool comes_round() const {
    enum : std::uint8_t { fresh, open, done };
    std::vector<std::uint8_t> progress(mask_.size(), fresh);
    struct Step {
      State state;
      PortMask left;
    };
    std::vector<Step> path;
    for (const State from : reached_) {
      if (progress[from] != fresh) continue;
      progress[from] = open;
      path.push_back({from, mask_[from]});
      while (!path.empty()) {
        PortMask& left = path.back().left;
        const auto word = std::ranges::find_if(left, [](std::uint64_t w) { return w != 0; });
        if (word == left.end()) {
          progress[path.back().state] = done;
          path.pop_back();
          continue;
        }
        const auto port = static_cast<std::uint8_t>((word - left.begin()) * 64 + std::countr_zero(*word));
        *word &= *word - 1;
        const State next = behind(path.back().state / classes_, port);
        if (next / classes_ == leaf_ || progress[next] == done) continue;
        if (progress[next] == open) return true;
        progress[next] = open;
        path.push_back({next, mask_[next]});
      }
    }
    return false;
  }

  void add_dependencies() {
    for (const State state : reached_) {
      const std::uint32_t s = state / classes_;
      each_port(mask_[state], [&](std::uint8_t port) {
        const State next = behind(s, port);
        if (next / classes_ == leaf_) return;
        if (!lanes_) {
          channels_.depend_all(channels_.id(s, port), mask_[next]);
          return;
        }
        const std::uint32_t out = lane_class(s, port);
        const std::uint32_t in = lane_class(next / classes_, cables_.far[s * cables_.width + port]);
        std::uint32_t held = 0;  // VLs that packets leave by
        for (std::uint32_t from = 0; from < Lanes::kClasses; ++from)
          if ((came_[state] >> from & 1) != 0) held |= 1U << lanes_->vl[from][out];
        each_port(mask_[next], [&](std::uint8_t onward) {
          const std::uint32_t lane = lanes_->vl[in][lane_class(next / classes_, onward)];
          for (std::uint32_t bits = held; bits != 0; bits &= bits - 1)
            channels_.depend(channels_.id(s, port, static_cast<std::uint32_t>(std::countr_zero(bits))),
                             onward, lane);
        });
      });
    }
  }

  /// Traffic to a switch's own LID, from everybody if a manager runs there, else from hosts and managers.
  void add_tables(const Destination& to) {
    std::vector<std::uint8_t> seen(cables_.count);  // lane classes of ports that packets come in by
    const auto out = [&](std::uint32_t s) { return raw(routes_.out(static_cast<SwitchId>(s), to.base)); };
    for (const std::uint32_t from : to.is_peer() ? cables_.all : cables_.talkers) {
      std::uint32_t in = Lanes::kEndClass;
      for (std::uint32_t s = from; s != raw(to.at) && (seen[s] >> in & 1) == 0;) {
        seen[s] |= static_cast<std::uint8_t>(1U << in);
        const std::uint8_t port = out(s);
        const std::uint16_t next = cables_.peer(s, port);
        if (next >= CheckCables::kLastIndex) break;
        const std::uint32_t lane = lanes_ ? lanes_->vl[in][lane_class(s, port)] : 0;
        in = lane_class(next, cables_.far[s * cables_.width + port]);
        const std::uint8_t onward = out(next);
        if (onward < cables_.width)
          channels_.depend(channels_.id(s, port, lane), onward,
                           lanes_ ? lanes_->vl[in][lane_class(next, onward)] : 0);
        s = next;
      }
    }
  }

  const Problem& problem_;
  const Routes& routes_;
  const PortSets& sets_;
  CheckCables cables_;
  const Lanes* lanes_;
  std::uint32_t classes_;
  ChannelGraph channels_;
  std::uint32_t leaf_ = 0;
  std::vector<PortMask> mask_;      // by state
  std::vector<std::uint8_t> came_;  // by state
  std::vector<State> reached_;
  SetsReport report_;
};

}  // namespace

SetsReport check_sets(const Problem& problem, const Routes& routes, const PortSets& sets) {
  return SetsChecker(problem, routes, sets).run();
}

}  // namespace weft::routing
