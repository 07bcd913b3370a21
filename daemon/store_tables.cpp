#include "daemon/store_tables.h"

#include "daemon/store_design.h"
#include "daemon/store_history.h"
#include "daemon/store_multicast.h"
#include "daemon/store_orders.h"
#include "daemon/store_partitions.h"
#include "daemon/store_rows.h"
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
)sql", kSaTables, kDesignTable, kPartitionTables, kMulticastTable, kOrdersTable, kHistoryTables};

namespace {

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
  auto lids = std::make_shared<plan::LidMap>();
  const auto read = each_row(database, "SELECT guid, base, lmc FROM lids ORDER BY guid", [&lids](Row& row) {
    const std::int64_t base = row.any(1);
    const std::int64_t lmc = row.any(2);
    const bool fits = base >= 1 && lmc >= 0 && lmc <= 7 && base + (1 << lmc) - 1 <= raw(kLidLastUnicast);
    if (!fits || row.guid(0) == Guid{})
      return row.refuse(fmt::format("it gives port {} the impossible LID {} with LMC {}",
                                    to_string(row.guid(0)), base, lmc));
    lids->emplace(row.guid(0), plan::LidRange{static_cast<Lid>(base), static_cast<std::uint8_t>(lmc)});
  });
  if (!read) return fail(read.error());
  return lids;
}

Result<std::shared_ptr<const plan::DeviceMap>> load_devices(Database& database) {
  auto devices = std::make_shared<plan::DeviceMap>();
  const auto read = each_row(
      database, "SELECT guid, unkept, lft_digests, lanes_digest, keys_digest FROM devices ORDER BY guid",
      [&devices](Row& row) {
        auto record = std::make_shared<plan::DeviceRecord>();
        record->unkept_fields = static_cast<std::uint32_t>(row.any(1));
        record->lft_digests = as_words(row.blob(2));
        record->lanes_digest = static_cast<std::uint64_t>(row.any(3));
        record->keys_digest = static_cast<std::uint64_t>(row.any(4));
        devices->emplace(row.guid(0), std::move(record));
      });
  if (!read) return fail(read.error());
  return devices;
}

Result<void> write_lids(Database& database, const plan::LidMap& before, const plan::LidMap& after) {
  Writer put(database, "INSERT OR REPLACE INTO lids (guid, base, lmc) VALUES (?, ?, ?)");
  Writer drop(database, "DELETE FROM lids WHERE guid = ?");
  for_differences(
      before, after, [&put](Guid guid, const plan::LidRange& range) { put.run(guid, range.base, range.lmc); },
      [&drop](Guid guid) { drop.run(guid); });
  return result_of({&put, &drop});
}

Result<void> write_devices(Database& database, const plan::DeviceMap& before, const plan::DeviceMap& after) {
  Writer put(database,
             "INSERT OR REPLACE INTO devices (guid, unkept, lft_digests, lanes_digest, keys_digest) VALUES "
             "(?, ?, ?, ?, ?)");
  Writer drop(database, "DELETE FROM devices WHERE guid = ?");
  for_differences(
      before, after,
      [&](Guid guid, const std::shared_ptr<const plan::DeviceRecord>& record) {
        const auto old = before.find(guid);
        if (old != before.end() && *old->second == *record) return;
        put.run(guid, record->unkept_fields, as_bytes(record->lft_digests), record->lanes_digest,
                record->keys_digest);
      },
      [&drop](Guid guid) { drop.run(guid); });
  return result_of({&put, &drop});
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
  auto orders = load_orders(database);
  if (!orders) return fail(orders.error());
  plan::Ledger ledger;
  ledger.orders = std::move(*orders);
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
  if (before.orders != after.orders) {
    const auto written = write_orders(database, *before.orders, *after.orders);
    if (!written) return fail(written.error());
  }
  if (before.multicast != after.multicast) {
    const auto written = write_multicast(database, *before.multicast, *after.multicast);
    if (!written) return fail(written.error());
  }
  return write_sa(database, before.sa, after.sa);
}

}  // namespace weft::daemon
