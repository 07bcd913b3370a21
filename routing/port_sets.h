#pragma once
// PortSets: for adaptive routing, the ports that a packet may take at each switch for each destination leaf,
// without losing its way or deadlock freedom, whatever member it takes at every hop. The static port of the
// tables is always a member. By leaf, not by LID: far smaller, and a fault touches sets, not LIDs.
//
// What a packet may do can depend on how it came: a state class, which follows from the port it came in by. A
// tree and a dragonfly have one (minimal ways only), a Dragonfly+ three: from an end port, from inside the
// group, from another group. In a Dragonfly+ a spine may also send a packet from its own group to a third
// group that is linked to the destination's, unless that would go down and then up in group numbers, which
// its lanes do not allow. Such members are spare: taken only while all minimal ones are busy.
//
// Sets are interned by switch. On the wire a set is a numbered group: compactly, by its place there, or by
// destination leaf, the same number at every switch, which self-healing switches need. Sending them is not
// done here. Source: reference "Adaptive routing", 2.1 to 2.3, 2.6, 3.2 to 3.4, 5.1.

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "routing/credit_cycle.h"
#include "routing/port_mask.h"
#include "routing/routes.h"

namespace weft::routing {

enum class SetNumbering { compact, per_leaf };

struct PortSets {
  int state_classes = 1;
  SetNumbering numbering = SetNumbering::compact;
  std::vector<SwitchId> leaves;  ///< Switches with hosts, rising.
  /// [switch][port number]: state class of what comes in there; beyond the end, and for port 0: 0.
  std::vector<std::vector<std::uint8_t>> class_of_arrival;
  std::vector<std::uint32_t> row_of;        ///< [class * switches + switch]: its row in set_of.
  std::vector<std::uint16_t> set_of;        ///< [row * leaves + leaf]: index into the switch's own sets.
  std::vector<std::vector<PortMask>> sets;  ///< By switch; set 0 is empty: packets go by the tables.
  /// By switch and set: those members that are no minimal way, if there are any; may end early.
  std::vector<std::vector<PortMask>> spare;

  std::uint16_t& index(std::uint32_t s, std::size_t leaf, std::uint32_t state_class = 0) {
    return set_of[row_of[state_class * sets.size() + s] * leaves.size() + leaf];
  }
  const PortMask& at(std::uint32_t s, std::size_t leaf, std::uint32_t state_class = 0) const {
    return sets[s][set_at(s, leaf, state_class)];
  }
  std::uint16_t set_at(std::uint32_t s, std::size_t leaf, std::uint32_t state_class = 0) const {
    return set_of[row_of[state_class * sets.size() + s] * leaves.size() + leaf];
  }
  PortMask spare_of(std::uint32_t s, std::size_t set) const {
    return set < spare[s].size() ? spare[s][set] : PortMask{};
  }
  /// The number of the group on the wire; 0: none, packets go by the tables.
  std::uint32_t group_at(std::uint32_t s, std::size_t leaf, std::uint32_t state_class = 0) const {
    const std::uint16_t set = set_at(s, leaf, state_class);
    if (set == 0 || numbering == SetNumbering::compact) return set;
    return 1 + static_cast<std::uint32_t>(leaf) * static_cast<std::uint32_t>(state_classes) + state_class;
  }
  std::uint32_t class_at(std::uint32_t s, std::uint8_t port) const {
    return port < class_of_arrival[s].size() ? class_of_arrival[s][port] : 0;
  }
  std::size_t memory() const;  ///< Bytes.
  bool operator==(const PortSets&) const = default;
};

/// Those that go with the tables of fat-tree, dragonfly or dragonfly+. In a tree: all live ports to
/// neighbours as near to the leaf by up*/down* ways as the best. In a dragonfly: all links to the
/// destination's group, or to routers that have one. Where there is no such way, set 0. Cost: O(links *
/// switches / 64) in a tree, O(switches * leaves) else. Errors: `invalid` for tables of another engine.
Result<PortSets> port_sets(const Problem& problem, const Routes& routes);

/// For switches with room for `most` groups only: sets of one port cost none; of the others those that serve
/// most leaves stay, then those of the lower index, and the leaves of the rest go by the tables (set 0).
/// Returns: how many (switch, class, leaf) entries lost their choice.
std::size_t limit(PortSets& sets, std::size_t most);

/// Numbers groups by leaf and state class if a switch with room for `groups`, none counted, can hold all of
/// them; returns whether.
bool number_per_leaf(PortSets& sets, std::size_t groups);

struct SetsReport {
  std::vector<std::uint32_t> loops;          ///< Places in `leaves` of those that members come round for.
  std::vector<std::vector<Channel>> cycles;  ///< Credit cycles of the union of all members; not all.
  std::uint64_t missing = 0;  ///< (Switch, class, leaf) that packets reach, without any port but spare ones.
  std::uint64_t strays = 0;   ///< LIDs at a switch and class whose static port is no member.
  std::vector<std::string> examples;
  std::string cycle;  ///< The first of the credit cycles in words; empty when there is none.
  bool safe() const { return missing == 0 && strays == 0 && loops.empty() && cycle.empty(); }
};

/// The union over all members that packets from any switch can meet: reaches everything, never comes round,
/// and has no credit cycle on the lanes of the tables. Shares no code with the engines. Cost: O(switches *
/// (leaves * set size + LIDs)).
SetsReport check_sets(const Problem& problem, const Routes& routes, const PortSets& sets);

struct Settled {
  SetsReport report;     ///< Of the last check.
  std::size_t lost = 0;  ///< (Switch, class, leaf) entries that have no choice any longer.
};

/// Checks, and takes the choice away where it closes a cycle (the ways around what a dragonfly has lost and
/// the members of its sets may do so together), until the rest is safe: at the switches of a credit cycle
/// from the leaves that the tables alone would not send on by its port, and everywhere from those that
/// members come round for. With safe tables the end is safe, if only by set 0 everywhere. Cost: that of
/// check_sets, once more for each round.
Settled make_safe(const Problem& problem, const Routes& routes, PortSets& sets);

}  // namespace weft::routing
