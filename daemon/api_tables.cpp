#include "daemon/api_tables.h"

#include <algorithm>

#include <boost/json/array.hpp>

#include "base/words.h"
#include "daemon/api_answers.h"
#include "daemon/api_json.h"
#include "daemon/explain_port.h"
#include "plan/find.h"

namespace weft::daemon {

namespace json = boost::json;
using fabric::PortRef;

namespace {

json::array texts_json(const std::vector<std::string>& texts) {
  return json::array(texts.begin(), texts.end());
}

bool is_named(std::string_view pattern, const fabric::Node& node) {
  return glob_matches(pattern, node.description) || to_string(node.guid) == pattern ||
         glob_matches(pattern, std::string_view(node.description).substr(0, node.description.find(' ')));
}

Response ports(const ApiSource&, const plan::View& view, const Request& request) {
  const auto page = page_of(request);
  if (!page) return refusal(page.error());
  const auto node_wanted = request.parameter("node");
  const auto state = request.parameter("state");
  PageWriter writer(*page);
  for (std::uint32_t n = 0; n < view.fabric->node_count(); ++n) {
    const auto id = static_cast<NodeId>(n);
    const fabric::Node& node = view.fabric->node(id);
    if (node_wanted && !is_named(*node_wanted, node)) continue;
    const auto all = view.fabric->ports(id);
    for (std::size_t number = node.type == NodeType::switch_ ? 0 : 1; number < all.size(); ++number) {
      if (state && *state != name(all[number].state)) continue;
      writer.add([&] { return port_json(view, {id, static_cast<PortNum>(number)}); });
    }
  }
  return std::move(writer).finish("ports", view.generation);
}

/// By name, GUID or LID.
Result<SwitchId> switch_asked(const plan::View& view, const Request& request) {
  const auto text = request.parameter("switch");
  if (!text) return fail(Errc::invalid, "?switch= is missing");
  const auto port = plan::find_end_port(view, *text);
  if (!port) return fail(port.error());
  const auto id = view.fabric->switch_of(port->node);
  if (!id) return fail(Errc::invalid, "{} is no switch", fabric::describe(view.fabric->node(port->node)));
  return *id;
}

Response tables(const ApiSource&, const plan::View& view, const Request& request) {
  const auto page = page_of(request);
  if (!page) return refusal(page.error());
  const auto id = switch_asked(view, request);
  if (!id) return place_refusal(id.error());
  const fabric::Fabric& fabric = *view.fabric;
  const fabric::Node& node = fabric.node(*id);
  const auto ends = fabric.end_ports();
  std::vector<std::pair<Lid, PortRef>> owners;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const plan::LidRange range = view.plan->lids.of_end_port[i];
    for (int k = 0; range.base != kLidNone && k < range.size(); ++k)
      owners.emplace_back(static_cast<Lid>(raw(range.base) + k), ends[i]);
  }
  std::ranges::sort(owners);
  PageWriter writer(*page);
  for (const auto& [lid, owner] : owners)
    writer.add([&] {
      const PortNum out = view.plan->routes().out(*id, lid);
      return json::object{{"lid", raw(lid)},
                          {"owner", fabric::describe(fabric, owner)},
                          {"port", out == kPortDrop ? json::value(nullptr) : json::value(raw(out))}};
    });
  Response response = std::move(writer).finish("entries", view.generation);
  response.headers.emplace_back("X-Weft-Switch", to_string(node.guid));
  return response;
}

Response plans(const ApiSource&, const plan::View& view, const Request&) {
  const plan::Plan& plan = *view.plan;
  const routing::ChainResult& chain = plan.routing;
  json::array refusals;
  for (const routing::Refusal& one : chain.refusals)
    refusals.push_back(json::object{{"engine", one.engine}, {"reason", one.reason}});
  json::value transition = nullptr;
  if (plan.transition) transition = json::object{{"dark", plan.dark() != nullptr}};
  json::object last{{"generation", view.generation},
                    {"engine", chain.routes.engine},
                    {"recognised", chain.recognised},
                    {"refusals", std::move(refusals)},
                    {"beyond_named", chain.beyond_named},
                    {"kept_last", chain.kept_last},
                    {"pairs", chain.report.pairs},
                    {"pairs_lost", chain.report.lost},
                    {"longest", chain.report.longest},
                    {"vls_needed", chain.routes.vls_needed},
                    {"safe_on_any_sl", chain.report.any_sl},
                    {"lid_top", raw(plan.lids.top)},
                    {"ports_without_lid", plan.lids.without.size()},
                    {"port_sets", plan.port_sets != nullptr},
                    {"transition", std::move(transition)},
                    {"routing_notes", texts_json(chain.routes.notes)},
                    {"lid_notes", texts_json(plan.lids.notes)},
                    {"notes", texts_json(plan.notes)}};
  return json_response(json::object{{"plans", json::array{std::move(last)}}});
}

/// One look: a sentence, what is wrong, and whether a probe should worry.
Response health(const ApiSource& source) {
  const Status status = source.status();
  const auto view = source.view();
  json::array problems;
  for (const Problem& one : status.problems) {
    const auto node = view && view->fabric ? view->fabric->find(one.node) : std::nullopt;
    problems.push_back(json::object{
        {"node", one.node == Guid{} ? json::value(nullptr) : json::value(to_string(one.node))},
        {"name", node ? json::value(view->fabric->node(*node).description) : json::value(nullptr)},
        {"what", one.what}});
  }
  const bool managed = status.state == State::master && view != nullptr;
  const bool well = managed && status.problems.empty() && status.dirty.empty() && status.missing.empty() &&
                    status.store == "ok";
  return json_response(json::object{{"live", true},
                                    {"ready", managed},
                                    {"well", well},
                                    {"state", name(status.state)},
                                    {"text", status.text},
                                    {"problems", std::move(problems)},
                                    {"missing", texts_json(status.missing)},
                                    {"dirty", status.dirty.size()},
                                    {"store", status.store},
                                    {"shared", sentence_of(status.shared)}});
}

}  // namespace

void add_table_routes(Router& router, std::shared_ptr<const ApiSource> source) {
  using Answer = Response (*)(const ApiSource&, const plan::View&, const Request&);
  const auto get = [&](std::string path, Answer answer) {
    router.add({"GET", std::move(path), [source, answer](const Request& request) {
                  const auto view = source->view();
                  if (!view || !view->fabric || !view->plan) return no_view(source->status());
                  return answer(*source, *view, request);
                }});
  };
  get("/v1/ports", ports);
  get("/v1/tables", tables);
  get("/v1/plans", plans);
  router.add({"GET", "/v1/health", [source](const Request&) { return health(*source); }});
}

}  // namespace weft::daemon
