#include "daemon/api_partitions.h"

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "base/units.h"
#include "daemon/api_answers.h"
#include "partitions/explain.h"
#include "partitions/pkey.h"
#include "plan/find.h"

namespace weft::daemon {

namespace json = boost::json;

namespace {

using fabric::PortRef;
using partitions::Membership;

std::string hex_key(Pkey key) { return to_string(key); }

json::object partition_json(const plan::View& view, const partitions::Resolved& one, bool with_members) {
  json::array members;
  const auto ends = view.fabric->end_ports();
  for (std::size_t i = 0; with_members && i < ends.size() && i < one.members.size(); ++i) {
    if (one.members[i] == Membership::none) continue;
    members.push_back(json::object{{"port", to_string(view.fabric->port(ends[i]).guid)},
                                   {"name", view.fabric->node(ends[i].node).description},
                                   {"membership", partitions::name(one.members[i])}});
  }
  json::object made{
      {"name", one.name}, {"key", hex_key(Pkey{one.key})}, {"full", one.full}, {"limited", one.limited}};
  if (with_members) made["list"] = std::move(members);
  return made;
}

Response list_partitions(const plan::View& view, const Request& request) {
  const auto page = page_of(request);
  if (!page) return refusal(page.error());
  const bool with_members = request.parameter("members") == "1";
  PageWriter writer(*page);
  for (const partitions::Resolved& one : view.plan->partitions.partitions)
    writer.add([&] { return partition_json(view, one, with_members); });
  return std::move(writer).finish("partitions", view.generation);
}

std::string partition_name(const plan::View& view, std::uint16_t key) {
  for (const partitions::Resolved& one : view.plan->partitions.partitions)
    if (one.key == key) return one.name;
  return key == partitions::partition_of(partitions::kDefaultPkey) ? "default" : "";
}

json::array table_json(const plan::View& view, PortRef port) {
  json::array table;
  const auto keys = view.plan->partitions.tables.of(view.fabric->node(port.node).first_port + raw(port.port));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!partitions::is_valid(keys[i])) continue;
    table.push_back(json::object{{"index", i},
                                 {"pkey", hex_key(keys[i])},
                                 {"partition", partition_name(view, partitions::partition_of(keys[i]))},
                                 {"membership", partitions::is_full(keys[i]) ? "full" : "limited"}});
  }
  return table;
}

/// Why the port is in the partition of a key, or not.
json::object reason_json(const plan::View& view, const partitions::Policy& policy, PortRef port, Pkey key) {
  const std::uint16_t number = partitions::partition_of(key);
  const std::string name = partition_name(view, number);
  json::object told{{"key", hex_key(Pkey{number})},
                    {"partition", name.empty() ? json::value(nullptr) : json::value(name)}};
  json::array lines;
  const auto defined = std::ranges::find(policy.partitions, name, &partitions::Partition::name);
  if (defined != policy.partitions.end())
    for (const partitions::Reason& reason : partitions::reasons(*view.fabric, *defined, port, view.sm_port))
      lines.push_back(json::object{
          {"line", reason.line}, {"membership", partitions::name(reason.as)}, {"counts", reason.counts}});
  const bool is_default = number == partitions::partition_of(partitions::kDefaultPkey);
  std::string why;
  if (name.empty())
    why = "no partition has this key";
  else if (view.plan->partitions.refused && !is_default)
    why = "the policy is not in force; weftctl status says why";
  else if (lines.empty() && is_default)
    why = "every port is in the default partition: it reaches subnet administration by it";
  else if (lines.empty())
    why = "no line of the partition means this port";
  told["lines"] = std::move(lines);
  told["why"] = why;
  return told;
}

Response explain_pkey(const plan::View& view, const config::Loaded& config, const Request& request) {
  const auto port = plan::find_end_port(view, request.parameter("port").value_or(""));
  if (!port) return place_refusal(port.error());
  const fabric::Fabric& fabric = *view.fabric;
  const partitions::PlannedKeys& plan = view.plan->partitions;
  json::object answer{{"port", fabric::describe(fabric, *port)},
                      {"capacity", fabric.node(port->node).pkey_capacity},
                      {"managed", plan.active},
                      {"keys", table_json(view, *port)}};
  const auto& peer = fabric.port(*port).peer;
  const bool behind_switch = peer && !fabric.is_switch(port->node) && fabric.is_switch(peer->node);
  const auto checks = behind_switch && plan.active
                          ? plan.enforced[fabric.node(peer->node).first_port + raw(peer->port)]
                          : partitions::Enforcement::off;
  answer["checked_by"] = checks == partitions::Enforcement::off
                             ? json::value(nullptr)
                             : json::value(fabric::describe(fabric, *peer));
  answer["checked"] = partitions::words(checks);
  answer["reason"] = nullptr;
  if (const auto key = request.parameter("key")) {
    const auto number = number_from(*key);
    if (!number || *number > 0xffff || (*number & 0x7fff) == 0)
      return refusal(Error{Errc::invalid, fmt::format("\"{}\" is no P_Key such as 0x8010", *key)});
    answer["reason"] = reason_json(view, config.settings.plan.partitions, *port, static_cast<Pkey>(*number));
  }
  return json_response(answer);
}

}  // namespace

void add_partition_routes(Router& router, std::shared_ptr<const ApiSource> source) {
  const auto get = [&](std::string path, auto answer) {
    router.add({"GET", std::move(path), [source, answer](const Request& request) {
                  const auto view = source->view();
                  if (!view || !view->fabric || !view->plan) return no_view(source->status());
                  return answer(*view, request);
                }});
  };
  get("/v1/partitions", list_partitions);
  get("/v1/explain/pkey", [source](const plan::View& view, const Request& request) {
    return explain_pkey(view, *source->config(), request);
  });
}

}  // namespace weft::daemon
