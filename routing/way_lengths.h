#pragma once
// WayLengths: how far one LID is from switches by a table, each switch met once. Inside of check_again.cpp
// only.

#include <cstdint>
#include <vector>

#include "routing/check_cables.h"

namespace weft::routing {

class WayLengths {
 public:
  static constexpr std::uint32_t kNever = ~0U;

  WayLengths(const Routes& routes, const CheckCables& cables)
      : routes_(routes), cables_(cables), length_(cables.count), known_(cables.count) {}

  /// Of this LID from now on, which `to` delivers.
  void begin(std::uint16_t lid, std::uint32_t to) {
    ++round_;
    lid_ = lid;
    to_ = to;
  }
  /// In links; kNever where the entries do not lead there.
  std::uint32_t from(std::uint32_t s) {
    walk_.clear();
    std::uint32_t length = kNever;
    while (s < CheckCables::kLastIndex && walk_.size() <= cables_.count) {
      if (s == to_) length = 0;
      if (s != to_ && known_[s] == round_) length = length_[s];
      if (s == to_ || known_[s] == round_) break;
      walk_.push_back(s);
      s = cables_.peer(s, raw(routes_.out(static_cast<SwitchId>(s), static_cast<Lid>(lid_))));
    }
    for (auto at = walk_.rbegin(); at != walk_.rend(); ++at) {
      if (length != kNever) ++length;
      length_[*at] = length;
      known_[*at] = round_;
    }
    return length;
  }

 private:
  const Routes& routes_;
  const CheckCables& cables_;
  std::uint16_t lid_ = 0;
  std::uint32_t to_ = 0;
  std::uint32_t round_ = 0;
  std::vector<std::uint32_t> length_;  // by switch, where known_ is of this round
  std::vector<std::uint32_t> known_;
  std::vector<std::uint32_t> walk_;
};

}  // namespace weft::routing
