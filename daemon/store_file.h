#pragma once
// The state file: opened, told apart from files that are not ours, checked, migrated. Whatever cannot be used
// is moved aside, never deleted and never silently ignored.

#include <filesystem>
#include <string>
#include <vector>

#include "daemon/store_sql.h"
#include "daemon/store_tables.h"

namespace weft::daemon {

inline constexpr std::int64_t kStateApplication = 0x57454654;  ///< PRAGMA application_id: "WEFT".

/// Where the state file of this directory is.
std::filesystem::path state_file(const std::filesystem::path& directory);

struct StateFile {
  Database database;
  plan::Ledger ledger;
  std::vector<Event> events;       ///< The newest, oldest first.
  std::vector<std::string> notes;  ///< What a person should know: moved aside, migrated, empty.
};

/// Opens `state.db` in the directory, which is made (0750) when missing; the file is made with mode 0600. The
/// lock is kept, so a second daemon is refused. An older schema is migrated after a backup to
/// `state.db.v<N>-<time>`; a corrupt or foreign file is moved to `state.db.corrupt-<time>` and a fresh one
/// started, with a note. Errors: `invalid` for a schema newer than ours; `conflict` when another process has
/// it open; `system` with the words of the operating system.
Result<StateFile> open_state_file(const std::filesystem::path& directory, std::size_t events_loaded);

}  // namespace weft::daemon
