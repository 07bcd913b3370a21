#include "ctl/table.h"

#include <gtest/gtest.h>

namespace weft::ctl {
namespace {

using std::chrono::duration;

Table example() {
  Table table({{"NAME", Align::left, true}, {"LID", Align::right}, {"STATE"}});
  table.add({"leaf-1", "7", {"active", Colour::green}});
  table.add({"a rather long name", "1234", "down"});
  return table;
}

TEST(Table, AlignsColumns) {
  EXPECT_EQ(example().text({}),
            "NAME                 LID  STATE\n"
            "leaf-1                 7  active\n"
            "a rather long name  1234  down\n");
}

TEST(Table, CutsTheWidestColumnThatMayShrink) {
  EXPECT_EQ(example().text({.width = 26}, 2),
            "  NAME         LID  STATE\n"
            "  leaf-1         7  active\n"
            "  a rather …  1234  down\n");
}

TEST(Table, NeverCutsBelowEightCharacters) {
  EXPECT_EQ(example().text({.width = 3}),
            "NAME       LID  STATE\n"
            "leaf-1       7  active\n"
            "a rathe…  1234  down\n");
}

TEST(Table, ColoursWithoutShiftingColumns) {
  Table table({{"A"}, {"B"}});
  table.add({{"x", Colour::red}, "y"});
  EXPECT_EQ(table.text({.colour = true}), "\033[1mA\033[0m  \033[1mB\033[0m\n\033[31mx\033[0m  y\n");
}

TEST(Table, CountsCharactersNotBytes) {
  Table table({{"A"}, {"B"}});
  table.add({"äöü", "x"});
  table.add({"abcd", "y"});
  EXPECT_EQ(table.text({}), "A     B\näöü   x\nabcd  y\n");
}

TEST(Cut, KeepsWholeCharacters) {
  EXPECT_EQ(cut("äöüß", 4), "äöüß");
  EXPECT_EQ(cut("äöüß", 3), "äö…");
  EXPECT_EQ(cut("abc", 1), "…");
  EXPECT_EQ(cut("abc", 0), "");
}

TEST(HumanCount, GroupsByThousands) {
  EXPECT_EQ(human_count(0), "0");
  EXPECT_EQ(human_count(999), "999");
  EXPECT_EQ(human_count(1000), "1,000");
  EXPECT_EQ(human_count(12345678), "12,345,678");
}

TEST(Counted, KnowsThePlural) {
  EXPECT_EQ(counted(1, "link"), "1 link");
  EXPECT_EQ(counted(0, "link"), "0 links");
  EXPECT_EQ(counted(1200, "switch"), "1,200 switches");
}

TEST(HumanDuration, PicksAUnitThatReadsWell) {
  EXPECT_EQ(human_duration(duration<double>(0.0004)), "0.4 ms");
  EXPECT_EQ(human_duration(duration<double>(0.027)), "27 ms");
  EXPECT_EQ(human_duration(duration<double>(0.9996)), "1.0 s");
  EXPECT_EQ(human_duration(duration<double>(3.21)), "3.2 s");
  EXPECT_EQ(human_duration(duration<double>(60)), "1 min");
  EXPECT_EQ(human_duration(duration<double>(125)), "2 min 5 s");
  EXPECT_EQ(human_duration(duration<double>(11040)), "3 h 4 min");
  EXPECT_EQ(human_duration(duration<double>(439200)), "5 d 2 h");
  EXPECT_EQ(human_duration(duration<double>(-1)), "0.0 ms");
}

}  // namespace
}  // namespace weft::ctl
