// PortInfo: every field that can be set is kept, and one bad field refuses the whole Set. Fields that mean
// nothing for the kind of port are ignored: addresses and keys on a switch's external ports, the link's on
// its port 0. Source: IBTA vol. 1, 14.2.5.6 and 7.2.7 (port states).
#include "sim/agents/agents.h"
#include "sim/link_training.h"

namespace weft::sim {
namespace {

using mad::PortInfo;
using mad::Status;

constexpr std::uint32_t kExtendedSpeeds = 0x80000000u;  // modifier: the asker knows extended speeds

struct Target {
  PortIndex index;
  bool end_port;   // has LIDs: an HCA's port or a switch's port 0
  bool link_port;  // has a link: all but port 0
};

/// A mask of enabled widths or speeds: 0 leaves it, `all` means what is supported, `off` (if any) clears it.
struct Mask {
  unsigned wanted;
  unsigned supported;
  unsigned all;
  unsigned off = 0;

  bool good() const { return wanted == all || wanted == off || (wanted & ~supported) == 0; }
  std::uint8_t applied(std::uint8_t held) const {
    if (wanted == 0) return held;
    return static_cast<std::uint8_t>(wanted == all ? supported : wanted);
  }
};

Mask width_of(const PortInfo& w, const PortInfo& held) {
  return {w.width_enabled, held.width_supported, 255};
}
Mask speed_of(const PortInfo& w, const PortInfo& held) { return {w.speed_enabled, held.speed_supported, 15}; }
Mask ext_of(const PortInfo& w, const PortInfo& held) {
  return {w.speed_ext_enabled, held.speed_ext_supported, 31, 30};
}
Mask ext2_of(const PortInfo& w, const PortInfo& held) {
  return {w.speed_ext2_enabled, held.speed_ext2_supported, 7, 6};
}

/// The Sets of PortState that the state machine takes: one step up, or Down.
bool legal_step(const PortInfo& held, PortState wanted) {
  switch (wanted) {
    case PortState::no_change:
    case PortState::down:
      return true;
    case PortState::armed:
      return held.state == PortState::init && held.phys == PhysState::link_up;
    case PortState::active:
      return held.state == PortState::armed && held.phys == PhysState::link_up;
    default:
      return false;
  }
}

bool good_address(const Call& call, const Target& target, const PortInfo& w, const PortInfo& held) {
  if (w.lid != held.lid && !is_unicast(w.lid)) return false;
  if (w.sm_lid != held.sm_lid && !is_unicast(w.sm_lid)) return false;
  const unsigned range = (1u << w.lmc) - 1;
  if ((raw(w.lid) & range) != 0) return false;
  const bool base_port0 = !target.link_port && !call.self().enhanced_port0;
  return !base_port0 || w.lmc == 0;
}

bool good_link(const Call& call, const PortInfo& w, const PortInfo& held) {
  if (w.phys > PhysState::disabled || w.link_down_default > raw(PhysState::polling)) return false;
  if (w.phys != PhysState::no_change && w.state > PortState::down) return false;
  if (!legal_step(held, w.state)) return false;
  if (w.neighbor_mtu < Mtu::mtu256 || w.neighbor_mtu > held.mtu_cap) return false;
  if (w.operational_vls > held.vl_cap) return false;
  if (!width_of(w, held).good() || !speed_of(w, held).good()) return false;
  return (call.modifier & kExtendedSpeeds) == 0 || (ext_of(w, held).good() && ext2_of(w, held).good());
}

void apply_address(const PortInfo& w, PortInfo& held) {
  held.m_key = w.m_key;
  held.gid_prefix = w.gid_prefix;
  held.lid = w.lid;
  held.sm_lid = w.sm_lid;
  held.m_key_lease = w.m_key_lease;
  held.m_key_protect = w.m_key_protect;
  held.lmc = w.lmc;
  held.sm_sl = w.sm_sl;
  held.init_type = w.init_type;
  held.subnet_timeout = w.subnet_timeout;
  if (w.m_key_violations == 0) held.m_key_violations = 0;
  if (w.pkey_violations == 0) held.pkey_violations = 0;
  if (w.qkey_violations == 0) held.qkey_violations = 0;
}

void apply_link(const Call& call, const PortInfo& w, PortInfo& held) {
  held.neighbor_mtu = w.neighbor_mtu;
  held.vl_high_limit = w.vl_high_limit;
  held.vl_stall_count = w.vl_stall_count;
  held.hoq_life = w.hoq_life;
  held.local_phy_errors = w.local_phy_errors;
  held.overrun_errors = w.overrun_errors;
  if (w.operational_vls != VlCount::none) held.operational_vls = w.operational_vls;
  if (w.link_down_default != 0) held.link_down_default = w.link_down_default;
  held.width_enabled = width_of(w, held).applied(held.width_enabled);
  held.speed_enabled = speed_of(w, held).applied(held.speed_enabled);
  if (call.modifier & kExtendedSpeeds) {
    held.speed_ext_enabled = ext_of(w, held).applied(held.speed_ext_enabled);
    held.speed_ext2_enabled = ext2_of(w, held).applied(held.speed_ext2_enabled);
  }
  if (!call.at_switch()) return;
  held.enforce_in = w.enforce_in;
  held.enforce_out = w.enforce_out;
  held.filter_raw_in = w.filter_raw_in;
  held.filter_raw_out = w.filter_raw_out;
}

void move_state(World& world, PortIndex p, const PortInfo& w) {
  PortInfo& held = world.port(p).info;
  if (w.state == PortState::armed || w.state == PortState::active)
    held.state = w.state;
  else if (w.phys != PhysState::no_change)
    world.restart_link(p, w.phys);
  else if (w.state == PortState::down)
    world.restart_link(p, held.phys == PhysState::disabled ? PhysState::disabled
                                                           : static_cast<PhysState>(held.link_down_default));
}

Status set_port_info(Call& call, const Target& target, const PortInfo& wanted) {
  PortInfo& held = call.world.port(target.index).info;
  if (target.end_port && !good_address(call, target, wanted, held)) return Status::bad_value;
  if (target.link_port ? !good_link(call, wanted, held) : wanted.state != PortState::no_change)
    return Status::bad_value;
  if (target.end_port) apply_address(wanted, held);
  if (target.link_port) {
    apply_link(call, wanted, held);
    move_state(call.world, target.index, wanted);
  }
  return Status::ok;
}

}  // namespace

Status port_info(Call& call) {
  const auto asked = static_cast<PortNum>(call.modifier & 0xff);
  const bool itself = !call.at_switch() && asked == PortNum{0};
  const PortIndex index = itself ? call.arrival : call.world.port_of(call.node, asked);
  if (index == kNoPort) return Status::bad_value;
  const bool port0 = call.world.port(index).number == PortNum{0};
  const Target target{index, !call.at_switch() || port0, !port0};
  bool reregister = false;
  if (call.set) {
    const auto wanted = mad::decode<PortInfo>(call.data);
    const Status status = set_port_info(call, target, wanted);
    if (status != Status::ok) return status;
    // Told back in the answer to the Set, and never again.
    reregister = target.end_port && wanted.client_reregister;
  }
  PortInfo told = call.world.port(index).info;
  told.local_port = call.world.port(call.arrival).number;
  told.client_reregister = reregister;
  // A protected key is told to those who have it, and in the answer to the Set that made it.
  if (!call.set && told.m_key_protect > 0 && told.m_key != call.m_key) told.m_key = 0;
  if (call.settings().hide_extended_speeds && (call.modifier & kExtendedSpeeds) == 0) hide_extended(told);
  call.data = mad::encode(told);
  return Status::ok;
}

}  // namespace weft::sim
