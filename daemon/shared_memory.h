#pragma once
// SharedMemory: what this host remembers of the shared state over a restart, in `shared.json` of the state
// directory: who it is, how far it has seen the state in etcd come, and whether its own state file holds what
// etcd does not.

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/result.h"

namespace weft::daemon {

struct SharedMemory {
  std::string id;             ///< 16 hexadecimal digits, chosen once.
  std::uint64_t cluster = 0;  ///< etcd's; 0: not known yet.
  std::int64_t seq = 0;       ///< Highest Marker::seq seen.
  bool ahead = false;         ///< As master we have kept what etcd has not got.
  bool operator==(const SharedMemory&) const = default;
};

/// A fresh one, with an id, when there is no file. Errors: `malformed` for a file that is none of ours;
/// `system`.
Result<SharedMemory> load_shared_memory(const std::filesystem::path& directory);
/// Safe on disk when it returns. Errors: `system`.
Result<void> save_shared_memory(const std::filesystem::path& directory, const SharedMemory& memory);

}  // namespace weft::daemon
