#include "daemon/api_counters.h"

#include <boost/json/array.hpp>

#include "base/words.h"
#include "daemon/api_answers.h"
#include "daemon/api_explain.h"
#include "daemon/api_json.h"
#include "plan/find.h"

namespace weft::daemon {

namespace json = boost::json;
using mad::PortCountersExtended;

namespace {

constexpr std::uint64_t kBytesAWord = 4;

struct Column {
  std::string_view name;
  std::uint64_t PortCountersExtended::* member;
  std::uint64_t unit = 1;
};

constexpr Column kTraffic[] = {{"xmit_bytes", &PortCountersExtended::xmit_data, kBytesAWord},
                               {"rcv_bytes", &PortCountersExtended::rcv_data, kBytesAWord},
                               {"xmit_packets", &PortCountersExtended::xmit_packets},
                               {"rcv_packets", &PortCountersExtended::rcv_packets},
                               {"xmit_wait", &PortCountersExtended::xmit_wait}};
constexpr Column kErrors[] = {
    {"symbol_errors", &PortCountersExtended::symbol_errors},
    {"link_recoveries", &PortCountersExtended::link_recoveries},
    {"link_downed", &PortCountersExtended::link_downed},
    {"rcv_errors", &PortCountersExtended::rcv_errors},
    {"rcv_remote_physical_errors", &PortCountersExtended::rcv_remote_physical_errors},
    {"rcv_switch_relay_errors", &PortCountersExtended::rcv_switch_relay_errors},
    {"xmit_discards", &PortCountersExtended::xmit_discards},
    {"xmit_constraint_errors", &PortCountersExtended::xmit_constraint_errors},
    {"rcv_constraint_errors", &PortCountersExtended::rcv_constraint_errors},
    {"local_integrity_errors", &PortCountersExtended::local_integrity_errors},
    {"buffer_overruns", &PortCountersExtended::buffer_overruns},
    {"vl15_dropped", &PortCountersExtended::vl15_dropped},
    {"qp1_dropped", &PortCountersExtended::qp1_dropped}};

template <typename Columns>
json::object values_of(const Columns& columns, const PortCountersExtended& counted) {
  json::object values;
  for (const Column& column : columns) values[column.name] = counted.*column.member * column.unit;
  return values;
}

/// Per second between two readings; null without a first one, and where a counter was set back.
template <typename Columns>
json::value rates_of(const Columns& columns, const PortReadings& readings) {
  if (!readings.before || readings.now.at <= readings.before->at) return nullptr;
  const double seconds = std::chrono::duration<double>(readings.now.at - readings.before->at).count();
  json::object rates;
  for (const Column& column : columns) {
    const std::uint64_t now = readings.now.counted.*column.member;
    const std::uint64_t before = readings.before->counted.*column.member;
    if (now < before)
      rates[column.name] = nullptr;
    else
      rates[column.name] = static_cast<double>((now - before) * column.unit) / seconds;
  }
  return rates;
}

json::object readings_json(const ApiSource& source, const plan::View& view, plan::Place place,
                           const PortReadings& readings) {
  const auto node = view.fabric->find(place.node);
  const auto age = source.clock() - readings.now.at;
  const auto between =
      readings.before
          ? json::value(
                std::chrono::duration<double, std::milli>(readings.now.at - readings.before->at).count())
          : json::value(nullptr);
  return {{"guid", to_string(place.node)},
          {"name", node ? json::value(view.fabric->node(*node).description) : json::value(nullptr)},
          {"port", raw(place.port)},
          {"wide", readings.now.wide},
          {"age_ms", std::chrono::duration<double, std::milli>(age).count()},
          {"between_ms", between},
          {"traffic", values_of(kTraffic, readings.now.counted)},
          {"traffic_a_second", rates_of(kTraffic, readings)},
          {"errors", values_of(kErrors, readings.now.counted)},
          {"errors_a_second", rates_of(kErrors, readings)}};
}

Response of_one(const std::shared_ptr<const ApiSource>& source, std::shared_ptr<const plan::View> view,
                std::string_view text) {
  const auto port = plan::find_port(*view, text);
  if (!port) return place_refusal(port.error());
  Response response;
  response.later = [source, view, port = *port](const std::function<void(Response)>& done) {
    source->read_counters(port, [source, view, port, done](const Result<PortReadings>& readings) {
      if (!readings) return done(refusal(readings.error(), "is it managed, and is the port's link Active?"));
      json::array one{readings_json(*source, *view, place_at(*view->fabric, port), *readings)};
      done(json_response(json::object{
          {"generation", view->generation}, {"total", 1}, {"offset", 0}, {"counters", std::move(one)}}));
    });
  };
  return response;
}

Response counters(const std::shared_ptr<const ApiSource>& source, const Request& request) {
  const auto view = source->view();
  if (!view || !view->fabric) return no_view(source->status());
  if (const auto port = request.parameter("port")) return of_one(source, view, *port);
  const auto page = page_of(request);
  if (!page) return refusal(page.error());
  const auto pattern = request.parameter("name");
  PageWriter writer(*page);
  for (const auto& [place, readings] : source->readings()) {
    const auto node = view->fabric->find(place.node);
    if (pattern && (!node || !glob_matches(*pattern, view->fabric->node(*node).description))) continue;
    writer.add([&] { return readings_json(*source, *view, place, readings); });
  }
  return std::move(writer).finish("counters", view->generation);
}

}  // namespace

void add_counter_routes(Router& router, std::shared_ptr<const ApiSource> source) {
  router.add({"GET", "/v1/counters", [source](const Request& request) { return counters(source, request); }});
}

}  // namespace weft::daemon
