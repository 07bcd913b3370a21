#include "daemon/shared_rows.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <variant>

#include "daemon/store_rows.h"
#include "daemon/store_tables.h"

namespace weft::daemon {
namespace {

constexpr std::array kSharedTables{"lids",          "design",    "partition_keys", "level_sls",
                                   "pkey_tables",   "mc_groups", "mc_members",     "services",
                                   "subscriptions", "aliases",   "forgotten",      "orders"};

using Literal = std::variant<std::monostate, std::int64_t, std::string, std::vector<std::uint8_t>>;

std::optional<std::vector<std::uint8_t>> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::vector<std::uint8_t> bytes(text.size() / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char* at = text.data() + 2 * i;
    const auto [end, error] = std::from_chars(at, at + 2, bytes[i], 16);
    if (error != std::errc() || end != at + 2) return std::nullopt;
  }
  return bytes;
}

/// Reads one literal and takes it off the text.
std::optional<Literal> literal(std::string_view& text) {
  if (text.starts_with("NULL")) {
    text.remove_prefix(4);
    return Literal();
  }
  if (text.starts_with("X'")) {
    const std::size_t end = text.find('\'', 2);
    if (end == text.npos) return std::nullopt;
    auto bytes = from_hex(text.substr(2, end - 2));
    text.remove_prefix(end + 1);
    return bytes ? std::optional(Literal(std::move(*bytes))) : std::nullopt;
  }
  if (text.starts_with('\'')) {
    std::string value;
    for (std::size_t at = 1; at < text.size(); ++at) {
      if (text[at] == '\'') {
        if (at + 1 >= text.size() || text[at + 1] != '\'') {
          text.remove_prefix(at + 1);
          return Literal(std::move(value));
        }
        ++at;
      }
      value.push_back(text[at]);
    }
    return std::nullopt;
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return Literal(number);
}

std::optional<std::vector<Literal>> literals(std::string_view text) {
  std::vector<Literal> values;
  while (true) {
    auto one = literal(text);
    if (!one) return std::nullopt;
    values.push_back(std::move(*one));
    if (text.empty()) return values;
    if (text.front() != ',') return std::nullopt;
    text.remove_prefix(1);
  }
}

/// A key column's value, from the hexadecimal digits that stand for it.
std::optional<Literal> key_part(std::string_view digits, const std::string& type) {
  auto bytes = from_hex(digits);
  if (!bytes) return std::nullopt;
  if (type == "TEXT") return Literal(std::string(bytes->begin(), bytes->end()));
  if (type == "BLOB") return Literal(std::move(*bytes));
  if (bytes->size() != 8) return std::nullopt;
  std::uint64_t number = 0;
  for (const std::uint8_t byte : *bytes) number = number << 8 | byte;
  return Literal(static_cast<std::int64_t>(number));
}

void bind(Statement& statement, int index, const Literal& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value))
    statement.bind(index, *number);
  else if (const auto* text = std::get_if<std::string>(&value))
    statement.bind(index, std::string_view(*text));
  else if (const auto* bytes = std::get_if<std::vector<std::uint8_t>>(&value))
    statement.bind(index, std::span<const std::uint8_t>(*bytes));
  else
    statement.bind_null(index);
}

tl::unexpected<Error> no_row(std::string_view what) {
  return fail(Errc::malformed, "this is no row of the shared state: {}", what.substr(0, 200));
}

/// The SQL of a row's key; `row` is empty, or "NEW." or "OLD.".
template <typename Table>
std::string key_sql(const Table& table, std::string_view row) {
  std::string sql = fmt::format("'{}/'", table.name);
  for (std::size_t i = 0; i < table.keys.size(); ++i) {
    const auto& [name, type] = table.keys[i];
    if (i > 0) sql += " || '.'";
    sql += type == "INTEGER" ? fmt::format(" || printf('%016x', {}\"{}\")", row, name)
                             : fmt::format(" || lower(hex({}\"{}\"))", row, name);
  }
  return sql;
}

template <typename Table>
std::string value_sql(const Table& table, std::string_view row) {
  std::string sql;
  for (const std::string& column : table.columns)
    sql += fmt::format("{}quote({}\"{}\")", sql.empty() ? "" : " || ',' || ", row, column);
  return sql;
}

}  // namespace

Result<void> SharedRows::learn_tables() {
  for (const char* name : kSharedTables) {
    Table table;
    table.name = name;
    std::map<std::int64_t, std::pair<std::string, std::string>> keys;
    auto read = each_row(database_, fmt::format("SELECT name, type, pk FROM pragma_table_info('{}')", name),
                         [&](Row& row) {
                           table.columns.push_back(row.text(0));
                           if (row.any(2) > 0) keys[row.any(2)] = {row.text(0), row.text(1)};
                         });
    if (!read) return read;
    if (table.columns.empty()) continue;  // of a later version
    for (auto& [place, key] : keys) table.keys.push_back(std::move(key));
    tables_.push_back(std::move(table));
  }
  return {};
}

/// From now on changes are noted: the last value of a row, or NULL.
Result<void> SharedRows::watch_tables() {
  std::string sql = "CREATE TABLE changes (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;";
  for (const Table& table : tables_) {
    for (const char* what : {"INSERT", "UPDATE"})
      sql += fmt::format(
          "CREATE TRIGGER note_{0}_{1} AFTER {1} ON {0} BEGIN INSERT OR REPLACE INTO changes VALUES ({2}, "
          "{3}); "
          "END;",
          table.name, what, key_sql(table, "NEW."), value_sql(table, "NEW."));
    sql += fmt::format(
        "CREATE TRIGGER note_{0}_DELETE AFTER DELETE ON {0} BEGIN INSERT OR REPLACE INTO changes VALUES "
        "({1}, "
        "NULL); END;",
        table.name, key_sql(table, "OLD."));
  }
  return database_.run(sql);
}

Result<SharedRows> SharedRows::of(const std::map<std::string, std::string>& rows, std::int64_t version) {
  if (version > kStateVersion || version < 1)
    return fail(
        Errc::invalid,
        "the shared state is of version {}, and this weftd knows up to {}: update it before it is to be "
        "master",
        version, kStateVersion);
  auto database = Database::open(":memory:");
  if (!database) return fail(database.error());
  SharedRows made(std::move(*database));
  for (std::int64_t step = 0; step < version; ++step)
    if (auto done = made.database_.run(kMigrations[step]); !done) return fail(done.error());
  if (auto learnt = made.learn_tables(); !learnt) return fail(learnt.error());
  std::vector<RowChange> changes;
  changes.reserve(rows.size());
  for (const auto& [key, value] : rows) changes.push_back({key, value});
  if (auto applied = made.apply(changes); !applied) return fail(applied.error());
  for (std::int64_t step = version; step < kStateVersion; ++step)
    if (auto done = made.database_.run(kMigrations[step]); !done) return fail(done.error());
  made.statements_.clear();
  made.tables_.clear();
  if (auto learnt = made.learn_tables(); !learnt) return fail(learnt.error());
  if (auto watched = made.watch_tables(); !watched) return fail(watched.error());
  if (auto settled = made.settle(); !settled) return fail(settled.error());
  return made;
}

Result<SharedRows> SharedRows::make() { return of({}, kStateVersion); }

Result<Statement*> SharedRows::statement(const std::string& sql) {
  const auto found = statements_.find(sql);
  if (found != statements_.end()) return &found->second;
  auto made = database_.prepare(sql);
  if (!made) return fail(made.error());
  return &statements_.emplace(sql, std::move(*made)).first->second;
}

Result<void> SharedRows::put(const Table& table, std::string_view value) {
  const auto values = literals(value);
  if (!values || values->size() != table.columns.size())
    return no_row(fmt::format("{}: {}", table.name, value));
  std::string sql = "INSERT OR REPLACE INTO " + table.name + " VALUES (?";
  for (std::size_t i = 1; i < values->size(); ++i) sql += ",?";
  auto made = statement(sql + ")");
  if (!made) return fail(made.error());
  for (std::size_t i = 0; i < values->size(); ++i) bind(**made, static_cast<int>(i), (*values)[i]);
  return (*made)->run();
}

Result<void> SharedRows::drop(const Table& table, std::string_view key) {
  std::string sql;
  for (const auto& [name, type] : table.keys)
    sql += fmt::format("{}\"{}\" = ?", sql.empty() ? "DELETE FROM " + table.name + " WHERE " : " AND ", name);
  auto made = statement(sql);
  if (!made) return fail(made.error());
  std::string_view rest = key;
  for (std::size_t i = 0; i < table.keys.size(); ++i) {
    const std::size_t dot = i + 1 < table.keys.size() ? rest.find('.') : rest.size();
    const auto part = dot == rest.npos ? std::nullopt : key_part(rest.substr(0, dot), table.keys[i].second);
    if (!part) return no_row(fmt::format("{}/{}", table.name, key));
    bind(**made, static_cast<int>(i), *part);
    rest.remove_prefix(std::min(dot + 1, rest.size()));
  }
  return (*made)->run();
}

Result<void> SharedRows::apply(const std::vector<RowChange>& changes) {
  auto transaction = Transaction::begin(database_);
  if (!transaction) return fail(transaction.error());
  for (const RowChange& one : changes) {
    const std::size_t slash = one.key.find('/');
    const auto table = std::ranges::find(tables_, one.key.substr(0, slash), &Table::name);
    if (slash == one.key.npos || table == tables_.end()) return no_row(one.key);
    auto done =
        one.value ? put(*table, *one.value) : drop(*table, std::string_view(one.key).substr(slash + 1));
    if (!done) return done;
  }
  return transaction->commit();
}

Result<void> SharedRows::settle() {
  auto forgotten = database_.run("DELETE FROM changes");
  if (!forgotten) return forgotten;
  auto ledger = load_ledger(database_);
  if (!ledger) return fail(ledger.error());
  held_ = std::move(*ledger);
  return {};
}

Result<std::vector<RowChange>> SharedRows::become(const plan::Ledger& ledger) {
  plan::Ledger shared = ledger;
  shared.devices = held_.devices;
  shared.multicast = held_.multicast;
  {
    auto transaction = Transaction::begin(database_);
    if (!transaction) return fail(transaction.error());
    auto written = write_ledger(database_, held_, shared);
    if (!written) return fail(written.error());
    auto committed = transaction->commit();
    if (!committed) return fail(committed.error());
  }
  held_ = std::move(shared);
  std::vector<RowChange> changes;
  auto read = each_row(database_, "SELECT key, value FROM changes ORDER BY key", [&changes](Row& row) {
    changes.push_back({row.text(0), row.is_null(1) ? std::nullopt : std::optional(row.text(1))});
  });
  if (!read) return fail(read.error());
  auto forgotten = database_.run("DELETE FROM changes");
  if (!forgotten) return fail(forgotten.error());
  return changes;
}

Result<std::map<std::string, std::string>> SharedRows::all() {
  std::map<std::string, std::string> rows;
  for (const Table& table : tables_) {
    auto read = each_row(
        database_, fmt::format("SELECT {}, {} FROM {}", key_sql(table, ""), value_sql(table, ""), table.name),
        [&rows](Row& row) { rows.emplace(row.text(0), row.text(1)); });
    if (!read) return fail(read.error());
  }
  return rows;
}

}  // namespace weft::daemon
