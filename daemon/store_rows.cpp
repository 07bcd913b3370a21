#include "daemon/store_rows.h"

#include <algorithm>

#include "base/bytes.h"

namespace weft::daemon {

std::array<std::uint64_t, 2> Row::words(int column) {
  const std::vector<std::uint8_t> bytes = statement_.blob(column);
  if (bytes.size() != 16) {
    refuse();
    return {};
  }
  return {get_bits(bytes, 0, 64), get_bits(bytes, 64, 64)};
}

void Row::bytes(int column, std::span<std::uint8_t> into) {
  const std::vector<std::uint8_t> bytes = statement_.blob(column);
  if (bytes.size() != into.size()) refuse();
  std::copy_n(bytes.begin(), std::min(bytes.size(), into.size()), into.begin());
}

void Row::refuse(std::string why) {
  if (!refused_) refused_ = std::move(why);
}

Result<void> each_row(Database& database, std::string_view sql, const std::function<void(Row&)>& take) {
  auto statement = database.prepare(sql);
  if (!statement) return fail(statement.error());
  Row row(std::move(*statement));
  for (;;) {
    const Result<bool> more = row.next();
    if (!more) return fail(more.error());
    if (!*more) return {};
    take(row);
    if (!row.refused()) continue;
    if (!row.refused()->empty()) return fail(Error{Errc::malformed, *row.refused()});
    return fail(Errc::malformed, "an impossible value stands in the rows of: {}", sql);
  }
}

Writer::Writer(Database& database, std::string_view sql) {
  auto made = database.prepare(sql);
  if (made)
    statement_.emplace(std::move(*made));
  else
    failed_ = fail(made.error());
}

Result<void> result_of(std::initializer_list<const Writer*> writers) {
  for (const Writer* writer : writers)
    if (!writer->result()) return writer->result();
  return {};
}

std::array<std::uint8_t, 16> wire_bytes(const std::array<std::uint64_t, 2>& words) {
  std::array<std::uint8_t, 16> bytes{};
  put_bits(std::span<std::uint8_t>(bytes), 0, 64, words[0]);
  put_bits(std::span<std::uint8_t>(bytes), 64, 64, words[1]);
  return bytes;
}

}  // namespace weft::daemon
