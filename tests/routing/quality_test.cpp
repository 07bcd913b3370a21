// Quality figures against slow counts and known answers.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "routing/engines.h"
#include "routing/quality.h"
#include "tests/routing/fabrics.h"

namespace weft::routing {
namespace {

/// Links between switches from one host to another, one after the other, the slow way.
std::vector<std::pair<std::uint32_t, std::uint32_t>> links_between(const Case& one, const Routes& routes,
                                                                   const Destination& from,
                                                                   const Destination& to) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> links;
  for (std::uint32_t s = raw(from.at); s != raw(to.at);) {
    const std::uint32_t port = raw(routes.out(SwitchId{s}, to.base));
    links.emplace_back(s, port);
    s = raw(*one.fabric->switch_of(one.fabric->ports(SwitchId{s})[port].peer->node));
  }
  return links;
}

RC_GTEST_PROP(Quality, CountsWhatTheSlowWayCounts, ()) {
  const Case one(*rc::gen::arbitrary<bool>() ? xgft({2, 3, 2}, {1, 2, 2}) : torus(3, 3, 1, 2));
  const Routes routes = *up_down(one.problem);
  std::vector<Destination> hosts;
  for (const std::uint32_t i : hosts_in_order(one.problem)) hosts.push_back(one.problem.destinations[i]);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::set<std::size_t>> sources, destinations;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> count;
  std::size_t hops = 0;
  for (std::size_t a = 0; a < hosts.size(); ++a) {
    for (std::size_t b = 0; b < hosts.size(); ++b) {
      if (a == b) continue;
      for (const auto& link : links_between(one, routes, hosts[a], hosts[b])) {
        sources[link].insert(a);
        destinations[link].insert(b);
        ++count[link];
        ++hops;
      }
    }
  }
  std::size_t risk = 0;
  std::uint64_t most = 0;
  for (const auto& [link, from] : sources) {
    risk = std::max(risk, std::min(from.size(), destinations[link].size()));
    most = std::max(most, count[link]);
  }
  std::uint32_t shift_worst = 0;
  double sum = 0;
  for (std::size_t by = 1; by < hosts.size(); ++by) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> load;
    std::uint32_t worst = 0;
    for (std::size_t a = 0; a < hosts.size(); ++a)
      for (const auto& link : links_between(one, routes, hosts[a], hosts[(a + by) % hosts.size()]))
        worst = std::max(worst, ++load[link]);
    shift_worst = std::max(shift_worst, worst);
    sum += worst;
  }
  const Quality quality = measure(one.problem, routes, nullptr);
  RC_ASSERT(quality.all_to_all_risk == risk);
  RC_ASSERT(quality.forwarding_index == most);
  RC_ASSERT(quality.shift_worst == shift_worst);
  RC_ASSERT(quality.shift_mean == sum / static_cast<double>(hosts.size() - 1));
  RC_ASSERT(quality.length_mean ==
            static_cast<double>(hops) / static_cast<double>(hosts.size() * (hosts.size() - 1)));
  RC_ASSERT(quality.unreached == 0U);
}

TEST(Quality, OfAWholeTreeIsFreeOfContentionInShifts) {
  const Case one(xgft({4, 4, 8}, {1, 4, 4}));
  const Routes routes = *fat_tree(one.problem);
  const PortSets sets = *port_sets(one.problem, routes);
  const Quality quality = measure(one.problem, routes, &sets);
  EXPECT_EQ(quality.hosts, 128U);
  EXPECT_EQ(quality.shift_worst, 1U);
  EXPECT_EQ(quality.longest, 4);
  EXPECT_DOUBLE_EQ(quality.by_tables.ring, quality.alone.ring);
  EXPECT_DOUBLE_EQ(quality.by_tables.all_to_all, quality.alone.all_to_all);
  EXPECT_DOUBLE_EQ(quality.adaptive.all_to_all, quality.alone.all_to_all);
  EXPECT_GT(quality.bisection, 0.4);
  EXPECT_LT(quality.bisection, 1.0);
}

TEST(Quality, DoesNotDependOnThreads) {
  Case one(torus(4, 4, 1, 2));
  const Routes routes = *up_down(one.problem);
  const Quality alone = measure(one.problem, routes, nullptr);
  one.problem.threads = 4;
  EXPECT_EQ(measure(one.problem, routes, nullptr), alone);
}

TEST(Quality, AdaptiveSpreadsWhatTablesPutOnOneLink) {
  // Two leaves of two hosts, two spines, and tables that use one of them.
  const Case one(xgft({2, 2}, {1, 2}));
  Routes routes = *fat_tree(one.problem);
  const PortSets sets = *port_sets(one.problem, routes);
  for (const Destination& d : one.problem.destinations)
    if (!d.is_switch())
      for (std::uint32_t leaf = 0; leaf < 2; ++leaf)
        if (leaf != raw(d.at)) routes = with_entry(routes, leaf, d.base, 3);
  const Quality quality = measure(one.problem, routes, &sets);
  EXPECT_EQ(quality.shift_worst, 2U);
  EXPECT_DOUBLE_EQ(quality.by_tables.doubling, 1.5 * quality.alone.doubling);  // in one of two steps
  EXPECT_DOUBLE_EQ(quality.adaptive.doubling, quality.alone.doubling);
}

TEST(Quality, EstimatesAJobOnSomeHosts) {
  const Case one(ring(4, 2));
  const Routes routes = *up_down(one.problem);
  const Quality quality = measure(one.problem, routes, nullptr,
                                  {.job = {0, 1}, .message_bytes = 1e9, .link_bytes_a_second = 1e9});
  EXPECT_DOUBLE_EQ(quality.by_tables.ring, 1.0);  // both hang on one switch
  EXPECT_DOUBLE_EQ(quality.by_tables.doubling, 1.0);
  EXPECT_DOUBLE_EQ(quality.by_tables.all_to_all, 0.5);
}

TEST(Quality, CountsPairsThatTheTablesDoNotJoin) {
  const Case one(xgft({1, 2}, {1, 1}));
  const Routes routes = with_entry(*fat_tree(one.problem), 0, Lid{2}, 255);
  EXPECT_EQ(measure(one.problem, routes, nullptr).unreached, 1U);
}

}  // namespace
}  // namespace weft::routing
