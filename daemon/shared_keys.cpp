#include "daemon/shared_keys.h"

#include <charconv>
#include <optional>

#include <boost/json.hpp>

namespace weft::daemon {

namespace json = boost::json;

namespace {

/// As to_string(Guid) writes it.
std::optional<Guid> guid_of(std::string_view text) {
  if (!text.starts_with("0x")) return std::nullopt;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), number, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return static_cast<Guid>(number);
}

}  // namespace

std::string to_json(const Marker& marker) {
  return json::serialize(json::object{{"version", marker.version},
                                      {"seq", marker.seq},
                                      {"writer", marker.writer},
                                      {"whole", marker.whole},
                                      {"whole_at", marker.whole_at}});
}

Result<Marker> marker_from_json(std::string_view text) {
  boost::system::error_code error;
  const json::value value = json::parse(text, error);
  const json::object* object = error ? nullptr : value.if_object();
  const auto number = [&](const char* name) -> std::optional<std::int64_t> {
    const json::value* found = object->if_contains(name);
    return found != nullptr && found->is_int64() ? std::optional(found->get_int64()) : std::nullopt;
  };
  if (object != nullptr) {
    const auto version = number("version");
    const auto seq = number("seq");
    const auto whole_at = number("whole_at");
    const json::value* writer = object->if_contains("writer");
    const json::value* whole = object->if_contains("whole");
    if (version && seq && whole_at && writer != nullptr && writer->is_string() && whole != nullptr &&
        whole->is_bool())
      return Marker{*version, *seq, std::string(writer->get_string()), whole->get_bool(), *whole_at};
  }
  return fail(Errc::malformed, "the marker of the shared state is none: {}", text.substr(0, 200));
}

std::string to_json(const Presence& presence) {
  json::object digests;
  for (const auto& [section, digest] : presence.digests) digests[section] = digest;
  return json::serialize(json::object{{"id", presence.id},
                                      {"port", to_string(presence.port)},
                                      {"host", presence.host},
                                      {"digests", std::move(digests)}});
}

Result<Presence> presence_from_json(std::string_view text) {
  boost::system::error_code error;
  const json::value value = json::parse(text, error);
  const json::object* object = error ? nullptr : value.if_object();
  const auto word = [&](const char* name) -> std::optional<std::string> {
    const json::value* found = object->if_contains(name);
    return found != nullptr && found->is_string() ? std::optional(std::string(found->get_string()))
                                                  : std::nullopt;
  };
  if (object != nullptr) {
    const auto id = word("id");
    const auto host = word("host");
    const auto port = guid_of(word("port").value_or(""));
    if (id && host && port) {
      Presence presence{*id, *port, *host, {}};
      const json::value* digests = object->if_contains("digests");
      if (digests != nullptr && digests->is_object())
        for (const auto& [section, digest] : digests->get_object())
          if (digest.is_string()) presence.digests.emplace(section, std::string(digest.get_string()));
      return presence;
    }
  }
  return fail(Errc::malformed, "a manager's entry in etcd is none: {}", text.substr(0, 200));
}

std::string describe(const Presence& presence) {
  return fmt::format("{} on {}", to_string(presence.port), presence.host);
}

}  // namespace weft::daemon
