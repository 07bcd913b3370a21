#include "mad/smp.h"

#include <algorithm>

namespace weft::mad {
namespace {

constexpr std::size_t kMKeyBit = 24 * 8;
constexpr std::size_t kDrSlidBit = 32 * 8;
constexpr std::size_t kDrDlidBit = 34 * 8;
constexpr std::size_t kInitialPathAt = 128;
constexpr std::uint16_t kDirectionBit = 0x8000;

}  // namespace

Mad to_mad(const Smp& smp) {
  Mad mad;
  mad.address = smp.address;
  Header header;
  header.mgmt_class = smp.route ? MgmtClass::subn_directed : MgmtClass::subn_lid_routed;
  header.method = smp.method;
  header.status = smp.status;
  header.tid = smp.tid;
  header.attribute = smp.attribute;
  header.modifier = smp.modifier;
  if (smp.route) {
    mad.address.lid = kLidPermissive;
    header.hop_count = static_cast<std::uint8_t>(smp.route->hops());
    if (smp.returning) header.status |= kDirectionBit;
    put_bits(mad.bytes, kDrSlidBit, 16, 0xffff);
    put_bits(mad.bytes, kDrDlidBit, 16, 0xffff);
    for (int i = 0; i < smp.route->hops(); ++i)
      mad.bytes[kInitialPathAt + 1 + static_cast<std::size_t>(i)] = raw(smp.route->port(i));
  }
  encode_into(std::span<std::uint8_t>(mad.bytes), header);
  put_bits(mad.bytes, kMKeyBit, 64, smp.m_key);
  std::ranges::copy(smp.data, mad.bytes.begin() + kSmpDataAt);
  return mad;
}

Result<Smp> to_smp(const Mad& mad) {
  const Header header = header_of(mad);
  Smp smp;
  smp.method = header.method;
  smp.attribute = header.attribute;
  smp.modifier = header.modifier;
  smp.status = header.status;
  smp.tid = header.tid;
  smp.m_key = get_bits(mad.bytes, kMKeyBit, 64);
  smp.address = mad.address;
  std::copy_n(mad.bytes.begin() + kSmpDataAt, kSmpDataSize, smp.data.begin());
  if (header.mgmt_class == MgmtClass::subn_lid_routed) {
    smp.route.reset();
    return smp;
  }
  if (header.mgmt_class != MgmtClass::subn_directed)
    return fail(Errc::malformed, "class 0x{:02x} is not subnet management",
                static_cast<int>(header.mgmt_class));
  if (header.hop_count > kMaxHops) return fail(Errc::malformed, "hop count {}", header.hop_count);
  std::array<PortNum, kMaxHops> ports{};
  for (std::size_t i = 0; i < header.hop_count; ++i)
    ports[i] = static_cast<PortNum>(mad.bytes[kInitialPathAt + 1 + i]);
  smp.route = DirectedRoute(std::span<const PortNum>(ports.data(), header.hop_count));
  smp.returning = (header.status & kDirectionBit) != 0;
  smp.status = header.status & static_cast<std::uint16_t>(~kDirectionBit);
  return smp;
}

std::string describe(const Smp& smp) {
  const std::string way = smp.route ? "by " + to_string(*smp.route) : "to LID " + to_string(smp.address.lid);
  return fmt::format("{} {} modifier 0x{:08x} {}", name(smp.method), name(smp.attribute), smp.modifier, way);
}

std::string describe_status(std::uint16_t status) {
  std::string_view words = "unknown";
  switch (static_cast<Status>(status)) {
    case Status::ok:
      words = "ok";
      break;
    case Status::busy:
      words = "busy";
      break;
    case Status::redirect:
      words = "redirected";
      break;
    case Status::bad_version:
      words = "version or class not supported";
      break;
    case Status::bad_method:
      words = "method not supported";
      break;
    case Status::bad_method_attribute:
      words = "attribute not supported with this method";
      break;
    case Status::bad_value:
      words = "a field or the modifier has an invalid value";
      break;
  }
  return fmt::format("status 0x{:04x} ({})", status, words);
}

}  // namespace weft::mad
