#pragma once
// The datagrams that ibsim and its clients exchange: control messages in the byte order of the host, and MADs
// in an envelope of 32 bytes. Bytes in, values out; the sockets are in endpoint.h.

#include <array>
#include <cstddef>
#include <cstdint>

#include "mad/mad.h"

namespace weft::transport::ibsim {

enum class Control : std::uint32_t {
  error = 0,
  connect = 1,
  disconnect = 2,
  get_node_info = 7,
  set_is_sm = 9
};

inline constexpr std::uint32_t kControlMagic = 0xdeadbeef;

/// A control message, as it travels.
struct ControlMessage {
  std::uint32_t magic = kControlMagic;
  std::uint32_t client = 0;
  Control type{};
  std::uint32_t length = 0;  ///< Bytes of `data` that count.
  std::array<std::uint8_t, 64> data{};
};
static_assert(sizeof(ControlMessage) == 80);

/// Longest name of a node that CONNECT can carry.
inline constexpr std::size_t kNodeNameSize = 31;

/// What stands behind ibsim's part of CONNECT for weftsim.
inline constexpr std::uint32_t kExtension = 0x77656674;  ///< "weft"
inline constexpr std::uint32_t kExtensionVersion = 1;
inline constexpr std::uint32_t kSilentLoss = 1;  ///< A flag.

/// What CONNECT carries. `id` names the client's data socket.
ControlMessage connect_message(std::uint32_t id, bool is_sm, std::string_view node);
/// Adds to CONNECT, where ibsim does not look, what weftsim then does (docs/simulator.md, "Protocol"): a lost
/// request is not reported, and requests of all classes are handed on. For clients with time-outs of their
/// own. `port`: of an HCA, to be attached to; 0: its first.
void ask_for_silent_loss(ControlMessage& connect, std::uint32_t port = 0);
ControlMessage set_is_sm_message(std::uint32_t client, bool on);
/// Asks for the NodeInfo of the client's own port: 64 bytes in the data of the answer.
ControlMessage get_node_info_message(std::uint32_t client);
/// The first number of an answer: to CONNECT, the client's own.
std::uint32_t first_number(const ControlMessage& message);

/// What stands before the 256 bytes of a MAD.
using Envelope = std::array<std::uint8_t, 32>;
inline constexpr std::size_t kDatagramSize = sizeof(Envelope) + mad::kMadSize;

/// Envelope of a MAD we send to `mad.address`.
Envelope envelope_of(const mad::Mad& mad);
/// Where a MAD that came in is from.
mad::Address sender_of(const Envelope& envelope);
/// 0, or 110: the MAD is one of ours that could not be delivered.
std::uint32_t status_of(const Envelope& envelope);

}  // namespace weft::transport::ibsim
