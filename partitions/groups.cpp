#include "partitions/groups.h"

#include <algorithm>

#include <fmt/format.h>

namespace weft::partitions {
namespace {

constexpr std::uint64_t kIpv4 = 0x401b;
constexpr std::uint64_t kIpv6 = 0x601b;

std::uint64_t signature_of(const Gid& mgid) { return mgid[0] >> 32 & 0xffff; }

/// What an option leaves open is the broadcast group's.
GroupOptions completed(GroupOptions options, const GroupOptions& by) {
  if (!options.mtu) options.mtu = by.mtu;
  if (!options.rate) options.rate = by.rate;
  if (!options.sl && options.level.empty()) {
    options.sl = by.sl;
    options.level = by.level;
  }
  if (!options.q_key) options.q_key = by.q_key;
  if (!options.traffic_class) options.traffic_class = by.traffic_class;
  if (!options.flow_label) options.flow_label = by.flow_label;
  return options;
}

}  // namespace

Gid ipoib_broadcast(Pkey pkey, std::uint8_t scope) {
  const std::uint64_t full = raw(pkey) | 0x8000u;
  return {0xff10000000000000u | static_cast<std::uint64_t>(scope) << 48 | kIpv4 << 32 | full << 16,
          0xffffffffu};
}

std::vector<Group> groups_of(const Partition& partition, std::uint16_t key, std::vector<std::string>& notes) {
  const auto full = static_cast<Pkey>(0x8000 | key);
  std::vector<Group> groups;
  std::vector<GroupOptions> broadcast = partition.broadcast;
  if (partition.ipoib && broadcast.empty()) broadcast.emplace_back();
  if (partition.ipoib)
    for (const GroupOptions& options : broadcast)
      groups.push_back({ipoib_broadcast(full, options.scope), full, options});
  const GroupOptions first = groups.empty() ? GroupOptions{} : groups.front().options;
  for (const ExtraGroup& extra : partition.groups) {
    Group group{extra.mgid, full, completed(extra.options, first)};
    const std::uint64_t signature = signature_of(group.mgid);
    if (signature == kIpv4 || signature == kIpv6) {
      const std::uint64_t named = group.mgid[0] >> 16 & 0xffff;
      if (named == 0) {
        group.mgid[0] |= static_cast<std::uint64_t>(raw(full)) << 16;
      } else if ((named & 0x7fff) != key) {
        notes.push_back(fmt::format("partition {} (0x{:04x}): group {} names P_Key 0x{:04x}; it is left out",
                                    partition.name, key, weft::to_string(group.mgid), named));
        continue;
      }
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace weft::partitions
