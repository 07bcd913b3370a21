#pragma once
// The Store in a SQLite file, written by a thread of its own: WAL, synchronous FULL, changes grouped into
// commits, safe against kill -9 at any moment. What could not be written is tried again with growing pauses;
// a file that somebody deletes under us is made anew with all that it held but the events.

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
  std::size_t sweeps_kept = 10'000;
  Duration age{};                                 ///< What is older is dropped, too; 0: nothing is.
  std::size_t events_loaded = 10'000;             ///< Of the newest, at start.
  Duration group = std::chrono::milliseconds(5);  ///< How long a commit waits for more to come.
  Duration retry = std::chrono::seconds(1);       ///< After a failed commit; doubled each time,
  Duration retry_most = std::chrono::minutes(1);  ///< up to this.
  Duration check = std::chrono::seconds(10);      ///< How often it looks whether its file is still there.
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
