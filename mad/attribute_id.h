#pragma once
// Numbers of management classes, methods and attributes. Source: IBTA vol. 1, 13.4, 14.2.1, 14.2.5, 15.2.

#include <cstdint>
#include <string_view>

namespace weft::mad {

enum class MgmtClass : std::uint8_t {
  subn_lid_routed = 0x01,
  subn_adm = 0x03,
  perf = 0x04,
  subn_directed = 0x81,
};

enum class Method : std::uint8_t {
  get = 0x01,
  set = 0x02,
  send = 0x03,
  trap = 0x05,
  report = 0x06,
  trap_repress = 0x07,
  get_table = 0x12,
  get_trace_table = 0x13,
  get_multi = 0x14,
  delete_ = 0x15,
  get_resp = 0x81,
  report_resp = 0x86,
  get_table_resp = 0x92,
  get_multi_resp = 0x94,
  delete_resp = 0x95,
};

constexpr bool is_response(Method method) {
  return (static_cast<std::uint8_t>(method) & 0x80) != 0 || method == Method::trap_repress;
}

/// Attributes of the subnet management class, and the vendor ones we know.
enum class AttrId : std::uint16_t {
  none = 0,
  notice = 0x02,
  node_description = 0x10,
  node_info = 0x11,
  switch_info = 0x12,
  guid_info = 0x14,
  port_info = 0x15,
  pkey_table = 0x16,
  sl_to_vl = 0x17,
  vl_arbitration = 0x18,
  linear_forwarding = 0x19,
  random_forwarding = 0x1a,
  multicast_forwarding = 0x1b,
  sm_info = 0x20,
  vendor_diag = 0x30,
  led_info = 0x31,
  port_info_extended = 0x33,
  switch_port_state = 0x34,
  plft_info = 0xff10,
  plft_def = 0xff11,
  plft_map = 0xff12,
  port_sl_to_plft = 0xff14,
  general_info = 0xff17,
  ar_info = 0xff20,
  ar_group_table = 0xff21,
  ar_lft = 0xff23,
  hbf_config = 0xff24,
  whbf_config = 0xff25,
  pfrn_config = 0xff61,
  mlnx_ext_port_info = 0xff90,
  rn_gen_string = 0xffb8,
  rn_rcv_string = 0xffb9,
  rn_direction = 0xffba,
  rn_xmit_ports = 0xffbc,
  ar_group_copy = 0xffbd,
  rn_gen_priority = 0xffbe,
};

/// Low status word of a MAD. Source: IBTA vol. 1, 13.4.7.
enum class Status : std::uint16_t {
  ok = 0,
  busy = 0x0001,
  redirect = 0x0002,
  bad_version = 0x0004,
  bad_method = 0x0008,
  bad_method_attribute = 0x000c,
  bad_value = 0x001c,
};

std::string_view name(Method method);
std::string_view name(AttrId attribute);

}  // namespace weft::mad
