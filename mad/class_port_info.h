#pragma once
// ClassPortInfo: what a management class can do at a port, and where else to ask. The same in every class of
// general services. Source: IBTA vol. 1, 13.4.8.1.

#include "base/ids.h"
#include "mad/attribute_id.h"
#include "mad/layout.h"

namespace weft::mad {

struct ClassPortInfo {
  std::uint8_t base_version = 1;
  std::uint8_t class_version = 1;
  std::uint16_t capabilities = 0;  ///< Bit 0: sends traps, bit 1: Notice; from bit 8 on the class's own.
  std::uint32_t capabilities2 = 0;
  std::uint8_t resp_time = 0;  ///< 4.096 us * 2^n.
  std::array<std::uint8_t, 16> redirect_gid{};
  std::uint8_t redirect_tc = 0;
  Sl redirect_sl{};
  std::uint32_t redirect_flow_label = 0;
  Lid redirect_lid{};
  Pkey redirect_pkey{};
  std::uint32_t redirect_qp = 0;
  std::uint32_t redirect_qkey = 0;
  std::array<std::uint8_t, 16> trap_gid{};
  std::uint8_t trap_tc = 0;
  Sl trap_sl{};
  std::uint32_t trap_flow_label = 0;
  Lid trap_lid{};
  Pkey trap_pkey{};
  std::uint8_t trap_hop_limit = 0;
  std::uint32_t trap_qp = 0;
  std::uint32_t trap_qkey = 0;
  bool operator==(const ClassPortInfo&) const = default;
};
template <>
inline constexpr auto kLayout<ClassPortInfo> =
    std::tuple{Field{0, 8, &ClassPortInfo::base_version, "BaseVersion"},
               Field{8, 8, &ClassPortInfo::class_version, "ClassVersion"},
               Field{16, 16, &ClassPortInfo::capabilities, "CapabilityMask"},
               Field{32, 27, &ClassPortInfo::capabilities2, "CapabilityMask2"},
               Field{59, 5, &ClassPortInfo::resp_time, "RespTimeValue"},
               ArrayField{64, 8, &ClassPortInfo::redirect_gid, "RedirectGID"},
               Field{192, 8, &ClassPortInfo::redirect_tc, "RedirectTC"},
               Field{200, 4, &ClassPortInfo::redirect_sl, "RedirectSL"},
               Field{204, 20, &ClassPortInfo::redirect_flow_label, "RedirectFL"},
               Field{224, 16, &ClassPortInfo::redirect_lid, "RedirectLID"},
               Field{240, 16, &ClassPortInfo::redirect_pkey, "RedirectP_Key"},
               Field{264, 24, &ClassPortInfo::redirect_qp, "RedirectQP"},
               Field{288, 32, &ClassPortInfo::redirect_qkey, "RedirectQ_Key"},
               ArrayField{320, 8, &ClassPortInfo::trap_gid, "TrapGID"},
               Field{448, 8, &ClassPortInfo::trap_tc, "TrapTC"},
               Field{456, 4, &ClassPortInfo::trap_sl, "TrapSL"},
               Field{460, 20, &ClassPortInfo::trap_flow_label, "TrapFL"},
               Field{480, 16, &ClassPortInfo::trap_lid, "TrapLID"},
               Field{496, 16, &ClassPortInfo::trap_pkey, "TrapP_Key"},
               Field{512, 8, &ClassPortInfo::trap_hop_limit, "TrapHL"},
               Field{520, 24, &ClassPortInfo::trap_qp, "TrapQP"},
               Field{544, 32, &ClassPortInfo::trap_qkey, "TrapQ_Key"}};
static_assert(in_order<ClassPortInfo>());

}  // namespace weft::mad
