#include "daemon/store_partitions.h"

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

template <typename Row>
Result<void> each_partition_row(Database& database, const char* sql, Row row) {
  auto rows = database.prepare(sql);
  if (!rows) return fail(rows.error());
  for (;;) {
    const Result<bool> more = rows->step();
    if (!more) return fail(more.error());
    if (!*more) return {};
    Result<void> taken = row(*rows);
    if (!taken) return taken;
  }
}

/// Calls `put(statement, key, value)` for entries of `after` that are new or differ, and runs it.
template <typename Map, typename Put>
Result<void> write_changed(Database& database, const char* sql, const Map& before, const Map& after,
                           Put put) {
  auto statement = database.prepare(sql);
  if (!statement) return fail(statement.error());
  for (const auto& [key, value] : after) {
    const auto old = before.find(key);
    if (old != before.end() && old->second == value) continue;
    put(*statement, key, value);
    Result<void> done = statement->run();
    if (!done) return done;
  }
  return {};
}

template <typename Map, typename Bind>
Result<void> drop_gone(Database& database, const char* sql, const Map& before, const Map& after, Bind bind) {
  auto statement = database.prepare(sql);
  if (!statement) return fail(statement.error());
  for (const auto& [key, value] : before) {
    if (after.contains(key)) continue;
    bind(*statement, key);
    Result<void> done = statement->run();
    if (!done) return done;
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<const Memory>> load_partitions(Database& database) {
  auto memory = std::make_shared<Memory>();
  auto assigned = each_partition_row(
      database, "SELECT name, key FROM partition_keys", [&memory](Statement& row) -> Result<void> {
        const std::int64_t key = row.number(1);
        if (key < 1 || key > 0x7fff)
          return fail(Errc::malformed, "it gives a partition the impossible key {}", key);
        memory->assigned.emplace(row.text(0), static_cast<std::uint16_t>(key));
        return {};
      });
  if (!assigned) return fail(assigned.error());
  auto tables = each_partition_row(
      database, "SELECT port, keys FROM pkey_tables", [&memory](Statement& row) -> Result<void> {
        const std::vector<std::uint8_t> bytes = row.blob(1);
        const auto port = static_cast<Guid>(row.number(0));
        if (bytes.empty() || bytes.size() % 2 != 0 || port == Guid{})
          return fail(Errc::malformed, "it has a P_Key table of {} bytes for port {}", bytes.size(),
                      to_string(port));
        memory->tables.emplace(port, keys_of(bytes));
        return {};
      });
  if (!tables) return fail(tables.error());
  if (*memory == Memory{}) return std::shared_ptr<const Memory>();
  return std::shared_ptr<const Memory>(std::move(memory));
}

Result<std::shared_ptr<const qos::AssignedSls>> load_sls(Database& database) {
  auto sls = std::make_shared<qos::AssignedSls>();
  auto read =
      each_partition_row(database, "SELECT name, sl FROM level_sls", [&sls](Statement& row) -> Result<void> {
        const std::int64_t sl = row.number(1);
        if (sl < 0 || sl > 14) return fail(Errc::malformed, "it gives a level the impossible SL {}", sl);
        sls->emplace(row.text(0), static_cast<std::uint8_t>(sl));
        return {};
      });
  if (!read) return fail(read.error());
  if (sls->empty()) return std::shared_ptr<const qos::AssignedSls>();
  return std::shared_ptr<const qos::AssignedSls>(std::move(sls));
}

Result<void> write_sls(Database& database, const qos::AssignedSls* before, const qos::AssignedSls* after) {
  static const qos::AssignedSls kNone;
  const qos::AssignedSls& old = before != nullptr ? *before : kNone;
  const qos::AssignedSls& now = after != nullptr ? *after : kNone;
  Result<void> done = write_changed(database, "INSERT OR REPLACE INTO level_sls (name, sl) VALUES (?, ?)",
                                    old, now, [](Statement& put, const std::string& name, std::uint8_t sl) {
                                      put.bind(0, name);
                                      put.bind(1, std::int64_t{sl});
                                    });
  if (!done) return done;
  return drop_gone(database, "DELETE FROM level_sls WHERE name = ?", old, now,
                   [](Statement& drop, const std::string& name) { drop.bind(0, name); });
}

Result<void> write_partitions(Database& database, const Memory* before, const Memory* after) {
  static const Memory kNothing;
  const Memory& old = before != nullptr ? *before : kNothing;
  const Memory& now = after != nullptr ? *after : kNothing;
  Result<void> done =
      write_changed(database, "INSERT OR REPLACE INTO partition_keys (name, key) VALUES (?, ?)", old.assigned,
                    now.assigned, [](Statement& put, const std::string& name, std::uint16_t key) {
                      put.bind(0, name);
                      put.bind(1, std::int64_t{key});
                    });
  if (!done) return done;
  done = drop_gone(database, "DELETE FROM partition_keys WHERE name = ?", old.assigned, now.assigned,
                   [](Statement& drop, const std::string& name) { drop.bind(0, name); });
  if (!done) return done;
  done = write_changed(database, "INSERT OR REPLACE INTO pkey_tables (port, keys) VALUES (?, ?)", old.tables,
                       now.tables, [](Statement& put, Guid port, const Keys& keys) {
                         put.bind(0, static_cast<std::int64_t>(raw(port)));
                         put.bind(1, std::span<const std::uint8_t>(bytes_of(keys)));
                       });
  if (!done) return done;
  return drop_gone(database, "DELETE FROM pkey_tables WHERE port = ?", old.tables, now.tables,
                   [](Statement& drop, Guid port) { drop.bind(0, static_cast<std::int64_t>(raw(port))); });
}

}  // namespace weft::daemon
