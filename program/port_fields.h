#pragma once
// The PortInfo fields that we set, and how what a port holds is compared with what it should hold. Pure.
//
// Some devices (and ibsim) do not keep every field: they answer a Set with another value. Such fields are
// remembered by device, as a mask, so that nothing is written again and again for their sake. Hard fields are
// those without which a port does not work: they are never excused.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "mad/port_info.h"
#include "plan/port_settings.h"

namespace weft::program {

struct PortField {
  std::string_view name;
  bool hard;
  std::uint64_t (*value)(const mad::PortInfo& info);
};

/// Bit i of every mask below stands for port_fields()[i].
std::span<const PortField> port_fields();

/// Fields in which the two differ.
std::uint32_t differing(const mad::PortInfo& a, const mad::PortInfo& b);
std::uint32_t hard_fields();
/// That of the bits by which a switch port checks P_Keys.
std::uint32_t enforcement_field();
std::uint32_t m_key_field();
/// "LID, HOQLife".
std::string names_of(std::uint32_t fields);

/// In a mask of unkept fields: the device does not keep SwitchInfo's LifeTimeValue.
inline constexpr std::uint32_t kUnkeptLifetime = 1u << 31;

/// What a port that holds `held` should hold. A live link keeps its MTU and VLs, since changing them would
/// break it: they follow when it next comes up. State and physical state are "no change".
mad::PortInfo desired(const mad::PortInfo& held, const plan::PortSettings& settings,
                      bool external_switch_port);

}  // namespace weft::program
