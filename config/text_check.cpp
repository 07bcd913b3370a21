#include "config/text_check.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "config/parse.h"

namespace weft::config {
namespace {

constexpr std::size_t kMaxRemarks = 5;

/// Bytes of the UTF-8 character that begins `text`, 0 when it is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const std::uint8_t second = byte(1);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool beyond = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
  return overlong || beyond ? 0 : length;
}

void check_tabs(std::string_view line, int number, Remarks& remarks) {
  const std::size_t start = line.find_first_not_of(" \t\r");
  if (start == line.npos || line[start] == '#') return;
  const std::size_t tab = line.substr(0, start).find('\t');
  if (tab == line.npos) return;
  remarks.push_back(
      {{number, static_cast<int>(tab) + 1}, "a tab in the indentation; YAML takes only spaces there"});
}

bool is_control(char c) { return static_cast<std::uint8_t>(c) < 0x20 || c == 0x7f; }

void check_bytes(std::string_view line, int number, Remarks& remarks) {
  for (std::size_t at = 0; at < line.size();) {
    const auto byte = static_cast<std::uint8_t>(line[at]);
    const std::size_t length = utf8_length(line.substr(at));
    const bool control = is_control(line[at]) && line[at] != '\t' && line[at] != '\r';
    if (length == 0 || control) {
      remarks.push_back(
          {{number, static_cast<int>(at) + 1}, fmt::format("byte 0x{:02x}: not a UTF-8 text", byte)});
      return;
    }
    at += length;
  }
}

template <typename Check>
Remarks over_lines(std::string_view text, Check check) {
  Remarks remarks;
  for (int line = 1; !text.empty() && remarks.size() < kMaxRemarks; ++line) {
    const std::size_t end = text.find('\n');
    check(text.substr(0, end), line, remarks);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return remarks;
}

}  // namespace

Remarks check_text(std::string_view text) {
  if (text.size() <= kMaxFileBytes) return over_lines(text, check_bytes);
  return {{{}, fmt::format("larger than {} MiB; not a configuration", kMaxFileBytes >> 20)}};
}

std::string shown_text(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (text.front() == '\t')
      shown += ' ';
    else if (length == 0 || is_control(text.front()))
      shown += '?';
    else
      shown += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return shown;
}

Remarks check_indentation(std::string_view text) { return over_lines(text, check_tabs); }

}  // namespace weft::config
