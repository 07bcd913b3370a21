#pragma once
// What commands have in common that ask the daemon and show the answer. They stand in commands.cpp.

#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include "ctl/commands.h"

namespace weft::ctl {

using ToText = std::string (*)(const boost::json::value&, const Style&);

/// Tells what went wrong; the exit code that goes with it.
Exit report_failure(const Output& output, const Failure& failure);
Exit show_answer(const Client& client, const Output& output, const std::string& target, ToText to_text);
/// Asks for something to be done, and shows the answer.
Exit post_and_show(const Client& client, const Output& output, const std::string& target, ToText to_text);
/// All pages of a list as one. `target` ends with '?' or '&'.
Reply<boost::json::value> pages_of(const Client& client, const std::string& target, std::string_view key);
Exit show_pages(const Client& client, const Output& output, const std::string& target, std::string_view key,
                ToText to_text);

}  // namespace weft::ctl
