// The fat-tree engine: D-mod-K where the tree is whole, and what holes do to it.

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "routing/check.h"
#include "routing/engines.h"
#include "routing/port_sets.h"
#include "routing/recognise.h"
#include "routing/tree_shape.h"
#include "tests/routing/fabrics.h"

namespace weft::routing {
namespace {

Drawing any_flat_tree() {
  const auto few = [](int upto) { return *rc::gen::inRange(1, upto + 1); };
  if (*rc::gen::arbitrary<bool>()) return xgft({few(5), few(7)}, {1, few(5)}, few(3));
  const int leaves = few(4);
  Drawing uneven = xgft({0, leaves}, {1, few(4)});  // leaves with different numbers of hosts
  for (int leaf = 0; leaf < leaves; ++leaf)
    uneven.add_hosts(static_cast<std::uint32_t>(leaf), *rc::gen::inRange(0, 4));
  return uneven;
}

Drawing any_tree() {
  const auto few = [](int upto) { return *rc::gen::inRange(1, upto + 1); };
  const int kind = *rc::gen::inRange(0, 4);
  if (kind == 0) return xgft({few(3), few(4), few(4)}, {1, few(4), few(4)}, few(2));
  if (kind == 1) return xgft({few(2), few(2), few(3), few(2)}, {1, few(2), few(3), few(2)});
  return any_flat_tree();
}

std::vector<std::uint32_t> some_cuts(int most) {
  return *rc::gen::container<std::vector<std::uint32_t>>(static_cast<std::size_t>(*rc::gen::inRange(0, most)),
                                                         rc::gen::inRange(0U, 1U << 20));
}

/// One tree whole, and with links cut; the same LIDs at the same ports.
struct Cut {
  explicit Cut(const Drawing& drawing, const std::vector<std::uint32_t>& cuts, std::uint8_t lmc = 0)
      : whole(drawing, lmc), design(learn({}, *whole.fabric)), broken(cut(drawing, cuts), lmc) {
    whole.problem.design = &design;
    broken.problem.design = &design;
  }
  static Drawing cut(Drawing drawing, const std::vector<std::uint32_t>& cuts) {
    for (const std::uint32_t c : cuts) drawing.cut(c);
    return drawing;
  }
  Case whole;
  Design design;
  Case broken;
};

bool same(const Routes& a, const Routes& b) {
  return std::ranges::equal(a.lfts, b.lfts, [](const auto& x, const auto& y) { return *x == *y; });
}

RC_GTEST_PROP(FatTree, ReachesAllThatUpDownPathsConnectWithoutACycle, ()) {
  Cut cut(any_tree(), some_cuts(6), *rc::gen::element<std::uint8_t>(0, 0, 1, 2));
  const Result<Routes> routes = fat_tree(cut.broken.problem);
  if (!routes) RC_DISCARD(routes.error().what);
  const Verdict verdict = judge(cut.broken.problem, *routes);
  RC_ASSERT(!verdict.loops);
  const CheckReport report = check(cut.broken.problem, *routes);
  RC_ASSERT(report.lost == verdict.lost);
  RC_ASSERT(report.cycle.empty() == !verdict.cycle);
  if (cut.broken.fabric->switch_count() == cut.whole.fabric->switch_count() && verdict.lost == 0)
    RC_ASSERT(!verdict.cycle);
}

/// Some percent of the links between switches taken away by lot.
Drawing with_dead_links(Drawing drawing, double share, std::uint32_t seed) {
  std::mt19937 random(seed);
  for (auto left =
           static_cast<std::size_t>(std::lround(share * static_cast<double>(drawing.switch_cables())));
       left > 0; --left)
    drawing.cut(random());
  return drawing;
}

RC_GTEST_PROP(FatTree, ServesEverythingWithSomePercentOfTheLinksDead, ()) {
  const Drawing drawing =
      *rc::gen::element(xgft({1, 4, 6}, {1, 4, 4}), xgft({1, 5, 8}, {1, 5, 3}), xgft({2, 8}, {1, 8}),
                        xgft({1, 4, 4}, {1, 3, 3}, 2), xgft({1, 3, 3, 4}, {1, 3, 3, 3}));
  const Case whole(drawing);
  const Design design = learn({}, *whole.fabric);
  Case damaged(
      with_dead_links(drawing, *rc::gen::inRange(1, 9) / 100.0, *rc::gen::arbitrary<std::uint32_t>()));
  damaged.problem.design = &design;
  const Routes routes = *fat_tree(damaged.problem);
  const CheckReport report = check(damaged.problem, routes);
  RC_ASSERT(explain(*damaged.fabric, report) == "");
  RC_ASSERT(report.uncounted_lost == 0U);
  RC_ASSERT(check_sets(damaged.problem, routes, *port_sets(damaged.problem, routes)).safe());
}

RC_GTEST_PROP(FatTree, TakesShortestWaysInAWholeTree, ()) {
  const Case one(any_tree());
  const Result<Routes> routes = fat_tree(one.problem);
  if (!routes) RC_DISCARD(routes.error().what);
  RC_ASSERT(check(one.problem, *routes).safe());
  RC_ASSERT(longest_between_hosts(one.problem, *routes) ==
            longest_between_hosts(one.problem, *min_hop(one.problem)));
}

RC_GTEST_PROP(FatTree, IsTheSameForAnyNumberOfThreads, ()) {
  Cut cut(any_tree(), some_cuts(4));
  const Result<Routes> one = fat_tree(cut.broken.problem);
  if (!one) RC_DISCARD(one.error().what);
  cut.broken.problem.threads = *rc::gen::inRange(2U, 9U);
  RC_ASSERT(same(*one, *fat_tree(cut.broken.problem)));
}

RC_GTEST_PROP(FatTree, MovesOnlyFlowsWhosePortLeadsNowhereAnyMore, ()) {
  // Two ranks, or a middle rank that one cut cannot make thin (tree_relief.h):
  const bool flat = *rc::gen::arbitrary<bool>();
  const Cut cut(flat ? any_flat_tree() : xgft({1, 2, 3}, {1, 8, 8}), some_cuts(flat ? 4 : 2));
  const Result<Routes> before = fat_tree(cut.whole.problem);
  const Result<Routes> after = fat_tree(cut.broken.problem);
  if (!before || !after) RC_DISCARD("no tree");
  const std::vector<int> far = all_distances(*cut.broken.fabric);
  const std::uint32_t n = cut.broken.switches();
  for (const Destination& to : cut.broken.problem.destinations) {
    if (to.is_switch()) continue;
    for (std::uint32_t s = 0; s < n; ++s) {
      const auto here = static_cast<SwitchId>(s);
      const PortNum old = before->out(here, to.base);
      if (old == after->out(here, to.base) || far[s * n + raw(to.at)] < 0) continue;
      const fabric::Port& port = cut.broken.fabric->ports(here)[raw(old)];
      if (!port.peer) continue;  // the link is gone
      const std::uint32_t next = raw(*cut.broken.fabric->switch_of(port.peer->node));
      // The way on from there changed its length: it was a shortest way, and is none any more.
      RC_ASSERT(far[next * n + raw(to.at)] != all_distances(*cut.whole.fabric)[next * n + raw(to.at)] ||
                far[s * n + raw(to.at)] != all_distances(*cut.whole.fabric)[s * n + raw(to.at)]);
    }
  }
}

/// The ports that packets from a switch to a destination leave by, each with its switch.
std::vector<std::pair<SwitchId, PortNum>> way(const Case& one, const Routes& routes, SwitchId from,
                                              const Destination& to) {
  std::vector<std::pair<SwitchId, PortNum>> way;
  for (SwitchId s = from; s != to.at && way.size() < 64;) {
    const PortNum port = routes.out(s, to.base);
    if (port == kPortDrop) break;
    way.emplace_back(s, port);
    s = *one.fabric->switch_of(one.fabric->ports(s)[raw(port)].peer->node);
  }
  return way;
}

RC_GTEST_PROP(FatTree, MovesOnlyFlowsWhoseWayIsDead, ()) {
  const Cut cut(any_tree(), some_cuts(4));
  const Result<Routes> before = fat_tree(cut.whole.problem);
  const Result<Routes> after = fat_tree(cut.broken.problem);
  if (!before || !after) RC_DISCARD("no tree");
  for (const Destination& to : cut.broken.problem.destinations) {
    for (const Destination& from : cut.broken.problem.destinations) {
      if (to.is_switch() || from.is_switch()) continue;
      const auto old = way(cut.whole, *before, from.at, to);
      const bool dead = std::ranges::any_of(
          old, [&](const auto& hop) { return !cut.broken.fabric->ports(hop.first)[raw(hop.second)].peer; });
      if (!dead) RC_ASSERT(old == way(cut.broken, *after, from.at, to));
    }
  }
}

RC_GTEST_PROP(FatTree, HasTheSameTablesWhateverWasThereBefore, ()) {
  const Drawing drawing = any_tree();
  Cut first(drawing, some_cuts(4));
  Cut second(drawing, some_cuts(4));
  const Result<Routes> before = fat_tree(first.broken.problem);
  const Result<Routes> fresh = fat_tree(second.broken.problem);
  if (!before || !fresh) RC_DISCARD("no tree");
  second.broken.problem.previous = &*before;
  RC_ASSERT(same(*fresh, *fat_tree(second.broken.problem)));
}

TEST(FatTree, SharesTheRowsThatAFaultLeavesAlone) {
  Cut cut(xgft({4, 4, 8}, {1, 4, 4}), {130});  // a link between a middle switch and a root
  const Routes before = *fat_tree(cut.whole.problem);
  cut.broken.problem.previous = &before;
  const Routes after = *fat_tree(cut.broken.problem);
  std::size_t shared = 0;
  for (std::size_t s = 0; s < after.lfts.size(); ++s) shared += after.lfts[s] == before.lfts[s] ? 1 : 0;
  EXPECT_GT(shared, after.lfts.size() / 2);
  EXPECT_LT(shared, after.lfts.size());
}

RC_GTEST_PROP(FatTree, BringsTheOldTablesBackWithTheLinks, ()) {
  Cut cut(any_tree(), some_cuts(4));
  const Result<Routes> fresh = fat_tree(cut.whole.problem);
  if (!fresh) RC_DISCARD(fresh.error().what);
  const Design after = learn(learn(cut.design, *cut.broken.fabric), *cut.whole.fabric);
  RC_ASSERT(after == cut.design);
  const Result<Routes> broken = fat_tree(cut.broken.problem);
  if (!broken) RC_DISCARD(broken.error().what);
  cut.whole.problem.previous = &*broken;
  RC_ASSERT(same(*fresh, *fat_tree(cut.whole.problem)));
}

/// Most flows on a link between switches when every host sends to the one `shift` places after it.
int shift_maximum(const Problem& problem, const Routes& routes, const std::vector<Destination>& hosts,
                  std::size_t shift) {
  std::map<std::pair<std::uint32_t, std::uint8_t>, int> flows;
  int most = 0;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const Destination& to = hosts[(i + shift) % hosts.size()];
    for (SwitchId s = hosts[i].at; s != to.at;) {
      const PortNum port = routes.out(s, to.base);
      most = std::max(most, ++flows[{raw(s), raw(port)}]);
      s = *problem.fabric->switch_of(problem.fabric->ports(s)[raw(port)].peer->node);
    }
  }
  return most;
}

std::vector<Destination> in_order(const Problem& problem) {
  const TreeShape shape = *tree_shape(problem, DesignGraph(problem));
  std::vector<std::pair<std::uint32_t, Destination>> hosts;
  for (std::size_t i = 0; i < problem.destinations.size(); ++i)
    if (!problem.destinations[i].is_switch()) hosts.emplace_back(shape.number[i], problem.destinations[i]);
  std::ranges::sort(hosts, {}, &std::pair<std::uint32_t, Destination>::first);
  std::vector<Destination> order;
  for (const auto& [number, d] : hosts) order.push_back(d);
  return order;
}

TEST(FatTree, GivesEveryShiftOneFlowALink) {
  for (const auto& [m, w, parallel] : {std::tuple{std::vector{4, 8}, std::vector{1, 4}, 1},
                                       {{4, 4}, {1, 2}, 2},
                                       {{3, 3, 6}, {1, 3, 3}, 1},
                                       {{2, 2, 2, 4}, {1, 2, 2, 2}, 1}}) {
    const Case one(xgft(m, w, parallel));
    const Routes routes = *fat_tree(one.problem);
    const std::vector<Destination> hosts = in_order(one.problem);
    for (std::size_t shift = 1; shift < hosts.size(); ++shift)
      EXPECT_EQ(shift_maximum(one.problem, routes, hosts, shift), 1) << shift;
  }
}

TEST(FatTree, GivesAShiftAtMostTwoFlowsALinkWithOneLinkDead) {
  const Cut cut(xgft({4, 4, 8}, {1, 4, 4}), {17});
  const Routes routes = *fat_tree(cut.broken.problem);
  const std::vector<Destination> hosts = in_order(cut.broken.problem);
  for (std::size_t shift = 1; shift < hosts.size(); ++shift)
    EXPECT_LE(shift_maximum(cut.broken.problem, routes, hosts, shift), 2) << shift;
}

TEST(FatTree, GivesThePlanesOfAHostDifferentWaysUp) {
  const Case one(xgft({4, 8}, {1, 4}), 2);
  const Routes routes = *fat_tree(one.problem);
  for (const Destination& to : one.problem.destinations) {
    if (to.is_switch()) continue;
    const SwitchId from = to.at == SwitchId{0} ? SwitchId{1} : SwitchId{0};
    std::set<PortNum> ports;
    for (std::uint32_t i = 0; i < 4; ++i) ports.insert(routes.out(from, static_cast<Lid>(raw(to.base) + i)));
    EXPECT_EQ(ports.size(), 4U);
  }
}

TEST(FatTree, BalancesStorageApart) {
  Case one(xgft({4, 4}, {1, 2}));
  std::vector<Lid> storage;
  std::map<std::uint32_t, int> seen;
  for (Destination& d : one.problem.destinations) {
    if (d.is_switch() || seen[raw(d.at)]++ % 2 != 0) continue;
    d.kind = 1;  // every other host, so that all would go one way if they were counted with the rest
    if (d.at != SwitchId{0}) storage.push_back(d.base);
  }
  const Routes routes = *fat_tree(one.problem);
  std::map<PortNum, int> load;
  for (const Lid lid : storage) ++load[routes.out(SwitchId{0}, lid)];
  ASSERT_EQ(load.size(), 2U);
  EXPECT_EQ(load.begin()->second, load.rbegin()->second);
}

TEST(FatTree, LeavesAHoleWhereASwitchIsGone) {
  const Drawing whole = xgft({2, 4}, {1, 4});
  Case before(whole);
  const Design design = learn({}, *before.fabric);
  before.problem.design = &design;
  Drawing less = whole;
  less.isolate(5);  // a spine
  Case after(less);
  after.problem.design = &design;
  const Routes old = *fat_tree(before.problem);
  const Routes now = *fat_tree(after.problem);
  int moved = 0;
  for (const Destination& to : after.problem.destinations)
    for (std::uint32_t leaf = 0; leaf < 4; ++leaf)
      if (!to.is_switch() && old.out(SwitchId{leaf}, to.base) != now.out(SwitchId{leaf}, to.base)) ++moved;
  EXPECT_EQ(moved, 6);  // a quarter of 8 hosts, at the leaves that are not theirs
}

TEST(FatTree, ForgetsADesignThatIsInTheWay) {
  Drawing before = xgft({2, 4}, {1, 2});
  const Case now(before);
  before.cable(0, 1);  // a cable between two leaves, gone since
  const Design design = learn({}, *Case(before).fabric);
  Problem problem = now.problem;
  problem.design = &design;
  const Result<Routes> routes = fat_tree(problem);
  ASSERT_TRUE(routes);
  EXPECT_TRUE(same(*routes, *fat_tree(now.problem)));
  EXPECT_EQ(recognise(problem).kind, Kind::tree);
}

TEST(FatTree, SaysWhichLinkMakesItNoTree) {
  Drawing drawing = xgft({2, 4}, {1, 2});
  drawing.cable(0, 1);
  const Case one(drawing);
  const Result<Routes> routes = fat_tree(one.problem);
  ASSERT_FALSE(routes.has_value());
  EXPECT_EQ(routes.error().what,
            "no tree: 0x0000000000001000 (L1-0) and 0x0000000000001001 (L1-1) are linked, but neither is "
            "above the other");
}

TEST(FatTree, RoutesOddTrees) {
  Drawing single;
  single.add_hosts(single.add_switch(), 3);
  EXPECT_TRUE(check(Case(single).problem, *fat_tree(Case(single).problem)).safe());
  for (const Drawing& odd :
       {xgft({1, 3}, {1, 1}, 8), xgft({1, 253}, {1, 1}), xgft({0, 3}, {1, 2}), ring(4, 0)}) {
    const Case one(odd);
    const Result<Routes> routes = fat_tree(one.problem);
    if (routes) {
      EXPECT_TRUE(check(one.problem, *routes).safe());
    }
  }
}

TEST(TreeShape, TellsRanksAndMissingLinks) {
  const Cut cut(xgft({2, 3, 4}, {1, 3, 2}), {0, 0});
  EXPECT_EQ(describe(*tree_shape(cut.whole.problem, DesignGraph(cut.whole.problem))),
            "a tree of 3 ranks, 12/12/6 switches");
  EXPECT_EQ(describe(*tree_shape(cut.broken.problem, DesignGraph(cut.broken.problem))),
            "a tree of 3 ranks, 12/12/6 switches, 2 links of the design missing");
}

TEST(TreeShape, FindsHolesBySymmetryWithoutADesign) {
  const Cut cut(xgft({2, 8}, {1, 8}), {3});
  Problem alone = cut.broken.problem;
  alone.design = nullptr;
  EXPECT_TRUE(same(*fat_tree(alone), *fat_tree(cut.broken.problem)));
}

TEST(TreeShape, TakesTheConfiguredRoots) {
  Drawing drawing;  // a leaf hangs straight from a root beside a pod of two ranks
  const std::uint32_t root = drawing.add_switch();
  const std::uint32_t middle = drawing.add_switch();
  const std::uint32_t low = drawing.add_switch();
  const std::uint32_t high = drawing.add_switch();
  drawing.cable(root, middle);
  drawing.cable(middle, low);
  drawing.cable(root, high);
  drawing.add_hosts(low, 2);
  drawing.add_hosts(high, 2);
  Case one(drawing);
  one.problem.roots = {Drawing::guid(root)};
  EXPECT_EQ(describe(*tree_shape(one.problem, DesignGraph(one.problem))),
            "a tree of 3 ranks, 1/2/1 switches");
  EXPECT_TRUE(check(one.problem, *fat_tree(one.problem)).safe());
}

TEST(TreeShape, TakesTheConfiguredRanks) {
  Case one(xgft({1, 2, 2}, {1, 2, 2}));
  const DesignGraph graph(one.problem);
  for (std::uint32_t s = 0; s < 4; ++s) one.problem.ranks.emplace_back(graph.guids[s], 0U);
  one.problem.ranks.emplace_back(graph.guids[8], 2U);
  EXPECT_EQ(describe(*tree_shape(one.problem, graph)), "a tree of 3 ranks, 4/4/4 switches");
  one.problem.ranks.back().second = 1;
  EXPECT_EQ(tree_shape(one.problem, graph).error().what,
            "no tree with the ranks that the configuration gives: " +
                describe(one.fabric->node(SwitchId{8})) + " would have rank 2");
}

RC_GTEST_PROP(FatTree, RowsPatchedAfterAFaultAreThoseOfAFullRun, ()) {
  const auto few = [](int upto) { return *rc::gen::inRange(1, upto + 1); };
  const Drawing drawing = *rc::gen::arbitrary<bool>()
                              ? xgft({few(3), few(5)}, {1, few(4)}, few(3))
                              : xgft({few(2), few(4), few(4)}, {1, few(3), few(3)}, few(2));
  const Case whole(drawing);
  const Design design = learn({}, *whole.fabric);
  Drawing before = drawing;
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) before.cut(*rc::gen::inRange(0U, 1U << 20));
  Drawing after = *rc::gen::arbitrary<bool>() ? before : drawing;
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) after.cut(*rc::gen::inRange(0U, 1U << 20));
  Case old(before);
  old.problem.design = &design;
  const Result<Routes> first = fat_tree(old.problem);
  Case now(after);
  now.problem.design = &design;
  const Result<Routes> full = fat_tree(now.problem);
  if (!first || !full) RC_DISCARD("no tree");
  now.problem.previous = &*first;
  const Routes patched = *fat_tree(now.problem);
  for (std::uint32_t s = 0; s < now.switches(); ++s) RC_ASSERT(*patched.lfts[s] == *full->lfts[s]);
}

}  // namespace
}  // namespace weft::routing
