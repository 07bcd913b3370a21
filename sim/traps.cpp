#include "sim/traps.h"

namespace weft::sim {
namespace {

constexpr std::uint32_t kProducerHca = 1;
constexpr std::uint32_t kProducerSwitch = 2;
constexpr std::size_t kDetailsAt = 10;  // in the notice; its details are counted from there

void put_detail(mad::Notice& notice, std::size_t at, std::size_t bytes, std::uint64_t value) {
  put_bits(std::span<std::uint8_t>(notice.details), (at - kDetailsAt) * 8, bytes * 8, value);
}

}  // namespace

void Traps::link_changed(NodeIndex sw) {
  const PortIndex port0 = world_.node(sw).first_port;
  mad::Notice notice;
  notice.type = 1;
  notice.producer = kProducerSwitch;
  notice.trap = mad::TrapNumber::link_state_changed;
  put_detail(notice, 10, 2, raw(world_.port(port0).info.lid));
  raise(port0, notice);
}

void Traps::capability_changed(PortIndex port) {
  const mad::PortInfo& info = world_.port(port).info;
  mad::Notice notice;
  notice.type = 4;
  notice.producer = world_.is_switch(world_.port(port).node) ? kProducerSwitch : kProducerHca;
  notice.trap = mad::TrapNumber::capability_changed;
  put_detail(notice, 12, 2, raw(info.lid));
  put_detail(notice, 16, 4, info.capabilities);
  put_detail(notice, 22, 2, info.capabilities2);
  raise(port, notice);
}

void Traps::raise(PortIndex port, mad::Notice notice) {
  const mad::PortInfo& info = world_.port(port).info;
  if (info.lid == kLidNone || info.sm_lid == kLidNone) return;  // nobody to tell
  notice.issuer = info.lid;
  const Key key{port, notice.trap};
  Pending& pending = pending_[key];
  agenda_.cancel(pending.timer);
  const bool repeated = pending.tid != 0;
  notice.toggle = repeated ? !pending.notice.toggle : false;
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
  mad::Smp trap;
  trap.method = mad::Method::trap;
  trap.attribute = mad::AttrId::notice;
  trap.tid = pending.tid;
  trap.route.reset();
  trap.address.lid = info.sm_lid;
  trap.data = mad::encode(pending.notice);
  pending.timer = agenda_.after(settings_.repeat, [this, key] { fire(key); });
  send_(key.port, mad::to_mad(trap));
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
