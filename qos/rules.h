#pragma once
// Rules: which level a path gets. Made once for a fabric and a policy, asked for every path.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "qos/plan_lanes.h"

namespace weft::qos {

/// A path that is asked for. Ends are indices into Fabric::end_ports().
struct Query {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint16_t partition = 0x7fff;  ///< 15 bits.
  std::optional<std::uint64_t> service;
  std::optional<std::uint16_t> qos_class;
};

struct Decision {
  std::size_t level = 0;            ///< Index into LanePlan::levels.
  std::optional<std::size_t> rule;  ///< Index into Policy::rules; nothing: the default.
};

/// A partition and the ports in it, full members or limited.
struct PartitionPorts {
  std::string name;
  std::uint16_t number = 0;     ///< 15 bits.
  std::vector<bool> members{};  ///< By end port.
};

class Rules {
 public:
  Rules() = default;
  /// Notes tell of rules that can never fit.
  Rules(const fabric::Fabric& fabric, const Policy& policy, const LanePlan& plan, fabric::PortRef self,
        std::span<const PartitionPorts> partitions, std::vector<std::string>& notes);

  /// Cost: O(rules).
  Decision decide(const Query& query) const;
  std::size_t size() const { return rules_.size(); }

 private:
  using Ends = std::vector<bool>;  // by end port; empty: any
  struct Compiled {
    std::size_t level = 0;
    Ends source;
    Ends destination;
    std::vector<Range> services;
    std::vector<Range> pkeys;
    std::vector<Range> classes;
    bool either_end = false;
    bool never = false;
  };
  static bool fits(const Compiled& rule, const Query& query);

  std::vector<Compiled> rules_;
  std::size_t default_level_ = 0;
};

/// "rule 3 (level storage)".
std::string describe(const Policy& policy, std::size_t rule);

}  // namespace weft::qos
