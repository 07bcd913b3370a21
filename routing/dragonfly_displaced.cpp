#include "routing/dragonfly_displaced.h"

#include <algorithm>
#include <span>
#include <tuple>

#include "routing/link_loads.h"
#include "routing/multicast_spanning.h"
#include "routing/wait_order.h"

namespace weft::routing {
namespace {

constexpr std::uint32_t kNoRouter = WaitOrder::kNobody;
constexpr std::uint32_t kAttempts = 16;
/// With all LIDs served, more of them, each in another order: which comes first matters much.
constexpr std::uint32_t kOrders = 64;
/// After so many ports looked at there is no further attempt, unless some LIDs have no way.
constexpr std::size_t kEnoughWork = 1'000'000;
/// What an attempt costs beside that, for each port of the fabric: in a large one there are few.
constexpr std::size_t kPerPort = 4;
constexpr std::uint32_t kLongest = 64;
/// Links between switches, by way of a third group; longer ways only where there is no other.
constexpr std::uint32_t kGoodLength = 5;

class Displacer {
 public:
  Displacer(const Problem& problem, const LidOwners& owners, const GroupCables& cables, GivenWays& given,
            const Lanes& lanes)
      : problem_(problem),
        owners_(owners),
        lanes_(lanes),
        cables_(cables),
        given_(given),
        loads_(cables_.next.size(), owners.hosts),
        waits_(cables_.next, cables_.width, static_cast<std::uint32_t>(lanes.count)),
        out_(cables_.count),
        known_(cables_.count) {}

  std::vector<std::vector<Lft::Entry>> find() {
    given_.count(loads_, waits_);
    loads_.set_base();
    const WaitOrder given_alone = waits_;
    if (reserve_for_groups())
      if (auto [stuck, entries] = find_best(); stuck == 0) return entries;
    waits_ = given_alone;
    if (!waits_.sort()) return {};
    return find_best().second;
  }

 private:
  using Lost = GivenWays::Lost;

  /// Multicast trees need room on the same lanes. False when they have none beside the given ways.
  bool reserve_for_groups() {
    const SwitchGraph graph(problem_);
    const WaitOrder given_alone = waits_;
    for (std::uint32_t i = 0; const auto tree = spanning_order(graph, lanes_, i); ++i) {
      each_spanning_wait(graph, *tree, &lanes_, [this](const SpanningWait& wait) {
        waits_.depend(waits_.id(wait.from, wait.port, wait.lane), wait.out, wait.out_lane);
      });
      if (waits_.sort()) return true;
      waits_ = given_alone;
    }
    return false;
  }

  /// How many LIDs are left without a way somewhere, and the entries of the others.
  std::pair<std::size_t, std::vector<std::vector<Lft::Entry>>> find_best() {
    std::vector<std::vector<Lft::Entry>> best;
    std::pair<std::size_t, double> best_score{~std::size_t{0}, 0};
    std::size_t work = 0;
    for (attempt_ = 0; attempt_ < (best_score.first == 0 ? kOrders : kAttempts); ++attempt_) {
      const std::size_t stuck = deal();
      work += kPerPort * cables_.count * cables_.width;
      for (const auto& of : entries_) work += of.size() * cables_.width;
      const bool ideal = loads_.no_fuller();
      const std::pair<std::size_t, double> score{stuck, loads_.finish_attempt()};
      if (score < best_score) best = std::move(entries_);
      best_score = std::min(best_score, score);
      if (best_score.first == 0 && (ideal || work > kEnoughWork)) break;
    }
    return {best_score.first, std::move(best)};
  }

  struct Candidate {
    bool long_way = false;
    double price = 0;
    std::uint32_t turn = 0;
    std::uint8_t port = 0;
    std::size_t waits = 0;  // that nothing had before
  };

  /// All LIDs once; how many are left without a way somewhere.
  std::size_t deal() {
    entries_.assign(cables_.count, {});
    loads_.back_to_base();
    waits_.undo(0);
    std::vector<Lost> stuck;
    std::vector<Lost> placed;
    for (const Lost& lost : given_.lost()) (place(lost) ? placed : stuck).push_back(lost);
    const std::size_t count = stuck.size();
    careful_ = count != 0;
    if (!careful_) deal_anew(placed);
    stuck.insert(stuck.end(), placed.begin(), placed.end());
    given_.lost() = std::move(stuck);
    return count;
  }

  /// Another order for the next attempt.
  void deal_anew(std::vector<Lost>& lids) const {
    const auto lot = [this](const Lost& lost) {
      std::uint64_t x = (lost.lid + (std::uint64_t{attempt_} << 16) + 1) * 0x9e3779b97f4a7c15;
      x = (x ^ x >> 32) * 0xd6e8feb86659fd93;
      return std::pair(x ^ x >> 32, lost.lid);
    };
    std::ranges::sort(lids, {}, lot);
  }

  std::uint32_t behind(std::uint32_t s, std::uint8_t port) const { return cables_.behind(s, port); }
  std::uint8_t out(std::uint32_t s) {
    if (known_[s] != round_) {
      known_[s] = round_;
      out_[s] = s == at_ ? kNoWay : given_.way(s, lid_);
    }
    return out_[s];
  }
  std::size_t link(std::uint32_t s) { return s * std::size_t{cables_.width} + out(s); }
  /// The router that packets for the LID at hand go to from `s`.
  std::uint32_t after(std::uint32_t s) { return out(s) == kNoWay ? kNoRouter : behind(s, out(s)); }
  bool arrives(std::uint32_t s) {
    for (std::uint32_t steps = 0; s != at_ && s != kNoRouter && steps < kLongest; ++steps) s = after(s);
    return s == at_;
  }
  template <typename Use>
  bool each_sender(std::uint32_t s, const Use& use) {
    return std::ranges::all_of(cables_.ports[s], [&](std::uint8_t port) {
      const std::uint32_t from = behind(s, port);
      return out(from) != cables_.far[s * cables_.width + port] || use(from);
    });
  }

  std::uint32_t lane(std::uint32_t s, std::uint8_t in, std::uint8_t out) const {
    return raw(lanes_.at(static_cast<SwitchId>(s), static_cast<PortNum>(in), static_cast<PortNum>(out)));
  }
  /// Lane by which the next router sends on what comes from `s`.
  std::uint32_t lane_on(std::uint32_t s) { return lane(after(s), cables_.far[link(s)], out(after(s))); }

  /// Lanes that packets leave `s` by, its own and what comes from others, until `use` says no.
  template <typename Use>
  bool each_lane(std::uint32_t s, const Use& use) {
    std::uint32_t seen = 0;
    if (owners_.talks(s, lid_)) {
      const std::uint32_t own = lane(s, 0, out(s));
      if (!use(own)) return false;
      seen = 1U << own;
    }
    return each_sender(s, [&](std::uint32_t from) {
      const std::uint32_t on = lane_on(from);
      const bool fresh = (seen >> on & 1) == 0;
      seen |= 1U << on;
      return !fresh || use(on);
    });
  }

  /// False when some routers are left without a way that cables give.
  bool place(const Lost& lost) {
    lid_ = lost.lid;
    at_ = owners_.at[lid_];
    ++round_;
    open_ = given_.cut_off(lost);
    for (const std::uint32_t s : open_) {
      known_[s] = round_;
      out_[s] = kNoWay;
    }
    // Not all LIDs serve the same router first:
    std::ranges::rotate(
        open_, open_.begin() + static_cast<std::ptrdiff_t>((lid_ * 7U + attempt_ * 3U) % open_.size()));
    while (std::erase_if(open_, [this](std::uint32_t s) { return give_way(s); }) != 0) {
    }
    return std::ranges::none_of(open_,
                                [this](std::uint32_t s) { return owners_.talks(s, lid_) && joined(s, at_); });
  }

  bool give_way(std::uint32_t s) {
    list_candidates(s);
    if (careful_) fewest_waits_first(s);
    for (const Candidate& candidate : candidates_) {
      if (!try_way(s, candidate.port)) continue;
      entries_[s].push_back({lid_, candidate.port});
      carry(s);
      return true;
    }
    return false;
  }

  std::uint32_t flows_from(std::uint32_t s) const { return owners_.is_host[lid_] ? loads_.hosts(s) : 0; }
  /// Hosts that a flow from `s` makes the link behind `via` carry to for the first time: this one or none.
  std::uint32_t fresh(std::uint32_t s, std::uint32_t via) {
    if (flows_from(s) == 0) return 0;
    if (via == s) return 1;
    return loads_.hosts(via) == 0 && each_sender(via, [&](std::uint32_t from) { return from == s; }) ? 1 : 0;
  }
  void carry(std::uint32_t s) {
    for (std::uint32_t via = s; flows_from(s) != 0 && via != at_; via = after(via)) {
      loads_.carry(link(via), flows_from(s), fresh(s, via));
      loads_.send(link(via), s);
    }
  }

  void list_candidates(std::uint32_t s) {
    candidates_.clear();
    const std::uint32_t flows = flows_from(s);
    const std::span<const std::uint32_t> sender(&s, flows != 0 ? 1 : 0);
    for (std::uint32_t turn = 0; turn < cables_.ports[s].size(); ++turn) {
      const std::uint8_t port = cables_.ports[s][turn];
      if (!arrives(behind(s, port))) continue;
      double price = loads_.price(s * std::size_t{cables_.width} + port, flows, sender, fresh(s, s));
      std::uint32_t length = 1;
      for (std::uint32_t via = behind(s, port); via != at_; via = after(via), ++length)
        price += loads_.price(link(via), flows, sender, fresh(s, via));
      candidates_.push_back({length > kGoodLength, price, turn, port, ~std::size_t{0}});
    }
    std::ranges::sort(candidates_, {},
                      [](const Candidate& c) { return std::tuple(c.long_way, c.price, c.turn); });
  }

  /// Each new wait leaves less room for others.
  void fewest_waits_first(std::uint32_t s) {
    for (Candidate& candidate : candidates_) {
      const std::size_t mark = waits_.mark();
      if (!try_way(s, candidate.port)) continue;
      candidate.waits = waits_.mark() - mark;
      take_back(s, mark);
    }
    std::ranges::sort(candidates_, {},
                      [](const Candidate& c) { return std::tuple(c.waits, c.long_way, c.price, c.turn); });
  }

  /// Nobody sends to `s` yet: whatever went by it had no way either.
  bool try_way(std::uint32_t s, std::uint8_t port) {
    const std::size_t mark = waits_.mark();
    out_[s] = port;
    if (waits_fit(s)) return true;
    take_back(s, mark);
    return false;
  }
  void take_back(std::uint32_t s, std::size_t mark) {
    out_[s] = kNoWay;
    waits_.undo(mark);
  }

  bool waits_fit(std::uint32_t s) {
    for (std::uint32_t via = s; via != at_ && after(via) != at_; via = after(via)) {
      const std::uint32_t on = lane_on(via);
      const bool fit = each_lane(via, [&](std::uint32_t lane) {
        return waits_.try_depend(waits_.id(via, out(via), lane), out(after(via)), on);
      });
      if (!fit) return false;
    }
    return true;
  }

  /// Whether cables join two routers at all.
  bool joined(std::uint32_t a, std::uint32_t b) {
    if (part_.empty()) find_parts();
    return part_[a] == part_[b];
  }
  void find_parts() {
    part_.assign(cables_.count, kNoRouter);
    for (std::uint32_t first = 0; first < cables_.count; ++first) {
      if (part_[first] != kNoRouter) continue;
      part_[first] = first;
      reached_.assign(1, first);
      for (std::size_t i = 0; i < reached_.size(); ++i) {
        const std::uint32_t s = reached_[i];
        for (const std::uint8_t p : cables_.ports[s]) {
          if (part_[behind(s, p)] != kNoRouter) continue;
          part_[behind(s, p)] = first;
          reached_.push_back(behind(s, p));
        }
      }
    }
  }

  const Problem& problem_;
  const LidOwners& owners_;
  const Lanes& lanes_;
  const GroupCables& cables_;
  GivenWays& given_;
  LinkLoads loads_;
  WaitOrder waits_;
  bool careful_ = false;
  std::uint32_t attempt_ = 0;
  std::vector<std::vector<Lft::Entry>> entries_;
  std::vector<std::uint32_t> part_;  // by router: the first that cables join it to
  // The LID at hand:
  std::uint16_t lid_ = 0;
  std::uint32_t at_ = 0;
  std::uint32_t round_ = 0;
  std::vector<std::uint8_t> out_;     // by router: where it goes out
  std::vector<std::uint32_t> known_;  // by router: the round for which out_ stands
  std::vector<std::uint32_t> open_;   // routers without a way
  std::vector<std::uint32_t> reached_;
  std::vector<Candidate> candidates_;
};

}  // namespace

std::vector<std::vector<Lft::Entry>> displaced_entries(const Problem& problem, const LidOwners& owners,
                                                       const GroupCables& cables, GivenWays& given,
                                                       const Lanes& lanes) {
  return Displacer(problem, owners, cables, given, lanes).find();
}

}  // namespace weft::routing
