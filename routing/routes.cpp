#include "routing/routes.h"

#include <algorithm>

namespace weft::routing {

std::shared_ptr<const Lft> row_of(const Routes& routes, Guid switch_guid) {
  const auto at = std::ranges::lower_bound(routes.switches, switch_guid);
  if (at == routes.switches.end() || *at != switch_guid) return nullptr;
  return routes.lfts[static_cast<std::size_t>(at - routes.switches.begin())];
}

Tables::Tables(const Problem& problem) : problem_(problem), rows_(problem.fabric->switch_count()) {
  for (std::shared_ptr<Lft>& row : rows_) row = std::make_shared<Lft>(row_size(problem.top), raw(kPortDrop));
}

Routes Tables::finish(std::string_view engine) && {
  Routes routes;
  routes.engine = engine;
  routes.top = problem_.top;
  for (std::size_t s = 0; s < rows_.size(); ++s) {
    const Guid guid = problem_.fabric->node(static_cast<SwitchId>(s)).guid;
    std::shared_ptr<const Lft> before = problem_.previous ? row_of(*problem_.previous, guid) : nullptr;
    const bool same = before && *before == *rows_[s];
    routes.switches.push_back(guid);
    routes.lfts.push_back(same ? std::move(before) : std::move(rows_[s]));
    rows_[s].reset();
  }
  return routes;
}

}  // namespace weft::routing
