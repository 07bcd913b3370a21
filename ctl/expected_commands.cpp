#include "ctl/expected_commands.h"

#include <fstream>
#include <map>
#include <ostream>

#include <fmt/format.h>
#include <boost/json/serialize.hpp>

#include "ctl/ask.h"
#include "ctl/json_read.h"
#include "topology/json_file.h"
#include "topology/load.h"

namespace weft::ctl {

namespace json = boost::json;

namespace {

std::string expected_text(const json::value& answer, const Style& style) {
  const std::string file = text(answer, "file");
  if (file.empty())
    return "no topology is expected: weftctl expected make FILE writes one, fabric.expected names it\n";
  if (!flag(answer, "compared")) return fmt::format("nothing is compared with {} yet\n", file);
  const json::array& all = items(answer, "deviations");
  if (all.empty()) return fmt::format("the fabric is as {} says\n", file);
  Table table({{"KIND"}, {"WHAT", Align::left}, {"LIKELY MEND", Align::left}});
  for (const json::value& one : all)
    table.add({{text(one, "kind"), Colour::yellow}, text(one, "what"), text(one, "mend")});
  const std::uint64_t total = number(answer, "total");
  return fmt::format("{} from {}\n{}", counted(total, "deviation"), file, table.text(style));
}

NodeType type_from(const std::string& text) {
  if (text == "switch") return NodeType::switch_;
  return text == "router" ? NodeType::router : NodeType::hca;
}

bool plain(const std::string& id) {
  return !id.empty() &&
         id.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") == id.npos;
}

topology::Node node_from(const json::value& one, bool name_is_unique) {
  topology::Node node;
  node.type = type_from(text(one, "type"));
  node.guid = guid_from(text(one, "guid")).value_or(Guid{});
  node.system_guid = node.guid;
  node.description = text(one, "name").substr(0, 63);
  const char letter = node.type == NodeType::switch_ ? 'S' : node.type == NodeType::router ? 'R' : 'H';
  node.id = name_is_unique && plain(node.description) ? node.description
                                                      : fmt::format("{}-{:016x}", letter, raw(node.guid));
  node.port_count = static_cast<std::uint8_t>(number(one, "ports"));
  node.vendor = static_cast<std::uint32_t>(number(one, "vendor"));
  node.device = static_cast<std::uint16_t>(number(one, "device"));
  if (node.type == NodeType::switch_) {
    node.port_guids = {node.guid};
    return node;
  }
  for (unsigned port = 1; port <= node.port_count; ++port)
    node.port_guids.push_back(static_cast<Guid>(raw(node.guid) + port));
  for (const json::value& end : items(one, "end_ports")) {
    const std::uint64_t port = number(end, "port");
    const auto guid = guid_from(text(end, "guid"));
    if (guid && port >= 1 && port <= node.port_count) node.port_guids[port - 1] = *guid;
  }
  return node;
}

Exit failed(const Output& output, const std::string& why) {
  output.err << "weftctl: " << why << std::endl;
  return Exit::failed;
}

Exit failed(const Output& output, const Failure& failure) {
  failed(output, failure.message);
  if (!failure.hint.empty()) output.err << "  " << failure.hint << '\n';
  return failure.code == "no_device" ? Exit::no_device : Exit::failed;
}

}  // namespace

Result<topology::Topology> topology_of(const json::value& nodes, const json::value& links) {
  topology::Topology topology{"live fabric", {}, {}};
  std::map<std::string, int> names;
  for (const json::value& one : items(nodes, "nodes")) ++names[text(one, "name")];
  std::map<std::string, std::uint32_t> index;
  for (const json::value& one : items(nodes, "nodes")) {
    index.emplace(text(one, "guid"), static_cast<std::uint32_t>(topology.nodes.size()));
    topology.nodes.push_back(node_from(one, names[text(one, "name")] == 1));
  }
  for (const json::value& one : items(links, "links")) {
    const auto a = index.find(text(one, "a.guid"));
    const auto b = index.find(text(one, "b.guid"));
    if (a == index.end() || b == index.end())
      return fail(Errc::conflict, "the fabric changed while it was read; try again");
    topology.cables.push_back({{a->second, static_cast<PortNum>(number(one, "a.port"))},
                               {b->second, static_cast<PortNum>(number(one, "b.port"))},
                               link_width_from(text(one, "width")).value_or(LinkWidth::x1),
                               link_speed_from(text(one, "speed")).value_or(LinkSpeed::sdr)});
  }
  topology::sort_cables(topology);
  if (auto valid = topology::validate(topology); !valid) return fail(valid.error());
  return topology;
}

Exit show_expected(const Client& client, const Output& output) {
  const auto answer = client.get("/v1/expected");
  if (!answer) return failed(output, answer.error());
  output.out << (output.json ? json::serialize(*answer) + "\n" : expected_text(*answer, output.style))
             << std::flush;
  return number(*answer, "total") == 0 ? Exit::done : Exit::failed;
}

Exit make_expected(const Client& client, const Output& output, const std::string& file,
                   const std::string& fabric) {
  Result<topology::Topology> topology = fail(Errc::unavailable, "");
  if (!fabric.empty()) {
    topology = topology::load(fabric);
  } else {
    const auto nodes = pages_of(client, "/v1/nodes?", "nodes");
    if (!nodes) return failed(output, nodes.error());
    const auto links = pages_of(client, "/v1/links?", "links");
    if (!links) return failed(output, links.error());
    topology = topology_of(*nodes, *links);
  }
  if (!topology) return failed(output, topology.error().what);
  const std::string text = topology::write_json(*topology);
  if (file == "-") {
    output.out << text << std::flush;
    return Exit::done;
  }
  std::ofstream to(file, std::ios::binary);
  to << text << std::flush;
  if (!to.good()) return failed(output, fmt::format("cannot write {}", file));
  output.out << fmt::format("{} and {} written to {}\n", counted(topology->nodes.size(), "node"),
                            counted(topology->cables.size(), "cable"), file)
             << std::flush;
  return Exit::done;
}

}  // namespace weft::ctl
