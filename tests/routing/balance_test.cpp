// How even the load is: routes (source host to host LID) by port, within one level and direction of a regular
// fabric.

#include <algorithm>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "routing/check.h"
#include "routing/engines.h"
#include "tests/routing/fabrics.h"

namespace weft::routing {
namespace {

struct Range {
  std::uint64_t least = ~0ULL;
  std::uint64_t most = 0;
  std::uint64_t sum = 0;
  std::uint64_t ports = 0;
  double mean() const { return static_cast<double>(sum) / static_cast<double>(ports); }
};

/// Least and most loaded port by kind of link, as `kind` names it.
template <typename Kind>
std::map<std::string, Range> load_by_kind(const Case& one, const Routes& routes, Kind&& kind) {
  std::map<std::string, Range> ranges;
  const std::vector<std::uint64_t> count = routes_by_port(one.problem, routes);
  for (std::uint32_t s = 0; s < one.switches(); ++s) {
    const std::span<const fabric::Port> ports = one.fabric->ports(static_cast<SwitchId>(s));
    for (std::size_t p = 1; p < ports.size(); ++p) {
      if (!ports[p].peer || !one.fabric->is_switch(ports[p].peer->node)) continue;
      Range& range =
          ranges[kind(one.fabric->node(static_cast<SwitchId>(s)), one.fabric->node(ports[p].peer->node))];
      range.least = std::min(range.least, count[s * 256 + p]);
      range.most = std::max(range.most, count[s * 256 + p]);
      range.sum += count[s * 256 + p];
      ++range.ports;
    }
  }
  return ranges;
}

std::string levels(const fabric::Node& from, const fabric::Node& to) {
  return from.description.substr(0, 2) + ">" + to.description.substr(0, 2);
}

/// The most loaded port of a kind carries at most `allowed` times their mean.
void expect_even(const Case& one, Result<Routes> (*engine)(const Problem&), double allowed) {
  for (const auto& [kind, range] : load_by_kind(one, *engine(one.problem), levels)) {
    EXPECT_GT(range.least, 0U) << kind;
    EXPECT_LE(static_cast<double>(range.most), allowed * range.mean()) << kind;
  }
}

TEST(Balance, IsPerfectOnCompleteTrees) {
  for (const Drawing& drawing :
       {xgft({18, 36}, {1, 18}), xgft({6, 6, 12}, {1, 6, 6}), xgft({4, 4}, {1, 2}, 2)}) {
    const Case one(drawing);
    expect_even(one, min_hop, 1.0);
    expect_even(one, up_down, 1.0);
  }
}

TEST(Balance, HoldsOnOversubscribedTrees) {
  const Case one(xgft({12, 8}, {1, 6}));
  expect_even(one, min_hop, 1.0);
  expect_even(one, up_down, 1.0);
}

TEST(Balance, HoldsWithSeveralLidsPerHost) {
  const Case one(xgft({4, 4, 8}, {1, 4, 4}), 2);
  expect_even(one, min_hop, 1.0);
}

TEST(Balance, GivesTheLidsOfOneHostDifferentWaysOut) {
  const Case one(xgft({4, 8}, {1, 4}), 2);
  const Result<Routes> routes = min_hop(one.problem);
  const Destination& far = one.problem.destinations.front();
  std::map<PortNum, int> ports;
  for (std::uint32_t i = 0; i < 4; ++i)
    ++ports[routes->out(SwitchId{7}, static_cast<Lid>(raw(far.base) + i))];
  EXPECT_EQ(ports.size(), 4U);
}

TEST(Balance, IsFairOnTheLinksOfADragonfly) {
  const auto kind = [](const fabric::Node& from, const fabric::Node& to) {
    const auto group = [](const fabric::Node& n) { return n.description.substr(0, n.description.find('-')); };
    return std::string(group(from) == group(to) ? "local" : "global");
  };
  const Case one(dragonfly(2, 4, 2, 9));
  const std::map<std::string, Range> ranges = load_by_kind(one, *min_hop(one.problem), kind);
  // Some pairs have shorter paths over two global links, so that no choice of shortest paths is quite even.
  EXPECT_LE(static_cast<double>(ranges.at("global").most), 1.8 * ranges.at("global").mean());
  EXPECT_LE(static_cast<double>(ranges.at("local").most), 1.5 * ranges.at("local").mean());
}

TEST(Balance, SurvivesDeadLinks) {
  Drawing drawing = xgft({6, 6, 12}, {1, 6, 6});
  for (std::size_t i = 0; i < 8; ++i) drawing.cut(i * 101);
  const Case one(drawing);
  expect_even(one, up_down, 2.1);
  expect_even(one, min_hop, 2.1);
}

}  // namespace
}  // namespace weft::routing
