#pragma once
// LidSpace: who holds each unicast LID while LIDs are being assigned, and where aligned ranges are free.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "plan/ledger.h"

namespace weft::plan {

inline constexpr std::uint8_t kMaxLmc = 7;

/// Unicast from end to end, and aligned to its size.
bool is_legal(LidRange range);

class LidSpace {
 public:
  using Owner = std::uint32_t;
  static constexpr Owner kFree = ~Owner{0};

  /// Free ranges are looked for up to `ceiling`; held LIDs may be above.
  explicit LidSpace(Lid ceiling);

  /// The holder of the lowest held LID of a legal range, or kFree.
  Owner holder(LidRange range) const;
  Owner holder(Lid lid) const { return holders_[raw(lid)]; }
  void give(LidRange range, Owner owner);
  void release(LidRange range);
  /// The lowest free aligned range at or above the starting point. All calls together cost O(LIDs), as long
  /// as nothing is released in between.
  std::optional<LidRange> first_free(std::uint8_t lmc);
  /// Moves the starting point.
  void look_from(Lid lid) { from_.fill(raw(lid)); }
  Lid ceiling() const { return static_cast<Lid>(ceiling_); }

 private:
  std::uint32_t ceiling_;
  std::vector<Owner> holders_;                     // by LID
  std::array<std::uint32_t, kMaxLmc + 1> from_{};  // by LMC: below it nothing is free, or nothing is wanted
};

}  // namespace weft::plan
