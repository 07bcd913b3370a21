#pragma once
// Adaptive routing: the vendor attributes of NVIDIA/Mellanox switches that choose among ports. Sent only to
// nodes of that maker whose GeneralInfo offers them: other makers use the same numbers for other things.
//
// The layouts are public; how the attribute modifiers are packed is not. The functions at the end are our own
// convention, to be calibrated on a real switch: the block in the low bits, flags from bit 23 down, the
// private table (pLFT) in bits 31..24.

#include <algorithm>
#include <array>
#include <bitset>

#include "base/ids.h"
#include "mad/attribute_id.h"
#include "mad/layout.h"

namespace weft::mad {

/// True for a VendorID of Mellanox, now NVIDIA.
constexpr bool is_mellanox(std::uint32_t vendor) {
  constexpr std::uint32_t kOuis[] = {0x0002c9, 0xf45214, 0xe41d2d, 0x7cfe90, 0x248a07, 0xec0d9a,
                                     0x506b4b, 0x98039b, 0xb8599f, 0x1070fd, 0x0c42a1, 0x043f72,
                                     0x08c0eb, 0xb83fd2, 0x946dae, 0xfc6a1c, 0x900a84, 0xa088c2};
  return std::ranges::find(kOuis, vendor) != std::end(kOuis);
}

/// Bits of GeneralInfo's capability mask.
enum class GeneralCap : std::uint8_t {
  private_lft = 0,
  adaptive_routing = 1,
  adaptive_routing_revision1 = 2,
  ext_port_info = 9,
  port_sl_to_plft = 12,
  ext_node_info = 13,
  vl_to_vl = 20,
  out_of_order = 30,
};

/// Modifier 4: which vendor attributes a node knows.
struct GeneralInfo {
  std::array<std::uint32_t, 4> capabilities{};  ///< Bit n in word n / 32.
  bool operator==(const GeneralInfo&) const = default;
};
template <>
inline constexpr auto kLayout<GeneralInfo> =
    std::tuple{ArrayField{0, 32, &GeneralInfo::capabilities, "CapabilityMask"}};
static_assert(in_order<GeneralInfo>());

constexpr bool has(const GeneralInfo& info, GeneralCap bit) {
  return (info.capabilities[raw(bit) / 32u] >> raw(bit) % 32u & 1u) != 0;
}
constexpr void offer(GeneralInfo& info, GeneralCap bit) {
  info.capabilities[raw(bit) / 32u] |= 1u << raw(bit) % 32u;
}

/// How a switch is set for adaptive routing, and what it can do.
struct ArInfo {
  bool by_sl_cap = false;
  bool by_sl = false;  ///< Only the levels of sl_mask adapt.
  bool by_transport_cap = false;
  bool dynamic_cap = false;  ///< group_cap depends on the settings: ask with the capability flag.
  bool no_fallback = false;
  bool is4_mode = false;
  bool global_groups = false;
  std::uint8_t directions = 0;  ///< Of routing notifications.
  std::uint8_t group_copy = 0;  ///< Not 0: ArGroupCopy is there.
  std::uint8_t sub_groups = 0;  ///< In use, a group; 0 counts as 1.
  bool fr_enable = false;
  bool rn_xmit_enable = false;
  bool fr_cap = false;
  bool frn_cap = false;
  bool arn_cap = false;
  bool enable = false;
  std::uint8_t string_width_cap = 0;
  std::uint8_t group_tables = 0;
  std::uint16_t group_top = 0;  ///< Highest group in use.
  std::uint16_t group_cap = 0;  ///< Groups there are.
  std::uint16_t sl_mask = 0;
  std::uint8_t sub_groups_cap = 0;
  std::uint8_t rn_version = 0;
  std::uint8_t ar_version = 0;
  std::uint8_t transport_disable = 0;  ///< 1 UD, 2 RC, 4 UC, 8 DC.
  std::uint32_t ageing_us = 0;
  bool hbf_cap = false;
  bool whbf_cap = false;
  bool pfrn_cap = false;
  bool hbf = false;
  bool whbf = false;
  bool by_vl = false;
  bool pfrn = false;
  std::uint8_t whbf_granularity = 0;
  std::uint16_t hbf_sl_mask = 0;
  bool operator==(const ArInfo&) const = default;
};
template <>
inline constexpr auto kLayout<ArInfo> =
    std::tuple{Field{1, 1, &ArInfo::dynamic_cap, "DynamicCapCalc"},
               Field{2, 1, &ArInfo::by_transport_cap, "ByTransportCap"},
               Field{3, 1, &ArInfo::by_sl, "BySLEnable"},
               Field{4, 1, &ArInfo::by_sl_cap, "BySLCap"},
               Field{5, 1, &ArInfo::global_groups, "GlobalGroups"},
               Field{6, 1, &ArInfo::is4_mode, "IS4Mode"},
               Field{7, 1, &ArInfo::no_fallback, "NoFallback"},
               Field{8, 8, &ArInfo::directions, "DirectionsSupported"},
               Field{16, 4, &ArInfo::group_copy, "GroupTableCopySupported"},
               Field{20, 4, &ArInfo::sub_groups, "SubGroupsActive"},
               Field{26, 1, &ArInfo::rn_xmit_enable, "RNXmitEnable"},
               Field{27, 1, &ArInfo::fr_enable, "FREnable"},
               Field{28, 1, &ArInfo::fr_cap, "FRSupported"},
               Field{29, 1, &ArInfo::frn_cap, "FRNSupported"},
               Field{30, 1, &ArInfo::arn_cap, "ARNSupported"},
               Field{31, 1, &ArInfo::enable, "Enable"},
               Field{32, 4, &ArInfo::string_width_cap, "StringWidthCap"},
               Field{36, 4, &ArInfo::group_tables, "GroupTableCap"},
               Field{40, 12, &ArInfo::group_top, "GroupTop"},
               Field{52, 12, &ArInfo::group_cap, "GroupCap"},
               Field{64, 16, &ArInfo::sl_mask, "EnableBySLMask"},
               Field{80, 8, &ArInfo::sub_groups_cap, "SubGroupsSupported"},
               Field{88, 4, &ArInfo::rn_version, "RNVersion"},
               Field{92, 4, &ArInfo::ar_version, "ARVersion"},
               Field{124, 4, &ArInfo::transport_disable, "TransportDisable"},
               Field{128, 32, &ArInfo::ageing_us, "AgeingTime"},
               Field{160, 1, &ArInfo::hbf_cap, "HBFSupported"},
               Field{161, 1, &ArInfo::whbf_cap, "WHBFSupported"},
               Field{166, 1, &ArInfo::pfrn_cap, "PFRNSupported"},
               Field{176, 1, &ArInfo::hbf, "HBFEnable"},
               Field{177, 1, &ArInfo::whbf, "WHBFEnable"},
               Field{178, 1, &ArInfo::by_vl, "ByVLEnable"},
               Field{179, 1, &ArInfo::pfrn, "PFRNEnable"},
               Field{192, 3, &ArInfo::whbf_granularity, "WHBFGranularity"},
               Field{208, 16, &ArInfo::hbf_sl_mask, "HBFSLMask"}};
static_assert(in_order<ArInfo>());

/// Ports by number.
using PortMask = std::bitset<256>;

/// Two elements of the group table; element = group * sub-groups + sub-group.
struct ArGroupTable {
  std::array<std::uint8_t, 64> bytes{};  ///< Two 256-bit numbers; bit p is port p.
  bool operator==(const ArGroupTable&) const = default;
};
template <>
inline constexpr auto kLayout<ArGroupTable> = std::tuple{ArrayField{0, 8, &ArGroupTable::bytes, "PortMask"}};
static_assert(in_order<ArGroupTable>());

inline PortMask element_of(const ArGroupTable& table, std::size_t half) {
  PortMask ports;
  for (std::size_t p = 0; p < ports.size(); ++p)
    ports[p] = (table.bytes[half * 32 + 31 - p / 8] >> p % 8 & 1) != 0;
  return ports;
}
inline void set_element(ArGroupTable& table, std::size_t half, const PortMask& ports) {
  for (std::size_t p = 0; p < ports.size(); ++p) {
    std::uint8_t& byte = table.bytes[half * 32 + 31 - p / 8];
    const auto bit = static_cast<std::uint8_t>(1u << p % 8);
    byte = static_cast<std::uint8_t>(ports[p] ? byte | bit : byte & ~bit);
  }
}

enum class ArLidState : std::uint8_t {
  bounded = 0,  ///< May change port when the flow has paused.
  free = 1,     ///< Any port of the group, for each packet.
  fixed = 2,    ///< The static port; the group is for fast recovery only.
  hashed = 3,   ///< By a hash of the flow.
};

/// Where one LID goes.
struct ArLftEntry {
  ArLidState state = ArLidState::fixed;
  std::uint8_t table = 0;
  PortNum port = kPortDrop;  ///< The static port.
  std::uint16_t group = 0;
  bool operator==(const ArLftEntry&) const = default;
};
constexpr std::uint32_t pack(const ArLftEntry& entry) {
  return static_cast<std::uint32_t>(raw(entry.state)) << 30 |
         static_cast<std::uint32_t>(entry.table & 0xf) << 24 |
         static_cast<std::uint32_t>(raw(entry.port)) << 16 | entry.group;
}
constexpr ArLftEntry ar_lft_entry(std::uint32_t packed) {
  return {static_cast<ArLidState>(packed >> 30), static_cast<std::uint8_t>(packed >> 24 & 0xf),
          static_cast<PortNum>(packed >> 16), static_cast<std::uint16_t>(packed)};
}

inline constexpr std::size_t kArLftBlock = 16;

/// Entries of LIDs 16 * block .. 16 * block + 15, packed.
struct ArLft {
  std::array<std::uint32_t, kArLftBlock> entries{};
  bool operator==(const ArLft&) const = default;
};
template <>
inline constexpr auto kLayout<ArLft> = std::tuple{ArrayField{0, 32, &ArLft::entries, "Entry"}};
static_assert(in_order<ArLft>());

/// Copies the group of the modifier to groups first .. last.
struct ArGroupCopy {
  std::uint16_t last = 0;
  std::uint16_t first = 0;
  bool operator==(const ArGroupCopy&) const = default;
};
template <>
inline constexpr auto kLayout<ArGroupCopy> = std::tuple{Field{4, 12, &ArGroupCopy::last, "LastIndex"},
                                                        Field{20, 12, &ArGroupCopy::first, "FirstIndex"}};
static_assert(in_order<ArGroupCopy>());

/// Private tables: how many, and which division into banks is in force.
struct PlftInfo {
  std::uint8_t count = 0;  ///< 0 stands for 36.
  std::uint8_t modes = 0;
  std::uint8_t active_mode = 0;          ///< 0: no private tables.
  std::array<std::uint8_t, 14> banks{};  ///< For mode i: bank size in 1024 LIDs, number of banks.
  bool operator==(const PlftInfo&) const = default;
};
template <>
inline constexpr auto kLayout<PlftInfo> = std::tuple{
    Field{8, 8, &PlftInfo::count, "NumPLFTs"}, Field{16, 8, &PlftInfo::modes, "NumModes"},
    Field{24, 8, &PlftInfo::active_mode, "ActiveMode"}, ArrayField{32, 8, &PlftInfo::banks, "BankModes"}};
static_assert(in_order<PlftInfo>());

/// 16 private tables, each: bank, LID space, 0, LID offset; spaces and offsets in 512 LIDs.
struct PlftDef {
  std::array<std::uint32_t, 16> tables{};
  bool operator==(const PlftDef&) const = default;
};
template <>
inline constexpr auto kLayout<PlftDef> = std::tuple{ArrayField{0, 32, &PlftDef::tables, "PLFT"}};
static_assert(in_order<PlftDef>());

/// Which ports use a private table.
struct PlftMap {
  bool top_enable = false;
  bool ports_enable = false;
  std::array<std::uint8_t, 32> ports{};  ///< A 256-bit number; bit p is port p.
  Lid top{};
  bool operator==(const PlftMap&) const = default;
};
template <>
inline constexpr auto kLayout<PlftMap> = std::tuple{
    Field{30, 1, &PlftMap::top_enable, "TopEnable"}, Field{31, 1, &PlftMap::ports_enable, "PortsEnable"},
    ArrayField{32, 8, &PlftMap::ports, "InputPorts"}, Field{304, 16, &PlftMap::top, "Top"}};
static_assert(in_order<PlftMap>());

/// For four ports, the private table of each service level.
struct PortSlToPlft {
  std::array<std::uint8_t, 64> plft{};  ///< [port within the block * 16 + SL]
  bool operator==(const PortSlToPlft&) const = default;
};
template <>
inline constexpr auto kLayout<PortSlToPlft> = std::tuple{ArrayField{0, 8, &PortSlToPlft::plft, "PLFT"}};
static_assert(in_order<PortSlToPlft>());

// Modifiers, by our convention.
constexpr std::uint32_t kGeneralInfoCapabilities = 4;     ///< This one is public.
constexpr std::uint32_t kArInfoGetCapability = 1u << 23;  ///< Tell GroupCap for the settings in the data.
constexpr std::uint32_t kArGroupCopyDirections = 1u << 23;
constexpr std::uint32_t ar_group_modifier(std::uint32_t block, std::uint32_t table = 0,
                                          std::uint32_t plft = 0) {
  return plft << 24 | table << 16 | block;
}
constexpr std::uint32_t ar_lft_modifier(std::uint32_t block, std::uint32_t plft = 0) {
  return plft << 24 | block;
}
constexpr std::uint32_t plft_map_modifier(std::uint32_t plft) { return plft << 24; }

}  // namespace weft::mad
