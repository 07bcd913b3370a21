#pragma once
// Inform: who wants to hear of which notices, and which of them a notice goes to. Source: IBTA vol.
// 1, 13.4.8.3 and 13.4.11.

#include "mad/notice.h"
#include "sa/request.h"

namespace weft::sa {

/// Set(InformInfo): subscribes, or ends a subscription.
Answer set_inform_info(const Request& request, const Context& context);

/// The notice an Event stands for, as the SA sends it: 80 bytes, the issuer's GID behind the Notice.
std::array<std::uint8_t, 80> notice_of(const Event& event, Lid sm_lid, const Gid& sm_gid);

/// Calls `visit(subscription)` for every one, by port.
template <typename Visit>
void each_subscription(const plan::SaState& state, const Visit& visit) {
  state.subscriptions.each([&visit](Guid, const plan::SaState::PortSubscriptions& list) {
    for (const plan::Subscription& one : *list) visit(one);
  });
}

/// The state with every subscription at a LID that its port has now; nothing when they all are.
std::optional<plan::SaState> with_present_lids(const plan::SaState& state, const Index& index);

/// Whether a subscription asks for a notice from an issuer with this GID.
bool wants(const plan::Subscription& subscription, const mad::Notice& notice, const Gid& issuer);

}  // namespace weft::sa
