// Random connected fabrics, for comparing engines with slow obvious ones on shapes nobody chose.
//
// A random tree joins all switches, then further links go to random pairs with free ports, to pairs not
// joined yet as long as such are found quickly. Hosts are dealt out evenly, the first ones to random
// switches.

#include <algorithm>
#include <numeric>
#include <utility>

#include "topology/families.h"
#include "topology/seeded.h"

namespace weft::topology {
namespace {

using Pair = std::pair<std::uint32_t, std::uint32_t>;

Pair ordered(std::uint32_t a, std::uint32_t b) { return {std::min(a, b), std::max(a, b)}; }

class RandomLinks {
 public:
  RandomLinks(std::vector<std::uint32_t> free, Dice& dice)
      : free_(std::move(free)), peers_(free_.size()), dice_(dice) {}

  /// Joins all switches. `order` has those with two or more free ports first, so that the tree never runs out
  /// of them while switches are left that can only be its ends.
  void grow_tree(const std::vector<std::uint32_t>& order) {
    if (free_[order.front()] > 0) open_.push_back(order.front());
    for (std::size_t i = 1; i < order.size(); ++i) {
      const std::size_t at = dice_.below(open_.size());
      const std::uint32_t parent = open_[at];
      add(parent, order[i]);
      if (free_[parent] == 0) close(at);
      if (free_[order[i]] > 0) open_.push_back(order[i]);
    }
  }

  /// One link more; false if there is no room for it.
  bool add_one() {
    constexpr int kTries = 16;
    if (open_.size() < 2) return make_room();
    std::size_t at_a = 0;
    std::size_t at_b = 0;
    for (int attempt = 0; attempt < kTries; ++attempt) {
      at_a = dice_.below(open_.size());
      at_b = (at_a + 1 + dice_.below(open_.size() - 1)) % open_.size();
      if (std::ranges::count(peers_[open_[at_a]], open_[at_b]) == 0) break;
    }
    add(open_[at_a], open_[at_b]);
    for (const std::size_t at : {std::max(at_a, at_b), std::min(at_a, at_b)})
      if (free_[open_[at]] == 0) close(at);
    return true;
  }

  const std::vector<Pair>& links() const { return links_; }

 private:
  void add(std::uint32_t a, std::uint32_t b) {
    --free_[a];
    --free_[b];
    links_.push_back(ordered(a, b));
    peers_[a].push_back(b);
    peers_[b].push_back(a);
  }

  void close(std::size_t at) {
    open_[at] = open_.back();
    open_.pop_back();
  }

  /// Only one switch has free ports left: puts it into the middle of a link between two others.
  bool make_room() {
    if (open_.empty() || free_[open_.front()] < 2) return false;
    const std::uint32_t middle = open_.front();
    const std::size_t start = dice_.below(links_.size());
    for (std::size_t i = 0; i < links_.size(); ++i) {
      Pair& link = links_[(start + i) % links_.size()];
      const auto [a, b] = link;
      if (a == middle || b == middle) continue;
      link = ordered(a, middle);
      links_.push_back(ordered(b, middle));
      free_[middle] -= 2;
      if (free_[middle] == 0) open_.clear();
      return true;
    }
    return false;
  }

  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> open_;  ///< Switches with free ports.
  std::vector<Pair> links_;
  std::vector<std::vector<std::uint32_t>> peers_;
  Dice& dice_;
};

}  // namespace

Result<Drawing> draw_random(Params& params) {
  const std::uint32_t switches = params.number("switches", {1});
  const std::uint32_t radix = params.number("radix", {1, kMaxPorts}, 36);
  const std::uint32_t hosts = params.number("hosts", {0}, switches);
  const std::uint32_t links =
      params.number("links", {0, 49151U * kMaxPorts / 2}, switches - 1 + switches / 2);
  Dice dice(params.seed());
  if (!params.good()) return Drawing{};
  const std::uint64_t ports = product({switches, radix});
  if (auto ok = check_fits({.switches = switches, .host_ports = hosts, .switch_ports = radix}); !ok)
    return fail(ok.error());
  if (links + 1 < switches) return fail(Errc::invalid, "{} links cannot join {} switches", links, switches);
  const std::uint32_t most_hosts = (hosts + switches - 1) / switches;
  if (hosts + 2ULL * links > ports || most_hosts + (switches > 1 ? 1 : 0) > radix ||
      (switches == 1 && links > 0))
    return fail(Errc::invalid, "{} hosts and {} links do not fit {} switches of {} ports", hosts, links,
                switches, radix);

  std::vector<std::uint32_t> order(switches);
  std::iota(order.begin(), order.end(), 0U);
  dice.shuffle(order);
  std::vector<std::uint32_t> slots(switches, hosts / switches);
  for (std::uint32_t i = 0; i < hosts % switches; ++i) ++slots[order[i]];
  std::vector<std::uint32_t> free(switches);
  std::ranges::transform(slots, free.begin(), [&](std::uint32_t used) { return radix - used; });
  dice.shuffle(order);
  std::vector<std::uint32_t> by_room;
  for (const bool roomy : {true, false})
    for (const std::uint32_t i : order)
      if ((free[i] >= 2) == roomy) by_room.push_back(i);

  RandomLinks random(std::move(free), dice);
  random.grow_tree(by_room);
  while (random.links().size() < links)
    if (!random.add_one())
      return fail(Errc::invalid, "no room for more than {} links", random.links().size());

  Drawing drawing{.radix = radix};
  for (std::uint32_t i = 0; i < switches; ++i)
    drawing.cabler.add_switch(fmt::format("N-{:03}", i), "router", slots[i]);
  std::vector<std::uint32_t> next = std::move(slots);
  for (const auto& [a, b] : random.links()) {
    const std::uint32_t port_a = ++next[a];
    const std::uint32_t port_b = ++next[b];
    drawing.cabler.link(a, port_a, b, port_b);
  }
  return drawing;
}

}  // namespace weft::topology
