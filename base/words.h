#pragma once
// Words as people type them: patterns that match names, and what they probably meant.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::inline base {

/// Whether `text` fits a pattern with `*` and `?`; case does not matter.
bool glob_matches(std::string_view pattern, std::string_view text);

/// Fewest letters to insert, drop, change or swap with their neighbour to turn `a` into `b`. Cost: product of
/// lengths.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The word nearest to `text`, or nothing when none is near. The first of equals.
std::string_view nearest(std::string_view text, std::span<const std::string> words);

/// "1 link", "2 links", "3 switches".
std::string counted(std::uint64_t count, std::string_view noun);

/// `noun` for so many: "link", "links".
std::string plural(std::uint64_t count, std::string_view noun);

}  // namespace weft::inline base
