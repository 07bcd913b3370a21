#pragma once
// SharedCopy: the shared state in etcd as one manager sees it: takes the lock, reads, writes what differs,
// and sets right what is not as it should be. Knows no threads and no queue: its calls block until etcd has
// answered, or not.
//
// Rules: nothing is written without the lock, which every transaction asks for. A change of more rows than
// one transaction takes has its end in the marker; until then readers take the revision before it. Who holds
// the lock is right: whatever etcd has otherwise (restored from a backup, replaced, half written) is written
// over.

#include <memory>
#include <string>

#include "daemon/shared_keys.h"
#include "daemon/shared_memory.h"
#include "daemon/shared_rows.h"
#include "daemon/shared_state.h"
#include "daemon/shared_watch.h"
#include "etcd/client.h"

namespace weft::daemon {

struct SharedOptions {
  etcd::Options etcd;
  std::string prefix = "/weft/";             ///< Ends with a slash.
  Duration lease = std::chrono::seconds(5);  ///< How long the lock outlives who holds it.
  std::filesystem::path directory;           ///< Of the state file.
  Presence self;                             ///< Its id is not looked at.
};

class SharedCopy {
 public:
  /// `ours`: what the state file holds. Errors: of the memory.
  static Result<std::unique_ptr<SharedCopy>> open(SharedOptions options, const plan::Ledger& ours);

  /// Takes the lock, and reads what another has written since we did. Errors: `conflict` when another holds
  /// it; those of etcd.
  /// `live`: spares the reading, when it is as far as etcd; may be null.
  Result<SharedState::Taken> take(Guid port, const SharedWatch* live = nullptr);
  /// etcd is away: goes on from the live copy, where that is newer than what we have. Not current: who was
  /// master may have confirmed more since.
  Result<SharedState::Taken> take_without_etcd(const SharedWatch* live);
  /// Gives the lock up, and the lease with it. Errors are of no consequence: it ends by itself.
  void leave();
  /// Likewise, and takes away what tells others of us.
  void close();
  /// Gets the lock again after it was lost or etcd was away, and writes all that differs. Errors: `conflict`
  /// when another holds it or has written since; those of etcd.
  Result<void> recover();
  /// Writes what this Ledger changes. Errors: as of recover(); after any, recover() is due.
  Result<void> write(const plan::Ledger& ledger);
  /// To be called three times a lease: keeps it, tells others of us, learns of others. Errors: those of etcd;
  /// `not_found` when the lock has ended.
  Result<void> renew();
  /// We are master, and go on without etcd: what is kept from now on is ahead of it. Errors: of the memory.
  Result<void> go_ahead();

  /// Holds the lock, as far as known, and etcd has all that was written.
  bool in_step() const { return owned_at_ != 0 && in_step_; }
  std::int64_t seq() const { return memory_.seq; }
  /// Other managers that are there, by id.
  const std::vector<Presence>& others() const { return others_; }
  /// What a person should know since the last call: etcd restored, half a state found.
  std::vector<std::string> notes() { return std::exchange(notes_, {}); }
  void set_digests(std::map<std::string, std::string> digests);
  void set_port(Guid port);
  etcd::Client& client() { return client_; }
  const SharedOptions& options() const { return options_; }

 private:
  struct Acquired {
    std::optional<Marker> marker;
    std::int64_t revision = 0;
  };
  SharedCopy(SharedOptions options, SharedMemory memory, SharedRows rows)
      : options_(std::move(options)),
        memory_(std::move(memory)),
        rows_(std::move(rows)),
        client_(options_.etcd) {}
  std::string key(std::string_view name) const { return options_.prefix + std::string(name); }
  Result<void> need_lease();
  Result<Acquired> acquire();
  Result<Acquired> acquire_from(const etcd::KeyValue& owner);
  Result<Acquired> acquired(const etcd::Committed& committed);
  Result<SharedState::Taken> read(const Acquired& acquired, const SharedWatch* live);
  Result<void> write_changes(const std::vector<RowChange>& changes);
  Result<void> write_piece(std::vector<etcd::Op> ops, const Marker& marker);
  Result<void> introduce();
  Result<void> look_at_marker();
  Result<void> remember();
  void note_header(const etcd::Header& header);
  bool is_ours(const Marker& marker) const { return marker.writer == self_.id; }

  const SharedOptions options_;
  SharedMemory memory_;
  SharedMemory remembered_;  ///< As on disk.
  SharedRows rows_;
  etcd::Client client_;
  Presence self_;
  bool introduced_ = false;
  std::int64_t lease_ = 0;     ///< 0: none.
  std::int64_t owned_at_ = 0;  ///< Revision at which we took the lock; 0: we have not.
  bool in_step_ = false;
  std::int64_t whole_at_ = 0;  ///< Revision at which etcd's rows were whole last.
  std::int64_t revision_ = 0;  ///< Highest seen.
  std::chrono::steady_clock::time_point renewed_{};
  std::vector<Presence> others_;
  std::vector<std::string> notes_;
};

}  // namespace weft::daemon
