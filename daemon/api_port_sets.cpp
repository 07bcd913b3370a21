#include "daemon/api_port_sets.h"

#include <algorithm>

#include "base/words.h"
#include "plan/find.h"
#include "routing/port_sets_json.h"

namespace weft::daemon {

namespace json = boost::json;

namespace {

constexpr std::size_t kSetsPiece = 64u << 10;

/// Why there are none.
Response no_port_sets(const plan::Plan& plan) {
  const auto why = std::ranges::find_if(
      plan.notes, [](const std::string& note) { return note.starts_with("no port sets"); });
  if (why != plan.notes.end()) return error_response(404, "not_found", *why);
  return error_response(404, "not_found", "no port sets are planned",
                        "set routing.port_sets to compact or per-leaf in the configuration");
}

json::array port_numbers(const routing::PortMask& mask) {
  json::array ports;
  routing::each_port(mask, [&ports](std::uint8_t port) { ports.emplace_back(port); });
  return ports;
}

Response by_switch(const plan::View& view, Page page) {
  const routing::PortSets& sets = *view.plan->port_sets;
  PageWriter writer(page);
  for (std::uint32_t s = 0; s < sets.sets.size(); ++s) {
    writer.add([&] {
      int most = 0;
      for (const routing::PortMask& mask : sets.sets[s]) most = std::max(most, routing::port_count(mask));
      std::size_t by_tables = 0;
      for (std::uint32_t c = 0; c < static_cast<std::uint32_t>(sets.state_classes); ++c)
        for (std::size_t leaf = 0; leaf < sets.leaves.size(); ++leaf)
          by_tables += raw(sets.leaves[leaf]) != s && sets.set_at(s, leaf, c) == 0 ? 1 : 0;
      const fabric::Node& node = view.fabric->node(static_cast<SwitchId>(s));
      return json::object{{"guid", to_string(node.guid)},
                          {"name", node.description},
                          {"sets", sets.sets[s].size() - 1},
                          {"most_ports", most},
                          {"by_tables", by_tables}};
    });
  }
  return std::move(writer).finish("switches", view.generation);
}

Response of_switch(const plan::View& view, SwitchId at, std::string_view leaf_pattern, Page page) {
  const routing::PortSets& sets = *view.plan->port_sets;
  const std::uint32_t s = raw(at);
  PageWriter writer(page);
  for (std::size_t leaf = 0; leaf < sets.leaves.size(); ++leaf) {
    const fabric::Node& node = view.fabric->node(sets.leaves[leaf]);
    if (sets.leaves[leaf] == at || !glob_matches(leaf_pattern, node.description)) continue;
    for (std::uint32_t c = 0; c < static_cast<std::uint32_t>(sets.state_classes); ++c)
      writer.add([&] {
        const std::uint16_t set = sets.set_at(s, leaf, c);
        return json::object{{"leaf", node.description},
                            {"guid", to_string(node.guid)},
                            {"class", c},
                            {"group", sets.group_at(s, leaf, c)},
                            {"ports", port_numbers(sets.sets[s][set])},
                            {"spare", port_numbers(sets.spare_of(s, set))},
                            {"by_tables", set == 0}};
      });
  }
  return std::move(writer).finish("sets", view.generation);
}

/// What a dump in progress holds on to.
struct Dumping {
  explicit Dumping(std::shared_ptr<const plan::View> of)
      : view(std::move(of)),
        problem(plan::problem_of(*view)),
        writer(problem, view->plan->routes(), *view->plan->port_sets) {}
  std::shared_ptr<const plan::View> view;
  routing::Problem problem;
  routing::PortSetsWriter writer;
};

}  // namespace

Response port_sets(const plan::View& view, const Request& request, Page page) {
  if (!view.plan->port_sets) return no_port_sets(*view.plan);
  const auto at = request.parameter("switch");
  if (!at) return by_switch(view, page);
  const auto port = plan::find_end_port(view, *at);
  if (!port) return place_refusal(port.error());
  const auto id = view.fabric->switch_of(port->node);
  if (!id) return refusal(Error{Errc::invalid, fmt::format("{} is no switch", *at)});
  return of_switch(view, *id, request.parameter("leaf").value_or("*"), page);
}

Response dump_port_sets(std::shared_ptr<const plan::View> view) {
  if (!view->plan->port_sets) return no_port_sets(*view->plan);
  Response response;
  response.more = [state = std::make_shared<Dumping>(std::move(view))](std::string& out) {
    if (!state->writer.next(out)) return false;
    while (out.size() < kSetsPiece && state->writer.next(out)) {
    }
    return true;
  };
  return response;
}

}  // namespace weft::daemon
