#pragma once
// How long work is shown: a bar that is redrawn in place on a terminal, a plain line per phase anywhere else.

#include <cstdint>
#include <string>

#include "ctl/table.h"

namespace weft::ctl {

struct Step {
  std::string phase;
  std::uint64_t done = 0;
  std::uint64_t total = 0;  ///< 0: not known.
};

/// "forwarding    [##########          ]  50 %  120/240", no wider than the style allows.
std::string progress_bar(const Step& step, const Style& style);

/// What to write for each step as it comes.
class ProgressPrinter {
 public:
  ProgressPrinter(Style style, bool in_place) : style_(style), in_place_(in_place) {}
  std::string show(const Step& step);
  /// Clears the bar, so that the result starts on a clean line.
  std::string finish();

 private:
  Style style_;
  bool in_place_;
  bool drawn_ = false;
  std::string last_phase_;
};

}  // namespace weft::ctl
