#pragma once
// opensm-sa.dump, the file in which OpenSM keeps what clients have told its SA (sa_db_dump, sa_db_file), in
// both directions. Source of the form: what OpenSM 3.3.23 writes and reads.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/opensm_import.h"
#include "plan/sa_state.h"

namespace weft::config {

/// Reads such a file line by line; OpenSM overlooks what it does not know, so there is no error as a whole.
class SaDumpReader {
 public:
  struct Line {
    Fate fate = Fate::dropped;
    std::string became;  ///< What it became, or why nothing.
  };
  /// A line without the blanks around it, neither empty nor a remark.
  Line take(std::string_view line);
  /// Of the lines so far. Cost: O(subscribers).
  plan::SaState state() const;

 private:
  Line take_group(std::string_view line);
  Line take_member(std::string_view line);
  Line take_service(std::string_view line);
  Line take_subscription(std::string_view line);
  Line take_aliases(std::string_view line);

  plan::SaState state_;  // without subscriptions
  std::map<Guid, std::vector<plan::Subscription>> subscriptions_;
  std::optional<Gid> group_;  // of the members that follow
};

/// The line as it may be shown: without the key of a service, in a line that is no record of OpenSM's, too.
std::string shown_of_sa_dump(std::string_view line);

/// The same state as OpenSM reads it. `now`: seconds since 1970. Services that have expired are left out.
std::string opensm_sa_dump(const plan::SaState& state, std::int64_t now);

}  // namespace weft::config
