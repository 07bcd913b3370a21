#include "routing/quality.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <random>

#include "routing/parallel.h"
#include "routing/tree_shape.h"

namespace weft::routing {
namespace {

constexpr std::uint32_t kNoNeighbour = ~0U;

/// A pattern: by place of the sender, that of the receiver; itself where it is silent.
using Pattern = std::vector<std::uint32_t>;

/// The tables as flows see them.
class Flows {
 public:
  Flows(const Problem& problem, const Routes& routes, const PortSets* sets, std::vector<std::uint32_t> order)
      : problem_(problem), routes_(routes), sets_(sets), order_(std::move(order)) {
    const fabric::Fabric& fabric = *problem.fabric;
    const auto count = static_cast<std::uint32_t>(fabric.switch_count());
    for (const NodeId id : fabric.switches())
      width_ = std::max<std::uint32_t>(width_, static_cast<std::uint32_t>(fabric.ports(id).size()));
    next_.assign(std::size_t{count} * width_, kNoNeighbour);
    far_.assign(next_.size(), 0);
    for (std::uint32_t s = 0; s < count; ++s) {
      const std::span<const fabric::Port> ports = fabric.ports(static_cast<SwitchId>(s));
      for (std::uint32_t p = 1; p < ports.size(); ++p) {
        const auto to = ports[p].peer ? fabric.switch_of(ports[p].peer->node) : std::nullopt;
        if (!to) continue;
        next_[s * width_ + p] = raw(*to);
        far_[s * width_ + p] = raw(ports[p].peer->port);
      }
    }
    leaf_of_.assign(count, kNoNeighbour);
    if (sets)
      for (std::uint32_t i = 0; i < sets->leaves.size(); ++i) leaf_of_[raw(sets->leaves[i])] = i;
  }

  std::uint32_t hosts() const { return static_cast<std::uint32_t>(order_.size()); }
  std::size_t links() const { return next_.size(); }
  const Destination& host(std::uint32_t place) const { return problem_.destinations[order_[place]]; }

  /// Calls `use(link)` for each link between switches; false when the packet does not arrive.
  template <typename Use>
  bool walk(std::uint32_t s, const Destination& to, Use&& use) const {
    for (std::uint32_t steps = 0; s != raw(to.at); ++steps) {
      const std::uint32_t port = raw(routes_.out(static_cast<SwitchId>(s), to.base));
      const std::uint32_t link = s * width_ + port;
      if (port == 0 || port >= width_ || next_[link] == kNoNeighbour || steps > 64) return false;
      use(link);
      s = next_[link];
    }
    return true;
  }

  /// The most flows on a link; `load` is as large as links() and all 0, before and after.
  std::uint32_t most(const Pattern& to, std::vector<std::uint32_t>& load) const {
    std::uint32_t most = 0;
    each_link(to, [&](std::uint32_t link) { most = std::max(most, ++load[link]); });
    each_link(to, [&](std::uint32_t link) { load[link] = 0; });
    return most;
  }

  /// Mean over the flows of the share they get of their fullest link.
  double share(const Pattern& to, std::vector<std::uint32_t>& load) const {
    each_link(to, [&](std::uint32_t link) { ++load[link]; });
    double sum = 0;
    std::uint32_t flows = 0;
    for (std::uint32_t i = 0; i < to.size(); ++i) {
      if (to[i] == i) continue;
      std::uint32_t most = 1;
      walk(raw(host(i).at), host(to[i]), [&](std::uint32_t link) { most = std::max(most, load[link]); });
      sum += 1.0 / most;
      ++flows;
    }
    each_link(to, [&](std::uint32_t link) { load[link] = 0; });
    return flows == 0 ? 1.0 : sum / flows;
  }

  /// The fullest link when every switch splits what it gets evenly over the members; at least 1, the host's
  /// own.
  double most_split(const Pattern& to, std::vector<double>& load) const {
    // Flows to one leaf go by the same sets, so they go together.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> by_leaf;
    for (std::uint32_t i = 0; i < to.size(); ++i)
      if (to[i] != i) by_leaf.emplace_back(raw(host(to[i]).at), i);
    std::ranges::sort(by_leaf);
    std::vector<std::pair<std::uint32_t, double>> here;  // state, flows
    std::vector<std::pair<std::uint32_t, double>> next;
    double most = 1;
    std::vector<std::uint32_t> used;
    for (std::size_t from = 0; from < by_leaf.size();) {
      const std::uint32_t leaf = by_leaf[from].first;
      const Destination& d = host(to[by_leaf[from].second]);
      here.clear();
      for (; from < by_leaf.size() && by_leaf[from].first == leaf; ++from)
        here.emplace_back(raw(host(by_leaf[from].second).at) * classes(), 1.0);
      merge_equal(here);
      for (int steps = 0; !here.empty() && steps < 64; ++steps) {
        next.clear();
        for (const auto& [state, flows] : here) {
          const std::uint32_t s = state / classes();
          if (s == leaf) continue;
          const PortMask ports = members(s, state % classes(), d);
          const double part = flows / port_count(ports);
          each_port(ports, [&](std::uint8_t port) {
            const std::uint32_t link = s * width_ + port;
            if (next_[link] == kNoNeighbour) return;
            if (load[link] == 0) used.push_back(link);
            load[link] += part;
            most = std::max(most, load[link]);
            next.emplace_back(next_[link] * classes() + sets_->class_at(next_[link], far_[link]), part);
          });
        }
        merge_equal(next);
        here.swap(next);
      }
    }
    for (const std::uint32_t link : used) load[link] = 0;
    return most;
  }

 private:
  template <typename Use>
  void each_link(const Pattern& to, Use&& use) const {
    for (std::uint32_t i = 0; i < to.size(); ++i)
      if (to[i] != i) walk(raw(host(i).at), host(to[i]), use);
  }
  std::uint32_t classes() const { return static_cast<std::uint32_t>(sets_->state_classes); }
  PortMask members(std::uint32_t s, std::uint32_t state_class, const Destination& d) const {
    PortMask ports = sets_->at(s, leaf_of_[raw(d.at)], state_class);
    if (ports == PortMask{})
      if (const PortNum port = routes_.out(static_cast<SwitchId>(s), d.base); port != kPortDrop)
        add_port(ports, raw(port));
    return ports;
  }
  static void merge_equal(std::vector<std::pair<std::uint32_t, double>>& shares) {
    std::ranges::sort(shares, {}, &std::pair<std::uint32_t, double>::first);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      if (kept > 0 && shares[kept - 1].first == shares[i].first)
        shares[kept - 1].second += shares[i].second;
      else
        shares[kept++] = shares[i];
    }
    shares.resize(kept);
  }

  const Problem& problem_;
  const Routes& routes_;
  const PortSets* sets_;
  std::vector<std::uint32_t> order_;
  std::uint32_t width_ = 1;
  std::vector<std::uint32_t> next_;     // [switch * width + port]
  std::vector<std::uint8_t> far_;       // likewise: port at the other end
  std::vector<std::uint32_t> leaf_of_;  // by switch: place among the leaves of the sets
};

Pattern shift_by(std::uint32_t hosts, std::uint32_t by) {
  Pattern to(hosts);
  for (std::uint32_t i = 0; i < hosts; ++i) to[i] = (i + by) % hosts;
  return to;
}

/// Fisher and Yates; the standard's shuffle differs between libraries.
void shuffle(Pattern& places, std::mt19937& random) {
  for (std::size_t i = places.size(); i > 1; --i) std::swap(places[i - 1], places[random() % i]);
}

/// Shifts to try: all, or so many by seed, the first always.
std::vector<std::uint32_t> some_shifts(std::uint32_t hosts, std::uint32_t most, std::mt19937& random) {
  std::vector<std::uint32_t> shifts(hosts > 0 ? hosts - 1 : 0);
  std::iota(shifts.begin(), shifts.end(), 1U);
  if (shifts.size() <= most || most == 0) return shifts;
  for (std::size_t i = 1; i < most; ++i) std::swap(shifts[i], shifts[i + random() % (shifts.size() - i)]);
  shifts.resize(most);
  return shifts;
}

/// Runs `value(pattern index, scratch)` for all patterns over the threads.
template <typename Load, typename Value>
auto for_patterns(std::size_t count, unsigned threads, std::size_t links, const Value& value) {
  std::vector<decltype(value(std::size_t{0}, std::declval<std::vector<Load>&>()))> values(count);
  in_pieces(static_cast<std::uint32_t>(count), threads, [&](std::uint32_t from, std::uint32_t upto) {
    std::vector<Load> load(links);
    for (std::uint32_t i = from; i < upto; ++i) values[i] = value(i, load);
  });
  return values;
}

template <typename T>
double mean(const std::vector<T>& values) {
  return values.empty()
             ? 0
             : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// All pairs: sources and destinations of every link, and its routes.
void count_all_pairs(const Problem& problem, const Flows& flows, Quality& quality) {
  std::vector<std::uint32_t> weight(problem.fabric->switch_count());
  for (std::uint32_t i = 0; i < flows.hosts(); ++i) ++weight[raw(flows.host(i).at)];
  std::vector<std::uint32_t> sources;
  for (std::uint32_t s = 0; s < weight.size(); ++s)
    if (weight[s] != 0) sources.push_back(s);
  const std::size_t words = (sources.size() + 63) / 64;
  std::vector<std::uint64_t> from(flows.links() * words);
  std::vector<std::uint64_t> routes(flows.links());
  std::vector<std::uint32_t> destinations(flows.links());
  std::vector<std::uint32_t> last(flows.links(), ~0U);
  std::uint64_t hops = 0;
  std::uint64_t pairs = 0;
  for (std::uint32_t to = 0; to < flows.hosts(); ++to) {
    for (std::uint32_t i = 0; i < sources.size(); ++i) {
      const std::uint32_t count = weight[sources[i]];
      int length = 0;
      const bool arrives = flows.walk(sources[i], flows.host(to), [&](std::uint32_t link) {
        ++length;
        routes[link] += count;
        from[link * words + i / 64] |= std::uint64_t{1} << i % 64;
        destinations[link] += last[link] != to ? 1 : 0;
        last[link] = to;
      });
      const std::uint64_t others = count - (sources[i] == raw(flows.host(to).at) ? 1U : 0U);
      quality.unreached += arrives ? 0 : others;
      hops += arrives ? others * static_cast<std::uint64_t>(length) : 0;
      pairs += arrives ? others : 0;
      quality.longest = std::max(quality.longest, arrives ? length : 0);
    }
  }
  std::uint64_t sum = 0;
  std::uint64_t loaded = 0;
  for (std::size_t link = 0; link < flows.links(); ++link) {
    if (routes[link] == 0) continue;
    std::uint32_t senders = 0;
    for (std::size_t i = 0; i < sources.size(); ++i)
      if ((from[link * words + i / 64] >> i % 64 & 1) != 0) senders += weight[sources[i]];
    quality.all_to_all_risk = std::max(quality.all_to_all_risk, std::min(senders, destinations[link]));
    quality.forwarding_index = std::max(quality.forwarding_index, routes[link]);
    sum += routes[link];
    ++loaded;
  }
  quality.forwarding_mean = loaded == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(loaded);
  quality.length_mean = pairs == 0 ? 0 : static_cast<double>(hops) / static_cast<double>(pairs);
}

/// `most(pattern)`: flows on the fullest link, the hosts' own counted.
template <typename Most>
Collectives collectives(std::uint32_t ranks, const QualityOptions& options, const Most& most) {
  Collectives time;
  if (ranks < 2) return time;
  const double whole = options.message_bytes / options.link_bytes_a_second;
  time.ring = 2.0 * (ranks - 1) / ranks * whole * most(shift_by(ranks, 1));
  for (std::uint32_t bit = 1; bit < ranks; bit *= 2) {
    Pattern to(ranks);
    for (std::uint32_t i = 0; i < ranks; ++i) to[i] = (i ^ bit) < ranks ? i ^ bit : i;
    time.doubling += whole * most(to);
  }
  std::mt19937 random(options.seed);
  double sum = 0;
  const std::vector<std::uint32_t> shifts = some_shifts(ranks, std::max(1U, options.shifts / 4), random);
  for (const std::uint32_t by : shifts) sum += most(shift_by(ranks, by));
  time.all_to_all = whole * (ranks - 1) / ranks * sum / static_cast<double>(shifts.size());
  return time;
}

}  // namespace

std::vector<std::uint32_t> hosts_in_order(const Problem& problem) {
  const DesignGraph graph(problem);
  const Result<TreeShape> shape = tree_shape(problem, graph);
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < problem.destinations.size(); ++i)
    if (!problem.destinations[i].is_switch() && !problem.destinations[i].away) order.push_back(i);
  std::ranges::sort(order, {}, [&](std::uint32_t i) {
    const Destination& d = problem.destinations[i];
    return std::tuple(d.kind, shape ? shape->number[i] : 0U, raw(d.at), raw(d.port));
  });
  return order;
}

Quality measure(const Problem& problem, const Routes& routes, const PortSets* sets,
                const QualityOptions& options) {
  const std::vector<std::uint32_t> order = hosts_in_order(problem);
  const Flows flows(problem, routes, sets, order);
  Quality quality;
  quality.hosts = flows.hosts();
  if (quality.hosts < 2) return quality;
  count_all_pairs(problem, flows, quality);

  std::mt19937 random(options.seed);
  const std::vector<std::uint32_t> shifts = some_shifts(quality.hosts, options.shifts, random);
  const auto most_by_shift = for_patterns<std::uint32_t>(
      shifts.size(), problem.threads, flows.links(), [&](std::size_t i, std::vector<std::uint32_t>& load) {
        return flows.most(shift_by(quality.hosts, shifts[i]), load);
      });
  quality.shift_worst = std::ranges::max(most_by_shift);
  quality.shift_mean = mean(most_by_shift);

  std::vector<Pattern> patterns(options.permutations, shift_by(quality.hosts, 0));
  for (Pattern& pattern : patterns) shuffle(pattern, random);
  auto most = for_patterns<std::uint32_t>(
      patterns.size(), problem.threads, flows.links(),
      [&](std::size_t i, std::vector<std::uint32_t>& load) { return flows.most(patterns[i], load); });
  std::ranges::sort(most);
  if (!most.empty()) quality.permutation = (most[(most.size() - 1) / 2] + most[most.size() / 2]) / 2.0;

  patterns.assign(options.bisections, shift_by(quality.hosts, 0));
  for (Pattern& pattern : patterns) {
    Pattern places = pattern;
    shuffle(places, random);
    for (std::size_t i = 0; i + 1 < places.size(); i += 2) pattern[places[i]] = places[i + 1];
  }
  quality.bisection = mean(for_patterns<std::uint32_t>(
      patterns.size(), problem.threads, flows.links(),
      [&](std::size_t i, std::vector<std::uint32_t>& load) { return flows.share(patterns[i], load); }));

  std::vector<std::uint32_t> ranks;
  for (const std::uint32_t place : options.job)
    if (place < order.size()) ranks.push_back(order[place]);
  if (options.job.empty()) ranks = order;
  const auto job_size = static_cast<std::uint32_t>(ranks.size());
  const Flows job(problem, routes, sets, std::move(ranks));
  std::vector<std::uint32_t> load(job.links());
  quality.alone = collectives(job_size, options, [](const Pattern&) { return 1.0; });
  quality.by_tables = collectives(job_size, options, [&](const Pattern& to) {
    return std::max(1.0, static_cast<double>(job.most(to, load)));
  });
  if (sets) {
    std::vector<double> split(job.links());
    quality.adaptive =
        collectives(job_size, options, [&](const Pattern& to) { return job.most_split(to, split); });
  }
  return quality;
}

}  // namespace weft::routing
