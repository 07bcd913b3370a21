#include "base/words.h"

#include <algorithm>
#include <cctype>

namespace weft::inline base {
namespace {

bool equal_but_for_case(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

}  // namespace

bool glob_matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;  // where to go back to, and how much it had swallowed
  std::size_t swallowed = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      swallowed = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || equal_but_for_case(pattern[p], text[t]))) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++swallowed;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> before(width), above(width), here(width);  // rows i - 2, i - 1 and i
  for (std::size_t j = 0; j < width; ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    here[0] = i;
    for (std::size_t j = 1; j < width; ++j) {
      const std::size_t change = above[j - 1] + (a[i - 1] != b[j - 1] ? 1 : 0);
      here[j] = std::min({above[j] + 1, here[j - 1] + 1, change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) here[j] = std::min(here[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, here);
  }
  return above[b.size()];
}

std::string_view nearest(std::string_view text, std::span<const std::string> words) {
  constexpr std::size_t kLongest = 64;
  if (text.size() > kLongest) return {};
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(1, text.size() / 3) + 1;
  for (const std::string& word : words) {
    const std::size_t distance = edit_distance(text, word);
    if (distance < best_distance) {
      best = word;
      best_distance = distance;
    }
  }
  return best;
}

std::string plural(std::uint64_t count, std::string_view noun) {
  const bool hisses = noun.ends_with("ch") || noun.ends_with('s');
  return std::string(noun) + (count == 1 ? "" : hisses ? "es" : "s");
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return std::to_string(count) + " " + plural(count, noun);
}

}  // namespace weft::inline base
