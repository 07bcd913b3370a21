// A top, the ways of the members to it, and the cut above what they have in common. Ways come from one
// breadth-first search downwards from the top, so that two groups with one top share them; among equally near
// ones a hash picks. Source: own; up*/down* as in reference "Routing", 3.1.

#include "routing/multicast.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "routing/multicast_basis.h"
#include "routing/parallel.h"

namespace weft::routing {
namespace {

constexpr std::uint32_t kNoPlace = MulticastOrder::kNone;

/// Spreads choices evenly, the same at every call.
constexpr std::uint64_t mixed_hash(std::uint64_t a, std::uint64_t b, std::uint64_t c = 0) {
  std::uint64_t x = a * 0x9e3779b97f4a7c15 + b * 0xc2b2ae3d27d4eb4f + c * 0x165667b19e3779f9;
  x = (x ^ x >> 32) * 0xd6e8feb86659fd93;
  return x ^ x >> 32;
}

/// Makes trees; one for each thread.
class TreeMaker {
 public:
  explicit TreeMaker(const MulticastBasis& basis)
      : p_(basis.parts()), graph_(p_.graph), wanted_(p_.words), place_(graph_.size(), kNoPlace) {}

  MulticastTree make(const MulticastGroup& group) {
    tree_ = {};
    tree_.mlid = group.mlid;
    tree_.own_lane = p_.own_lane;
    if (try_along(p_.orders, group)) return finish();
    const MulticastBasis::Parts::Fallback& fallback = p_.fallback();
    if (fallback.orders.empty()) return finish();
    tree_ = {};
    tree_.mlid = group.mlid;
    tree_.own_lane = fallback.own_lane;
    try_along(fallback.orders, group);
    return finish();
  }

  /// The top that the group's tree hangs from, for putting trees of one top side by side.
  std::uint32_t usual_top(const MulticastGroup& group) {
    const MulticastOrder* order = MulticastBasis::Parts::order_for(p_.orders, group.mlid);
    if (!order || group.members.empty()) return kNoPlace;
    return usual_top(*order, group.mlid, graph_.parts()[raw(group.members.front().at)]);
  }

 private:
  struct Node {
    std::uint32_t s = 0;
    std::uint32_t parent = kNoPlace;  // place in nodes_
    std::uint32_t children = 0;
    bool member = false;
    PortMask ports{};
  };

  /// False when an order that reaches more might serve members that this one does not.
  bool try_along(const std::vector<MulticastOrder>& orders, const MulticastGroup& group) {
    const MulticastOrder* order = MulticastBasis::Parts::order_for(orders, group.mlid);
    std::vector<MulticastMember> members = group.members;
    std::ranges::sort(members, {}, [this](const MulticastMember& m) {
      return std::tuple(graph_.parts()[raw(m.at)], raw(m.at), raw(m.port), m.receives);
    });
    bool all = true;
    for (std::size_t from = 0; from < members.size();) {
      std::size_t upto = from;
      while (upto < members.size() && part_of(members[upto]) == part_of(members[from])) ++upto;
      all = join(order, std::span(members).subspan(from, upto - from)) && all;
      from = upto;
    }
    return all;
  }

  std::uint32_t part_of(const MulticastMember& m) const { return graph_.parts()[raw(m.at)]; }

  /// Members of one part.
  bool join(const MulticastOrder* order, std::span<const MulticastMember> members) {
    const auto has_room = [order](const MulticastMember& m) {
      return order && order->level[raw(m.at)] != kNoPlace;
    };
    std::ranges::fill(wanted_, 0);
    bool any = false;
    for (const MulticastMember& m : members) {
      if (!has_room(m)) {
        tree_.unserved.push_back(m);
        if (tree_.why.empty())
          tree_.why = fmt::format("the multicast table of {} has no room for MLID 0x{:04x}",
                                  to_string(p_.guids[raw(m.at)]), raw(tree_.mlid));
        continue;
      }
      any = true;
      wanted_[raw(m.at) / 64] |= std::uint64_t{1} << raw(m.at) % 64;
    }
    if (!any) return true;
    const std::uint32_t top = choose_top(*order, part_of(members.front()));
    if (top == kNoPlace) {
      for (const MulticastMember& m : members)
        if (has_room(m)) tree_.unserved.push_back(m);
      if (tree_.why.empty()) tree_.why = "no switch with room for it reaches all members on ways down";
      return false;
    }
    aim(*order, top);
    for (const MulticastMember& m : members) {
      if (!has_room(m)) continue;
      Node& node = nodes_[climb(raw(m.at))];
      node.member = true;
      if (m.receives) add_port(node.ports, raw(m.port));
    }
    cut_above();
    for (const Node& node : nodes_) {
      if (node.s == kNoPlace) continue;  // cut off
      place_[node.s] = kNoPlace;
      tree_.branches.push_back({static_cast<SwitchId>(node.s), node.ports});
    }
    nodes_.clear();
    return true;
  }

  bool reaches_all(const MulticastOrder& order, std::uint32_t s) const {
    const std::uint64_t* have = order.reach.data() + std::size_t{s} * p_.words;
    for (std::uint32_t w = 0; w < p_.words; ++w)
      if ((wanted_[w] & ~have[w]) != 0) return false;
    return true;
  }

  std::uint32_t usual_top(const MulticastOrder& order, Lid mlid, std::uint32_t part) const {
    const std::vector<std::uint32_t>& tops = order.tops[part];
    if (tops.empty()) return kNoPlace;
    if (!order.homes.empty()) {
      const std::uint32_t home = order.homes[multicast_index(mlid) % order.homes.size()];
      if (home != kNoPlace && std::ranges::binary_search(tops, home)) return home;
    }
    return *std::ranges::max_element(
        tops, {}, [mlid, this](std::uint32_t s) { return mixed_hash(raw(p_.guids[s]), raw(mlid)); });
  }

  /// The usual one if it reaches these members, else the highest that does.
  std::uint32_t choose_top(const MulticastOrder& order, std::uint32_t part) const {
    const std::uint32_t usual = usual_top(order, tree_.mlid, part);
    if (usual != kNoPlace && reaches_all(order, usual)) return usual;
    std::uint32_t best = kNoPlace;
    const auto key = [&](std::uint32_t s) {
      return std::tuple(order.level[s], ~mixed_hash(raw(p_.guids[s]), raw(tree_.mlid)));
    };
    for (std::uint32_t s = 0; s < graph_.size(); ++s) {
      if (graph_.parts()[s] != part || order.level[s] == kNoPlace || !reaches_all(order, s)) continue;
      if (best == kNoPlace || key(s) < key(best)) best = s;
    }
    return best;
  }

  /// up_: by switch, the one above it on the way to the top.
  void aim(const MulticastOrder& order, std::uint32_t top) {
    if (order_ == &order && top_ == top) return;
    order_ = &order;
    top_ = top;
    up_.assign(graph_.size(), kNoPlace);
    best_.assign(graph_.size(), 0);
    up_[top] = top;
    std::vector<std::uint32_t> here{top};
    std::vector<std::uint32_t> next;
    for (; !here.empty(); here.swap(next)) {
      next.clear();
      for (const std::uint32_t s : here) {
        for (const Group& g : graph_.groups(s)) {
          if (!order.leads_down(s, g.to)) continue;
          const std::uint64_t key = mixed_hash(raw(p_.guids[s]), raw(p_.guids[g.to]), raw(p_.guids[top])) | 1;
          if (up_[g.to] == kNoPlace) next.push_back(g.to);
          if (up_[g.to] != kNoPlace && key <= best_[g.to]) continue;
          up_[g.to] = s;
          best_[g.to] = key;
        }
      }
      for (const std::uint32_t s : next) best_[s] = ~std::uint64_t{0};  // nearer than anything found later
    }
  }

  /// Place in nodes_ of a switch, which is joined to the top.
  std::uint32_t climb(std::uint32_t s) {
    if (place_[s] != kNoPlace) return place_[s];
    const auto first = static_cast<std::uint32_t>(nodes_.size());
    std::uint32_t below = kNoPlace;
    while (place_[s] == kNoPlace) {
      place_[s] = static_cast<std::uint32_t>(nodes_.size());
      nodes_.push_back({s, kNoPlace, 0, false, {}});
      if (below != kNoPlace) link(below, place_[s]);
      below = place_[s];
      if (s == top_) return first;
      s = up_[s];
    }
    link(below, place_[s]);
    return first;
  }

  /// Parallel links are dealt by MLID.
  void link(std::uint32_t child, std::uint32_t parent) {
    Node& low = nodes_[child];
    Node& high = nodes_[parent];
    const std::span<const Group> groups = graph_.groups(low.s);
    const auto group = std::ranges::lower_bound(groups, high.s, {}, &Group::to);
    const std::span<const std::uint8_t> ports = graph_.ports(*group);
    const std::size_t turn = multicast_index(tree_.mlid) / std::max<std::size_t>(order_->homes.size(), 1);
    const std::uint8_t port = ports[turn % ports.size()];
    add_port(low.ports, port);
    add_port(high.ports, p_.far[low.s * p_.width + port]);
    low.parent = parent;
    ++high.children;
  }

  /// From the top down, as long as a switch only hands on.
  void cut_above() {
    std::uint32_t at = place_[top_];
    while (!nodes_[at].member && nodes_[at].children == 1) {
      const auto child = std::ranges::find(nodes_, at, &Node::parent);
      const std::span<const Group> groups = graph_.groups(child->s);
      const auto group = std::ranges::lower_bound(groups, nodes_[at].s, {}, &Group::to);
      for (const std::uint8_t port : graph_.ports(*group))
        child->ports[port / 64] &= ~(std::uint64_t{1} << port % 64);
      child->parent = kNoPlace;
      place_[nodes_[at].s] = kNoPlace;
      nodes_[at].s = nodes_[at].parent = kNoPlace;
      at = static_cast<std::uint32_t>(child - nodes_.begin());
    }
  }

  MulticastTree finish() {
    std::ranges::sort(tree_.branches, {}, &MulticastTree::Branch::at);
    return std::move(tree_);
  }

  const MulticastBasis::Parts& p_;
  const SwitchGraph& graph_;
  MulticastTree tree_;
  std::vector<std::uint64_t> wanted_;  // switches of members of the part at hand
  std::vector<std::uint32_t> place_;   // by switch: in nodes_
  std::vector<Node> nodes_;
  const MulticastOrder* order_ = nullptr;
  std::uint32_t top_ = kNoPlace;
  std::vector<std::uint32_t> up_;
  std::vector<std::uint64_t> best_;
};

}  // namespace

MulticastTree multicast_tree(const MulticastBasis& basis, const MulticastGroup& group) {
  return TreeMaker(basis).make(group);
}

std::vector<MulticastTree> multicast_trees(const MulticastBasis& basis,
                                           std::span<const MulticastGroup> groups, unsigned threads) {
  TreeMaker first(basis);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> by_top;
  for (std::uint32_t i = 0; i < groups.size(); ++i) by_top.emplace_back(first.usual_top(groups[i]), i);
  std::ranges::sort(by_top);
  std::vector<MulticastTree> trees(groups.size());
  in_pieces(static_cast<std::uint32_t>(groups.size()), threads, [&](std::uint32_t from, std::uint32_t upto) {
    TreeMaker maker(basis);
    for (std::uint32_t i = from; i < upto; ++i)
      trees[by_top[i].second] = maker.make(groups[by_top[i].second]);
  });
  return trees;
}

std::vector<std::vector<MulticastEntry>> multicast_tables(std::span<const MulticastTree> trees,
                                                          std::size_t switch_count) {
  std::vector<std::vector<MulticastEntry>> tables(switch_count);
  for (const MulticastTree& tree : trees)
    for (const MulticastTree::Branch& b : tree.branches) tables[raw(b.at)].push_back({tree.mlid, b.ports});
  for (auto& table : tables) std::ranges::sort(table, {}, &MulticastEntry::mlid);
  return tables;
}

}  // namespace weft::routing
