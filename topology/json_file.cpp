#include "topology/json_file.h"

#include <algorithm>
#include <boost/json.hpp>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "topology/place.h"

namespace weft::topology {
namespace {

namespace json = boost::json;

constexpr std::int64_t kVersion = 1;

std::string_view view(const json::string& text) { return {text.data(), text.size()}; }
std::string_view view(const json::string_view& text) { return {text.data(), text.size()}; }

/// Reads members of one object; keeps the first error and which keys it knows.
class Members {
 public:
  Members(const json::object& object, std::string where) : object_(object), where_(std::move(where)) {}

  std::string_view text(std::string_view key, std::string_view fallback) {
    const json::value* value = find(key);
    if (value == nullptr) return fallback;
    if (const json::string* found = value->if_string()) return view(*found);
    note("{} is not a string", key);
    return fallback;
  }
  std::uint64_t number(std::string_view key, std::uint64_t most, std::uint64_t fallback) {
    const json::value* value = find(key);
    if (value == nullptr) return fallback;
    const std::int64_t* found = value->if_int64();
    if (found != nullptr && *found >= 0 && static_cast<std::uint64_t>(*found) <= most)
      return static_cast<std::uint64_t>(*found);
    note("{} is not a number from 0 to {}", key, most);
    return fallback;
  }
  bool flag(std::string_view key) {
    const json::value* value = find(key);
    if (value == nullptr) return false;
    if (const bool* found = value->if_bool()) return *found;
    note("{} is neither true nor false", key);
    return false;
  }
  Guid guid(std::string_view key, Guid fallback) {
    const json::value* value = find(key);
    return value == nullptr ? fallback : guid_of(*value, key);
  }
  std::vector<Guid> guids(std::string_view key) {
    std::vector<Guid> found;
    for (const json::value& value : array(key)) found.push_back(guid_of(value, key));
    return found;
  }
  const json::array& array(std::string_view key) {
    static const json::array kEmpty;
    const json::value* value = find(key);
    if (value == nullptr) return kEmpty;
    if (const json::array* found = value->if_array()) return *found;
    note("{} is not a list", key);
    return kEmpty;
  }
  bool has(std::string_view key) { return find(key) != nullptr; }

  template <typename... Args>
  void note(fmt::format_string<Args...> text, Args&&... args) {
    if (error_.empty()) error_ = fmt::format(text, std::forward<Args>(args)...);
  }
  /// The first error, or the first key that nobody asked for.
  Result<void> done() const {
    if (!error_.empty()) return fail(Errc::malformed, "{}: {}", where_, error_);
    for (const auto& member : object_)
      if (std::ranges::find(asked_, view(member.key())) == asked_.end())
        return fail(Errc::malformed, "{}: unknown key \"{}\"", where_, view(member.key()));
    return {};
  }

 private:
  const json::value* find(std::string_view key) {
    asked_.push_back(key);
    return object_.if_contains({key.data(), key.size()});
  }
  Guid guid_of(const json::value& value, std::string_view key) {
    const json::string* text = value.if_string();
    const auto found = text != nullptr ? guid_from(view(*text)) : std::nullopt;
    if (!found) note("{} is not a GUID like \"0x0002c90300fe1234\"", key);
    return found.value_or(Guid{});
  }

  const json::object& object_;
  std::string where_;
  std::string error_;
  std::vector<std::string_view> asked_;
};

Result<Node> read_node(const json::value& value, std::string where) {
  const json::object* object = value.if_object();
  if (object == nullptr) return fail(Errc::malformed, "{}: not an object", where);
  Members members(*object, std::move(where));
  Node node;
  node.id = members.text("id", "");
  const std::string_view type = members.text("type", "");
  if (type == name(NodeType::switch_))
    node.type = NodeType::switch_;
  else if (type == name(NodeType::router))
    node.type = NodeType::router;
  else if (type != name(NodeType::hca))
    members.note("type is none of hca, switch, router");
  node.description = members.text("description", node.id);
  node.guid = members.guid("guid", Guid{});
  node.system_guid = members.guid("system_guid", node.guid);
  node.port_count = static_cast<std::uint8_t>(members.number("ports", kMaxPorts, 0));
  node.vendor = static_cast<std::uint32_t>(members.number("vendor", 0xffffff, node.vendor));
  node.device = static_cast<std::uint16_t>(members.number("device", 0xffff, 0));
  node.enhanced_port0 = members.flag("enhanced_port0");
  if (members.has("port_guids"))
    node.port_guids = members.guids("port_guids");
  else if (node.type == NodeType::switch_)
    node.port_guids = {node.guid};
  else
    for (std::uint32_t port = 1; port <= node.port_count; ++port)
      node.port_guids.push_back(Guid{raw(node.guid) + port});
  if (auto ok = members.done(); !ok) return fail(ok.error());
  return node;
}

using ById = std::unordered_map<std::string_view, std::uint32_t>;

Result<End> read_end(const json::value& id, const json::value& port, const ById& by_id,
                     std::string_view where) {
  const json::string* text = id.if_string();
  const auto node = text != nullptr ? by_id.find(view(*text)) : by_id.end();
  if (node == by_id.end())
    return fail(Errc::not_found, "{}: unknown node \"{}\"", where,
                text != nullptr ? view(*text) : std::string_view("?"));
  const std::int64_t* number = port.if_int64();
  if (number == nullptr || *number < 1 || *number > kMaxPorts)
    return fail(Errc::malformed, "{}: bad port number of {}", where, node->first);
  return End{node->second, static_cast<PortNum>(*number)};
}

Result<Cable> read_cable(const json::value& value, const ById& by_id, std::string_view where) {
  const json::array* parts = value.if_array();
  if (parts == nullptr || parts->size() != 6)
    return fail(Errc::malformed, "{}: not [\"node\", port, \"node\", port, \"4x\", \"HDR\"]", where);
  const Result<End> a = read_end((*parts)[0], (*parts)[1], by_id, where);
  if (!a) return fail(a.error());
  const Result<End> b = read_end((*parts)[2], (*parts)[3], by_id, where);
  if (!b) return fail(b.error());
  const json::string* width_text = (*parts)[4].if_string();
  const json::string* speed_text = (*parts)[5].if_string();
  const auto width = width_text != nullptr ? link_width_from(view(*width_text)) : std::nullopt;
  const auto speed = speed_text != nullptr ? link_speed_from(view(*speed_text)) : std::nullopt;
  if (!width || !speed) return fail(Errc::malformed, "{}: bad link width or speed", where);
  return Cable{*a, *b, *width, *speed};
}

/// The line on which element `index` of the list `key`, a member of the outermost object, begins; 1 when
/// there is none. `text` is well-formed JSON.
std::size_t line_of_element(std::string_view text, std::string_view key, std::size_t index) {
  constexpr std::size_t kMember = 1;   // depth of the object's members ...
  constexpr std::size_t kElement = 2;  // ... and of what lists among them hold
  std::size_t line = 1;
  std::size_t depth = 0;
  std::size_t commas = 0;
  std::string_view last_string;
  bool inside = false;  // of the list
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\n') ++line;
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') continue;
    if (inside && depth == kElement && c == ',') {
      ++commas;
      continue;
    }
    if (inside && commas == index && c != ']') return line;
    if (c == '"') {
      const std::size_t begin = at + 1;
      for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\' ? 1 : 0;
      if (depth == kMember) last_string = text.substr(begin, at - begin);
    } else if (c == '{' || c == '[') {
      inside = inside || (c == '[' && depth == kMember && last_string == key);
      ++depth;
    } else if (c == '}' || c == ']') {
      --depth;
      inside = inside && depth >= kElement;
    }
  }
  return 1;
}

/// Makes errors of one file.
struct Blame {
  std::string_view text;
  std::string_view file;

  tl::unexpected<Error> at(const Place& place, const Error& error) const {
    if (place.what == Place::What::whole) return fail(error.code, "{}: {}", file, error.what);
    const std::string_view list = place.what == Place::What::node ? "nodes" : "cables";
    return fail(error.code, "{}:{}: {}", file, line_of_element(text, list, place.index), error.what);
  }
};

Result<Topology> read_document(const json::value& document, Place& place) {
  const json::object* object = document.if_object();
  if (object == nullptr) return fail(Errc::malformed, "not a JSON object");
  Members members(*object, "file");
  Topology topology;
  if (members.number("weft_topology", INT64_MAX, 0) != kVersion)
    return fail(Errc::malformed, "\"weft_topology\": {} is missing: no topology, or one of another version",
                kVersion);
  topology.name = members.text("name", "");
  const json::array& nodes = members.array("nodes");
  const json::array& cables = members.array("cables");
  if (auto ok = members.done(); !ok) return fail(ok.error());
  topology.nodes.reserve(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    place = {Place::What::node, i};
    Result<Node> node = read_node(nodes[i], fmt::format("nodes[{}]", i));
    if (!node) return fail(node.error());
    topology.nodes.push_back(*std::move(node));
  }
  ById by_id;
  for (std::uint32_t i = 0; i < topology.nodes.size(); ++i) by_id.emplace(topology.nodes[i].id, i);
  topology.cables.reserve(cables.size());
  for (std::size_t i = 0; i < cables.size(); ++i) {
    place = {Place::What::cable, i};
    const Result<Cable> cable = read_cable(cables[i], by_id, fmt::format("cables[{}]", i));
    if (!cable) return fail(cable.error());
    topology.cables.push_back(*cable);
  }
  if (auto ok = validate(topology, place); !ok) return fail(ok.error());
  return topology;
}

std::string quoted(std::string_view text) { return json::serialize(json::string(text.data(), text.size())); }

}  // namespace

Result<Topology> read_json(std::string_view text, std::string_view file_name) {
  json::stream_parser parser;
  json::error_code error;
  const std::size_t read = parser.write_some(text.data(), text.size(), error);
  if (!error && read == text.size()) parser.finish(error);
  if (error || read != text.size()) {
    const auto line = 1 + std::ranges::count(text.substr(0, read), '\n');
    return fail(Errc::malformed, "{}:{}: {}", file_name, line,
                error ? error.message() : "text after the end");
  }
  Place place;
  Result<Topology> topology = read_document(parser.release(), place);
  if (!topology) return Blame{text, file_name}.at(place, topology.error());
  return topology;
}

std::string write_json(const Topology& topology) {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "{{\"weft_topology\": {}, \"name\": {},\n\"nodes\": [", kVersion,
                 quoted(topology.name));
  std::string_view separator = "\n";
  for (const Node& node : topology.nodes) {
    fmt::format_to(out, "{}{{\"id\": {}, \"type\": \"{}\", \"description\": {}, \"guid\": \"{}\", ",
                   separator, quoted(node.id), name(node.type), quoted(node.description),
                   to_string(node.guid));
    if (node.system_guid != node.guid)
      fmt::format_to(out, "\"system_guid\": \"{}\", ", to_string(node.system_guid));
    fmt::format_to(out, "\"port_guids\": [");
    for (std::size_t i = 0; i < node.port_guids.size(); ++i)
      fmt::format_to(out, "{}\"{}\"", i == 0 ? "" : ", ", to_string(node.port_guids[i]));
    fmt::format_to(out, "], \"ports\": {}, \"vendor\": {}, \"device\": {}{}}}", node.port_count, node.vendor,
                   node.device, node.enhanced_port0 ? ", \"enhanced_port0\": true" : "");
    separator = ",\n";
  }
  fmt::format_to(out, "\n],\n\"cables\": [");
  separator = "\n";
  for (const Cable& cable : topology.cables) {
    fmt::format_to(out, "{}[{}, {}, {}, {}, \"{}\", \"{}\"]", separator,
                   quoted(topology.nodes[cable.a.node].id), raw(cable.a.port),
                   quoted(topology.nodes[cable.b.node].id), raw(cable.b.port), name(cable.width),
                   name(cable.speed));
    separator = ",\n";
  }
  fmt::format_to(out, "\n]}}\n");
  return fmt::to_string(text);
}

}  // namespace weft::topology
