#include "daemon/api_expected.h"

#include <algorithm>

#include "daemon/api_answers.h"
#include "daemon/api_json.h"

namespace weft::daemon {

namespace json = boost::json;

namespace {

constexpr std::size_t kMostDeviations = 10'000;

json::object plug_json(const plan::Plug& plug) {
  return {{"node", to_string(plug.node)},
          {"port", raw(plug.port) == 0 ? json::value(nullptr) : json::value(raw(plug.port))}};
}

json::object deviation_json(const plan::Deviation& one) {
  json::object object = plug_json(one.place);
  object["kind"] = plan::name(one.kind);
  object["what"] = one.what;
  object["mend"] = one.mend;
  json::array moves;
  for (const plan::PlugMove& move : one.moves)
    moves.push_back(json::object{{"from", plug_json(move.from)}, {"to", plug_json(move.to)}});
  object["moves"] = std::move(moves);
  return object;
}

Response expected(const ApiSource& source) {
  const auto config = source.config();
  const auto told = source.deviations ? source.deviations() : nullptr;
  json::array list;
  for (std::size_t i = 0; told && i < std::min(told->size(), kMostDeviations); ++i)
    list.push_back(deviation_json((*told)[i]));
  return json_response(json::object{{"file", config ? config->settings.expected_file : std::string()},
                                    {"compared", told != nullptr},
                                    {"total", told ? told->size() : 0},
                                    {"deviations", std::move(list)}});
}

}  // namespace

void add_expected_routes(Router& router, std::shared_ptr<const ApiSource> source) {
  router.add({"GET", "/v1/expected", [source](const Request&) { return expected(*source); }});
}

}  // namespace weft::daemon
