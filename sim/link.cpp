// World's links: down, up, cut, mended, and the nodes that take theirs with them.
//
// PortStateChange follows the state machine, not the Set: a port that a Set took down changes it only when
// the link comes up again. What a lost link takes with it: the state, and what was known of the peer
// (forget_peer). LIDs, keys, IsSM, tables and violation counters stay. Source: IBTA vol. 1, 14.2.5.4.
#include <algorithm>

#include "sim/link_training.h"
#include "sim/world.h"

namespace weft::sim {

void World::note_change(PortIndex p) {
  const NodeIndex n = port(p).node;
  if (!is_switch(n)) return;
  switch_of(n).info.state_changed = true;
  if (link_changed_) link_changed_(n);
}

void World::hint_change(PortIndex p) {
  for (const PortIndex end : {p, port(p).peer})
    if (end != kNoPort && is_switch(port(end).node)) switch_of(port(end).node).info.state_changed = true;
}

void World::take_down(PortIndex p, PhysState phys, bool by_set) {
  mad::PortInfo& info = port(p).info;
  const bool changed = info.state != PortState::down;
  info.state = PortState::down;
  info.phys = phys;
  port(p).fdr10_active = false;
  if (!changed) return;
  forget_peer(info);
  perf_.add(p, PerfCounter::link_downed);
  if (!by_set) note_change(p);
}

/// LinkDownDefaultState: where a port goes that loses its link.
PhysState World::at_loss(const mad::PortInfo& info) {
  return info.link_down_default == raw(PhysState::sleep) ? PhysState::sleep : PhysState::polling;
}

/// Both ends lose the signal; an end that is held down stays as it is.
void World::drop_link(PortIndex p) {
  for (const PortIndex end : {p, port(p).peer})
    if (end != kNoPort && port(end).info.phys == PhysState::link_up)
      take_down(end, at_loss(port(end).info), false);
}

void World::train(PortIndex p) {
  if (settings_.training == Duration{})
    link_up_now(p);
  else
    agenda_.after(settings_.training, [this, p] { link_up_now(p); });
}

void World::link_up_now(PortIndex p) {
  Port& a = port(p);
  if (a.peer == kNoPort || a.cut) return;
  Port& b = port(a.peer);
  // A sleeping port wakes when its peer polls; two sleepers never meet.
  const auto ready = [](const Port& end) {
    return end.info.phys == PhysState::polling || end.info.phys == PhysState::sleep;
  };
  if (!ready(a) || !ready(b) || (a.info.phys == PhysState::sleep && b.info.phys == PhysState::sleep)) return;
  if (!node(a.node).powered || !node(b.node).powered) return;
  if (!agree(a.info, b.info)) return;
  const bool qdr = mad::active_speed(a.info) == LinkSpeed::qdr;
  a.fdr10_active = b.fdr10_active = qdr && a.fdr10_enabled && b.fdr10_enabled;
  for (const PortIndex end : {p, a.peer}) {
    port(end).info.state = PortState::init;
    port(end).info.phys = PhysState::link_up;
    note_change(end);
  }
}

void World::restart_link(PortIndex p, PhysState phys) {
  const bool was_up = port(p).info.phys == PhysState::link_up;
  take_down(p, phys, true);
  if (was_up && port(p).peer != kNoPort && port(port(p).peer).info.phys == PhysState::link_up)
    take_down(port(p).peer, at_loss(port(port(p).peer).info), false);
  if (phys != PhysState::disabled) train(p);
}

void World::cut_link(NodeIndex n, PortNum number) {
  const PortIndex p = port_of(n, number);
  if (p == kNoPort || port(p).peer == kNoPort || port(p).cut) return;
  port(p).cut = port(port(p).peer).cut = true;
  drop_link(p);
}

void World::mend_link(NodeIndex n, PortNum number) {
  const PortIndex p = port_of(n, number);
  if (p == kNoPort || port(p).peer == kNoPort || !port(p).cut) return;
  port(p).cut = port(port(p).peer).cut = false;
  train(p);
}

void World::unplug(PortIndex p) {
  const PortIndex peer = port(p).peer;
  if (peer == kNoPort) return;
  drop_link(p);
  for (const PortIndex end : {p, peer}) {
    port(end).peer = kNoPort;
    port(end).cut = false;
  }
}

void World::plug(PortIndex a, PortIndex b, bool cut) {
  if (a == b || port(a).peer != kNoPort || port(b).peer != kNoPort) return;
  port(a).peer = b;
  port(b).peer = a;
  port(a).cut = port(b).cut = cut;
  if (!cut) train(a);
}

void World::swap_places(NodeIndex a, NodeIndex b) {
  const unsigned common = std::min(node(a).port_count, node(b).port_count);
  for (unsigned number = 1; number <= common; ++number) {
    const PortIndex p = port_of(a, static_cast<PortNum>(number));
    const PortIndex q = port_of(b, static_cast<PortNum>(number));
    const PortIndex p_peer = port(p).peer;
    const PortIndex q_peer = port(q).peer;
    const bool p_cut = port(p).cut;
    const bool q_cut = port(q).cut;
    if (p_peer == q) continue;  // cabled to each other: nothing changes
    unplug(p);
    unplug(q);
    if (p_peer != kNoPort) plug(q, p_peer, p_cut);
    if (q_peer != kNoPort) plug(p, q_peer, q_cut);
  }
}

void World::power_off(NodeIndex n) {
  Node& node = mutable_node(n);
  node.powered = false;
  for (unsigned number = 1; number <= node.port_count; ++number)
    drop_link(port_of(n, static_cast<PortNum>(number)));
}

void World::power_on(NodeIndex n) {
  Node& node = mutable_node(n);
  if (node.powered) return;
  reset(n);
  node.powered = true;
  for (unsigned number = 1; number <= node.port_count; ++number)
    train(port_of(n, static_cast<PortNum>(number)));
}

void World::reboot(NodeIndex n, Duration away) {
  power_off(n);
  if (away == Duration{})
    power_on(n);
  else
    agenda_.after(away, [this, n] { power_on(n); });
}

}  // namespace weft::sim
