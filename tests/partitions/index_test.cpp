#include "partitions/index.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "partitions/pkey.h"
#include "partitions/plan_keys.h"

namespace weft::partitions {
namespace {

Keys table(std::initializer_list<int> numbers) {
  Keys keys;
  for (const int number : numbers) keys.push_back(static_cast<Pkey>(number));
  return keys;
}

TEST(Placed, PutsTheDefaultKeyFirstAndOthersBehind) {
  EXPECT_EQ(placed(table({0x8001, 0x7fff, 0x8002}), {}, {}, 8), table({0x7fff, 0x8001, 0x8002}));
}

TEST(Placed, NeverMovesAKeyThatStays) {
  const Keys before = table({0xffff, 0x8001, 0x8002, 0x8003});
  EXPECT_EQ(placed(table({0xffff, 0x8003, 0x8004}), before, {}, 8), table({0xffff, 0x8004, 0, 0x8003}));
}

TEST(Placed, LeavesIndex0ToWhoHasIt) {
  EXPECT_EQ(placed(table({0xffff, 0x8001}), table({0x8001}), {}, 8), table({0x8001, 0xffff}));
}

TEST(Placed, TreatsAChangedMembershipAsANewKey) {
  EXPECT_EQ(placed(table({0xffff, 0x0001}), table({0xffff, 0x8001, 0x8002}), {}, 8), table({0xffff, 0x0001}));
}

TEST(Placed, MovesOnlyWhatMustLeaveIndex0) {
  EXPECT_EQ(placed(table({0xffff, 0x8005, 0x8006}), table({0xffff, 0x8006}), {5}, 8),
            table({0x8005, 0x8006, 0xffff}));
  EXPECT_EQ(placed(table({0xffff, 0x8005, 0x8006}), table({0xffff, 0x8006, 0x8005}), {5}, 8),
            table({0x8005, 0x8006, 0xffff}));
  EXPECT_EQ(placed(table({0xffff, 0x8005}), table({0x8005, 0xffff}), {5}, 8), table({0x8005, 0xffff}));
}

TEST(Placed, UsesIndex0WhenNothingElseIsLeft) {
  EXPECT_EQ(placed(table({0x8001, 0x8002}), table({0, 0x8002}), {}, 2), table({0x8001, 0x8002}));
}

TEST(SwitchTable, IsTheHostsWhereThereIsRoom) {
  EXPECT_EQ(switch_table(table({0xffff, 0, 0x8002}), 3), table({0xffff, 0, 0x8002}));
}

TEST(SwitchTable, LosesHolesAndWhatTheFullKeySaysAlready) {
  EXPECT_EQ(switch_table(table({0xffff, 0, 0x8002, 0x0002}), 2), table({0xffff, 0x8002}));
  EXPECT_EQ(switch_table(table({0xffff, 0x8001, 0x8002}), 2), std::nullopt);
}

TEST(Grown, HasTheNewTableAndTheOldKeysInItsHoles) {
  EXPECT_EQ(grown(table({0xffff, 0x8001, 0x8002}), table({0xffff, 0x8003}), 8),
            table({0xffff, 0x8003, 0x8002, 0x8001}));
  EXPECT_EQ(grown(table({0xffff, 0x8001}), table({0x8001, 0xffff}), 8), table({0x8001, 0xffff}));
  EXPECT_EQ(grown(table({0xffff, 0x8001}), table({0x8002, 0x8003}), 2), table({0x8002, 0x8003})) << "no room";
}

Keys some_keys() {
  Keys keys{*rc::gen::element(Pkey{0xffff}, Pkey{0x7fff})};
  for (int key = 1; key < 40; ++key)
    if (*rc::gen::inRange(0, 3) == 0)
      keys.push_back(static_cast<Pkey>(key | (*rc::gen::arbitrary<bool>() ? 0x8000 : 0)));
  return keys;
}

RC_GTEST_PROP(Placed, HoldsEachWantedKeyOnceAndKeepsPlaces, ()) {
  constexpr std::size_t kRoom = 48;
  Keys held;
  for (int step = 0; step < 4; ++step) {
    const Keys wanted = some_keys();
    const Keys now = placed(wanted, held, {}, kRoom);
    RC_ASSERT(now.size() <= kRoom);
    for (const Pkey key : wanted) RC_ASSERT(std::ranges::count(now, key) == 1);
    RC_ASSERT(std::ranges::count_if(now, is_valid) == static_cast<std::ptrdiff_t>(wanted.size()));
    for (std::size_t i = 0; i < held.size(); ++i)
      if (is_valid(held[i]) && std::ranges::find(wanted, held[i]) != wanted.end())
        RC_ASSERT(i < now.size() && now[i] == held[i]);
    const Keys between = grown(held, now, 2 * kRoom);
    for (const Pkey key : now) RC_ASSERT(!is_valid(key) || std::ranges::count(between, key) == 1);
    for (const Pkey key : held) RC_ASSERT(!is_valid(key) || std::ranges::count(between, key) == 1);
    for (std::size_t i = 0; i < now.size(); ++i) RC_ASSERT(!is_valid(now[i]) || between[i] == now[i]);
    held = now;
  }
}

}  // namespace
}  // namespace weft::partitions
