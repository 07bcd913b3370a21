#include "config/json_forms.h"

#include <iterator>

#include <fmt/format.h>

namespace weft::config::json_form {

const std::string_view kText = R"({"type":["string","number","boolean"]})";
const std::string_view kNumber = R"({"type":["integer","string"]})";
const std::string_view kFlag = R"({"enum":[true,false,"yes","no","on","off"]})";
const std::string_view kNothing = R"({"type":"null"})";
const std::string_view kDuration =
    R"({"type":"string","pattern":"^[0-9]+(\\.[0-9]+)? ?(ns|us|ms|s|min|h|d)$"})";

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + '"';
}

std::string one_of(std::span<const std::string> words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ",") + quoted(word);
  return "{\"enum\":[" + text + "]}";
}

std::string integer(long long least, long long most) {
  return fmt::format(R"({{"type":"integer","minimum":{},"maximum":{}}})", least, most);
}

std::string pattern(std::string_view expression) {
  return fmt::format(R"({{"type":"string","pattern":{}}})", quoted(expression));
}

std::string any_of(std::initializer_list<std::string> forms) {
  std::string text;
  for (const std::string& form : forms) text += (text.empty() ? "" : ",") + form;
  return "{\"anyOf\":[" + text + "]}";
}

std::string list_of(const std::string& item) { return R"({"type":"array","items":)" + item + "}"; }

std::string map_of(const std::string& value) {
  return R"({"type":"object","additionalProperties":)" + value + "}";
}

std::string fields(std::initializer_list<Field> fields) {
  std::string text;
  for (const auto& [name, form] : fields)
    fmt::format_to(std::back_inserter(text), "{}{}:{}", text.empty() ? "" : ",", quoted(name), form);
  return R"({"type":"object","additionalProperties":false,"properties":{)" + text + "}}";
}

}  // namespace weft::config::json_form
