#include "daemon/api_fabric.h"

#include <algorithm>
#include <map>

#include <boost/json/serialize.hpp>

#include "daemon/api_answers.h"
#include "daemon/api_json.h"
#include "daemon/once_per_view.h"
#include "fabric/compare.h"
#include "fabric/slow_link.h"
#include "plan/dump_slurm.h"
#include "plan/overview.h"

namespace weft::daemon {

namespace json = boost::json;
using fabric::PortRef;

namespace {

using Source = std::shared_ptr<const ApiSource>;
using ViewPtr = std::shared_ptr<const plan::View>;
using Places = std::shared_ptr<const plan::Places>;
using Flows = std::shared_ptr<const std::vector<std::uint32_t>>;

constexpr std::size_t kFabricPiece = 60u << 10;

std::string quoted(std::string_view text) { return json::serialize(json::string(text)); }

std::string number_or_null(std::uint32_t value) {
  return value == plan::Places::kNone ? "null" : std::to_string(value);
}

/// Writes the answer part by part; every part is written row by row.
class FabricWriter {
 public:
  FabricWriter(ViewPtr view, Places places, Flows flows, std::vector<fabric::Difference> missing,
               std::shared_ptr<const fabric::Fabric> whole)
      : view_(std::move(view)),
        places_(std::move(places)),
        flows_(std::move(flows)),
        missing_(std::move(missing)),
        whole_(std::move(whole)) {}

  bool next(std::string& out) {
    const std::size_t until = out.size() + kFabricPiece;
    if (part_ == Part::done) return false;
    while (part_ != Part::done && out.size() < until) write_some(out);
    return true;
  }

 private:
  enum class Part { head, nodes, rates, links, missing, done };

  void write_some(std::string& out) {
    switch (part_) {
      case Part::head:
        return head(out);
      case Part::nodes:
        return node_row(out);
      case Part::rates:
        return rates(out);
      case Part::links:
        return link_rows(out);
      case Part::missing:
        return missing(out);
      case Part::done:
        return;
    }
  }

  const fabric::Fabric& fabric() const { return *view_->fabric; }

  void head(std::string& out) {
    out += fmt::format(R"({{"generation":{},"engine":{},"shape":{{"kind":{},"text":{}}},)", view_->generation,
                       quoted(view_->plan->routes().engine), quoted(plan::name(places_->kind)),
                       quoted(places_->evidence));
    out += R"("nodes_are":["guid","name","type","rank","group","lid","ports"],"nodes":[)";
    part_ = Part::nodes;
  }

  void node_row(std::string& out) {
    if (at_ == fabric().node_count()) {
      out += "],";
      at_ = 0;
      part_ = Part::rates;
      return;
    }
    const auto id = static_cast<NodeId>(at_);
    const fabric::Node& node = fabric().node(id);
    const auto place = fabric().switch_of(id);
    out += fmt::format(R"({}["{}",{},"{}",{},{},{},{}])", at_ == 0 ? "" : ",", to_string(node.guid),
                       quoted(node.description), name(node.type),
                       place ? number_or_null(places_->rank[raw(*place)]) : "null",
                       place ? number_or_null(places_->group[raw(*place)]) : "null", lid_of(id),
                       node.port_count);
    ++at_;
  }

  /// End ports stand in order of node, as we ask for them.
  unsigned lid_of(NodeId node) {
    const auto ends = fabric().end_ports();
    while (end_ < ends.size() && ends[end_].node < node) ++end_;
    if (end_ == ends.size() || ends[end_].node != node) return 0;
    return raw(lids_of(*view_, ends[end_]).base);
  }

  void rates(std::string& out) {
    for (const fabric::Node& node : fabric().nodes()) {
      const auto ports = fabric().ports(*fabric().find(node.guid));
      for (const fabric::Port& port : ports)
        if (port.peer) rates_.emplace(std::pair(port.speed, port.width), 0U);
    }
    out += R"("rates":[)";
    std::size_t index = 0;
    for (auto& [rate, place] : rates_) {
      const double gbps = lane_mbps(rate.first) / 1000.0 * lanes(rate.second);
      out += fmt::format(R"({}{{"width":"{}","speed":"{}","gbps":{:g}}})", index == 0 ? "" : ",",
                         name(rate.second), name(rate.first), gbps);
      place = static_cast<std::uint32_t>(index++);
    }
    out +=
        R"(],"links_are":["a","a_port","b","b_port","state","rate","below_best","order","flows_ab","flows_ba"],)";
    out += R"("links":[)";
    part_ = Part::links;
  }

  std::string flows_out(PortRef port) {
    if (!flows_) return "null";
    const std::uint32_t flows = (*flows_)[fabric().node(port.node).first_port + raw(port.port)];
    most_ = std::max(most_, flows);
    return std::to_string(flows);
  }

  void link_rows(std::string& out) {
    if (at_ == fabric().node_count()) {
      out += fmt::format(R"(],"most_flows":{},)", flows_ ? std::to_string(most_) : "null");
      part_ = Part::missing;
      return;
    }
    const auto id = static_cast<NodeId>(at_++);
    const auto ports = fabric().ports(id);
    for (std::size_t number = 1; number < ports.size(); ++number) {
      const PortRef here{id, static_cast<PortNum>(number)};
      const auto& peer = ports[number].peer;
      if (!peer || *peer < here) continue;
      const plan::Order* order = order_of_link(*view_, here);
      out += fmt::format(
          R"({}[{},{},{},{},"{}",{},{},{},{},{}])", first_link_ ? "" : ",", raw(id), number, raw(peer->node),
          raw(peer->port), name(std::min(ports[number].state, fabric().port(*peer).state)),
          rates_.at({ports[number].speed, ports[number].width}), fabric::is_slow(fabric(), here) ? 1 : 0,
          order == nullptr ? "null" : fmt::format("\"{}\"", plan::name(order->kind)), flows_out(here),
          flows_out(*peer));
      first_link_ = false;
    }
  }

  void missing(std::string& out) {
    out += R"("missing_nodes":[)";
    bool first = true;
    for (const fabric::Difference& one : missing_) {
      if (one.kind != fabric::DifferenceKind::node_gone) continue;
      const fabric::Node& node = whole_->node(*whole_->find(one.node));
      out += fmt::format(R"({}["{}",{},"{}"])", std::exchange(first, false) ? "" : ",", to_string(node.guid),
                         quoted(node.description), name(node.type));
    }
    out += R"(],"missing_links":[)";
    if (whole_ && !missing_.empty()) missing_links(out);
    out += "]}\n";
    part_ = Part::done;
  }

  /// Links of the whole fabric whose ends are not joined now, those of missing nodes included.
  void missing_links(std::string& out) {
    bool first = true;
    for (std::size_t n = 0; n < whole_->node_count(); ++n) {
      const auto id = static_cast<NodeId>(n);
      const auto ports = whole_->ports(id);
      for (std::size_t number = 1; number < ports.size(); ++number) {
        const PortRef here{id, static_cast<PortNum>(number)};
        const auto& peer = ports[number].peer;
        if (!peer || *peer < here || lives(here, *peer)) continue;
        const fabric::Node& a = whole_->node(id);
        const fabric::Node& b = whole_->node(peer->node);
        out += fmt::format(R"({}["{}",{},"{}",{},{},{}])", std::exchange(first, false) ? "" : ",",
                           to_string(a.guid), number, to_string(b.guid), raw(peer->port),
                           quoted(a.description), quoted(b.description));
      }
    }
  }

  bool lives(PortRef before, PortRef peer) const {
    const auto node = fabric().find(whole_->node(before.node).guid);
    if (!node || raw(before.port) >= fabric().ports(*node).size()) return false;
    const auto& now = fabric().port({*node, before.port}).peer;
    return now && now->port == peer.port && fabric().node(now->node).guid == whole_->node(peer.node).guid;
  }

  ViewPtr view_;
  Places places_;
  Flows flows_;  // null: not asked for
  std::vector<fabric::Difference> missing_;
  std::shared_ptr<const fabric::Fabric> whole_;
  Part part_ = Part::head;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  bool first_link_ = true;
  std::uint32_t most_ = 0;
  std::map<std::pair<LinkSpeed, LinkWidth>, std::uint32_t> rates_;
};

/// What is computed of the last View, for all who ask.
struct Overview {
  explicit Overview(Workers* workers) : places(workers, plan::places_of), flows(workers, plan::flows_of) {}
  OncePerView<plan::Places> places;
  OncePerView<std::vector<std::uint32_t>> flows;
};

Response fabric_response(const ApiSource& source, ViewPtr view, Places places, Flows flows) {
  auto whole = source.whole ? source.whole() : nullptr;
  std::vector<fabric::Difference> missing;
  if (whole && whole != view->fabric) missing = fabric::compare(*whole, *view->fabric);
  Response response;
  const auto writer = std::make_shared<FabricWriter>(std::move(view), std::move(places), std::move(flows),
                                                     std::move(missing), std::move(whole));
  response.more = [writer](std::string& out) { return writer->next(out); };
  return response;
}

Response whole_fabric(const Source& source, const std::shared_ptr<Overview>& overview,
                      const Request& request) {
  const ViewPtr view = source->view();
  if (!view || !view->fabric || !view->plan) return no_view(source->status());
  if (request.parameter("unless") == std::to_string(view->generation)) {
    Response same;
    same.status = 304;
    return same;
  }
  Response response;
  const bool with_flows = request.parameter("flows") != "0";
  response.later = [=](const std::function<void(Response)>& done) {
    overview->places.get(view, [=](const Places& places) {
      if (!with_flows) return done(fabric_response(*source, view, places, nullptr));
      overview->flows.get(view,
                          [=](const Flows& flows) { done(fabric_response(*source, view, places, flows)); });
    });
  };
  return response;
}

Response slurm(const Source& source, const std::shared_ptr<Overview>& overview, const Request& request) {
  const ViewPtr view = source->view();
  if (!view || !view->fabric || !view->plan) return no_view(source->status());
  plan::SlurmOptions options;
  options.hosts = request.parameter("name").value_or("*");
  if (const auto plugin = request.parameter("plugin")) {
    options.plugin = plan::slurm_plugin_from(*plugin);
    if (!options.plugin) return refusal(Error{Errc::invalid, "plugin must be tree or block"});
  }
  Response response;
  response.later = [=](const std::function<void(Response)>& done) {
    overview->places.get(view, [=](const Places& places) {
      Result<std::string> text = plan::slurm_topology(*view, *places, options);
      if (!text) return done(refusal(text.error()));
      Response file;
      file.type = "text/plain; charset=utf-8";
      file.body = std::move(*text);
      done(std::move(file));
    });
  };
  return response;
}

}  // namespace

void add_fabric_routes(Router& router, std::shared_ptr<const ApiSource> source) {
  const auto overview = std::make_shared<Overview>(source->workers);
  router.add(
      {"GET", "/v1/fabric", [=](const Request& request) { return whole_fabric(source, overview, request); }});
  router.add(
      {"GET", "/v1/dump/slurm", [=](const Request& request) { return slurm(source, overview, request); }});
}

}  // namespace weft::daemon
