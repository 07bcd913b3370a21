#include "daemon/store_partitions.h"

#include "daemon/store_rows.h"

namespace weft::daemon {

const char* const kPartitionTables = R"sql(
ALTER TABLE devices ADD COLUMN keys_digest INTEGER NOT NULL DEFAULT 0;
CREATE TABLE partition_keys (name TEXT PRIMARY KEY, key INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE level_sls (name TEXT PRIMARY KEY, sl INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE pkey_tables (port INTEGER PRIMARY KEY, keys BLOB NOT NULL);
)sql";

namespace {

using partitions::Keys;
using partitions::Memory;

/// Two bytes a key, the higher first.
std::vector<std::uint8_t> bytes_of(const Keys& keys) {
  std::vector<std::uint8_t> bytes;
  for (const Pkey key : keys) {
    bytes.push_back(static_cast<std::uint8_t>(raw(key) >> 8));
    bytes.push_back(static_cast<std::uint8_t>(raw(key)));
  }
  return bytes;
}

Keys keys_of(const std::vector<std::uint8_t>& bytes) {
  Keys keys(bytes.size() / 2);
  for (std::size_t i = 0; i < keys.size(); ++i)
    keys[i] = static_cast<Pkey>(bytes[2 * i] << 8 | bytes[2 * i + 1]);
  return keys;
}

}  // namespace

Result<std::shared_ptr<const Memory>> load_partitions(Database& database) {
  auto memory = std::make_shared<Memory>();
  auto read = each_row(database, "SELECT name, key FROM partition_keys", [&memory](Row& row) {
    const std::int64_t key = row.any(1);
    if (key < 1 || key > 0x7fff)
      return row.refuse(fmt::format("it gives a partition the impossible key {}", key));
    memory->assigned.emplace(row.text(0), static_cast<std::uint16_t>(key));
  });
  if (!read) return fail(read.error());
  read = each_row(database, "SELECT port, keys FROM pkey_tables", [&memory](Row& row) {
    const std::vector<std::uint8_t> bytes = row.blob(1);
    const Guid port = row.guid(0);
    if (bytes.empty() || bytes.size() % 2 != 0 || port == Guid{})
      return row.refuse(
          fmt::format("it has a P_Key table of {} bytes for port {}", bytes.size(), to_string(port)));
    memory->tables.emplace(port, keys_of(bytes));
  });
  if (!read) return fail(read.error());
  if (*memory == Memory{}) return std::shared_ptr<const Memory>();
  return std::shared_ptr<const Memory>(std::move(memory));
}

Result<std::shared_ptr<const qos::AssignedSls>> load_sls(Database& database) {
  auto sls = std::make_shared<qos::AssignedSls>();
  auto read = each_row(database, "SELECT name, sl FROM level_sls", [&sls](Row& row) {
    const std::int64_t sl = row.any(1);
    if (sl < 0 || sl > 14) return row.refuse(fmt::format("it gives a level the impossible SL {}", sl));
    sls->emplace(row.text(0), static_cast<std::uint8_t>(sl));
  });
  if (!read) return fail(read.error());
  if (sls->empty()) return std::shared_ptr<const qos::AssignedSls>();
  return std::shared_ptr<const qos::AssignedSls>(std::move(sls));
}

Result<void> write_sls(Database& database, const qos::AssignedSls* before, const qos::AssignedSls* after) {
  static const qos::AssignedSls kNone;
  Writer put(database, "INSERT OR REPLACE INTO level_sls (name, sl) VALUES (?, ?)");
  Writer drop(database, "DELETE FROM level_sls WHERE name = ?");
  for_differences(
      before != nullptr ? *before : kNone, after != nullptr ? *after : kNone,
      [&put](const std::string& name, std::uint8_t sl) { put.run(name, sl); },
      [&drop](const std::string& name) { drop.run(name); });
  return result_of({&put, &drop});
}

Result<void> write_partitions(Database& database, const Memory* before, const Memory* after) {
  static const Memory kNothing;
  const Memory& old = before != nullptr ? *before : kNothing;
  const Memory& now = after != nullptr ? *after : kNothing;
  Writer put_key(database, "INSERT OR REPLACE INTO partition_keys (name, key) VALUES (?, ?)");
  Writer drop_key(database, "DELETE FROM partition_keys WHERE name = ?");
  for_differences(
      old.assigned, now.assigned,
      [&put_key](const std::string& name, std::uint16_t key) { put_key.run(name, key); },
      [&drop_key](const std::string& name) { drop_key.run(name); });
  Writer put_table(database, "INSERT OR REPLACE INTO pkey_tables (port, keys) VALUES (?, ?)");
  Writer drop_table(database, "DELETE FROM pkey_tables WHERE port = ?");
  for_differences(
      old.tables, now.tables,
      [&put_table](Guid port, const Keys& keys) { put_table.run(port, bytes_of(keys)); },
      [&drop_table](Guid port) { drop_table.run(port); });
  return result_of({&put_key, &drop_key, &put_table, &drop_table});
}

}  // namespace weft::daemon
