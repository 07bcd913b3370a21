#pragma once
// Notices: what devices tell about themselves, as values. World and agents raise those that follow from what
// they see; any of them can be raised by hand, as a fault: traps.raise(notifier(world, port), notice).
// Source: IBTA vol. 1, 14.2.5.1; details in mad/notice.h.

#include <span>

#include "mad/notice.h"
#include "mad/smp.h"
#include "sim/world.h"

namespace weft::sim {

/// What trap 144 says has changed, beside the capability mask.
enum class LocalChange : std::uint16_t {
  none = 0,
  description = 0x01,
  link_width = 0x02,
  link_speed = 0x04,
  sm_priority = 0x08,
  hierarchy = 0x10,
  capabilities2 = 0x20,
};

/// A packet whose P_Key or Q_Key was refused.
struct KeyViolation {
  Lid from{};
  Lid to{};
  std::uint32_t key = 0;
  Sl sl{};
  std::uint32_t qp_from = 1;
  std::uint32_t qp_to = 1;
};

/// Whose agent sends notices about a port: a switch's port 0, else the port itself.
PortIndex notifier(const World& world, PortIndex port);

/// 128: some port of a switch came up or went down.
mad::Notice link_state_notice(const World& world, NodeIndex sw);
/// 129, 130, 131: link integrity, buffer overrun, flow control watchdog, of any port.
mad::Notice port_error_notice(const World& world, PortIndex port, mad::TrapNumber trap);
/// 144.
mad::Notice change_notice(const World& world, PortIndex port, LocalChange change = LocalChange::none);
/// 145.
mad::Notice system_guid_notice(const World& world, PortIndex port);
/// 256. `from` and `return_path` are where the request came from; its own way back when it was directed.
mad::Notice bad_m_key_notice(const World& world, PortIndex port, const mad::Smp& request, Lid from,
                             std::span<const std::uint8_t> return_path);
/// 257 or 258, by an end port.
mad::Notice bad_key_notice(const World& world, PortIndex port, mad::TrapNumber trap,
                           const KeyViolation& packet);
/// 259, about an external port of a switch.
mad::Notice bad_pkey_at_switch_notice(const World& world, PortIndex port, const KeyViolation& packet);

}  // namespace weft::sim
