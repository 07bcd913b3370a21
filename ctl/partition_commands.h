#pragma once
// The commands of weftctl about partitions.

#include "ctl/commands.h"

namespace weft::ctl {

/// `members`: each partition's members, too.
Exit show_partitions(const Client& client, const Output& output, bool members);
/// A port's P_Key table, and why it has a key or not. `key` may be empty.
Exit explain_pkey(const Client& client, const Output& output, const std::string& port,
                  const std::string& key);

std::string partitions_text(const boost::json::value& partitions, const Style& style);
std::string pkey_text(const boost::json::value& answer, const Style& style);

}  // namespace weft::ctl
