#pragma once
// Rows of the state file: read one by one, with values that cannot be refused; and written where two states
// of a map differ.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/gid.h"
#include "base/ids.h"
#include "daemon/store_sql.h"

namespace weft::daemon {

/// The row that a statement stands at. Numbers are stored signed, with the same bits.
class Row {
 public:
  explicit Row(Statement statement) : statement_(std::move(statement)) {}
  Result<bool> next() { return statement_.step(); }

  /// A number from `least` to `most`; another is refused.
  template <typename T>
  T number(int column, std::int64_t most, std::int64_t least = 0) {
    const std::int64_t value = statement_.number(column);
    if (value < least || value > most) refuse();
    return static_cast<T>(value);
  }
  std::int64_t any(int column) const { return statement_.number(column); }
  Guid guid(int column) const { return static_cast<Guid>(statement_.number(column)); }
  std::string text(int column) const { return statement_.text(column); }
  std::vector<std::uint8_t> blob(int column) const { return statement_.blob(column); }
  bool is_null(int column) const { return statement_.is_null(column); }
  /// 16 bytes in wire order: a GID or a key.
  std::array<std::uint64_t, 2> words(int column);
  /// Exactly as many bytes as there is room for.
  void bytes(int column, std::span<std::uint8_t> into);

  /// What stands here cannot be.
  void refuse(std::string why = {});
  const std::optional<std::string>& refused() const { return refused_; }

 private:
  Statement statement_;
  std::optional<std::string> refused_;
};

/// Calls `take(row)` for every row. Errors: `malformed` for a row that it refuses, by its reason.
Result<void> each_row(Database& database, std::string_view sql, const std::function<void(Row&)>& take);

/// One prepared statement, and the first thing that went wrong with any of its runs.
class Writer {
 public:
  Writer(Database& database, std::string_view sql);
  /// Numbers, enumerators, texts, bytes, and nothing (NULL), one for each parameter. Does nothing after a
  /// failure.
  template <typename... Values>
  void run(const Values&... values) {
    if (!failed_) return;
    int column = 0;
    (bind(column++, values), ...);
    failed_ = statement_->run();
  }
  const Result<void>& result() const { return failed_; }

 private:
  template <typename T>
  void bind(int column, const T& value) {
    if constexpr (std::is_enum_v<T> || std::is_integral_v<T>)
      statement_->bind(column, static_cast<std::int64_t>(value));
    else
      statement_->bind(column, value);
  }
  template <typename T>
  void bind(int column, const std::optional<T>& value) {
    if (value)
      bind(column, *value);
    else
      statement_->bind_null(column);
  }

  std::optional<Statement> statement_;
  Result<void> failed_{};
};

/// The first failure of several.
Result<void> result_of(std::initializer_list<const Writer*> writers);

/// 16 bytes in wire order, as Row::words reads them.
std::array<std::uint8_t, 16> wire_bytes(const std::array<std::uint64_t, 2>& words);

/// Walks two sorted maps side by side: `put(key, value)` for what is new or differs, `drop(key)` for what is
/// gone.
template <typename Map, typename Put, typename Drop>
void for_differences(const Map& before, const Map& after, const Put& put, const Drop& drop) {
  auto old_entry = before.begin();
  for (const auto& [key, value] : after) {
    for (; old_entry != before.end() && old_entry->first < key; ++old_entry) drop(old_entry->first);
    const bool known = old_entry != before.end() && old_entry->first == key;
    if (!known || !(old_entry->second == value)) put(key, value);
    if (known) ++old_entry;
  }
  for (; old_entry != before.end(); ++old_entry) drop(old_entry->first);
}

}  // namespace weft::daemon
