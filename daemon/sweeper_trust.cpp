// What a Sweeper may believe of tables: which digests still vouch for them, and what is forgotten when.

#include <algorithm>
#include <random>
#include <set>

#include "daemon/sweeper.h"
#include "discovery/read_back.h"
#include "fabric/counterparts.h"
#include "fabric/path_tree.h"
#include "plan/found_lids.h"
#include "plan/held.h"
#include "program/digests.h"
#include "program/held_tables.h"
#include "program/keys.h"
#include "program/lanes.h"
#include "program/render.h"
#include "transport/target.h"

namespace weft::daemon {
namespace {

std::optional<transport::Target> target_of(const fabric::Fabric& fabric, const fabric::PathTree& paths,
                                           NodeId node) {
  return transport::target_by(fabric.node(node).guid, paths.ports_to(node));
}

/// Whether it is a switch that is not blank.
bool may_hold_tables(const mad::Shadow& shadow, Guid node) {
  const mad::DeviceBlocks* device = shadow.find_device(node);
  return device != nullptr && (program::blocks_in_use(shadow, node) > 0 ||
                               device->table(mad::AttrId::linear_forwarding) != nullptr);
}

/// The same record, with nothing said of the tables.
std::shared_ptr<const plan::DeviceRecord> without_digests(const plan::DeviceRecord& record) {
  plan::DeviceRecord kept;
  kept.unkept_fields = record.unkept_fields;
  return std::make_shared<const plan::DeviceRecord>(std::move(kept));
}

/// Whether a node is cabled otherwise than it was.
bool has_moved(const fabric::Fabric& fabric, NodeId node, const fabric::Fabric& before, NodeId then) {
  const std::span<const fabric::Port> now_ports = fabric.ports(node);
  const std::span<const fabric::Port> old_ports = before.ports(then);
  for (std::size_t p = 0; p < std::min(now_ports.size(), old_ports.size()); ++p) {
    const auto& now = now_ports[p].peer;
    const auto& old = old_ports[p].peer;
    if (now && old && (now->port != old->port || fabric.node(now->node).guid != before.node(old->node).guid))
      return true;
  }
  return false;
}

}  // namespace

/// We are master from now on. LIDs that another master gave stay, and of devices that obeyed another one
/// nothing is known: neither forwarding nor P_Keys nor lanes.
void Sweeper::take_over(const discovery::Discovered& found) {
  const fabric::Fabric& fabric = *found.fabric;
  const auto own = ledger_.lids->find(fabric.port(found.own_port).guid);
  // Who has given our port another LID is the master whom the others obey.
  const Lid carried = fabric.port(found.own_port).lid;
  const bool kept = own != ledger_.lids->end() && (carried == own->second.base || carried == kLidNone);
  const Lid ours = kept ? own->second.base : kLidNone;
  ledger_.lids = plan::without_clashes(ledger_.lids, fabric, ours);
  std::set<Guid> strangers;
  bool had_another = false;
  for (const fabric::PortRef end : fabric.end_ports()) {
    const Lid obeys = fabric.port(end).sm_lid;
    if (ours == kLidNone || obeys != ours) strangers.insert(fabric.node(end.node).guid);
    had_another |= obeys != kLidNone && obeys != ours;
  }
  follows_another_ |= had_another;
  const std::vector<Guid> all(strangers.begin(), strangers.end());
  forget_tables(all);
  // It may have come to the tables of devices that it could not tell whom to obey.
  if (had_another) forget_all_tables();
}

/// Who was served by whom, before anything is written.
void Sweeper::note_served(const discovery::Discovered& found) {
  found_served_.clear();
  found_strangers_.clear();
  const auto own = ledger_.lids->find(found.fabric->port(found.own_port).guid);
  for (const fabric::PortRef end : found.fabric->end_ports()) {
    const fabric::Port& port = found.fabric->port(end);
    if (port.lid == kLidNone) continue;
    found_served_.push_back(port.guid);
    if (own != ledger_.lids->end() && port.sm_lid != kLidNone && port.sm_lid != own->second.base)
      found_strangers_.push_back(port.guid);
  }
}

/// A local discovery found all as it was, and at the places that it read nothing but what was planned.
bool Sweeper::is_as_planned(const discovery::Discovered& found, std::span<const Guid> places) const {
  if (!view_ || !view_->plan || take_for_whole_ || taken_lids_ || orders_ != planned_orders_ ||
      settings_ != planned_with_)
    return false;
  const fabric::Fabric& fabric = *found.fabric;
  if (!found.booted.empty() || !found.state_changed.empty() || fabric != *view_->fabric) return false;
  const auto is_held = [&](fabric::PortRef port) {
    const fabric::Node& node = fabric.node(port.node);
    const mad::AttrData* held = shadow_.find(node.guid, mad::AttrId::port_info, raw(port.port));
    const auto record = ledger_.devices->find(node.guid);
    const std::uint32_t unkept = record == ledger_.devices->end() ? 0 : record->second->unkept_fields;
    const bool external = raw(port.port) != 0 && fabric.is_switch(port.node);
    return !program::port_work(view_->plan->ports[node.first_port + raw(port.port)], port, held, external,
                               unkept);
  };
  if (!is_held(found.own_port)) return false;
  for (const Guid place : places) {
    const auto node = fabric.find(place);
    if (!node) return false;
    for (std::size_t p = 0; p < fabric.ports(*node).size(); ++p)
      if (!is_held({*node, static_cast<PortNum>(p)})) return false;
    const auto record = ledger_.devices->find(place);
    const std::uint32_t unkept = record == ledger_.devices->end() ? 0 : record->second->unkept_fields;
    if (program::switch_info_work(shadow_.find(place, mad::AttrId::switch_info, 0), view_->plan->routes().top,
                                  view_->plan->packet_lifetime, unkept))
      return false;
  }
  return true;
}

/// Reads the tables of configured switches of which nothing is known.
asio::awaitable<void> Sweeper::read_tables(const discovery::Discovered& found, SweepReport& report) {
  forget_changed(found);
  // A local sweep asks only those that have changed.
  bool hold = report.kind != SweepKind::full;
  if (!hold) hold = co_await digests_hold(found);
  if (!hold) {
    report.notes.push_back("tables are not as we left them: all are read back");
    event(Severity::warning, "tables_changed", report.notes.back());
    forget_all_tables();
  }
  const std::vector<SwitchId> unread = program::to_read_back(*found.fabric, shadow_, *ledger_.devices);
  if (unread.empty()) co_return;
  as_viewed_ = false;
  const fabric::PathTree paths(*found.fabric, found.own_port);
  std::vector<discovery::BlockToRead> blocks;
  for (const SwitchId id : unread) {
    const auto target = target_of(*found.fabric, paths, found.fabric->node_of(id));
    if (!target) continue;
    for (std::uint32_t block = 0; block < program::blocks_in_use(shadow_, target->node); ++block)
      blocks.push_back({*target, mad::AttrId::linear_forwarding, block});
  }
  const std::span<const discovery::BlockToRead> all(blocks);
  co_await discovery::read_back(*around_.client, shadow_, all);
}

/// Where switches may hold other tables than the last plan's, the way to the new ones begins at those. What
/// is not known of them is read; most is when they are as planned already.
asio::awaitable<void> Sweeper::begin_at_held(const discovery::Discovered& found, plan::Planned& planned) {
  if (as_viewed_) co_return;
  program::adopt_digests(*found.fabric, *planned.plan, *ledger_.devices, shadow_);
  const fabric::PathTree paths(*found.fabric, found.own_port);
  std::vector<discovery::BlockToRead> blocks;
  for (const auto& [id, block] : program::held_tables(*found.fabric, *planned.plan, shadow_).unknown)
    if (const auto target = target_of(*found.fabric, paths, found.fabric->node_of(id)))
      blocks.push_back({*target, mad::AttrId::linear_forwarding, block});
  const std::span<const discovery::BlockToRead> all(blocks);
  co_await discovery::read_back(*around_.client, shadow_, all);
  const bool move = co_await lanes_move(found, *planned.plan);
  if (cut_short()) co_return;
  auto compute = [fabric = found.fabric, plan = planned.plan, move,
                  held = program::held_tables(*found.fabric, *planned.plan, shadow_)] {
    return plan::with_way_from(*fabric, *plan, held.routes, move, !held.unknown.empty());
  };
  planned.plan = co_await compute_on(*around_.workers, std::move(compute));
}

/// Whether packets between switches are to change their lanes. Switches that hold what is planned are on
/// record afterwards.
asio::awaitable<bool> Sweeper::lanes_move(const discovery::Discovered& found, const plan::Plan& plan) {
  if (!plan.routes().lanes) co_return false;
  const std::vector<program::LaneWork> work = program::lane_work(*found.fabric, plan, *ledger_.devices);
  if (work.empty()) co_return false;
  const fabric::PathTree paths(*found.fabric, found.own_port);
  const std::span<const program::LaneWork> items(work);
  const program::LanesSeen seen =
      co_await program::look_at_lanes(*around_.client, *found.fabric, paths, plan, items);
  if (seen.digests.empty()) co_return seen.move;
  auto devices = std::make_shared<plan::DeviceMap>(*ledger_.devices);
  for (const auto& [guid, digest] : seen.digests) {
    const auto held = devices->find(guid);
    plan::DeviceRecord record = held == devices->end() ? plan::DeviceRecord() : *held->second;
    record.lanes_digest = digest;
    (*devices)[guid] = std::make_shared<const plan::DeviceRecord>(std::move(record));
  }
  ledger_.devices = std::move(devices);
  co_return seen.move;
}

/// What was said of these tables holds no longer: neither the Shadow nor the Ledger's digests.
void Sweeper::forget_tables(std::span<const Guid> nodes) {
  if (nodes.empty()) return;
  if (around_.tables_forgotten) around_.tables_forgotten(nodes);
  auto devices = std::make_shared<plan::DeviceMap>(*ledger_.devices);
  for (const Guid node : nodes) {
    as_viewed_ = as_viewed_ && !may_hold_tables(shadow_, node);
    if (shadow_.find_device(node) != nullptr) {
      shadow_.device(node).erase(mad::AttrId::linear_forwarding);
      shadow_.device(node).erase(mad::AttrId::multicast_forwarding);
      program::forget_keys(shadow_, node);
    }
    const auto record = devices->find(node);
    if (record != devices->end()) record->second = without_digests(*record->second);
  }
  ledger_.devices = std::move(devices);
}

void Sweeper::forget_all_tables() {
  std::vector<Guid> nodes;
  for (const auto& [guid, record] : *ledger_.devices) nodes.push_back(guid);
  if (known_)
    for (const fabric::Node& node : known_->fabric->nodes()) nodes.push_back(node.guid);
  forget_tables(nodes);
}

/// Switches that booted or are blank, devices that were not here at the last sweep, hosts that have a link
/// that came up anew or hang elsewhere (what was meant for who was there may have reached them, and have
/// brought them up), and those whose GUID somebody else answers to, or did at the last sweep.
void Sweeper::forget_changed(const discovery::Discovered& found) {
  std::vector<Guid> nodes = found.booted;
  std::optional<fabric::Counterparts> before;
  if (known_) before.emplace(*found.fabric, *known_->fabric);
  for (std::size_t n = 0; n < found.fabric->node_count(); ++n) {
    const fabric::Node& node = found.fabric->nodes()[n];
    const auto then = before ? before->at(static_cast<NodeId>(n)) : std::nullopt;
    const bool here_before = !before || then;
    const auto ports = found.fabric->ports(static_cast<NodeId>(n));
    const bool came_up = std::ranges::any_of(ports, [](const fabric::Port& port) {
      return port.peer && port.known && port.state == PortState::init;
    });
    const bool host_is_new =
        node.type != NodeType::switch_ &&
        (came_up || (then && has_moved(*found.fabric, static_cast<NodeId>(n), *known_->fabric, *then)));
    // A switch without tables booted while we were away, and holds none of the others either.
    const bool blank = node.type == NodeType::switch_ && program::blocks_in_use(shadow_, node.guid) == 0;
    if (!here_before || host_is_new || blank) nodes.push_back(node.guid);
  }
  nodes.insert(nodes.end(), doubles_.begin(), doubles_.end());
  doubles_.clear();
  for (const discovery::Finding& finding : found.findings)
    if (finding.kind == discovery::Finding::Kind::duplicate_guid) doubles_.push_back(finding.node);
  nodes.insert(nodes.end(), doubles_.begin(), doubles_.end());
  forget_tables(nodes);
}

/// One block of every switch on record, chosen at random, still has the digest it had. Another manager that
/// ran meanwhile would hardly have left all of them.
asio::awaitable<bool> Sweeper::digests_hold(const discovery::Discovered& found) {
  const fabric::PathTree paths(*found.fabric, found.own_port);
  // Seeded by what differs between managers, sweeps and starts; a run under virtual time can be repeated.
  const auto now = static_cast<std::uint64_t>(around_.clock->now().count());
  std::mt19937_64 random(raw(around_.election->own_guid()) + (number_ + now) * 0x9e3779b97f4a7c15);
  std::vector<discovery::BlockToRead> blocks;
  std::vector<std::uint64_t> digests;
  for (const NodeId node : found.fabric->switches()) {
    const auto record = ledger_.devices->find(found.fabric->node(node).guid);
    if (record == ledger_.devices->end() || record->second->lft_digests.empty()) continue;
    const std::uint32_t in_use = program::blocks_in_use(shadow_, record->first);
    const auto known = std::min<std::size_t>(in_use, record->second->lft_digests.size());
    const auto target = target_of(*found.fabric, paths, node);
    if (known == 0 || !target) continue;
    const auto block = static_cast<std::uint32_t>(random() % known);
    blocks.push_back({*target, mad::AttrId::linear_forwarding, block});
    digests.push_back(record->second->lft_digests[block]);
  }
  mad::Shadow sample;
  const std::span<const discovery::BlockToRead> all(blocks);
  co_await discovery::read_back(*around_.client, sample, all);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const mad::AttrData* held = sample.find(blocks[i].target.node, blocks[i].attribute, blocks[i].modifier);
    if (held != nullptr && plan::block_digest(*held) != digests[i]) co_return false;
  }
  co_return true;
}

/// Digests of tables that are about to change are gone from the disk before the first block is written: who
/// is killed in the middle must not trust them.
asio::awaitable<void> Sweeper::void_digests_of_changes(const discovery::Discovered& found,
                                                       const plan::Planned& planned) {
  const plan::Plan& plan = *planned.plan;
  std::set<NodeId> new_lanes;
  for (const program::LaneWork& work : program::lane_work(*found.fabric, plan, *ledger_.devices))
    new_lanes.insert(work.node);
  std::set<NodeId> new_keys;
  for (const program::KeyWork& work : program::key_work(*found.fabric, plan.partitions, *ledger_.devices))
    new_keys.insert(work.node);
  std::set<NodeId> new_tables;
  const auto note_tables = [&](const routing::Routes& routes) {
    for (const program::TableWork& work :
         program::table_work(*found.fabric, plan, routes, shadow_, &settled_))
      if (!work.blocks.empty()) new_tables.insert(found.fabric->node_of(work.id));
  };
  note_tables(plan.routes());
  if (plan.dark() != nullptr) note_tables(*plan.dark());
  std::set<NodeId> concerned = new_tables;
  concerned.insert(new_lanes.begin(), new_lanes.end());
  concerned.insert(new_keys.begin(), new_keys.end());
  if (concerned.empty()) co_return;
  auto devices = std::make_shared<plan::DeviceMap>(*ledger_.devices);
  bool changed = false;
  for (const NodeId node : concerned) {
    const auto record = devices->find(found.fabric->node(node).guid);
    if (record == devices->end()) continue;
    auto fresh = std::make_shared<plan::DeviceRecord>(*record->second);
    if (new_tables.contains(node)) fresh->lft_digests.clear();
    if (new_lanes.contains(node)) fresh->lanes_digest = plan::kLanesVoid;
    if (new_keys.contains(node)) fresh->keys_digest = 0;
    if (*fresh == *record->second) continue;
    record->second = std::move(fresh);
    changed = true;
  }
  if (!changed) co_return;
  plan::Ledger without = ledger_;
  without.devices = std::move(devices);
  Result<void> saved = co_await commit(without);
  if (!saved) event(Severity::error, "state_not_saved", saved.error().what);
}

}  // namespace weft::daemon
