#pragma once
// What the configuration says of the shared state; and the configuration as other managers compare it with
// theirs.

#include <optional>

#include "config/settings.h"
#include "daemon/shared_copy.h"

namespace weft::daemon {

/// Nothing when no etcd is configured. Reads the password. Errors: `invalid` and `system`, with the key
/// concerned: URLs that are none, files that cannot be read, or that others could read.
Result<std::optional<SharedOptions>> shared_options(const config::Settings& settings);

/// A digest of each section that managers of one subnet should have alike: not what belongs to the host, and
/// no keys.
std::map<std::string, std::string> config_digests(const config::Settings& settings);

/// A sentence for every other manager that is configured otherwise than we are.
std::vector<std::string> config_differences(const std::map<std::string, std::string>& ours,
                                            const std::vector<Presence>& others);

}  // namespace weft::daemon
