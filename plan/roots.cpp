#include "plan/roots.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace weft::plan {

bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;  // the last one met, which takes the text up to `taken`
  std::size_t taken = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

Roots find_roots(const fabric::Fabric& fabric, const std::vector<std::string>& words) {
  Roots roots;
  for (const std::string& word : words) {
    const std::optional<Guid> guid = guid_from(word);
    bool found = false;
    for (const NodeId id : fabric.switches()) {
      const fabric::Node& node = fabric.node(id);
      if (guid ? node.guid != *guid : !matches(word, node.description)) continue;
      roots.guids.push_back(node.guid);
      found = true;
    }
    if (!found) roots.notes.push_back(fmt::format("root \"{}\" is no switch of this fabric", word));
  }
  std::ranges::sort(roots.guids);
  roots.guids.erase(std::ranges::unique(roots.guids).begin(), roots.guids.end());
  return roots;
}

}  // namespace weft::plan
