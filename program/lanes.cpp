#include "program/lanes.h"

#include <algorithm>

#include "transport/concurrency.h"
#include "transport/target.h"

namespace weft::program {
namespace {

bool same(const TableSet& wanted, const mad::AttrData& held) {
  if (wanted.attribute == mad::AttrId::sl_to_vl)
    return mad::decode<mad::SlToVlTable>(held) == mad::decode<mad::SlToVlTable>(wanted.data);
  return mad::decode<mad::VlArbitrationTable>(held) == mad::decode<mad::VlArbitrationTable>(wanted.data);
}

/// Who asks and who writes; coroutines borrow it.
struct LaneWays {
  transport::SmpClient& client;
  const fabric::Fabric& fabric;
  const fabric::PathTree& paths;
  const plan::Plan& plan;

  std::optional<transport::Target> way_to(NodeId node, PortNum at) const {
    const Guid guid = fabric.node(node).guid;
    return raw(at) == 0 ? transport::target_by(guid, paths.ports_to(node))
                        : transport::target_by(guid, paths.ports_to(fabric, {node, at}));
  }
  asio::awaitable<bool> holds(NodeId node, const TableSet& one) const {
    const auto way = way_to(node, one.at);
    if (!way) co_return false;
    Result<mad::AttrData> answer = co_await client.get(*way, one.attribute, one.modifier);
    const bool there = answer && same(one, *answer);
    co_return there;
  }
};

/// One run of look_at_lanes.
struct LaneLooker : LaneWays {
  LanesSeen seen;

  /// Whether packets between switches may pass by this pair: it was Active when it was found.
  bool is_live(NodeId node, const TableSet& one) const {
    if (one.attribute != mad::AttrId::sl_to_vl) return false;
    const auto active = [&](std::uint32_t port) {
      return fabric.port({node, static_cast<PortNum>(port)}).state == PortState::active;
    };
    const std::uint32_t in = one.modifier >> 8 & 0xff;
    const std::uint32_t out = one.modifier & 0xff;
    const auto& peer = fabric.port({node, static_cast<PortNum>(out)}).peer;
    return peer && fabric.is_switch(peer->node) && active(out) && (in == 0 || active(in));
  }
  asio::awaitable<void> look(const LaneWork& work) {
    const auto id = fabric.switch_of(work.node);
    if (!id || !carries_traffic(fabric, work.node)) co_return;
    const std::vector<TableSet> pairs = lane_pairs(fabric, plan, *id);
    bool all = true;
    for (const TableSet& one : pairs) {
      const bool there = co_await holds(work.node, one);
      all = all && there;
      if (there || !is_live(work.node, one)) continue;
      seen.move = true;
      co_return;
    }
    if (all) seen.digests[fabric.node(work.node).guid] = work.digest;
  }
};

/// One run of write_lanes.
struct LaneWriter : LaneWays {
  std::function<void()> step;
  LanesWritten result;

  /// One Set after the other: what says more must come after what says less.
  asio::awaitable<void> write(const LaneWork& work) {
    if (!paths.reaches(work.node)) co_return;
    const Guid guid = fabric.node(work.node).guid;
    if (!work.on_record && carries_traffic(fabric, work.node)) {
      const bool there = co_await holds_all(work.node);
      if (there) {
        result.digests[guid] = work.digest;
        step();
        co_return;
      }
    }
    Result<void> done = co_await set_all(work.node, work.sets);
    const auto id = fabric.switch_of(work.node);
    if (!done && done.error().code == Errc::bad_status && id) {
      // Not every switch that offers many ports at once takes them.
      std::vector<TableSet> pairs = lane_pairs(fabric, plan, *id);
      done = co_await set_all(work.node, std::move(pairs));
    }
    result.digests[guid] = done ? work.digest : plan::kLanesVoid;
    if (!done && done.error().code != Errc::cancelled)
      result.failed.push_back({guid, "SLtoVLMappingTable or VLArbitrationTable", done.error().what});
    step();
  }

  /// Whether a switch has it all already; looks no further than the first pair that differs.
  asio::awaitable<bool> holds_all(NodeId node) {
    const auto id = fabric.switch_of(node);
    if (!id) co_return false;
    const std::vector<TableSet> pairs = lane_pairs(fabric, plan, *id);
    for (const TableSet& one : pairs) {
      const bool there = co_await holds(node, one);
      if (!there) co_return false;
    }
    co_return true;
  }

  asio::awaitable<Result<void>> set_all(NodeId node, std::vector<TableSet> sets) {
    for (const TableSet& one : sets) {
      const auto way = way_to(node, one.at);
      if (!way) co_return fail(Errc::unavailable, "no way leads to port {}", raw(one.at));
      Result<mad::AttrData> answer = co_await client.set(*way, one.attribute, one.modifier, one.data);
      if (!answer) co_return fail(answer.error());
      if (!same(one, *answer))
        co_return fail(Errc::bad_status, "{} 0x{:x}: answered with other lanes than set",
                       one.attribute == mad::AttrId::sl_to_vl ? "SLtoVLMappingTable" : "VLArbitrationTable",
                       one.modifier);
    }
    co_return Result<void>{};
  }
};

struct LookAtLanesOf {
  LaneLooker* looker;
  asio::awaitable<void> operator()(const LaneWork& work) const { return looker->look(work); }
};

struct WriteLanesOf {
  LaneWriter* writer;
  asio::awaitable<void> operator()(const LaneWork& work) const { return writer->write(work); }
};

}  // namespace

std::vector<LaneWork> lane_work(const fabric::Fabric& fabric, const plan::Plan& plan,
                                const plan::DeviceMap& devices) {
  std::vector<LaneWork> work;
  const bool planned = has_lanes(plan);
  const auto holds_some = [](const auto& device) { return device.second->lanes_digest != 0; };
  if (!planned && std::ranges::none_of(devices, holds_some)) return work;
  for (std::size_t n = 0; n < fabric.node_count(); ++n) {
    const auto node = static_cast<NodeId>(n);
    const auto record = devices.find(fabric.node(node).guid);
    const std::uint64_t held = record == devices.end() ? 0 : record->second->lanes_digest;
    if (!planned && held == 0) continue;
    LaneWork one{.node = node, .sets = lane_sets(fabric, plan, node)};
    if (one.sets.empty()) continue;
    one.digest = lanes_digest(one.sets);
    one.on_record = held > plan::kLanesVoid;
    if (held != one.digest) work.push_back(std::move(one));
  }
  return work;
}

bool carries_traffic(const fabric::Fabric& fabric, NodeId node) {
  return fabric.is_switch(node) &&
         std::ranges::any_of(fabric.ports(node), [&fabric](const fabric::Port& port) {
           return port.peer && port.state == PortState::active && fabric.is_switch(port.peer->node);
         });
}

asio::awaitable<LanesSeen> look_at_lanes(transport::SmpClient& client, const fabric::Fabric& fabric,
                                         const fabric::PathTree& paths, const plan::Plan& plan,
                                         std::span<const LaneWork> work) {
  LaneLooker looker{{client, fabric, paths, plan}, {}};
  const LookAtLanesOf act{&looker};
  co_await transport::for_each(work, static_cast<std::size_t>(client.settings().window), act);
  co_return std::move(looker.seen);
}

asio::awaitable<LanesWritten> write_lanes(transport::SmpClient& client, const fabric::Fabric& fabric,
                                          const fabric::PathTree& paths, const plan::Plan& plan,
                                          std::span<const LaneWork> work, std::function<void()> step) {
  LaneWriter writer{{client, fabric, paths, plan}, std::move(step), {}};
  const WriteLanesOf act{&writer};
  co_await transport::for_each(work, static_cast<std::size_t>(client.settings().window), act);
  co_return std::move(writer.result);
}

}  // namespace weft::program
