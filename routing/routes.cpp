#include "routing/routes.h"

#include <algorithm>

namespace weft::routing {

std::shared_ptr<const Lft> row_of(const Routes& routes, Guid switch_guid) {
  const auto at = std::ranges::lower_bound(routes.switches, switch_guid);
  if (at == routes.switches.end() || *at != switch_guid) return nullptr;
  return routes.lfts[static_cast<std::size_t>(at - routes.switches.begin())];
}

Tables::Tables(const Problem& problem)
    : problem_(problem),
      arena_(problem.fabric->switch_count(), row_size(problem.top)),
      rows_(problem.fabric->switch_count()),
      kept_(rows_.size()) {}

std::shared_ptr<const Lft> Tables::before(std::size_t switch_index) const {
  if (!problem_.previous) return nullptr;
  return row_of(*problem_.previous, problem_.fabric->node(static_cast<SwitchId>(switch_index)).guid);
}

std::uint8_t* Tables::row(std::size_t switch_index) {
  std::shared_ptr<Lft>& row = rows_[switch_index];
  if (!row) row = std::make_shared<Lft>(row_size(problem_.top), kNoWay, arena_.claim());
  return row->data();
}

void Tables::set(std::size_t switch_index, const std::uint8_t* row) {
  const std::size_t size = row_size(problem_.top);
  std::shared_ptr<const Lft> old = before(switch_index);
  if (old && std::equal(old->begin(), old->end(), row, row + size))
    kept_[switch_index] = std::move(old);
  else
    kept_[switch_index] = std::make_shared<const Lft>(row, row + size, arena_.claim());
}

void Tables::patch(std::size_t switch_index,
                   std::span<const std::pair<std::uint16_t, std::uint8_t>> entries) {
  std::shared_ptr<const Lft> old = before(switch_index);
  if (entries.empty()) {
    kept_[switch_index] = std::move(old);
    return;
  }
  const auto row = std::make_shared<Lft>(old->begin(), old->end(), arena_.claim());
  for (const auto& [lid, port] : entries) (*row)[lid] = port;
  kept_[switch_index] = row;
}

Routes Tables::finish(std::string_view engine) && {
  Routes routes;
  routes.engine = engine;
  routes.top = problem_.top;
  for (std::size_t s = 0; s < rows_.size(); ++s) {
    if (!kept_[s]) {
      row(s);
      std::shared_ptr<const Lft> old = before(s);
      kept_[s] = old && *old == *rows_[s] ? std::move(old) : std::move(rows_[s]);
      rows_[s].reset();
    }
    routes.switches.push_back(problem_.fabric->node(static_cast<SwitchId>(s)).guid);
    routes.lfts.push_back(std::move(kept_[s]));
  }
  return routes;
}

}  // namespace weft::routing
