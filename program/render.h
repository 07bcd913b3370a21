#pragma once
// Render and diff: from a Plan and the Shadow to what has to be set, device by device, so that the whole
// never stands in memory twice. Pure.

#include <optional>
#include <vector>

#include "fabric/fabric.h"
#include "mad/blocks.h"
#include "mad/switch_info.h"
#include "plan/plan.h"

namespace weft::program {

/// Where in the order of programming a change belongs.
enum class Phase { own_port, switches, ports, forwarding, activation };

/// A port that has to be told something.
struct PortWork {
  fabric::PortRef port;
  bool settings = false;                   ///< Fields other than the state differ.
  PortState reach = PortState::no_change;  ///< State to arrive at, or no_change.
  bool operator==(const PortWork&) const = default;
};

/// What one port needs to hold its settings and be at least Armed; nothing when it does. `unkept` are the
/// fields that its device is known not to keep. A port whose image is unknown needs nothing: it could not be
/// read either.
std::optional<PortWork> port_work(const plan::PortSettings& settings, fabric::PortRef port,
                                  const mad::AttrData* held, bool external_switch_port, std::uint32_t unkept);

/// What a switch should say of itself; nothing when it does. PortStateChange is cleared where it is set.
/// `unkept` as for port_work.
std::optional<mad::SwitchInfo> switch_info_work(const mad::AttrData* held, Lid top, std::uint8_t lifetime,
                                                std::uint32_t unkept);

/// One block of a forwarding table.
mad::AttrData lft_block(const routing::Lft& lft, std::uint32_t block);

/// Blocks that the device is not known to hold as planned. Blocks above `top` are not looked at.
std::vector<std::uint32_t> lft_work(const routing::Lft& lft, Lid top, const mad::DeviceBlocks* held);

/// PortState that a held PortInfo tells; Down when unknown.
PortState held_state(const mad::Shadow& shadow, const fabric::Fabric& fabric, fabric::PortRef port);

}  // namespace weft::program
