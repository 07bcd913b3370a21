#include "daemon/api_upkeep.h"

#include <algorithm>

#include "base/units.h"
#include "daemon/api_answers.h"
#include "daemon/api_json.h"

namespace weft::daemon {

namespace json = boost::json;

namespace {

constexpr Duration kHeldWithoutATime = std::chrono::hours(1);
constexpr Duration kHeldAtMost = std::chrono::hours(24 * 365);

constexpr std::size_t kLongestWhy = 500;

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

std::optional<UpkeepVerb> verb_from(std::string_view text) {
  if (text == "drain") return UpkeepVerb::drain;
  if (text == "undrain") return UpkeepVerb::undrain;
  if (text == "disable") return UpkeepVerb::disable;
  if (text == "enable") return UpkeepVerb::enable;
  if (text == "hold") return UpkeepVerb::hold;
  return std::nullopt;
}

json::object row_json(const UpkeepRow& row) {
  const bool ends = row.order.kind == plan::Order::Kind::held;
  return {{"node", to_string(row.place.node)},
          {"port", raw(row.place.port) == 0 ? json::value(nullptr) : json::value(raw(row.place.port))},
          {"where", row.where},
          {"kind", plan::name(row.order.kind)},
          {"state", row.state},
          {"done", row.done},
          {"until", ends ? json::value(time_text(WallTime(std::chrono::seconds(row.order.until))))
                         : json::value(nullptr)},
          {"by", row.order.by_policy ? "link_health" : "operator"},
          {"forced", row.order.forced},
          {"why", row.order.why}};
}

Response list(const ApiSource& source) {
  json::array rows;
  for (const UpkeepRow& row : source.upkeep()) rows.push_back(row_json(row));
  return json_response(json::object{{"orders", std::move(rows)}});
}

Result<UpkeepRequest> read(const Request& request) {
  UpkeepRequest wanted;
  const std::string_view verb = request.parameter("do").value_or("");
  const auto known = verb_from(verb);
  if (!known)
    return fail(Errc::invalid, "do must be drain, undrain, disable, enable or hold, not {}", in_quotes(verb));
  wanted.verb = *known;
  wanted.place = request.parameter("place").value_or("");
  if (wanted.place.empty()) return fail(Errc::invalid, "place is missing: NODE or NODE/PORT");
  wanted.force = request.parameter("force") == "1";
  wanted.why = request.parameter("why").value_or("");
  if (wanted.why.size() > kLongestWhy || std::ranges::any_of(wanted.why, is_control))
    return fail(Errc::invalid, "why must be one line of at most {} characters, without control characters",
                kLongestWhy);
  wanted.time = kHeldWithoutATime;
  const auto time = request.parameter("for");
  if (!time) return wanted;
  const std::optional<Duration> duration = duration_from(*time);
  if (!duration || *duration < std::chrono::seconds(1) || *duration > kHeldAtMost)
    return fail(Errc::invalid, "for must be a duration from 1s to 365d, not {}", in_quotes(*time));
  wanted.time = *duration;
  return wanted;
}

Response ask(const ApiSource& source, const Request& request) {
  const Result<UpkeepRequest> wanted = read(request);
  if (!wanted) return refusal(wanted.error());
  const Result<std::string> done = source.ask_upkeep(*wanted);
  if (!done) return place_refusal(done.error());
  return json_response(json::object{{"text", *done}}, 202);
}

}  // namespace

void add_upkeep_routes(Router& router, std::shared_ptr<const ApiSource> source) {
  router.add({"GET", "/v1/upkeep", [source](const Request&) { return list(*source); }});
  router.add({"POST", "/v1/upkeep", [source](const Request& request) { return ask(*source, request); }});
}

}  // namespace weft::daemon
