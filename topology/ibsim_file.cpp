#include "topology/ibsim_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <deque>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "topology/place.h"

namespace weft::topology {
namespace {

constexpr std::uint64_t kFirstHcaGuid = 0x100000;
constexpr std::uint64_t kFirstOtherGuid = 0x200000;
constexpr std::size_t kMaxDescription = 63;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// A walk along one line.
struct Cursor {
  std::string_view rest;

  void skip_blanks() {
    while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
  }
  bool take(std::string_view text) {
    if (!rest.starts_with(text)) return false;
    rest.remove_prefix(text.size());
    return true;
  }
  /// Up to a blank.
  std::string_view word() {
    const std::string_view found =
        rest.substr(0, static_cast<std::size_t>(std::ranges::find_if(rest, is_blank) - rest.begin()));
    rest.remove_prefix(found.size());
    return found;
  }
  std::optional<std::string_view> quoted() {
    if (!take("\"")) return std::nullopt;
    const std::size_t end = rest.find('"');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view found = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    return found;
  }
  /// Decimal, or hexadecimal behind 0x.
  std::optional<std::uint64_t> number() { return digits(take("0x") || take("0X") ? 16 : 10); }
  /// Hexadecimal with or without 0x, as in "(2c90200000001)".
  std::optional<std::uint64_t> hex() {
    if (!take("0x")) (void)take("0X");
    return digits(16);
  }
  /// "[7]"
  std::optional<std::uint64_t> bracketed() {
    if (!take("[")) return std::nullopt;
    const auto port = number();
    return port && take("]") ? port : std::nullopt;
  }
  /// What may follow a port in either order: "(port guid)", and "[ext N]", the number printed on the chassis.
  /// Returns the GUID, 0 if there is none, nothing if it is bad.
  std::optional<std::uint64_t> suffixes() {
    std::uint64_t guid = 0;
    for (skip_blanks();; skip_blanks()) {
      if (take("[ext")) {
        const std::size_t end = rest.find(']');
        rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
      } else if (take("(")) {
        const auto found = hex();
        if (!found || *found == 0 || !take(")")) return std::nullopt;
        guid = *found;
      } else {
        return guid;
      }
    }
  }

 private:
  std::optional<std::uint64_t> digits(int base) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value, base);
    if (error != std::errc{}) return std::nullopt;
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    return value;
  }
};

/// Widths and speeds that a port allows; 0 where the text does not say. Speeds: a bit for each LinkSpeed.
struct Allowed {
  std::uint32_t widths = 0;
  std::uint32_t speeds = 0;
};

constexpr std::uint32_t bit(LinkSpeed speed) { return 1U << static_cast<unsigned>(speed); }

std::uint32_t standard_speeds(std::uint64_t mask) {  // LinkSpeedEnabled
  return (mask & 1 ? bit(LinkSpeed::sdr) : 0) | (mask & 2 ? bit(LinkSpeed::ddr) : 0) |
         (mask & 4 ? bit(LinkSpeed::qdr) : 0);
}
std::uint32_t extended_speeds(std::uint64_t mask) {  // LinkSpeedExtEnabled
  return (mask & 1 ? bit(LinkSpeed::fdr) : 0) | (mask & 2 ? bit(LinkSpeed::edr) : 0) |
         (mask & 4 ? bit(LinkSpeed::hdr) : 0) | (mask & 8 ? bit(LinkSpeed::ndr) : 0);
}

LinkWidth best_width(std::uint32_t mask) {
  for (const LinkWidth width : {LinkWidth::x12, LinkWidth::x8, LinkWidth::x4, LinkWidth::x2})
    if (mask & static_cast<std::uint32_t>(width)) return width;
  return LinkWidth::x1;
}

LinkSpeed best_speed(std::uint32_t mask) {
  LinkSpeed best = LinkSpeed::sdr;
  for (LinkSpeed speed = best; speed <= LinkSpeed::xdr;
       speed = static_cast<LinkSpeed>(static_cast<int>(speed) + 1))
    if (mask & bit(speed)) best = speed;
  return best;
}

/// One line `[port] "peer"[peer port]`.
struct Statement {
  End near;
  std::string_view peer;
  std::uint8_t peer_port = 0;
  std::uint32_t line = 0;
  Allowed allowed;
};

class Reader {
 public:
  Reader(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  Result<Topology> read() {
    while (!text_.empty()) {
      ++line_;
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      Cursor cursor{text_.substr(0, end)};
      text_.remove_prefix(std::min(end + 1, text_.size()));
      cursor.skip_blanks();
      if (cursor.rest.empty() || cursor.rest.front() == '#') continue;
      if (auto ok = read_line(cursor); !ok) return fail(ok.error());
    }
    if (topology_.nodes.empty())
      return fail(Errc::malformed,
                  "{}: no Switch or Ca record in {} lines: not a net file or ibnetdiscover listing", file_,
                  line_);
    if (auto ok = check_guids(); !ok) return fail(ok.error());
    if (auto ok = join(); !ok) return fail(ok.error());
    topology_.name = file_;
    sort_cables(topology_);
    Place place;
    if (auto ok = validate(topology_, place); !ok) {
      // Faults of cables have been told above, with both ends.
      const bool of_node = place.what == Place::What::node;
      return bad(ok.error().code, of_node ? node_lines_[place.index] : line_, "{}", ok.error().what);
    }
    return std::move(topology_);
  }

 private:
  template <typename... Args>
  tl::unexpected<Error> bad(Errc code, std::uint32_t line, fmt::format_string<Args...> text,
                            Args&&... args) const {
    return fail(code, "{}:{}: {}", file_, line, fmt::format(text, std::forward<Args>(args)...));
  }
  template <typename... Args>
  tl::unexpected<Error> bad(fmt::format_string<Args...> text, Args&&... args) const {
    return bad(Errc::malformed, line_, text, std::forward<Args>(args)...);
  }

  Result<void> read_line(Cursor cursor);
  Result<void> read_guid(Cursor cursor, bool hca);
  Result<void> read_node(Cursor cursor, NodeType type);
  Result<void> read_port(Cursor cursor);
  Result<void> read_port_options(Cursor& cursor, Allowed& allowed);
  Result<void> read_trailer(std::string_view comment, Allowed& allowed);
  std::string_view full_id(std::string_view id);
  Guid next_guid(NodeType type, std::string_view id, std::uint8_t ports);
  Result<void> check_guids();
  Result<void> join();

  std::string_view text_;
  std::string_view file_;
  std::uint32_t line_ = 0;
  bool in_record_ = false;

  std::string_view module_;
  std::array<std::optional<std::uint64_t>, 2>
      stated_guid_;  ///< For the next node; [0] HCAs, [1] switches and routers.
  std::array<std::uint64_t, 2> next_guid_{kFirstHcaGuid, kFirstOtherGuid};
  std::optional<std::uint64_t> switch_port_guid_;
  std::optional<std::uint64_t> system_guid_;
  std::optional<std::uint32_t> vendor_;
  std::uint16_t device_ = 0;
  std::uint32_t widths_ = 0;
  std::uint32_t speeds_ = 0;
  std::uint32_t extended_ = 0;

  Topology topology_;
  std::vector<std::uint32_t> node_lines_;
  std::unordered_map<std::string_view, std::uint32_t> by_id_;
  std::deque<std::string> made_ids_;
  std::vector<Statement> statements_;
};

Result<void> Reader::read_line(Cursor cursor) {
  if (cursor.rest.front() == '[') return read_port(cursor);
  in_record_ = false;
  std::string_view keyword = cursor.rest.substr(
      0, static_cast<std::size_t>(
             std::ranges::find_if(cursor.rest, [](char c) { return is_blank(c) || c == '='; }) -
             cursor.rest.begin()));
  cursor.rest.remove_prefix(keyword.size());
  if (keyword == "Switch") return read_node(cursor, NodeType::switch_);
  if (keyword == "Ca" || keyword == "Hca") return read_node(cursor, NodeType::hca);
  if (keyword == "Rt") return read_node(cursor, NodeType::router);
  cursor.skip_blanks();
  const bool assigned = cursor.take("=");
  cursor.skip_blanks();
  if (keyword == "include") return bad("include is not read; put all nodes into one file");
  if (keyword == "module") {
    const auto name = cursor.quoted();
    module_ = name ? *name : cursor.word();
    return {};
  }
  if (!assigned) return {};
  if (keyword == "switchguid" || keyword == "rtguid") return read_guid(cursor, false);
  if (keyword == "caguid" || keyword == "hcaguids" || keyword == "hcaguid") return read_guid(cursor, true);

  const bool known = keyword == "sysimgguid" || keyword == "vendid" || keyword == "devid" ||
                     keyword == "width" || keyword == "speed" || keyword == "extspeed";
  if (!known) return {};
  const auto value = cursor.number();
  const auto fits = [&](std::uint64_t most) { return value && *value <= most; };
  if (keyword == "sysimgguid" && fits(UINT64_MAX))
    system_guid_ = *value;
  else if (keyword == "vendid" && fits(0xffffff))
    vendor_ = static_cast<std::uint32_t>(*value);
  else if (keyword == "devid" && fits(0xffff))
    device_ = static_cast<std::uint16_t>(*value);
  else if (keyword == "width" && fits(31))
    widths_ = static_cast<std::uint32_t>(*value);
  else if (keyword == "speed" && fits(7))
    speeds_ = standard_speeds(*value);
  else if (keyword == "extspeed" && fits(15))
    extended_ = extended_speeds(*value);
  else
    return bad("bad number for {}", keyword);
  return {};
}

Result<void> Reader::read_guid(Cursor cursor, bool hca) {
  (void)cursor.take("+");  // ibsim counts from 0 as well
  const auto guid = cursor.number();
  if (!guid || *guid == 0) return bad("bad GUID");
  stated_guid_[hca ? 0 : 1] = *guid;
  if (!cursor.take("(")) return {};
  const auto port_guid = cursor.hex();
  if (!port_guid || !cursor.take(")")) return bad("bad port GUID in parentheses");
  if (!hca) switch_port_guid_ = *port_guid;
  return {};
}

std::string_view Reader::full_id(std::string_view id) {
  if (module_.empty() || id.find('#') != std::string_view::npos) return id;
  return made_ids_.emplace_back(fmt::format("{}#{}", module_, id));
}

Guid Reader::next_guid(NodeType type, std::string_view id, std::uint8_t ports) {
  const std::size_t kind = type == NodeType::hca ? 0 : 1;
  std::optional<std::uint64_t> guid = std::exchange(stated_guid_[kind], std::nullopt);
  if (!guid && id.size() == 18 && id[1] == '-' && (id[0] == 'S' || id[0] == 'H' || id[0] == 'R'))
    if (const auto found = guid_from(id.substr(2))) return *found;
  if (!guid) guid = next_guid_[kind];
  // ibsim leaves no room for the ports of a router, so that the next node's GUID may be one of theirs.
  next_guid_[kind] = *guid + 1 + (type == NodeType::switch_ ? 0U : ports);
  return Guid{*guid};
}

Result<void> Reader::read_node(Cursor cursor, NodeType type) {
  cursor.skip_blanks();
  const auto ports = cursor.number();
  if (!ports || *ports < 1 || *ports > kMaxPorts)
    return bad("bad number of ports; 1 to {} are possible", kMaxPorts);
  cursor.skip_blanks();
  const auto id = cursor.quoted();
  if (!id || id->empty()) return bad("node id in quotes expected after the number of ports");

  Node node;
  node.type = type;
  const std::string_view key = full_id(*id);
  node.id = key;
  node.port_count = static_cast<std::uint8_t>(*ports);
  node.guid = next_guid(type, *id, node.port_count);
  node.system_guid = Guid{system_guid_.value_or(raw(node.guid))};
  node.vendor = vendor_.value_or(0);
  node.device = device_;
  if (type == NodeType::switch_)
    node.port_guids = {Guid{switch_port_guid_.value_or(raw(node.guid))}};
  else
    for (std::uint32_t port = 1; port <= node.port_count; ++port)
      node.port_guids.push_back(Guid{raw(node.guid) + port});

  cursor.skip_blanks();
  if (cursor.take("#")) cursor.skip_blanks();
  node.description = cursor.quoted().value_or(node.id).substr(0, kMaxDescription);
  node.enhanced_port0 = cursor.rest.find("enhanced port 0") != std::string_view::npos;

  vendor_ = std::nullopt;
  system_guid_ = switch_port_guid_ = std::nullopt;
  const auto number = static_cast<std::uint32_t>(topology_.nodes.size());
  if (const auto [first, added] = by_id_.emplace(key, number); !added)
    return bad(Errc::conflict, line_, "node \"{}\" is already at line {}", node.id,
               node_lines_[first->second]);
  topology_.nodes.push_back(std::move(node));
  node_lines_.push_back(line_);
  in_record_ = true;
  return {};
}

Result<void> Reader::read_port(Cursor cursor) {
  if (!in_record_) return bad("port outside of a Switch, Ca or Rt record");
  const auto number = static_cast<std::uint32_t>(topology_.nodes.size() - 1);
  Node& node = topology_.nodes.back();
  const auto port = cursor.bracketed();
  if (!port || *port < 1 || *port > node.port_count)
    return bad("bad port number; \"{}\" has ports 1 to {}", node.id, node.port_count);
  const auto port_guid = cursor.suffixes();
  if (!port_guid) return bad("bad port GUID in parentheses");
  if (node.type != NodeType::switch_ && *port_guid != 0) node.port_guids[*port - 1] = Guid{*port_guid};
  if (cursor.rest.starts_with('@')) return bad("port aliases (@) are not read");
  const auto peer = cursor.quoted();
  if (!peer || peer->empty()) return bad("the peer's node id in quotes expected");
  const auto peer_port = cursor.bracketed();
  if (!peer_port || *peer_port < 1 || *peer_port > kMaxPorts)
    return bad("bad port number of the peer \"{}\"", *peer);
  if (!cursor.suffixes()) return bad("bad port GUID in parentheses");

  Statement statement{.near = {number, static_cast<PortNum>(*port)},
                      .peer = full_id(*peer),
                      .peer_port = static_cast<std::uint8_t>(*peer_port),
                      .line = line_};
  statement.allowed = {.widths = widths_, .speeds = speeds_ | extended_};
  if (auto ok = read_port_options(cursor, statement.allowed); !ok) return ok;
  if (cursor.take("#"))
    if (auto ok = read_trailer(cursor.rest, statement.allowed); !ok) return ok;
  statements_.push_back(statement);
  return {};
}

Result<void> Reader::read_port_options(Cursor& cursor, Allowed& allowed) {
  std::uint32_t standard = speeds_;
  std::uint32_t extended = extended_;
  for (cursor.skip_blanks(); !cursor.rest.empty() && cursor.rest.front() != '#'; cursor.skip_blanks()) {
    const char option = cursor.rest.front();
    const bool known =
        cursor.rest.size() > 1 && cursor.rest[1] == '=' && (option == 'w' || option == 's' || option == 'e');
    if (!known) return bad("w=, s=, e= or a comment expected, not \"{}\"", cursor.rest);
    cursor.rest.remove_prefix(2);
    const std::uint64_t most = option == 'w' ? 31 : option == 's' ? 7 : 15;
    const auto value = cursor.number();
    if (!value || *value > most || (option != 'e' && *value == 0))
      return bad("bad number for {}=; at most {}", option, most);
    if (option == 'w') allowed.widths = static_cast<std::uint32_t>(*value);
    if (option == 's') standard = standard_speeds(*value);
    if (option == 'e') extended = extended_speeds(*value);
  }
  allowed.speeds = standard | extended;
  return {};
}

/// The last word of the form "4xEDR" outside of quotes.
Result<void> Reader::read_trailer(std::string_view comment, Allowed& allowed) {
  for (Cursor cursor{comment}; cursor.skip_blanks(), !cursor.rest.empty();) {
    if (cursor.rest.front() == '"') {
      if (!cursor.quoted()) return bad("quote without end");
      continue;
    }
    const std::string_view word = cursor.word();
    const std::size_t x = word.find('x');
    const bool is_link = x != std::string_view::npos && x > 0 && x + 1 < word.size() &&
                         std::ranges::all_of(word.substr(0, x), is_digit) &&
                         std::isalpha(static_cast<unsigned char>(word[x + 1]));
    if (!is_link || word.starts_with("0x")) continue;
    const auto width = link_width_from(word.substr(0, x + 1));
    const auto speed = link_speed_from(word.substr(x + 1));
    if (!width || !speed) return bad("unknown link width or speed \"{}\"", word);
    allowed = {.widths = static_cast<std::uint32_t>(*width), .speeds = bit(*speed)};
  }
  return {};
}

Result<void> Reader::check_guids() {
  struct Owner {
    Guid guid;
    std::uint32_t node;
    auto operator<=>(const Owner&) const = default;
  };
  const auto first_twice = [](std::vector<Owner>& owners) {
    std::ranges::sort(owners);
    return std::ranges::adjacent_find(owners, {}, &Owner::guid);
  };
  std::vector<Owner> nodes;
  std::vector<Owner> ports;
  for (std::uint32_t i = 0; i < topology_.nodes.size(); ++i) {
    nodes.push_back({topology_.nodes[i].guid, i});
    for (const Guid guid : topology_.nodes[i].port_guids) ports.push_back({guid, i});
  }
  for (auto* owners : {&nodes, &ports}) {
    const auto twice = first_twice(*owners);
    if (twice == owners->end()) continue;
    return bad(Errc::conflict, node_lines_[std::next(twice)->node],
               "{} GUID {} is already that of the node at line {}", owners == &nodes ? "node" : "port",
               to_string(twice->guid), node_lines_[twice->node]);
  }
  return {};
}

/// Pairs the statements of both ends into cables.
Result<void> Reader::join() {
  constexpr std::uint32_t kNone = 0xffffffff;
  std::vector<std::size_t> first_port;
  std::size_t ports = 0;
  for (const Node& node : topology_.nodes) {
    first_port.push_back(ports);
    ports += node.port_count;
  }
  std::vector<std::uint32_t> said(ports, kNone);  // by port: the statement made for it
  const auto place = [&](const End& end) -> std::uint32_t& {
    return said[first_port[end.node] + raw(end.port) - 1];
  };
  for (std::uint32_t i = 0; i < statements_.size(); ++i) {
    const Statement& here = statements_[i];
    std::uint32_t& slot = place(here.near);
    if (slot != kNone)
      return bad(Errc::conflict, here.line, "port {} of \"{}\" is already cabled at line {}",
                 raw(here.near.port), topology_.nodes[here.near.node].id, statements_[slot].line);
    slot = i;
  }
  for (std::uint32_t i = 0; i < statements_.size(); ++i) {
    const Statement& here = statements_[i];
    const Node& node = topology_.nodes[here.near.node];
    const auto peer = by_id_.find(here.peer);
    if (peer == by_id_.end()) return bad(Errc::not_found, here.line, "unknown node \"{}\"", here.peer);
    const Node& other = topology_.nodes[peer->second];
    if (here.peer_port > other.port_count)
      return bad(Errc::invalid, here.line, "port {} of \"{}\", which has {} ports", here.peer_port, other.id,
                 other.port_count);
    const End far{peer->second, static_cast<PortNum>(here.peer_port)};
    if (far == here.near)
      return bad(Errc::invalid, here.line, "port {} of \"{}\" is cabled to itself", here.peer_port, other.id);
    const std::uint32_t answer = place(far);
    if (answer == kNone)
      return bad(Errc::conflict, here.line, "\"{}\"[{}] names \"{}\"[{}], which does not name it", node.id,
                 raw(here.near.port), other.id, here.peer_port);
    const Statement& there = statements_[answer];
    if (there.peer != std::string_view(node.id) || there.peer_port != raw(here.near.port))
      return bad(Errc::conflict, here.line, "\"{}\"[{}] names \"{}\"[{}], which names \"{}\"[{}] at line {}",
                 node.id, raw(here.near.port), other.id, here.peer_port, there.peer, there.peer_port,
                 there.line);
    if (answer < i) continue;  // made when the other end was met
    const auto common = [](std::uint32_t a, std::uint32_t b, std::uint32_t fallback) {
      return a != 0 && b != 0 ? a & b : (a | b) != 0 ? a | b : fallback;
    };
    const std::uint32_t widths =
        common(here.allowed.widths, there.allowed.widths, static_cast<std::uint32_t>(LinkWidth::x4));
    const std::uint32_t speeds = common(here.allowed.speeds, there.allowed.speeds, bit(LinkSpeed::sdr));
    if (widths == 0 || speeds == 0)
      return bad(Errc::conflict, here.line, "no {} in common with the other end at line {}",
                 widths == 0 ? "width" : "speed", there.line);
    topology_.cables.push_back({here.near, far, best_width(widths), best_speed(speeds)});
  }
  return {};
}

}  // namespace

Result<Topology> read_ibsim(std::string_view text, std::string_view file_name) {
  return Reader(text, file_name).read();
}

}  // namespace weft::topology
