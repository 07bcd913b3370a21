#pragma once
// Nodes whose M_Key is none of ours: they cannot be set, so nothing may be routed through them and no LID
// given to them. They are told and left alone; whoever holds their key manages them, or did.

#include <span>
#include <vector>

#include "discovery/discover.h"

namespace weft::discovery {

/// Nodes of `found` that hold an M_Key we do not have. Where the PortInfo read does not say it surely, a Set
/// of what the port holds already is tried: only a manager that may write should ask. Where each device has a
/// key of its own, those of the others are tried, too, and of those that were here `once`. Kind locked.
asio::awaitable<std::vector<Finding>> find_locked(transport::SmpClient& client, const mad::Shadow& shadow,
                                                  const Discovered& found, std::span<const Guid> once);

}  // namespace weft::discovery
