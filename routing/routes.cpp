#include "routing/routes.h"

#include <algorithm>
#include <cstring>

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
  Lft::Memory& row = rows_[switch_index];
  if (!row) {
    row = arena_.claim(switch_index);
    std::memset(row.get(), kNoWay, row_size(problem_.top));
  }
  return row.get();
}

void Tables::keep(std::size_t switch_index, std::span<const std::uint8_t> ports, const Lft& like) {
  Lft row(ports, like);
  bool same = row.size() == like.size();
  for (std::size_t i = 0; i < row.piece_count() && same; ++i)
    same = row.piece(i).data() == like.piece(i).data();
  if (same)
    keep(switch_index);
  else
    kept_[switch_index] = std::make_shared<const Lft>(std::move(row));
}

void Tables::set(std::size_t switch_index, const std::uint8_t* row) {
  const std::size_t size = row_size(problem_.top);
  if (const std::shared_ptr<const Lft> old = before(switch_index))
    return keep(switch_index, {row, size}, *old);
  const Lft::Memory memory = arena_.claim(switch_index);
  std::memcpy(memory.get(), row, size);
  kept_[switch_index] = std::make_shared<const Lft>(memory, size);
}

void Tables::patch(std::size_t switch_index, std::span<const Lft::Entry> entries) {
  std::shared_ptr<const Lft> old = before(switch_index);
  kept_[switch_index] = entries.empty() ? std::move(old) : std::make_shared<const Lft>(old->with(entries));
}

Routes Tables::finish(std::string_view engine) && {
  const std::size_t size = row_size(problem_.top);
  Routes routes;
  routes.engine = engine;
  routes.top = problem_.top;
  for (std::size_t s = 0; s < rows_.size(); ++s) {
    if (!kept_[s]) {
      row(s);
      if (const std::shared_ptr<const Lft> old = before(s))
        keep(s, {rows_[s].get(), size}, *old);
      else
        kept_[s] = std::make_shared<const Lft>(rows_[s], size);
      rows_[s].reset();
    }
    routes.switches.push_back(problem_.fabric->node(static_cast<SwitchId>(s)).guid);
    routes.lfts.push_back(std::move(kept_[s]));
  }
  return routes;
}

}  // namespace weft::routing
