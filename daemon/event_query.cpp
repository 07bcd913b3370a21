#include "daemon/event_query.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/words.h"
#include "plan/find.h"

namespace weft::daemon {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether what follows a node's ")" is this port.
bool goes_on_with(std::string_view rest, PortNum port) {
  const std::string words = fmt::format(" port {}", raw(port));
  return rest.starts_with(words) && (rest.size() == words.size() || !is_digit(rest[words.size()]));
}

/// Where the name of a node stands in its brackets, in any case: "h1" of "(h1 HCA-1)", too. Nothing else
/// does.
std::size_t find_name(std::string_view text, std::string_view name, std::size_t from) {
  for (std::size_t at = text.find('(', from); at != text.npos; at = text.find('(', at + 1)) {
    const std::string_view rest = text.substr(at + 1);
    if (rest.size() > name.size() && (rest[name.size()] == ')' || rest[name.size()] == ' ') &&
        plan::same_name(rest.substr(0, name.size()), name))
      return at;
  }
  return text.npos;
}

}  // namespace

bool names(std::string_view text, const PlaceNamed& place) {
  const std::string guid = place.guid != Guid{} ? to_string(place.guid) : std::string();
  const auto next = [&](std::size_t from) {
    return guid.empty() ? find_name(text, place.name, from) : text.find(guid, from);
  };
  for (std::size_t at = next(0); at != text.npos; at = next(at + 1)) {
    if (!place.port) return true;
    std::string_view rest = text.substr(at + guid.size());
    if (guid.empty() || rest.starts_with(" (")) rest = rest.substr(std::min(rest.size(), rest.find(')') + 1));
    if (goes_on_with(rest, *place.port)) return true;
  }
  return false;
}

bool matches(const EventQuery& query, const Event& event) {
  if (event.id <= query.after || event.id >= query.before || event.severity < query.least) return false;
  if ((query.since && event.time < *query.since) || (query.until && event.time > *query.until)) return false;
  const auto fits = [&event](const std::string& kind) { return glob_matches(kind, event.kind); };
  if (!query.kinds.empty() && std::ranges::none_of(query.kinds, fits)) return false;
  if (!query.place) return true;
  const PlaceNamed& place = *query.place;
  const bool of_it =
      place.guid != Guid{} && event.node == place.guid && (!place.port || event.port == place.port);
  return of_it || names(event.text, place);
}

}  // namespace weft::daemon
