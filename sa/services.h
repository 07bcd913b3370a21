#pragma once
// Services: what programs have registered under a name or number, for a time. Source: IBTA vol. 1, 15.2.5.11.

#include <map>
#include <set>

#include "sa/request.h"

namespace weft::sa {

/// Registers, or replaces what the same id, GID and P_Key had registered.
Answer set_service(const Request& request, const Context& context);
Answer delete_service(const Request& request, const Context& context);

/// When leases run out: follows the services of a state from change to change, in the time of what changes.
class Leases {
 public:
  void follow(const plan::SaState& before, const plan::SaState& after);
  /// Of the first, in seconds since 1970; nothing when none does.
  std::optional<std::int64_t> next() const;
  /// The state without the services whose lease has run out. They are hidden from queries at once, so this
  /// may come late. Cost: O(those that have).
  plan::SaState without_ended(const plan::SaState& state, std::int64_t now) const;

 private:
  std::map<plan::ServiceKey, std::int64_t> expires_;  // those that do
  std::set<std::pair<std::int64_t, plan::ServiceKey>> by_time_;
};

}  // namespace weft::sa
