#pragma once
// Services: what programs have registered under a name or number, for a time. Source: IBTA vol. 1, 15.2.5.11.

#include "sa/request.h"

namespace weft::sa {

/// Registers, or replaces what the same id, GID and P_Key had registered.
Answer set_service(const Request& request, const Context& context);
Answer delete_service(const Request& request, const Context& context);

/// The state without the services whose lease has run out; nothing when none has. Cost: O(services).
std::optional<plan::SaState> without_expired(const plan::SaState& state, std::int64_t now);

}  // namespace weft::sa
