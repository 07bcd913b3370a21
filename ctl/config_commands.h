#pragma once
// The commands that change the configuration: what another file would do, putting it in force for a trial or
// for good, and back.

#include "ctl/commands.h"

namespace weft::ctl {

struct ApplyOptions {
  std::string file;
  std::string confirm;  ///< "60s"; empty: for good.
};

/// What a file would change on the live fabric.
Exit config_diff(const Client& client, const Output& output, const std::string& file);
/// Puts it in force. For good: it also becomes the file that weftd reads at its start.
Exit config_apply(const Client& client, const Output& output, const ApplyOptions& options);
Exit config_confirm(const Client& client, const Output& output);
Exit config_undo(const Client& client, const Output& output);
Exit config_history(const Client& client, const Output& output);

std::string config_diff_text(const boost::json::value& diff, const Style& style);
std::string config_history_text(const boost::json::value& history, const Style& style);

}  // namespace weft::ctl
