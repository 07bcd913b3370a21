#include "daemon/api_sa.h"

#include <algorithm>
#include <charconv>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "base/bytes.h"
#include "base/rate.h"
#include "daemon/api_answers.h"
#include "daemon/api_json.h"
#include "mad/sa_records.h"
#include "plan/find.h"
#include "sa/components.h"
#include "sa/inform.h"
#include "sa/multicast.h"

namespace weft::daemon {

namespace json = boost::json;

namespace {

Response not_serving() {
  return error_response(503, "not_ready", "subnet administration answers nobody yet",
                        "weftctl status says what the daemon waits for");
}

/// A number from the query; the fallback for none, and for what is none.
std::string hex(std::uint64_t value) { return fmt::format("0x{:04x}", value); }

/// Who has a port GUID, its own or an alias: his name, or the GUID where nobody has it now.
std::string who(const SaView& view, Guid guid) {
  if (!view.index) return to_string(guid);
  const sa::End* end = view.index->find(guid);
  if (end == nullptr)
    if (const plan::AliasGuid* alias = view.state.aliases.find(guid)) end = view.index->find(alias->port);
  return end == nullptr ? to_string(guid) : view.index->fabric().node(end->port.node).description;
}

json::object group_json(const SaView& view, const plan::McGroup& group, bool with_members) {
  json::array members;
  std::uint64_t senders = 0;
  group.members.each([&](Guid guid, const plan::McMember& member) {
    const bool receives = (member.join_state & 3) != 0;
    senders += !receives;
    if (!with_members) return;
    members.push_back(json::object{{"port", to_string(guid)},
                                   {"name", who(view, guid)},
                                   {"receives", receives},
                                   {"join_state", member.join_state}});
  });
  json::object made{{"mgid", to_string(group.mgid)},
                    {"mlid", hex(raw(group.mlid))},
                    {"pkey", hex(raw(group.pkey))},
                    {"qkey", fmt::format("0x{:08x}", group.qkey)},
                    {"mtu", bytes(group.mtu)},
                    {"rate", rate_speed(group.rate) / 10.0},
                    {"sl", raw(group.sl)},
                    {"members", group.members.size()},
                    {"senders", senders},
                    {"permanent", group.permanent}};
  if (with_members) made["list"] = std::move(members);
  return made;
}

Response groups(const SaView& view, const Request& request) {
  const bool with_members = request.parameter("members") == "1";
  std::vector<plan::McGroups::GroupPtr> all;
  view.state.groups.map().each([&all](const Gid&, const auto& group) { all.push_back(group); });
  std::ranges::sort(all, {}, [](const auto& group) { return std::pair(group->mlid, group->mgid); });
  const auto wanted = page_of(request);
  if (!wanted) return refusal(wanted.error());
  PageWriter page(*wanted);
  for (const auto& group : all) page.add([&] { return group_json(view, *group, with_members); });
  return std::move(page).finish("groups", 0);
}

Response services(const SaView& view, const Request& request) {
  const auto wanted = page_of(request);
  if (!wanted) return refusal(wanted.error());
  PageWriter page(*wanted);
  view.state.services.each([&](const plan::ServiceKey& key, const plan::SaState::ServicePtr& service) {
    page.add([&] {
      const auto end = std::ranges::find(service->name, std::uint8_t{0});
      std::string text(service->name.begin(), end);
      for (char& c : text)
        if (c < 0x20 || c > 0x7e) c = '?';
      const bool for_ever = service->lease == 0xffffffff;
      return json::object{{"id", fmt::format("0x{:016x}", key.id)},
                          {"gid", to_string(key.gid)},
                          {"name", text},
                          {"port", who(view, interface_of(key.gid))},
                          {"pkey", hex(raw(key.pkey))},
                          {"expires", for_ever ? json::value(nullptr) : json::value(service->expires)}};
    });
  });
  return std::move(page).finish("services", 0);
}

Response subscriptions(const SaView& view, const Request& request) {
  const auto wanted = page_of(request);
  if (!wanted) return refusal(wanted.error());
  PageWriter page(*wanted);
  sa::each_subscription(view.state, [&](const plan::Subscription& one) {
    page.add([&] {
      const auto any = [](std::uint32_t value, std::uint32_t all) {
        return value == all ? json::value("any") : json::value(value);
      };
      return json::object{{"port", to_string(interface_of(one.subscriber))},
                          {"name", who(view, interface_of(one.subscriber))},
                          {"lid", raw(one.lid)},
                          {"qp", one.qp},
                          {"type", any(one.type, 0xffff)},
                          {"trap", any(one.trap, 0xffff)},
                          {"producer", any(one.producer, 0xffffff)},
                          {"trusted", one.trusted}};
    });
  });
  return std::move(page).finish("subscriptions", 0);
}

Response counts(const SaView& view) {
  json::array attributes;
  for (const auto& [attribute, one] : view.counts.by_attribute) {
    json::array took;
    for (const std::uint64_t count : one.took) took.push_back(count);
    attributes.push_back(json::object{{"attribute", hex(attribute)},
                                      {"requests", one.requests},
                                      {"answered", one.answered},
                                      {"refused", one.refused},
                                      {"dropped", one.dropped},
                                      {"took_below_2_to_n_us", std::move(took)}});
  }
  const SaCounts& c = view.counts;
  return json_response(json::object{{"serving", view.index != nullptr},
                                    {"requests", c.requests},
                                    {"answered", c.answered},
                                    {"refused", c.refused},
                                    {"unadmitted", c.unadmitted},
                                    {"duplicates", c.duplicates},
                                    {"over_quota", c.over_quota},
                                    {"reports", c.reports},
                                    {"unconfirmed", c.unconfirmed},
                                    {"groups", view.state.groups.size()},
                                    {"services", view.state.services.size()},
                                    {"subscriptions", plan::subscription_count(view.state)},
                                    {"tree_updates", view.multicast.updates},
                                    {"multicast_blocks_written", view.multicast.blocks_written},
                                    {"attributes", std::move(attributes)}});
}

// --- what would be answered

Result<const sa::End*> end_named(const SaView& view, const Request& request, std::string_view key) {
  const auto text = request.parameter(key);
  if (!text) return fail(Errc::invalid, "?{}= is missing", key);
  const auto port = plan::find_end_port(view.index->view(), *text);
  if (!port) return fail(port.error());
  const sa::End* end = view.index->find(*port);
  if (end == nullptr) return fail(Errc::not_found, "{} has no LID", *text);
  return end;
}

Gid gid_of(const sa::End& end) { return {kLinkLocalPrefix, raw(end.guid)}; }

Response sa_path(const SaView& view, const Request& request) {
  const auto from = end_named(view, request, "from");
  if (!from) return place_refusal(from.error());
  const auto to = end_named(view, request, "to");
  if (!to) return place_refusal(to.error());
  mad::PathRecord asked;
  asked.sgid = gid_of(**from);
  asked.dgid = gid_of(**to);
  std::vector<std::uint8_t> data(mad::kSaDataSize);
  encode_into(std::span<std::uint8_t>(data), asked);
  const auto answer = view.ask(sa::request_from((*from)->base, mad::Method::get, mad::SaAttr::path_record,
                                                sa::bit(2) | sa::bit(3), data));
  if (!answer) return not_serving();
  if (answer->status != 0)
    return error_response(409, "refused",
                          fmt::format("the SA answers status {}: no path", hex(answer->status)));
  const auto path = mad::decode<mad::PathRecord>(std::span<const std::uint8_t>(answer->data));
  return json_response(
      json::object{{"from", who(view, (*from)->guid)},
                   {"to", who(view, (*to)->guid)},
                   {"sgid", to_string(path.sgid)},
                   {"dgid", to_string(path.dgid)},
                   {"slid", raw(path.slid)},
                   {"dlid", raw(path.dlid)},
                   {"pkey", hex(raw(path.pkey))},
                   {"sl", raw(path.sl)},
                   {"mtu", bytes(static_cast<Mtu>(path.mtu))},
                   {"rate", rate_speed(path.rate) / 10.0},
                   {"lifetime_us", 4.096 * static_cast<double>(std::uint64_t{1} << path.lifetime)},
                   {"reversible", path.reversible},
                   {"hop_limit", path.hop_limit}});
}

/// An MLID as 0xc000; nothing for what is none.
std::optional<unsigned> mlid_from(std::string_view text) {
  unsigned number = 0;
  if (!text.starts_with("0x")) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), number, 16);
  const bool multicast = number >= 0xc000 && number < 0xffff;
  if (error != std::errc() || end != text.data() + text.size() || !multicast) return std::nullopt;
  return number;
}

/// An MGID, an MLID that one group has, or "broadcast" for IPoIB's of the default partition.
Result<Gid> mgid_from(const plan::SaState& state, std::string_view text) {
  if (text == "broadcast") return sa::ipoib_broadcast(Pkey{0xffff});
  if (const auto mgid = gid_from(text)) return *mgid;
  if (const auto mlid = mlid_from(text)) {
    std::optional<Gid> found;
    bool several = false;
    state.groups.each([&](const plan::McGroup& group) {
      if (raw(group.mlid) != *mlid) return;
      several = found.has_value();
      found = group.mgid;
    });
    if (several) return fail(Errc::ambiguous, "several groups share the MLID {}; name one by its MGID", text);
    if (!found) return fail(Errc::not_found, "no group has the MLID {}", text);
    return *found;
  }
  return fail(
      Errc::invalid,
      "\"{}\" is no MGID such as ff12:401b:ffff::ffff:ffff, no MLID such as 0xc000, nor \"broadcast\"", text);
}

Response sa_join(const SaView& view, const Request& request) {
  const auto port = end_named(view, request, "port");
  if (!port) return place_refusal(port.error());
  const auto mgid = mgid_from(view.state, request.parameter("group").value_or("broadcast"));
  if (!mgid) return refusal(mgid.error());
  const auto group = view.state.groups.find(*mgid);
  mad::McMemberRecord asked;
  asked.mgid = *mgid;
  asked.port_gid = gid_of(**port);
  asked.join_state = 1;
  asked.pkey = group ? group->pkey : Pkey{0xffff};
  std::vector<std::uint8_t> data(mad::kSaDataSize);
  encode_into(std::span<std::uint8_t>(data), asked);
  const auto answer =
      view.ask(sa::request_from((*port)->base, mad::Method::set, mad::SaAttr::mc_member_record,
                                sa::bit(0) | sa::bit(1) | sa::bit(7) | sa::bit(16), data));
  if (!answer) return not_serving();
  const plan::McMember* member = group ? group->members.find((*port)->guid) : nullptr;
  return json_response(
      json::object{{"port", who(view, (*port)->guid)},
                   {"group", to_string(*mgid)},
                   {"may_join", answer->status == 0},
                   {"status", hex(answer->status)},
                   {"why", answer->why},
                   {"is_member", member != nullptr},
                   {"mlid", group ? json::value(hex(raw(group->mlid))) : json::value(nullptr)},
                   {"members", group ? group->members.size() : std::size_t{0}}});
}

}  // namespace

void add_sa_routes(Router& router, std::shared_ptr<const ApiSource> source) {
  const auto get = [&](std::string path, auto answer, bool serving) {
    router.add({"GET", std::move(path), [source, answer, serving](const Request& request) {
                  const std::optional<SaView> view = source->sa ? source->sa() : std::nullopt;
                  if (!view || (serving && !view->index)) return not_serving();
                  return answer(*view, request);
                }});
  };
  get("/v1/groups", groups, false);
  get("/v1/services", services, false);
  get("/v1/subscriptions", subscriptions, false);
  get("/v1/sa", [](const SaView& view, const Request&) { return counts(view); }, false);
  get("/v1/sa/path", sa_path, true);
  get("/v1/sa/join", sa_join, true);
}

}  // namespace weft::daemon
