#include "sim/faults/reading.h"

#include <algorithm>
#include <charconv>

#include "base/units.h"
#include "base/words.h"

namespace weft::sim {
namespace {

constexpr std::array kAttributes = {mad::AttrId::notice,
                                    mad::AttrId::node_description,
                                    mad::AttrId::node_info,
                                    mad::AttrId::switch_info,
                                    mad::AttrId::guid_info,
                                    mad::AttrId::port_info,
                                    mad::AttrId::pkey_table,
                                    mad::AttrId::sl_to_vl,
                                    mad::AttrId::vl_arbitration,
                                    mad::AttrId::linear_forwarding,
                                    mad::AttrId::multicast_forwarding,
                                    mad::AttrId::sm_info,
                                    mad::AttrId::port_info_extended,
                                    mad::AttrId::switch_port_state};

std::optional<double> rate_from(std::string_view text) {
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (percent) value /= 100;
  return value >= 0 && value <= 1 ? std::optional(value) : std::nullopt;
}

}  // namespace

void Reading::wrong(Errc code, std::string what) {
  if (!error_) error_ = Error{code, fmt::format("{}: {}", verb_, what)};
}

std::optional<Error> Reading::error() {
  for (const Argument& argument : arguments_)
    if (!read_.contains(argument.name))
      wrong(Errc::invalid, argument.name.empty()
                               ? fmt::format("is about nothing, but {} was given", in_quotes(argument.value))
                               : fmt::format("takes no {}", in_quotes(argument.name)));
  return error_;
}

std::string Reading::called(std::string_view name) const {
  return name.empty() ? std::string("its subject") : std::string(name);
}

bool Reading::given(std::string_view name) const {
  return std::ranges::find(arguments_, name, &Argument::name) != arguments_.end();
}

const std::string* Reading::find(std::string_view name) {
  read_.emplace(name);
  const auto found = std::ranges::find(arguments_, name, &Argument::name);
  return found == arguments_.end() ? nullptr : &found->value;
}

std::string Reading::text(std::string_view name, std::string_view otherwise) {
  const std::string* value = find(name);
  return value == nullptr ? std::string(otherwise) : *value;
}

Duration Reading::duration(std::string_view name, Duration otherwise) {
  const std::string* value = find(name);
  if (value == nullptr) return otherwise;
  const std::optional<Duration> duration = duration_from(*value);
  if (!duration)
    wrong(Errc::invalid, fmt::format("{} takes a time such as 20ms, not {}", name, in_quotes(*value)));
  else if (*duration > kLongest)
    wrong(Errc::invalid, fmt::format("{} takes a time up to a year, not {}", name, in_quotes(*value)));
  return duration.value_or(otherwise);
}

std::uint64_t Reading::number(std::string_view name, std::uint64_t otherwise, std::uint64_t most) {
  const std::string* value = find(name);
  if (value == nullptr) return otherwise;
  const std::optional<std::uint64_t> number = number_from(*value);
  if (number && *number <= most) return *number;
  wrong(Errc::invalid, fmt::format("{} takes a number up to {}, not {}", name, most, in_quotes(*value)));
  return otherwise;
}

int Reading::count(std::string_view name, int otherwise, int most) {
  const std::uint64_t number =
      this->number(name, static_cast<std::uint64_t>(otherwise), static_cast<std::uint64_t>(most));
  if (number == 0) wrong(Errc::invalid, fmt::format("{} takes a number from 1 on", name));
  return static_cast<int>(number);
}

double Reading::rate(std::string_view name, double otherwise) {
  const std::string* value = find(name);
  if (value == nullptr) return otherwise;
  const std::optional<double> rate = rate_from(*value);
  if (!rate)
    wrong(Errc::invalid, fmt::format("{} takes a share such as 30%, not {}", name, in_quotes(*value)));
  return rate.value_or(otherwise);
}

std::size_t Reading::word(std::string_view name, std::span<const std::string_view> words,
                          std::size_t otherwise) {
  const std::string* value = find(name);
  if (value == nullptr) return otherwise;
  const auto found = std::ranges::find(words, std::string_view(*value));
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  wrong(Errc::invalid, fmt::format("{} takes {}, not {}", name, fmt::join(words, " or "), in_quotes(*value)));
  return otherwise;
}

std::optional<mad::AttrId> Reading::attribute(std::string_view name) {
  const std::string* value = find(name);
  if (value == nullptr) return std::nullopt;
  for (const mad::AttrId attribute : kAttributes)
    if (mad::name(attribute) == *value) return attribute;
  if (const auto number = number_from(*value); number && *number > 0 && *number <= 0xffff)
    return static_cast<mad::AttrId>(*number);
  std::vector<std::string> names;
  for (const mad::AttrId attribute : kAttributes) names.emplace_back(mad::name(attribute));
  const std::string_view near = nearest(*value, names);
  wrong(Errc::invalid, fmt::format("no attribute {}{}", in_quotes(*value),
                                   near.empty() ? std::string() : fmt::format(" (did you mean {}?)", near)));
  return std::nullopt;
}

mad::Method Reading::method(std::string_view name, mad::Method otherwise) {
  constexpr std::array<std::string_view, 2> kWords = {"Get", "Set"};
  const std::size_t at = word(name, kWords, otherwise == mad::Method::get ? 0 : 1);
  return at == 0 ? mad::Method::get : mad::Method::set;
}

std::size_t Reading::pick(std::size_t of) {
  const std::string* value = find("pick");
  if (value == nullptr || of == 0) return 0;
  if (value->ends_with('%')) {
    const std::optional<double> share = rate_from(*value);
    if (share && *share > 0)
      return std::max<std::size_t>(1, static_cast<std::size_t>(*share * static_cast<double>(of) + 0.5));
  } else if (const auto number = number_from(*value); number && *number > 0) {
    return std::min<std::size_t>(of, *number);
  }
  wrong(Errc::invalid, fmt::format("pick takes a number or a share such as 3%, not {}", in_quotes(*value)));
  return 0;
}

std::vector<NodeIndex> Reading::matching(std::string_view pattern) {
  std::vector<NodeIndex> found;
  const std::optional<Guid> guid = guid_from(pattern);
  for (std::uint32_t n = 0; n < world_.node_count(); ++n) {
    const Node& node = world_.node(NodeIndex{n});
    const bool is_switch = node.type == NodeType::switch_;
    if (pattern == "@switches" ? is_switch : pattern == "@hosts" && !is_switch) found.push_back(NodeIndex{n});
    if (pattern.starts_with('@')) continue;
    if (glob_matches(pattern, node.id) || glob_matches(pattern, node.description) ||
        (guid && node.guid == *guid))
      found.push_back(NodeIndex{n});
  }
  if (found.empty()) wrong(Errc::not_found, fmt::format("no node {}", in_quotes(pattern)));
  return found;
}

bool Reading::is_trunk(PortIndex p) const {
  const PortIndex peer = world_.port(p).peer;
  return peer != kNoPort && world_.is_switch(world_.port(p).node) && world_.is_switch(world_.port(peer).node);
}

std::vector<PortIndex> Reading::matching_ports(std::string_view pattern) {
  if (pattern == "@trunks") {
    std::vector<PortIndex> trunks;
    for (std::uint32_t p = 0; p < world_.port_slots(); ++p)
      if (is_trunk(PortIndex{p})) trunks.push_back(PortIndex{p});
    if (trunks.empty()) wrong(Errc::not_found, "no cables between switches");
    return trunks;
  }
  std::string_view port_pattern = "*";
  const std::string_view whole = pattern;
  if (const std::size_t bracket = pattern.rfind('['); bracket != pattern.npos && pattern.ends_with(']')) {
    port_pattern = pattern.substr(bracket + 1, pattern.size() - bracket - 2);
    pattern = pattern.substr(0, bracket);
  }
  std::vector<PortIndex> found;
  const std::vector<NodeIndex> nodes = matching(pattern);
  for (const NodeIndex n : nodes)
    for (unsigned number = 0; number <= world_.node(n).port_count; ++number) {
      const PortIndex p = world_.port_of(n, static_cast<PortNum>(number));
      if (p != kNoPort && glob_matches(port_pattern, std::to_string(number))) found.push_back(p);
    }
  if (found.empty() && !nodes.empty()) wrong(Errc::not_found, fmt::format("no port {}", in_quotes(whole)));
  return found;
}

Nodes Reading::nodes(std::string_view name) {
  const std::string* value = find(name);
  if (value == nullptr) {
    wrong(Errc::invalid, fmt::format("{} is missing: which node?", called(name)));
    return {};
  }
  Nodes nodes{matching(*value)};
  nodes.pick = pick(nodes.all.size());
  return nodes;
}

NodeIndex Reading::node(std::string_view name) {
  const std::string* value = find(name);
  if (value == nullptr) {
    wrong(Errc::invalid, fmt::format("{} is missing: which node?", called(name)));
    return {};
  }
  const std::vector<NodeIndex> found = matching(*value);
  if (found.size() > 1)
    wrong(Errc::invalid, fmt::format("{} is {} nodes, not one", in_quotes(*value), found.size()));
  return found.empty() ? NodeIndex{} : found.front();
}

Ports Reading::ports(std::string_view name) {
  const std::string* value = find(name);
  if (value == nullptr) {
    wrong(Errc::invalid, fmt::format("{} is missing: which port?", called(name)));
    return {};
  }
  Ports ports{matching_ports(*value)};
  ports.pick = pick(ports.all.size());
  return ports;
}

PortIndex Reading::port(std::string_view name) {
  const Ports found = ports(name);
  if (found.all.size() > 1)
    wrong(Errc::invalid, fmt::format("{} ports, not one: name it as node[port]", found.all.size()));
  return found.all.empty() ? kNoPort : found.all.front();
}

Ports Reading::cables(std::string_view name) {
  Ports ends = ports(name);
  const std::size_t before = ends.all.size();
  std::erase_if(ends.all, [this](PortIndex p) { return world_.port(p).peer == kNoPort; });
  if (ends.all.empty() && before > 0)
    wrong(Errc::not_found, fmt::format("no cable at {}", in_quotes(text(name))));
  // A cable both of whose ends match is one cable.
  std::set<std::uint32_t> seen;
  std::erase_if(ends.all,
                [&](PortIndex p) { return !seen.insert(std::min(raw(p), raw(world_.port(p).peer))).second; });
  if (given("pick")) ends.pick = pick(ends.all.size());
  return ends;
}

}  // namespace weft::sim
