#include "ctl/progress.h"

#include <gtest/gtest.h>

namespace weft::ctl {
namespace {

TEST(ProgressBar, ShowsHowMuchIsDone) {
  EXPECT_EQ(progress_bar({"forwarding", 600, 1200}, {}),
            "forwarding   [###############               ]  50 %  600/1,200");
  EXPECT_EQ(progress_bar({"discovery", 77, 0}, {}), "discovery    77");
  EXPECT_EQ(progress_bar({"planning", 0, 0}, {}), "planning");
  EXPECT_EQ(progress_bar({"ports", 9, 3}, {}), "ports        [##############################] 100 %  3/3");
}

TEST(ProgressBar, FitsTheTerminal) {
  EXPECT_EQ(shown_width(progress_bar({"ports", 1, 3}, {.width = 30})), 29u);
}

TEST(ProgressPrinter, RedrawsInPlaceAndClearsAtTheEnd) {
  ProgressPrinter printer({}, true);
  EXPECT_EQ(printer.show({"ports", 0, 0}), "\r\033[Kports");
  EXPECT_EQ(printer.show({"ports", 5, 0}), "\r\033[Kports        5");
  EXPECT_EQ(printer.finish(), "\r\033[K");
  EXPECT_EQ(printer.finish(), "");
}

TEST(ProgressPrinter, PrintsOneLinePerPhaseElsewhere) {
  ProgressPrinter printer({}, false);
  EXPECT_EQ(printer.show({"ports", 0, 9}), "ports\n");
  EXPECT_EQ(printer.show({"ports", 5, 9}), "");
  EXPECT_EQ(printer.show({"forwarding", 0, 9}), "forwarding\n");
  EXPECT_EQ(printer.finish(), "");
}

}  // namespace
}  // namespace weft::ctl
