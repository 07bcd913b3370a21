#include "daemon/shared_copy.h"

#include <algorithm>

#include "daemon/store_tables.h"

namespace weft::daemon {
namespace {

// etcd takes 128 operations and 1.5 MB a request; in JSON everything is a third longer.
constexpr std::size_t kMostOps = 120;
constexpr std::size_t kMostBytes = 512u << 10;

constexpr const char* kOwner = "owner";
constexpr const char* kMarker = "marker";
constexpr const char* kManagers = "managers/";
constexpr const char* kRows = "rows/";

const etcd::KeyValue* find(const std::vector<etcd::KeyValue>& entries, const std::string& key) {
  const auto found = std::ranges::find(entries, key, &etcd::KeyValue::key);
  return found == entries.end() ? nullptr : &*found;
}

}  // namespace

Result<std::unique_ptr<SharedCopy>> SharedCopy::open(SharedOptions options, const plan::Ledger& ours) {
  auto memory = load_shared_memory(options.directory);
  if (!memory) return fail(memory.error());
  auto rows = SharedRows::make();
  if (!rows) return fail(rows.error());
  if (auto filled = rows->become(ours); !filled) return fail(filled.error());
  auto copy =
      std::unique_ptr<SharedCopy>(new SharedCopy(std::move(options), std::move(*memory), std::move(*rows)));
  copy->self_ = copy->options_.self;
  copy->self_.id = copy->memory_.id;
  if (auto saved = copy->remember(); !saved) return fail(saved.error());
  return copy;
}

Result<void> SharedCopy::remember() {
  if (memory_ == remembered_) return {};
  auto saved = save_shared_memory(options_.directory, memory_);
  if (saved) remembered_ = memory_;
  return saved;
}

void SharedCopy::set_digests(std::map<std::string, std::string> digests) {
  self_.digests = std::move(digests);
  introduced_ = false;
}

/// A state directory that was copied to another host has the same id, and is not the same manager.
void SharedCopy::set_port(Guid port) {
  if (std::exchange(self_.port, port) == port) return;
  self_.id = fmt::format("{}-{:016x}", memory_.id, raw(port));
  introduced_ = false;
}

/// A store that is another one, or has gone back, has lost what we had written.
void SharedCopy::note_header(const etcd::Header& header) {
  const bool other = memory_.cluster != 0 && memory_.cluster != header.cluster;
  if (other || header.revision < revision_) {
    notes_.push_back(other ? fmt::format("etcd is another cluster ({:x}) than the one known ({:x})",
                                         header.cluster, memory_.cluster)
                           : fmt::format("etcd has gone back from revision {} to {}: restored from a backup",
                                         revision_, header.revision));
    in_step_ = false;
    whole_at_ = 0;
  }
  memory_.cluster = header.cluster;
  revision_ = header.revision;
}

Result<void> SharedCopy::need_lease() {
  if (lease_ != 0) return {};
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(options_.lease).count();
  const auto granted = client_.grant(std::max<std::int64_t>(seconds, 1));
  if (!granted) return fail(granted.error());
  lease_ = granted->id;
  renewed_ = std::chrono::steady_clock::now();
  introduced_ = false;
  return {};
}

Result<SharedCopy::Acquired> SharedCopy::acquired(const etcd::Committed& committed) {
  owned_at_ = committed.header.revision;
  Acquired acquired;
  acquired.revision = committed.header.revision;
  if (const etcd::KeyValue* entry = find(committed.found, key(kMarker))) {
    auto marker = marker_from_json(entry->value);
    if (marker)
      acquired.marker = *marker;
    else
      notes_.push_back(marker.error().what);
  }
  return acquired;
}

Result<SharedCopy::Acquired> SharedCopy::acquire() {
  owned_at_ = 0;
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (auto leased = need_lease(); !leased) return fail(leased.error());
    const etcd::Transaction transaction{
        {{key(kOwner), 0}},
        {etcd::put(key(kOwner), to_json(self_), lease_), etcd::get(key(kMarker))},
        {etcd::get(key(kOwner)), etcd::get(key(kMarker))}};
    const auto committed = client_.commit(transaction);
    if (!committed && committed.error().code == Errc::not_found) {
      lease_ = 0;  // it has ended
      continue;
    }
    if (!committed) return fail(committed.error());
    note_header(committed->header);
    if (committed->held) return acquired(*committed);
    const etcd::KeyValue* owner = find(committed->found, key(kOwner));
    if (owner == nullptr) continue;
    return acquire_from(*owner);
  }
  return fail(Errc::unavailable, "the lock in etcd cannot be taken: leases end as they begin");
}

/// Somebody holds the lock: this process, or one before it on this state file, is no other.
Result<SharedCopy::Acquired> SharedCopy::acquire_from(const etcd::KeyValue& owner) {
  const auto holder = presence_from_json(owner.value);
  if (holder && holder->id != self_.id)
    return fail(Errc::conflict, "the lock in etcd is held by another subnet manager, {}", describe(*holder));
  const etcd::Transaction transaction{
      {{key(kOwner), owner.mod_revision}},
      {etcd::put(key(kOwner), to_json(self_), lease_), etcd::get(key(kMarker))},
      {}};
  const auto committed = client_.commit(transaction);
  if (!committed) return fail(committed.error());
  note_header(committed->header);
  if (!committed->held) return fail(Errc::conflict, "the lock in etcd has changed hands");
  return acquired(*committed);
}

Result<SharedState::Taken> SharedCopy::take(Guid port, const SharedWatch* live) {
  set_port(port);
  const auto got = acquire();
  if (!got) return fail(got.error());
  auto taken = read(*got, live);
  if (!taken) {
    const Error why = taken.error();
    leave();
    return fail(why);
  }
  if (auto saved = remember(); !saved) notes_.push_back(saved.error().what);
  return taken;
}

/// Whose state is the newest: etcd's, or ours.
Result<SharedState::Taken> SharedCopy::read(const Acquired& acquired, const SharedWatch* live) {
  SharedState::Taken ours;
  if (!acquired.marker) {
    in_step_ = false;
    return ours;
  }
  const Marker& marker = *acquired.marker;
  whole_at_ = marker.whole ? acquired.revision : marker.whole_at;
  if (in_step_ && is_ours(marker) && marker.seq == memory_.seq) {
    ours.current = true;
    return ours;
  }
  in_step_ = false;
  if (memory_.ahead && (is_ours(marker) || marker.seq <= memory_.seq)) {
    ours.current = true;
    return ours;
  }
  if (marker.seq < memory_.seq) {
    notes_.push_back(
        fmt::format("etcd's state is older (change {}) than what was seen before ({}): ours is used",
                    marker.seq, memory_.seq));
    return ours;
  }
  if (whole_at_ == 0) {
    notes_.push_back("etcd's state was never whole: ours is used");
    return ours;
  }
  Result<std::map<std::string, std::string>> rows = std::map<std::string, std::string>();
  auto copy = live != nullptr ? live->copy() : std::nullopt;
  if (copy && copy->marker == marker)
    rows = std::move(copy->rows);
  else
    rows = read_rows(client_, key(kRows), whole_at_);
  if (!rows && rows.error().code == Errc::not_found) {
    notes_.push_back("etcd's state is half written, and what was before is compacted: ours is used");
    return ours;
  }
  if (!rows) return fail(rows.error());
  auto read = SharedRows::of(*rows, marker.version);
  if (!read) return fail(read.error());
  rows_ = std::move(*read);
  in_step_ = marker.whole && marker.version == kStateVersion;
  memory_.seq = marker.seq;
  memory_.ahead = false;
  SharedState::Taken theirs;
  theirs.ledger = rows_.ledger();
  theirs.current = true;
  return theirs;
}

Result<SharedState::Taken> SharedCopy::take_without_etcd(const SharedWatch* live) {
  SharedState::Taken taken;
  const auto copy = live != nullptr ? live->copy() : std::nullopt;
  const bool newer = copy && copy->marker.seq >= memory_.seq && !is_ours(copy->marker);
  if (newer) {
    auto read = SharedRows::of(copy->rows, copy->marker.version);
    if (!read) return fail(read.error());
    rows_ = std::move(*read);
    memory_.seq = copy->marker.seq;
    taken.ledger = rows_.ledger();
  }
  if (auto noted = go_ahead(); !noted) return fail(noted.error());
  return taken;
}

void SharedCopy::leave() {
  if (owned_at_ != 0)
    (void)client_.commit({{{key(kOwner), owned_at_}}, {etcd::erase(key(kOwner))}, {}}).has_value();
  owned_at_ = 0;
  if (auto saved = remember(); !saved) notes_.push_back(saved.error().what);
}

Result<void> SharedCopy::recover() {
  const bool held = owned_at_ != 0;
  const auto got = acquire();
  if (!got) return fail(got.error());
  if (got->marker) {
    const Marker& marker = *got->marker;
    if (marker.version > kStateVersion) {
      leave();
      return fail(Errc::invalid,
                  "etcd's state is of version {}, which a newer weftd has written; this one knows {}",
                  marker.version, kStateVersion);
    }
    if (!held && !is_ours(marker) && marker.seq > memory_.seq) {
      leave();
      return fail(Errc::conflict, "another subnet manager has written to etcd while we were cut off from it");
    }
    whole_at_ = marker.whole ? got->revision : marker.whole_at;
    memory_.seq = std::max(memory_.seq, marker.seq);
    if (in_step_ && is_ours(marker) && marker.whole && marker.seq == memory_.seq) return {};
  }
  in_step_ = false;
  auto theirs = read_rows(client_, key(kRows), 0);
  if (!theirs) return fail(theirs.error());
  auto ours = rows_.all();
  if (!ours) return fail(ours.error());
  std::vector<RowChange> changes;
  const auto put = [&](const std::string& row, const std::string& value) { changes.push_back({row, value}); };
  const auto drop = [&](const std::string& row) { changes.push_back({row, std::nullopt}); };
  for (auto at = ours->begin(), old = theirs->begin(); at != ours->end() || old != theirs->end();) {
    const bool is_new = old == theirs->end() || (at != ours->end() && at->first < old->first);
    const bool is_gone = !is_new && (at == ours->end() || old->first < at->first);
    if (is_gone) {
      drop(old++->first);
      continue;
    }
    if (is_new || at->second != old->second) put(at->first, at->second);
    if (!is_new) ++old;
    ++at;
  }
  auto written = write_changes(changes);
  if (!written) return written;
  in_step_ = true;
  memory_.ahead = false;
  return remember();
}

Result<void> SharedCopy::write(const plan::Ledger& ledger) {
  const auto changes = rows_.become(ledger);
  if (!changes) {
    in_step_ = false;
    return fail(changes.error());
  }
  if (!in_step()) return fail(Errc::unavailable, "the state in etcd is not ours to go on from");
  if (changes->empty()) return {};
  auto written = write_changes(*changes);
  if (!written) in_step_ = false;
  return written;
}

Result<void> SharedCopy::write_changes(const std::vector<RowChange>& changes) {
  Marker marker{kStateVersion, memory_.seq + 1, self_.id, false, whole_at_};
  std::vector<etcd::Op> ops;
  std::size_t bytes = 0;
  for (const RowChange& one : changes) {
    const std::size_t size = one.key.size() + (one.value ? one.value->size() : 0);
    if (ops.size() + 1 >= kMostOps || bytes + size > kMostBytes) {
      auto written = write_piece(std::exchange(ops, {}), marker);
      if (!written) return written;
      bytes = 0;
    }
    bytes += size;
    const std::string row = key(kRows) + one.key;
    ops.push_back(one.value ? etcd::put(row, *one.value) : etcd::erase(row));
  }
  marker.whole = true;
  marker.whole_at = 0;
  auto written = write_piece(std::move(ops), marker);
  if (!written) return written;
  memory_.seq = marker.seq;
  whole_at_ = revision_;
  return {};
}

Result<void> SharedCopy::write_piece(std::vector<etcd::Op> ops, const Marker& marker) {
  if (std::chrono::steady_clock::now() - renewed_ > options_.lease / 3) {
    auto renewed = renew();
    if (!renewed) return renewed;
  }
  ops.push_back(etcd::put(key(kMarker), to_json(marker)));
  const auto committed =
      client_.commit({{{key(kOwner), owned_at_}}, std::move(ops), {etcd::get(key(kOwner))}});
  if (!committed) return fail(committed.error());
  note_header(committed->header);
  if (committed->held) return {};
  owned_at_ = 0;
  const etcd::KeyValue* owner = find(committed->found, key(kOwner));
  const auto holder = owner != nullptr ? presence_from_json(owner->value) : Result<Presence>(Presence{});
  if (owner != nullptr && holder && holder->id != self_.id)
    return fail(Errc::conflict, "the lock in etcd is held by another subnet manager now, {}",
                describe(*holder));
  return fail(Errc::not_found, "our lock in etcd has ended");
}

/// Others see us, as soon as we have a port, and we them.
Result<void> SharedCopy::introduce() {
  if (!introduced_ && self_.port != Guid{}) {
    const auto put = client_.commit({{}, {etcd::put(key(kManagers) + self_.id, to_json(self_), lease_)}, {}});
    if (!put) return fail(put.error());
    note_header(put->header);
    introduced_ = true;
  }
  const std::string prefix = key(kManagers);
  const auto range = client_.range({prefix, etcd::end_of_prefix(prefix), 0, 0});
  if (!range) return fail(range.error());
  note_header(range->header);
  others_.clear();
  for (const etcd::KeyValue& entry : range->entries)
    if (auto other = presence_from_json(entry.value); other && other->id != self_.id)
      others_.push_back(std::move(*other));
  return {};
}

void SharedCopy::close() {
  leave();
  if (lease_ != 0) (void)client_.revoke(lease_).has_value();
  lease_ = 0;
}

/// How far who is master has come.
Result<void> SharedCopy::look_at_marker() {
  const auto range = client_.range({key(kMarker), {}, 0, 0});
  if (!range) return fail(range.error());
  if (range->entries.empty()) return {};
  const auto marker = marker_from_json(range->entries.front().value);
  if (!marker || !marker->whole || marker->seq <= memory_.seq) return {};
  memory_.seq = marker->seq;
  return {};
}

Result<void> SharedCopy::renew() {
  if (auto leased = need_lease(); !leased) return leased;
  const auto kept = client_.keep_alive(lease_);
  if (!kept) return fail(kept.error());
  if (kept->seconds <= 0) {
    lease_ = 0;
    owned_at_ = 0;
    return fail(Errc::not_found, "our lease in etcd has ended");
  }
  renewed_ = std::chrono::steady_clock::now();
  if (auto introduced = introduce(); !introduced) return introduced;
  if (owned_at_ == 0)
    if (auto looked = look_at_marker(); !looked) return looked;
  return remember();
}

Result<void> SharedCopy::go_ahead() {
  in_step_ = false;
  if (memory_.ahead) return {};
  memory_.ahead = true;
  return remember();
}

}  // namespace weft::daemon
