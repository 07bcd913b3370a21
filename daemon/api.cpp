#include "daemon/api.h"

#include <algorithm>
#include <charconv>

#include "base/words.h"
#include "daemon/api_answers.h"
#include "daemon/api_config.h"
#include "daemon/api_counters.h"
#include "daemon/api_document.h"
#include "daemon/api_events.h"
#include "daemon/api_expected.h"
#include "daemon/api_explain.h"
#include "daemon/api_fabric.h"
#include "daemon/api_json.h"
#include "daemon/api_partitions.h"
#include "daemon/api_port_sets.h"
#include "daemon/api_qos.h"
#include "daemon/api_sa.h"
#include "daemon/api_tables.h"
#include "daemon/api_upkeep.h"
#include "daemon/ledger_json.h"
#include "daemon/metrics.h"
#include "fabric/slow_link.h"
#include "plan/dump_opensm.h"
#include "plan/find.h"
#include "plan/registrations.h"
#include "plan/registrations_json.h"

namespace weft::daemon {

namespace json = boost::json;
using fabric::PortRef;

namespace {

using Source = std::shared_ptr<const ApiSource>;
using ViewPtr = std::shared_ptr<const plan::View>;

constexpr std::size_t kDumpPiece = 64u << 10;

Response text_response(std::string text, int status = 200) {
  Response response;
  response.status = status;
  response.type = "text/plain; charset=utf-8";
  response.body = std::move(text);
  return response;
}

// --- the fabric

/// The whole name, or its first word: HCAs are described as "node device", and people say the node.
bool is_called(std::string_view pattern, std::string_view description) {
  return glob_matches(pattern, description) ||
         glob_matches(pattern, description.substr(0, description.find(' ')));
}

Response nodes(const plan::View& view, const Request& request) {
  const auto page = page_of(request);
  if (!page) return refusal(page.error());
  const auto type = request.parameter("type");
  if (type && *type != "hca" && *type != "switch" && *type != "router") {
    return refusal(Error{Errc::invalid, "type must be hca, switch or router"});
  }
  const auto pattern = request.parameter("name");
  PageWriter writer(*page);
  for (std::uint32_t i = 0; i < view.fabric->node_count(); ++i) {
    const auto id = static_cast<NodeId>(i);
    const fabric::Node& node = view.fabric->node(id);
    if (type && *type != name(node.type)) continue;
    if (pattern && !is_called(*pattern, node.description)) continue;
    writer.add([&] { return node_json(view, id); });
  }
  return std::move(writer).finish("nodes", view.generation);
}

Response links(const plan::View& view, const Request& request) {
  const auto page = page_of(request);
  if (!page) return refusal(page.error());
  const fabric::Fabric& fabric = *view.fabric;
  const auto state = request.parameter("state");
  const auto pattern = request.parameter("name");
  const bool slow_only = request.parameter("below_best") == "1";
  const auto wanted = [&](PortRef here, PortRef peer) {
    if (state && *state != name(std::min(fabric.port(here).state, fabric.port(peer).state))) return false;
    if (slow_only && below_best(fabric, here).empty()) return false;
    return !pattern || is_called(*pattern, fabric.node(here.node).description) ||
           is_called(*pattern, fabric.node(peer.node).description);
  };
  PageWriter writer(*page);
  for (std::uint32_t i = 0; i < fabric.node_count(); ++i) {
    const auto id = static_cast<NodeId>(i);
    const auto ports = fabric.ports(id);
    for (std::size_t number = 1; number < ports.size(); ++number) {
      const PortRef here{id, static_cast<PortNum>(number)};
      const auto& peer = ports[number].peer;
      if (!peer || *peer < here || !wanted(here, *peer)) continue;  // each link once
      writer.add([&] {
        json::object link = link_json(fabric, here);
        const plan::Order* order = order_of_link(view, here);
        link["upkeep"] = order != nullptr ? json::value(plan::name(order->kind)) : json::value(nullptr);
        return link;
      });
    }
  }
  return std::move(writer).finish("links", view.generation);
}

/// The LID to go to: the very number asked for, so that each LID of a range can be followed.
Lid lid_asked(const plan::View& view, std::string_view text, PortRef port) {
  const plan::LidRange lids = lids_of(view, port);
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  const bool inside =
      number >= raw(lids.base) && number < raw(lids.base) + static_cast<unsigned>(lids.size());
  return is_number && inside ? static_cast<Lid>(number) : lids.base;
}

json::object path_end_json(const plan::View& view, PortRef port, Lid lid) {
  json::object end = end_json(*view.fabric, port);
  end["lid"] = raw(lid);
  return end;
}

Response path(const plan::View& view, const Request& request) {
  const auto from_text = request.parameter("from");
  const auto to_text = request.parameter("to");
  if (!from_text || !to_text) return refusal(Error{Errc::invalid, "a path needs ?from= and ?to="});
  const auto from = plan::find_end_port(view, *from_text);
  if (!from) return place_refusal(from.error());
  const auto to = plan::find_end_port(view, *to_text);
  if (!to) return place_refusal(to.error());
  const Lid lid = lid_asked(view, *to_text, *to);
  const auto hops = plan::path(view, *from, lid);
  if (!hops) return refusal(hops.error());
  json::array list;
  for (const plan::Hop& hop : *hops) {
    json::object link = link_json(*view.fabric, hop.out);
    list.push_back(json::object{{"out", end_json(*view.fabric, hop.out)},
                                {"in", end_json(*view.fabric, hop.in)},
                                {"width", link["width"]},
                                {"speed", link["speed"]},
                                {"state", link["state"]}});
  }
  return json_response(json::object{{"generation", view.generation},
                                    {"from", path_end_json(view, *from, lids_of(view, *from).base)},
                                    {"to", path_end_json(view, *to, lid)},
                                    {"hops", std::move(list)}});
}

Response dump_opensm(ViewPtr view, const Request& request) {
  const auto file = plan::dump_file_from(request.parameter("file").value_or(""));
  if (!file) return refusal(Error{Errc::invalid, "file must be subnet, fdbs, mcfdbs, psl or slvl"});
  Response response = text_response({});
  response.more = [view = std::move(view), file = *file, step = std::size_t{0}](std::string& out) mutable {
    const std::size_t steps = plan::dump_steps(*view, file);
    if (step == steps) return false;
    while (step < steps && out.size() < kDumpPiece) plan::dump_step(*view, file, step++, out);
    return true;
  };
  return response;
}

// --- the daemon

Response progress(const ApiSource& source) {
  const Status status = source.status();
  const json::value number =
      status.last_sweep ? json::value(status.last_sweep->number) : json::value(nullptr);
  return json_response(json::object{
      {"state", name(status.state)}, {"progress", to_json(status.progress)}, {"last_sweep", number}});
}

Response sweep(const ApiSource& source) {
  const Status status = source.status();
  if (status.state == State::waiting_for_device) {
    return error_response(
        503, "no_device", "there is no usable port to sweep from",
        status.text.empty() ? "weftd goes on by itself as soon as one is there" : status.text);
  }
  if (status.state == State::stopping) return error_response(503, "stopping", "the daemon is about to end");
  return json_response(json::object{{"number", source.sweep("operator")}}, 202);
}

Response accept(const ApiSource& source) {
  if (!source.view()) return no_view(source.status());
  const std::vector<std::string> missing = source.status().missing;
  return json_response(
      json::object{{"number", source.accept()}, {"forgotten", json::array(missing.begin(), missing.end())}},
      202);
}

Response hand_over(const ApiSource& source, const Request& request) {
  std::optional<Guid> to;
  if (const auto text = request.parameter("to")) {
    to = guid_from(*text);
    if (!to) return refusal(Error{Errc::invalid, fmt::format("to must be a port GUID, not \"{}\"", *text)});
  }
  const Result<std::string> heir = source.hand_over(to);
  if (!heir) return refusal(heir.error(), "weftctl status lists the other managers");
  return json_response(json::object{{"to", *heir}}, 202);
}

/// Keys of services are told to those only who could change what they guard.
Response export_state(const ApiSource& source, const Request& request) {
  const ViewPtr view = source.view();
  if (!view) return no_view(source.status());
  std::string registrations = "null";
  if (request.parameter("registrations") == "1") {
    const std::optional<SaView> sa = source.sa();
    registrations = plan::registrations_json(sa ? sa->state : plan::SaState(), request.caller.may_change);
  }
  Response response;
  response.more = [writer = std::make_shared<LedgerWriter>(view->ledger, std::move(registrations))](
                      std::string& out) { return writer->next(out); };
  return response;
}

Response import_state(const ApiSource& source, const Request& request) {
  const auto ledger = ledger_from_json(request.body);
  if (!ledger) return refusal(ledger.error(), "nothing was taken over");
  const auto taken = source.import_ledger(*ledger);
  if (!taken) return refusal(taken.error(), "nothing was taken over");
  const bool pending = !*taken;
  const plan::RegistrationCounts told = pending ? plan::counts_of(ledger->sa) : (*taken)->taken;
  const std::vector<std::string> left_out = pending ? std::vector<std::string>() : (*taken)->left_out;
  return json_response(json::object{{"lids", ledger->lids->size()},
                                    {"devices", ledger->devices->size()},
                                    {"groups", told.groups},
                                    {"members", told.members},
                                    {"services", told.services},
                                    {"subscriptions", told.subscriptions},
                                    {"aliases", told.aliases},
                                    {"pending", pending},
                                    {"left_out", json::array(left_out.begin(), left_out.end())}});
}

/// Ready is who does what he is there for: a master with the fabric in its hands, and a standby that sees the
/// master and would take its place. Who looks for the master itself asks for it.
Response ready(const ApiSource& source, const Request& request) {
  const Status status = source.status();
  const bool managed = status.state == State::master && source.view() != nullptr;
  const bool stands_by = status.state == State::standby && request.parameter("master") != "1";
  std::string text(name(status.state));
  if (status.state == State::master && !managed) text += ", and the first sweep has not ended yet";
  return text_response(text + "\n", managed || stands_by ? 200 : 503);
}

/// A handler that needs the fabric and its plan; 503 while nothing is known of them.
template <typename Answer>
Handler with_view(Source source, Answer answer) {
  return [source, answer](const Request& request) {
    const ViewPtr view = source->view();
    return view && view->fabric && view->plan ? answer(*view, request) : no_view(source->status());
  };
}

}  // namespace

Router make_api(ApiSource functions) {
  const Source source = std::make_shared<const ApiSource>(std::move(functions));
  Router router;
  const auto get = [&router](std::string path, Handler handler) {
    router.add({"GET", std::move(path), std::move(handler)});
  };
  get("/v1/status", [source](const Request&) {
    const ViewPtr view = source->view();
    json::object status = to_json(source->status(), view.get());
    const SmpTotals smps = source->smps ? source->smps() : SmpTotals{};
    status["smps"] = json::object{{"sent", smps.sent}, {"sets", smps.sets}, {"timeouts", smps.timeouts}};
    return json_response(status);
  });
  get("/v1/progress", [source](const Request&) { return progress(*source); });
  get("/v1/nodes", with_view(source, nodes));
  get("/v1/links", with_view(source, links));
  get("/v1/path", with_view(source, path));
  get("/v1/port-sets", with_view(source, [](const plan::View& view, const Request& request) {
        const auto page = page_of(request);
        return page ? port_sets(view, request, *page) : refusal(page.error());
      }));
  add_event_routes(router, source);
  add_explain_routes(router, source);
  add_table_routes(router, source);
  add_counter_routes(router, source);
  add_metrics_routes(router, source);
  add_document_route(router);
  add_fabric_routes(router, source);
  get("/v1/state", [source](const Request& request) { return export_state(*source, request); });
  get("/v1/config", [source](const Request&) { return json_response(config_json(*source->config())); });
  get("/v1/dump/opensm", [source](const Request& request) {
    ViewPtr view = source->view();
    return view && view->plan ? dump_opensm(std::move(view), request) : no_view(source->status());
  });
  add_config_routes(router, source);
  add_partition_routes(router, source);
  add_qos_routes(router, source);
  get("/v1/dump/port-sets", [source](const Request&) {
    ViewPtr view = source->view();
    return view && view->plan ? dump_port_sets(std::move(view)) : no_view(source->status());
  });
  add_sa_routes(router, source);
  add_upkeep_routes(router, source);
  const auto probe = [&router](std::string path, Handler handler) {
    router.add({"GET", std::move(path), std::move(handler), 0, Access::open});
  };
  probe("/livez", [](const Request&) { return text_response("alive\n"); });
  probe("/readyz", [source](const Request& request) { return ready(*source, request); });
  add_expected_routes(router, source);
  router.add({"POST", "/v1/sweep", [source](const Request&) { return sweep(*source); }});
  router.add({"POST", "/v1/accept", [source](const Request&) { return accept(*source); }});
  router.add(
      {"POST", "/v1/hand-over", [source](const Request& request) { return hand_over(*source, request); }});
  router.add({"POST", "/v1/state",
              [source](const Request& request) { return import_state(*source, request); }, 64u << 20});
  return router;
}

}  // namespace weft::daemon
