#pragma once
// The part of SQLite's C interface that the store uses, with owners instead of raw handles and Results
// instead of codes. Not for more than one thread at a time.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace weft::daemon {

/// One prepared statement. Parameters and columns are numbered from 0.
class Statement {
 public:
  void bind(int index, std::int64_t value);
  void bind(int index, std::string_view text);
  void bind(int index, std::span<const std::uint8_t> bytes);
  void bind_null(int index);
  /// True: there is a row to read.
  Result<bool> step();
  /// Steps a statement that gives no rows, and makes it ready for new parameters.
  Result<void> run();

  std::int64_t number(int column) const;
  std::string text(int column) const;
  std::vector<std::uint8_t> blob(int column) const;
  bool is_null(int column) const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// Errors everywhere: `malformed` when the file is no database or a damaged one; `conflict` when another
/// process has it locked; `system` for what the operating system refuses: no room, no permission, bad medium.
class Database {
 public:
  static Result<Database> open(const std::filesystem::path& path);
  Result<void> run(const std::string& sql);
  Result<Statement> prepare(std::string_view sql);
  /// First column of the first row; 0 or "" without one.
  Result<std::int64_t> number(std::string_view sql);
  Result<std::string> text(std::string_view sql);

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  explicit Database(sqlite3* handle) : handle_(handle) {}
  std::unique_ptr<sqlite3, Close> handle_;
};

/// BEGIN in the constructor's place, COMMIT by commit(), else ROLLBACK.
class Transaction {
 public:
  static Result<Transaction> begin(Database& database);
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  Result<void> commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}
  Database* database_;
};

}  // namespace weft::daemon
