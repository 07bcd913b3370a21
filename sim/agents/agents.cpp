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
    {AttrId::guid_info, true, guid_info},
    {AttrId::port_info, true, port_info},
    {AttrId::port_info_extended, true, port_info_extended},
    {AttrId::pkey_table, true, pkey_table},
    {AttrId::sl_to_vl, true, sl_to_vl},
    {AttrId::vl_arbitration, true, vl_arbitration},
    {AttrId::linear_forwarding, true, linear_forwarding},
    {AttrId::multicast_forwarding, true, multicast_forwarding},
    {AttrId::switch_port_state, false, switch_port_state},
    {AttrId::notice, true, notice},
    {AttrId::mlnx_ext_port_info, true, ext_port_info},
    {AttrId::general_info, false, general_info},
    {AttrId::ar_info, true, ar_info},
    {AttrId::ar_group_table, true, ar_group_table},
    {AttrId::ar_group_copy, true, ar_group_copy},
    {AttrId::ar_lft, true, ar_lft},
    {AttrId::plft_info, true, plft_info},
    {AttrId::plft_def, true, plft_table},
    {AttrId::plft_map, true, plft_table},
    {AttrId::port_sl_to_plft, true, plft_table},
    {AttrId::hbf_config, true, ar_extra},
    {AttrId::whbf_config, true, ar_extra},
    {AttrId::pfrn_config, true, ar_extra},
    {AttrId::rn_gen_string, true, ar_extra},
    {AttrId::rn_rcv_string, true, ar_extra},
    {AttrId::rn_direction, true, ar_extra},
    {AttrId::rn_xmit_ports, true, ar_extra},
    {AttrId::rn_gen_priority, true, ar_extra},
};

Status handled(World& world, PortIndex arrival, mad::Smp& smp) {
  if (smp.method != Method::get && smp.method != Method::set) return Status::bad_method;
  for (const Row& row : kRows) {
    if (row.attribute != smp.attribute) continue;
    const bool set = smp.method == Method::set;
    if (set && !row.settable) return Status::bad_method_attribute;
    Call call{world,   world.port(arrival).node, arrival, set, row.attribute, smp.modifier, smp.m_key,
              smp.data};
    return row.handle(call);
  }
  return Status::bad_method_attribute;
}

}  // namespace

bool answer(World& world, PortIndex arrival, mad::Smp& smp, Lid from,
            std::span<const std::uint8_t> return_path) {
  const mad::MgmtClass mgmt_class =
      smp.route ? mad::MgmtClass::subn_directed : mad::MgmtClass::subn_lid_routed;
  world.counters().add(world.port(arrival).node, mgmt_class, smp.method, smp.attribute);
  if (!key_opens(world, arrival, smp, from, return_path)) return false;
  smp.status = raw(handled(world, arrival, smp));
  smp.method = Method::get_resp;
  return true;
}

}  // namespace weft::sim
