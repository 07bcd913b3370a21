#pragma once
// The commands of weftctl about subnet administration.

#include "ctl/commands.h"

namespace weft::ctl {

/// `members`: each group's members, too.
Exit show_groups(const Client& client, const Output& output, bool members);
Exit show_services(const Client& client, const Output& output);
Exit show_subscriptions(const Client& client, const Output& output);
/// What the SA does, in numbers.
Exit show_sa(const Client& client, const Output& output);
/// The PathRecord that `from` would get.
Exit show_sa_path(const Client& client, const Output& output, const std::string& from, const std::string& to);
/// Whether a port may join a group, and why not. `group`: an MGID, or "broadcast".
Exit explain_join(const Client& client, const Output& output, const std::string& port,
                  const std::string& group);

std::string groups_text(const boost::json::value& groups, const Style& style);
std::string services_text(const boost::json::value& services, const Style& style);
std::string subscriptions_text(const boost::json::value& subscriptions, const Style& style);
std::string sa_text(const boost::json::value& counts, const Style& style);
std::string sa_path_text(const boost::json::value& path, const Style& style);
std::string join_text(const boost::json::value& answer, const Style& style);

}  // namespace weft::ctl
