#include "sim/traps.h"

#include "sim/notices.h"

namespace weft::sim {
namespace {

std::uint8_t subject_port(const mad::Notice& notice) {
  constexpr std::size_t kPortOfLinkErrors = 14 - 10;
  constexpr std::size_t kPortOfSwitchPkey = 60 - 10;
  switch (notice.trap) {
    case mad::TrapNumber::link_integrity:
    case mad::TrapNumber::buffer_overrun:
    case mad::TrapNumber::flow_control_watchdog:
      return notice.details[kPortOfLinkErrors];
    case mad::TrapNumber::bad_pkey_at_switch:
      return notice.details[kPortOfSwitchPkey];
    default:
      return 0;
  }
}

/// A trap 144 that takes the place of one that nobody has heard tells of what that one told of, too.
void keep_local_changes(mad::Notice& notice, const mad::Notice& before) {
  if (notice.trap != mad::TrapNumber::capability_changed) return;
  for (const std::size_t at : {15, 20, 21}) notice.details[at - 10] |= before.details[at - 10];
}

}  // namespace

void Traps::link_changed(NodeIndex sw) { raise(world_.node(sw).first_port, link_state_notice(world_, sw)); }

void Traps::capability_changed(PortIndex port) { raise(port, change_notice(world_, port)); }

void Traps::raise(PortIndex port, mad::Notice notice) {
  const mad::PortInfo& info = world_.port(port).info;
  notice.issuer = info.lid;
  world_.keep_notice(port, notice);
  if (info.lid == kLidNone || info.sm_lid == kLidNone) return;  // nobody to tell
  const Key key{port, notice.trap, subject_port(notice)};
  Pending& pending = pending_[key];
  agenda_.cancel(pending.timer);
  const bool repeated = pending.tid != 0;
  notice.toggle = repeated ? !pending.notice.toggle : false;
  if (repeated) keep_local_changes(notice, pending.notice);
  pending.notice = notice;
  pending.tid = ++last_tid_;
  pending.sends_left = settings_.sends;
  pending.timer = agenda_.after(settings_.first, [this, key] { fire(key); });
}

void Traps::fire(Key key) {
  const auto found = pending_.find(key);
  if (found == pending_.end()) return;
  Pending& pending = found->second;
  const mad::PortInfo& info = world_.port(key.port).info;
  if (pending.sends_left-- <= 0 || info.lid == kLidNone || info.sm_lid == kLidNone) {
    pending_.erase(found);
    return;
  }
  pending.timer = agenda_.after(settings_.repeat, [this, key] { fire(key); });
  send_trap(key.port, pending.notice, pending.tid);
}

void Traps::send_trap(PortIndex from, const mad::Notice& notice, std::uint64_t tid) {
  mad::Smp trap;
  trap.method = mad::Method::trap;
  trap.attribute = mad::AttrId::notice;
  trap.tid = tid;
  trap.route.reset();
  trap.address.lid = world_.port(from).info.sm_lid;
  trap.data = mad::encode(notice);
  send_(from, mad::to_mad(trap));
}

void Traps::storm(PortIndex from, const mad::Notice& notice, int count, Duration every) {
  if (count <= 0) return;
  const mad::PortInfo& info = world_.port(from).info;
  if (info.lid != kLidNone && info.sm_lid != kLidNone) {
    mad::Notice sent = notice;
    sent.issuer = info.lid;
    send_trap(from, sent, ++last_tid_);
  }
  agenda_.after(every, [this, from, notice, count, every] { storm(from, notice, count - 1, every); });
}

void Traps::repress(NodeIndex node, std::uint64_t tid) {
  for (auto at = pending_.begin(); at != pending_.end(); ++at) {
    if (world_.port(at->first.port).node != node || at->second.tid != tid) continue;
    agenda_.cancel(at->second.timer);
    pending_.erase(at);
    return;
  }
}

}  // namespace weft::sim
