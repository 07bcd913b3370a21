#pragma once
// What both ends of a link agree on: MTU and operational VLs, and the timers that keep a stuck link from
// holding up the fabric.

#include "fabric/fabric.h"

namespace weft::qos {

/// The limits people set; wire codes, filled from units by config.
struct LinkOptions {
  Mtu max_mtu = Mtu::mtu4096;
  VlCount max_vls = VlCount::vl15;
  std::uint8_t hoq_life = 18;       ///< Ports between switches: 4.096 us * 2^n; 20 and above: for ever.
  std::uint8_t host_hoq_life = 16;  ///< Switch ports that face hosts.
  std::uint8_t vl_stall_count = 7;
  std::uint8_t host_vl_stall_count = 7;
  std::uint8_t local_phy_errors = 8;
  std::uint8_t overrun_errors = 8;
  bool operator==(const LinkOptions&) const = default;
};

struct LinkSettings {
  Mtu mtu = Mtu::none;
  VlCount vls = VlCount::none;
  std::uint8_t hoq_life = 0;
  std::uint8_t vl_stall_count = 0;
  bool operator==(const LinkSettings&) const = default;
};

/// Settings of one end of a link: the largest MTU and lane count that both ends have and the options allow.
/// HOQ life and stall count depend on whether the far end is a switch.
LinkSettings settle(const fabric::Fabric& fabric, fabric::PortRef end, const LinkOptions& options);

}  // namespace weft::qos
