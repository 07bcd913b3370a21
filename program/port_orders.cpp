#include "program/port_orders.h"

#include "fabric/path_tree.h"
#include "fabric/without_links.h"
#include "mad/port_info.h"
#include "transport/target.h"

namespace weft::program {
namespace {

using mad::AttrId;

/// Where a port stands that is closed, or open and on its own.
bool is_done(const mad::PortInfo& info, PhysState wanted) {
  return wanted == PhysState::disabled ? info.phys == PhysState::disabled : info.phys != PhysState::disabled;
}

const mad::AttrData* image_of(const fabric::Fabric& fabric, fabric::PortRef port, const mad::Shadow& shadow) {
  return shadow.find(fabric.node(port.node).guid, AttrId::port_info, raw(port.port));
}

std::optional<transport::Target> way_to(const fabric::Fabric& fabric, const fabric::PathTree& without_closed,
                                        const fabric::PathTree& any, fabric::PortRef port) {
  auto ports = without_closed.ports_to(port.node);
  if (!ports) ports = any.ports_to(port.node);
  return transport::target_by(fabric.node(port.node).guid, ports);
}

}  // namespace

std::vector<plan::PortOrder> port_order_work(const fabric::Fabric& fabric,
                                             std::span<const plan::PortOrder> orders,
                                             const mad::Shadow& shadow) {
  std::vector<plan::PortOrder> work;
  for (const plan::PortOrder& one : orders) {
    const mad::AttrData* held = image_of(fabric, one.port, shadow);
    if (held != nullptr && !is_done(mad::decode<mad::PortInfo>(*held), one.phys)) work.push_back(one);
  }
  return work;
}

asio::awaitable<PortOrdersDone> write_port_orders(transport::SmpClient& client, mad::Shadow& shadow,
                                                  const fabric::Fabric& fabric, fabric::PortRef own_port,
                                                  std::span<const plan::PortOrder> orders) {
  PortOrdersDone done;
  std::vector<fabric::PortRef> closing;
  for (const plan::PortOrder& one : orders)
    if (one.phys == PhysState::disabled) closing.push_back(one.port);
  const fabric::Fabric without = fabric::without_links(fabric, closing);
  const fabric::PathTree without_closed(without, own_port);
  const fabric::PathTree any(fabric, own_port);
  for (const plan::PortOrder& one : orders) {
    const auto target = way_to(fabric, without_closed, any, one.port);
    if (!target) continue;
    const std::uint32_t modifier = mad::port_info_modifier(one.port.port);
    mad::AttrData data = *image_of(fabric, one.port, shadow);
    mad::PortInfo want = mad::decode<mad::PortInfo>(data);
    want.state = PortState::down;
    want.phys = one.phys;
    want.client_reregister = false;
    mad::encode_into(std::span<std::uint8_t>(data), want);
    Result<mad::AttrData> answer = co_await client.set_once(*target, AttrId::port_info, modifier, data);
    // After silence: what does it hold? The same Set again would do no harm, but may not be needed.
    if (!answer) answer = co_await client.get(*target, AttrId::port_info, modifier);
    if (!answer) {
      if (answer.error().code == Errc::cancelled) co_return done;
      done.failed.push_back({one.port, answer.error().what});
      continue;
    }
    shadow.set(target->node, AttrId::port_info, raw(one.port.port), *answer);
    const auto now = mad::decode<mad::PortInfo>(*answer);
    if (!is_done(now, one.phys))
      done.failed.push_back({one.port, fmt::format("PortPhysicalState is {} still", raw(now.phys))});
    else if (one.phys == PhysState::disabled && fabric.port(one.port).peer)
      done.closed.push_back(one.port);
  }
  co_return done;
}

}  // namespace weft::program
