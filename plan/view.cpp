#include "plan/view.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace weft::plan {
namespace {

/// A LID in decimal, or nothing.
std::optional<Lid> lid_from(std::string_view text) {
  std::uint16_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return static_cast<Lid>(number);
}

bool equal_but_for_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return std::ranges::equal(a, b, {}, lower, lower);
}

/// The first end port of a node.
std::optional<fabric::PortRef> end_port_of(const fabric::Fabric& fabric, NodeId node) {
  const std::span<const fabric::PortRef> ends = fabric.end_ports();
  const auto at = std::ranges::lower_bound(ends, fabric::PortRef{node, PortNum{0}});
  if (at == ends.end() || at->node != node) return std::nullopt;
  return *at;
}

Result<fabric::PortRef> end_port_or_error(const fabric::Fabric& fabric, NodeId node) {
  if (const auto end = end_port_of(fabric, node)) return *end;
  return fail(Errc::not_found, "{} has no linked port", describe(fabric.node(node)));
}

Result<fabric::PortRef> find_by_guid(const fabric::Fabric& fabric, Guid guid) {
  const std::optional<fabric::PortRef> port = fabric.find_port(guid);
  if (port && std::ranges::binary_search(fabric.end_ports(), *port)) return *port;
  if (const std::optional<NodeId> node = fabric.find(guid)) return end_port_or_error(fabric, *node);
  if (port) return fail(Errc::not_found, "{} has no link", describe(fabric, *port));
  return fail(Errc::not_found, "no node or port has the GUID {}", to_string(guid));
}

template <typename Same>
std::vector<NodeId> nodes_named(const fabric::Fabric& fabric, Same same) {
  std::vector<NodeId> found;
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n)
    if (same(fabric.node(static_cast<NodeId>(n)).description)) found.push_back(static_cast<NodeId>(n));
  return found;
}

Result<fabric::PortRef> find_by_name(const fabric::Fabric& fabric, std::string_view text) {
  std::vector<NodeId> found = nodes_named(fabric, [&](std::string_view name) { return name == text; });
  if (found.empty())
    found = nodes_named(fabric, [&](std::string_view name) { return equal_but_for_case(name, text); });
  // HCAs are described as "node device"; people say the node.
  const auto first_word = [](std::string_view name) { return name.substr(0, name.find(' ')); };
  if (found.empty())
    found = nodes_named(fabric,
                        [&](std::string_view name) { return equal_but_for_case(first_word(name), text); });
  if (found.empty()) return fail(Errc::not_found, "nothing is called \"{}\"", text);
  if (found.size() == 1) return end_port_or_error(fabric, found.front());
  std::vector<std::string> names;
  for (const NodeId id : found) names.push_back(describe(fabric.node(id)));
  return fail(Errc::ambiguous, "\"{}\" may be any of {}; name one by its GUID", text, fmt::join(names, ", "));
}

/// Follows the tables from `here`, which a packet to `to` has reached, until it arrives or goes wrong.
Result<void> follow(const View& view, fabric::PortRef here, fabric::PortRef owner, Lid to,
                    std::vector<Hop>& hops) {
  const fabric::Fabric& fabric = *view.fabric;
  const auto lost = [&](std::string_view why) {
    return fail(Errc::unsafe, "LID {} is lost at {}: {}", raw(to), describe(fabric.node(here.node)), why);
  };
  const std::size_t most = hops.size() + fabric.switch_count();
  while (true) {
    const std::optional<SwitchId> at = fabric.switch_of(here.node);
    if (!at) return here == owner ? Result<void>{} : lost("it is not its own");
    const PortNum out = view.plan->routes().out(*at, to);
    if (out == PortNum{0})
      return here.node == owner.node ? Result<void>{} : lost("the switch takes it for itself");
    if (out == kPortDrop) return lost("it has no entry there");
    const std::span<const fabric::Port> ports = fabric.ports(*at);
    if (raw(out) >= ports.size() || !ports[raw(out)].peer)
      return lost(fmt::format("its port {} leads nowhere", raw(out)));
    if (hops.size() == most) return lost("it goes round in a loop");
    hops.push_back({{here.node, out}, *ports[raw(out)].peer});
    here = hops.back().in;
  }
}

}  // namespace

routing::Problem problem_of(const View& view) {
  routing::Problem problem = view.plan->problem;
  problem.fabric = view.plan->usable ? view.plan->usable.get() : view.fabric.get();
  problem.design = view.ledger.design.get();
  return problem;
}

std::optional<fabric::PortRef> end_port_of(const View& view, Lid lid) {
  if (!view.plan) return std::nullopt;
  const std::vector<LidRange>& ranges = view.plan->lids.of_end_port;
  const auto has = [&](LidRange range) {
    return range.base != kLidNone && lid >= range.base && raw(lid) < raw(range.base) + range.size();
  };
  const auto at = std::ranges::find_if(ranges, has);
  if (at == ranges.end()) return std::nullopt;
  return view.fabric->end_ports()[static_cast<std::size_t>(at - ranges.begin())];
}

Result<std::vector<Hop>> path(const View& view, fabric::PortRef from, Lid to) {
  const std::optional<fabric::PortRef> owner = end_port_of(view, to);
  if (!owner) return fail(Errc::not_found, "nobody has LID {}", raw(to));
  std::vector<Hop> hops;
  if (from == *owner) return hops;
  if (!view.fabric->is_switch(from.node)) {
    const std::optional<fabric::PortRef>& peer = view.fabric->port(from).peer;
    if (!peer) return fail(Errc::unsafe, "{} has no link", describe(*view.fabric, from));
    hops.push_back({from, *peer});
    from = *peer;
  }
  if (Result<void> arrived = follow(view, from, *owner, to, hops); !arrived) return fail(arrived.error());
  return hops;
}

Result<fabric::PortRef> find_end_port(const View& view, std::string_view text) {
  const fabric::Fabric& fabric = *view.fabric;
  const std::optional<Lid> lid = lid_from(text);
  if (lid)
    if (const auto end = end_port_of(view, *lid)) return *end;
  if (const std::optional<Guid> guid = guid_from(text)) return find_by_guid(fabric, *guid);
  Result<fabric::PortRef> named = find_by_name(fabric, text);
  if (!named && lid && named.error().code == Errc::not_found)
    return fail(Errc::not_found, "nobody has LID {}", text);
  return named;
}

}  // namespace weft::plan
