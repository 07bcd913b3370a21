#include "plan/shared_map.h"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <map>

namespace weft::plan {
namespace {

using Map = SharedMap<Guid, int>;

std::map<Guid, int> content(const Map& map) {
  std::map<Guid, int> all;
  map.each([&all](Guid key, int value) { EXPECT_TRUE(all.emplace(key, value).second); });
  return all;
}

RC_GTEST_PROP(SharedMapAlways, HoldsWhatAMapWouldAndLeavesCopiesAlone,
              (std::vector<std::pair<std::uint8_t, int>> steps)) {
  Map map;
  std::map<Guid, int> model;
  for (const auto& [number, value] : steps) {
    const Guid key{number % 40u};
    const Map before = map;
    const std::map<Guid, int> model_before = model;
    if (value % 3 == 0) {
      RC_ASSERT(map.erase(key) == (model.erase(key) > 0));
    } else {
      map.set(key, value);
      model[key] = value;
    }
    RC_ASSERT(content(map) == model);
    RC_ASSERT(content(before) == model_before);
    RC_ASSERT(map.size() == model.size());
    RC_ASSERT((map.find(key) != nullptr) == model.contains(key));
    RC_ASSERT((map == before) == (model == model_before));
  }
}

RC_GTEST_PROP(SharedMapAlways, DifferencesLeadFromOneToTheOther,
              (std::map<std::uint8_t, int> from, std::map<std::uint8_t, int> to)) {
  Map before;
  Map after;
  for (const auto& [key, value] : from) before.set(Guid{key}, value);
  for (const auto& [key, value] : to) after.set(Guid{key}, value);
  Map walked = before;
  int steps = 0;
  Map::differences(
      before, after,
      [&](Guid key, int value) {
        walked.set(key, value);
        ++steps;
      },
      [&](Guid key) {
        walked.erase(key);
        ++steps;
      });
  RC_ASSERT(walked == after);
  RC_ASSERT((steps == 0) == (before == after));
}

}  // namespace
}  // namespace weft::plan
