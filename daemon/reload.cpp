#include "daemon/reload.h"

#include <algorithm>

#include <fmt/format.h>

#include "config/schema.h"

namespace weft::daemon {
namespace {

/// "state_dir, control.socket": changed keys that cannot follow while we run.
std::string keys_for_restart(const config::Settings& before, const config::Settings& after) {
  std::string keys;
  for (const config::Key* key : config::changed_keys(before, after))
    if (key->applies == config::Applies::restart) keys += (keys.empty() ? "" : ", ") + std::string(key->path);
  return keys;
}

/// Says in so many words that there are to be no partitions.
bool means_none(const config::Loaded& loaded) {
  return loaded.origins.contains("partitions.define") && loaded.settings.plan.partitions.partitions.empty();
}

}  // namespace

std::string what_changes(const config::Settings& before, const config::Settings& after) {
  constexpr std::size_t kLongest = 60;
  std::string text;
  for (const config::Key* key : config::changed_keys(before, after)) {
    const std::string was = key->show(before);
    const std::string is = key->show(after);
    const bool shown = !key->secret && was.size() <= kLongest && is.size() <= kLongest;
    text += (text.empty() ? "" : ", ") + std::string(key->path);
    if (shown) text += fmt::format(" from {} to {}", was, is);
  }
  return text;
}

std::string restart_needed(const config::Loaded& in_force, const config::Loaded& next) {
  const std::string keys = keys_for_restart(in_force.settings, next.settings);
  return keys.empty() ? "" : fmt::format("{} changed, which needs a restart", keys);
}

std::string objection(const config::Loaded& in_force, const config::Loaded& next) {
  if (std::string why = restart_needed(in_force, next); !why.empty()) return why;
  const bool had_some = !in_force.settings.plan.partitions.partitions.empty();
  if (had_some && next.settings.plan.partitions.partitions.empty() && !means_none(next))
    return "it names no partitions any more, and would open a fabric that has some (an empty file?); write "
           "\"partitions: { define: {} }\" if that is meant";
  return {};
}

}  // namespace weft::daemon
