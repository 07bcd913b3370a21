#pragma once
// JSON Schema as text, for the types of configuration values: what an editor checks and completes while a
// person types. It may take more than the reader does (which knows what fits together), never less.

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace weft::config::json_form {

/// A text as JSON spells it, in quotes.
std::string quoted(std::string_view text);
/// {"enum":["a","b"]}
std::string one_of(std::span<const std::string> words);
/// {"type":"integer","minimum":..,"maximum":..}
std::string integer(long long least, long long most);
/// A text that a regular expression fits.
std::string pattern(std::string_view expression);
/// What one of these takes.
std::string any_of(std::initializer_list<std::string> forms);
std::string list_of(const std::string& item);
/// A map of any names.
std::string map_of(const std::string& value);
using Field = std::pair<std::string_view, std::string>;
/// A map of these names and no others.
std::string fields(std::initializer_list<Field> fields);

/// A name, a GUID or a path: YAML takes some of them for numbers or truth values.
extern const std::string_view kText;
/// A whole number of any size, as YAML takes it, or as text where it is too big for that.
extern const std::string_view kNumber;
extern const std::string_view kFlag;
extern const std::string_view kNothing;
/// 10s, 1h30min
extern const std::string_view kDuration;

}  // namespace weft::config::json_form
