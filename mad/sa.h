#pragma once
// Subnet administration: the headers its MADs carry behind the common one, and its numbers. Source: IBTA vol.
// 1, 13.6 (RMPP), 15.2.1 and 15.2.3.

#include "mad/mad.h"

namespace weft::mad {

inline constexpr std::uint8_t kSaVersion = 2;
/// Where the data of an SA MAD lies, and how much one MAD has room for.
inline constexpr std::size_t kSaDataAt = 56;
inline constexpr std::size_t kSaDataSize = 200;
/// What RMPP counts as payload of a segment: the SA header from SM_Key on, and the data.
inline constexpr std::size_t kSaHeaderSize = 20;
inline constexpr std::uint32_t kGsiQkey = 0x80010000;

enum class RmppType : std::uint8_t { none = 0, data = 1, ack = 2, stop = 3, abort = 4 };

namespace rmpp {
inline constexpr std::uint8_t kActive = 1;
inline constexpr std::uint8_t kFirst = 2;
inline constexpr std::uint8_t kLast = 4;

enum class Code : std::uint8_t {
  ok = 0,
  resources = 1,
  too_long = 118,     ///< T2L: the whole took too long.
  bad_length = 119,   ///< Last and PayloadLength disagree.
  bad_segment = 120,  ///< First and SegmentNumber disagree.
  bad_type = 121,
  window_too_small = 122,
  segment_too_big = 123,
  bad_status = 124,
  bad_version = 125,
  too_many_retries = 126,
  unspecified = 127,
};
}  // namespace rmpp

/// RMPP header and SA header, at their places in the whole MAD.
struct SaHeader {
  std::uint8_t rmpp_version = 0;
  RmppType rmpp_type = RmppType::none;
  std::uint8_t response_time = 0;
  std::uint8_t rmpp_flags = 0;
  std::uint8_t rmpp_status = 0;
  std::uint32_t segment = 0;
  std::uint32_t payload_length = 0;  ///< In an ACK: NewWindowLast.
  std::uint64_t sm_key = 0;
  std::uint16_t attribute_offset = 0;  ///< Distance of records in units of 8 bytes.
  std::uint64_t component_mask = 0;
  bool operator==(const SaHeader&) const = default;
};
template <>
inline constexpr auto kLayout<SaHeader> =
    std::tuple{Field{192, 8, &SaHeader::rmpp_version, "RMPPVersion"},
               Field{200, 8, &SaHeader::rmpp_type, "RMPPType"},
               Field{208, 5, &SaHeader::response_time, "RRespTime"},
               Field{213, 3, &SaHeader::rmpp_flags, "RMPPFlags"},
               Field{216, 8, &SaHeader::rmpp_status, "RMPPStatus"},
               Field{224, 32, &SaHeader::segment, "SegmentNumber"},
               Field{256, 32, &SaHeader::payload_length, "PayloadLength"},
               Field{288, 64, &SaHeader::sm_key, "SM_Key"},
               Field{352, 16, &SaHeader::attribute_offset, "AttributeOffset"},
               Field{384, 64, &SaHeader::component_mask, "ComponentMask"}};
static_assert(in_order<SaHeader>());

inline SaHeader sa_header_of(const Mad& mad) { return decode<SaHeader>(mad.bytes); }

enum class SaAttr : std::uint16_t {
  class_port_info = 0x01,
  notice = 0x02,
  inform_info = 0x03,
  node_record = 0x11,
  port_info_record = 0x12,
  sl_to_vl_record = 0x13,
  switch_info_record = 0x14,
  lft_record = 0x15,
  mft_record = 0x17,
  sm_info_record = 0x18,
  link_record = 0x20,
  guid_info_record = 0x30,
  service_record = 0x31,
  pkey_table_record = 0x33,
  path_record = 0x35,
  vl_arbitration_record = 0x36,
  mc_member_record = 0x38,
  trace_record = 0x39,
  multi_path_record = 0x3a,
  inform_info_record = 0xf3,
};

/// Status words of the SA; those below 0x100 are every class's (mad/attribute_id.h).
namespace sa_status {
inline constexpr std::uint16_t kOk = 0;
inline constexpr std::uint16_t kNoResources = 0x0100;
inline constexpr std::uint16_t kInvalid = 0x0200;
inline constexpr std::uint16_t kNoRecords = 0x0300;
inline constexpr std::uint16_t kTooManyRecords = 0x0400;
inline constexpr std::uint16_t kInvalidGid = 0x0500;
inline constexpr std::uint16_t kInsufficientComponents = 0x0600;
inline constexpr std::uint16_t kDenied = 0x0700;
}  // namespace sa_status

}  // namespace weft::mad
