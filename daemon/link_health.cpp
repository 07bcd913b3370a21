#include "daemon/link_health.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/units.h"
#include "fabric/counterparts.h"

namespace weft::daemon {
namespace {

using fabric::Fabric;
using fabric::PortRef;

void drop_before(std::deque<Instant>& times, Instant limit) {
  while (!times.empty() && times.front() < limit) times.pop_front();
}

}  // namespace

LinkEnds link_ends(plan::Place one, plan::Place other) {
  return one < other ? LinkEnds{one, other} : LinkEnds{other, one};
}

plan::Place place_at(const Fabric& fabric, PortRef port) { return {fabric.node(port.node).guid, port.port}; }

std::optional<std::string> LinkHealth::note(const LinkEnds& link, Sign sign, Instant now, int times) {
  const int limit = sign == Sign::down ? settings_.flaps : settings_.errors;
  if (limit == 0 || times <= 0) return std::nullopt;
  forget_old(now);
  Record& record = links_[link];
  std::deque<Instant>& signs = sign == Sign::down ? record.downs : record.errors;
  signs.insert(signs.end(), static_cast<std::size_t>(std::min(times, limit + 1)), now);
  if (signs.size() <= static_cast<std::size_t>(limit)) return std::nullopt;
  const std::string within = duration_text(settings_.window);
  record.why = sign == Sign::down
                   ? fmt::format("it went down {} times within {}", signs.size(), within)
                   : fmt::format("its ports reported errors {} times within {}", signs.size(), within);
  record.bad_since = now;
  signs.clear();
  return record.why;
}

std::map<LinkEnds, std::string> LinkHealth::bad(Instant now) const {
  std::map<LinkEnds, std::string> all;
  for (const auto& [link, record] : links_)
    if (!record.why.empty() && record.bad_since >= now - settings_.window) all.emplace(link, record.why);
  return all;
}

void LinkHealth::forget_old(Instant now) {
  const Instant limit = now - settings_.window;
  for (auto& [link, record] : links_) {
    drop_before(record.downs, limit);
    drop_before(record.errors, limit);
    if (record.bad_since < limit) record.why.clear();
  }
  std::erase_if(links_, [](const auto& entry) {
    return entry.second.downs.empty() && entry.second.errors.empty() && entry.second.why.empty();
  });
}

std::vector<LinkEnds> dropped_links(const Fabric& before, const Fabric& now,
                                    const std::vector<Guid>& booted) {
  std::vector<LinkEnds> dropped;
  const fabric::Counterparts counterparts(before, now);
  const auto excused = [&](NodeId old_node) {
    if (!before.is_switch(old_node)) return false;
    return !counterparts.at(old_node) ||
           std::ranges::find(booted, before.node(old_node).guid) != booted.end();
  };
  for (std::size_t n = 0; n < before.node_count(); ++n) {
    const auto node = static_cast<NodeId>(n);
    const auto ports = before.ports(node);
    for (std::size_t p = 1; p < ports.size(); ++p) {
      const PortRef here{node, static_cast<PortNum>(p)};
      const auto& peer = ports[p].peer;
      if (!peer || *peer < here || excused(node) || excused(peer->node)) continue;
      const auto now_here = counterparts.at(node);
      const auto now_there = counterparts.at(peer->node);
      bool down = !now_here || !now_there;
      if (!down) {
        const PortRef a{*now_here, here.port};
        const PortRef b{*now_there, peer->port};
        down = raw(a.port) > now.node(a.node).port_count || now.port(a).peer != b;
        const bool was_active =
            ports[p].state == PortState::active && before.port(*peer).state == PortState::active;
        if (!down && was_active) down = std::min(now.port(a).state, now.port(b).state) <= PortState::init;
      }
      if (down) dropped.push_back(link_ends(place_at(before, here), place_at(before, *peer)));
    }
  }
  return dropped;
}

}  // namespace weft::daemon
