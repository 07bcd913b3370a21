#pragma once
// The commands that tell why something is so: sentences first, then the data.

#include "ctl/commands.h"

namespace weft::ctl {

/// `what`: the last part of the API's path, `query`: with the question, "port=leaf-3%2F7".
Exit explain(const Client& client, const Output& output, const std::string& what, const std::string& query);

std::string sentences_text(const boost::json::value& answer, const Style& style);

}  // namespace weft::ctl
