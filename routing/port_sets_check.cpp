// The judge of port sets: it reads the cables and the tables by itself. Per leaf, the members at every switch
// make a graph; it must have no cycle and no end but the leaf. What every member may wait for goes into one
// ChannelGraph, with the traffic to switches that the tables alone carry.

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "routing/check.h"
#include "routing/check_cables.h"
#include "routing/port_sets.h"

namespace weft::routing {
namespace {

constexpr std::size_t kSetExamples = 5;

class SetsChecker {
 public:
  SetsChecker(const Problem& problem, const Routes& routes, const PortSets& sets)
      : problem_(problem),
        routes_(routes),
        sets_(sets),
        cables_(problem),
        channels_(cables_.peers, cables_.width, 1),
        mask_(cables_.count) {}

  SetsReport run() {
    std::vector<std::vector<Lid>> lids(cables_.count);
    for (const Destination& d : problem_.destinations)
      for (std::uint32_t j = 0; !d.is_switch() && j < 1U << d.lmc; ++j)
        lids[raw(d.at)].push_back(static_cast<Lid>(raw(d.base) + j));
    for (std::size_t leaf = 0; leaf < sets_.leaves.size(); ++leaf) {
      read_leaf(leaf, lids[raw(sets_.leaves[leaf])]);
      if (comes_round(raw(sets_.leaves[leaf]))) {
        ++report_.loops;
        note(fmt::format("members for {} come round", name(raw(sets_.leaves[leaf]))));
      }
      add_dependencies(raw(sets_.leaves[leaf]));
    }
    for (const Destination& d : problem_.destinations)
      if (d.is_switch()) add_tables(d);
    const std::vector<Channel> cycle = channels_.find_cycle();
    report_.cycle = describe_cycle(*problem_.fabric, cycle);
    return std::move(report_);
  }

 private:
  std::string name(std::uint32_t s) const {
    return describe(problem_.fabric->node(static_cast<SwitchId>(s)));
  }
  void note(std::string text) {
    if (report_.examples.size() < kSetExamples) report_.examples.push_back(std::move(text));
  }
  /// mask_: by switch, members that lead to a switch; counts what is missing or astray.
  void read_leaf(std::size_t leaf, const std::vector<Lid>& lids) {
    const std::uint32_t at = raw(sets_.leaves[leaf]);
    for (std::uint32_t s = 0; s < cables_.count; ++s) {
      mask_[s] = sets_.at(s, leaf);
      if (s == at) mask_[s] = {};
      if (s == at || cables_.part[s] != cables_.part[at]) continue;
      const bool by_tables = mask_[s] == PortMask{};
      for (const Lid lid : lids) {
        const std::uint8_t port = raw(routes_.out(static_cast<SwitchId>(s), lid));
        if (by_tables && port != raw(kPortDrop)) add_port(mask_[s], port);
        if (!by_tables && !has_port(mask_[s], port)) {
          ++report_.strays;
          note(fmt::format("port {} of {} for LID {} is no member", port, name(s), raw(lid)));
        }
      }
      if (lids.empty()) continue;
      bool any = false;
      bool astray = false;
      each_port(mask_[s], [&](std::uint8_t port) {
        any = true;
        astray |= cables_.peer(s, port) >= CheckCables::kLastIndex;
      });
      if (any && !astray) continue;
      ++report_.missing;
      note(fmt::format("{} has a set for {} that leads nowhere", name(s), name(at)));
      mask_[s] = {};
    }
  }

  /// Depth-first search along the members.
  bool comes_round(std::uint32_t leaf) {
    enum : std::uint8_t { fresh, open, done };
    std::vector<std::uint8_t> state(cables_.count, fresh);
    state[leaf] = done;
    struct Step {
      std::uint32_t s;
      PortMask left;
    };
    std::vector<Step> path;
    for (std::uint32_t from = 0; from < cables_.count; ++from) {
      if (state[from] != fresh) continue;
      state[from] = open;
      path.push_back({from, mask_[from]});
      while (!path.empty()) {
        PortMask& left = path.back().left;
        const auto word = std::ranges::find_if(left, [](std::uint64_t w) { return w != 0; });
        if (word == left.end()) {
          state[path.back().s] = done;
          path.pop_back();
          continue;
        }
        const auto port = static_cast<std::uint32_t>((word - left.begin()) * 64 + std::countr_zero(*word));
        *word &= *word - 1;
        const std::uint16_t next = cables_.peers[path.back().s * cables_.width + port];
        if (state[next] == open) return true;
        if (state[next] == done) continue;
        state[next] = open;
        path.push_back({next, mask_[next]});
      }
    }
    return false;
  }

  void add_dependencies(std::uint32_t leaf) {
    for (std::uint32_t s = 0; s < cables_.count; ++s) {
      each_port(mask_[s], [&](std::uint8_t port) {
        const std::uint16_t next = cables_.peers[s * cables_.width + port];
        if (next != leaf) channels_.depend_all(channels_.id(s, port), mask_[next]);
      });
    }
  }

  /// Traffic to a switch's own LID, from everybody if a manager runs there, else from hosts and managers.
  void add_tables(const Destination& to) {
    std::vector<bool> seen(cables_.count);
    for (std::uint32_t s : to.is_peer() ? cables_.all : cables_.talkers) {
      while (!seen[s] && s != raw(to.at)) {
        seen[s] = true;
        const std::uint8_t port = raw(routes_.out(static_cast<SwitchId>(s), to.base));
        const std::uint16_t next = cables_.peer(s, port);
        if (next >= CheckCables::kLastIndex) break;
        const std::uint8_t onward = raw(routes_.out(static_cast<SwitchId>(next), to.base));
        if (onward < cables_.width) channels_.depend(channels_.id(s, port), onward);
        s = next;
      }
    }
  }

  const Problem& problem_;
  const Routes& routes_;
  const PortSets& sets_;
  CheckCables cables_;
  ChannelGraph channels_;
  std::vector<PortMask> mask_;
  SetsReport report_;
};

}  // namespace

SetsReport check_sets(const Problem& problem, const Routes& routes, const PortSets& sets) {
  return SetsChecker(problem, routes, sets).run();
}

}  // namespace weft::routing
