#include "fabric/who.h"

#include <algorithm>
#include <cctype>

#include "base/words.h"

namespace weft::fabric {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

bool is_of(NodeType type, Who::Kind kind) {
  switch (kind) {
    case Who::Kind::all:
      return true;
    case Who::Kind::hosts:
      return type == NodeType::hca;
    case Who::Kind::switches:
      return type == NodeType::switch_;
    case Who::Kind::routers:
      return type == NodeType::router;
    default:
      return false;
  }
}

}  // namespace

Finder::Finder(const Fabric& fabric, PortRef self) : fabric_(fabric), self_(self) {
  const auto ends = fabric.end_ports();
  first_end_.assign(fabric.node_count() + 1, static_cast<std::uint32_t>(ends.size()));
  for (std::size_t i = ends.size(); i-- > 0;) first_end_[raw(ends[i].node)] = static_cast<std::uint32_t>(i);
  for (std::size_t n = fabric.node_count(); n-- > 0;)
    first_end_[n] = std::min(first_end_[n], first_end_[n + 1]);
  names_.reserve(fabric.node_count());
  for (std::size_t n = 0; n < fabric.node_count(); ++n)
    names_.push_back({lower(fabric.nodes()[n].description), static_cast<NodeId>(n)});
  std::ranges::sort(names_, {},
                    [](const Named& named) { return std::pair(std::string_view(named.name), named.node); });
}

void Finder::add_node(NodeId node, std::vector<std::uint32_t>& found) const {
  for (std::uint32_t i = first_end_[raw(node)]; i < first_end_[raw(node) + 1]; ++i) found.push_back(i);
}

void Finder::add_port(PortRef port, std::vector<std::uint32_t>& found) const {
  const auto ends = fabric_.end_ports();
  for (std::uint32_t i = first_end_[raw(port.node)]; i < first_end_[raw(port.node) + 1]; ++i)
    if (ends[i] == port) found.push_back(i);
}

/// A name's first word names its node too, as in "h7 mlx5_0": what a host calls itself begins with its own.
std::vector<NodeId> Finder::nodes_named(std::string_view pattern) const {
  const std::string whole = lower(pattern);
  const std::string_view fixed = std::string_view(whole).substr(0, whole.find_first_of("*?"));
  std::vector<NodeId> found;
  const auto by_name = [](const Named& named) { return std::string_view(named.name); };
  for (auto at = std::ranges::lower_bound(names_, fixed, {}, by_name);
       at != names_.end() && at->name.starts_with(fixed); ++at) {
    const std::string_view name = at->name;
    if (glob_matches(whole, name) || glob_matches(whole, name.substr(0, name.find(' '))))
      found.push_back(at->node);
  }
  return found;
}

/// A port of a switch means what hangs there, a port of a host or router itself.
std::vector<std::uint32_t> Finder::at_port(const Who& who) const {
  std::vector<NodeId> nodes;
  if (who.guid != Guid{}) {
    if (const auto node = fabric_.find(who.guid)) nodes.push_back(*node);
  } else {
    nodes = nodes_named(who.name);
  }
  std::vector<std::uint32_t> found;
  for (const NodeId node : nodes) {
    if (raw(who.port) > fabric_.node(node).port_count) continue;
    const auto& peer = fabric_.ports(node)[raw(who.port)].peer;
    if (raw(who.port) == 0 || !fabric_.is_switch(node))
      add_port({node, who.port}, found);
    else if (peer && !fabric_.is_switch(peer->node))
      add_port(*peer, found);
  }
  return found;
}

std::vector<std::uint32_t> Finder::find(const Who& who) const {
  std::vector<std::uint32_t> found;
  switch (who.kind) {
    case Who::Kind::all:
    case Who::Kind::hosts:
    case Who::Kind::switches:
    case Who::Kind::routers:
      for (std::size_t n = 0; n < fabric_.node_count(); ++n)
        if (is_of(fabric_.nodes()[n].type, who.kind)) add_node(static_cast<NodeId>(n), found);
      break;
    case Who::Kind::name:
      for (const NodeId node : nodes_named(who.name)) add_node(node, found);
      break;
    case Who::Kind::port:
      return at_port(who);
    case Who::Kind::guid: {
      if (who.last != Guid{}) {
        for (std::uint32_t i = 0; i < fabric_.end_ports().size(); ++i)
          if (const Guid guid = fabric_.port(fabric_.end_ports()[i]).guid;
              who.guid <= guid && guid <= who.last)
            found.push_back(i);
        break;
      }
      const auto port = fabric_.find_port(who.guid);
      if (port && !fabric_.is_switch(port->node)) {
        add_port(*port, found);
      } else if (const auto node = fabric_.find(who.guid)) {
        add_node(*node, found);
      } else if (port) {
        add_port(*port, found);
      }
      break;
    }
    case Who::Kind::self:
      add_port(self_, found);
      break;
  }
  return found;
}

int specificity(Who::Kind kind) { return static_cast<int>(kind); }

std::string describe(const Who& who) {
  switch (who.kind) {
    case Who::Kind::all:
      return "all";
    case Who::Kind::hosts:
      return "hosts";
    case Who::Kind::switches:
      return "switches";
    case Who::Kind::routers:
      return "routers";
    case Who::Kind::self:
      return "self";
    case Who::Kind::guid:
      return to_string(who.guid) + (who.last == Guid{} ? "" : "-" + to_string(who.last));
    case Who::Kind::name:
      return "node " + who.name;
    case Who::Kind::port:
      return "port " + to_string(who.port) + " of " + (who.guid != Guid{} ? to_string(who.guid) : who.name);
  }
  return {};
}

}  // namespace weft::fabric
