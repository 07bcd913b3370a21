#include "daemon/store_tables.h"

#include <algorithm>
#include <chrono>

#include "daemon/store_design.h"
#include "daemon/store_multicast.h"
#include "daemon/store_partitions.h"
#include "daemon/store_sa.h"

namespace weft::daemon {

// GUIDs are stored as the signed number with the same bits. Version 0 had the table `lids` alone.
const char* const kMigrations[] = {R"sql(
CREATE TABLE IF NOT EXISTS lids (guid INTEGER PRIMARY KEY, base INTEGER NOT NULL, lmc INTEGER NOT NULL);
CREATE TABLE devices (guid INTEGER PRIMARY KEY, unkept INTEGER NOT NULL, lft_digests BLOB NOT NULL);
CREATE TABLE events (id INTEGER PRIMARY KEY, time_us INTEGER NOT NULL, severity INTEGER NOT NULL,
                     kind TEXT NOT NULL, node INTEGER NOT NULL, port INTEGER, text TEXT NOT NULL);
)sql",
                                   R"sql(
ALTER TABLE devices ADD COLUMN lanes_digest INTEGER NOT NULL DEFAULT 0;
)sql", kSaTables, kDesignTable, kPartitionTables, kMulticastTable};

namespace {

std::int64_t as_number(Guid guid) { return static_cast<std::int64_t>(raw(guid)); }
Guid as_guid(std::int64_t number) { return static_cast<Guid>(number); }

std::vector<std::uint8_t> as_bytes(const std::vector<std::uint64_t>& words) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(words.size() * 8);
  for (const std::uint64_t word : words) {
    for (int shift = 0; shift < 64; shift += 8) bytes.push_back(static_cast<std::uint8_t>(word >> shift));
  }
  return bytes;
}

std::vector<std::uint64_t> as_words(const std::vector<std::uint8_t>& bytes) {
  std::vector<std::uint64_t> words(bytes.size() / 8);
  for (std::size_t i = 0; i < words.size() * 8; ++i) words[i / 8] |= std::uint64_t{bytes[i]} << (i % 8 * 8);
  return words;
}

Result<std::shared_ptr<const plan::LidMap>> load_lids(Database& database) {
  auto rows = database.prepare("SELECT guid, base, lmc FROM lids ORDER BY guid");
  if (!rows) return fail(rows.error());
  auto lids = std::make_shared<plan::LidMap>();
  for (;;) {
    const Result<bool> row = rows->step();
    if (!row) return fail(row.error());
    if (!*row) return lids;
    const std::int64_t base = rows->number(1);
    const std::int64_t lmc = rows->number(2);
    const bool fits = base >= 1 && lmc >= 0 && lmc <= 7 && base + (1 << lmc) - 1 <= raw(kLidLastUnicast);
    if (!fits || rows->number(0) == 0) {
      return fail(Errc::malformed, "it gives port {} the impossible LID {} with LMC {}",
                  to_string(as_guid(rows->number(0))), base, lmc);
    }
    lids->emplace(as_guid(rows->number(0)),
                  plan::LidRange{static_cast<Lid>(base), static_cast<std::uint8_t>(lmc)});
  }
}

Result<std::shared_ptr<const plan::DeviceMap>> load_devices(Database& database) {
  auto rows = database.prepare(
      "SELECT guid, unkept, lft_digests, lanes_digest, keys_digest FROM devices ORDER BY guid");
  if (!rows) return fail(rows.error());
  auto devices = std::make_shared<plan::DeviceMap>();
  for (;;) {
    const Result<bool> row = rows->step();
    if (!row) return fail(row.error());
    if (!*row) return devices;
    auto record = std::make_shared<plan::DeviceRecord>();
    record->unkept_fields = static_cast<std::uint32_t>(rows->number(1));
    record->lft_digests = as_words(rows->blob(2));
    record->lanes_digest = static_cast<std::uint64_t>(rows->number(3));
    record->keys_digest = static_cast<std::uint64_t>(rows->number(4));
    devices->emplace(as_guid(rows->number(0)), std::move(record));
  }
}

bool same(const plan::LidRange& a, const plan::LidRange& b) { return a == b; }
bool same(const std::shared_ptr<const plan::DeviceRecord>& a,
          const std::shared_ptr<const plan::DeviceRecord>& b) {
  return a == b || *a == *b;
}

/// Walks two sorted maps side by side: `put` for what is new or differs, `drop` for what is gone.
template <typename Map, typename Put, typename Drop>
Result<void> for_differences(const Map& before, const Map& after, Put put, Drop drop) {
  auto old_entry = before.begin();
  auto new_entry = after.begin();
  while (old_entry != before.end() || new_entry != after.end()) {
    const bool gone =
        new_entry == after.end() || (old_entry != before.end() && old_entry->first < new_entry->first);
    if (gone) {
      const Result<void> dropped = drop(old_entry->first);
      if (!dropped) return fail(dropped.error());
      ++old_entry;
      continue;
    }
    const bool known = old_entry != before.end() && old_entry->first == new_entry->first;
    if (!known || !same(old_entry->second, new_entry->second)) {
      const Result<void> written = put(new_entry->first, new_entry->second);
      if (!written) return fail(written.error());
    }
    if (known) ++old_entry;
    ++new_entry;
  }
  return {};
}

Result<void> write_lids(Database& database, const plan::LidMap& before, const plan::LidMap& after) {
  auto put = database.prepare("INSERT OR REPLACE INTO lids (guid, base, lmc) VALUES (?, ?, ?)");
  if (!put) return fail(put.error());
  auto drop = database.prepare("DELETE FROM lids WHERE guid = ?");
  if (!drop) return fail(drop.error());
  return for_differences(
      before, after,
      [&put](Guid guid, const plan::LidRange& range) {
        put->bind(0, as_number(guid));
        put->bind(1, std::int64_t{raw(range.base)});
        put->bind(2, std::int64_t{range.lmc});
        return put->run();
      },
      [&drop](Guid guid) {
        drop->bind(0, as_number(guid));
        return drop->run();
      });
}

Result<void> write_devices(Database& database, const plan::DeviceMap& before, const plan::DeviceMap& after) {
  auto put = database.prepare(
      "INSERT OR REPLACE INTO devices (guid, unkept, lft_digests, lanes_digest, keys_digest) VALUES (?, ?, "
      "?, ?, ?)");
  if (!put) return fail(put.error());
  auto drop = database.prepare("DELETE FROM devices WHERE guid = ?");
  if (!drop) return fail(drop.error());
  return for_differences(
      before, after,
      [&put](Guid guid, const std::shared_ptr<const plan::DeviceRecord>& record) {
        put->bind(0, as_number(guid));
        put->bind(1, std::int64_t{record->unkept_fields});
        put->bind(2, std::span<const std::uint8_t>(as_bytes(record->lft_digests)));
        put->bind(3, static_cast<std::int64_t>(record->lanes_digest));
        put->bind(4, static_cast<std::int64_t>(record->keys_digest));
        return put->run();
      },
      [&drop](Guid guid) {
        drop->bind(0, as_number(guid));
        return drop->run();
      });
}

}  // namespace

Result<plan::Ledger> load_ledger(Database& database) {
  auto lids = load_lids(database);
  if (!lids) return fail(lids.error());
  auto devices = load_devices(database);
  if (!devices) return fail(devices.error());
  auto sa = load_sa(database);
  if (!sa) return fail(sa.error());
  auto partitions = load_partitions(database);
  if (!partitions) return fail(partitions.error());
  auto sls = load_sls(database);
  if (!sls) return fail(sls.error());
  auto design = load_design(database);
  if (!design) return fail(design.error());
  auto multicast = load_multicast(database);
  if (!multicast) return fail(multicast.error());
  plan::Ledger ledger;
  ledger.lids = std::move(*lids);
  ledger.devices = std::move(*devices);
  ledger.design = std::move(*design);
  ledger.partitions = std::move(*partitions);
  ledger.sls = std::move(*sls);
  ledger.sa = std::move(*sa);
  ledger.multicast = std::move(*multicast);
  return ledger;
}

Result<void> write_ledger(Database& database, const plan::Ledger& before, const plan::Ledger& after) {
  if (before.lids != after.lids) {
    const auto written = write_lids(database, *before.lids, *after.lids);
    if (!written) return fail(written.error());
  }
  if (before.devices != after.devices) {
    const auto written = write_devices(database, *before.devices, *after.devices);
    if (!written) return fail(written.error());
  }
  if (before.design != after.design) {
    const auto written = write_design(database, before.design.get(), after.design.get());
    if (!written) return fail(written.error());
  }
  if (before.partitions != after.partitions) {
    const auto written = write_partitions(database, before.partitions.get(), after.partitions.get());
    if (!written) return fail(written.error());
  }
  if (before.sls != after.sls) {
    const auto written = write_sls(database, before.sls.get(), after.sls.get());
    if (!written) return fail(written.error());
  }
  if (before.multicast != after.multicast) {
    const auto written = write_multicast(database, *before.multicast, *after.multicast);
    if (!written) return fail(written.error());
  }
  return write_sa(database, before.sa, after.sa);
}

Result<std::vector<Event>> load_events(Database& database, std::size_t limit) {
  auto rows = database.prepare(
      "SELECT id, time_us, severity, kind, node, port, text FROM events ORDER BY id DESC LIMIT ?");
  if (!rows) return fail(rows.error());
  rows->bind(0, static_cast<std::int64_t>(limit));
  std::vector<Event> events;
  for (;;) {
    const Result<bool> row = rows->step();
    if (!row) return fail(row.error());
    if (!*row) break;
    Event event;
    event.id = static_cast<std::uint64_t>(rows->number(0));
    event.time = WallTime(std::chrono::microseconds(rows->number(1)));
    event.severity = static_cast<Severity>(std::clamp<std::int64_t>(rows->number(2), 0, 2));
    event.kind = rows->text(3);
    event.node = as_guid(rows->number(4));
    if (!rows->is_null(5)) event.port = static_cast<PortNum>(rows->number(5));
    event.text = rows->text(6);
    events.push_back(std::move(event));
  }
  std::reverse(events.begin(), events.end());
  return events;
}

Result<void> write_events(Database& database, const std::vector<Event>& events, std::size_t kept) {
  if (events.empty()) return {};
  auto put = database.prepare(
      "INSERT OR REPLACE INTO events (id, time_us, severity, kind, node, port, text) VALUES (?, ?, ?, ?, ?, "
      "?, ?)");
  if (!put) return fail(put.error());
  for (const Event& event : events) {
    const auto time = std::chrono::duration_cast<std::chrono::microseconds>(event.time.time_since_epoch());
    put->bind(0, static_cast<std::int64_t>(event.id));
    put->bind(1, std::int64_t{time.count()});
    put->bind(2, static_cast<std::int64_t>(event.severity));
    put->bind(3, event.kind);
    put->bind(4, as_number(event.node));
    if (event.port) {
      put->bind(5, std::int64_t{raw(*event.port)});
    } else {
      put->bind_null(5);
    }
    put->bind(6, event.text);
    const auto written = put->run();
    if (!written) return fail(written.error());
  }
  auto trim = database.prepare("DELETE FROM events WHERE id <= (SELECT max(id) FROM events) - ?");
  if (!trim) return fail(trim.error());
  trim->bind(0, static_cast<std::int64_t>(kept));
  return trim->run();
}

}  // namespace weft::daemon
