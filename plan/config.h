#pragma once
// Config: what the planners are told, each part declared by the planner that reads it. Filled from YAML by
// config/.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/ids.h"
#include "partitions/policy.h"
#include "qos/link_settings.h"
#include "qos/policy.h"
#include "routing/chain.h"

namespace weft::plan {

struct LidOptions {
  std::uint8_t lmc = 0;             ///< 2^lmc LIDs a host port, aligned.
  bool lmc_enhanced_port0 = false;  ///< Enhanced switch ports 0 too.
  std::map<Guid, Lid> fixed;        ///< By port GUID; wins over everything.
  bool operator==(const LidOptions&) const = default;
};

/// What every port is told about its subnet.
struct SubnetOptions {
  std::uint64_t prefix = 0xfe80000000000000;
  Sl sm_sl{0};
  std::uint8_t subnet_timeout = 18;   ///< 4.096 us * 2^n.
  std::uint8_t packet_lifetime = 18;  ///< SwitchInfo LifeTimeValue, 4.096 us * 2^n; 20 and above: for ever.
  bool operator==(const SubnetOptions&) const = default;
};

/// Port sets for adaptive routing (routing/port_sets.h).
struct PortSetOptions {
  enum class Mode {
    off,       ///< None are computed.
    compact,   ///< As few groups as there are different sets on a switch.
    per_leaf,  ///< One group a destination leaf, the same number everywhere; compact where there is no room.
  };
  Mode mode = Mode::off;
  std::uint16_t groups = 0;  ///< Groups that a switch has room for; 0: any number.
  bool operator==(const PortSetOptions&) const = default;
};

/// Links between switches that run below what both their ends can.
enum class SlowLinks {
  use,    ///< As any other.
  avoid,  ///< As long as that cuts nobody off.
};

struct RoutingOptions {
  routing::ChainOptions chain;
  PortSetOptions port_sets;
  SlowLinks slow_links = SlowLinks::use;
  std::vector<std::string> roots;     ///< GUIDs or names; empty: found.
  std::map<std::string, int> ranks;   ///< Of switches, by GUID or name: 0 for leaves.
  std::vector<std::string> groups;    ///< Of a dragonfly: naming.h tells how.
  std::vector<std::string> storage;   ///< Hosts, by GUID or name, balanced apart from all others,
  std::vector<std::string> io_nodes;  ///< and likewise these.
  bool operator==(const RoutingOptions&) const = default;
};

struct Config {
  LidOptions lids;
  SubnetOptions subnet;
  qos::LinkOptions links;
  RoutingOptions routing;
  partitions::Policy partitions;
  qos::Policy qos;
  std::map<Guid, std::string> names;  ///< Node names that win over NodeDescription.
  bool operator==(const Config&) const = default;
};

}  // namespace weft::plan
