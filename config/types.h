#pragma once
// The types of configuration values: how each is read from a file, what it takes in words, and how it is
// shown. What is shown reads back as the same value.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "config/json_forms.h"
#include "config/report.h"
#include "config/value.h"

namespace weft::config {

template <typename T>
struct Type {
  std::string form;  ///< What it takes, in words: "a duration from 1ms to 1min".
  /// Nothing when the value does not fit; the report then says why.
  std::function<std::optional<T>(const Value&, Report&)> read;
  std::function<std::string(const T&)> show;
  std::string json;  ///< The same as JSON Schema, for editors (config/json_forms.h).
};

/// The same type, described to editors.
template <typename T>
Type<T> told_as(std::string json, Type<T> type) {
  type.json = std::move(json);
  return type;
}

Type<bool> flag();
Type<int> number(int least, int most);
/// A number that may be left out.
Type<std::optional<int>> optional_number(int least, int most);
/// One of a few numbers that stand for codes: {{256, 1}, {512, 2}}.
Type<int> coded(std::string_view what, std::map<int, int> codes);
/// One of a few words.
Type<int> choice(std::vector<std::pair<std::string, int>> words);
Type<std::string> word(std::vector<std::string> words);
/// `zero`: what 0 means, as in "never"; without it 0 is refused like any value outside the range.
Type<Duration> duration(Duration least, Duration most, std::string_view zero = {});
/// A code for 4.096 us * 2^code; codes above `most` are "forever" where that is allowed.
Type<int> wire_time(int most, bool forever);
/// A rate that links can have, in tenths of Gb/s; `word` stands for 0.
Type<int> rate(std::string_view word);
Type<std::uint64_t> size(std::uint64_t least, std::uint64_t most);
Type<std::uint64_t> prefix();
/// A 64-bit key, 0 included.
Type<std::uint64_t> key64();
Type<std::optional<Guid>> optional_guid();
/// Any text of at most `most` bytes. `optional`: may be empty.
Type<std::string> text(std::string_view what, std::size_t most, bool optional);
/// A path from the root.
Type<std::string> path(std::size_t most, bool optional);
/// Texts, each once. `allowed` empty: any; one alone needs no brackets. `least`: fewest of them.
Type<std::vector<std::string>> texts(std::string_view what, std::vector<std::string> allowed,
                                     std::size_t least);
/// GUIDs, each once.
Type<std::vector<Guid>> guid_list();
/// GUIDs to unicast LIDs, each once.
Type<std::map<Guid, Lid>> guid_lids();
/// GUIDs, each once, to names.
Type<std::map<Guid, std::string>> guid_names();

/// Names or patterns, each once, to whole numbers.
Type<std::map<std::string, int>> name_numbers(std::string_view what, int least, int most);

/// Whether a text can be a node's name: some bytes, at most 255, none of them a control character.
bool is_name(std::string_view text);

}  // namespace weft::config
