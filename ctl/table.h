#pragma once
// Text for people: tables in columns that fit the terminal, counts, durations, colours. Pure; what the
// terminal is like comes in as a Style.

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::ctl {

/// How the output is to look.
struct Style {
  std::size_t width = 0;  ///< Columns of the terminal; 0: no limit.
  bool colour = false;
};

/// The style of a file descriptor: width and colour for a terminal, plain for anything else. NO_COLOR (set,
/// not empty) and TERM=dumb switch colour off.
Style style_of(int fd);

enum class Colour { none, bold, dim, red, green, yellow };
std::string coloured(std::string_view text, Colour colour, const Style& style);

enum class Align { left, right };

struct Column {
  std::string title;
  Align align = Align::left;
  bool shrinks = false;  ///< May be cut, with "…", when the table is too wide.
};

struct Cell {
  Cell(std::string t, Colour c = Colour::none) : text(std::move(t)), colour(c) {}  // NOLINT: a text is a cell
  Cell(std::string_view t, Colour c = Colour::none) : text(t), colour(c) {}        // NOLINT
  Cell(const char* t, Colour c = Colour::none) : text(t), colour(c) {}             // NOLINT
  std::string text;
  Colour colour = Colour::none;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// One cell per column.
  void add(std::vector<Cell> row);
  std::size_t size() const { return rows_.size(); }
  /// Title line, then the rows, each ended by a newline, `indent` blanks before each.
  std::string text(const Style& style, std::size_t indent = 0) const;

 private:
  std::vector<std::size_t> widths(const Style& style, std::size_t indent) const;
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

/// "12,345,678"
std::string human_count(std::uint64_t count);
/// "1 link", "2 links", "12,345 links"
std::string counted(std::uint64_t count, std::string_view noun);
/// "0.4 ms", "27 ms", "3.2 s", "2 min 5 s", "3 h 4 min", "5 d 2 h"
std::string human_duration(std::chrono::duration<double> duration);

/// Characters that a terminal shows for a UTF-8 text (combining and wide ones are not looked at).
std::size_t shown_width(std::string_view text);
/// At most `width` characters, the last one "…" when something was cut.
std::string cut(std::string_view text, std::size_t width);

}  // namespace weft::ctl
