#include "daemon/api_config.h"

#include "config/schema.h"
#include "daemon/api_answers.h"
#include "daemon/api_json.h"
#include "daemon/config_keeper.h"
#include "daemon/preview.h"

namespace weft::daemon {

namespace json = boost::json;

namespace {

using Source = std::shared_ptr<const ApiSource>;

constexpr std::size_t kListed = 100;  ///< Ports named one by one.
constexpr std::uint64_t kLongestTrial = 24 * 3600;
constexpr std::size_t kLargestFile = 16u << 20;

json::array differing_keys(const config::Settings& before, const config::Settings& after) {
  json::array keys;
  for (const config::Key* key : config::changed_keys(before, after)) {
    const auto shown = [key](const config::Settings& settings) {
      return key->secret ? json::value(nullptr) : json::value(key->show(settings));
    };
    keys.push_back(json::object{{"key", key->path},
                                {"before", shown(before)},
                                {"after", shown(after)},
                                {"needs_restart", key->applies == config::Applies::restart}});
  }
  return keys;
}

json::object lids_json(const plan::Difference& difference, const fabric::Fabric& fabric) {
  json::array list;
  for (const plan::Difference::MovedLid& one : difference.lids) {
    if (list.size() == kListed) break;
    list.push_back(json::object{{"guid", to_string(fabric.port(one.port).guid)},
                                {"name", fabric.node(one.port.node).description},
                                {"port", raw(one.port.port)},
                                {"before", raw(one.before.base)},
                                {"after", raw(one.after.base)},
                                {"lmc", one.after.lmc}});
  }
  return {{"moved", difference.lids.size()}, {"list", std::move(list)}};
}

json::object preview_json(const Preview& preview) {
  const plan::Difference& difference = preview.difference;
  json::object sets;
  std::uint64_t all = 0;
  for (const auto& [attribute, count] : preview.sets) {
    sets[mad::name(attribute)] = count;
    all += count;
  }
  return {{"lids", lids_json(difference, *preview.after->fabric)},
          {"routes", json::object{{"entries", difference.entries},
                                  {"pairs", difference.pairs},
                                  {"all_pairs", difference.all_pairs},
                                  {"changes", texts(difference.routing)}}},
          {"partitions", texts(difference.access)},
          {"groups", texts(difference.groups)},
          {"members_lost", texts(preview.members_lost)},
          {"levels", texts(difference.levels)},
          {"settings", texts(difference.settings)},
          {"problems", texts(difference.problems)},
          {"notes", texts(preview.notes)},
          {"links_waiting", preview.links_waiting},
          {"held_back", preview.held_back.empty() ? json::value(nullptr) : json::value(preview.held_back)},
          {"sets", std::move(sets)},
          {"all_sets", all}};
}

/// Reads the file, and asks what it would do. What weftd is not needed for is told also where there is no
/// fabric.
Response diff(const Source& source, const Request& request) {
  Response response;
  response.later = [source, text = request.body](const std::function<void(Response)>& done) {
    source->read_config(text, [source, done](Result<config::Loaded> read) {
      if (!read) return done(refusal(read.error(), "nothing was changed"));
      const config::Settings& now = source->config()->settings;
      auto answer = std::make_shared<json::object>(json::object{{"keys", differing_keys(now, read->settings)},
                                                                {"refused", source->config_objection(*read)},
                                                                {"remarks", texts(read->notes)},
                                                                {"fabric", nullptr},
                                                                {"unknown", nullptr}});
      auto settings = std::make_shared<const config::Settings>(std::move(read->settings));
      source->preview(settings, [answer, done](const Result<Preview>& preview) {
        if (preview)
          (*answer)["fabric"] = preview_json(*preview);
        else
          (*answer)["unknown"] = preview.error().what;
        done(json_response(*answer));
      });
    });
  };
  return response;
}

json::object kept_json(const ConfigKeeper& keeper, const KeptConfig& config) {
  const bool tried = config.state == KeptConfig::State::tried;
  return {
      {"number", config.number},
      {"time", time_text(config.time)},
      {"author", config.author},
      {"state", name(config.state)},
      {"until", tried && keeper.until() ? json::value(time_text(*keeper.until())) : json::value(nullptr)}};
}

/// With the text and where it belongs, for who may change things.
Response kept(const Source& source, const Result<KeptConfig>& config) {
  if (!config) return refusal(config.error());
  json::object answer = kept_json(*source->configs(), *config);
  answer["file"] = source->config_file;
  answer["text"] = config->text;
  return json_response(answer);
}

Response no_keeper() { return error_response(409, "conflict", "this weftd takes no other configuration"); }

Response apply(const Source& source, const Request& request) {
  if (source->configs() == nullptr) return no_keeper();
  const auto seconds = number_parameter(request, "confirm", 0, kLongestTrial);
  if (!seconds) return refusal(seconds.error());
  std::optional<Duration> within;
  if (*seconds > 0) within = std::chrono::seconds(*seconds);
  Response response;
  response.later = [source, text = request.body, author = request.caller.name,
                    within](const std::function<void(Response)>& done) {
    source->configs()->apply(text, author, within, [source, done](const Result<KeptConfig>& config) {
      done(kept(source, config));
    });
  };
  return response;
}

Response undo(const Source& source, const Request& request) {
  if (source->configs() == nullptr) return no_keeper();
  Response response;
  response.later = [source, author = request.caller.name](const std::function<void(Response)>& done) {
    source->configs()->undo(author,
                            [source, done](const Result<KeptConfig>& config) { done(kept(source, config)); });
  };
  return response;
}

Response history(const ApiSource& source) {
  json::array list;
  if (const ConfigKeeper* keeper = source.configs())
    for (const KeptConfig& one : keeper->history()) list.push_back(kept_json(*keeper, one));
  return json_response(json::object{{"configurations", std::move(list)}});
}

}  // namespace

void add_config_routes(Router& router, std::shared_ptr<const ApiSource> source) {
  router.add({"GET", "/v1/config/history", [source](const Request&) { return history(*source); }});
  router.add({"POST", "/v1/config/diff", [source](const Request& request) { return diff(source, request); },
              kLargestFile});
  router.add({"POST", "/v1/config/apply", [source](const Request& request) { return apply(source, request); },
              kLargestFile});
  router.add({"POST", "/v1/config/confirm", [source](const Request& request) {
                if (source->configs() == nullptr) return no_keeper();
                return kept(source, source->configs()->confirm(request.caller.name));
              }});
  router.add({"POST", "/v1/config/undo", [source](const Request& request) { return undo(source, request); }});
}

}  // namespace weft::daemon
