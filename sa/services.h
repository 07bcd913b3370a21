#pragma once
// Services: what programs have registered under a name or number, for a time. Source: IBTA vol. 1, 15.2.5.11.

#include "sa/request.h"

namespace weft::sa {

/// Registers, or replaces what the same id, GID and P_Key had registered.
Answer set_service(const Request& request, const Context& context);
Answer delete_service(const Request& request, const Context& context);

/// When the first lease runs out, in seconds since 1970; nothing when none does. Cost: O(services).
std::optional<std::int64_t> next_expiry(const plan::SaState& state);

/// The state without the services whose lease has run out. They are hidden from queries at once, so this may
/// come late. Cost: O(services).
plan::SaState without_expired(const plan::SaState& state, std::int64_t now);

}  // namespace weft::sa
