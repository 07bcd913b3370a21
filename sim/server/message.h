#pragma once
// Message: MADs as they stand in datagrams of ibsim's clients (288 bytes) and of our own (320 bytes). Bytes
// in, values out; no sockets.

#include <optional>
#include <span>

#include "mad/mad.h"
#include "sim/server/wire.h"
#include "transport/ibsim/protocol.h"

namespace weft::sim {

/// A datagram on its way to a client, of either kind.
struct Datagram {
  std::array<std::uint8_t, wire::kWideSize> bytes;
  std::size_t size = 0;
};

/// The global route header that a MAD travels with.
struct Grh {
  std::array<std::uint8_t, 16> gid{};  ///< Of the far end.
  std::uint8_t gid_index = 0;          ///< Of our end.
  std::uint8_t hop_limit = 0;
  std::uint8_t traffic_class = 0;
  std::uint32_t flow_label = 0;
};

/// A MAD from a client, with what its envelope says.
struct Incoming {
  mad::Mad mad;  ///< address: where it goes
  std::uint32_t agent = 0;
  std::uint32_t own_lid = 0;
  std::optional<Grh> grh;
};

/// Nothing when the size fits neither kind, or what ibsim would drop as nonsense.
std::optional<Incoming> parse(std::span<const std::uint8_t> datagram);

/// For a client of ibsim. `own`: its port's LID.
void write_stock(const mad::Mad& mad, Lid own, Datagram& out);
/// For one of ours; `agent` is who gets it.
void write_wide(const mad::Mad& mad, Lid own, std::uint32_t agent, const std::optional<Grh>& grh,
                Datagram& out);

}  // namespace weft::sim
