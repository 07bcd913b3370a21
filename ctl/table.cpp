#include "ctl/table.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include <sys/ioctl.h>
#include <unistd.h>
#include "base/words.h"

namespace weft::ctl {

namespace {

constexpr std::size_t kGap = 2;        // blanks between columns
constexpr std::size_t kNarrowest = 8;  // what a column that shrinks keeps

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }  // inside a UTF-8 character

std::string padded(const std::string& text, std::size_t width, Align align, bool last) {
  const std::size_t shown = shown_width(text);
  const std::string blanks(width > shown ? width - shown : 0, ' ');
  if (align == Align::right) return blanks + text;
  return last ? text : text + blanks;
}

std::string_view code_of(Colour colour) {
  switch (colour) {
    case Colour::none:
      return "";
    case Colour::bold:
      return "\033[1m";
    case Colour::dim:
      return "\033[2m";
    case Colour::red:
      return "\033[31m";
    case Colour::green:
      return "\033[32m";
    case Colour::yellow:
      return "\033[33m";
  }
  return "";
}

std::string two_units(std::int64_t high, std::string_view high_unit, std::int64_t low,
                      std::string_view low_unit) {
  return low == 0 ? fmt::format("{} {}", high, high_unit)
                  : fmt::format("{} {} {} {}", high, high_unit, low, low_unit);
}

}  // namespace

Style style_of(int fd) {
  if (isatty(fd) == 0) return {};
  Style style;
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) == 0) style.width = size.ws_col;
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  style.colour = !dumb && (no_colour == nullptr || *no_colour == '\0');
  return style;
}

std::string coloured(std::string_view text, Colour colour, const Style& style) {
  if (!style.colour || colour == Colour::none || text.empty()) return std::string(text);
  return fmt::format("{}{}\033[0m", code_of(colour), text);
}

void Table::add(std::vector<Cell> row) {
  assert(row.size() == columns_.size());
  rows_.push_back(std::move(row));
}

std::vector<std::size_t> Table::widths(const Style& style, std::size_t indent) const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(shown_width(column.title));
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], shown_width(row[i].text));
  }
  if (style.width == 0 || widths.empty()) return widths;
  std::size_t total = indent + kGap * (widths.size() - 1);
  for (const std::size_t width : widths) total += width;
  for (; total > style.width; --total) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (!columns_[i].shrinks || widths[i] <= kNarrowest) continue;
      if (widest == widths.size() || widths[i] > widths[widest]) widest = i;
    }
    if (widest == widths.size()) break;  // the terminal wraps the rest
    --widths[widest];
  }
  return widths;
}

std::string Table::text(const Style& style, std::size_t indent) const {
  const std::vector<std::size_t> width = widths(style, indent);
  const std::string margin(indent, ' ');
  const std::string gap(kGap, ' ');
  std::string out;
  const auto add_line = [&](const auto& cell_at) {
    out += margin;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const Cell cell = cell_at(i);
      const bool last = i + 1 == columns_.size();
      if (i > 0) out += gap;
      out +=
          coloured(padded(cut(cell.text, width[i]), width[i], columns_[i].align, last), cell.colour, style);
    }
    while (out.ends_with(' ')) out.pop_back();
    out += '\n';
  };
  add_line([&](std::size_t i) { return Cell(columns_[i].title, Colour::bold); });
  for (const auto& row : rows_) add_line([&row](std::size_t i) { return row[i]; });
  return out;
}

std::string human_count(std::uint64_t count) {
  std::string digits = fmt::format("{}", count);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}", human_count(count), plural(count, noun));
}

std::string human_duration(std::chrono::duration<double> duration) {
  const double seconds = std::max(0.0, duration.count());
  if (seconds < 0.00995) return fmt::format("{:.1f} ms", seconds * 1e3);
  if (seconds < 0.9995) return fmt::format("{:.0f} ms", seconds * 1e3);
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 3600) return two_units(whole / 60, "min", whole % 60, "s");
  if (whole < 86400) return two_units(whole / 3600, "h", whole % 3600 / 60, "min");
  return two_units(whole / 86400, "d", whole % 86400 / 3600, "h");
}

std::size_t shown_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues(c); }));
}

std::string cut(std::string_view text, std::size_t width) {
  if (shown_width(text) <= width) return std::string(text);
  if (width == 0) return {};
  std::size_t at = 0;
  for (std::size_t shown = 0; at < text.size(); ++at) {
    if (continues(text[at])) continue;
    if (++shown == width) break;
  }
  return std::string(text.substr(0, at)) + "…";
}

}  // namespace weft::ctl
