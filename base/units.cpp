#include "base/units.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <span>
#include <utility>

#include <fmt/format.h>

namespace weft::inline base {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t size;
};

constexpr std::array kTimes = {Unit{"d", 86'400'000'000'000},
                               Unit{"h", 3'600'000'000'000},
                               Unit{"min", 60'000'000'000},
                               Unit{"s", 1'000'000'000},
                               Unit{"ms", 1'000'000},
                               Unit{"us", 1'000},
                               Unit{"ns", 1}};
constexpr std::array kSizes = {Unit{"TiB", std::uint64_t{1} << 40},
                               Unit{"GiB", 1u << 30},
                               Unit{"MiB", 1u << 20},
                               Unit{"KiB", 1u << 10},
                               Unit{"TB", 1'000'000'000'000},
                               Unit{"GB", 1'000'000'000},
                               Unit{"MB", 1'000'000},
                               Unit{"KB", 1'000},
                               Unit{"B", 1}};

bool digit(char c) { return c >= '0' && c <= '9'; }

const Unit* find(std::span<const Unit> units, std::string_view name) {
  for (const Unit& unit : units) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

/// "1.25" units of `size`; nothing when it does not come out whole or does not fit into 63 bits.
std::optional<std::uint64_t> scaled(std::string_view number, std::uint64_t size) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const std::size_t dot = number.find('.');
  const std::string_view whole_text = number.substr(0, dot);
  const std::string_view parts = dot == number.npos ? std::string_view() : number.substr(dot + 1);
  if (whole_text.empty() || (dot != number.npos && parts.empty())) return std::nullopt;
  std::uint64_t whole = 0;
  for (const char c : whole_text) {
    if (!digit(c) || whole > kMost / 10 - 1) return std::nullopt;
    whole = whole * 10 + static_cast<unsigned>(c - '0');
  }
  if (whole > kMost / size) return std::nullopt;
  std::uint64_t value = whole * size;
  for (const char c : parts) {
    if (!digit(c) || (c != '0' && size % 10 != 0)) return std::nullopt;
    size /= 10;
    value += static_cast<unsigned>(c - '0') * size;
  }
  return value <= kMost ? std::optional(value) : std::nullopt;
}

std::optional<std::uint64_t> measured(std::string_view text, std::span<const Unit> units) {
  if (text == "0") return 0;
  const std::size_t end = text.find_first_not_of("0123456789.");
  if (end == text.npos) return std::nullopt;
  std::string_view name = text.substr(end);
  if (name.starts_with(' ')) name.remove_prefix(1);
  const Unit* unit = find(units, name);
  return unit ? scaled(text.substr(0, end), unit->size) : std::nullopt;
}

/// The shortest way to write a value without a fraction.
std::string text_of(std::uint64_t value, std::span<const Unit> units) {
  std::string best = "0";
  for (const Unit& unit : units) {
    if (value < unit.size || value % unit.size != 0) continue;
    std::string text = fmt::format("{}{}", value / unit.size, unit.name);
    if (best == "0" || text.size() < best.size()) best = std::move(text);
  }
  return best;
}

constexpr std::uint64_t kWireUnit = 4096;  // ns

std::string escaped(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') result += '\\';
    if (byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\u{:04x}", byte);
    } else {
      result += c;
    }
  }
  return result + '"';
}

}  // namespace

std::optional<Duration> duration_from(std::string_view text) {
  const std::optional<std::uint64_t> value = measured(text, kTimes);
  if (!value) return std::nullopt;
  return Duration(static_cast<std::int64_t>(*value));
}

std::string duration_text(Duration duration) {
  const auto value = static_cast<std::uint64_t>(duration.count());
  if (!wire_code(duration) || wire_time(*wire_code(duration)) != duration) return text_of(value, kTimes);
  for (const Unit& unit : kTimes) {
    if (unit.size > 1'000'000'000 || value < unit.size) continue;
    std::string text = fmt::format("{}.{:0{}}", value / unit.size, value % unit.size,
                                   fmt::formatted_size("{}", unit.size) - 1);
    text.erase(text.find_last_not_of('0') + 1);
    return text + std::string(unit.name);
  }
  return text_of(value, kTimes);
}

std::optional<std::uint64_t> size_from(std::string_view text) { return measured(text, kSizes); }
std::string size_text(std::uint64_t bytes) { return text_of(bytes, kSizes); }

std::optional<std::uint64_t> number_from(std::string_view text) {
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (hexadecimal) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> prefix_from(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) return number_from(text);
  const bool short_form = text.ends_with("::");
  if (short_form) text.remove_suffix(2);
  std::uint64_t prefix = 0;
  int groups = 0;
  while (groups < 4) {
    const std::size_t end = text.find(':');
    const std::string_view group = text.substr(0, end);
    if (group.empty() || group.size() > 4) return std::nullopt;
    std::uint64_t value = 0;
    const auto [stop, error] = std::from_chars(group.data(), group.data() + group.size(), value, 16);
    if (error != std::errc() || stop != group.data() + group.size()) return std::nullopt;
    prefix |= value << (48 - 16 * groups++);
    if (end == text.npos) break;
    text.remove_prefix(end + 1);
    if (groups == 4) return std::nullopt;
  }
  return groups == 4 || short_form ? std::optional(prefix) : std::nullopt;
}

std::string prefix_text(std::uint64_t prefix) { return fmt::format("0x{:016x}", prefix); }

Duration wire_time(int code) { return Duration(static_cast<std::int64_t>(kWireUnit << code)); }

std::optional<int> wire_code(Duration duration) {
  for (int code = 0; code < 32; ++code) {
    if (wire_time(code) >= duration) return code;
  }
  return std::nullopt;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kMost = 60;
  if (text.size() <= kMost) return escaped(text);
  std::size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // not inside a character
  std::string result = escaped(text.substr(0, end));
  result.insert(result.size() - 1, "...");
  return result;
}

std::string yaml_text(std::string_view text) {
  const bool null = text == "~" || text == "null" || text == "Null" || text == "NULL";
  const bool safe = !text.empty() && text != "-" && !text.starts_with("---") && text != "..." &&
                    std::all_of(text.begin(), text.end(), [](char c) {
                      return digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                             std::string_view("_/.+-=").find(c) != std::string_view::npos;
                    });
  return safe && !null ? std::string(text) : escaped(text);
}

}  // namespace weft::inline base
