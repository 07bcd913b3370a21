#pragma once
// Reading JSON that may lack what is looked for: every look-up has an answer, an empty one if need be.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

namespace weft::ctl {

/// The member, or null for none and for what is no object. A path: "fabric.links".
inline const boost::json::value& at(const boost::json::value& value, std::string_view path) {
  static const boost::json::value nothing;
  const std::size_t dot = path.find('.');
  const boost::json::object* object = value.if_object();
  const boost::json::value* member =
      object != nullptr ? object->if_contains({path.data(), std::min(dot, path.size())}) : nullptr;
  if (member == nullptr) return nothing;
  return dot == std::string_view::npos ? *member : at(*member, path.substr(dot + 1));
}

/// A string's text; empty for what is no string.
inline std::string text(const boost::json::value& value) {
  const boost::json::string* found = value.if_string();
  return found != nullptr ? std::string(found->data(), found->size()) : std::string();
}
inline std::string text(const boost::json::value& value, std::string_view path) {
  return text(at(value, path));
}

inline double real(const boost::json::value& value, std::string_view path) {
  const boost::json::value& found = at(value, path);
  return found.is_number() ? found.to_number<double>() : 0;
}

inline std::uint64_t number(const boost::json::value& value, std::string_view path) {
  const boost::json::value& found = at(value, path);
  if (found.is_uint64()) return found.get_uint64();
  return found.is_int64() && found.get_int64() > 0 ? static_cast<std::uint64_t>(found.get_int64()) : 0;
}

inline bool flag(const boost::json::value& value, std::string_view path) {
  const bool* found = at(value, path).if_bool();
  return found != nullptr && *found;
}

/// The members of an array; none for what is no array.
inline const boost::json::array& items(const boost::json::value& value, std::string_view path) {
  static const boost::json::array none;
  const boost::json::array* found = at(value, path).if_array();
  return found != nullptr ? *found : none;
}

}  // namespace weft::ctl
