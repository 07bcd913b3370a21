#include "daemon/api_qos.h"

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "base/rate.h"
#include "base/units.h"
#include "daemon/api_answers.h"
#include "partitions/pkey.h"
#include "plan/find.h"
#include "program/lane_rows.h"
#include "qos/rules.h"

namespace weft::daemon {

namespace json = boost::json;

namespace {

using fabric::PortRef;

json::object level_json(const qos::LanePlan& plan, const qos::PlannedLevel& one) {
  json::array lanes;
  const qos::Level& level = one.level;
  std::string_view priority = level.strict ? "strict" : "weighted";
  double share = one.share;
  if (plan.typed) {
    const qos::TypedTable& table = plan.typed->switches;
    lanes.push_back(raw(table.sl2vl[raw(one.sl)]));
    priority = "typed";
    share = qos::share_of(table.arbitration.low, table.sl2vl[raw(one.sl)]);
  } else {
    for (int lane = 0; lane < plan.demand; ++lane) lanes.push_back(one.block * plan.demand + lane);
  }
  return {
      {"name", level.name},
      {"sl", raw(one.sl)},
      {"lanes", std::move(lanes)},
      {"priority", priority},
      {"share", share},
      {"default", &one == &plan.levels[plan.default_level]},
      {"mtu", level.mtu ? json::value(128 << static_cast<int>(*level.mtu)) : json::value(nullptr)},
      {"rate", level.rate ? json::value(*level.rate / 10.0) : json::value(nullptr)},
      {"lifetime_us",
       level.lifetime ? json::value(static_cast<double>(base::wire_time(*level.lifetime).count()) / 1000.0)
                      : json::value(nullptr)}};
}

Response list_levels(const plan::View& view, const Request& request) {
  const auto page = page_of(request);
  if (!page) return refusal(page.error());
  PageWriter writer(*page);
  for (const qos::PlannedLevel& one : view.plan->levels.levels)
    writer.add([&] { return level_json(view.plan->levels, one); });
  return std::move(writer).finish("levels", view.generation);
}

/// The VL that a packet of this SL leaves a port on.
Vl lane_of(const plan::View& view, PortRef out, std::optional<PortNum> in, Sl sl) {
  const fabric::Fabric& fabric = *view.fabric;
  if (const auto id = fabric.switch_of(out.node))
    return program::lane_row(fabric, *view.plan, *id, in.value_or(PortNum{0}), out.port)[raw(sl)];
  const auto& settings = view.plan->ports[fabric.node(out.node).first_port + raw(out.port)];
  return view.plan->levels.vl(sl, 0, plan::data_vls(fabric.port(out), settings), qos::egress_of(fabric, out));
}

json::array hops_json(const plan::View& view, const std::vector<plan::Hop>& hops, Sl sl) {
  json::array told;
  std::optional<PortNum> in;
  for (const plan::Hop& hop : hops) {
    told.push_back(json::object{{"from", fabric::describe(*view.fabric, hop.out)},
                                {"to", fabric::describe(*view.fabric, hop.in)},
                                {"vl", raw(lane_of(view, hop.out, in, sl))}});
    in = hop.in.port;
  }
  return told;
}

Result<std::optional<std::uint64_t>> optional_number(const Request& request, std::string_view key,
                                                     std::uint64_t most) {
  const auto text = request.parameter(key);
  if (!text) return std::optional<std::uint64_t>();
  const auto value = number_from(*text);
  if (!value || *value > most)
    return fail(Errc::invalid, "{} must be a number up to 0x{:x}, not \"{}\"", key, most, *text);
  return value;
}

Result<qos::Query> query_of(const Request& request) {
  qos::Query query;
  const auto pkey = optional_number(request, "pkey", 0xffff);
  if (!pkey) return fail(pkey.error());
  const auto service = optional_number(request, "service", UINT64_MAX);
  if (!service) return fail(service.error());
  const auto qos_class = optional_number(request, "class", 0xfff);
  if (!qos_class) return fail(qos_class.error());
  if (*pkey) query.partition = static_cast<std::uint16_t>(**pkey & 0x7fff);
  query.service = *service;
  if (*qos_class) query.qos_class = static_cast<std::uint16_t>(**qos_class);
  return query;
}

Response explain_qos(const plan::View& view, const qos::Policy& policy, const Request& request) {
  const auto from = plan::find_end_port(view, request.parameter("from").value_or(""));
  if (!from) return place_refusal(from.error());
  const auto to = plan::find_end_port(view, request.parameter("to").value_or(""));
  if (!to) return place_refusal(to.error());
  auto query = query_of(request);
  if (!query) return refusal(query.error());
  const plan::Plan& plan = *view.plan;
  const auto ends = view.fabric->end_ports();
  query->from = static_cast<std::uint32_t>(std::ranges::lower_bound(ends, *from) - ends.begin());
  query->to = static_cast<std::uint32_t>(std::ranges::lower_bound(ends, *to) - ends.begin());
  json::object answer{{"from", fabric::describe(*view.fabric, *from)},
                      {"to", fabric::describe(*view.fabric, *to)},
                      {"level", nullptr},
                      {"rule", nullptr},
                      {"hops", nullptr}};
  Sl sl{};
  if (!plan.levels.levels.empty()) {
    const qos::Decision decision = plan.rules.decide(*query);
    const qos::PlannedLevel& level = plan.levels.levels[decision.level];
    sl = level.sl;
    answer["level"] = level_json(plan.levels, level);
    // The configuration may be newer than the plan.
    if (decision.rule && *decision.rule < policy.rules.size())
      answer["rule"] = qos::describe(policy, *decision.rule);
  }
  answer["sl"] = raw(sl);
  const auto way = plan::path(view, *from, plan.lids.of_end_port[query->to].base);
  if (!way) return refusal(way.error());
  answer["hops"] = hops_json(view, *way, sl);
  return json_response(answer);
}

}  // namespace

void add_qos_routes(Router& router, std::shared_ptr<const ApiSource> source) {
  const auto get = [&](std::string path, auto answer) {
    router.add({"GET", std::move(path), [source, answer](const Request& request) {
                  const auto view = source->view();
                  if (!view || !view->fabric || !view->plan) return no_view(source->status());
                  return answer(*view, request);
                }});
  };
  get("/v1/levels", list_levels);
  get("/v1/explain/qos", [source](const plan::View& view, const Request& request) {
    return explain_qos(view, source->config()->settings.plan.qos, request);
  });
}

}  // namespace weft::daemon
