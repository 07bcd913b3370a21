#include "plan/lid_space.h"

#include <algorithm>
#include <cassert>

namespace weft::plan {

bool is_legal(LidRange range) {
  if (range.lmc > kMaxLmc || raw(range.base) % range.size() != 0) return false;
  return is_unicast(range.base) && raw(range.base) + range.size() - 1 <= raw(kLidLastUnicast);
}

LidSpace::LidSpace(Lid ceiling)
    : ceiling_(raw(ceiling)), holders_(raw(kLidLastUnicast) + std::size_t{1}, kFree) {
  look_from(kLidFirst);
}

LidSpace::Owner LidSpace::holder(LidRange range) const {
  assert(is_legal(range));
  const auto begin = holders_.begin() + raw(range.base);
  const auto held = std::find_if(begin, begin + range.size(), [](Owner owner) { return owner != kFree; });
  return held == begin + range.size() ? kFree : *held;
}

void LidSpace::give(LidRange range, Owner owner) {
  assert(holder(range) == kFree);
  std::fill_n(holders_.begin() + raw(range.base), range.size(), owner);
}

void LidSpace::release(LidRange range) {
  std::fill_n(holders_.begin() + raw(range.base), range.size(), kFree);
  for (std::uint32_t& from : from_) from = std::min<std::uint32_t>(from, raw(range.base));
}

std::optional<LidRange> LidSpace::first_free(std::uint8_t lmc) {
  const std::uint32_t size = std::uint32_t{1} << lmc;
  std::uint32_t& at = from_[lmc];
  at = std::max(size, (at + size - 1) / size * size);
  for (; at + size - 1 <= ceiling_; at += size) {
    const LidRange range{static_cast<Lid>(at), lmc};
    if (holder(range) == kFree) return range;
  }
  return std::nullopt;
}

}  // namespace weft::plan
