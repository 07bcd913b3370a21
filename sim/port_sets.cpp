#include "sim/port_sets.h"

#include <algorithm>
#include <unordered_map>

#include <boost/json.hpp>

namespace weft::sim {
namespace {

namespace json = boost::json;

/// Reads one document; the first thing wrong is thrown as Error and caught where reading began.
class Reader {
 public:
  explicit Reader(const World& world) : world_(world) {
    for (std::uint32_t n = 0; n < world.node_count(); ++n)
      if (world.is_switch(NodeIndex{n})) by_guid_.emplace(raw(world.node(NodeIndex{n}).guid), NodeIndex{n});
  }

  PortSets read(const json::value& document) {
    const json::object& root = object(document, "the document");
    if (number(member(root, "port_sets", "the document"), "port_sets", 1, 1) != 1) return {};
    PortSets sets;
    for (const json::value& each : array(member(root, "destinations", "the document"), "destinations"))
      sets.destinations.push_back(destination(each, sets.destinations.size()));
    sets.switches.resize(world_.switch_count());
    for (const json::value& each : array(member(root, "switches", "the document"), "switches"))
      read_switch(each, sets);
    return sets;
  }

 private:
  [[noreturn]] static void bad(Errc code, std::string what) { throw Error{code, "port sets: " + what}; }

  static const json::object& object(const json::value& value, std::string_view where) {
    if (!value.is_object()) bad(Errc::malformed, fmt::format("{} is no object", where));
    return value.get_object();
  }
  static const json::array& array(const json::value& value, std::string_view where) {
    if (!value.is_array()) bad(Errc::malformed, fmt::format("{} is no array", where));
    return value.get_array();
  }
  static const json::value& member(const json::object& object, std::string_view key, std::string_view where) {
    const json::value* found = object.if_contains(key);
    if (found == nullptr) bad(Errc::malformed, fmt::format("{} has no \"{}\"", where, key));
    return *found;
  }
  static std::int64_t number(const json::value& value, std::string_view where, std::int64_t least,
                             std::int64_t most) {
    if (!value.is_int64()) bad(Errc::malformed, fmt::format("{} is no whole number", where));
    if (value.get_int64() < least || value.get_int64() > most)
      bad(Errc::invalid, fmt::format("{}: {} is not from {} to {}", where, value.get_int64(), least, most));
    return value.get_int64();
  }
  NodeIndex node(const json::value& value, std::string_view where) const {
    if (!value.is_string()) bad(Errc::malformed, fmt::format("{} is no GUID", where));
    const std::string_view text(value.get_string().data(), value.get_string().size());
    const std::optional<Guid> guid = guid_from(text);
    if (!guid) bad(Errc::malformed, fmt::format("{}: {} is no GUID", where, text));
    const auto found = by_guid_.find(raw(*guid));
    if (found == by_guid_.end()) bad(Errc::not_found, fmt::format("{}: no switch {}", where, text));
    return found->second;
  }

  PortSets::Destination destination(const json::value& value, std::size_t index) const {
    const std::string where = fmt::format("destination {}", index);
    const json::object& from = object(value, where);
    PortSets::Destination read{node(member(from, "switch", where), where), {}};
    for (const json::value& range : array(member(from, "lids", where), where + " lids")) {
      const json::array& ends = array(range, where + " lids");
      if (ends.size() != 2) bad(Errc::malformed, where + ": a range of LIDs has a first and a last");
      const std::int64_t first = number(ends[0], where, 1, 0xbfff);
      read.lids.emplace_back(static_cast<Lid>(first),
                             static_cast<Lid>(number(ends[1], where, first, 0xbfff)));
    }
    return read;
  }

  void read_switch(const json::value& value, PortSets& sets) const {
    const json::object& from = object(value, "a switch");
    const NodeIndex n = node(member(from, "guid", "a switch"), "a switch");
    const std::string where = world_.node(n).id;
    PortSets::SwitchSets& into = sets.switches[world_.node(n).switch_index];
    if (!into.of.empty()) bad(Errc::invalid, fmt::format("{} stands twice", where));
    for (const json::value& set : array(member(from, "sets", where), where)) {
      std::vector<PortNum>& ports = into.sets.emplace_back();
      for (const json::value& port : array(set, where))
        ports.push_back(static_cast<PortNum>(number(port, where, 1, world_.node(n).port_count)));
    }
    if (const json::value* spare = from.if_contains("spare"))
      read_spare(array(*spare, where), into.sets, where);
    if (const json::value* classes = from.if_contains("class_of_arrival"))
      for (const json::value& each : array(*classes, where))
        into.class_of_arrival.push_back(static_cast<std::uint8_t>(number(each, where, 0, 255)));
    for (const json::value& row : array(member(from, "of", where), where)) {
      std::vector<std::int32_t>& of = into.of.emplace_back();
      for (const json::value& each : array(row, where))
        of.push_back(static_cast<std::int32_t>(
            number(each, where, PortSets::kByTables, static_cast<std::int64_t>(into.sets.size()) - 1)));
      if (of.size() != sets.destinations.size())
        bad(Errc::invalid,
            fmt::format("{}: {} of {} destinations", where, of.size(), sets.destinations.size()));
    }
  }

  static void read_spare(const json::array& spare, const std::vector<std::vector<PortNum>>& sets,
                         const std::string& where) {
    if (spare.size() != sets.size())
      bad(Errc::invalid, fmt::format("{}: spare members of {} of {} sets", where, spare.size(), sets.size()));
    for (std::size_t i = 0; i < sets.size(); ++i) {
      const json::array& ports = array(spare[i], where);
      for (const json::value& port : ports) {
        const auto one = static_cast<PortNum>(number(port, where, 1, 254));
        if (std::ranges::find(sets[i], one) == sets[i].end())
          bad(Errc::invalid, fmt::format("{}: spare port {} is no member of set {}", where, raw(one), i));
      }
      if (!ports.empty() && ports.size() >= sets[i].size())
        bad(Errc::invalid, fmt::format("{}: set {} has spare members alone", where, i));
    }
  }

  const World& world_;
  std::unordered_map<std::uint64_t, NodeIndex> by_guid_;
};

}  // namespace

Result<PortSets> port_sets_from(const World& world, std::string_view text) {
  boost::system::error_code error;
  const json::value document = json::parse(json::string_view(text.data(), text.size()), error);
  if (error) return fail(Errc::malformed, "port sets: no JSON: {}", error.message());
  try {
    return Reader(world).read(document);
  } catch (const Error& wrong) {
    return fail(wrong);
  }
}

}  // namespace weft::sim
