#include "routing/tree_relief.h"

#include <algorithm>
#include <map>

#include "routing/tree_basis.h"

namespace weft::routing {
namespace {

constexpr std::uint32_t kNowhere = ~0U;

/// Switches with hosts that have the same parents by design.
struct Pod {
  std::vector<std::uint32_t> leaves;
  std::uint32_t hosts = 0;
  std::uint32_t widest = 0;             // hosts on one leaf
  std::uint32_t slots = 0;              // of a leaf
  std::uint32_t above = 0;              // most slots of a parent
  std::vector<std::uint32_t> roots;     // [slot * above + slot of the parent]; kNowhere
  std::vector<std::uint32_t> pairs;     // by live root: the first way to it, or kNowhere
  std::vector<std::uint32_t> flows_up;  // by slot: LIDs that every leaf sends that way
};

class Relief {
 public:
  using Entries = std::vector<std::vector<TreeRelief::Entry>>;

  Relief(const TreeShape& shape, const TreeReach& reach, const LidTable& lids)
      : shape_(shape), reach_(reach), lids_(lids) {}

  Entries find() {
    if (!find_thin()) return {};
    find_pods();
    if (std::ranges::none_of(pods_, [](const Pod& pod) { return pod.above != 0; })) return {};
    sort_lids();
    entries_.resize(shape_.live);
    up_.resize(shape_.to.size());
    down_.resize(shape_.to.size());
    give_roots();
    std::ranges::fill(down_, 0);
    for (std::uint32_t pod = 0; pod < pods_.size(); ++pod) follow(pod);
    for (const Waiting& one : waiting_) choose(one);
    for (auto& of : entries_) {
      std::ranges::sort(of);
      of.erase(std::ranges::unique(of, {}, &TreeRelief::Entry::lid).begin(), of.end());
    }
    return std::move(entries_);
  }

 private:
  /// A flow from the leaves of a pod, of so many links up.
  struct Waiting {
    std::uint32_t pod;
    std::uint16_t lid;
    std::uint32_t pair;
    std::uint32_t links;
  };

  const TreeShape::Up& up(std::uint32_t s) const { return shape_.up[s]; }
  std::uint32_t parent(std::uint32_t s, std::uint32_t slot) const { return shape_.to[up(s).first_to + slot]; }
  bool lives(std::uint32_t s, std::uint32_t slot) const {
    return parent(s, slot) < shape_.live && shape_.alive(s, slot);
  }
  std::uint32_t own_slot(std::uint32_t s, std::uint16_t lid) const {
    return static_cast<std::uint32_t>(lids_.turn(lid, up(s).divider) % up(s).slots);
  }
  bool leads(std::uint32_t links, std::uint32_t s, std::uint32_t t) const {
    return (reach_.row(links, s)[t / 64] >> t % 64 & 1) != 0;
  }

  bool find_thin() {
    thin_.resize(shape_.live);
    bool any = false;
    for (std::uint32_t s = 0; s < shape_.live; ++s) {
      std::uint32_t live = 0;
      for (std::uint32_t i = 0; i < up(s).slots; ++i) live += lives(s, i) ? 1 : 0;
      thin_[s] = live * 8 < up(s).slots * 7;
      any = any || thin_[s];
    }
    return any;
  }

  void find_pods() {
    pod_of_.assign(shape_.live, kNowhere);
    hosts_.resize(shape_.live);
    std::map<std::vector<std::uint32_t>, std::uint32_t> known;
    for (const std::uint32_t s : shape_.by_rank) {
      for (const std::uint16_t lid : lids_.of(s))
        hosts_[s] += lids_.host[lid] != LidTable::kNobody && lids_.plane[lid] == 0 ? 1 : 0;
      all_hosts_ += hosts_[s];
      if (hosts_[s] == 0 || up(s).slots == 0) continue;
      const auto first = shape_.to.begin() + up(s).first_to;
      const auto [at, fresh] = known.try_emplace({first, first + up(s).slots}, pods_.size());
      if (fresh) pods_.push_back(pod_below(s));
      Pod& pod = pods_[at->second];
      pod.leaves.push_back(s);
      pod.hosts += hosts_[s];
      pod.widest = std::max(pod.widest, hosts_[s]);
      pod_of_[s] = at->second;
    }
  }

  Pod pod_below(std::uint32_t s) const {
    Pod pod;
    pod.slots = up(s).slots;
    pod.flows_up.resize(pod.slots);
    for (std::uint32_t i = 0; i < pod.slots; ++i)
      if (parent(s, i) < shape_.live) pod.above = std::max(pod.above, up(parent(s, i)).slots);
    pod.roots.assign(std::size_t{pod.slots} * pod.above, kNowhere);
    for (std::uint32_t i = 0; i < pod.slots; ++i) {
      const std::uint32_t middle = parent(s, i);
      for (std::uint32_t j = 0; middle < shape_.live && j < up(middle).slots; ++j)
        pod.roots[i * pod.above + j] = parent(middle, j);
    }
    pod.pairs.assign(shape_.live, kNowhere);
    for (auto pair = static_cast<std::uint32_t>(pod.roots.size()); pair-- > 0;)
      if (pod.roots[pair] < shape_.live) pod.pairs[pod.roots[pair]] = pair;
    return pod;
  }

  void sort_lids() {
    for (std::uint32_t lid = 0; lid < lids_.size; ++lid)
      if (lids_.host[lid] != LidTable::kNobody && pod_of_[lids_.owner[lid]] != kNowhere)
        order_.push_back(static_cast<std::uint16_t>(lid));
    std::ranges::sort(order_, {}, [this](std::uint16_t lid) { return std::pair(lids_.number[lid], lid); });
  }

  std::uint32_t middle(const Pod& pod, std::uint32_t pair) const {
    return parent(pod.leaves.front(), pair / pod.above);
  }
  std::size_t link_above(const Pod& pod, std::uint32_t pair) const {
    return up(middle(pod, pair)).first_to + pair % pod.above;
  }
  std::size_t link_below(const Pod& pod, std::uint32_t leaf, std::uint32_t pair) const {
    return up(leaf).first_to + pair / pod.above;
  }
  /// The way by design of a LID from the leaves of a pod; kNowhere where there is none.
  std::uint32_t own_pair(const Pod& pod, std::uint16_t lid) const {
    const std::uint32_t slot = own_slot(pod.leaves.front(), lid);
    const std::uint32_t above = parent(pod.leaves.front(), slot);
    if (pod.above == 0) return kNowhere;
    if (above < shape_.live && up(above).slots != 0) return slot * pod.above + own_slot(above, lid);
    return above < shape_.live ? kNowhere : slot * pod.above;
  }
  std::uint32_t pair_to(const Pod& pod, std::uint32_t root) const {
    return root < shape_.live ? pod.pairs[root] : kNowhere;
  }
  /// Whether its link above the middle switch lives.
  bool lives_above(const Pod& pod, std::uint32_t pair) const {
    return pod.roots[pair] < shape_.live && lives(middle(pod, pair), pair % pod.above);
  }
  bool whole(const Pod& pod, std::uint32_t pair, std::uint32_t links, std::uint32_t t) const {
    return lives_above(pod, pair) && leads(links - 2, pod.roots[pair], t);
  }
  /// Whether a LID's own way is dead since a switch near it is thin.
  bool cut_below(std::uint16_t lid) const {
    const std::uint32_t leaf = lids_.owner[lid];
    const std::uint32_t slot = own_slot(leaf, lid);
    if (!lives(leaf, slot)) return thin_[leaf];
    const std::uint32_t above = parent(leaf, slot);
    return thin_[above] && !lives(above, own_slot(above, lid));
  }

  static double price(std::uint64_t flows, double full) {
    const double x = static_cast<double>(flows) / full;
    return x * x * x * x * x * x;
  }
  /// The cheapest of the pairs for which cost(pair) is not negative, from the pair given on; kNowhere.
  template <typename Cost>
  static std::uint32_t cheapest(const Pod& pod, std::uint32_t from, const Cost& cost) {
    std::uint32_t best = kNowhere;
    double least = 0;
    for (std::uint32_t i = 0; i < pod.roots.size(); ++i) {
      const auto pair = static_cast<std::uint32_t>((from + i) % pod.roots.size());
      const double one = cost(pair);
      if (one < 0 || (best != kNowhere && one >= least)) continue;
      best = pair;
      least = one;
    }
    return best;
  }

  /// root_ and pair_: of each LID that has lost its own way near itself.
  void give_roots() {
    root_.assign(lids_.size, kNowhere);
    pair_.assign(lids_.size, kNowhere);
    std::vector<std::uint32_t> dealt(shape_.live);  // by root: LIDs
    std::vector<std::uint16_t> cut;
    std::uint64_t most = 1;
    std::uint32_t widest = 0;
    for (const Pod& pod : pods_) widest = std::max(widest, pod.hosts);
    const auto take = [&](std::uint16_t lid, std::uint32_t pair) {
      const Pod& pod = pods_[pod_of_[lids_.owner[lid]]];
      std::uint64_t& below = down_[link_below(pod, lids_.owner[lid], pair)];
      below += all_hosts_ - hosts_[lids_.owner[lid]];
      most = std::max(most, below);
      down_[link_above(pod, pair)] += all_hosts_ - pod.hosts;
      most = std::max(most, down_[link_above(pod, pair)]);
      ++dealt[pod.roots[pair]];
    };
    for (const std::uint16_t lid : order_) {
      const Pod& pod = pods_[pod_of_[lids_.owner[lid]]];
      const std::uint32_t pair = own_pair(pod, lid);
      if (pair == kNowhere) continue;
      if (cut_below(lid))
        cut.push_back(lid);
      else if (lives_above(pod, pair))
        take(lid, pair);
    }
    const auto full = static_cast<double>(most);
    for (const std::uint16_t lid : cut) {
      const std::uint32_t leaf = lids_.owner[lid];
      const Pod& pod = pods_[pod_of_[leaf]];
      const std::uint32_t pair = cheapest(pod, own_pair(pod, lid), [&](std::uint32_t p) {
        if (!lives(leaf, p / pod.above) || !lives_above(pod, p)) return -1.0;
        return price(down_[link_below(pod, leaf, p)] + all_hosts_ - hosts_[leaf], full) +
               price(down_[link_above(pod, p)] + all_hosts_ - pod.hosts, full) +
               price(std::uint64_t{dealt[pod.roots[p]] + 1U} * widest, full);
      });
      if (pair == kNowhere) continue;
      take(lid, pair);
      root_[lid] = pod.roots[pair];
      pair_[lid] = pair;
    }
  }

  /// What the leaves of a pod send by their own ways, and by roots given; waiting_: what has to choose.
  void follow(std::uint32_t number) {
    Pod& pod = pods_[number];
    if (pod.above == 0) return;
    for (const std::uint16_t lid : order_) {
      const std::uint32_t t = lids_.owner[lid];
      const std::uint32_t own = own_pair(pod, lid);
      if (own == kNowhere) continue;
      const bool given = root_[lid] != kNowhere;
      if (pod_of_[t] == number) {
        const bool moves = given && !lives(t, own / pod.above);
        const std::uint32_t pair = moves ? pair_[lid] : own;
        ++pod.flows_up[pair / pod.above];
        down_[link_below(pod, t, pair)] += pod.hosts - hosts_[t];
        if (moves) write_leaves(pod, lid, pair / pod.above);
        continue;
      }
      const Pod& far = pods_[pod_of_[t]];
      const bool alike = given && pod.roots[own] == far.roots[own_pair(far, lid)];
      const std::uint32_t other = alike ? pair_to(pod, root_[lid]) : kNowhere;
      const std::uint32_t pair = other == kNowhere ? own : other;
      if (whole(pod, pair, 2, t)) {
        carry(pod, lid, pair);
        if (pair != own && !is_near(pod, t)) write(pod, lid, pair);
      } else if ((cut_below(lid) || is_thin(middle(pod, own))) && !is_near(pod, t)) {
        wait(number, lid, own);
      }
    }
  }
  bool is_thin(std::uint32_t s) const { return s < shape_.live && thin_[s]; }
  /// Whether some parent leads down there.
  bool is_near(const Pod& pod, std::uint32_t t) const {
    for (std::uint32_t i = 0; i < pod.slots; ++i)
      if (const std::uint32_t m = parent(pod.leaves.front(), i); m < shape_.live && leads(0, m, t))
        return true;
    return false;
  }

  void wait(std::uint32_t number, std::uint16_t lid, std::uint32_t own) {
    const Pod& pod = pods_[number];
    const std::uint32_t t = lids_.owner[lid];
    for (std::uint32_t links = 2; links < reach_.levels(); ++links) {
      if (whole(pod, own, links, t)) return;
      for (std::uint32_t pair = 0; pair < pod.roots.size(); ++pair)
        if (whole(pod, pair, links, t)) return waiting_.push_back({number, lid, own, links});
    }
  }

  void carry(Pod& pod, std::uint16_t lid, std::uint32_t pair) {
    ++pod.flows_up[pair / pod.above];
    up_[link_above(pod, pair)] += pod.hosts;
    const std::uint32_t t = lids_.owner[lid];
    const Pod& far = pods_[pod_of_[t]];
    if (const std::uint32_t down = pair_to(far, pod.roots[pair]); down != kNowhere) {
      down_[link_above(far, down)] += pod.hosts;
      down_[link_below(far, t, down)] += pod.hosts;
    }
  }

  void choose(const Waiting& one) {
    Pod& pod = pods_[one.pod];
    const std::uint32_t t = lids_.owner[one.lid];
    const Pod& far = pods_[pod_of_[t]];
    const double full = static_cast<double>(all_hosts_);
    const std::uint32_t best = cheapest(pod, one.pair, [&](std::uint32_t pair) {
      if (!whole(pod, pair, one.links, t)) return -1.0;
      double sum = price(std::uint64_t{pod.flows_up[pair / pod.above] + 1U} * pod.widest, full) +
                   price(up_[link_above(pod, pair)] + pod.hosts, full);
      if (const std::uint32_t down = pair_to(far, pod.roots[pair]); down != kNowhere)
        sum += price(down_[link_above(far, down)] + pod.hosts, full) +
               price(down_[link_below(far, t, down)] + pod.hosts, full);
      return sum;
    });
    if (best == kNowhere) return;
    carry(pod, one.lid, best);
    write(pod, one.lid, best);
  }

  void write(const Pod& pod, std::uint16_t lid, std::uint32_t pair) {
    write_leaves(pod, lid, pair / pod.above);
    entries_[middle(pod, pair)].push_back({lid, static_cast<std::uint16_t>(pair % pod.above)});
  }
  void write_leaves(const Pod& pod, std::uint16_t lid, std::uint32_t slot) {
    for (const std::uint32_t leaf : pod.leaves)
      if (leaf != lids_.owner[lid] && lives(leaf, slot))
        entries_[leaf].push_back({lid, static_cast<std::uint16_t>(slot)});
  }

  const TreeShape& shape_;
  const TreeReach& reach_;
  const LidTable& lids_;
  std::vector<bool> thin_;            // by switch
  std::vector<std::uint32_t> hosts_;  // by switch
  std::uint64_t all_hosts_ = 0;
  std::vector<Pod> pods_;
  std::vector<std::uint32_t> pod_of_;  // by switch; kNowhere
  std::vector<std::uint16_t> order_;   // LIDs of hosts below pods, by number
  std::vector<std::uint32_t> root_;    // by LID: the root that it was given, or kNowhere
  std::vector<std::uint32_t> pair_;    // by LID: the way to it in the pod of its host, or kNowhere
  std::vector<std::uint64_t> up_;      // flows by link, numbered as TreeShape::to
  std::vector<std::uint64_t> down_;
  std::vector<Waiting> waiting_;
  Entries entries_;
};

}  // namespace

TreeRelief::TreeRelief(const TreeShape& shape, const TreeReach& reach, const LidTable& lids)
    : entries_(Relief(shape, reach, lids).find()) {}

}  // namespace weft::routing
