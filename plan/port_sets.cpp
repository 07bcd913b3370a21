#include "plan/port_sets.h"

#include <fmt/format.h>

#include "base/words.h"

namespace weft::plan {
namespace {

constexpr std::size_t kAnyNumber = ~std::size_t{0};

std::string fault(const routing::SetsReport& report) {
  if (!report.examples.empty()) return report.examples.front();
  return fmt::format("credit cycle: {}", report.cycle);
}

}  // namespace

std::shared_ptr<const routing::PortSets> plan_port_sets(
    const routing::Problem& problem, const routing::Routes& routes, const PortSetOptions& options,
    const std::shared_ptr<const routing::PortSets>& before, std::vector<std::string>& notes) {
  using enum PortSetOptions::Mode;
  if (options.mode == off) return nullptr;
  Result<routing::PortSets> found = routing::port_sets(problem, routes);
  if (!found) {
    notes.push_back("no port sets: " + found.error().what);
    return nullptr;
  }
  routing::PortSets& sets = *found;
  const std::size_t room = options.groups == 0 ? kAnyNumber : options.groups;
  const bool by_leaf = options.mode == per_leaf && number_per_leaf(sets, room);
  if (options.mode == per_leaf && !by_leaf)
    notes.push_back(
        fmt::format("port sets are numbered compactly: one group for each of {} leaves does not fit into {}",
                    sets.leaves.size(), options.groups));
  if (!by_leaf)
    if (const std::size_t lost = limit(sets, room); lost != 0)
      notes.push_back(
          fmt::format("{} of a switch and a destination leaf have no choice of ports: a switch holds {}",
                      counted(lost, "pair"), counted(options.groups, "group")));
  const auto [report, lost] = make_safe(problem, routes, sets);
  if (!report.safe()) {
    notes.push_back("no port sets, for they are not safe: " + fault(report));
    return nullptr;
  }
  if (lost != 0)
    notes.push_back(fmt::format(
        "{} of a switch and a destination leaf have no choice of ports: with the ways around what "
        "is lost, it would not be safe",
        counted(lost, "pair")));
  if (before && *before == sets) return before;
  return std::make_shared<const routing::PortSets>(std::move(sets));
}

}  // namespace weft::plan
