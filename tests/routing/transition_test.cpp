// From old tables to new ones: any mixture against the slow obvious union, and the two steps.

#include <map>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "routing/chain.h"
#include "routing/check.h"
#include "routing/design.h"
#include "routing/engines.h"
#include "routing/held_transition.h"
#include "routing/transition.h"
#include "tests/routing/fabrics.h"

namespace weft::routing {
namespace {

using Link = std::pair<std::uint32_t, std::uint8_t>;  // switch, port

/// Whether packets that meet old and new entries in any mixture can wait in a circle, on one VL.
bool mixture_can_lock(const Problem& problem, const Routes& old, const Routes& now) {
  std::map<Link, std::set<Link>> waits;
  const auto next_of = [&problem](const Link& link) -> std::optional<std::uint32_t> {
    const std::span<const fabric::Port> ports = problem.fabric->ports(static_cast<SwitchId>(link.first));
    if (link.second == 0 || link.second >= ports.size() || !ports[link.second].peer) return std::nullopt;
    const auto to = problem.fabric->switch_of(ports[link.second].peer->node);
    return to ? std::optional(raw(*to)) : std::nullopt;
  };
  for (const Destination& to : problem.destinations) {
    const Lid lid = to.base;
    std::set<std::uint32_t> reached;
    std::vector<std::uint32_t> queue;
    for (const Destination& from : problem.destinations)
      if (from != to && (from.is_peer() || to.is_peer()) && reached.insert(raw(from.at)).second)
        queue.push_back(raw(from.at));
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const auto s = static_cast<SwitchId>(queue[i]);
      for (const Routes* table : {&old, &now}) {
        const Link link{queue[i], raw(table->out(s, lid))};
        const auto next = next_of(link);
        if (!next) continue;
        if (reached.insert(*next).second) queue.push_back(*next);
        for (const Routes* then : {&old, &now}) {
          const Link onward{*next, raw(then->out(static_cast<SwitchId>(*next), lid))};
          if (next_of(onward)) waits[link].insert(onward);
        }
      }
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (auto it = waits.begin(); it != waits.end();) {
      std::erase_if(it->second, [&waits](const Link& l) { return !waits.contains(l); });
      const bool free = it->second.empty();
      it = free ? waits.erase(it) : std::next(it);
      changed |= free;
    }
  }
  return !waits.empty();
}

RC_GTEST_PROP(Transition, AgreesWithTheUnionOfBothTables, ()) {
  Case one(*rc::gen::arbitrary<bool>() ? random_graph(*rc::gen::inRange(2, 9), *rc::gen::inRange(0, 8),
                                                      *rc::gen::inRange(0U, 1U << 30))
                                       : torus(*rc::gen::inRange(2, 4), *rc::gen::inRange(1, 4), 1, 1));
  const Routes old = *up_down(one.problem);
  one.problem.roots = {one.fabric->node(static_cast<SwitchId>(*rc::gen::inRange(0U, one.switches()))).guid};
  const Routes now = *up_down(one.problem);
  const Transition transition = find_transition(one.problem, old, now);
  RC_ASSERT(transition.any_order() == !mixture_can_lock(one.problem, old, now));
  const CheckReport report = check(one.problem, old);
  RC_ASSERT(transition.any_order() ==
            find_transition(one.problem, old, now, false, report.waits.get()).any_order());
  if (transition.any_order()) return;
  RC_ASSERT(transition.dark.has_value());
  RC_ASSERT(find_transition(one.problem, old, *transition.dark).any_order());
  RC_ASSERT(find_transition(one.problem, *transition.dark, now).any_order());
}

TEST(Transition, TakesTwoStepsWhereTheOrderOfARingTurns) {
  Case one(ring(6));
  one.problem.roots = {Drawing::guid(0)};
  const Routes old = *up_down(one.problem);
  one.problem.roots = {Drawing::guid(3)};
  const Routes now = *up_down(one.problem);
  const Transition transition = find_transition(one.problem, old, now);
  EXPECT_FALSE(transition.any_order());
  EXPECT_GT(transition.entries, 0U);
  ASSERT_TRUE(transition.dark);
  EXPECT_GT(transition.dark_pairs, 0U);
  EXPECT_TRUE(check(one.problem, *transition.dark).free_of_deadlock());
}

TEST(Transition, DarkensNoWayBetweenHostsAfterAFaultInATree) {
  const Drawing drawing = xgft({2, 3, 4}, {1, 3, 3});
  for (const std::size_t cut : {5U, 40U}) {  // under a leaf, under a root
    Drawing less = drawing;
    less.cut(cut);
    const Case before(drawing);
    const Case after(less);
    const Routes old = *fat_tree(before.problem);
    const Routes now = *fat_tree(after.problem);
    // The switch above the dead link must now turn round, while others may still send down to it.
    const Transition transition = find_transition(after.problem, old, now);
    ASSERT_TRUE(transition.dark);
    EXPECT_EQ(transition.dark_pairs, check(after.problem, *transition.dark).lost);
    EXPECT_TRUE(find_transition(after.problem, old, *transition.dark).any_order());
    EXPECT_TRUE(find_transition(after.problem, *transition.dark, now).any_order());
    for (const Destination& from : after.problem.destinations) {
      for (const Destination& to : after.problem.destinations) {
        if (from.is_switch() || to.is_switch()) continue;
        EXPECT_NE(transition.dark->out(from.at, to.base), kPortDrop);
      }
    }
  }
}

TEST(Transition, DarkensNoWayBetweenHostsWhenASwitchDies) {
  const Drawing drawing = xgft({2, 3, 4}, {1, 3, 3});
  Case before(drawing);
  const Design design = learn({}, *before.fabric);
  before.problem.design = &design;
  const ChainResult old = *route(before.problem, {});
  for (const std::uint32_t dead : {13U, 25U}) {  // in the middle, at the top
    Drawing less = drawing;
    less.isolate(dead);
    Case after(less);
    after.problem.design = &design;
    const Routes now = *fat_tree(after.problem);
    const Transition transition =
        find_transition(after.problem, old.routes, now, false, old.report.waits.get());
    const Routes& first = transition.dark ? *transition.dark : now;
    EXPECT_TRUE(find_transition(after.problem, old.routes, first).any_order());
    EXPECT_TRUE(find_transition(after.problem, first, now).any_order());
    for (const Destination& from : after.problem.destinations)
      for (const Destination& to : after.problem.destinations)
        if (!from.is_switch() && !to.is_switch()) {
          EXPECT_EQ(first.out(from.at, to.base), now.out(from.at, to.base));
        }
  }
}

TEST(Transition, NeedsNoOrderForOneEntryThatWasMissing) {
  const Case one(xgft({2, 4}, {1, 2}));
  const Routes now = *fat_tree(one.problem);
  const Routes old = with_entry(now, 3, one.problem.destinations.front().base, raw(kPortDrop));
  const Transition transition = find_transition(one.problem, old, now);
  EXPECT_TRUE(transition.any_order());
  EXPECT_EQ(transition.entries, 1U);
  EXPECT_FALSE(transition.dark);
}

RC_GTEST_PROP(Transition, FromWhatTheOldTablesMakeWaitIsTheSameAsFromNothing, ()) {
  const Drawing whole = *rc::gen::element(xgft({1, 3, 4}, {1, 3, 3}), xgft({2, 4}, {1, 3}),
                                          dragonfly(1, 4, 2, 9), dragonfly_plus(1, 3, 3, 3, 4));
  const Design design = learn({}, *Case(whole).fabric);
  Drawing less = whole;
  const auto damage = [](Drawing& drawing) {
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i) drawing.cut(*rc::gen::inRange(0U, 1U << 20));
    if (*rc::gen::inRange(0, 4) == 0) drawing.isolate(*rc::gen::inRange(0U, drawing.node_count()));
  };
  damage(less);
  Case before(less);
  if (*rc::gen::arbitrary<bool>()) damage(less);
  Case after(*rc::gen::arbitrary<bool>() ? whole : less);
  before.problem.design = after.problem.design = &design;
  const ChainResult old = *route(before.problem, {.vls = 2});
  const ChainResult now = *route(after.problem, {.vls = 2});
  const Transition slow = find_transition(after.problem, old.routes, now.routes);
  const Transition quick =
      find_transition(after.problem, old.routes, now.routes, false, old.report.waits.get());
  RC_CLASSIFY(!slow.any_order(), "two steps");
  RC_ASSERT(slow.lanes_change == quick.lanes_change);
  // What only waited over the old cables is no longer there, but what was safe together stays so.
  RC_ASSERT(slow.any_order() == quick.any_order());
  RC_ASSERT(slow.entries == quick.entries);
}

TEST(Transition, SeesThatLanesChange) {
  const Case one(dragonfly(1, 4, 2, 9));
  const Transition transition = find_transition(one.problem, *up_down(one.problem), *dragonfly(one.problem));
  EXPECT_TRUE(transition.lanes_change);
  EXPECT_FALSE(transition.any_order());
  EXPECT_TRUE(find_transition(one.problem, *dragonfly(one.problem), *dragonfly(one.problem)).any_order());
}

/// Tables that hold rows of two orders, as a sweep that was cut short leaves them.
Routes half_written(const Routes& old, const Routes& now, std::uint32_t bits) {
  Routes half = old;
  for (std::size_t s = 0; s < half.lfts.size(); ++s)
    if ((bits >> s % 32 & 1) != 0) half.lfts[s] = now.lfts[s];
  return half;
}

RC_GTEST_PROP(HeldTransition, BeginsAtTablesThatMayBeUnsafeThemselves, ()) {
  Case one(torus(*rc::gen::inRange(2, 4), *rc::gen::inRange(2, 4), 1, 1));
  const auto up_down_from = [&one](std::uint32_t root) {
    one.problem.roots = {one.fabric->node(static_cast<SwitchId>(root)).guid};
    return *up_down(one.problem);
  };
  const Routes held =
      half_written(up_down_from(*rc::gen::inRange(0U, one.switches())),
                   up_down_from(*rc::gen::inRange(0U, one.switches())), *rc::gen::arbitrary<std::uint32_t>());
  const Routes now = up_down_from(*rc::gen::inRange(0U, one.switches()));
  const Transition transition = find_transition_from_held(one.problem, held, now, false, false);
  RC_CLASSIFY(!transition.any_order(), "two steps");
  RC_ASSERT(transition.any_order() || transition.dark.has_value());
  // Entries in force wait in a circle by themselves until they are gone: then the first step takes them out.
  const Routes& first = transition.dark ? *transition.dark : now;
  RC_ASSERT(!mixture_can_lock(one.problem, first, now));
  if (!mixture_can_lock(one.problem, held, held)) RC_ASSERT(!mixture_can_lock(one.problem, held, first));
}

TEST(HeldTransition, FromEntriesThatAreNotKnownDarkensAllThatChange) {
  const Case one(xgft({2, 4}, {1, 2}));
  const Routes now = *fat_tree(one.problem);
  const Lid lid = one.problem.destinations.front().base;
  const Routes held = with_entry(now, 3, lid, kUnknownWay);
  const Transition transition = find_transition_from_held(one.problem, held, now, false, true);
  EXPECT_EQ(transition.entries, 1U);
  ASSERT_TRUE(transition.dark);
  EXPECT_EQ(transition.dark->out(static_cast<SwitchId>(3), lid), kPortDrop);
  EXPECT_EQ(find_transition_from_held(one.problem, now, now, false, true).entries, 0U);
}

TEST(HeldTransition, OfLanesThatMoveDarkensAllBetweenSwitches) {
  const Case one(dragonfly(1, 4, 2, 9));
  const Routes now = *dragonfly(one.problem);
  const Transition transition = find_transition_from_held(one.problem, now, now, true, false);
  EXPECT_TRUE(transition.lanes_change);
  ASSERT_TRUE(transition.dark);
  EXPECT_EQ(check(one.problem, *transition.dark).longest, 0);
}

}  // namespace
}  // namespace weft::routing
