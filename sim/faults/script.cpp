#include "sim/faults/script.h"

#include <algorithm>
#include <array>
#include <set>

#include <yaml-cpp/yaml.h>

#include "base/files.h"
#include "base/units.h"
#include "sim/faults/reading.h"

namespace weft::sim {
namespace {

constexpr std::array<std::string_view, 5> kSubjects = {"node", "nodes", "cable", "cables", "port"};
constexpr std::array<std::string_view, 4> kWhen = {"at", "every", "times", "after"};

class Reader {
 public:
  Reader(const World& world, std::string file) : world_(world), file_(std::move(file)) {}

  Result<Script> script(const YAML::Node& root) {
    if (!root.IsMap() || root.size() != 1 || !root["steps"] || !root["steps"].IsSequence())
      return bad(root, "a script is a list under steps:");
    Script script;
    for (const YAML::Node& step : root["steps"]) {
      Result<Step> read = this->step(step);
      if (!read) return fail(read.error());
      script.push_back(std::move(*read));
    }
    return script;
  }

 private:
  tl::unexpected<Error> bad(const YAML::Node& node, std::string_view what) const {
    return fail(Errc::invalid, "{}:{}: {}", file_, std::max(node.Mark().line, 0) + 1, what);
  }

  Result<Step> step(const YAML::Node& node) const {
    if (!node.IsMap()) return bad(node, "a step names a verb and when it happens");
    YAML::Node verb;
    YAML::Node subject;
    std::set<std::string> keys;
    for (const auto& entry : node) {
      const auto key = entry.first.as<std::string>();
      if (!keys.insert(key).second) return bad(entry.first, fmt::format("{}: stands here twice", key));
      if (std::ranges::find(kWhen, key) != kWhen.end()) continue;
      if (verb.IsDefined() && !verb.IsNull())
        return bad(entry.first, fmt::format("one verb a step: {} and {}", verb.as<std::string>(), key));
      verb.reset(entry.first);
      subject.reset(entry.second);
    }
    if (!verb.IsDefined() || verb.IsNull()) return bad(node, "a step without a verb");
    Result<std::variant<Times, Event>> when = this->when(node);
    if (!when) return fail(when.error());
    Result<std::vector<Argument>> arguments = this->arguments(subject);
    if (!arguments) return fail(arguments.error());
    Result<Action> action = make_action(world_, verb.as<std::string>(), *arguments);
    if (!action) return bad(verb, action.error().what);
    return Step{*when, std::move(*action)};
  }

  Result<std::variant<Times, Event>> when(const YAML::Node& step) const {
    if (step["after"]) {
      for (const char* other : {"at", "every", "times"})
        if (step[other]) return bad(step[other], fmt::format("after: and {}: do not go together", other));
      Result<Event> event = this->event(step["after"]);
      if (!event) return fail(event.error());
      return *event;
    }
    Times times;
    for (const auto& [name, into] : {std::pair{"at", &times.first}, std::pair{"every", &times.period}}) {
      if (!step[name]) continue;
      const std::optional<Duration> read = duration_from(step[name].Scalar());
      if (!read) return bad(step[name], fmt::format("{}: takes a time such as 20ms", name));
      if (*read > kLongest) return bad(step[name], fmt::format("{}: takes a time up to a year", name));
      *into = *read;
    }
    if (step["times"]) {
      const std::optional<std::uint64_t> count = number_from(step["times"].Scalar());
      if (!count || *count == 0 || *count > 1'000'000)
        return bad(step["times"], "times: takes a number from 1 on");
      if (!step["every"]) return bad(step["times"], "times: needs every:");
      times.times = static_cast<int>(*count);
    } else if (step["every"]) {
      times.times = -1;
    }
    if (step["every"] && times.period <= Duration{}) return bad(step["every"], "every: takes a time above 0");
    return times;
  }

  Result<Event> event(const YAML::Node& node) const {
    if (!node.IsMap()) return bad(node, "after: takes node, attribute, method and count");
    Result<std::vector<Argument>> arguments = this->arguments(node, false);
    if (!arguments) return fail(arguments.error());
    Reading in(world_, "after", *arguments);
    Event event;
    if (in.given("node")) event.node = in.node("node");
    event.attribute = in.attribute("attribute");
    if (in.given("method")) event.method = in.method("method", mad::Method::set);
    event.count = in.count("count", 1, 1'000'000'000);
    if (std::optional<Error> error = in.error()) return bad(node, error->what);
    return event;
  }

  /// `cut: X` and `cut: {cables: X, pick: 2}` alike.
  Result<std::vector<Argument>> arguments(const YAML::Node& node, bool subjects = true) const {
    if (node.IsScalar()) return std::vector<Argument>{{"", node.Scalar()}};
    if (node.IsNull()) return std::vector<Argument>{};
    if (!node.IsMap()) return bad(node, "takes what it is about, or a map of arguments");
    std::vector<Argument> arguments;
    for (const auto& entry : node) {
      if (!entry.first.IsScalar() || !entry.second.IsScalar())
        return bad(entry.first, "an argument has a name and one value");
      std::string name = entry.first.Scalar();
      if (subjects && std::ranges::find(kSubjects, name) != kSubjects.end()) name.clear();
      if (std::ranges::find(arguments, name, &Argument::name) != arguments.end())
        return bad(entry.first, fmt::format("{} is given twice", entry.first.Scalar()));
      arguments.push_back({std::move(name), entry.second.Scalar()});
    }
    return arguments;
  }

  const World& world_;
  std::string file_;
};

}  // namespace

Result<Script> script_from(const World& world, const std::string& text, const std::string& file) {
  try {
    return Reader(world, file).script(YAML::Load(text));
  } catch (const YAML::Exception& error) {
    return fail(Errc::malformed, "{}:{}: {}", file, std::max(error.mark.line, 0) + 1, error.msg);
  }
}

Result<Script> load_script(const World& world, const std::filesystem::path& file) {
  const Result<std::string> text = read_file(file);
  if (!text) return fail(text.error());
  return script_from(world, *text, file.string());
}

void start(Faults& faults, const Script& script) {
  for (const Step& step : script) {
    if (const Times* times = std::get_if<Times>(&step.when))
      faults.at(*times, step.action);
    else
      faults.after(std::get<Event>(step.when), step.action);
  }
}

}  // namespace weft::sim
