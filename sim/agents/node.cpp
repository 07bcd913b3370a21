// NodeInfo, NodeDescription, GUIDInfo: what a node is.
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
  info.partition_cap = call.at_switch() ? 8 : 64;
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

mad::Status guid_info(Call& call) {
  if (call.modifier != 0) return mad::Status::bad_value;
  mad::GuidInfo info;
  info.guids[0] = call.world.port(call.own_port()).guid;
  call.data = mad::encode(info);
  return mad::Status::ok;
}

}  // namespace weft::sim
