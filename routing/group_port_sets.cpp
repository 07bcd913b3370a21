// Port sets of dragonflies and Dragonfly+. Both go group by group: as long as the groups at both ends are
// whole and linked, all leaves of the destination's group have the same set. Where they are not, leaf by
// leaf, and where no direct way lives, set 0: packets go by the tables, which know of detours. So it is, too,
// where the tables of a damaged dragonfly take another way, since the direct ones have enough to carry.

#include <algorithm>
#include <numeric>

#include "routing/dragonfly_plus_shape.h"
#include "routing/dragonfly_shape.h"
#include "routing/parallel.h"
#include "routing/set_interner.h"

namespace weft::routing {
namespace {

void join(PortMask& to, const PortMask& from) {
  for (std::size_t w = 0; w < to.size(); ++w) to[w] |= from[w];
}

/// By [switch]: ports to each switch of its own group, by place there.
using LocalPorts = std::vector<std::vector<PortMask>>;

PortSets dragonfly_sets(const Problem& problem, const Routes& routes, const DesignGraph& graph,
                        const DragonflyShape& shape) {
  PortSets sets = empty_sets(problem);
  const std::vector<std::vector<Lid>> lids = lids_of_leaves(problem, sets);
  const bool damaged = shape.missing != 0;
  std::vector<std::uint32_t> place(graph.size());
  for (const auto& routers : shape.routers)
    for (std::uint32_t i = 0; i < routers.size(); ++i) place[routers[i]] = i;
  LocalPorts local(shape.live);
  for (std::uint32_t s = 0; s < shape.live; ++s) {
    local[s].resize(shape.routers[shape.group[s]].size());
    for (const DesignGraph::End& e : graph.ends_of(s))
      if (e.live && shape.group[e.to] == shape.group[s]) add_port(local[s][place[e.to]], e.port);
  }
  in_pieces(shape.live, problem.threads, [&](std::uint32_t from, std::uint32_t upto) {
    for (std::uint32_t s = from; s < upto; ++s) {
      SetInterner known(sets, s);
      const std::uint32_t group = shape.group[s];
      std::vector<std::uint16_t> to_group(shape.groups());
      for (std::uint32_t to = 0; to < shape.groups(); ++to) {
        if (to == group) continue;
        PortMask own{};
        PortMask other{};
        for (const DragonflyShape::Exit& e : shape.between(group, to)) {
          if (!e.live) continue;
          if (e.router == s)
            add_port(own, e.port);
          else
            join(other, local[s][place[e.router]]);
        }
        to_group[to] = known.number(own == PortMask{} ? other : own);
      }
      for (std::size_t leaf = 0; leaf < sets.leaves.size(); ++leaf) {
        const std::uint32_t d = raw(sets.leaves[leaf]);
        if (d == s) continue;
        const std::uint16_t number =
            shape.group[d] == group ? known.number(local[s][place[d]]) : to_group[shape.group[d]];
        const bool by_tables =
            damaged && std::ranges::any_of(lids[leaf], [&](Lid lid) {
              return !has_port(sets.sets[s][number], raw(routes.out(static_cast<SwitchId>(s), lid)));
            });
        sets.index(s, leaf) = by_tables ? std::uint16_t{0} : number;
      }
    }
  });
  return sets;
}

/// One group of a Dragonfly+ after another.
class PlusSets {
 public:
  enum Arrival : std::uint8_t { from_end, from_inside, from_outside };
  using Shape = DragonflyPlusShape;

  PlusSets(const Problem& problem, const DesignGraph& graph, const Shape& shape)
      : problem_(problem), graph_(graph), shape_(shape), local_(shape.live) {
    for (std::uint32_t s = 0; s < shape.live; ++s) {
      const Shape::Place& at = shape.place[s];
      local_[s].resize((at.spine ? shape.leaves : shape.spines)[at.group].size());
      for (const DesignGraph::End& e : graph.ends_of(s))
        if (e.live && shape.place[e.to].group == at.group)
          add_port(local_[s][shape.place[e.to].index], e.port);
    }
  }

  PortSets make() {
    sets_ = empty_sets(problem_);
    const auto count = static_cast<std::uint32_t>(sets_.sets.size());
    sets_.state_classes = 3;
    sets_.row_of.resize(std::size_t{3} * count);
    std::uint32_t rows = count;
    for (std::uint32_t s = 0; s < count; ++s) {
      sets_.row_of[count + s] = s;
      sets_.row_of[2 * count + s] = shape_.place[s].spine ? rows++ : s;
      std::vector<std::uint8_t>& arrival = sets_.class_of_arrival[s];
      arrival.assign(problem_.fabric->ports(static_cast<SwitchId>(s)).size(), from_end);
      for (const DesignGraph::End& e : graph_.ends_of(s))
        if (e.port < arrival.size())
          arrival[e.port] = shape_.place[e.to].group == shape_.place[s].group ? from_inside : from_outside;
    }
    sets_.set_of.resize(rows * sets_.leaves.size());
    of_group_.resize(shape_.groups());
    whole_.assign(shape_.groups(), true);
    for (std::uint32_t s = 0; s < count; ++s) {
      const Shape::Place& at = shape_.place[s];
      for (std::uint32_t i = 0; at.spine && i < local_[s].size(); ++i)
        if (shape_.leaves[at.group][i] < count && local_[s][i] == PortMask{}) whole_[at.group] = false;
    }
    for (std::size_t leaf = 0; leaf < sets_.leaves.size(); ++leaf) {
      // A leaf of the fabric may be a spine with a manager on it: its hosts are reached by the tables alone.
      const Shape::Place& at = shape_.place[raw(sets_.leaves[leaf])];
      if (!at.spine) of_group_[at.group].emplace_back(leaf, at.index);
    }
    in_pieces(count, problem_.threads, [this](std::uint32_t from, std::uint32_t upto) {
      for (std::uint32_t s = from; s < upto; ++s) {
        if (shape_.place[s].spine)
          fill_spine(s);
        else
          fill_leaf(s);
      }
    });
    return std::move(sets_);
  }

 private:
  /// Whether the far end of an exit from `group` to `to` has a link down to a leaf there.
  bool leads(const Shape::Exit& e, std::uint32_t to, std::uint32_t leaf) const {
    const std::uint32_t spine = shape_.spines[to][e.far];
    return e.live && local_[spine][leaf] != PortMask{};
  }

  /// One set for all leaves of a group that is whole, else one by one. `set_for` gives the ports, and which
  /// of them are spare.
  template <typename SetFor>
  void by_exits(std::uint32_t s, std::uint32_t to, const SetFor& set_for, const std::vector<Arrival>& classes,
                SetInterner& known) {
    const std::vector<Shape::Exit>& exits = shape_.between(shape_.place[s].group, to);
    std::vector<bool> leads_there(exits.size());
    std::vector<std::uint16_t> numbers(classes.size());
    bool fresh = true;
    for (const auto& [leaf, index] : of_group_[to]) {
      if (fresh || !whole_[to]) {
        for (std::size_t i = 0; i < exits.size(); ++i) leads_there[i] = leads(exits[i], to, index);
        for (std::size_t c = 0; c < classes.size(); ++c) {
          const auto [ports, spare] = set_for(exits, leads_there, classes[c], index);
          numbers[c] = known.number(ports, spare);
        }
        fresh = false;
      }
      for (std::size_t c = 0; c < classes.size(); ++c) sets_.index(s, leaf, classes[c]) = numbers[c];
    }
  }

  void fill_leaf(std::uint32_t s) {
    SetInterner known(sets_, s);
    const std::uint32_t group = shape_.place[s].group;
    const auto up = [&](const std::vector<Shape::Exit>& exits, const std::vector<bool>& leads_there, Arrival,
                        std::uint32_t) {
      PortMask ports{};
      for (std::size_t i = 0; i < exits.size(); ++i)
        if (leads_there[i]) join(ports, local_[s][exits[i].spine]);
      return std::pair(ports, PortMask{});
    };
    for (std::uint32_t to = 0; to < shape_.groups(); ++to)
      if (to != group) by_exits(s, to, up, {from_end}, known);
    for (const auto& [leaf, index] : of_group_[group]) {
      if (raw(sets_.leaves[leaf]) == s) continue;
      PortMask ports{};
      for (std::uint32_t i = 0; i < shape_.spines[group].size(); ++i) {
        const std::uint32_t spine = shape_.spines[group][i];
        if (spine < shape_.live && local_[spine][index] != PortMask{}) join(ports, local_[s][i]);
      }
      sets_.index(s, leaf) = known.number(ports);
    }
  }

  void fill_spine(std::uint32_t s) {
    SetInterner known(sets_, s);
    const std::uint32_t group = shape_.place[s].group;
    const std::uint32_t own = shape_.place[s].index;
    std::vector<std::pair<std::uint32_t, const Shape::Exit*>> mine;
    for (std::uint32_t x = 0; x < shape_.groups(); ++x)
      for (const Shape::Exit& e : shape_.between(group, x))
        if (e.spine == own && e.live) mine.emplace_back(x, &e);
    for (std::uint32_t to = 0; to < shape_.groups(); ++to) {
      if (to == group) continue;
      const auto out = [&](const std::vector<Shape::Exit>& exits, const std::vector<bool>& leads_there,
                           Arrival arrival, std::uint32_t leaf) {
        PortMask ports{};
        for (std::size_t i = 0; i < exits.size(); ++i)
          if (leads_there[i] && exits[i].spine == own) add_port(ports, exits[i].port);
        PortMask spare{};
        if (arrival != from_outside && ports != PortMask{}) spare = by_a_third(group, mine, to, leaf);
        join(ports, spare);
        return std::pair(ports, spare);
      };
      by_exits(s, to, out, {from_end, from_outside}, known);
    }
    for (const auto& [leaf, index] : of_group_[group]) {
      const std::uint16_t number = known.number(local_[s][index]);
      sets_.index(s, leaf) = sets_.index(s, leaf, from_outside) = number;
    }
  }

  /// Own links to other groups, to spines there with a link that leads to the leaf; never down and then up.
  PortMask by_a_third(std::uint32_t group,
                      const std::vector<std::pair<std::uint32_t, const Shape::Exit*>>& mine, std::uint32_t to,
                      std::uint32_t leaf) const {
    PortMask ports{};
    for (const auto& [x, exit] : mine) {
      if (x == to || (x < group && to > x)) continue;
      const bool onward = std::ranges::any_of(shape_.between(x, to), [&](const Shape::Exit& next) {
        return next.spine == exit->far && leads(next, to, leaf);
      });
      if (onward) add_port(ports, exit->port);
    }
    return ports;
  }

  const Problem& problem_;
  const DesignGraph& graph_;
  const Shape& shape_;
  LocalPorts local_;
  PortSets sets_;
  std::vector<bool> whole_;  // by group: every live spine has a link to every live leaf
  std::vector<std::vector<std::pair<std::size_t, std::uint32_t>>> of_group_;  // leaf, place in the group
};

}  // namespace

Result<PortSets> dragonfly_port_sets(const Problem& problem, const Routes& routes) {
  const DesignGraph graph(problem);
  const Result<DragonflyShape> shape = dragonfly_shape(problem, graph);
  if (!shape && problem.design)
    return without_design(problem, [&routes](const Problem& p) { return dragonfly_port_sets(p, routes); });
  if (!shape) return fail(shape.error());
  return dragonfly_sets(problem, routes, graph, *shape);
}

Result<PortSets> dragonfly_plus_port_sets(const Problem& problem) {
  const DesignGraph graph(problem);
  const Result<DragonflyPlusShape> shape = dragonfly_plus_shape(problem, graph);
  if (!shape && problem.design) return without_design(problem, dragonfly_plus_port_sets);
  if (!shape) return fail(shape.error());
  return PlusSets(problem, graph, *shape).make();
}

}  // namespace weft::routing
