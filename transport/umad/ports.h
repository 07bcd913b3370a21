#pragma once
// The InfiniBand ports of this machine, and which of them is meant. The choice is a pure function of the list
// and what the operator named; it never depends on the order of devices or on which link came up first.

#include <string>
#include <vector>

#include "base/ids.h"
#include "base/link.h"
#include "base/result.h"
#include "transport/transport.h"

namespace weft::transport {

/// One port as the kernel tells it, or a device that cannot be asked.
struct PortEntry {
  std::string device;
  PortNum number{};
  Guid guid{};             ///< Of the port.
  std::string link_layer;  ///< "InfiniBand", "Ethernet"; "IB" when the kernel does not tell.
  PortState state{};
  PhysState phys_state{};
  bool is_sm_disabled = false;  ///< No subnet manager may run here.
  unsigned node_type = 1;       ///< 1 HCA, 2 switch, 3 router; others are no InfiniBand.
  std::string fault;  ///< Why the device could not be asked; such an entry stands for all its ports.
  bool operator==(const PortEntry&) const = default;
};

/// What the operator named; all empty: the only usable port.
struct WantedPort {
  std::string device;
  std::optional<PortNum> number;
  Guid guid{};
};

/// All ports, by device and number. A device that fails is one entry with a fault; the others are still
/// listed. Errors: `unavailable` when the kernel's MAD interface (ib_umad) is not there.
Result<std::vector<PortEntry>> list_ports();

/// "Ethernet link layer", "IsSMDisabled"; empty for a port that a subnet manager can use.
std::string why_unusable(const PortEntry& port);
/// "mlx5_0 port 1 guid 0x... Active/LinkUp".
std::string describe(const PortEntry& port);

/// Errors: `unavailable` when the port may still come (the caller waits); `ambiguous` when several fit,
/// `invalid` when the named one can never be used: both need a person. The text lists all candidates and what
/// speaks against each.
Result<PortEntry> choose_port(const std::vector<PortEntry>& ports, const WantedPort& wanted);

}  // namespace weft::transport
