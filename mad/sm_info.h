#pragma once
// SMInfo: who manages, or would. Source: IBTA vol. 1, 14.2.5.13.

#include "mad/attribute_id.h"
#include "mad/layout.h"

namespace weft::mad {

enum class SmState : std::uint8_t { not_active = 0, discovering = 1, standby = 2, master = 3 };

struct SmInfo {
  Guid guid{};  ///< Of the port it runs on.
  std::uint64_t sm_key = 0;
  std::uint32_t act_count = 0;  ///< Rises while the manager lives.
  std::uint8_t priority = 0;    ///< 0..15, higher wins; then the lower GUID.
  SmState state{};
  bool operator==(const SmInfo&) const = default;
};
template <>
inline constexpr auto kLayout<SmInfo> =
    std::tuple{Field{0, 64, &SmInfo::guid, "GUID"}, Field{64, 64, &SmInfo::sm_key, "SM_Key"},
               Field{128, 32, &SmInfo::act_count, "ActCount"}, Field{160, 4, &SmInfo::priority, "Priority"},
               Field{164, 4, &SmInfo::state, "SMState"}};
static_assert(in_order<SmInfo>());

constexpr std::string_view name(SmState state) {
  switch (state) {
    case SmState::not_active:
      return "not active";
    case SmState::discovering:
      return "discovering";
    case SmState::standby:
      return "standby";
    case SmState::master:
      return "master";
  }
  return "?";
}

}  // namespace weft::mad
