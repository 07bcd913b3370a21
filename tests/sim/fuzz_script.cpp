// Any text is a script, a line of a console or a set of port sets, or is refused with a reason.

#include "sim/faults/action.h"
#include "sim/faults/script.h"
#include "sim/port_sets.h"
#include "tests/sim/fabrics.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace weft::sim;
  static Lab lab(row_of(3, false));
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  const auto script = script_from(lab.world, text);
  const auto action = action_from(lab.world, text);
  const auto sets = port_sets_from(lab.world, text);
  if (sets) static_cast<void>(judge_port_sets(lab.world, *sets));
  const bool told = (script || !script.error().what.empty()) && (action || !action.error().what.empty());
  if (!told) __builtin_trap();
  return 0;
}
