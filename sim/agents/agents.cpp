#include "sim/agents/agents.h"

namespace weft::sim {
namespace {

using mad::AttrId;
using mad::Method;
using mad::Status;

struct Row {
  AttrId attribute;
  bool settable;
  Status (*handle)(Call&);
};

constexpr Row kRows[] = {
    {AttrId::node_description, false, node_description},
    {AttrId::node_info, false, node_info},
    {AttrId::switch_info, true, switch_info},
    {AttrId::guid_info, false, guid_info},
    {AttrId::port_info, true, port_info},
    {AttrId::pkey_table, true, pkey_table},
    {AttrId::sl_to_vl, true, sl_to_vl},
    {AttrId::vl_arbitration, true, vl_arbitration},
    {AttrId::linear_forwarding, true, linear_forwarding},
    {AttrId::multicast_forwarding, true, multicast_forwarding},
    {AttrId::switch_port_state, false, switch_port_state},
};

Status handled(World& world, PortIndex arrival, mad::Smp& smp) {
  if (smp.method != Method::get && smp.method != Method::set) return Status::bad_method;
  for (const Row& row : kRows) {
    if (row.attribute != smp.attribute) continue;
    const bool set = smp.method == Method::set;
    if (set && !row.settable) return Status::bad_method_attribute;
    Call call{world, world.port(arrival).node, arrival, set, smp.modifier, smp.data};
    return row.handle(call);
  }
  return Status::bad_method_attribute;
}

}  // namespace

void answer(World& world, PortIndex arrival, mad::Smp& smp) {
  const mad::MgmtClass mgmt_class =
      smp.route ? mad::MgmtClass::subn_directed : mad::MgmtClass::subn_lid_routed;
  world.counters().add(world.port(arrival).node, mgmt_class, smp.method, smp.attribute);
  smp.status = raw(handled(world, arrival, smp));
  smp.method = Method::get_resp;
}

}  // namespace weft::sim
