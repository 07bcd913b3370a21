#pragma once
// weftctl support-bundle: what a bug report needs, in one archive. Secrets are left out: keys, passwords and
// tokens are never asked for, and the user of a URL is blanked.

#include <string>

#include "ctl/commands.h"

namespace weft::ctl {

/// Writes `file`, readable by its owner only. What cannot be had is told in the archive's missing.txt; the
/// bundle of a daemon that does not answer holds the versions and the log.
Exit support_bundle(const Client& client, const Output& output, const std::string& file,
                    const std::string& version);

/// The text without what stands before '@' in a URL.
std::string without_url_users(std::string text);

}  // namespace weft::ctl
