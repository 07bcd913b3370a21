#pragma once
// Policy: service levels and which traffic gets which, in people's terms. Filled by config.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/link.h"
#include "fabric/who.h"
#include "qos/tables.h"

namespace weft::qos {

using fabric::Who;

struct Level {
  std::string name;
  std::optional<Sl> sl;     ///< Nothing: the lowest that no level has.
  bool strict = false;      ///< Before all levels that are not.
  int weight = 1;           ///< Share among the levels that are not strict, or among those that are.
  std::optional<Mtu> mtu;   ///< Paths have at most this,
  std::optional<int> rate;  ///< at most so many Gb/s * 10,
  std::optional<std::uint8_t> lifetime;  ///< and this packet lifetime, 4.096 us * 2^n.
  bool operator==(const Level&) const = default;
};

struct Range {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  bool has(std::uint64_t value) const { return first <= value && value <= last; }
  bool operator==(const Range&) const = default;
};

/// Ports that belong to partitions: to the one of this name, or to those with a number in this range.
struct PortsOf {
  std::string partition;
  Range numbers;  ///< 15 bits; for an empty name.
  bool operator==(const PortsOf&) const = default;
};

/// One end of paths: whom any of these means.
struct EndOf {
  std::vector<Who> ports;
  std::vector<PortsOf> partitions;
  bool empty() const { return ports.empty() && partitions.empty(); }
  bool operator==(const EndOf&) const = default;
};

/// Empty criteria fit everything; all that are given must fit.
struct Rule {
  std::string level;
  EndOf source;
  EndOf destination;
  std::vector<Range> services;  ///< Service ids.
  std::vector<Range> pkeys;     ///< 15 bits.
  std::vector<std::string> partitions;
  std::vector<Range> classes;  ///< QoS class of the request.
  bool either_end = false;     ///< Source and destination may change places.
  bool operator==(const Rule&) const = default;
};

struct Policy {
  std::vector<Level> levels;  ///< Empty: no quality of service; all SLs are alike.
  std::vector<Rule> rules;    ///< The first that fits counts.
  std::string default_level;  ///< Of what no rule fits; empty: the first level.
  /// Instead of what the levels' weights give.
  std::optional<TypedTables> tables;
  bool operator==(const Policy&) const = default;
};

}  // namespace weft::qos
