#include "config/group_fields.h"

#include <fmt/format.h>

#include "base/rate.h"
#include "base/units.h"

namespace weft::config {

Type<int> mtu_type() { return coded("bytes", {{256, 1}, {512, 2}, {1024, 3}, {2048, 4}, {4096, 5}}); }

Type<int> rate_type() {
  Type<int> type{"a rate such as 100G", {}, [](const int& speed) { return rate_speed_text(speed); }};
  type.read = [](const Value& value, Report& report) -> std::optional<int> {
    const auto speed = value.kind == Value::Kind::text ? rate_speed_from(value.text) : std::nullopt;
    if (speed && rate_speed(rate_at_most(*speed)) == *speed) return speed;
    const std::uint8_t lower = speed ? rate_at_most(*speed) : std::uint8_t{0};
    report.problem(
        value.place,
        fmt::format(
            "expects a rate that InfiniBand has, such as 100G, not {}{}", describe(value),
            lower == 0 ? "" : fmt::format("; {} is the next lower", rate_speed_text(rate_speed(lower)))));
    return std::nullopt;
  };
  return type;
}

Type<std::uint64_t> number64(std::uint64_t most) {
  Type<std::uint64_t> type{fmt::format("a number up to 0x{:x}", most), {}, {}};
  type.read = [most, form = type.form](const Value& value, Report& report) -> std::optional<std::uint64_t> {
    const auto number = value.kind == Value::Kind::text ? number_from(value.text) : std::nullopt;
    if (number && *number <= most) return number;
    report.problem(value.place, fmt::format("expects {}, not {}", form, describe(value)));
    return std::nullopt;
  };
  return type;
}

Type<std::string> level_name() {
  Type<std::string> type{"the name of a level", {}, {}};
  type.read = [form = type.form](const Value& value, Report& report) -> std::optional<std::string> {
    if (value.kind == Value::Kind::text && !value.text.empty()) {
      report.mention(Report::Mention::What::level, value.place, value.text);
      return value.text;
    }
    report.problem(value.place, fmt::format("expects {}, not {}", form, describe(value)));
    return std::nullopt;
  };
  return type;
}

std::optional<qos::Range> range_from(std::string_view text, std::uint64_t most) {
  const std::size_t dash = text.find('-');
  const auto first = number_from(text.substr(0, dash));
  const auto last = dash == text.npos ? first : number_from(text.substr(dash + 1));
  if (!first || !last || *first > *last || *last > most) return std::nullopt;
  return qos::Range{*first, *last};
}

std::string range_text(const qos::Range& range) {
  return range.first == range.last ? fmt::format("0x{:x}", range.first)
                                   : fmt::format("0x{:x}-0x{:x}", range.first, range.last);
}

}  // namespace weft::config
