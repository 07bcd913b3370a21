#pragma once
// PortSets: for adaptive routing, the ports that a packet may take at each switch for each destination leaf,
// without losing its way or deadlock freedom, whatever member it takes at every hop. The static port of the
// tables is always a member. By leaf, not by LID: far smaller, and a fault touches sets, not LIDs.
//
// Sets are interned by switch (the compact numbering); numbering by destination leaf, which self-healing
// switches need, is index_by_leaf itself. Sending them to switches is not done here. Source: reference
// "Adaptive routing", 2.1 to 2.3, 5.1.

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "routing/port_mask.h"
#include "routing/routes.h"

namespace weft::routing {

struct PortSets {
  int state_classes = 1;                    ///< Trees and minimal-only tables have one.
  std::vector<SwitchId> leaves;             ///< Switches with hosts, rising.
  std::vector<std::uint16_t> set_of;        ///< [switch * leaves + leaf]: index into the switch's own sets.
  std::vector<std::vector<PortMask>> sets;  ///< By switch; set 0 is empty: packets go by the tables.

  const PortMask& at(std::uint32_t s, std::size_t leaf) const {
    return sets[s][set_of[s * leaves.size() + leaf]];
  }
  std::size_t memory() const;  ///< Bytes.
  bool operator==(const PortSets&) const = default;
};

/// For tables of the fat-tree engine: all live ports to neighbours as near to the leaf by up*/down* ways as
/// the best. Where such a way does not exist, the ports of the tables. Cost: O(links * switches / 64) and the
/// sets' differences. Errors: `invalid` for tables of another engine.
Result<PortSets> tree_port_sets(const Problem& problem, const Routes& routes);

/// For switches with room for `most` groups only: sets of one port cost none; of the others those that serve
/// most leaves stay, then those of the lower index, and the leaves of the rest go by the tables (set 0).
/// Returns: how many (switch, leaf) entries lost their choice.
std::size_t limit(PortSets& sets, std::size_t most);

struct SetsReport {
  std::uint64_t missing = 0;  ///< (Switch, leaf) that cables connect, without any port.
  std::uint64_t strays = 0;   ///< LIDs at a switch whose static port is no member.
  std::uint64_t loops = 0;    ///< Leaves for which some choice of members comes round.
  std::vector<std::string> examples;
  std::string cycle;  ///< A credit cycle of the union of all members, in words; empty when there is none.
  bool safe() const { return missing == 0 && strays == 0 && loops == 0 && cycle.empty(); }
};

/// The union over all members: reaches everything, never comes round, and has no credit cycle. Shares no code
/// with the engines. Cost: O(switches * (leaves * set size + LIDs)).
SetsReport check_sets(const Problem& problem, const Routes& routes, const PortSets& sets);

}  // namespace weft::routing
