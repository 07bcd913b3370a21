#include "config/json_schema.h"

#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "config/json_forms.h"
#include "config/schema.h"

namespace weft::config {
namespace {

std::string_view section_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == path.npos ? std::string_view() : path.substr(0, dot);
}

std::string key_property(const Key& key) {
  const std::string words = fmt::format("{} Takes {}. Default: {}.{}", key.help, key.form,
                                        key.default_text.empty() ? "nothing" : key.default_text,
                                        key.applies == Applies::restart ? " A change needs a restart." : "");
  return fmt::format(R"({{"description":{},"allOf":[{}]}})", json_form::quoted(words), key.json);
}

/// The properties of a section ("" for the whole file), one a line.
std::string properties(std::string_view section, std::size_t depth) {
  const std::string indent(2 * depth, ' ');
  std::string text;
  const auto add = [&](std::string_view path, const std::string& property) {
    fmt::format_to(std::back_inserter(text), "{}{}{}: {}", text.empty() ? "" : ",\n", indent,
                   json_form::quoted(leaf(path)), property);
  };
  for (const Key& key : schema())
    if (section_of(key.path) == section) add(key.path, key_property(key));
  for (const Section& inner : sections()) {
    if (section_of(inner.path) != section) continue;
    add(inner.path,
        fmt::format(
            "{{\"description\": {}, \"type\": [\"object\", \"null\"], \"additionalProperties\": false, "
            "\"properties\": {{\n{}}}}}",
            json_form::quoted(inner.help), properties(inner.path, depth + 1)));
  }
  return text + "\n";
}

}  // namespace

std::string json_schema() {
  return fmt::format(
      "{{\n\"$schema\": \"http://json-schema.org/draft-07/schema#\",\n\"title\": \"weft.yaml, the "
      "configuration of weftd\",\n\"type\": [\"object\", \"null\"],\n\"additionalProperties\": "
      "false,\n\"properties\": {{\n{}}}\n}}\n",
      properties("", 1));
}

}  // namespace weft::config
