#pragma once
// Small fabrics for the tests of routing, cabled by hand or by formula, and the Problem that goes with one.

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fabric/fabric.h"
#include "routing/routes.h"

namespace weft::routing {

/// Nodes and cables as they are drawn: ports are taken in order, GUIDs rise in order of adding.
class Drawing {
 public:
  std::uint32_t add_switch(std::string name = {});
  /// A host with one port on `to`.
  std::uint32_t add_host(std::uint32_t to);
  void add_hosts(std::uint32_t to, int count);
  /// A host with one port on each of `to`.
  std::uint32_t add_host(const std::vector<std::uint32_t>& to);
  void cable(std::uint32_t a, std::uint32_t b, int times = 1);
  /// Takes away the i-th cable between switches (modulo their number).
  void cut(std::size_t i);
  /// Takes away all cables of a node.
  void isolate(std::uint32_t node);
  std::size_t switch_cables() const;
  std::uint32_t node_count() const { return static_cast<std::uint32_t>(nodes_.size()); }
  void set_lft_capacity(std::uint16_t capacity) { lft_capacity_ = capacity; }
  /// MLIDs that a switch's multicast table holds.
  void set_mft_capacity(std::uint32_t node, std::uint16_t capacity) { nodes_[node].mft_capacity = capacity; }
  fabric::Fabric build() const;
  static Guid guid(std::uint32_t node) { return static_cast<Guid>(0x1000U + node); }

 private:
  struct Node {
    bool is_switch = false;
    std::string name;
    std::uint8_t ports = 0;
    std::uint16_t mft_capacity = 0x1000;
  };
  struct Cable {
    std::uint32_t a, b;
    std::uint8_t port_a, port_b;
  };
  std::vector<Node> nodes_;
  std::vector<Cable> cables_;
  std::uint16_t lft_capacity_ = 0xc000;
};

/// Extended generalised fat tree: a node of level i has m[i-1] children, each child w[i-1] parents, by
/// `parallel` cables above the hosts. xgft({18, 36}, {1, 18}) is the 648-host tree of 36-port switches.
Drawing xgft(const std::vector<int>& m, const std::vector<int>& w, int parallel = 1);
/// Groups of `a` routers in a clique, `p` hosts and `h` global links a router, one link between any two
/// groups.
Drawing dragonfly(int p, int a, int h, int g);
/// Groups of leaves with `p` hosts and spines with `h` global links each, every leaf linked to every spine of
/// its group; as many links between any two groups as all pairs can have.
Drawing dragonfly_plus(int p, int leaves, int spines, int h, int g);
Drawing ring(int switches, int hosts_each = 1);
Drawing torus(int x, int y, int z, int hosts_each);
/// A random tree of switches with `extra` more cables; each switch has 0 to 2 hosts.
Drawing random_graph(int switches, int extra, std::uint32_t seed);

/// A Fabric and a Problem about it: LIDs in order of switch and port for the hosts, 2^lmc each; then the
/// switches.
struct Case {
  explicit Case(fabric::Fabric what, std::uint8_t lmc = 0);
  explicit Case(const Drawing& drawing, std::uint8_t lmc = 0) : Case(drawing.build(), lmc) {}
  std::uint32_t switches() const { return static_cast<std::uint32_t>(fabric->switch_count()); }
  std::unique_ptr<const fabric::Fabric> fabric;
  Problem problem;
};

/// `routes` with one entry changed.
Routes with_entry(const Routes& routes, std::uint32_t at, Lid lid, std::uint8_t port);

/// Links between switches: by [from * switches + to], -1 where there is no path. The slow obvious way.
std::vector<int> all_distances(const fabric::Fabric& fabric);

/// What the slow obvious judge finds: every counted pair walked by itself, and a cycle sought among all
/// dependencies that those walks make.
struct Verdict {
  std::uint64_t pairs = 0;
  std::uint64_t lost = 0;
  bool loops = false;
  bool cycle = false;
  int longest = 0;
};
Verdict judge(const Problem& problem, const Routes& routes);

/// Links between switches on the longest path from one host to another.
int longest_between_hosts(const Problem& problem, const Routes& routes);

/// Routes by port of a switch: counts source hosts times host LIDs that leave by it.
std::vector<std::uint64_t> routes_by_port(const Problem& problem, const Routes& routes);

}  // namespace weft::routing
