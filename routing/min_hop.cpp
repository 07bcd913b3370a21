// min-hop: every switch forwards along a shortest path, the load spread evenly (spread.h). Right for any
// fabric, but whether credit loops are possible depends on the shape, so the check decides whether its answer
// is used.

#include "routing/engines.h"
#include "routing/spread.h"

namespace weft::routing {

Result<Routes> min_hop(const Problem& problem) {
  const SwitchGraph graph(problem);
  Tables tables(problem);
  spread_all(problem, graph, tables, [&graph](Batch& batch) { find_shortest(graph, batch); });
  Routes routes = std::move(tables).finish("min-hop");
  if (std::string note = note_on_parts(graph); !note.empty()) routes.notes.push_back(std::move(note));
  return routes;
}

}  // namespace weft::routing
