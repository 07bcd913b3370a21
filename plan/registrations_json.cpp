#include "plan/registrations_json.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "plan/registrations.h"

namespace weft::plan {
namespace {

namespace json = boost::json;

constexpr std::string_view kServiceKeys = "service_keys";
constexpr std::int64_t kLids = 0xffff;
constexpr std::int64_t kMostAliasIndex = 255 * 8;
/// Of a lease of 32 bits from any day of the next decades.
constexpr std::int64_t kLastSecond = std::int64_t{1} << 33;

// --- the fields of each record, once for both directions

template <typename Fields>
void fields_of(McGroup& group, Fields& fields) {
  fields.gid("mgid", group.mgid);
  fields.number("mlid", group.mlid, McGroups::kFirstMlid, 0xfffe);
  fields.number("qkey", group.qkey, 0, 0xffffffff);
  fields.number("pkey", group.pkey, 0, 0xffff);
  fields.number("mtu", group.mtu, 1, 5);
  fields.number("rate", group.rate, 0, 63);
  fields.number("lifetime", group.lifetime, 0, 63);
  fields.number("sl", group.sl, 0, 15);
  fields.number("tclass", group.tclass, 0, 0xff);
  fields.number("flow_label", group.flow_label, 0, 0xfffff);
  fields.number("hop_limit", group.hop_limit, 0, 0xff);
  fields.number("permanent", group.permanent, 0, 1);
}

struct Member {
  Guid port{};
  McMember is;
};
template <typename Fields>
void fields_of(Member& member, Fields& fields) {
  fields.guid("port", member.port);
  fields.gid("gid", member.is.gid);
  fields.number("join_state", member.is.join_state, 1, 15);
  fields.number("proxy", member.is.proxy, 0, 1);
}

template <typename Fields>
void fields_of(Service& service, Fields& fields) {
  fields.words("id", std::span(&service.id, 1));
  fields.gid("gid", service.gid);
  fields.number("pkey", service.pkey, 0, 0xffff);
  fields.number("lease", service.lease, 0, 0xffffffff);
  fields.number("expires", service.expires, 0, kLastSecond);
  fields.words("key", service.key);
  fields.bytes("name", service.name);
  fields.bytes("data", service.data);
}

struct PortSubscription {
  Guid port{};
  Subscription is;
};
template <typename Fields>
void fields_of(PortSubscription& one, Fields& fields) {
  fields.guid("port", one.port);
  fields.gid("subscriber", one.is.subscriber);
  fields.number("lid", one.is.lid, 0, kLids);
  fields.number("qp", one.is.qp, 0, 0xffffff);
  fields.number("sl", one.is.sl, 0, 15);
  fields.gid("gid", one.is.gid);
  fields.number("lid_begin", one.is.lid_begin, 0, kLids);
  fields.number("lid_end", one.is.lid_end, 0, kLids);
  fields.number("generic", one.is.generic, 0, 1);
  fields.number("type", one.is.type, 0, 0xffff);
  fields.number("trap", one.is.trap, 0, 0xffff);
  fields.number("producer", one.is.producer, 0, 0xffffff);
  fields.number("trusted", one.is.trusted, 0, 1);
}

struct Alias {
  Guid guid{};
  AliasGuid at;
};
template <typename Fields>
void fields_of(Alias& alias, Fields& fields) {
  fields.guid("guid", alias.guid);
  fields.guid("port", alias.at.port);
  fields.number("index", alias.at.index, 1, kMostAliasIndex);
}

// --- writing

struct FieldWriter {
  json::object to;
  template <typename Number>
  void number(const char* key, Number& value, std::int64_t, std::int64_t) {
    to[key] = static_cast<std::int64_t>(value);
  }
  void gid(const char* key, const Gid& value) { to[key] = base::to_string(value); }
  void guid(const char* key, Guid value) { to[key] = base::to_string(value); }
  void words(const char* key, std::span<const std::uint64_t> values) {
    std::string text;
    for (const std::uint64_t value : values) text += fmt::format("{:016x}", value);
    to[key] = text;
  }
  void bytes(const char* key, std::span<const std::uint8_t> values) {
    std::string text;
    for (const std::uint8_t value : values) text += fmt::format("{:02x}", value);
    to[key] = text;
  }
};

template <typename Record>
json::object object_of(Record record) {
  FieldWriter writer;
  fields_of(record, writer);
  return std::move(writer.to);
}

void append(std::string& list, const json::object& object) {
  list += list.empty() ? "\n" : ",\n";
  list += json::serialize(object);
}

// --- reading

struct FieldReader {
  const json::object& from;
  std::string place;
  std::set<std::string_view> left{};  // keys that nobody has asked for
  std::optional<Error> wrong{};

  void refuse(Errc code, const char* key, std::string_view why) {
    if (!wrong) wrong = Error{code, fmt::format("{}.{}: {}", place, key, why)};
  }
  const json::value* take(const char* key) {
    const json::value* found = from.if_contains(key);
    if (found == nullptr) refuse(Errc::malformed, key, "is missing");
    left.erase(key);
    return found;
  }
  std::optional<std::string_view> text(const char* key) {
    const json::value* found = take(key);
    if (found == nullptr) return std::nullopt;
    const json::string* text = found->if_string();
    if (text == nullptr) refuse(Errc::malformed, key, "a text is wanted");
    return text == nullptr ? std::nullopt : std::optional(std::string_view(text->data(), text->size()));
  }
  template <typename Number>
  void number(const char* key, Number& value, std::int64_t low, std::int64_t high) {
    const json::value* found = take(key);
    if (found == nullptr) return;
    if (!found->is_int64()) return refuse(Errc::malformed, key, "a whole number is wanted");
    const std::int64_t read = found->get_int64();
    if (read < low || read > high)
      return refuse(Errc::invalid, key, fmt::format("must be {} to {}", low, high));
    value = static_cast<Number>(read);
  }
  void gid(const char* key, Gid& value) {
    const auto word = text(key);
    if (!word) return;
    const auto read = gid_from(*word);
    if (!read) return refuse(Errc::malformed, key, "a GID such as \"fe80::2:c903:fe:1234\" is wanted");
    value = *read;
  }
  void guid(const char* key, Guid& value) {
    const auto word = text(key);
    if (!word) return;
    const auto read = guid_from(*word);
    if (!read) return refuse(Errc::malformed, key, "a GUID such as \"0x0002c90300000001\" is wanted");
    value = *read;
  }
  template <typename Value>
  void hexadecimal(const char* key, std::span<Value> values) {
    constexpr std::size_t kDigits = 2 * sizeof(Value);
    const auto word = text(key);
    if (!word) return;
    bool good = word->size() == kDigits * values.size();
    for (std::size_t i = 0; good && i < values.size(); ++i) {
      const char* begin = word->data() + i * kDigits;
      const auto [end, error] = std::from_chars(begin, begin + kDigits, values[i], 16);
      good = error == std::errc() && end == begin + kDigits;
    }
    if (!good)
      refuse(Errc::malformed, key, fmt::format("{} hexadecimal digits are wanted", kDigits * values.size()));
  }
  void words(const char* key, std::span<std::uint64_t> values) { hexadecimal(key, values); }
  void bytes(const char* key, std::span<std::uint8_t> values) { hexadecimal(key, values); }
};

/// An object with these fields; `also`: the one key more that it may have.
template <typename Record>
Result<Record> record_from(const json::value& value, const std::string& place, std::string_view also = {}) {
  const json::object* object = value.if_object();
  if (object == nullptr) return fail(Errc::malformed, "{}: an object is wanted", place);
  FieldReader reader{*object, place};
  for (const auto& member : *object)
    if (member.key() != also) reader.left.insert({member.key().data(), member.key().size()});
  Record record;
  fields_of(record, reader);
  if (reader.wrong) return fail(*reader.wrong);
  if (!reader.left.empty())
    return fail(Errc::malformed, "{}: unknown key \"{}\"", place, *reader.left.begin());
  return record;
}

/// Calls `each(value, place)` for the entries of a list, until one is refused.
template <typename Each>
Result<void> each_of(const json::object& object, std::string_view key, const std::string& place,
                     const Each& each) {
  const json::value* value = object.if_contains(key);
  const json::array* list = value == nullptr ? nullptr : value->if_array();
  if (list == nullptr) return fail(Errc::malformed, "{}.{}: an array is wanted", place, key);
  for (std::size_t i = 0; i < list->size(); ++i) {
    Result<void> taken = each((*list)[i], fmt::format("{}.{}[{}]", place, key, i));
    if (!taken) return taken;
  }
  return {};
}

/// What has been read. Subscriptions are set when all of a port's are known.
struct Told {
  SaState state;
  std::map<Guid, std::vector<Subscription>> subscriptions;
};

Result<void> refused_if(const std::string& why, const std::string& place) {
  if (why.empty()) return {};
  return fail(Errc::invalid, "{}: {}", place, why);
}

Result<void> take_member(McGroup& group, const json::value& value, const std::string& place) {
  const auto member = record_from<Member>(value, place);
  if (!member) return fail(member.error());
  auto may = refused_if(why_not(member->port, member->is), place);
  if (!may) return may;
  if (group.members.contains(member->port))
    return fail(Errc::invalid, "{}: member {} stands there twice", place, base::to_string(member->port));
  group.members.set(member->port, member->is);
  return {};
}

Result<void> take_group(Told& told, const json::value& value, const std::string& place) {
  auto group = record_from<McGroup>(value, place, "members");
  if (!group) return fail(group.error());
  auto may = refused_if(why_not(*group), place);
  if (!may) return may;
  if (told.state.groups.contains(group->mgid))
    return fail(Errc::invalid, "{}: group {} stands there twice", place, base::to_string(group->mgid));
  auto read = each_of(
      value.get_object(), "members", place,
      [&](const json::value& one, const std::string& where) { return take_member(*group, one, where); });
  if (!read) return read;
  told.state.groups = told.state.groups.with(std::move(*group));
  return {};
}

Result<void> take_service(Told& told, const json::value& value, const std::string& place) {
  const auto service = record_from<Service>(value, place);
  if (!service) return fail(service.error());
  const ServiceKey key{service->id, service->gid, service->pkey};
  if (told.state.services.contains(key))
    return fail(Errc::invalid, "{}: service 0x{:016x} of {} stands there twice", place, service->id,
                base::to_string(service->gid));
  told.state.services.set(key, std::make_shared<const Service>(*service));
  return {};
}

Result<void> take_subscription(Told& told, const json::value& value, const std::string& place) {
  const auto one = record_from<PortSubscription>(value, place);
  if (!one) return fail(one.error());
  std::vector<Subscription>& list = told.subscriptions[one->port];
  if (list.size() == kMostSubscriptionsOfAPort)
    return fail(Errc::invalid, "{}: more than {} subscriptions of port {}", place, kMostSubscriptionsOfAPort,
                base::to_string(one->port));
  list.push_back(one->is);
  return {};
}

Result<void> take_alias(Told& told, const json::value& value, const std::string& place) {
  const auto alias = record_from<Alias>(value, place);
  if (!alias) return fail(alias.error());
  auto may = refused_if(why_not(alias->guid, alias->at), place);
  if (!may) return may;
  if (told.state.aliases.contains(alias->guid))
    return fail(Errc::invalid, "{}: alias {} stands there twice", place, base::to_string(alias->guid));
  told.state = with_alias(told.state, alias->at.port, alias->at.index, alias->guid);
  return {};
}

}  // namespace

std::string registrations_json(const SaState& state, bool with_keys) {
  std::string groups;
  state.groups.each([&groups](const McGroup& group) {
    json::object object = object_of(group);
    json::array members;
    group.members.each([&members](Guid port, const McMember& member) {
      members.push_back(object_of(Member{port, member}));
    });
    object["members"] = std::move(members);
    append(groups, object);
  });
  std::string services;
  bool hidden = false;
  state.services.each([&](const ServiceKey&, const SaState::ServicePtr& held) {
    Service service = *held;
    if (!with_keys && service.key != Service{}.key) {
      service.key = {};
      hidden = true;
    }
    append(services, object_of(service));
  });
  std::string subscriptions;
  state.subscriptions.each([&subscriptions](Guid port, const SaState::PortSubscriptions& list) {
    for (const Subscription& one : *list) append(subscriptions, object_of(PortSubscription{port, one}));
  });
  std::string aliases;
  state.aliases.each(
      [&aliases](Guid guid, const AliasGuid& at) { append(aliases, object_of(Alias{guid, at})); });
  return fmt::format("{{\"groups\":[{}],\n\"services\":[{}],\n\"subscriptions\":[{}],\n\"aliases\":[{}]{}}}",
                     groups, services, subscriptions, aliases,
                     hidden ? fmt::format(",\n\"{}\":\"hidden\"", kServiceKeys) : std::string());
}

Result<SaState> registrations_from(const json::value& value, const std::string& place) {
  const json::object* object = value.if_object();
  if (object == nullptr) return fail(Errc::malformed, "{}: an object is wanted", place);
  using Take = Result<void> (*)(Told&, const json::value&, const std::string&);
  constexpr std::pair<std::string_view, Take> kLists[] = {{"groups", take_group},
                                                          {"services", take_service},
                                                          {"subscriptions", take_subscription},
                                                          {"aliases", take_alias}};
  if (object->contains(kServiceKeys))
    return fail(Errc::invalid, "{}.{}: hidden from who may not change things: ask as one who may", place,
                kServiceKeys);
  for (const auto& member : *object)
    if (std::ranges::find(kLists, std::string_view(member.key().data(), member.key().size()),
                          &std::pair<std::string_view, Take>::first) == std::end(kLists))
      return fail(Errc::malformed, "{}: unknown key \"{}\"", place, std::string_view(member.key()));
  Told told;
  for (const auto& [key, take] : kLists) {
    auto read = each_of(*object, key, place, [&](const json::value& one, const std::string& where) {
      return take(told, one, where);
    });
    if (!read) return fail(read.error());
  }
  for (auto& [port, list] : told.subscriptions)
    told.state.subscriptions.set(port, std::make_shared<const std::vector<Subscription>>(std::move(list)));
  return std::move(told.state);
}

}  // namespace weft::plan
