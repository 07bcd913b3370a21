#include "routing/given_ways.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace weft::routing {

constexpr std::uint32_t kNever = WaitOrder::kNobody;

GroupCables::GroupCables(const DesignGraph& graph) : count(graph.live) {
  for (const DesignGraph::End& e : graph.ends) width = std::max(width, e.port + 1U);
  next.assign(std::size_t{count} * width, WaitOrder::kNobody);
  far.resize(next.size());
  ports.resize(count);
  for (std::uint32_t s = 0; s < count; ++s) {
    for (const DesignGraph::End& e : graph.ends_of(s)) {
      if (!e.live || e.to >= count) continue;
      next[s * width + e.port] = e.to;
      far[s * width + e.port] = e.far_port;
      ports[s].push_back(e.port);
    }
  }
}

LidOwners::LidOwners(const Problem& problem)
    : at(row_size(problem.top), kNobody),
      is_host(at.size()),
      is_peer(at.size()),
      hosts(problem.fabric->switch_count()),
      sources(hosts.size()) {
  for (const Destination& d : problem.destinations) {
    hosts[raw(d.at)] += d.is_switch() ? 0 : 1;
    sources[raw(d.at)] += d.is_peer() ? 1 : 0;
    for (std::uint32_t lid = raw(d.base); lid < raw(d.base) + (1U << d.lmc); ++lid) {
      at[lid] = raw(d.at);
      is_host[lid] = !d.is_switch();
      is_peer[lid] = d.is_peer();
    }
  }
}

TableWays::TableWays(const Routes& rows, const LidOwners& owners, const GroupCables& cables,
                     const Lanes& lanes)
    : rows_(rows),
      owners_(owners),
      cables_(cables),
      lanes_(lanes),
      out_(cables.count),
      arrives_(cables.count),
      held_(cables.count),
      carries_(cables.next.size()) {}

std::uint8_t TableWays::way(std::uint32_t s, std::uint16_t lid) const {
  const std::uint8_t port = raw(rows_.out(static_cast<SwitchId>(s), static_cast<Lid>(lid)));
  return s == owners_.at[lid] || port >= cables_.width || cables_.behind(s, port) == WaitOrder::kNobody
             ? kNoWay
             : port;
}

void TableWays::count(LinkLoads& loads, WaitOrder& waits) {
  for (std::uint32_t lid = 0; lid < owners_.at.size(); ++lid) {
    if (owners_.at[lid] == LidOwners::kNobody) continue;
    const auto one = static_cast<std::uint16_t>(lid);
    follow(one);
    if (owners_.is_host[lid]) count_loads(one, loads);
    count_waits(one, waits);
    list_lost(one);
  }
}

/// Back from where the LID hangs, by links to those who send by them.
void TableWays::follow(std::uint16_t lid) {
  for (std::uint32_t s = 0; s < cables_.count; ++s) out_[s] = way(s, lid);
  std::ranges::fill(arrives_, kNever);
  nearest_.assign(1, owners_.at[lid]);
  arrives_[owners_.at[lid]] = 0;
  for (std::size_t i = 0; i < nearest_.size(); ++i) {
    const std::uint32_t s = nearest_[i];
    for (const std::uint8_t port : cables_.ports[s]) {
      const std::uint32_t from = cables_.behind(s, port);
      if (arrives_[from] != kNever || out_[from] != cables_.far[s * cables_.width + port]) continue;
      arrives_[from] = arrives_[s] + 1;
      nearest_.push_back(from);
    }
  }
  std::ranges::reverse(nearest_);
}

void TableWays::count_loads(std::uint16_t lid, LinkLoads& loads) {
  for (const std::uint32_t s : nearest_) {
    const std::uint32_t flows = owners_.hosts[s];
    for (std::uint32_t via = s; flows != 0 && arrives_[via] != 0;) {
      const std::uint32_t link = via * cables_.width + out_[via];
      loads.carry(link, flows, std::exchange(carries_[link], lid + 1U) == lid + 1U ? 0 : 1);
      loads.send(link, s);
      via = cables_.next[link];
    }
  }
}

void TableWays::count_waits(std::uint16_t lid, WaitOrder& waits) {
  for (const std::uint32_t s : nearest_)
    held_[s] = arrives_[s] != 0 && owners_.talks(s, lid)
                   ? static_cast<std::uint8_t>(1U << lane(s, 0, out_[s]))
                   : std::uint8_t{0};
  for (const std::uint32_t s : nearest_) {  // whoever sends to it stands before it
    if (arrives_[s] < 2 || held_[s] == 0) continue;
    const std::uint32_t link = s * cables_.width + out_[s];
    const std::uint32_t next = cables_.next[link];
    const std::uint32_t on = lane(next, cables_.far[link], out_[next]);
    for (std::uint32_t held = held_[s]; held != 0; held &= held - 1)
      waits.depend(waits.id(s, out_[s], static_cast<std::uint32_t>(std::countr_zero(held))), out_[next], on);
    held_[next] |= static_cast<std::uint8_t>(1U << on);
  }
}

void TableWays::list_lost(std::uint16_t lid) {
  std::vector<std::uint32_t> cut_off;
  for (std::uint32_t s = 0; s < cables_.count; ++s)
    if (arrives_[s] == kNever) cut_off.push_back(s);
  if (cut_off.empty()) return;
  if (cut_off_.empty() || cut_off_.back() != cut_off) cut_off_.push_back(std::move(cut_off));
  lost_.push_back({lid, static_cast<std::uint32_t>(cut_off_.size() - 1)});
}

}  // namespace weft::routing
