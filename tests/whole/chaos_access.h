#pragma once
// Access: partitions and levels that hosts are given, by seed: as weft.yaml says it, and, worked out apart
// from the product, which keys every host is to hold.

#include <random>
#include <set>
#include <string>
#include <vector>

#include "config/settings.h"
#include "sim/world.h"

namespace weft::test {

class Access {
 public:
  static constexpr int kParts = 3;
  static constexpr std::uint16_t kFirstKey = 0x20;
  static constexpr Sl kOwnLevel{4};

  /// Everybody is a full member of the default partition, and there is no level.
  Access() = default;
  /// Some hosts in some partitions, by name or GUID; levels, or none.
  Access(const sim::World& world, const std::vector<sim::NodeIndex>& hosts, std::mt19937_64& random);

  std::string yaml() const;
  /// As read from yaml(), over these.
  config::Settings over(config::Settings settings) const;
  /// One that has no room in the tables of ports, so that the last good one stays.
  config::Settings overflowing(config::Settings settings) const;

  /// Keys of the host's port as its name and GUID are now.
  std::set<Pkey> keys_of(const sim::World& world, sim::NodeIndex host) const;
  bool is_full_member(const sim::World& world, sim::NodeIndex host, int part) const;
  static Pkey full_key(int part) {
    return static_cast<Pkey>(0x8000u | (kFirstKey + static_cast<unsigned>(part)));
  }
  bool has_levels() const { return levels_; }
  /// SLs that packets may have.
  std::vector<Sl> sls() const { return levels_ ? std::vector{Sl{0}, kOwnLevel} : std::vector{Sl{0}}; }

 private:
  struct Line {
    Guid guid{};       ///< 0: by name.
    std::string name;  ///< What the description begins with.
    bool full = true;
  };
  bool means(const Line& line, const sim::Node& node) const {
    return raw(line.guid) != 0 ? node.guid == line.guid : node.description.starts_with(line.name);
  }
  std::vector<std::vector<Line>> parts_;
  bool levels_ = false;
};

}  // namespace weft::test
