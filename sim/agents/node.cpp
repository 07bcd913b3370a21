// NodeInfo, NodeDescription, GUIDInfo: what a node is; Notice: what it has to tell.
#include <algorithm>

#include "mad/node_info.h"
#include "sim/agents/agents.h"

namespace weft::sim {

mad::Status node_info(Call& call) {
  const Node& node = call.self();
  mad::NodeInfo info;
  info.type = node.type;
  info.port_count = node.port_count;
  info.system_guid = node.system_guid;
  info.node_guid = node.guid;
  info.port_guid = call.world.port(call.own_port()).guid;
  info.partition_cap = call.world.pkey_capacity(call.own_port());
  info.device = node.device;
  info.revision = 0xa0;
  info.local_port = call.world.port(call.arrival).number;
  info.vendor = node.vendor;
  call.data = mad::encode(info);
  return mad::Status::ok;
}

mad::Status node_description(Call& call) {
  call.data = mad::encode(mad::NodeDescription{call.self().description});
  return mad::Status::ok;
}

/// Blocks of eight. Entry 0 of block 0 is the port's own GUID and stays; what lies beyond GUIDCap is not
/// kept.
mad::Status guid_info(Call& call) {
  const Port& port = call.world.port(call.own_port());
  const std::size_t first = std::size_t{call.modifier} * 8;
  if (first >= port.info.guid_cap) return mad::Status::bad_value;
  const auto corrected = [&](const mad::AttrData& data) {
    auto info = mad::decode<mad::GuidInfo>(data);
    const std::size_t room = std::min<std::size_t>(port.info.guid_cap - first, info.guids.size());
    std::fill(info.guids.begin() + static_cast<std::ptrdiff_t>(room), info.guids.end(), Guid{});
    if (first == 0) info.guids[0] = port.guid;
    return mad::encode(info);
  };
  if (call.set) call.data = corrected(call.data);
  const mad::Status status = keep(call, static_cast<std::uint32_t>(raw(port.number)) << 16 | call.modifier);
  call.data = corrected(call.data);
  return status;
}

/// Get tells the oldest notice, with how many there are; a Set with its toggle takes it away and tells the
/// next.
mad::Status notice(Call& call) {
  std::deque<mad::Notice>& kept = call.world.notices(call.own_port());
  if (call.set && !kept.empty() && mad::decode<mad::Notice>(call.data).toggle == kept.front().toggle)
    kept.pop_front();
  call.data = {};
  if (kept.empty()) return mad::Status::ok;
  mad::Notice told = kept.front();
  told.count = static_cast<std::uint16_t>(kept.size());
  call.data = mad::encode(told);
  return mad::Status::ok;
}

}  // namespace weft::sim
