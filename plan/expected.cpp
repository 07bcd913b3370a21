#include "plan/expected.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/words.h"
#include "plan/expected_mend.h"

namespace weft::plan {
namespace {

using fabric::Fabric;
using fabric::PortRef;
using topology::Topology;

/// Which node of the fabric each node of the topology is.
struct Matching {
  std::vector<std::optional<NodeId>> found;  ///< By node of the topology.
  std::vector<bool> expected;                ///< By NodeId.
  std::vector<bool> by_name;                 ///< By node of the topology: only its name is the same.
  void join(std::size_t node, NodeId id) {
    found[node] = id;
    expected[raw(id)] = true;
  }
};

/// What is called so; nothing where several are.
template <typename Id>
using Called = std::map<std::string, std::optional<Id>>;

template <typename Id>
void call(Called<Id>& called, const std::string& name, Id id) {
  if (name.empty()) return;
  const auto [at, fresh] = called.emplace(name, id);
  if (!fresh) at->second.reset();
}

void match_by_name(const Fabric& fabric, const Topology& topology, Matching& match) {
  Called<NodeId> here;
  for (std::size_t n = 0; n < fabric.node_count(); ++n)
    if (!match.expected[n])
      call(here, fabric.node(static_cast<NodeId>(n)).description, static_cast<NodeId>(n));
  Called<std::size_t> wanted;
  for (std::size_t n = 0; n < topology.nodes.size(); ++n)
    if (!match.found[n]) call(wanted, topology.nodes[n].description, n);
  for (const auto& [name, node] : wanted) {
    const auto at = here.find(name);
    if (!node || at == here.end() || !at->second) continue;
    if (fabric.node(*at->second).type != topology.nodes[*node].type) continue;
    match.join(*node, *at->second);
    match.by_name[*node] = true;
  }
}

struct Names {
  const Fabric& fabric;
  static std::string of(const topology::Node& node) {
    return fmt::format("{} ({})", to_string(node.guid),
                       node.description.empty() ? node.id : node.description);
  }
  std::string brief(NodeId id) const {
    const fabric::Node& node = fabric.node(id);
    return node.description.empty() ? to_string(node.guid) : node.description;
  }
  std::string brief(PortRef port) const {
    return fmt::format("{} port {}", brief(port.node), raw(port.port));
  }
};

class Judgement {
 public:
  Judgement(const Fabric& fabric, const Topology& topology)
      : fabric_(fabric), topology_(topology), names_{fabric} {}
  std::vector<Deviation> judge();

 private:
  void match();
  void match_by_place();
  void add_replaced(std::size_t node, NodeId by, std::string_view more = {});
  std::vector<PortRef> neighbours_of(std::size_t node) const;
  void judge_nodes();
  void judge_node(std::size_t node, NodeId id);
  void judge_cables();
  void judge_speed(PortRef port, const topology::Cable& cable);
  void judge_piece(Piece piece);
  void judge_path(const Piece& piece, const std::string& instead);
  void judge_ring(const Piece& piece);

  PortIndex index_of(topology::End end);
  PortIndex index_of(PortRef port) const { return fabric_.node(port.node).first_port + raw(port.port); }
  bool is_here(PortIndex index) const { return index < refs_.size(); }
  PortRef ref(PortIndex index) const { return refs_[index]; }
  std::string text(PortIndex index) const { return fabric::describe(fabric_, ref(index)); }
  Plug plug(PortIndex index) const { return {fabric_.node(ref(index).node).guid, ref(index).port}; }
  void add(Deviation::Kind kind, Plug place, std::string what, std::string mend = {},
           std::vector<PlugMove> moves = {}) {
    deviations_.push_back({kind, place, std::move(what), std::move(mend), std::move(moves)});
  }

  const Fabric& fabric_;
  const Topology& topology_;
  Names names_;
  Matching match_;
  bool guids_count_ = false;           // most of the topology's are those of the fabric
  std::vector<PortRef> refs_;          // by PortIndex, of ports that are here
  std::vector<topology::End> absent_;  // likewise, from refs_.size() on
  std::map<topology::End, PortIndex> absent_index_;
  std::vector<std::vector<topology::Cable>> cables_of_;  // by node of the topology, the node's end first
  std::vector<Deviation> deviations_;
};

/// Ports of the fabric that a node's cables should lead to.
std::vector<PortRef> Judgement::neighbours_of(std::size_t node) const {
  std::vector<PortRef> ports;
  for (const topology::Cable& cable : cables_of_[node]) {
    const auto far = match_.found[cable.b.node];
    if (far && raw(cable.b.port) <= fabric_.node(*far).port_count) ports.push_back({*far, cable.b.port});
  }
  return ports;
}

void Judgement::match_by_place() {
  for (std::size_t n = 0; n < topology_.nodes.size(); ++n) {
    if (match_.found[n]) continue;
    std::optional<NodeId> stands;
    bool one = true;
    for (const PortRef port : neighbours_of(n)) {
      const auto& peer = fabric_.port(port).peer;
      if (!peer) continue;
      one = one && !match_.expected[raw(peer->node)] && (!stands || *stands == peer->node);
      stands = peer->node;
    }
    if (!one || !stands) continue;
    match_.join(n, *stands);
    add_replaced(n, *stands);
  }
}

void Judgement::add_replaced(std::size_t node, NodeId by, std::string_view more) {
  add(Deviation::Kind::wrong_device, {fabric_.node(by).guid, PortNum{0}},
      fmt::format("{} stands where {} is expected{}", fabric::describe(fabric_.node(by)),
                  Names::of(topology_.nodes[node]), more),
      "if it was replaced, write the expected topology anew: weftctl expected make");
}

void Judgement::match() {
  match_.found.resize(topology_.nodes.size());
  match_.expected.resize(fabric_.node_count());
  match_.by_name.resize(topology_.nodes.size());
  std::size_t by_guid = 0;
  for (std::size_t n = 0; n < topology_.nodes.size(); ++n) {
    const auto id = fabric_.find(topology_.nodes[n].guid);
    if (!id) continue;
    match_.join(n, *id);
    ++by_guid;
  }
  match_by_name(fabric_, topology_, match_);
  const auto by_name = static_cast<std::size_t>(std::ranges::count(match_.by_name, true));
  guids_count_ = by_guid > by_name;
  match_by_place();
}

void Judgement::judge_node(std::size_t node, NodeId id) {
  const topology::Node& wanted = topology_.nodes[node];
  const fabric::Node& here = fabric_.node(id);
  if (here.type != wanted.type || here.port_count != wanted.port_count)
    add(Deviation::Kind::wrong_device, {here.guid, PortNum{0}},
        fmt::format("{} is a {} with {}, where a {} with {} is expected", fabric::describe(here),
                    name(here.type), counted(here.port_count, "port"), name(wanted.type),
                    counted(wanted.port_count, "port")));
  else if (match_.by_name[node] && guids_count_)
    add_replaced(node, id, ": another device of the same name");
}

void Judgement::judge_nodes() {
  for (std::size_t n = 0; n < topology_.nodes.size(); ++n) {
    const topology::Node& wanted = topology_.nodes[n];
    const auto id = match_.found[n];
    if (!id) {
      const std::vector<PortRef> ports = neighbours_of(n);
      const std::string where =
          ports.empty() ? "" : fmt::format(", the first at {}", fabric::describe(fabric_, ports.front()));
      add(Deviation::Kind::missing_node, {wanted.guid, PortNum{0}},
          fmt::format("{} {} is missing, with {}{}", name(wanted.type), Names::of(wanted),
                      counted(cables_of_[n].size(), "cable"), where));
      continue;
    }
    judge_node(n, *id);
  }
  for (std::size_t n = 0; n < fabric_.node_count(); ++n) {
    if (match_.expected[n]) continue;
    const auto id = static_cast<NodeId>(n);
    std::string where;
    for (const fabric::Port& port : fabric_.ports(id))
      if (port.peer && where.empty()) where = fmt::format(", at {}", fabric::describe(fabric_, *port.peer));
    add(Deviation::Kind::extra_node, {fabric_.node(id).guid, PortNum{0}},
        fmt::format("{} {} is not expected{}", name(fabric_.node(id).type),
                    fabric::describe(fabric_.node(id)), where));
  }
}

PortIndex Judgement::index_of(topology::End end) {
  const auto id = match_.found[end.node];
  if (id && raw(end.port) <= fabric_.node(*id).port_count) return index_of(PortRef{*id, end.port});
  const auto [at, fresh] = absent_index_.emplace(end, static_cast<PortIndex>(refs_.size() + absent_.size()));
  if (fresh) absent_.push_back(end);
  return at->second;
}

void Judgement::judge_speed(PortRef port, const topology::Cable& cable) {
  const fabric::Port& here = fabric_.port(port);
  if (!here.known || here.speed == LinkSpeed::none || here.width == LinkWidth::none) return;
  std::vector<std::string> below;
  if (lanes(here.width) < lanes(cable.width))
    below.push_back(fmt::format("width {} where {} is expected", name(here.width), name(cable.width)));
  if (here.speed < cable.speed)
    below.push_back(fmt::format("speed {} where {} is expected", name(here.speed), name(cable.speed)));
  if (below.empty()) return;
  add(Deviation::Kind::slow, {fabric_.node(port.node).guid, port.port},
      fmt::format("link {} to {} has {}", fabric::describe(fabric_, port),
                  fabric::describe(fabric_, *here.peer), fmt::join(below, " and ")),
      "seat the plugs anew, then try another cable");
}

void Judgement::judge_cables() {
  Pairing expected;
  Pairing found;
  for (const topology::Cable& cable : topology_.cables) {
    const PortIndex a = index_of(cable.a);
    const PortIndex b = index_of(cable.b);
    expected.emplace(a, b);
    expected.emplace(b, a);
    if (!is_here(a) || !is_here(b)) continue;
    if (fabric_.port(ref(a)).peer == ref(b)) judge_speed(ref(a), cable);
  }
  for (PortIndex index = 0; index < refs_.size(); ++index)
    if (const auto& peer = fabric_.port(ref(index)).peer) found.emplace(index, index_of(*peer));
  for (Piece& piece : pieces_of(expected, found)) judge_piece(std::move(piece));
}

/// Ends at nodes that are not here are left out: no plug can be put there.
void Judgement::judge_piece(Piece piece) {
  if (piece.ring) return judge_ring(piece);
  std::string instead;
  const auto absent = [&](PortIndex index) {
    const topology::Node& node = topology_.nodes[absent_[index - refs_.size()].node];
    instead = fmt::format(", where {} is expected", Names::of(node));
  };
  if (!is_here(piece.ports.front())) {
    absent(piece.ports.front());
    piece.ports.erase(piece.ports.begin());
    piece.starts_expected = false;
  }
  if (!piece.ports.empty() && !is_here(piece.ports.back())) {
    absent(piece.ports.back());
    piece.ports.pop_back();
  }
  if (piece.ports.size() >= 2) judge_path(piece, instead);
}

void Judgement::judge_path(const Piece& piece, const std::string& instead) {
  const std::vector<PortIndex>& p = piece.ports;
  if (p.size() == 2) {
    const bool strange = !match_.expected[raw(ref(p[0]).node)] || !match_.expected[raw(ref(p[1]).node)];
    if (piece.starts_expected)
      add(Deviation::Kind::missing_cable, plug(p[0]),
          fmt::format("no link from {} to {}", text(p[0]), text(p[1])));
    else if (!strange || !instead.empty())
      add(Deviation::Kind::extra_cable, plug(p[0]),
          fmt::format("the link from {} to {} is not expected{}", text(p[0]), text(p[1]), instead));
    return;
  }
  // Each cable that is there becomes the expected one beside it: one plug stays, the other one moves.
  std::vector<PlugMove> moves;
  std::vector<std::string> mends;
  std::vector<std::string> told;
  const bool over = !piece.starts_expected && p.size() % 2 == 0;  // one more is there than expected
  if (over)
    mends.push_back(fmt::format("take out the cable from {} to {}", names_.brief(ref(p[p.size() - 2])),
                                names_.brief(ref(p.back()))));
  const std::size_t first = piece.starts_expected ? 0 : 2;
  for (std::size_t to = first; to < p.size(); to += 2) {
    const std::size_t stays = piece.starts_expected ? to + 1 : to - 1;
    const std::size_t from = piece.starts_expected ? to + 2 : to - 2;
    if (from >= p.size()) break;
    moves.push_back({plug(p[from]), plug(p[to])});
    mends.push_back(
        fmt::format("move the plug in {} to {}", names_.brief(ref(p[from])), names_.brief(ref(p[to]))));
    told.push_back(
        fmt::format("{} leads to {}, where {} is expected", text(p[stays]), text(p[from]), text(p[to])));
  }
  if (piece.starts_expected && p.size() % 2 == 0)
    mends.push_back(fmt::format("lay a cable from {} to {}", names_.brief(ref(p[p.size() - 2])),
                                names_.brief(ref(p.back()))));
  const Plug place = moves.front().from;
  add(Deviation::Kind::misplaced, place, fmt::format("{}{}", fmt::join(told, "; "), instead),
      fmt::format("{}", fmt::join(mends, ", then ")), std::move(moves));
}

/// In a ring either all even plugs move or all odd ones: those that are at fewer nodes.
void Judgement::judge_ring(const Piece& piece) {
  const std::vector<PortIndex>& p = piece.ports;
  const std::size_t size = p.size();
  const auto moves_of = [&](std::size_t parity) {
    std::vector<std::pair<PortIndex, PortIndex>> moves;
    for (std::size_t i = parity; i < size; i += 2)
      moves.emplace_back(p[i], parity == 0 ? p[(i + size - 2) % size] : p[(i + 2) % size]);
    return moves;
  };
  const auto nodes_of = [&](std::size_t parity) {
    std::set<NodeId> nodes;
    for (std::size_t i = parity; i < size; i += 2) nodes.insert(ref(p[i]).node);
    return nodes.size();
  };
  const auto chosen = moves_of(nodes_of(1) < nodes_of(0) ? 1 : 0);
  std::vector<PlugMove> moves;
  std::vector<std::string> steps;
  std::vector<std::string> told;
  for (const auto& [from, to] : chosen) {
    moves.push_back({plug(from), plug(to)});
    steps.push_back(fmt::format("{} to {}", names_.brief(ref(from)), names_.brief(ref(to))));
    told.push_back(
        fmt::format("{} leads to {}", text(from), fabric::describe(fabric_, *fabric_.port(ref(from)).peer)));
  }
  const PortRef a = std::min(ref(chosen[0].first), ref(chosen[1].first));
  const PortRef b = std::max(ref(chosen[0].first), ref(chosen[1].first));
  std::string mend = fmt::format("move plugs: {}", fmt::join(steps, ", "));
  if (chosen.size() == 2 && a.node == b.node)
    mend = fmt::format("swap ports {} and {} of {}", raw(a.port), raw(b.port), names_.brief(a.node));
  else if (chosen.size() == 2)
    mend = fmt::format("swap the plugs in {} and {}", names_.brief(a), names_.brief(b));
  add(Deviation::Kind::swapped, plug(index_of(a)),
      fmt::format("{} have changed places: {}", counted(chosen.size(), "plug"), fmt::join(told, "; ")),
      std::move(mend), std::move(moves));
}

std::vector<Deviation> Judgement::judge() {
  for (std::size_t n = 0; n < fabric_.node_count(); ++n) {
    const auto id = static_cast<NodeId>(n);
    for (std::size_t p = 0; p < fabric_.ports(id).size(); ++p) refs_.push_back({id, static_cast<PortNum>(p)});
  }
  cables_of_.resize(topology_.nodes.size());
  for (const topology::Cable& cable : topology_.cables) {
    cables_of_[cable.a.node].push_back(cable);
    cables_of_[cable.b.node].push_back({cable.b, cable.a, cable.width, cable.speed});
  }
  match();
  judge_nodes();
  judge_cables();
  std::ranges::sort(deviations_, [](const Deviation& a, const Deviation& b) {
    return std::tie(a.kind, a.place, a.what) < std::tie(b.kind, b.place, b.what);
  });
  return std::move(deviations_);
}

/// A name as an id: without what ids may not have.
std::string id_of(const fabric::Node& node, const Called<NodeId>& called) {
  const auto found = called.find(node.description);
  std::string id = node.description;
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  if (found != called.end() && found->second && std::ranges::all_of(id, plain)) return id;
  constexpr std::string_view kLetters = "?HSR";
  return fmt::format("{}-{:016x}", kLetters[static_cast<std::size_t>(node.type) % 4], raw(node.guid));
}

topology::Node node_of(const Fabric& fabric, NodeId id, const Called<NodeId>& called) {
  const fabric::Node& node = fabric.node(id);
  topology::Node made;
  made.type = node.type;
  made.id = id_of(node, called);
  made.description = node.description.substr(0, 63);
  made.guid = node.guid;
  made.system_guid = node.system_guid;
  made.port_count = node.port_count;
  made.vendor = node.vendor;
  made.device = node.device;
  made.enhanced_port0 = node.switch_facts.enhanced_port0;
  const auto ports = fabric.ports(id);
  if (node.type == NodeType::switch_) {
    made.port_guids.push_back(raw(ports[0].guid) != 0 ? ports[0].guid : node.guid);
  } else {
    for (std::size_t p = 1; p < ports.size(); ++p)
      made.port_guids.push_back(raw(ports[p].guid) != 0 ? ports[p].guid
                                                        : static_cast<Guid>(raw(node.guid) + p));
  }
  return made;
}

}  // namespace

std::string_view name(Deviation::Kind kind) {
  constexpr std::string_view kNames[] = {"missing node", "extra node", "wrong device", "missing cable",
                                         "extra cable",  "swapped",    "misplaced",    "slow"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<Deviation> deviations(const Fabric& fabric, const Topology& expected) {
  return Judgement(fabric, expected).judge();
}

Topology topology_of(const Fabric& fabric, std::string name) {
  Topology topology{std::move(name), {}, {}};
  Called<NodeId> called;
  for (std::size_t n = 0; n < fabric.node_count(); ++n)
    call(called, fabric.node(static_cast<NodeId>(n)).description, static_cast<NodeId>(n));
  for (std::size_t n = 0; n < fabric.node_count(); ++n) {
    const auto id = static_cast<NodeId>(n);
    topology.nodes.push_back(node_of(fabric, id, called));
    const auto ports = fabric.ports(id);
    for (std::size_t p = 1; p < ports.size(); ++p) {
      const PortRef here{id, static_cast<PortNum>(p)};
      const auto& peer = ports[p].peer;
      if (!peer || *peer < here || *peer == here) continue;
      topology.cables.push_back({{static_cast<std::uint32_t>(n), here.port},
                                 {raw(peer->node), peer->port},
                                 ports[p].width == LinkWidth::none ? LinkWidth::x1 : ports[p].width,
                                 ports[p].speed == LinkSpeed::none ? LinkSpeed::sdr : ports[p].speed});
    }
  }
  topology::sort_cables(topology);
  return topology;
}

}  // namespace weft::plan
