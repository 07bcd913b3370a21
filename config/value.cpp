#include "config/value.h"

#include <fmt/format.h>

#include "base/units.h"

namespace weft::config {

std::string describe(const Value& value) {
  switch (value.kind) {
    case Value::Kind::null:
      return "nothing";
    case Value::Kind::list:
      return "a list";
    case Value::Kind::map:
      return "a map";
    case Value::Kind::text:
      break;
  }
  return in_quotes(value.text);
}

std::string to_string(const Remark& remark, std::string_view file_name) {
  if (remark.place.line == 0) return fmt::format("{}: {}", file_name, remark.text);
  return fmt::format("{}:{}:{}: {}", file_name, remark.place.line, remark.place.column, remark.text);
}

}  // namespace weft::config
