// The judge of multicast trees. A tree whose entries all lead to a neighbour with an entry back, and which
// has as many links as it takes to join its switches, brings each packet to each of them once, whoever sends.

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "routing/multicast.h"
#include "routing/waits.h"

namespace weft::routing {
namespace {

constexpr std::size_t kTreeExamples = 5;

class TreeJudge {
 public:
  TreeJudge(const Problem& problem, const Routes& routes, const Waits& waits)
      : fabric_(*problem.fabric),
        lanes_(routes.lanes.get()),
        cables_(waits.cables),
        shared_(waits.channels),
        own_(cables_.peers, cables_.width, 1),
        ports_(cables_.count) {}

  void judge(const MulticastGroup& group, const MulticastTree& tree) {
    tree_ = &tree;
    for (const MulticastTree::Branch& b : tree.branches) ports_[raw(b.at)] = &b.ports;
    follow_links();
    find_members(group);
    add_turns();
    for (const MulticastTree::Branch& b : tree.branches) ports_[raw(b.at)] = nullptr;
  }

  MulticastReport finish() {
    report_.cycle = shared_.find_cycle();
    if (report_.cycle.empty()) report_.cycle = own_.find_cycle();
    if (!report_.cycle.empty()) note(describe_cycle(fabric_, report_.cycle));
    return std::move(report_);
  }

 private:
  void note(std::string text) {
    if (report_.examples.size() < kTreeExamples) report_.examples.push_back(std::move(text));
  }
  std::string place(std::uint32_t s, std::uint8_t port) const {
    return fmt::format("MLID 0x{:04x} at {}", raw(tree_->mlid),
                       describe(fabric_, {fabric_.node_of(static_cast<SwitchId>(s)), PortNum{port}}));
  }
  bool has(std::uint32_t s, std::uint8_t port) const { return ports_[s] && has_port(*ports_[s], port); }

  /// of_: by switch of the tree, one that it hangs together with.
  void follow_links() {
    of_.clear();
    for (const MulticastTree::Branch& b : tree_->branches) of_[raw(b.at)] = raw(b.at);
    for (const MulticastTree::Branch& b : tree_->branches) {
      const std::uint32_t s = raw(b.at);
      const std::uint16_t room = fabric_.node(b.at).switch_facts.mft_capacity;
      if (room != 0 && (raw(tree_->mlid) & 0x3fffU) >= room) {
        ++report_.no_room;
        note(place(s, 0) + " is beyond the table");
      }
      each_port(b.ports, [&](std::uint8_t port) {
        const std::uint16_t next = cables_.peer(s, port);
        if (next == CheckCables::kEnd) return;
        const std::uint8_t far = next == CheckCables::kDead ? 0 : cables_.far[s * cables_.width + port];
        if (next == CheckCables::kDead || !has(next, far)) {
          ++report_.dead;
          note(place(s, port) + " leads nowhere");
          return;
        }
        if (std::pair(s, port) > std::pair(std::uint32_t{next}, far)) return;  // from the other end
        const std::uint32_t a = root(s);
        const std::uint32_t z = root(next);
        if (a == z) {
          ++report_.rings;
          note(place(s, port) + " closes a ring");
        }
        of_[std::max(a, z)] = std::min(a, z);
      });
    }
  }
  std::uint32_t root(std::uint32_t s) {
    while (of_[s] != s) s = of_[s];
    return s;
  }

  void find_members(const MulticastGroup& group) {
    std::map<std::uint32_t, std::uint32_t> joined;  // by part of the fabric: part of the tree
    std::map<std::uint32_t, PortMask> receivers;
    for (const MulticastMember& m : group.members) {
      const std::uint32_t s = raw(m.at);
      if (m.receives) add_port(receivers[s], raw(m.port));
      const bool reached = ports_[s] && (!m.receives || has(s, raw(m.port)));
      if (reached && joined.emplace(cables_.part[s], root(s)).first->second == root(s)) continue;
      ++report_.lost;
      note(place(s, raw(m.port)) + " is not joined to the others");
    }
    for (const MulticastTree::Branch& b : tree_->branches) {
      each_port(b.ports, [&](std::uint8_t port) {
        if (cables_.peer(raw(b.at), port) != CheckCables::kEnd) return;
        if (has_port(receivers[raw(b.at)], port)) return;
        ++report_.strays;
        note(place(raw(b.at), port) + " is no member");
      });
    }
  }

  /// Follows packets with the VLs that they get, from every end port at every switch of the tree.
  void add_turns() {
    const bool by_lane = !tree_->own_lane && lanes_ != nullptr;
    ChannelGraph& channels = tree_->own_lane ? own_ : shared_;
    std::map<std::pair<std::uint32_t, std::uint8_t>, std::uint8_t> lanes;  // by channel: VLs in use
    std::deque<std::tuple<std::uint32_t, std::uint8_t, std::uint8_t>> open;
    const auto vl = [&](std::uint32_t s, std::uint8_t in, std::uint8_t out) {
      return by_lane ? raw(lanes_->at(static_cast<SwitchId>(s), PortNum{in}, PortNum{out})) : std::uint8_t{0};
    };
    const auto leave = [&](std::uint32_t s, std::uint8_t port, std::uint8_t lane) {
      std::uint8_t& known = lanes[{s, port}];
      if ((known >> lane & 1) == 0) open.emplace_back(s, port, lane);
      known |= static_cast<std::uint8_t>(1U << lane);
    };
    const auto leads_on = [&](std::uint32_t s, std::uint8_t port) {
      return cables_.peer(s, port) < CheckCables::kLastIndex;
    };
    for (const MulticastTree::Branch& b : tree_->branches)
      each_port(b.ports, [&](std::uint8_t port) {
        if (leads_on(raw(b.at), port)) leave(raw(b.at), port, vl(raw(b.at), 0, port));
      });
    while (!open.empty()) {
      const auto [s, port, lane] = open.front();
      open.pop_front();
      const std::uint16_t next = cables_.peer(s, port);
      const std::uint8_t in = cables_.far[s * cables_.width + port];
      if (!ports_[next]) continue;
      const std::uint32_t held = channels.id(s, port, lane);
      each_port(*ports_[next], [&](std::uint8_t out) {
        if (out == in || !leads_on(next, out)) return;
        channels.depend(held, out, vl(next, in, out));
        leave(next, out, vl(next, in, out));
      });
    }
  }

  const fabric::Fabric& fabric_;
  const Lanes* lanes_;
  const CheckCables& cables_;
  ChannelGraph shared_;
  ChannelGraph own_;
  std::vector<const PortMask*> ports_;  // by switch: its entry in the tree at hand
  const MulticastTree* tree_ = nullptr;
  std::map<std::uint32_t, std::uint32_t> of_;
  MulticastReport report_;
};

}  // namespace

MulticastReport check_multicast(const Problem& problem, const Routes& routes, const Waits& waits,
                                std::span<const MulticastGroup> groups,
                                std::span<const MulticastTree> trees) {
  TreeJudge judge(problem, routes, waits);
  for (std::size_t i = 0; i < std::min(groups.size(), trees.size()); ++i) judge.judge(groups[i], trees[i]);
  return judge.finish();
}

}  // namespace weft::routing
