#include "sim/faults/action.h"

#include <algorithm>
#include <array>

#include "base/units.h"
#include "base/words.h"
#include "sim/faults/verbs.h"

namespace weft::sim {
namespace {

/// Word by word; a word, or what follows its '=', may stand in double quotes.
Result<std::vector<std::string>> words_of(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false;
  bool started = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
      started = true;
    } else if (!quoted && (c == ' ' || c == '\t')) {
      if (started) words.push_back(std::exchange(word, {}));
      started = false;
    } else {
      word += c;
      started = true;
    }
  }
  if (quoted) return fail(Errc::malformed, "a quotation mark without its second in {}", in_quotes(line));
  if (started) words.push_back(std::move(word));
  return words;
}

}  // namespace

std::vector<VerbHelp> verbs() {
  std::vector<VerbHelp> all;
  for (const std::span<const Verb> group : {link_verbs(), node_verbs(), packet_verbs()})
    for (const Verb& verb : group) all.push_back({verb.name, verb.takes, verb.does});
  return all;
}

Result<Action> make_action(const World& world, std::string_view name,
                           const std::vector<Argument>& arguments) {
  for (const std::span<const Verb> group : {link_verbs(), node_verbs(), packet_verbs()})
    for (const Verb& verb : group) {
      if (verb.name != name) continue;
      Reading in(world, name, arguments);
      Action action = verb.make(in);
      if (std::optional<Error> error = in.error()) return fail(std::move(*error));
      return action;
    }
  std::vector<std::string> names;
  for (const VerbHelp& verb : verbs()) names.emplace_back(verb.name);
  const std::string_view near = nearest(name, names);
  return fail(Errc::invalid, "no action {}{}", in_quotes(name),
              near.empty() ? fmt::format("; there are {}", fmt::join(names, ", "))
                           : fmt::format(" (did you mean {}?)", near));
}

Result<Action> action_from(const World& world, std::string_view line) {
  const Result<std::vector<std::string>> words = words_of(line);
  if (!words) return fail(words.error());
  if (words->empty()) return fail(Errc::malformed, "an empty line is no action");
  std::vector<Argument> arguments;
  for (std::size_t i = 1; i < words->size(); ++i) {
    const std::string& word = (*words)[i];
    const std::size_t equals = word.find('=');
    if (equals == word.npos)
      arguments.push_back({"", word});
    else
      arguments.push_back({word.substr(0, equals), word.substr(equals + 1)});
  }
  for (std::size_t i = 0; i < arguments.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (arguments[i].name == arguments[j].name)
        return fail(Errc::invalid, "{}: {} is given twice", words->front(),
                    arguments[i].name.empty() ? "what it is about" : arguments[i].name);
  return make_action(world, words->front(), arguments);
}

}  // namespace weft::sim
