#pragma once
// PortSetsWriter: port sets as JSON, piece by piece, since those of a large fabric take tens of megabytes.
//
//   {"port_sets": 1, "numbering": "compact" | "per-leaf",
//    "destinations": [{"switch": "0x...", "lids": [[first, last], ...]}, ...],
//    "switches": [{"guid": "0x...", "sets": [[port, ...], ...], "spare": [[port, ...], ...],
//                  "groups": [number, ...], "class_of_arrival": [...], "of": [[...], ...]}, ...]}
//
// `of` has a row a state class and a column a destination, an index into the sets; -1 where there is none, -2
// where packets go by the tables, LID by LID (group 0).
// `spare` are those members of each set that are no minimal way, left out where there are none at all.
// `groups`, in the compact numbering only: the number on the wire of each set; per leaf it is
// 1 + destination * classes + class everywhere.

#include <string>
#include <vector>

#include "routing/port_sets.h"

namespace weft::routing {

class PortSetsWriter {
 public:
  /// All three must stay as long as the writer.
  PortSetsWriter(const Problem& problem, const Routes& routes, const PortSets& sets);
  /// Appends the next piece: the destinations, then a switch each; false when there is none left.
  bool next(std::string& out);

 private:
  const Problem& problem_;
  const Routes& routes_;
  const PortSets& sets_;
  std::vector<std::vector<std::uint32_t>> lids_;  // by leaf
  std::size_t step_ = 0;
};

/// The whole of it; for small fabrics and tests.
std::string to_json(const Problem& problem, const Routes& routes, const PortSets& sets);

}  // namespace weft::routing
