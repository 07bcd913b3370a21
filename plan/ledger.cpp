#include "plan/ledger.h"

#include <cstring>

namespace weft::plan {

std::vector<Guid> devices_of(const Ledger& ledger) {
  std::vector<Guid> all;
  all.reserve(ledger.devices->size());
  for (const auto& [node, record] : *ledger.devices) all.push_back(node);
  return all;
}

std::uint64_t block_digest(std::span<const std::uint8_t> block) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::size_t at = 0; at + 8 <= block.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, block.data() + at, 8);
    hash = (hash ^ word) * 0x100000001b3;
    hash ^= hash >> 29;
  }
  return hash;
}

}  // namespace weft::plan
