#pragma once
// M_Keys (IBTA vol. 1, 14.2.4): with what a subnet manager shows a device that it may ask and set it. A
// device whose key is 0 lets everybody. What it refuses without its key is up to its M_KeyProtectBits: Sets
// always; at 0 it shows the key to everybody, at 1 only to who has it, at 2 and 3 it does not answer Gets
// either.

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "mad/port_info.h"

namespace weft::mad {

/// What the manager has. Secret: never to be logged or shown.
struct MKeys {
  /// The first is what devices are to hold (0: none), the others they may hold from before. Empty: M_Keys
  /// are left as they are.
  std::vector<std::uint64_t> keys;
  std::uint8_t protect = 1;  ///< M_KeyProtectBits, 0 to 3.
  std::uint16_t lease = 0;   ///< Seconds; 0: for ever.
  bool per_device = false;   ///< Every device holds a key of its own, made of one of these and its GUID.
  bool operator==(const MKeys&) const = default;

  bool active() const { return !keys.empty(); }
  /// Keys that a device may hold, what it is to hold first. `node` 0: it is not known which one.
  std::vector<std::uint64_t> for_device(Guid node) const;
};

/// The first 64 bits of HMAC-SHA256 over the GUID, never 0: who learns one device's key learns no other's.
std::uint64_t device_m_key(std::uint64_t key, Guid node);

/// What a device's answer to Get(PortInfo) tells of its M_Key.
enum class MKeyShown {
  none,     ///< It has none.
  ours,     ///< It is the one that was sent.
  another,  ///< It stands in the answer, and is another one.
  hidden,   ///< It is not shown to who sent this one.
};
MKeyShown m_key_shown(const PortInfo& info, std::uint64_t sent);

}  // namespace weft::mad
