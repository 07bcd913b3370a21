#pragma once
// Spread: turns "these groups are equally good ways to that switch" into table entries, with the load even.
//
// An engine answers for 64 destination switches at a time (Batch). For each of them the spread goes over the
// switches from the farthest to the nearest and gives every LID the port with the fewest routes on it so far,
// where a route is one source host to one LID and flows along the ports chosen before. So a switch balances
// what really comes to it, not what its neighbours send elsewhere; on a complete fat tree the result is that
// of D-mod-K. Ties go to the lowest parallel link, then the lowest GUID, so all switches deal in step.
// Entries no host's traffic uses are dealt in turn. Shortest or not, legal or not, is the engine's business.

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "routing/switch_graph.h"

namespace weft::routing {

inline constexpr std::uint32_t kLanes = 64;        ///< Destination switches in a batch.
inline constexpr std::uint8_t kNoPath = 255;       ///< As a length.
inline constexpr std::uint8_t kLongestPath = 253;  ///< In links; anything longer is no path.
using Lengths = std::array<std::uint8_t, kLanes>;  ///< Links to each destination switch of a batch.

/// Best ways to the switches `first` .. `first + count - 1`; lane k stands for switch first + k.
struct Batch {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::vector<std::uint64_t> ways;  ///< By group: bit k when the group is among the best ways to lane k.
  std::vector<Lengths> length;      ///< By switch; falls by one along every way.

  explicit Batch(const SwitchGraph& graph) : ways(graph.group_count()), length(graph.size()) {}
  /// All empty, for the destinations from `first_switch` on.
  void reset(std::uint32_t first_switch);
};

/// Bit k: the lanes k of both are equal.
std::uint64_t equal_lanes(const Lengths& a, const Lengths& b);

/// Shortest paths to every switch of the batch (after `reset`), by breadth-first search of all lanes at once.
/// Cost: O(links * longest path) word operations.
void find_shortest(const SwitchGraph& graph, Batch& batch);

class Spread {
 public:
  Spread(const Problem& problem, const SwitchGraph& graph, Tables& tables);
  /// From now on only LIDs at offsets i with i % layers == layer; those of switches with layer 0. Loads add
  /// up.
  void take_layer(int layer, int layers) {
    layer_ = static_cast<std::uint32_t>(layer);
    layers_ = static_cast<std::uint32_t>(layers);
  }
  /// Writes the entries, at every switch, of all LIDs behind the switches of the batch.
  void write(const Batch& batch);

 private:
  /// A port that leads to a best neighbour.
  struct Choice {
    std::uint32_t load;  ///< Index into load_.
    std::uint32_t to;
    std::uint8_t port;
  };
  void transpose(const Batch& batch);
  void sort_by_length(const Batch& batch, std::uint32_t lane);
  void list_lids(std::uint32_t destination);
  void deliver(std::uint32_t destination);
  using Choices = std::span<const Choice>;
  Choices choose(std::uint32_t s, std::uint32_t lane);
  std::uint32_t list_choices(std::uint32_t s, const std::uint64_t* sets, Choice* to) const;
  void deal(std::uint32_t s, Choices choices);
  void deal_loaded(std::uint32_t s, Choices choices, std::uint32_t* arriving);
  void deal_to_only(std::uint32_t s, const Choice& only, const std::uint32_t* arriving);
  void deal_in_turn(std::uint32_t s, Choices choices);

  const Problem& problem_;
  const SwitchGraph& graph_;
  Tables& tables_;
  std::uint32_t words_;                // of a set of groups of one switch
  std::vector<std::uint32_t> load_;    // routes by port, in the graph's order of ports
  std::vector<std::uint64_t> chosen_;  // [lane][switch][word]: groups of the switch that are best ways
  std::vector<std::uint32_t> order_;   // switches with a path, farthest first, the destination left out
  std::vector<std::uint16_t> lids_;    // of the hosts behind the destination at hand
  std::vector<std::uint16_t> switch_lids_;
  std::vector<std::uint32_t> arriving_;  // [switch][index in lids_]: routes that reach the switch from others
  // The choices made last at each switch, since one destination's are mostly the next one's too:
  std::vector<std::uint64_t> last_sets_;    // [switch][word]
  std::vector<std::uint32_t> last_counts_;  // by switch
  std::vector<Choice> last_choices_;        // a switch's start where its ports start in the graph's order
  std::vector<std::uint32_t> loads_;        // of the choices, while one switch deals
  std::uint32_t layer_ = 0;
  std::uint32_t layers_ = 1;
  std::uint32_t turn_ = 0;  // LIDs dealt before, for the entries without load
};

/// Routes for all destinations: `solve(batch)` fills one batch after another, which are spread in order.
template <typename Solve>
void spread_all(const SwitchGraph& graph, Spread& spread, Solve&& solve) {
  Batch batch(graph);
  for (std::uint32_t first = 0; first < graph.size(); first += kLanes) {
    batch.reset(first);
    solve(batch);
    spread.write(batch);
  }
}
template <typename Solve>
void spread_all(const Problem& problem, const SwitchGraph& graph, Tables& tables, Solve&& solve) {
  Spread spread(problem, graph, tables);
  spread_all(graph, spread, std::forward<Solve>(solve));
}

}  // namespace weft::routing
