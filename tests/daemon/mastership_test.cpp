// Every cell of the table, written down a second time: what IBTA vol. 1, 14.4.1 allows, and what we do.

#include "daemon/mastership.h"

#include <gtest/gtest.h>

namespace weft::daemon {
namespace {

using enum mad::SmState;
using enum Happening;
using enum Reaction;

struct Cell {
  mad::SmState now;
  Happening what;
  mad::SmState next;
  Reaction reaction;
  bool legal = true;
};

constexpr bool kIllegal = false;

class Mastership : public testing::TestWithParam<Cell> {};

TEST_P(Mastership, IsAsTheTableSays) {
  const Cell& cell = GetParam();
  EXPECT_EQ(step(cell.now, cell.what), (Step{cell.next, cell.reaction, cell.legal}));
}

INSTANTIATE_TEST_SUITE_P(
    Discovering, Mastership,
    testing::Values(Cell{discovering, told_hand_over, master, acknowledge},
                    Cell{discovering, told_acknowledge, discovering, none, kIllegal},
                    Cell{discovering, told_disable, discovering, none, kIllegal},
                    Cell{discovering, told_standby, discovering, none, kIllegal},
                    Cell{discovering, told_discover, discovering, none, kIllegal},
                    Cell{discovering, found_nobody, master, manage},
                    Cell{discovering, found_master, standby, wait},
                    Cell{discovering, found_better, standby, wait},
                    Cell{discovering, lost_master, discovering, none},
                    Cell{discovering, handed_over, discovering, none},
                    Cell{discovering, cut_off, discovering, none}));

INSTANTIATE_TEST_SUITE_P(
    Standby, Mastership,
    testing::Values(Cell{standby, told_hand_over, master, acknowledge},
                    Cell{standby, told_acknowledge, standby, none},
                    Cell{standby, told_disable, not_active, rest},
                    Cell{standby, told_standby, standby, none, kIllegal},
                    Cell{standby, told_discover, discovering, look},
                    Cell{standby, found_nobody, master, manage}, Cell{standby, found_master, standby, wait},
                    Cell{standby, found_better, standby, wait}, Cell{standby, lost_master, discovering, look},
                    Cell{standby, handed_over, standby, none}, Cell{standby, cut_off, discovering, look}));

INSTANTIATE_TEST_SUITE_P(
    Master, Mastership,
    testing::Values(Cell{master, told_hand_over, master, acknowledge},
                    Cell{master, told_acknowledge, master, none, kIllegal},
                    Cell{master, told_disable, master, none, kIllegal},
                    Cell{master, told_standby, master, none, kIllegal},
                    Cell{master, told_discover, master, none, kIllegal},
                    Cell{master, found_nobody, master, manage}, Cell{master, found_master, standby, yield},
                    Cell{master, found_better, master, hand_over}, Cell{master, lost_master, master, none},
                    Cell{master, handed_over, standby, wait}, Cell{master, cut_off, discovering, look}));

INSTANTIATE_TEST_SUITE_P(
    NotActive, Mastership,
    testing::Values(Cell{not_active, told_hand_over, not_active, none, kIllegal},
                    Cell{not_active, told_acknowledge, not_active, none, kIllegal},
                    Cell{not_active, told_disable, not_active, none, kIllegal},
                    Cell{not_active, told_standby, standby, wait},
                    Cell{not_active, told_discover, not_active, none, kIllegal},
                    Cell{not_active, found_nobody, not_active, none},
                    Cell{not_active, found_master, not_active, none},
                    Cell{not_active, found_better, not_active, none},
                    Cell{not_active, lost_master, not_active, none},
                    Cell{not_active, handed_over, not_active, none},
                    Cell{not_active, cut_off, not_active, none}));

TEST(Speaker, OfAnAcknowledgementIsAStandbyAndOfAllElseAMaster) {
  for (const Word word : {Word::hand_over, Word::disable, Word::standby, Word::discover})
    EXPECT_EQ(speaker_of(word), master);
  EXPECT_EQ(speaker_of(Word::acknowledge), standby);
}

}  // namespace
}  // namespace weft::daemon
