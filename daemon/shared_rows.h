#pragma once
// SharedRows: what managers of one subnet share, as rows with a key and a value each, so that a change
// touches only the rows that differ. They are the rows of the state file's tables, without those that tell
// what devices hold or what happened: a table or column that is added there is shared, too. Kept in a
// database in memory.
//
//   key    lids/0002c90300000001                    table, and the key columns in hexadecimal, with dots
//   between value  196890104807425,17,0                     the columns as SQL writes them: 5, 'text',
//   X'00ff', NULL

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/store_sql.h"
#include "plan/ledger.h"

namespace weft::daemon {

struct RowChange {
  std::string key;
  std::optional<std::string> value;  ///< Nothing: the row is gone.
  bool operator==(const RowChange&) const = default;
};

class SharedRows {
 public:
  /// Without rows.
  static Result<SharedRows> make();
  /// These rows, of a state file's schema of this version. Errors: `invalid` for a version newer than ours;
  /// `malformed` for rows that are not of our tables, or have values that cannot be.
  static Result<SharedRows> of(const std::map<std::string, std::string>& rows, std::int64_t version);

  /// The part of the Ledger that is shared, with `devices` and `multicast` empty.
  const plan::Ledger& ledger() const { return held_; }
  /// Makes the rows this Ledger's; what that changes, by key.
  Result<std::vector<RowChange>> become(const plan::Ledger& ledger);
  /// Takes over changes that somebody else made; one whose row is gone already is none. ledger() is the old
  /// one until settle().
  Result<void> apply(const std::vector<RowChange>& changes);
  Result<void> settle();
  Result<std::map<std::string, std::string>> all();

 private:
  struct Table {
    std::string name;
    std::vector<std::string> columns;
    std::vector<std::pair<std::string, std::string>> keys;  ///< Name and type.
  };
  explicit SharedRows(Database database) : database_(std::move(database)) {}
  Result<void> learn_tables();
  Result<void> watch_tables();
  Result<Statement*> statement(const std::string& sql);
  Result<void> put(const Table& table, std::string_view value);
  Result<void> drop(const Table& table, std::string_view key);

  Database database_;
  std::vector<Table> tables_;
  std::map<std::string, Statement> statements_;
  plan::Ledger held_;
};

}  // namespace weft::daemon
