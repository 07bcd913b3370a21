#include "tests/routing/fabrics.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <map>
#include <optional>
#include <random>
#include <tuple>

#include <fmt/format.h>

#include "fabric/builder.h"

namespace weft::routing {

std::uint32_t Drawing::add_switch(std::string name) {
  nodes_.push_back({true, name.empty() ? fmt::format("s{}", nodes_.size()) : std::move(name)});
  return node_count() - 1;
}

std::uint32_t Drawing::add_host(std::uint32_t to) { return add_host(std::vector{to}); }

void Drawing::add_hosts(std::uint32_t to, int count) {
  for (int i = 0; i < count; ++i) add_host(to);
}

std::uint32_t Drawing::add_host(const std::vector<std::uint32_t>& to) {
  nodes_.push_back({false, fmt::format("h{}", nodes_.size())});
  const std::uint32_t host = node_count() - 1;
  for (const std::uint32_t s : to) cable(host, s);
  return host;
}

void Drawing::cable(std::uint32_t a, std::uint32_t b, int times) {
  for (int i = 0; i < times; ++i) {
    assert(nodes_[a].ports < kMaxPorts && nodes_[b].ports < kMaxPorts);
    const std::uint8_t port_a = ++nodes_[a].ports;
    const std::uint8_t port_b = ++nodes_[b].ports;
    cables_.push_back({a, b, port_a, port_b});
  }
}

void Drawing::cut(std::size_t i) {
  const std::size_t count = switch_cables();
  if (count == 0) return;
  i %= count;
  for (auto c = cables_.begin();; ++c) {
    if (!nodes_[c->a].is_switch || !nodes_[c->b].is_switch) continue;
    if (i-- != 0) continue;
    cables_.erase(c);
    return;
  }
}

void Drawing::isolate(std::uint32_t node) {
  std::erase_if(cables_, [node](const Cable& c) { return c.a == node || c.b == node; });
}

std::size_t Drawing::switch_cables() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      cables_, [this](const Cable& c) { return nodes_[c.a].is_switch && nodes_[c.b].is_switch; }));
}

fabric::Fabric Drawing::build() const {
  fabric::Builder builder;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    fabric::Node node;
    node.guid = guid(i);
    node.type = nodes_[i].is_switch ? NodeType::switch_ : NodeType::hca;
    node.port_count = std::max<std::uint8_t>(nodes_[i].ports, 1);
    node.description = nodes_[i].name;
    node.switch_facts.lft_capacity = lft_capacity_;
    node.switch_facts.mft_capacity = nodes_[i].mft_capacity;
    [[maybe_unused]] const Result<void> added = builder.add_node(node);
    assert(added);
  }
  for (const Cable& c : cables_) {
    [[maybe_unused]] const Result<void> joined = builder.connect({guid(c.a), static_cast<PortNum>(c.port_a)},
                                                                 {guid(c.b), static_cast<PortNum>(c.port_b)});
    assert(joined);
  }
  return builder.build();
}

Drawing xgft(const std::vector<int>& m, const std::vector<int>& w, int parallel) {
  const std::size_t levels = m.size();
  Drawing drawing;
  // A node of level i is (b_1 .. b_i, a_{i+1} .. a_h) with b_j < w_j and a_j < m_j; the key keeps them in
  // this order.
  const auto digits = [&](std::size_t level, int index) {
    std::vector<int> out(levels);
    for (std::size_t j = 0; j < levels; ++j) {
      const int base = j < level ? w[j] : m[j];
      out[j] = index % base;
      index /= base;
    }
    return out;
  };
  const auto count = [&](std::size_t level) {
    int n = 1;
    for (std::size_t j = 0; j < levels; ++j) n *= j < level ? w[j] : m[j];
    return n;
  };
  std::vector<std::map<std::vector<int>, std::uint32_t>> at(levels + 1);
  for (std::size_t level = 1; level <= levels; ++level)
    for (int i = 0; i < count(level); ++i)
      at[level][digits(level, i)] = drawing.add_switch(fmt::format("L{}-{}", level, i));
  for (const auto& [key, leaf] : at[1]) drawing.add_hosts(leaf, m[0]);
  for (std::size_t level = 1; level < levels; ++level) {
    for (const auto& [key, below] : at[level]) {
      for (int parent = 0; parent < w[level]; ++parent) {
        std::vector<int> above = key;
        above[level] = parent;
        drawing.cable(below, at[level + 1].at(above), parallel);
      }
    }
  }
  return drawing;
}

Drawing dragonfly(int p, int a, int h, int g) {
  Drawing drawing;
  for (int i = 0; i < a * g; ++i) drawing.add_switch(fmt::format("g{}-r{}", i / a, i % a));
  for (int i = 0; i < a * g; ++i) drawing.add_hosts(static_cast<std::uint32_t>(i), p);
  const auto router = [a](int group, int r) { return static_cast<std::uint32_t>(group * a + r); };
  for (int group = 0; group < g; ++group)
    for (int r = 0; r < a; ++r)
      for (int s = r + 1; s < a; ++s) drawing.cable(router(group, r), router(group, s));
  for (int group = 0; group < g; ++group) {
    for (int k = 0; k < g - 1; ++k) {
      const int other = (group + k + 1) % g;
      if (other > group) drawing.cable(router(group, k / h), router(other, (g - 2 - k) / h));
    }
  }
  return drawing;
}

Drawing dragonfly_plus(int p, int leaves, int spines, int h, int g) {
  Drawing drawing;
  const int size = leaves + spines;
  for (int i = 0; i < g * size; ++i)
    drawing.add_switch(fmt::format("g{}-{}{}", i / size, i % size < leaves ? "leaf" : "spine", i % size));
  const auto leaf = [&](int group, int i) { return static_cast<std::uint32_t>(group * size + i); };
  const auto spine = [&](int group, int i) { return leaf(group, leaves + i); };
  for (int group = 0; group < g; ++group) {
    for (int i = 0; i < leaves; ++i) {
      drawing.add_hosts(leaf(group, i), p);
      for (int j = 0; j < spines; ++j) drawing.cable(leaf(group, i), spine(group, j));
    }
  }
  for (int a = 0; a < g; ++a) {
    for (int link = 0; link < spines * h / (g - 1); ++link) {
      for (int b = a + 1; b < g; ++b) {
        const int from = link * (g - 1) + b - a - 1;
        const int to = link * (g - 1) + g - (b - a) - 1;
        drawing.cable(spine(a, from / h), spine(b, to / h));
      }
    }
  }
  return drawing;
}

Drawing ring(int switches, int hosts_each) { return torus(switches, 1, 1, hosts_each); }

Drawing torus(int x, int y, int z, int hosts_each) {
  Drawing drawing;
  const auto at = [&](int i, int j, int k) {
    return static_cast<std::uint32_t>(((i % x) * y + j % y) * z + k % z);
  };
  for (int i = 0; i < x * y * z; ++i) drawing.add_switch();
  for (int i = 0; i < x; ++i) {
    for (int j = 0; j < y; ++j) {
      for (int k = 0; k < z; ++k) {
        drawing.add_hosts(at(i, j, k), hosts_each);
        if (x > 2 || i + 1 < x) drawing.cable(at(i, j, k), at(i + 1, j, k));
        if (y > 2 || (y == 2 && j + 1 < y)) drawing.cable(at(i, j, k), at(i, j + 1, k));
        if (z > 2 || (z == 2 && k + 1 < z)) drawing.cable(at(i, j, k), at(i, j, k + 1));
      }
    }
  }
  return drawing;
}

Drawing random_graph(int switches, int extra, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&random](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  Drawing drawing;
  for (int i = 0; i < switches; ++i) drawing.add_switch();
  const auto count = static_cast<std::uint32_t>(switches);
  for (std::uint32_t i = 1; i < count; ++i) drawing.cable(i, below(i));
  for (int i = 0; i < extra && count > 1; ++i) {
    const std::uint32_t a = below(count);
    const std::uint32_t b = below(count - 1);
    drawing.cable(a, b < a ? b : b + 1);
  }
  for (std::uint32_t i = 0; i < count; ++i) drawing.add_hosts(i, static_cast<int>(below(3)));
  return drawing;
}

Case::Case(fabric::Fabric what, std::uint8_t lmc)
    : fabric(std::make_unique<fabric::Fabric>(std::move(what))) {
  problem.fabric = fabric.get();
  std::uint32_t lid = 1U << lmc;
  for (std::uint32_t s = 0; s < switches(); ++s) {
    const std::span<const fabric::Port> ports = fabric->ports(static_cast<SwitchId>(s));
    for (std::size_t p = 1; p < ports.size(); ++p) {
      if (!ports[p].peer || fabric->is_switch(ports[p].peer->node)) continue;
      problem.destinations.push_back(
          {static_cast<Lid>(lid), lmc, static_cast<SwitchId>(s), static_cast<PortNum>(p), false});
      lid += 1U << lmc;
    }
  }
  for (std::uint32_t s = 0; s < switches(); ++s)
    problem.destinations.push_back({static_cast<Lid>(lid++), 0, static_cast<SwitchId>(s), PortNum{0}, false});
  problem.top = static_cast<Lid>(lid - 1);
}

Routes with_entry(const Routes& routes, std::uint32_t at, Lid lid, std::uint8_t port) {
  Routes changed = routes;
  changed.lfts[at] =
      std::make_shared<const Lft>(routes.lfts[at]->with(std::array{Lft::Entry{raw(lid), port}}));
  return changed;
}

std::vector<int> all_distances(const fabric::Fabric& fabric) {
  const std::size_t n = fabric.switch_count();
  std::vector<int> distance(n * n, -1);
  for (std::uint32_t from = 0; from < n; ++from) {
    std::vector<std::uint32_t> reached{from};
    distance[from * n + from] = 0;
    for (std::size_t next = 0; next < reached.size(); ++next) {
      for (const fabric::Port& port : fabric.ports(static_cast<SwitchId>(reached[next]))) {
        const auto to = port.peer ? fabric.switch_of(port.peer->node) : std::nullopt;
        if (!to || distance[from * n + raw(*to)] >= 0) continue;
        distance[from * n + raw(*to)] = distance[from * n + reached[next]] + 1;
        reached.push_back(raw(*to));
      }
    }
  }
  return distance;
}

namespace {

using Hop = std::pair<std::uint32_t, std::uint8_t>;                    // switch, port
using Buffer = std::tuple<std::uint32_t, std::uint8_t, std::uint8_t>;  // and VL

/// The hops with the VLs that a packet takes along them.
std::vector<Buffer> buffers(const Problem& problem, const Routes& routes, const std::vector<Hop>& hops,
                            std::uint8_t layer) {
  std::vector<Buffer> out;
  PortNum in{0};
  for (const auto& [s, port] : hops) {
    const auto here = static_cast<SwitchId>(s);
    out.emplace_back(s, port,
                     routes.lanes ? raw(routes.lanes->at(here, in, static_cast<PortNum>(port))) : layer);
    in = problem.fabric->ports(here)[port].peer->port;
  }
  return out;
}

/// Hops between switches from `s` to `to`; nothing when the packet does not arrive. `loops` when it comes
/// round.
std::optional<std::vector<Hop>> walk(const Problem& problem, const Routes& routes, std::uint32_t s, Lid lid,
                                     const Destination& to, std::vector<Hop>& hops, bool& loops) {
  const fabric::Fabric& fabric = *problem.fabric;
  hops.clear();
  std::set<std::uint32_t> visited;
  while (visited.insert(s).second) {
    const std::uint8_t port = raw(routes.out(static_cast<SwitchId>(s), lid));
    if (s == raw(to.at) && port == raw(to.port) && to.is_switch()) return hops;
    const std::span<const fabric::Port> ports = fabric.ports(static_cast<SwitchId>(s));
    if (port == 0 || port >= ports.size() || !ports[port].peer) return std::nullopt;
    const std::optional<SwitchId> next = fabric.switch_of(ports[port].peer->node);
    if (!next && s == raw(to.at) && port == raw(to.port)) return hops;
    if (!next) return std::nullopt;
    hops.emplace_back(s, port);
    s = raw(*next);
  }
  loops = true;
  return std::nullopt;
}

bool has_cycle(std::map<Buffer, std::set<Buffer>> waits) {
  // Take away channels that wait for nobody until none is left, or a cycle is.
  for (bool changed = true; changed;) {
    changed = false;
    for (auto it = waits.begin(); it != waits.end();) {
      std::erase_if(it->second, [&](const Buffer& b) { return !waits.contains(b); });
      if (it->second.empty()) {
        it = waits.erase(it);
        changed = true;
      } else {
        ++it;
      }
    }
  }
  return !waits.empty();
}

}  // namespace

Verdict judge(const Problem& problem, const Routes& routes) {
  Verdict verdict;
  const std::size_t n = problem.fabric->switch_count();
  const std::vector<int> distance = all_distances(*problem.fabric);
  std::map<Buffer, std::set<Buffer>> waits;
  std::vector<Hop> hops;
  for (const Destination& from : problem.destinations) {
    for (const Destination& to : problem.destinations) {
      const bool connected = distance[raw(from.at) * n + raw(to.at)] >= 0;
      const bool counted = from != to && connected && (from.is_peer() || to.is_peer());
      for (std::uint32_t i = 0; i < 1U << to.lmc; ++i) {
        const auto lid = static_cast<Lid>(raw(to.base) + i);
        const bool arrives = walk(problem, routes, raw(from.at), lid, to, hops, verdict.loops).has_value();
        if (!counted) continue;
        ++verdict.pairs;
        if (!arrives) ++verdict.lost;
        if (arrives) verdict.longest = std::max(verdict.longest, static_cast<int>(hops.size()));
        // A loop is gone through twice more: from the second time on the VLs repeat.
        if (!hops.empty() && !arrives) {
          const std::uint32_t last = raw(*problem.fabric->switch_of(
              problem.fabric->ports(static_cast<SwitchId>(hops.back().first))[hops.back().second]
                  .peer->node));
          const std::vector<Hop> round(std::ranges::find(hops, last, &Hop::first), hops.end());
          for (int again = 0; again < 2; ++again) hops.insert(hops.end(), round.begin(), round.end());
        }
        const std::vector<Buffer> held =
            buffers(problem, routes, hops, static_cast<std::uint8_t>(routes.layer_of(to, lid)));
        for (std::size_t h = 1; h < held.size(); ++h) waits[held[h - 1]].insert(held[h]);
      }
    }
  }
  verdict.cycle = has_cycle(std::move(waits));
  return verdict;
}

int longest_between_hosts(const Problem& problem, const Routes& routes) {
  int longest = 0;
  std::vector<Hop> hops;
  bool loops = false;
  for (const Destination& from : problem.destinations) {
    for (const Destination& to : problem.destinations) {
      if (from.is_switch() || to.is_switch()) continue;
      if (walk(problem, routes, raw(from.at), to.base, to, hops, loops))
        longest = std::max(longest, static_cast<int>(hops.size()));
    }
  }
  return longest;
}

std::vector<std::uint64_t> routes_by_port(const Problem& problem, const Routes& routes) {
  const fabric::Fabric& fabric = *problem.fabric;
  std::vector<std::uint64_t> count(fabric.switch_count() * 256);
  std::vector<std::uint64_t> hosts(fabric.switch_count());
  for (const Destination& d : problem.destinations)
    if (!d.is_switch()) ++hosts[raw(d.at)];
  std::vector<Hop> hops;
  bool loops = false;
  for (std::uint32_t s = 0; s < hosts.size(); ++s) {
    if (hosts[s] == 0) continue;
    for (const Destination& to : problem.destinations) {
      if (to.is_switch()) continue;
      for (std::uint32_t i = 0; i < 1U << to.lmc; ++i) {
        if (!walk(problem, routes, s, static_cast<Lid>(raw(to.base) + i), to, hops, loops)) continue;
        for (const Hop& hop : hops) count[hop.first * 256 + hop.second] += hosts[s];
      }
    }
  }
  return count;
}

}  // namespace weft::routing
