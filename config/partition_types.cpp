#include "config/partition_types.h"

#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/rate.h"
#include "base/units.h"
#include "base/words.h"
#include "config/field_reader.h"
#include "config/group_fields.h"

namespace weft::config {
namespace {

using partitions::ExtraGroup;
using partitions::GroupOptions;
using partitions::Member;
using partitions::Membership;
using partitions::Partition;
using partitions::Who;

constexpr std::pair<std::string_view, Who::Kind> kWords[] = {{"all", Who::Kind::all},
                                                             {"hosts", Who::Kind::hosts},
                                                             {"switches", Who::Kind::switches},
                                                             {"routers", Who::Kind::routers},
                                                             {"self", Who::Kind::self}};

constexpr std::pair<std::string_view, int> kScopes[] = {
    {"link-local", 2}, {"site-local", 5}, {"organization", 8}, {"global", 14}};

const Type<int>& precedence() {
  static const Type<int> type = choice({{"special", 0}, {"last", 1}});
  return type;
}

Type<int> membership() { return choice({{"limited", 1}, {"full", 2}, {"both", 3}}); }

/// 0x0010 and 0x8010 name the same partition.
std::optional<std::uint16_t> read_key(const Value& value, Report& report) {
  const auto number = value.kind == Value::Kind::text ? number_from(value.text) : std::nullopt;
  if (number && *number <= 0xffff && (*number & 0x7fff) != 0)
    return static_cast<std::uint16_t>(*number & 0x7fff);
  const bool empty = number && (*number == 0 || *number == 0x8000);
  report.problem(value.place,
                 empty ? fmt::format("{} is an empty entry, no P_Key; 0x0001 to 0x7fff are", value.text)
                       : fmt::format("expects a P_Key from 0x0001 to 0x7fff, not {}", describe(value)));
  return std::nullopt;
}

/// A scope by name or number; a list of them where several are allowed.
std::optional<int> read_scope(const Value& value, Report& report) {
  if (value.kind == Value::Kind::text) {
    for (const auto& [word, scope] : kScopes)
      if (value.text == word) return scope;
    const auto number = number_from(value.text);
    if (number && *number >= 1 && *number <= 14) return static_cast<int>(*number);
  }
  report.problem(
      value.place,
      fmt::format("expects a scope: link-local, site-local, organization, global, or 1 to 14, not {}",
                  describe(value)));
  return std::nullopt;
}

void add_group_fields(FieldReader& fields, GroupOptions& options) {
  static const Type<int> mtu = mtu_type();
  static const Type<int> rate = rate_type();
  static const Type<int> sl = number(0, 15);
  static const Type<std::uint64_t> q_key = number64(0xffffffff);
  static const Type<int> tclass = number(0, 255);
  static const Type<int> flow = number(0, 0xfffff);
  static const Type<std::string> level = level_name();
  fields.field("mtu", mtu, options.mtu)
      .field("rate", rate, options.rate)
      .field("sl", sl, options.sl)
      .field("level", level, options.level)
      .field("q_key", q_key, options.q_key)
      .field("traffic_class", tclass, options.traffic_class)
      .field("flow_label", flow, options.flow_label)
      .raw("scope", [&options](const Value& value, Report& report) {
        if (const auto scope = read_scope(value, report)) options.scope = static_cast<std::uint8_t>(*scope);
      });
}

void check_sl(const GroupOptions& options, Place place, Report& report) {
  if (options.sl && !options.level.empty())
    report.problem(place, fmt::format("level {} has its SL; leave sl out", in_quotes(options.level)));
}

void read_ipoib(const Value& value, Partition& partition, Report& report) {
  static const Type<bool> yes = flag();
  if (value.kind == Value::Kind::text) {
    if (const auto on = yes.read(value, report)) partition.ipoib = *on;
    return;
  }
  partition.ipoib = true;
  const std::vector<Value> one{value};
  std::set<std::uint8_t> scopes;
  for (const Value& item : value.kind == Value::Kind::list ? value.children : one) {
    GroupOptions options;
    FieldReader fields("an IPoIB group");
    add_group_fields(fields, options);
    fields.read(item, report);
    check_sl(options, item.place, report);
    if (!scopes.insert(options.scope).second)
      report.problem(item.place, fmt::format("there is a group of scope {} already", options.scope));
    partition.broadcast.push_back(options);
  }
}

void read_groups(const Value& value, Partition& partition, Report& report) {
  if (value.kind != Value::Kind::list)
    return report.problem(
        value.place,
        fmt::format("expects a list of groups such as {{ mgid: \"ff12::1\" }}, not {}", describe(value)));
  for (const Value& item : value.children) {
    ExtraGroup group;
    FieldReader fields("a group");
    fields.raw("mgid", [&group](const Value& text, Report& to) {
      const auto mgid = text.kind == Value::Kind::text ? gid_from(text.text) : std::nullopt;
      if (mgid && is_multicast(*mgid))
        group.mgid = *mgid;
      else
        to.problem(text.place, fmt::format("expects a multicast GID such as \"ff12:401b:ffff::1\", not {}",
                                           describe(text)));
    });
    add_group_fields(fields, group.options);
    const std::size_t before = report.problem_count;
    fields.read(item, report);
    check_sl(group.options, item.place, report);
    if (report.problem_count == before && group.mgid == Gid{})
      report.problem(item.place, "a group needs its mgid");
    partition.groups.push_back(group);
  }
}

class MemberReader {
 public:
  MemberReader(Partition& partition, Report& report) : partition_(partition), report_(report) {}

  void read(const Value& value) {
    if (value.kind == Value::Kind::map) return read_pairs(value);
    if (value.kind == Value::Kind::text) return add(value, Membership::none);
    if (value.kind != Value::Kind::list)
      return report_.problem(value.place,
                             fmt::format("expects a list of members, or a map of members to full, limited "
                                         "or both, not {}",
                                         describe(value)));
    for (const Value& item : value.children) {
      if (item.kind == Value::Kind::map)
        read_pairs(item);
      else
        add(item, Membership::none);
    }
  }

 private:
  void read_pairs(const Value& map) {
    static const Type<int> type = membership();
    for (std::size_t i = 0; i + 1 < map.children.size(); i += 2)
      if (const auto as = type.read(map.children[i + 1], report_))
        add(map.children[i], static_cast<Membership>(*as));
  }

  void add(const Value& value, Membership as) {
    if (value.kind != Value::Kind::text || value.text.empty())
      return report_.problem(value.place,
                             fmt::format("expects a member: a GUID, a name, all, hosts, switches, routers "
                                         "or self, not {}",
                                         describe(value)));
    Who who = who_from(value.text);
    const auto [first, fresh] = seen_.emplace(who_text(who), std::pair(value.place, as));
    if (!fresh) {
      const auto& [place, was] = first->second;
      return report_.problem(
          value.place,
          was == as ? fmt::format("{} stands here twice; first in line {}", in_quotes(value.text), place.line)
                    : fmt::format("{} is {} here and {} in line {}; \"both\" is a membership too",
                                  in_quotes(value.text), word(as), word(was), place.line));
    }
    partition_.members.push_back({std::move(who), as});
  }

  std::string_view word(Membership as) const {
    return partitions::name(as == Membership::none ? partition_.default_membership : as);
  }

  Partition& partition_;
  Report& report_;
  std::map<std::string, std::pair<Place, Membership>> seen_;
};

Partition read_partition(const std::string& name, const Value& value, Report& report) {
  static const Type<int> type = membership();
  static const Type<bool> yes = flag();
  Partition partition{.name = name};
  const Value* members = nullptr;
  FieldReader fields("a partition");
  fields
      .raw("key",
           [&partition](const Value& text, Report& to) {
             if (const auto key = read_key(text, to)) partition.key = *key;
           })
      .raw("members", [&members](const Value& list, Report&) { members = &list; })
      .field("default_membership", type, partition.default_membership)
      .field("precedence", precedence(), partition.last_counts)
      .field("index0", yes, partition.at_index0)
      .raw("ipoib", [&partition](const Value& item, Report& to) { read_ipoib(item, partition, to); })
      .raw("groups", [&partition](const Value& list, Report& to) { read_groups(list, partition, to); });
  fields.read(value, report);
  if (members != nullptr) MemberReader(partition, report).read(*members);
  return partition;
}

std::string options_text(const GroupOptions& options) {
  std::string text;
  const auto add = [&text](std::string_view name, const auto& value) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", name, value);
  };
  if (options.mtu) add("mtu", 128 << static_cast<int>(*options.mtu));
  if (options.rate) add("rate", rate_speed_text(*options.rate));
  if (options.sl) add("sl", raw(*options.sl));
  if (!options.level.empty()) add("level", yaml_text(options.level));
  if (options.q_key) add("q_key", fmt::format("0x{:x}", *options.q_key));
  if (options.traffic_class) add("traffic_class", *options.traffic_class);
  if (options.flow_label) add("flow_label", *options.flow_label);
  if (options.scope != 2) add("scope", options.scope);
  return text;
}

std::string members_text(const std::vector<Member>& members) {
  std::string text;
  for (const Member& member : members) {
    const std::string who = yaml_text(who_text(member.who));
    text += fmt::format(
        "{}{}", text.empty() ? "" : ", ",
        member.as == Membership::none ? who : fmt::format("{{ {}: {} }}", who, partitions::name(member.as)));
  }
  return "[" + text + "]";
}

std::string partition_text(const Partition& one) {
  std::string text = "{ ";
  if (one.key) text += fmt::format("key: 0x{:04x}, ", *one.key);
  if (one.default_membership != Membership::limited)
    text += fmt::format("default_membership: {}, ", partitions::name(one.default_membership));
  if (one.last_counts) text += "precedence: last, ";
  if (one.at_index0) text += "index0: true, ";
  if (one.ipoib && one.broadcast.empty()) text += "ipoib: true, ";
  if (!one.broadcast.empty()) {
    text += "ipoib: [";
    for (const GroupOptions& options : one.broadcast)
      text +=
          fmt::format("{}{{ {} }}", &options == &one.broadcast.front() ? "" : ", ", options_text(options));
    text += "], ";
  }
  if (!one.groups.empty()) {
    text += "groups: [";
    for (const ExtraGroup& group : one.groups) {
      const std::string options = options_text(group.options);
      text += fmt::format("{}{{ mgid: \"{}\"{}{} }}", &group == &one.groups.front() ? "" : ", ",
                          weft::to_string(group.mgid), options.empty() ? "" : ", ", options);
    }
    text += "], ";
  }
  return text + "members: " + members_text(one.members) + " }";
}

std::string partition_json() {
  using namespace json_form;
  const std::string text(kText);
  const std::string number(kNumber);
  const std::string pairs = map_of(R"({"enum":["full","limited","both"]})");
  const Field mtu{"mtu", R"({"enum":[256,512,1024,2048,4096]})"}, rate{"rate", text},
      sl{"sl", integer(0, 15)}, level{"level", text}, q_key{"q_key", number},
      traffic_class{"traffic_class", integer(0, 255)}, flow_label{"flow_label", number}, scope{"scope", text};
  const std::string ipoib = fields({mtu, rate, sl, level, q_key, traffic_class, flow_label, scope});
  const std::string group =
      fields({{"mgid", text}, mtu, rate, sl, level, q_key, traffic_class, flow_label, scope});
  return any_of({fields({{"key", integer(1, 0xffff)},
                         {"members", any_of({text, pairs, list_of(any_of({text, pairs}))})},
                         {"default_membership", R"({"enum":["full","limited","both"]})"},
                         {"index0", std::string(kFlag)},
                         {"precedence", R"({"enum":["special","last"]})"},
                         {"ipoib", any_of({std::string(kFlag), ipoib, list_of(ipoib)})},
                         {"groups", list_of(group)}}),
                 std::string(kNothing)});
}

}  // namespace

partitions::Who who_from(std::string_view text) {
  for (const auto& [word, kind] : kWords)
    if (text == word) return {.kind = kind};
  Who who{.kind = Who::Kind::name};
  const std::size_t slash = text.rfind("/P");
  if (slash != text.npos && slash > 0) {
    const auto port = number_from(text.substr(slash + 2));
    if (port && *port <= kMaxPorts) {
      who.kind = Who::Kind::port;
      who.port = static_cast<PortNum>(*port);
      text = text.substr(0, slash);
    }
  }
  const std::size_t dash = text.find('-');
  const auto first = dash == text.npos ? std::nullopt : guid_from(text.substr(0, dash));
  const auto last = first ? guid_from(text.substr(dash + 1)) : std::nullopt;
  if (first && last && who.kind == Who::Kind::name) {
    who = {.kind = Who::Kind::guid, .guid = *first, .last = *last};
  } else if (const auto guid = guid_from(text)) {
    who.guid = *guid;
    if (who.kind == Who::Kind::name) who.kind = Who::Kind::guid;
  } else {
    who.name = text;
  }
  return who;
}

std::string who_text(const partitions::Who& who) {
  for (const auto& [word, kind] : kWords)
    if (who.kind == kind) return std::string(word);
  if (who.last != Guid{}) return fmt::format("{}-{}", to_string(who.guid), to_string(who.last));
  const std::string node = who.guid != Guid{} ? to_string(who.guid) : who.name;
  return who.kind == Who::Kind::port ? fmt::format("{}/P{}", node, raw(who.port)) : node;
}

void PartitionList::add(Partition partition, Place place, Report& report) {
  if (!by_name_.emplace(partition.name, all_.size()).second)
    report.problem(place, fmt::format("partition {} is defined twice", in_quotes(partition.name)));
  if (partition.key) {
    const auto [there, fresh] = by_key_.emplace(*partition.key, all_.size());
    if (!fresh)
      report.problem(
          place, fmt::format("partitions {} and {} both have the key 0x{:04x}",
                             in_quotes(all_[there->second].name), in_quotes(partition.name), *partition.key));
  }
  all_.push_back(std::move(partition));
}

Type<std::vector<Partition>> partition_map() {
  Type<std::vector<Partition>> type;
  type.json = json_form::any_of({json_form::map_of(partition_json()), std::string(json_form::kNothing)});
  type.form =
      "a map of names to partitions such as { storage: { key: 0x0010, members: [\"h0*\", { self: full }], "
      "ipoib: true } }";
  type.read = [form = type.form](const Value& value,
                                 Report& report) -> std::optional<std::vector<Partition>> {
    PartitionList all;
    if (value.kind == Value::Kind::null) return std::move(all).take();
    const std::size_t before = report.problem_count;
    if (value.kind != Value::Kind::map) {
      report.problem(value.place, fmt::format("expects {}, not {}", form, describe(value)));
      return std::nullopt;
    }
    for (std::size_t i = 0; i + 1 < value.children.size(); i += 2) {
      const Value& name = value.children[i];
      if (name.kind != Value::Kind::text || !is_name(name.text)) {
        report.problem(name.place, fmt::format("expects the name of a partition, not {}", describe(name)));
        continue;
      }
      all.add(read_partition(name.text, value.children[i + 1], report), name.place, report);
    }
    if (report.problem_count != before) return std::nullopt;
    return std::move(all).take();
  };
  type.show = [](const std::vector<Partition>& all) {
    std::string text;
    for (const Partition& one : all)
      text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", yaml_text(one.name), partition_text(one));
    return "{" + text + "}";
  };
  return type;
}

}  // namespace weft::config
