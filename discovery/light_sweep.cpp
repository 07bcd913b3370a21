#include "discovery/light_sweep.h"

#include <algorithm>

#include "discovery/convert.h"
#include "fabric/path_tree.h"
#include "transport/concurrency.h"
#include "transport/target.h"

namespace weft::discovery {
namespace {

using mad::AttrId;
using transport::Target;

struct Look {
  transport::SmpClient& client;
  const mad::Shadow& shadow;
  const Discovered& known;
  fabric::PathTree paths;
  LightSweep result;

  std::optional<Target> target_of(NodeId node) const {
    return transport::target_by(known.fabric->node(node).guid, paths.ports_to(node));
  }
  void changed(NodeId node, std::string_view what) {
    result.changes.push_back(fmt::format("{}: {}", fabric::describe(known.fabric->node(node)), what));
  }

  asio::awaitable<void> look_at_switch(NodeId node) {
    const std::optional<Target> target = target_of(node);
    if (!target) co_return;
    Result<mad::AttrData> answer = co_await client.get(*target, AttrId::switch_info, 0);
    if (!answer) {
      if (answer.error().code != Errc::cancelled) changed(node, answer.error().what);
      co_return;
    }
    const auto now = mad::decode<mad::SwitchInfo>(*answer);
    const mad::DeviceBlocks* device = shadow.find_device(known.fabric->node(node).guid);
    const auto before =
        device != nullptr ? mad::held<mad::SwitchInfo>(*device, AttrId::switch_info, 0) : std::nullopt;
    if (now.state_changed) {
      changed(node, "a port changed state");
      result.restless.push_back(known.fabric->node(node).guid);
    }
    if (before && before->lft_top != now.lft_top)
      changed(node, fmt::format("LinearFDBTop is {}, not {}: it booted, or somebody else wrote to it",
                                raw(now.lft_top), raw(before->lft_top)));
  }

  std::optional<Target> target_of(fabric::PortRef ref) const {
    return transport::target_by(known.fabric->node(ref.node).guid, paths.ports_to(*known.fabric, ref));
  }

  /// What the port says of itself now; nothing when it is silent.
  asio::awaitable<std::optional<mad::AttrData>> look_at_port(fabric::PortRef ref) {
    const std::optional<Target> target = target_of(ref);
    if (!target) co_return std::nullopt;
    Result<mad::AttrData> answer =
        co_await client.get(*target, AttrId::port_info, mad::port_info_modifier(ref.port));
    if (!answer) {
      if (answer.error().code != Errc::cancelled) changed(ref.node, answer.error().what);
      co_return std::nullopt;
    }
    const auto now = mad::decode<mad::PortInfo>(*answer);
    const mad::DeviceBlocks* device = shadow.find_device(known.fabric->node(ref.node).guid);
    const auto before = device != nullptr
                            ? mad::held<mad::PortInfo>(*device, AttrId::port_info, raw(ref.port))
                            : std::nullopt;
    if (before && (before->state != now.state || before->lid != now.lid || before->sm_lid != now.sm_lid))
      changed(ref.node, fmt::format("port {}: state, LID or MasterSMLID is not what it was", raw(ref.port)));
    const bool lost_is_sm = before && has(*before, mad::PortCap::is_sm) && !has(now, mad::PortCap::is_sm);
    if (ref == known.own_port && lost_is_sm) changed(ref.node, "our own port has lost IsSM");
    co_return *answer;
  }

  /// When our own cable has moved, all routes lead elsewhere, and nothing that is answered can be trusted.
  asio::awaitable<void> look_where_we_hang(fabric::PortRef peer) {
    const std::optional<Target> target = target_of(peer.node);
    if (!target || known.own_port.node == peer.node) co_return;
    Result<mad::AttrData> answer = co_await client.get(*target, AttrId::node_info, 0);
    if (!answer) co_return;  // its SwitchInfo tells
    const auto info = mad::decode<mad::NodeInfo>(*answer);
    if (info.node_guid == known.fabric->node(peer.node).guid && info.local_port == peer.port) co_return;
    changed(known.own_port.node, "our own port hangs on another one than before");
  }

  /// Capabilities of this end port have changed: a manager may have come.
  asio::awaitable<void> look_at_asked(fabric::PortRef ref) {
    const std::optional<mad::AttrData> answer = co_await look_at_port(ref);
    if (!answer) co_return;
    result.told.push_back({ref, *answer});
    const auto now = mad::decode<mad::PortInfo>(*answer);
    const Guid node = known.fabric->node(ref.node).guid;
    const bool is_known = std::ranges::find(known.managers, node, &Manager::node) != known.managers.end();
    if (is_known || ref == known.own_port || !has(now, mad::PortCap::is_sm)) co_return;
    Manager manager;
    manager.node = node;
    manager.route = target_of(ref)->route;
    co_await look_at_manager(manager);
  }

  /// Whether a node that could not be read at the last discovery can be now.
  asio::awaitable<bool> tells_more(Target target, mad::NodeInfo info) {
    const bool is_switch = info.type == NodeType::switch_;
    const PortNum must_know = is_switch ? PortNum{0} : info.local_port;
    Result<mad::AttrData> port =
        co_await client.get(target, AttrId::port_info, mad::port_info_modifier(must_know));
    if (!port || mad::nonsense_in(mad::decode<mad::PortInfo>(*port))) co_return false;
    if (!is_switch) co_return true;
    Result<mad::AttrData> facts = co_await client.get(target, AttrId::switch_info, 0);
    co_return facts.has_value();
  }

  asio::awaitable<void> look_behind(Dangling dangling) {
    Target target;
    target.route = dangling.route;
    Result<mad::AttrData> answer = co_await client.get(target, AttrId::node_info, 0);
    if (!answer) co_return;
    const auto info = mad::decode<mad::NodeInfo>(*answer);
    // Who is known, and answered here when all was discovered, is a clone, and told already. Where nobody had
    // answered, a link is missing that leads to him.
    const bool told = raw(dangling.heard) != 0 && known.fabric->find(info.node_guid);
    if (nonsense_in(info) || told) co_return;
    if (info.node_guid == dangling.heard) {
      const bool better = co_await tells_more(target, info);
      if (!better) co_return;
    }
    changed(dangling.port.node, fmt::format("somebody answers now behind port {}", raw(dangling.port.port)));
  }

  /// Without the node's GUID: a silent manager does not make its node a mute one.
  asio::awaitable<Result<mad::SmInfo>> ask_manager(const Manager& manager) {
    Target target;
    target.route = manager.route;
    Result<mad::AttrData> answer = co_await client.get(target, AttrId::sm_info, 0);
    co_return transport::decoded<mad::SmInfo>(answer);
  }

  asio::awaitable<void> look_at_manager(Manager manager) {
    Result<mad::SmInfo> info = co_await ask_manager(manager);
    if (!info) co_return;
    manager.info = *info;
    result.managers.push_back(manager);
  }

  /// A manager at a port that told of a change is asked; the others are what they were.
  asio::awaitable<void> look_at_if_asked(Manager manager, std::span<const fabric::PortRef> asked) {
    const auto node = known.fabric->find(manager.node);
    if (node && std::ranges::find(asked, *node, &fabric::PortRef::node) != asked.end())
      co_await look_at_manager(manager);
    else
      result.managers.push_back(manager);
  }

  asio::awaitable<void> look_at_silent(Manager manager) {
    Result<mad::SmInfo> info = co_await ask_manager(manager);
    const auto node = known.fabric->find(manager.node);
    if (info && node) changed(*node, "its subnet manager answers now");
  }
};

struct LookAtSwitch {
  Look* look;
  asio::awaitable<void> operator()(NodeId node) const { return look->look_at_switch(node); }
};
struct LookAtAsked {
  Look* look;
  asio::awaitable<void> operator()(fabric::PortRef port) const { return look->look_at_asked(port); }
};
struct LookBehind {
  Look* look;
  asio::awaitable<void> operator()(const Dangling& dangling) const { return look->look_behind(dangling); }
};

/// Where one shows a change, the farther ones may be out of the reach of the ways known: they count as
/// changed, and the discovery that follows finds the ways around.
asio::awaitable<void> look_nearest_first(Look& look, std::span<const Guid> switches) {
  std::vector<std::pair<int, NodeId>> order;
  for (const Guid guid : switches)
    if (const auto node = look.known.fabric->find(guid); node && look.paths.reaches(*node))
      order.emplace_back(look.paths.hops(*node), *node);
  std::ranges::sort(order);
  const auto width = static_cast<std::size_t>(look.client.settings().window) * 2;
  const LookAtSwitch at_switch{&look};
  for (std::size_t next = 0; next < order.size();) {
    std::vector<NodeId> ring;
    const int hops = order[next].first;
    for (; next < order.size() && order[next].first == hops; ++next) ring.push_back(order[next].second);
    const std::span<const NodeId> nodes(ring);
    co_await transport::for_each(nodes, width, at_switch);
    if (look.result.restless.empty()) continue;
    for (; next < order.size(); ++next) {
      look.changed(order[next].second, "it told of a change");
      look.result.restless.push_back(look.known.fabric->node(order[next].second).guid);
    }
  }
}

}  // namespace

asio::awaitable<LightSweep> light_sweep(transport::SmpClient& client, const mad::Shadow& shadow,
                                        std::shared_ptr<const Discovered> known,
                                        std::vector<fabric::PortRef> asked,
                                        std::optional<std::vector<Guid>> only) {
  client.forget_mute();
  Look look{client, shadow, *known, fabric::PathTree(*known->fabric, known->own_port), {}};
  co_await look.look_at_port(known->own_port);
  const auto peer = known->fabric->port(known->own_port).peer;
  if (peer) co_await look.look_where_we_hang(*peer);
  if (peer) co_await look.look_at_port(*peer);
  const auto width = static_cast<std::size_t>(client.settings().window) * 2;
  const std::span<const fabric::PortRef> told(asked);
  const LookAtAsked at_asked{&look};
  co_await transport::for_each(told, width, at_asked);
  const LookAtSwitch at_switch{&look};
  if (only) {
    co_await look_nearest_first(look, *only);
    for (const Manager& manager : known->managers) co_await look.look_at_if_asked(manager, asked);
    co_return std::move(look.result);
  }
  co_await transport::for_each(known->fabric->switches(), width, at_switch);
  const std::span<const Dangling> dangling(known->dangling);
  const LookBehind behind{&look};
  co_await transport::for_each(dangling, width, behind);
  for (const Manager& manager : known->managers) co_await look.look_at_manager(manager);
  for (const Manager& manager : known->silent) co_await look.look_at_silent(manager);
  co_return std::move(look.result);
}

}  // namespace weft::discovery
