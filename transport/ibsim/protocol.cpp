#include "transport/ibsim/protocol.h"

#include <algorithm>
#include <cstring>

#include "mad/sa.h"

namespace weft::transport::ibsim {
namespace {

// First bits of the envelope's fields.
constexpr std::size_t kToLid = 0;
constexpr std::size_t kFromLid = 32;
constexpr std::size_t kToQp = 64;
constexpr std::size_t kFromQp = 96;
constexpr std::size_t kStatus = 128;
constexpr std::size_t kLength = 192;

/// Bytes of a MAD that count. Programs under ibsim's preload library have no RMPP below them: they take an
/// answer in one segment for a table as long as they are told.
std::size_t length_of(const mad::Mad& mad) {
  constexpr std::uint8_t kEnds = mad::rmpp::kActive | mad::rmpp::kLast;
  if (mad.bytes[1] != static_cast<std::uint8_t>(mad::MgmtClass::subn_adm)) return mad::kMadSize;
  const mad::SaHeader sa = mad::sa_header_of(mad);
  if (sa.rmpp_type != mad::RmppType::data || (sa.rmpp_flags & kEnds) != kEnds) return mad::kMadSize;
  return std::min(mad::kMadSize, mad::kSaDataAt - mad::kSaHeaderSize + sa.payload_length);
}

}  // namespace

ControlMessage connect_message(std::uint32_t id, bool is_sm, std::string_view node) {
  ControlMessage message;
  message.type = Control::connect;
  message.length = message.data.size();
  const std::array<std::uint32_t, 3> numbers{id, 0, is_sm ? 1u : 0u};
  std::memcpy(message.data.data(), numbers.data(), sizeof(numbers));
  std::memcpy(message.data.data() + sizeof(numbers), node.data(), std::min(node.size(), kNodeNameSize));
  return message;
}

void ask_for_silent_loss(ControlMessage& connect, std::uint32_t port) {
  constexpr std::size_t kExtensionAt = 44;
  const std::array<std::uint32_t, 4> numbers{kExtension, kExtensionVersion, port, kSilentLoss};
  std::memcpy(connect.data.data() + kExtensionAt, numbers.data(), sizeof(numbers));
}

ControlMessage set_is_sm_message(std::uint32_t client, bool on) {
  ControlMessage message;
  message.client = client;
  message.type = Control::set_is_sm;
  const std::uint32_t value = on ? 1 : 0;
  message.length = sizeof(value);
  std::memcpy(message.data.data(), &value, sizeof(value));
  return message;
}

ControlMessage get_node_info_message(std::uint32_t client) {
  ControlMessage message;
  message.client = client;
  message.type = Control::get_node_info;
  return message;
}

std::uint32_t first_number(const ControlMessage& message) {
  std::uint32_t value = 0;
  std::memcpy(&value, message.data.data(), sizeof(value));
  return value;
}

Envelope envelope_of(const mad::Mad& mad) {
  Envelope envelope{};
  const bool directed = mad.bytes[1] == static_cast<std::uint8_t>(mad::MgmtClass::subn_directed);
  const bool subnet = directed || mad.bytes[1] == static_cast<std::uint8_t>(mad::MgmtClass::subn_lid_routed);
  const Lid to = directed ? kLidPermissive : mad.address.lid;
  put_bits(envelope, kToLid, 16, raw(to));
  put_bits(envelope, kFromLid, 16, directed ? raw(kLidPermissive) : 0);  // 0: the LID we have
  put_bits(envelope, kToQp, 32, mad.address.qp);
  put_bits(envelope, kFromQp, 32, subnet ? 0 : 1);
  put_bits(envelope, kLength, 64, length_of(mad));
  return envelope;
}

mad::Address sender_of(const Envelope& envelope) {
  mad::Address address;
  address.lid = static_cast<Lid>(get_bits(envelope, kFromLid, 16));
  address.qp = static_cast<std::uint32_t>(get_bits(envelope, kFromQp, 32));
  return address;
}

std::uint32_t status_of(const Envelope& envelope) {
  return static_cast<std::uint32_t>(get_bits(envelope, kStatus, 32));
}

}  // namespace weft::transport::ibsim
