#pragma once
// Check: whether tables may be programmed. It walks the fabric and the tables by itself and shares no code
// with the engines, so that no engine's mistake is repeated by its judge.
//
// Counted as traffic: host to host, hosts to and from every switch's own LID, and a switch port 0 that runs
// an SM like a host. Between other switches entries are best effort: lost ones are counted apart and are no
// fault, but a loop is one wherever it is. Only entries that counted traffic uses can make channels wait for
// each other. A channel is a link on a VL; where the tables come with a demand for lanes (lanes.h), the VLs
// of every packet are followed exactly; where they are in layers, each layer has its VL, and A to B and B to
// A go on the same one (LIDs of one offset at both ends). Since the demand is the same for every SL, A to B
// and B to A are judged on each SL there is.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "routing/credit_cycle.h"
#include "routing/routes.h"

namespace weft::routing {

struct Waits;

struct CheckReport {
  std::uint64_t pairs = 0;  ///< Counted pairs, source port to LID, that the cables connect.
  std::uint64_t lost = 0;   ///< Those of them that the tables do not deliver.
  std::uint64_t uncounted_lost =
      0;  ///< Switch to switch LID, connected, not counted as traffic, not delivered.
  // Table entries, switch and LID, at which counted traffic is lost:
  std::uint64_t missing = 0;       ///< No entry: 255, or beyond the row.
  std::uint64_t dead = 0;          ///< The port does not exist or has no link.
  std::uint64_t misdelivered = 0;  ///< The port leads to the wrong end port.
  std::uint64_t loops = 0;         ///< (cycle of switches, LID); of any traffic.
  int longest = 0;                 ///< Links between switches on the longest path of counted traffic.
  std::vector<Channel>
      cycle;  ///< A credit cycle, each channel waiting for the next; empty when there is none.
  /// Safe whatever SL clients use. False for tables in layers (Routes::layers) that would close a credit
  /// cycle on one VL: then safety depends on clients using the SL that their path records give.
  bool any_sl = true;
  std::vector<SwitchId> too_small;  ///< Switches whose table does not hold the highest LID.
  std::string malformed;  ///< What is wrong with the shape of the tables; nothing else is checked then.
  std::vector<std::string> examples;  ///< The first few faults, with names.
  /// What waits for what (waits.h); null for malformed tables.
  std::shared_ptr<const Waits> waits;

  /// Everything counted arrives, nothing loops, nothing can deadlock, every table has room.
  bool safe() const { return lost == 0 && free_of_deadlock() && too_small.empty() && malformed.empty(); }
  /// Nothing loops and no channels wait for each other.
  bool free_of_deadlock() const { return loops == 0 && cycle.empty() && malformed.empty(); }
};

/// Cost: O(switches * LIDs), over Problem::threads. A switch whose capacity is not known (0) counts as large
/// enough.
CheckReport check(const Problem& problem, const Routes& routes);

/// The same, when the report on tables before is at hand: only LIDs are followed whose entries, links or
/// owners are others than they were, and waits are sought anew only where these had some. Falls back to
/// check() where tables have lanes or layers, where parts or sources of traffic have changed, or most LIDs
/// have, and where what is found is not safe. Cost: O(links * width / 64), and for each LID that changes
/// O(switches).
CheckReport check_again(const Problem& problem, const Routes& routes, const Routes& before,
                        const CheckReport& of_before);

/// Counted pairs that tables of good shape do not deliver, to these LIDs alone; by LID, row_size(top) of them.
std::uint64_t lost_pairs(const Problem& problem, const Routes& routes, const std::vector<bool>& lids);

/// "12 of 4032 pairs lost, e.g. ...; credit cycle of 4 channels: ..."; empty for a safe report.
std::string explain(const fabric::Fabric& fabric, const CheckReport& report);
/// "0x... (a) port 3 -> 0x... (b) port 1 -> ... -> back to the first".
std::string describe_cycle(const fabric::Fabric& fabric, const std::vector<Channel>& cycle);

}  // namespace weft::routing
