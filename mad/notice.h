#pragma once
// Notice: what traps and reports carry. Source: IBTA vol. 1, 13.4.8.2 and 14.2.5.1.

#include "mad/attribute_id.h"
#include "mad/layout.h"

namespace weft::mad {

/// Trap numbers of generic notices.
enum class TrapNumber : std::uint16_t {
  gid_in_service = 64,
  gid_out_of_service = 65,
  multicast_group_created = 66,
  multicast_group_deleted = 67,
  link_state_changed = 128,
  link_integrity = 129,
  buffer_overrun = 130,
  flow_control_watchdog = 131,
  capability_changed = 144,
  system_guid_changed = 145,
  bad_m_key = 256,
  bad_pkey = 257,
  bad_qkey = 258,
  bad_pkey_at_switch = 259,
};

struct Notice {
  bool generic = true;
  std::uint8_t type = 1;       ///< 0 fatal, 1 urgent, 2 security, 3 management, 4 informational.
  std::uint32_t producer = 0;  ///< Generic: 1 HCA, 2 switch, 3 router, 4 subnet management.
  TrapNumber trap{};
  Lid issuer{};
  bool toggle = false;
  std::uint16_t count = 0;
  std::array<std::uint8_t, 54> details{};
  bool operator==(const Notice&) const = default;
};
template <>
inline constexpr auto kLayout<Notice> = std::tuple{
    Field{0, 1, &Notice::generic, "IsGeneric"},      Field{1, 7, &Notice::type, "Type"},
    Field{8, 24, &Notice::producer, "ProducerType"}, Field{32, 16, &Notice::trap, "TrapNumber"},
    Field{48, 16, &Notice::issuer, "IssuerLID"},     Field{64, 1, &Notice::toggle, "NoticeToggle"},
    Field{65, 15, &Notice::count, "NoticeCount"},    ArrayField{80, 8, &Notice::details, "DataDetails"}};
static_assert(in_order<Notice>());

/// LID of the port a generic notice is about: at byte 10 for trap 128, at byte 12 for 129..131, 144, 145,
/// 256..258. None for others.
constexpr Lid subject_of(const Notice& notice) {
  const auto lid_at = [&notice](std::size_t at) {
    return static_cast<Lid>(notice.details[at - 10] << 8 | notice.details[at - 9]);
  };
  switch (notice.trap) {
    case TrapNumber::link_state_changed:
      return lid_at(10);
    case TrapNumber::link_integrity:
    case TrapNumber::buffer_overrun:
    case TrapNumber::flow_control_watchdog:
    case TrapNumber::capability_changed:
    case TrapNumber::system_guid_changed:
    case TrapNumber::bad_m_key:
    case TrapNumber::bad_pkey:
    case TrapNumber::bad_qkey:
      return lid_at(12);
    default:
      return kLidNone;
  }
}

/// The port that traps 129 to 131 are about, at byte 14; 0 of others.
constexpr PortNum port_of_subject(const Notice& notice) {
  switch (notice.trap) {
    case TrapNumber::link_integrity:
    case TrapNumber::buffer_overrun:
    case TrapNumber::flow_control_watchdog:
      return static_cast<PortNum>(notice.details[14 - 10]);
    default:
      return PortNum{0};
  }
}

}  // namespace weft::mad
