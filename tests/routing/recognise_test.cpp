// What shape a fabric is taken for, damaged or not.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "routing/design.h"
#include "routing/recognise.h"
#include "tests/routing/fabrics.h"

namespace weft::routing {
namespace {

/// A grid of up to three dimensions, closed to rings or not; a hypercube when all are 2. Some switches have
/// no host.
Drawing grid(int x, int y, int z, bool rings, const std::vector<bool>& has_hosts) {
  Drawing drawing;
  for (std::size_t i = 0; i < has_hosts.size(); ++i) drawing.add_switch();
  const auto at = [&](int i, int j, int k) { return static_cast<std::uint32_t>((i * y + j) * z + k); };
  const auto join = [&](int i, int size, std::uint32_t from, std::uint32_t next, std::uint32_t first) {
    if (i + 1 < size) drawing.cable(from, next);
    if (i + 1 == size && size > 2 && rings) drawing.cable(from, first);
  };
  for (int i = 0; i < x; ++i) {
    for (int j = 0; j < y; ++j) {
      for (int k = 0; k < z; ++k) {
        drawing.add_hosts(at(i, j, k), has_hosts[at(i, j, k)] ? 1 : 0);
        join(i, x, at(i, j, k), at(i + 1, j, k), at(0, j, k));
        join(j, y, at(i, j, k), at(i, j + 1, k), at(i, 0, k));
        join(k, z, at(i, j, k), at(i, j, k + 1), at(i, j, 0));
      }
    }
  }
  return drawing;
}

RC_GTEST_PROP(Design, IsTheSameObjectWhereThereIsNothingToLearn, ()) {
  const Drawing whole = xgft({2, 3, 3}, {1, 2, 2});
  const auto damaged = [&whole] {
    Drawing drawing = whole;
    for (int i = *rc::gen::inRange(0, 3); i > 0; --i) drawing.cut(*rc::gen::inRange(0U, 1U << 20));
    return drawing;
  };
  const auto before = std::make_shared<const Design>(learn({}, *Case(damaged()).fabric));
  Drawing later = damaged();
  if (*rc::gen::inRange(0, 3) == 0) later.cable(0, 1);
  const Case now(later);
  const Design expected = learn(*before, *now.fabric);
  const auto learned_now = learned(before, *now.fabric);
  RC_ASSERT(*learned_now == expected);
  RC_ASSERT((learned_now == before) == (expected == *before));
  RC_ASSERT(*learned(nullptr, *now.fabric) == learn({}, *now.fabric));
}

RC_GTEST_PROP(Recognise, TakesNoGridForATreeForWantOfAHost, ()) {
  const int x = *rc::gen::inRange(2, 6);
  const int y = *rc::gen::inRange(2, 6);
  const int z = x * y > 4 ? *rc::gen::inRange(1, 5) : *rc::gen::inRange(2, 5);
  std::vector<bool> has_hosts(static_cast<std::size_t>(x * y * z), true);
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i)
    has_hosts[*rc::gen::inRange<std::size_t>(0, has_hosts.size())] = false;
  Drawing drawing = grid(x, y, z, *rc::gen::arbitrary<bool>(), has_hosts);
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) drawing.cut(*rc::gen::inRange(0U, 1U << 20));
  if (*rc::gen::inRange(0, 3) == 0)
    drawing.isolate(*rc::gen::inRange(0U, static_cast<std::uint32_t>(has_hosts.size())));
  const Recognised as = recognise(Case(drawing).problem);
  if (as.kind == Kind::tree) RC_FAIL(as.evidence);
}

RC_GTEST_PROP(Recognise, TakesADamagedTreeForATree, ()) {
  Drawing drawing = *rc::gen::element(xgft({3, 4}, {1, 4}), xgft({2, 3, 4}, {1, 3, 3}),
                                      xgft({4, 4, 4}, {1, 4, 4}), xgft({2, 6, 3}, {1, 2, 4}));
  for (int i = *rc::gen::inRange(0, 5); i > 0; --i) drawing.cut(*rc::gen::inRange(0U, 1U << 20));
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i)
    drawing.isolate(*rc::gen::inRange(0U, drawing.node_count()));
  RC_ASSERT(recognise(Case(drawing).problem).kind == Kind::tree);
}

}  // namespace
}  // namespace weft::routing
