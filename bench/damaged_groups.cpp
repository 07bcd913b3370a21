// damaged_groups: how often the tables of the dragonfly and Dragonfly+ engines cannot be used on small
// fabrics with dead links, whole before, and how often the lanes have no room for multicast trees then. Its
// figures stand in docs/performance.md.
//
// usage: damaged_groups LINKS [CASES]     LINKS dead in each; 0: one, and up to 9 % more

#include <cstdlib>
#include <iostream>
#include <random>

#include <fmt/format.h>

#include "routing/check.h"
#include "routing/design.h"
#include "routing/engines.h"
#include "routing/multicast.h"
#include "tests/routing/fabrics.h"

namespace {

using namespace weft::routing;

struct Shape {
  const char* name;
  Drawing drawing;
};

Drawing damaged(Drawing drawing, std::size_t links, std::mt19937& random) {
  const std::size_t dead = links != 0 ? links : 1 + drawing.switch_cables() * (random() % 10) / 100;
  for (std::size_t i = 0; i < dead; ++i) drawing.cut(random());
  return drawing;
}

template <typename Engine>
void count_refused(std::span<const Shape> shapes, const Engine& engine, std::size_t links,
                   std::uint32_t cases) {
  std::vector<std::uint32_t> all(shapes.size());
  std::vector<std::uint32_t> refused(shapes.size());
  std::vector<std::uint32_t> crowded(shapes.size());
  for (std::uint32_t seed = 1; seed <= cases; ++seed) {
    std::mt19937 random(seed);
    const std::size_t shape = random() % shapes.size();
    const Design design = learn({}, *Case(shapes[shape].drawing).fabric);
    Case one(damaged(shapes[shape].drawing, links, random));
    one.problem.design = &design;
    const weft::Result<Routes> routes = engine(one.problem);
    ++all[shape];
    const CheckReport report = routes ? check(one.problem, *routes) : CheckReport{.lost = 1};
    if (!report.safe())
      ++refused[shape];
    else
      crowded[shape] += MulticastBasis(one.problem, *routes, report.waits).why().empty() ? 0 : 1;
  }
  for (std::size_t i = 0; i < shapes.size(); ++i)
    fmt::print("{:<40} {:>4} of {} refused, {} without room for multicast\n", shapes[i].name, refused[i],
               all[i], crowded[i]);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::cerr << "usage: damaged_groups LINKS [CASES]\n";
    return 2;
  }
  const std::size_t links = std::strtoul(argv[1], nullptr, 10);
  const auto cases = static_cast<std::uint32_t>(argc == 3 ? std::strtoul(argv[2], nullptr, 10) : 500);
  const Shape dragonflies[] = {{"dragonfly:p=2,a=4,h=2,g=9", dragonfly(2, 4, 2, 9)},
                               {"dragonfly:p=1,a=6,h=2,g=7", dragonfly(1, 6, 2, 7)},
                               {"dragonfly:p=3,a=6,h=1,g=7", dragonfly(3, 6, 1, 7)},
                               {"dragonfly:p=2,a=4,h=1,g=5", dragonfly(2, 4, 1, 5)},
                               {"dragonfly:p=2,a=6,h=2,g=13", dragonfly(2, 6, 2, 13)}};
  const Shape plus[] = {{"dragonfly+, 4 groups of 3 and 3", dragonfly_plus(1, 3, 3, 2, 4)},
                        {"dragonfly+, 5 groups of 2 and 4", dragonfly_plus(2, 2, 4, 1, 5)},
                        {"dragonfly+, 4 groups of 4 and 2", dragonfly_plus(1, 4, 2, 2, 4)},
                        {"dragonfly+, 4 groups of 2 and 3", dragonfly_plus(1, 2, 3, 1, 4)},
                        {"dragonfly+, 6 groups of 4 and 4", dragonfly_plus(2, 4, 4, 2, 6)}};
  weft::Result<Routes> (*dragonfly_engine)(const Problem&) = dragonfly;
  weft::Result<Routes> (*plus_engine)(const Problem&) = dragonfly_plus;
  count_refused(dragonflies, dragonfly_engine, links, cases);
  count_refused(plus, plus_engine, links, cases);
}
