#pragma once
// The schema: every key of the configuration file, once. Reading, suggestions, `config show` and
// etc/weft.yaml all come from this table; a new setting is a member of a struct and one entry here.

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/report.h"
#include "config/settings.h"
#include "config/value.h"

namespace weft::config {

/// When a changed value takes effect.
enum class Applies { live, restart };

struct Key {
  std::string_view path;    ///< "sweep.interval"
  std::string form;         ///< What it takes, in words.
  std::string json;         ///< The same as JSON Schema.
  std::string_view help;    ///< Sentences.
  std::string_view opensm;  ///< OpenSM's name for it; may be empty.
  Applies applies = Applies::live;
  bool secret = false;       ///< Only the default is ever shown to people.
  std::string default_text;  ///< As `show` gives it for Settings{}.
  /// Sets the member, or reports why not and leaves it.
  std::function<void(const Value&, Settings&, Report&)> read;
  /// As it would stand in the file.
  std::function<std::string(const Settings&)> show;
};

/// A map of the file that only holds keys.
struct Section {
  std::string_view path;  ///< "transport.ibsim"
  std::string_view help;
};

/// In the order of the documented file: keys of one section stand together.
std::span<const Key> schema();
/// Null for a path that is no key.
const Key* find_key(std::string_view path);
/// Every section, in the order of the file.
std::span<const Section> sections();
bool is_section(std::string_view path);

/// The last part of a key's path: "lmc" of "lids.lmc".
std::string_view leaf(std::string_view path);

/// The whole path of the key or section that `name`, unknown in `section` ("" at the top), was probably meant
/// to be: a neighbour first, then one of the same name elsewhere, then OpenSM's name for one. Nothing when
/// none is near.
std::string suggestion(std::string_view section, std::string_view name);

/// Keys whose values differ, in the order of the schema.
std::vector<const Key*> changed_keys(const Settings& before, const Settings& after);

}  // namespace weft::config
