#pragma once
// The Store in a SQLite file, written by a thread of its own: WAL, synchronous FULL, changes grouped into
// commits, safe against kill -9 at any moment.

#include <chrono>
#include <filesystem>
#include <memory>

#include "base/clock.h"
#include "daemon/store.h"
#include "transport/asio.h"

namespace weft::daemon {

struct StoreOptions {
  std::filesystem::path directory;
  std::size_t events_kept = 100'000;
  std::size_t events_loaded = 10'000;             ///< Of the newest, at start.
  Duration group = std::chrono::milliseconds(5);  ///< How long a commit waits for more to come.
};

struct OpenedStore {
  std::unique_ptr<Store> store;
  plan::Ledger ledger;
  std::vector<Event> events;       ///< Oldest first.
  std::vector<std::string> notes;  ///< To be logged as warnings and shown as events.
};

/// Opens the state file (see store_file.h for what happens to old, damaged and foreign ones, and for the
/// errors) and starts the thread. `loop` runs the `done` callbacks and must outlive the store. Blocks: for
/// the start only.
Result<OpenedStore> open_sqlite_store(const StoreOptions& options, asio::any_io_executor loop);

}  // namespace weft::daemon
