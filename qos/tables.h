#pragma once
// SL2VL and VL arbitration tables as somebody typed them, for those who bring theirs from OpenSM: they stand
// instead of the ones that levels and weights would give. One for each kind of port that sends.

#include <array>
#include <vector>

#include "fabric/fabric.h"
#include "qos/arbitration.h"

namespace weft::qos {

/// What a packet leaves by.
enum class Egress : std::uint8_t { host, router, switch_to_host, switch_to_switch };

Egress egress_of(const fabric::Fabric& fabric, fabric::PortRef port);

struct TypedTable {
  std::array<Vl, 16> sl2vl{};  ///< By SL; Vl{15}: packets of this SL are dropped.
  Arbitration arbitration;     ///< At most 64 entries each.
  bool operator==(const TypedTable&) const = default;
};

struct TypedTables {
  TypedTable hosts;
  TypedTable routers;
  TypedTable switches;
  const TypedTable& of(Egress by) const;
  bool operator==(const TypedTables&) const = default;
};

/// A lane as a link with so many data VLs (1, 2, 4, 8 or 15) has it: what lies beyond is folded onto the
/// lower ones; 15 stays. Source: OpenSM 3.3, osm_qos.c, which masks VLs by OperationalVLs.
Vl folded(Vl vl, int link_vls);
Arbitration folded(Arbitration tables, int link_vls);

}  // namespace weft::qos
