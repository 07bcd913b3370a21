#pragma once
// Once: names that may stand in a map of the file once each.

#include <string>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "config/report.h"

namespace weft::config {

class Once {
 public:
  /// False, and a problem that names it as `shown`, when the name has stood there before.
  bool take(std::string_view name, Place place, Report& report, std::string_view shown) {
    const auto [first, fresh] = seen_.emplace(name, place);
    if (!fresh)
      report.problem(place, fmt::format("{} stands here twice; first in line {}", shown, first->second.line));
    return fresh;
  }

 private:
  std::unordered_map<std::string, Place> seen_;
};

}  // namespace weft::config
