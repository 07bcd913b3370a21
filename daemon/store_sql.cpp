#include "daemon/store_sql.h"

#include <cstring>

#include <sqlite3.h>

namespace weft::daemon {

namespace {

Errc code_of(int sqlite_code) {
  switch (sqlite_code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_ERROR:  // a statement that the tables found do not fit
    case SQLITE_MISMATCH:
      return Errc::malformed;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Errc::conflict;
    default:
      return Errc::system;
  }
}

tl::unexpected<Error> failure(sqlite3* handle) {
  const int code = sqlite3_extended_errcode(handle);
  const int cause = sqlite3_system_errno(handle);
  const char* file = sqlite3_db_filename(handle, "main");
  std::string what = fmt::format("{}: {}", file != nullptr ? file : "state file", sqlite3_errmsg(handle));
  if (cause != 0 && code_of(code) == Errc::system) what += fmt::format(" ({})", std::strerror(cause));
  if (code_of(code) == Errc::conflict) what += ": another process uses it";
  return fail(Error{code_of(code), std::move(what)});
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
void Database::Close::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }

void Statement::bind(int index, std::int64_t value) {
  sqlite3_bind_int64(statement_.get(), index + 1, value);
}
void Statement::bind(int index, std::string_view text) {
  sqlite3_bind_text64(statement_.get(), index + 1, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}
void Statement::bind(int index, std::span<const std::uint8_t> bytes) {
  if (bytes.empty()) {
    sqlite3_bind_zeroblob(statement_.get(), index + 1, 0);
  } else {
    sqlite3_bind_blob64(statement_.get(), index + 1, bytes.data(), bytes.size(), SQLITE_TRANSIENT);
  }
}
void Statement::bind_null(int index) { sqlite3_bind_null(statement_.get(), index + 1); }

Result<bool> Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return failure(sqlite3_db_handle(statement_.get()));
}

Result<void> Statement::run() {
  const Result<bool> stepped = step();
  sqlite3_reset(statement_.get());
  if (!stepped) return fail(stepped.error());
  return {};
}

std::int64_t Statement::number(int column) const { return sqlite3_column_int64(statement_.get(), column); }
std::string Statement::text(int column) const {
  const auto* bytes = sqlite3_column_text(statement_.get(), column);
  if (bytes == nullptr) return {};
  return {reinterpret_cast<const char*>(bytes),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}
std::vector<std::uint8_t> Statement::blob(int column) const {
  const auto* bytes = static_cast<const std::uint8_t*>(sqlite3_column_blob(statement_.get(), column));
  if (bytes == nullptr) return {};
  return {bytes, bytes + sqlite3_column_bytes(statement_.get(), column)};
}
bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

Result<Database> Database::open(const std::filesystem::path& path) {
  sqlite3* handle = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  if (handle == nullptr) return fail(Errc::exhausted, "{}: no memory to open it", path.string());
  Database database(handle);
  if (code != SQLITE_OK) return failure(handle);
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, 1000);
  return database;
}

Result<void> Database::run(const std::string& sql) {
  if (sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    return failure(handle_.get());
  }
  return {};
}

Result<Statement> Database::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v2(handle_.get(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  if (code != SQLITE_OK) return failure(handle_.get());
  return Statement(statement);
}

Result<std::int64_t> Database::number(std::string_view sql) {
  auto statement = prepare(sql);
  if (!statement) return fail(statement.error());
  const Result<bool> row = statement->step();
  if (!row) return fail(row.error());
  return *row ? statement->number(0) : 0;
}

Result<std::string> Database::text(std::string_view sql) {
  auto statement = prepare(sql);
  if (!statement) return fail(statement.error());
  const Result<bool> row = statement->step();
  if (!row) return fail(row.error());
  return *row ? statement->text(0) : std::string();
}

Result<Transaction> Transaction::begin(Database& database) {
  const auto begun = database.run("BEGIN IMMEDIATE");
  if (!begun) return fail(begun.error());
  return Transaction(database);
}

Result<void> Transaction::commit() {
  const auto committed = database_->run("COMMIT");
  if (!committed) return fail(committed.error());
  database_ = nullptr;
  return {};
}

Transaction::~Transaction() {
  // A failed statement may have rolled back by itself; then this one has nothing to do and says so.
  if (database_ != nullptr) static_cast<void>(database_->run("ROLLBACK").has_value());
}

}  // namespace weft::daemon
