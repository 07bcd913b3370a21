#pragma once
// Multicast: for each group a tree of links that joins the switches of its members. A switch sends a packet
// out of all ports of its branch but the one it came in by, so a tree serves every sender.
//
// All trees go along one order of the switches, in a fat tree its ranks, else that of up*/down*
// (up_down_order.h): a tree has one top, and every other switch in it one link up. Whatever groups there are,
// no path turns from down to up. Whether that is safe together with unicast is proven once, for all turns the
// order allows (MulticastBasis); so a join or leave needs no proof of its own. Beside the lanes of a
// dragonfly or Dragonfly+ no such order is safe: there all groups share one spanning tree, proven likewise
// (multicast_spanning.h). Where nothing is, trees want a lane of their own: an SL that SL2VL maps to a VL no
// unicast uses.
//
// A tree is a function of the cables, the design, the MLID and the members: no history. Its top is chosen by
// MLID among the switches that reach every host downwards, and the way from a switch to that top does not
// depend on who else is a member; so a join adds a branch and a leave takes one away. What stands above all
// members is cut off, so that a group in one pod stays there. Two members are never farther apart than the
// order's shortest way by that top.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "routing/check.h"
#include "routing/port_mask.h"
#include "routing/routes.h"

namespace weft::routing {

struct MulticastMember {
  SwitchId at{};         ///< The switch it hangs on.
  PortNum port{};        ///< Of that switch; 0 for the switch's own port.
  bool receives = true;  ///< False for those that only send.
  bool operator==(const MulticastMember&) const = default;
};

/// Groups (MGIDs) that share an MLID are one group here, with the members of all.
struct MulticastGroup {
  Lid mlid{};
  std::vector<MulticastMember> members;
};

struct MulticastTree {
  /// A switch's entry in its multicast table.
  struct Branch {
    SwitchId at{};
    PortMask ports{};  ///< To members and to neighbours in the tree; bit 0: the switch itself.
    bool operator==(const Branch&) const = default;
  };
  Lid mlid{};
  std::vector<Branch> branches;  ///< By rising switch.
  /// Not safe on the VLs of unicast: the group's SL must lead to a VL that no unicast takes.
  bool own_lane = false;
  std::vector<MulticastMember> unserved;  ///< Members that no tree reaches,
  std::string why;                        ///< and why not.
  bool operator==(const MulticastTree&) const = default;
};

/// All that trees depend on besides their members. Made with the tables, kept as long as they are in force;
/// const, so any thread may ask.
class MulticastBasis {
 public:
  /// `waits` is the check's, of the same tables; null: a lane of its own for all groups.
  /// Cost: O(links * switches / 64) and a search for a cycle.
  MulticastBasis(const Problem& problem, const Routes& routes, const std::shared_ptr<const Waits>& waits);
  MulticastBasis(MulticastBasis&&) noexcept;
  MulticastBasis& operator=(MulticastBasis&&) noexcept;
  ~MulticastBasis();

  /// Groups want a lane of their own; `why` names the credit cycle there would be.
  bool own_lane() const;
  const std::string& why() const;

  struct Parts;
  const Parts& parts() const { return *parts_; }

 private:
  std::unique_ptr<const Parts> parts_;
};

/// The tree of one group; the members of parts of the fabric that cables do not join get a tree each.
/// Switches whose table has no room for the MLID are passed by. Cost: O(links + members).
MulticastTree multicast_tree(const MulticastBasis& basis, const MulticastGroup& group);

/// By index of `groups`. Cost: as above for each top, and O(members) a group; over `threads`.
std::vector<MulticastTree> multicast_trees(const MulticastBasis& basis,
                                           std::span<const MulticastGroup> groups, unsigned threads = 1);

struct MulticastReport {
  std::uint64_t lost = 0;      ///< Members that a tree does not join with the others of their part.
  std::uint64_t rings = 0;     ///< Trees that are none: a packet would come twice, or come round.
  std::uint64_t dead = 0;      ///< Entries that lead nowhere, or to a neighbour that has no entry back.
  std::uint64_t strays = 0;    ///< Entries for end ports that are no receiving members.
  std::uint64_t no_room = 0;   ///< Branches at switches whose table does not hold the MLID.
  std::vector<Channel> cycle;  ///< Of unicast and branches together, or of branches on their own lane.
  std::vector<std::string> examples;
  bool safe() const {
    return lost == 0 && rings == 0 && dead == 0 && strays == 0 && no_room == 0 && cycle.empty();
  }
};

/// Judges trees together with the tables that `waits` was found with; `trees` by index of `groups`. Shares no
/// code with what makes them.
MulticastReport check_multicast(const Problem& problem, const Routes& routes, const Waits& waits,
                                std::span<const MulticastGroup> groups, std::span<const MulticastTree> trees);

/// One switch's multicast table as trees want it.
struct MulticastEntry {
  Lid mlid{};
  PortMask ports{};
  bool operator==(const MulticastEntry&) const = default;
};
/// By SwitchId; entries by rising MLID.
std::vector<std::vector<MulticastEntry>> multicast_tables(std::span<const MulticastTree> trees,
                                                          std::size_t switch_count);

}  // namespace weft::routing
