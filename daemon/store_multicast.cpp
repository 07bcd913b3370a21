#include "daemon/store_multicast.h"

#include "base/bytes.h"
#include "daemon/store_rows.h"

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
  auto map = std::make_shared<plan::MftDigestMap>();
  const auto read = each_row(database, "SELECT guid, blocks FROM mft_digests", [&map](Row& row) {
    const std::vector<std::uint8_t> bytes = row.blob(1);
    if (bytes.size() % kEntrySize != 0)
      return row.refuse(fmt::format("it holds {} bytes of digests of multicast tables, not a multiple of {}",
                                    bytes.size(), kEntrySize));
    plan::MftDigests& digests = (*map)[row.guid(0)];
    for (std::size_t at = 0; at < bytes.size(); at += kEntrySize)
      digests[static_cast<std::uint32_t>(get_bits(bytes, at * 8, 32))] = get_bits(bytes, (at + 4) * 8, 64);
  });
  if (!read) return fail(read.error());
  return map;
}

Result<void> write_multicast(Database& database, const plan::MftDigestMap& before,
                             const plan::MftDigestMap& after) {
  Writer put(database, "INSERT OR REPLACE INTO mft_digests (guid, blocks) VALUES (?, ?)");
  Writer drop(database, "DELETE FROM mft_digests WHERE guid = ?");
  for_differences(
      before, after, [&put](Guid guid, const plan::MftDigests& digests) { put.run(guid, bytes_of(digests)); },
      [&drop](Guid guid) { drop.run(guid); });
  return result_of({&put, &drop});
}

}  // namespace weft::daemon
