#pragma once
// Partitions as the configuration file has them: a map of names, each with a key, members and groups.

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/types.h"
#include "partitions/policy.h"

namespace weft::config {

/// { storage: { key: 0x10, members: [ "h0*", { self: full } ], ipoib: { mtu: 4096, rate: 100G } } }
Type<std::vector<partitions::Partition>> partition_map();

/// Who is meant by a word: all, hosts, switches, routers, self; a GUID; a node's name or glob; any of the
/// last two with "/P7" for one port.
partitions::Who who_from(std::string_view text);
std::string who_text(const partitions::Who& who);

/// Partitions from one or several places, each name and key once.
class PartitionList {
 public:
  /// A name or key that is there already is a problem at `place`.
  void add(partitions::Partition partition, Place place, Report& report);
  std::vector<partitions::Partition> take() && { return std::move(all_); }

 private:
  std::vector<partitions::Partition> all_;
  std::map<std::string, std::size_t, std::less<>> by_name_;
  std::map<std::uint16_t, std::size_t> by_key_;
};

}  // namespace weft::config
