#include "daemon/store_multicast.h"

#include "base/bytes.h"

namespace weft::daemon {

const char* const kMulticastTable = R"sql(
CREATE TABLE mft_digests (guid INTEGER PRIMARY KEY, blocks BLOB NOT NULL);
)sql";

namespace {

constexpr std::size_t kEntrySize = 12;  // modifier, digest

std::vector<std::uint8_t> bytes_of(const plan::MftDigests& digests) {
  std::vector<std::uint8_t> bytes(digests.size() * kEntrySize);
  std::size_t at = 0;
  for (const auto& [modifier, digest] : digests) {
    put_bits(std::span<std::uint8_t>(bytes), at * 8, 32, modifier);
    put_bits(std::span<std::uint8_t>(bytes), (at + 4) * 8, 64, digest);
    at += kEntrySize;
  }
  return bytes;
}

}  // namespace

Result<std::shared_ptr<const plan::MftDigestMap>> load_multicast(Database& database) {
  auto rows = database.prepare("SELECT guid, blocks FROM mft_digests");
  if (!rows) return fail(rows.error());
  auto map = std::make_shared<plan::MftDigestMap>();
  for (;;) {
    const Result<bool> row = rows->step();
    if (!row) return fail(row.error());
    if (!*row) return map;
    const std::vector<std::uint8_t> bytes = rows->blob(1);
    if (bytes.size() % kEntrySize != 0)
      return fail(Errc::malformed, "it holds {} bytes of digests of multicast tables, not a multiple of {}",
                  bytes.size(), kEntrySize);
    plan::MftDigests& digests = (*map)[static_cast<Guid>(rows->number(0))];
    for (std::size_t at = 0; at < bytes.size(); at += kEntrySize)
      digests[static_cast<std::uint32_t>(get_bits(bytes, at * 8, 32))] = get_bits(bytes, (at + 4) * 8, 64);
  }
}

Result<void> write_multicast(Database& database, const plan::MftDigestMap& before,
                             const plan::MftDigestMap& after) {
  auto put = database.prepare("INSERT OR REPLACE INTO mft_digests (guid, blocks) VALUES (?, ?)");
  if (!put) return fail(put.error());
  auto drop = database.prepare("DELETE FROM mft_digests WHERE guid = ?");
  if (!drop) return fail(drop.error());
  for (const auto& [guid, digests] : after) {
    const auto old = before.find(guid);
    if (old != before.end() && old->second == digests) continue;
    put->bind(0, static_cast<std::int64_t>(raw(guid)));
    put->bind(1, std::span<const std::uint8_t>(bytes_of(digests)));
    if (const auto written = put->run(); !written) return written;
  }
  for (const auto& [guid, digests] : before) {
    if (after.contains(guid)) continue;
    drop->bind(0, static_cast<std::int64_t>(raw(guid)));
    if (const auto written = drop->run(); !written) return written;
  }
  return {};
}

}  // namespace weft::daemon
