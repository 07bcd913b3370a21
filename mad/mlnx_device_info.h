#pragma once
// MlnxDeviceInfo: Mellanox's own management class 0x0a, of which we know what field tools ask: the makes of
// hardware and firmware (GeneralInfo 0x17). Its attributes stand behind an eight-byte key at byte 24 of the
// MAD. Source of the layout: vendstat of infiniband-diags.

#include <string>

#include "mad/attribute_id.h"
#include "mad/layout.h"

namespace weft::mad {

inline constexpr MgmtClass kMlnxClass{0x0a};
inline constexpr std::size_t kMlnxDataAt = 32;
inline constexpr std::size_t kMlnxDataSize = 224;

/// Attributes of class 0x0a; their numbers mean other things elsewhere.
enum class MlnxAttr : std::uint16_t { class_port_info = 0x01, general_info = 0x17 };

/// The firmware's version stands twice: in bytes for old devices, in words for all since.
struct MlnxDeviceInfo {
  std::uint16_t hw_revision = 0;
  std::uint16_t device = 0;
  std::uint32_t uptime = 0;  ///< Seconds.
  std::uint8_t fw_major = 0;
  std::uint8_t fw_minor = 0;
  std::uint8_t fw_sub_minor = 0;
  std::uint32_t fw_build = 0;
  std::uint8_t fw_month = 0;  ///< The date's digits as they are read in hexadecimal: 0x12.
  std::uint8_t fw_day = 0;
  std::uint16_t fw_year = 0;
  std::uint16_t fw_hour = 0;
  std::string psid;  ///< Which board: at most 16 characters.
  std::uint32_t ini_version = 0;
  std::uint32_t ext_major = 0;
  std::uint32_t ext_minor = 0;
  std::uint32_t ext_sub_minor = 0;
  std::uint8_t sw_major = 0;
  std::uint8_t sw_minor = 0;
  std::uint8_t sw_sub_minor = 0;
  bool operator==(const MlnxDeviceInfo&) const = default;
};
template <>
inline constexpr auto kLayout<MlnxDeviceInfo> =
    std::tuple{Field{0, 16, &MlnxDeviceInfo::hw_revision, "HwRevision"},
               Field{16, 16, &MlnxDeviceInfo::device, "DeviceID"},
               Field{224, 32, &MlnxDeviceInfo::uptime, "UpTime"},
               Field{264, 8, &MlnxDeviceInfo::fw_major, "FwMajor"},
               Field{272, 8, &MlnxDeviceInfo::fw_minor, "FwMinor"},
               Field{280, 8, &MlnxDeviceInfo::fw_sub_minor, "FwSubMinor"},
               Field{288, 32, &MlnxDeviceInfo::fw_build, "FwBuildID"},
               Field{320, 8, &MlnxDeviceInfo::fw_month, "FwMonth"},
               Field{328, 8, &MlnxDeviceInfo::fw_day, "FwDay"},
               Field{336, 16, &MlnxDeviceInfo::fw_year, "FwYear"},
               Field{368, 16, &MlnxDeviceInfo::fw_hour, "FwHour"},
               TextField{384, 128, &MlnxDeviceInfo::psid, "PSID"},
               Field{512, 32, &MlnxDeviceInfo::ini_version, "IniFileVersion"},
               Field{544, 32, &MlnxDeviceInfo::ext_major, "ExtMajor"},
               Field{576, 32, &MlnxDeviceInfo::ext_minor, "ExtMinor"},
               Field{608, 32, &MlnxDeviceInfo::ext_sub_minor, "ExtSubMinor"},
               Field{776, 8, &MlnxDeviceInfo::sw_major, "SwMajor"},
               Field{784, 8, &MlnxDeviceInfo::sw_minor, "SwMinor"},
               Field{792, 8, &MlnxDeviceInfo::sw_sub_minor, "SwSubMinor"}};
static_assert(in_order<MlnxDeviceInfo>());

}  // namespace weft::mad
