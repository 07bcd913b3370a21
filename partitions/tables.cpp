#include "partitions/tables.h"

#include <algorithm>

#include "partitions/pkey.h"

namespace weft::partitions {

Tables::Tables() : tables_{{kDefaultPkey}}, number_of_{{{kDefaultPkey}, 0}} {}

void Tables::set(std::uint32_t port, const Keys& keys) {
  const auto [same, fresh] = number_of_.emplace(keys, static_cast<std::uint32_t>(tables_.size()));
  if (fresh) tables_.push_back(keys);
  if (port >= which_.size()) which_.resize(port + 1);
  which_[port] = same->second;
}

bool Tables::operator==(const Tables& other) const {
  const std::size_t ports = std::max(which_.size(), other.which_.size());
  for (std::uint32_t port = 0; port < ports; ++port)
    if (!std::ranges::equal(of(port), other.of(port))) return false;
  return true;
}

std::optional<Pkey> common_key(std::span<const Pkey> a, std::span<const Pkey> b) {
  std::optional<Pkey> found;
  for (const Pkey mine : a) {
    const bool shared = std::ranges::any_of(b, [mine](Pkey theirs) { return may_talk(mine, theirs); });
    if (!shared) continue;
    if (partition_of(mine) == partition_of(kDefaultPkey)) return mine;
    if (!found) found = mine;
  }
  return found;
}

std::optional<Pkey> key_in(std::span<const Pkey> keys, Pkey partition) {
  std::optional<Pkey> found;
  for (const Pkey key : keys)
    if (is_valid(key) && partition_of(key) == partition_of(partition) && (!found || is_full(key)))
      found = key;
  return found;
}

}  // namespace weft::partitions
