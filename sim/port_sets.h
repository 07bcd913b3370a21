#pragma once
// Port sets: an adaptive-routing plan as exported to JSON, read and judged: every member of every set is
// walked. Whoever made the plan shares no code with this.
//
//   {"port_sets": 1,
//    "destinations": [{"switch": "0x...", "lids": [[1, 18], [649, 649]]}, ...],
//    "switches": [{"guid": "0x...", "sets": [[1, 2, 3], [7]], "spare": [[3], []],
//                  "class_of_arrival": [0, 0, 1, 1], "of": [[0, 0, 1], [1, 1, 1]]}, ...]}
//
// A destination is a switch with the LIDs behind it, its own included. `of` has a row a state class and a
// column a destination: an index into the switch's sets; -1 where there is none, -2 where packets go by the
// ordinary table, each LID by its entry. A packet's class at a switch
// follows from the port it came in by, 0 for its own; "class_of_arrival" may be left out: all 0. "spare" are
// members taken only while the others are busy, never all; it may be left out. At a destination's own switch
// the ordinary table counts.

#include <string>
#include <utility>
#include <vector>

#include "sim/world.h"

namespace weft::sim {

struct PortSets {
  struct Destination {
    NodeIndex sw{};
    std::vector<std::pair<Lid, Lid>> lids;  ///< First and last.
  };
  static constexpr std::int32_t kByTables = -2;
  struct SwitchSets {
    std::vector<std::vector<PortNum>> sets;
    std::vector<std::uint8_t> class_of_arrival;  ///< By port number; beyond its end 0.
    std::vector<std::vector<std::int32_t>> of;   ///< [class][destination]: index into sets, -1 or kByTables.
  };
  std::vector<Destination> destinations;
  std::vector<SwitchSets> switches;  ///< By dense switch number (World's order of switches); may be empty.
};

/// Errors: `malformed` (no such JSON), `invalid` (an index out of range), `not_found` (a GUID that is not in
/// the World), each with its place.
Result<PortSets> port_sets_from(const World& world, std::string_view json);

struct SetsVerdict {
  std::uint64_t walked = 0;           ///< (Switch, arrival port, destination) met.
  std::vector<std::string> failures;  ///< The first few: no set, a dead member, a way in a circle.
  std::string credit_loop;            ///< Empty when the union of all members has none.
  bool good() const { return failures.empty() && credit_loop.empty(); }
};

/// Walks what packets of one SL may do: from every switch with hosts, and from every switch's port 0, to
/// every destination. Cost: O(destinations x channels x members).
SetsVerdict judge_port_sets(const World& world, const PortSets& sets, Sl sl = Sl{0},
                            std::size_t max_failures = 10);

}  // namespace weft::sim
