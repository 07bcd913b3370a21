// opensm_quality: measures the tables that OpenSM dumped (opensm-subnet.lst and opensm.fdbs of one run) and
// ours for the same cables and LIDs, side by side. Its figures stand in docs/performance.md;
// bench/opensm_quality.py makes the dumps. With a blueprint, ours has seen that fabric before: its holes keep
// their places, as under a manager that saw a link die.

#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <regex>

#include <fmt/format.h>

#include "fabric/builder.h"
#include "routing/chain.h"
#include "routing/design.h"
#include "routing/quality.h"
#include "topology/load.h"

namespace {

using namespace weft;

struct Dump {
  fabric::Fabric fabric;
  routing::Problem problem;
  routing::Routes routes;
};

/// One end of a link as a line of opensm-subnet.lst tells it.
struct LinkEnd {
  bool is_switch = false;
  std::uint8_t ports = 0;
  Guid node{};
  Lid lid{};
  PortNum port{};
};

LinkEnd end_from(const std::smatch& m, std::size_t first) {
  return {m[first].str() == "SW", static_cast<std::uint8_t>(std::stoul(m[first + 1], nullptr, 16)),
          static_cast<Guid>(std::stoull(m[first + 2], nullptr, 16)),
          static_cast<Lid>(std::stoul(m[first + 3], nullptr, 16)),
          static_cast<PortNum>(std::stoul(m[first + 4], nullptr, 16))};
}

Dump read(const std::string& directory) {
  static const std::string end = R"(\{ (SW|CA)\S* Ports:(\w+) .*?NodeGUID:(\w+) .*?LID:(\w+) PN:(\w+) \})";
  static const std::regex line_form(end + " " + end + ".*");
  fabric::Builder builder;
  std::map<Guid, Lid> lids;
  std::ifstream subnet(directory + "/opensm-subnet.lst");
  for (std::string line; std::getline(subnet, line);) {
    std::smatch m;
    if (!std::regex_match(line, m, line_form)) continue;
    const LinkEnd ends[] = {end_from(m, 1), end_from(m, 6)};
    for (const LinkEnd& e : ends) {
      if (!builder.has_node(e.node)) {
        fabric::Node node;
        node.guid = e.node;
        node.type = e.is_switch ? NodeType::switch_ : NodeType::hca;
        node.port_count = e.ports;
        node.switch_facts.lft_capacity = 0xbfff;
        if (!builder.add_node(node)) continue;
      }
      lids[e.node] = e.lid;
    }
    if (!builder.connect({ends[0].node, ends[0].port}, {ends[1].node, ends[1].port}))
      std::cerr << line << "\n";
  }
  Dump dump{builder.build(), {}, {}};
  for (const fabric::PortRef& end_port : dump.fabric.end_ports()) {
    routing::Destination d{.base = lids[dump.fabric.node(end_port.node).guid]};
    if (const auto self = dump.fabric.switch_of(end_port.node)) {
      d.at = *self;
    } else {
      const fabric::PortRef peer = *dump.fabric.port(end_port).peer;
      d.at = *dump.fabric.switch_of(peer.node);
      d.port = peer.port;
    }
    dump.problem.top = std::max(dump.problem.top, d.base);
    dump.problem.destinations.push_back(d);
  }
  std::ranges::sort(dump.problem.destinations, {}, &routing::Destination::base);

  std::vector<std::vector<std::uint8_t>> rows(
      dump.fabric.switch_count(),
      std::vector<std::uint8_t>(routing::row_size(dump.problem.top), routing::kNoWay));
  std::ifstream tables(directory + "/opensm.fdbs");
  std::size_t at = rows.size();
  for (std::string line; std::getline(tables, line);) {
    if (const std::size_t guid = line.find("Switch 0x"); guid != std::string::npos) {
      const auto node = dump.fabric.find(static_cast<Guid>(std::stoull(line.substr(guid + 9), nullptr, 16)));
      at = node ? raw(*dump.fabric.switch_of(*node)) : rows.size();
    } else if (line.starts_with("0x") && at < rows.size() && std::isdigit(line[9]) != 0) {
      rows[at][std::stoul(line.substr(2, 4), nullptr, 16)] =
          static_cast<std::uint8_t>(std::stoul(line.substr(9, 3)));
    }
  }
  dump.routes.engine = "opensm";
  dump.routes.top = dump.problem.top;
  for (std::uint32_t s = 0; s < rows.size(); ++s) {
    dump.routes.switches.push_back(dump.fabric.node(SwitchId{s}).guid);
    dump.routes.lfts.push_back(std::make_shared<const routing::Lft>(rows[s]));
  }
  return dump;
}

/// The cabling of a blueprint.
Result<routing::Design> design_of(const std::string& blueprint) {
  const Result<topology::Topology> topology = topology::load(blueprint);
  if (!topology) return fail(topology.error());
  fabric::Builder builder;
  for (const topology::Node& n : topology->nodes) {
    fabric::Node node;
    node.guid = n.guid;
    node.type = n.type;
    node.port_count = n.port_count;
    if (const Result<void> added = builder.add_node(node); !added) return fail(added.error());
  }
  const auto end = [&topology](topology::End e) {
    return fabric::Builder::End{topology->nodes[e.node].guid, e.port};
  };
  for (const topology::Cable& c : topology->cables)
    if (const Result<void> joined = builder.connect(end(c.a), end(c.b)); !joined) return fail(joined.error());
  const Result<fabric::Fabric> fabric = builder.build();
  if (!fabric) return fail(fabric.error());
  return routing::learn({}, *fabric);
}

void print(std::string_view name, const routing::Quality& q) {
  fmt::print(
      "{:<12} shift {:.2f} (worst {}), permutation {}, all-to-all risk {}, index {}, bisection {:.3f}; ms: "
      "ring {:.1f}, "
      "doubling {:.1f}, all-to-all {:.1f}, adaptive {:.1f}; not joined {}\n",
      name, q.shift_mean, q.shift_worst, q.permutation, q.all_to_all_risk, q.forwarding_index, q.bisection,
      q.by_tables.ring * 1e3, q.by_tables.doubling * 1e3, q.by_tables.all_to_all * 1e3,
      q.adaptive.all_to_all * 1e3, q.unreached);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::cerr << "usage: opensm_quality DIR [BLUEPRINT]\n";
    return 2;
  }
  Dump dump = read(argv[1]);
  dump.problem.fabric = &dump.fabric;
  dump.problem.threads = 2;
  std::optional<routing::Design> design;
  if (argc == 3) {
    Result<routing::Design> seen = design_of(argv[2]);
    if (!seen) {
      std::cerr << seen.error().what << "\n";
      return 2;
    }
    design = std::move(*seen);
    dump.problem.design = &*design;
  }
  print("OpenSM", routing::measure(dump.problem, dump.routes, nullptr));
  const auto chain = routing::route(dump.problem, {.vls = 8});
  if (!chain) {
    std::cerr << chain.error().what << "\n";
    return 1;
  }
  const auto sets = routing::port_sets(dump.problem, chain->routes);
  print(chain->routes.engine, routing::measure(dump.problem, chain->routes, sets ? &*sets : nullptr));
  return 0;
}
