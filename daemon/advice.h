#pragma once
// Advice: what is wrong, in one list, worst first, each with what to do next. The one source of such hints:
// `weftctl status` and the web view show what stands here. Pure.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/status.h"
#include "plan/view.h"

namespace weft::daemon {

struct Advice {
  Severity severity = Severity::error;
  std::string text;     ///< What is wrong.
  std::string todo;     ///< What to do, a sentence that may end in ':' before the command.
  std::string command;  ///< To be typed as it stands; may be empty.
  Guid node{};          ///< Where; 0 for nowhere, or when `text` names it.
};

/// Of one kind of trouble at most this many are told one by one; the last of them says how many more.
inline constexpr std::size_t kAdviceOfAKind = 100;

/// `view` may be null. Cost: O(links).
std::vector<Advice> advice_of(const Status& status, const plan::View* view);

}  // namespace weft::daemon
