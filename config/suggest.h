#pragma once
// What a person probably meant.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::config {

/// Fewest letters to insert, drop, change or swap with their neighbour to turn `a` into `b`. Cost: product of
/// lengths.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The word nearest to `text`, or nothing when none is near. The first of equals.
std::string_view nearest(std::string_view text, std::span<const std::string> words);

}  // namespace weft::config
