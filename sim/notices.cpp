#include "sim/notices.h"

#include <algorithm>

namespace weft::sim {
namespace {

using mad::Notice;
using mad::TrapNumber;

enum class NoticeType : std::uint8_t { urgent = 1, security = 2, informational = 4 };

constexpr std::size_t kDetailsAt = 10;  // in the notice; its details are counted from there

void put(Notice& notice, std::size_t at, std::size_t bits, std::uint64_t value, std::size_t bit = 0) {
  put_bits(std::span<std::uint8_t>(notice.details), (at - kDetailsAt) * 8 + bit, bits, value);
}

Notice notice_of(const World& world, PortIndex port, NoticeType type, TrapNumber trap) {
  Notice notice;
  notice.type = static_cast<std::uint8_t>(type);
  notice.producer = raw(world.node(world.port(port).node).type);  // the codes are the same
  notice.trap = trap;
  return notice;
}

Lid lid_of(const World& world, PortIndex port) { return world.port(notifier(world, port)).info.lid; }

}  // namespace

PortIndex notifier(const World& world, PortIndex port) {
  const NodeIndex n = world.port(port).node;
  return world.is_switch(n) ? world.node(n).first_port : port;
}

Notice link_state_notice(const World& world, NodeIndex sw) {
  const PortIndex port0 = world.node(sw).first_port;
  Notice notice = notice_of(world, port0, NoticeType::urgent, TrapNumber::link_state_changed);
  put(notice, 10, 16, raw(world.port(port0).info.lid));
  return notice;
}

Notice port_error_notice(const World& world, PortIndex port, TrapNumber trap) {
  Notice notice = notice_of(world, port, NoticeType::urgent, trap);
  put(notice, 12, 16, raw(lid_of(world, port)));
  put(notice, 14, 8, raw(world.port(port).number));
  return notice;
}

Notice change_notice(const World& world, PortIndex port, LocalChange change) {
  const mad::PortInfo& info = world.port(notifier(world, port)).info;
  Notice notice = notice_of(world, port, NoticeType::informational, TrapNumber::capability_changed);
  put(notice, 12, 16, raw(info.lid));
  put(notice, 15, 1, change != LocalChange::none, 7);
  put(notice, 16, 32, info.capabilities);
  put(notice, 20, 16, raw(change));
  put(notice, 22, 16, info.capabilities2);
  return notice;
}

Notice system_guid_notice(const World& world, PortIndex port) {
  Notice notice = notice_of(world, port, NoticeType::informational, TrapNumber::system_guid_changed);
  put(notice, 12, 16, raw(lid_of(world, port)));
  put(notice, 16, 64, raw(world.node(world.port(port).node).system_guid));
  return notice;
}

Notice bad_m_key_notice(const World& world, PortIndex port, const mad::Smp& request, Lid from,
                        std::span<const std::uint8_t> return_path) {
  constexpr std::size_t kPathRoom = 30;
  Notice notice = notice_of(world, port, NoticeType::security, TrapNumber::bad_m_key);
  put(notice, 12, 16, raw(from));
  put(notice, 14, 16, request.route ? 0xffff : 0);
  put(notice, 16, 8, raw(request.method));
  put(notice, 18, 16, raw(request.attribute));
  put(notice, 20, 32, request.modifier);
  put(notice, 24, 64, request.m_key);
  if (!request.route) return notice;
  const auto hops = static_cast<std::size_t>(request.route->hops());
  put(notice, 33, 1, 1);
  put(notice, 33, 1, hops > kPathRoom, 1);
  put(notice, 33, 6, std::min(hops, kPathRoom), 2);
  for (std::size_t i = 0; i < std::min({hops, kPathRoom, return_path.size()}); ++i)
    put(notice, 34 + i, 8, return_path[i]);
  return notice;
}

Notice bad_key_notice(const World& world, PortIndex port, TrapNumber trap, const KeyViolation& packet) {
  Notice notice = notice_of(world, port, NoticeType::security, trap);
  put(notice, 12, 16, raw(packet.from));
  put(notice, 14, 16, raw(packet.to));
  put(notice, 16, 32, packet.key);
  put(notice, 20, 4, raw(packet.sl));
  put(notice, 21, 24, packet.qp_from);
  put(notice, 25, 24, packet.qp_to);
  return notice;
}

Notice bad_pkey_at_switch_notice(const World& world, PortIndex port, const KeyViolation& packet) {
  constexpr unsigned kNoGids = 0x7f & ~0x18;  // all fields but the two GIDs are valid
  Notice notice = notice_of(world, port, NoticeType::security, TrapNumber::bad_pkey_at_switch);
  put(notice, 10, 16, kNoGids);
  put(notice, 12, 16, raw(packet.from));
  put(notice, 14, 16, raw(packet.to));
  put(notice, 16, 16, packet.key);
  put(notice, 18, 4, raw(packet.sl));
  put(notice, 19, 24, packet.qp_from);
  put(notice, 23, 24, packet.qp_to);
  put(notice, 58, 16, raw(lid_of(world, port)));
  put(notice, 60, 8, raw(world.port(port).number));
  return notice;
}

}  // namespace weft::sim
