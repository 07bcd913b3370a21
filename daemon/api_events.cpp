#include "daemon/api_events.h"

#include <algorithm>
#include <cstdio>

#include <boost/json/serialize.hpp>

#include "base/units.h"
#include "daemon/api_answers.h"
#include "daemon/api_json.h"
#include "plan/find.h"

namespace weft::daemon {

namespace json = boost::json;

namespace {

using Source = std::shared_ptr<const ApiSource>;

constexpr std::size_t kStreamPiece = 200;  // events at a time, some 64 kB

std::optional<int> digits_of(std::string_view text) {
  int value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

/// "+01:00" in minutes; "Z" is 0.
std::optional<int> zone_minutes(std::string_view zone) {
  if (zone.empty() || zone == "Z" || zone == "z") return 0;
  if (zone.size() != 6 || (zone[0] != '+' && zone[0] != '-') || zone[3] != ':') return std::nullopt;
  const auto hours = digits_of(zone.substr(1, 2));
  const auto minutes = digits_of(zone.substr(4, 2));
  if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  return (*hours * 60 + *minutes) * (zone[0] == '-' ? -1 : 1);
}

std::optional<WallTime> rfc3339(std::string_view text) {
  constexpr std::size_t kSeconds = 19;  // 2026-01-02T03:04:05
  if (text.size() < kSeconds || text[4] != '-' || text[7] != '-' || text[13] != ':' || text[16] != ':')
    return std::nullopt;
  if (text[10] != 'T' && text[10] != 't' && text[10] != ' ') return std::nullopt;
  int part[6];
  const std::size_t starts[] = {0, 5, 8, 11, 14, 17};
  for (std::size_t i = 0; i < 6; ++i) {
    const auto number = digits_of(text.substr(starts[i], i == 0 ? 4 : 2));
    if (!number) return std::nullopt;
    part[i] = *number;
  }
  text.remove_prefix(kSeconds);
  double fraction = 0;
  if (text.starts_with('.')) {
    double scale = 0.1;
    text.remove_prefix(1);
    for (; !text.empty() && text[0] >= '0' && text[0] <= '9'; text.remove_prefix(1), scale /= 10)
      fraction += (text[0] - '0') * scale;
  }
  const auto zone = zone_minutes(text);
  const std::chrono::year_month_day date{std::chrono::year{part[0]},
                                         std::chrono::month{static_cast<unsigned>(part[1])},
                                         std::chrono::day{static_cast<unsigned>(part[2])}};
  constexpr int kFirstYear = 1970, kLastYear = 2200;  // what a time of nanoseconds since 1970 can say
  if (part[0] < kFirstYear || part[0] > kLastYear) return std::nullopt;
  if (!zone || !date.ok() || part[3] > 23 || part[4] > 59 || part[5] > 60) return std::nullopt;
  return WallTime(std::chrono::sys_days(date)) + std::chrono::hours(part[3]) +
         std::chrono::minutes(part[4] - *zone) + std::chrono::seconds(part[5]) +
         std::chrono::microseconds(static_cast<std::int64_t>(fraction * 1e6));
}

std::optional<Severity> severity_from(std::string_view text) {
  for (const Severity one : {Severity::info, Severity::warning, Severity::error})
    if (text == name(one)) return one;
  return std::nullopt;
}

/// A node or port as find.h reads it; also one that is not there any more: that is known by its words alone.
Result<PlaceNamed> place_named(std::string_view text, bool of_port, const plan::View* view) {
  const auto parts = plan::split_port(text);
  PlaceNamed place;
  place.name = parts && of_port ? parts->first : text;
  if (parts && of_port) place.port = static_cast<PortNum>(parts->second);
  if (const auto guid = guid_from(place.name)) place.guid = *guid;
  if (view == nullptr || !view->fabric) return place;
  const auto found = plan::find_named(*view, text);
  if (!found) {
    if (found.error().code == Errc::ambiguous) return fail(found.error());
    return place;
  }
  const fabric::Node& node = view->fabric->node(found->node);
  place = {node.guid, node.description, found->port_written ? found->port : std::nullopt};
  if (!of_port || place.port) return place;
  const auto port = plan::find_port(*view, text);
  if (!port) return fail(port.error());
  place.port = port->port;
  return place;
}

Result<std::optional<PlaceNamed>> place_asked(const Request& request, const plan::View* view) {
  const std::string_view node = request.parameter("node").value_or("");
  const std::string_view port = request.parameter("port").value_or("");
  if (node.empty() && port.empty()) return std::optional<PlaceNamed>();
  const bool only_number = port.find_first_not_of("0123456789") == port.npos;
  if (!port.empty() && node.empty() && only_number)
    return fail(Errc::invalid, "port must be NODE/PORT, or stand beside node");
  std::string text(port.empty() ? node : port);
  if (!port.empty() && !node.empty() && only_number) text = fmt::format("{}/{}", node, port);
  const auto parts = plan::split_port(text);
  if (parts && !port.empty() && parts->second > kMaxPorts)
    return fail(Errc::invalid, "there is no port {}: they end at {}", parts->second, kMaxPorts);
  auto place = place_named(text, !port.empty(), view);
  if (!place) return fail(place.error());
  if (!port.empty() && !place->port && text.find('/') != text.npos)
    return fail(Errc::invalid, "port must end with a port number, not {}", in_quotes(text));
  return std::optional(std::move(*place));
}

/// Nobody knows it: it is not in the fabric, and nothing was told of it.
Response unknown_place(const PlaceNamed& place) {
  return refusal(
      Error{Errc::not_found, fmt::format("nothing in the fabric is called {}, and no event that matches "
                                         "tells of it",
                                         in_quotes(place.name))},
      "weftctl nodes lists names, GUIDs and LIDs");
}

bool is_there(const PlaceNamed& place, const plan::View* view) {
  return view != nullptr && view->fabric && view->fabric->find(place.guid).has_value();
}

std::vector<std::string> kinds_of(std::string_view text) {
  std::vector<std::string> kinds;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    if (!one.empty()) kinds.emplace_back(one);
  }
  return kinds;
}

Response events_response(const ApiSource& source, const EventQuery& query, const std::vector<Event>& events) {
  const auto view = source.view();
  json::array list;
  std::uint64_t last = query.after;
  for (const Event& event : events) {
    list.push_back(to_json(event, view.get()));
    last = event.id;
  }
  return json_response(json::object{{"last", last}, {"events", std::move(list)}});
}

Response events(const Source& source, const Request& request) {
  const auto query = event_query(request, source->view().get(), kMostItems);
  if (!query) return refusal(query.error());
  Response response;
  response.later = [source, query = *query](const std::function<void(Response)>& done) {
    find_events(*source, query, [source, query, done](const Result<std::vector<Event>>& found) {
      if (!found) return done(refusal(found.error()));
      const bool unknown =
          query.place && query.after == 0 && found->empty() && !is_there(*query.place, source->view().get());
      done(unknown ? unknown_place(*query.place) : events_response(*source, query, *found));
    });
  };
  return response;
}

// --- as it happens

/// One reader's place in what happens.
class Stream {
 public:
  Stream(Source source, EventQuery query) : source_(std::move(source)), query_(std::move(query)) {
    query_.oldest = true;
    query_.limit = kStreamPiece;
  }

  void next(std::string& out) {
    if (!begun_) out += "retry: 2000\n\n";
    begun_ = true;
    tell_view(out);
    tell_gap(out);
    const auto view = source_->view();
    const std::vector<Event> events = source_->events(query_);
    for (const Event& event : events) {
      out += fmt::format("id: {}\nevent: event\ndata: {}\n\n", event.id,
                         json::serialize(to_json(event, view.get())));
      query_.after = event.id;
    }
    if (events.size() < query_.limit) query_.after = std::max(query_.after, source_->event_ids().second);
  }

 private:
  void tell_view(std::string& out) {
    const Status status = source_->status();
    json::value now = json::object{
        {"generation", status.generation},
        {"state", name(status.state)},
        {"sweep", status.last_sweep ? json::value(status.last_sweep->number) : json::value(nullptr)}};
    if (now.at("generation") == told_.at("generation") && now.at("state") == told_.at("state")) return;
    out += fmt::format("event: view\ndata: {}\n\n", json::serialize(now));
    told_ = std::move(now);
  }
  void tell_gap(std::string& out) {
    const std::uint64_t first = source_->event_ids().first;
    if (query_.after + 1 >= first) return;
    out += fmt::format("event: gap\ndata: {{\"after\":{},\"first\":{}}}\n\n", query_.after, first);
    query_.after = first - 1;
  }

  Source source_;
  EventQuery query_;
  json::value told_ = json::object{{"generation", nullptr}, {"state", nullptr}};
  bool begun_ = false;
};

Response stream(const Source& source, const Request& request) {
  auto query = event_query(request, source->view().get(), kMostItems);
  if (!query) return refusal(query.error());
  const auto seen = number_from(request.header("last-event-id"));
  if (seen)
    query->after = *seen;
  else if (!request.parameter("after"))
    query->after = source->event_ids().second;
  query->after = std::min(query->after, source->event_ids().second);
  const auto reader = std::make_shared<Stream>(source, std::move(*query));
  Response response;
  response.type = "text/event-stream";
  response.live = std::make_shared<Live>();
  response.live->next = [reader](std::string& out) { reader->next(out); };
  response.live->attach = [source](std::weak_ptr<Waker> waker) { source->news->add(std::move(waker)); };
  response.live->beat = ": alive\n\n";
  return response;
}

// --- sweeps

Response sweeps_response(const std::vector<SweepReport>& reports) {
  json::array list;
  for (const SweepReport& report : reports) list.push_back(to_json(report));
  return json_response(json::object{{"sweeps", std::move(list)}});
}

Response sweeps(const Source& source, const Request& request) {
  SweepQuery query;
  const auto since = time_parameter(request, "since");
  if (!since) return refusal(since.error());
  const auto until = time_parameter(request, "until");
  if (!until) return refusal(until.error());
  const auto limit = number_parameter(request, "limit", 100, kMostItems);
  if (!limit) return refusal(limit.error());
  query.since = *since;
  query.until = *until;
  query.limit = *limit;
  if (request.parameter("number")) {
    const auto number = number_parameter(request, "number", 0, INT64_MAX);
    if (!number) return refusal(number.error());
    query.number = *number;
  }
  if (!query.since && !query.until && !query.number && !request.parameter("limit"))
    return sweeps_response(source->sweeps());
  Response response;
  response.later = [source, query](const std::function<void(Response)>& done) {
    source->past_sweeps(query, [done](const Result<std::vector<SweepReport>>& found) {
      done(found ? sweeps_response(*found) : refusal(found.error()));
    });
  };
  return response;
}

}  // namespace

Result<WallTime> time_from(std::string_view text, WallTime now) {
  if (const auto back = duration_from(text))
    return now - std::chrono::duration_cast<WallTime::duration>(*back);
  if (const auto time = rfc3339(text)) return *time;
  return fail(Errc::invalid,
              "{} is neither a time such as 2026-01-02T03:04:05Z nor a duration back from now such as 30min "
              "(ms, s, min, h, d)",
              in_quotes(text));
}

Result<std::optional<WallTime>> time_parameter(const Request& request, std::string_view key) {
  const auto text = request.parameter(key);
  if (!text) return std::optional<WallTime>();
  const auto time = time_from(*text, std::chrono::system_clock::now());
  if (!time) return fail(Errc::invalid, "{}: {}", key, time.error().what);
  return std::optional(*time);
}

Result<EventQuery> event_query(const Request& request, const plan::View* view, std::uint64_t limit) {
  EventQuery query;
  const auto after = number_parameter(request, "after", 0, INT64_MAX);
  if (!after) return fail(after.error());
  const auto before = number_parameter(request, "before", INT64_MAX, INT64_MAX);
  if (!before) return fail(before.error());
  const auto most = number_parameter(request, "limit", 100, limit);
  if (!most) return fail(most.error());
  const auto since = time_parameter(request, "since");
  if (!since) return fail(since.error());
  const auto until = time_parameter(request, "until");
  if (!until) return fail(until.error());
  const auto place = place_asked(request, view);
  if (!place) return fail(place.error());
  if (const auto text = request.parameter("severity")) {
    const auto severity = severity_from(*text);
    if (!severity) return fail(Errc::invalid, "severity must be info, warning or error");
    query.least = *severity;
  }
  const std::string_view order = request.parameter("order").value_or("newest");
  if (order != "newest" && order != "oldest") return fail(Errc::invalid, "order must be newest or oldest");
  query.after = *after;
  query.before = *before;
  query.limit = *most;
  query.since = *since;
  query.until = *until;
  query.place = *place;
  query.oldest = order == "oldest";
  query.kinds = kinds_of(request.parameter("kind").value_or(""));
  return query;
}

/// The newest are in memory, all of them are in the store.
void find_events(const ApiSource& source, EventQuery query, Store::EventsDone done) {
  const std::uint64_t first = source.event_ids().first;
  std::vector<Event> newer = source.events(query);
  const bool enough =
      query.after + 1 >= first || first <= 1 || (!query.oldest && newer.size() >= query.limit);
  if (enough || !source.past_events) return done(std::move(newer));
  EventQuery older = query;
  older.before = std::min(query.before, first);
  if (!query.oldest) older.limit = query.limit - newer.size();
  source.past_events(std::move(older), [newer = std::move(newer), limit = query.limit,
                                        done = std::move(done)](Result<std::vector<Event>> found) {
    if (!found) return done(std::move(found));
    for (const Event& event : newer)
      if (found->size() < limit) found->push_back(event);
    done(std::move(found));
  });
}

void add_event_routes(Router& router, std::shared_ptr<const ApiSource> source) {
  router.add({"GET", "/v1/events", [source](const Request& request) { return events(source, request); }});
  router.add(
      {"GET", "/v1/events/stream", [source](const Request& request) { return stream(source, request); }});
  router.add({"GET", "/v1/sweeps", [source](const Request& request) { return sweeps(source, request); }});
}

}  // namespace weft::daemon
