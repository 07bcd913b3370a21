#include "plan/find.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include <fmt/ranges.h>

#include "base/units.h"
#include "base/words.h"

namespace weft::plan {
namespace {

using fabric::Fabric;
using fabric::PortRef;

/// A LID in decimal, or nothing.
std::optional<Lid> lid_from(std::string_view text) {
  std::uint16_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return static_cast<Lid>(number);
}

/// HCAs are described as "node device"; people say the node.
std::string_view first_word(std::string_view name) { return name.substr(0, name.find(' ')); }

template <typename Same>
std::vector<NodeId> nodes_called(const Fabric& fabric, Same same) {
  std::vector<NodeId> found;
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n)
    if (same(fabric.node(static_cast<NodeId>(n)).description)) found.push_back(static_cast<NodeId>(n));
  return found;
}

/// The name that is nearest to a word, in quotes and as a question; empty when none is.
std::string meant(const Fabric& fabric, std::string_view word) {
  std::vector<std::string> names;
  names.reserve(fabric.node_count());
  for (const fabric::Node& node : fabric.nodes()) names.emplace_back(first_word(node.description));
  const std::string_view near = nearest(word, names);
  return near.empty() ? std::string() : fmt::format("; did you mean \"{}\"?", near);
}

Result<Named> by_name(const Fabric& fabric, std::string_view word) {
  std::vector<NodeId> found = nodes_called(fabric, [&](std::string_view name) { return name == word; });
  if (found.empty())
    found = nodes_called(fabric, [&](std::string_view name) { return same_name(name, word); });
  if (found.empty())
    found = nodes_called(fabric, [&](std::string_view name) { return same_name(first_word(name), word); });
  if (found.empty()) return fail(Errc::not_found, "nothing is called {}", in_quotes(word));
  if (found.size() == 1) return Named{found.front(), std::nullopt, false};
  constexpr std::size_t kTold = 8;
  std::vector<std::string> names;
  for (const NodeId id : found) {
    if (names.size() == kTold) break;
    names.push_back(describe(fabric.node(id)));
  }
  return fail(Errc::ambiguous, "{} may be any of {}{}; name one by its GUID", in_quotes(word),
              fmt::join(names, ", "),
              found.size() > kTold ? fmt::format(" and {} more", found.size() - kTold) : "");
}

/// An end port as a word means it: a switch is one as a whole.
Named of_end(const Fabric& fabric, PortRef end) {
  if (fabric.is_switch(end.node)) return {end.node, std::nullopt, false};
  return {end.node, end.port, false};
}

Result<Named> by_guid(const Fabric& fabric, Guid guid) {
  const std::optional<PortRef> port = fabric.find_port(guid);
  if (port && std::ranges::binary_search(fabric.end_ports(), *port)) return of_end(fabric, *port);
  if (const std::optional<NodeId> node = fabric.find(guid)) return Named{*node, std::nullopt, false};
  if (port) return of_end(fabric, *port);
  return fail(Errc::not_found, "no node or port has the GUID {}", to_string(guid));
}

/// Without a port behind it.
Result<Named> by_word(const View& view, std::string_view word) {
  const std::optional<Lid> lid = lid_from(word);
  if (lid)
    if (const auto end = end_port_of(view, *lid)) return of_end(*view.fabric, *end);
  if (const std::optional<Guid> guid = guid_from(word)) return by_guid(*view.fabric, *guid);
  Result<Named> named = by_name(*view.fabric, word);
  if (!named && lid && named.error().code == Errc::not_found)
    return fail(Errc::not_found, "nobody has LID {}", word);
  return named;
}

Result<Named> with_port(const Fabric& fabric, const Named& named, unsigned number) {
  const fabric::Node& node = fabric.node(named.node);
  if (number > node.port_count)
    return fail(Errc::not_found, "{} has {}", describe(node),
                node.port_count == 1 ? "port 1 only" : fmt::format("ports 1 to {}", node.port_count));
  if (number == 0 && node.type != NodeType::switch_)
    return fail(Errc::not_found, "only switches have a port 0");
  return Named{named.node, static_cast<PortNum>(number), true};
}

}  // namespace

bool same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

std::optional<std::pair<std::string_view, unsigned>> split_port(std::string_view text) {
  const std::size_t at = text.find_last_of("/:");
  if (at == text.npos || at == 0) return std::nullopt;
  std::string_view digits = text.substr(at + 1);
  if (digits.starts_with('P') || digits.starts_with('p')) digits.remove_prefix(1);
  unsigned number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return std::pair(text.substr(0, at), number);
}

Result<Named> find_named(const View& view, std::string_view text) {
  Result<Named> whole = by_word(view, text);
  if (whole || whole.error().code != Errc::not_found || guid_from(text)) return whole;
  const auto parts = split_port(text);
  if (parts) {
    const Result<Named> node = by_word(view, parts->first);
    if (node) return with_port(*view.fabric, *node, parts->second);
    if (node.error().code != Errc::not_found) return node;
    whole = node;
  }
  const std::string_view word = parts ? parts->first : text;
  if (guid_from(word) || lid_from(word)) return whole;
  return fail(Errc::not_found, "{}{}", whole.error().what, meant(*view.fabric, word));
}

Result<PortRef> find_port(const View& view, std::string_view text) {
  const Result<Named> named = find_named(view, text);
  if (!named) return fail(named.error());
  if (named->port) return PortRef{named->node, *named->port};
  const fabric::Node& node = view.fabric->node(named->node);
  if (node.port_count != 1)
    return fail(Errc::ambiguous, "{} has {} ports; say which: {}/1", describe(node), node.port_count, text);
  return PortRef{named->node, PortNum{1}};
}

Result<PortRef> find_end_port(const View& view, std::string_view text) {
  const Result<Named> named = find_named(view, text);
  if (!named) return fail(named.error());
  const Fabric& fabric = *view.fabric;
  const std::span<const PortRef> ends = fabric.end_ports();
  if (named->port) {
    const PortRef port{named->node, *named->port};
    if (std::ranges::binary_search(ends, port)) return port;
    if (fabric.is_switch(port.node))
      return fail(Errc::invalid,
                  "{} is a port of a switch, which has no LID: name the switch, or what is at its "
                  "other end",
                  describe(fabric, port));
    return fail(Errc::not_found, "{} has no link", describe(fabric, port));
  }
  const auto end = std::ranges::lower_bound(ends, PortRef{named->node, PortNum{0}});
  if (end == ends.end() || end->node != named->node)
    return fail(Errc::not_found, "{} has no linked port", describe(fabric.node(named->node)));
  return *end;
}

std::string_view hint_on(const Error& error) {
  const bool unknown = error.code == Errc::not_found &&
                       (error.what.starts_with("nothing is called") || error.what.starts_with("nobody has") ||
                        error.what.starts_with("no node or port"));
  return unknown ? "weftctl nodes lists names, GUIDs and LIDs" : "";
}

}  // namespace weft::plan
