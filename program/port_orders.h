#pragma once
// Port orders: ports that are to be disabled, or enabled again. Last of all, when traffic goes other ways.

#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "mad/blocks.h"
#include "plan/upkeep.h"
#include "transport/smp_client.h"

namespace weft::program {

/// Those that are not as ordered, as far as is known. Pure.
std::vector<plan::PortOrder> port_order_work(const fabric::Fabric& fabric,
                                             std::span<const plan::PortOrder> orders,
                                             const mad::Shadow& shadow);

struct PortOrdersDone {
  std::vector<fabric::PortRef> closed;  ///< Links that are down now, by the port that was disabled.
  struct Failed {
    fabric::PortRef port;
    std::string why;
  };
  std::vector<Failed> failed;
};

/// Sets PortPhysicalState of these ports (PortState Down with it, as the standard wants), by ways that do not
/// lead over the links that are closed, where there are any. What is confirmed goes into the Shadow. Source:
/// IBTA vol. 1, 14.2.5.6 (PortInfo).
asio::awaitable<PortOrdersDone> write_port_orders(transport::SmpClient& client, mad::Shadow& shadow,
                                                  const fabric::Fabric& fabric, fabric::PortRef own_port,
                                                  std::span<const plan::PortOrder> orders);

}  // namespace weft::program
