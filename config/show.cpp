#include "config/show.h"

#include <algorithm>

#include <fmt/format.h>

#include "config/schema.h"

namespace weft::config {
namespace {

std::string cut(std::string_view text, std::size_t most) {
  if (text.empty()) return "-";
  if (text.size() <= most) return std::string(text);
  std::size_t end = most - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // not inside a character
  return std::string(text.substr(0, end)) + "...";
}

std::string shown(const Key& key, const Settings& settings) {
  std::string value = key.show(settings);
  return key.secret && value != key.default_text ? "(not shown)" : value;
}

}  // namespace

std::vector<Row> rows(const Loaded& loaded) {
  std::vector<Row> rows;
  for (const Key& key : schema()) {
    rows.push_back({std::string(key.path), shown(key, loaded.settings), key.default_text,
                    to_string(origin_of(loaded, key.path)), key.applies == Applies::restart});
  }
  return rows;
}

std::string table(std::span<const Row> rows, std::size_t most) {
  std::size_t key_width = 3;
  std::size_t value_width = 5;
  std::size_t default_width = 7;
  for (const Row& row : rows) {
    key_width = std::max(key_width, row.key.size());
    value_width = std::max(value_width, cut(row.value, most).size());
    default_width = std::max(default_width, cut(row.default_value, most).size());
  }
  std::string text;
  const auto line = [&](std::string_view key, std::string_view value, std::string_view standard,
                        std::string_view origin) {
    fmt::format_to(std::back_inserter(text), "{:{}}  {:{}}  {:{}}  {}\n", key, key_width, value, value_width,
                   standard, default_width, origin);
  };
  line("KEY", "VALUE", "DEFAULT", "ORIGIN");
  for (const Row& row : rows) line(row.key, cut(row.value, most), cut(row.default_value, most), row.origin);
  return text;
}

}  // namespace weft::config
