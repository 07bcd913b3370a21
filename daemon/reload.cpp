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

bool says_nothing(const config::Loaded& loaded) {
  return std::ranges::none_of(
      loaded.origins, [](const auto& origin) { return origin.second.kind == config::Origin::Kind::file; });
}

}  // namespace

std::string objection(const config::Loaded& in_force, const config::Loaded& next) {
  if (const std::string keys = keys_for_restart(in_force.settings, next.settings); !keys.empty())
    return fmt::format("{} changed, which needs a restart", keys);
  if (!in_force.settings.plan.partitions.partitions.empty() && says_nothing(next))
    return "the file is empty, and would open a fabric that has partitions; write \"partitions: { define: {} "
           "}\" "
           "if that is meant";
  return {};
}

}  // namespace weft::daemon
