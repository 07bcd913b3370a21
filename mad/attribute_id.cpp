#include "mad/attribute_id.h"

namespace weft::mad {

std::string_view name(Method method) {
  switch (method) {
    case Method::get:
      return "Get";
    case Method::set:
      return "Set";
    case Method::send:
      return "Send";
    case Method::trap:
      return "Trap";
    case Method::report:
      return "Report";
    case Method::trap_repress:
      return "TrapRepress";
    case Method::get_table:
      return "GetTable";
    case Method::get_trace_table:
      return "GetTraceTable";
    case Method::get_multi:
      return "GetMulti";
    case Method::delete_:
      return "Delete";
    case Method::get_resp:
      return "GetResp";
    case Method::report_resp:
      return "ReportResp";
    case Method::get_table_resp:
      return "GetTableResp";
    case Method::get_multi_resp:
      return "GetMultiResp";
    case Method::delete_resp:
      return "DeleteResp";
  }
  return "unknown method";
}

std::string_view name(AttrId attribute) {
  switch (attribute) {
    case AttrId::none:
      return "none";
    case AttrId::notice:
      return "Notice";
    case AttrId::node_description:
      return "NodeDescription";
    case AttrId::node_info:
      return "NodeInfo";
    case AttrId::switch_info:
      return "SwitchInfo";
    case AttrId::guid_info:
      return "GUIDInfo";
    case AttrId::port_info:
      return "PortInfo";
    case AttrId::pkey_table:
      return "P_KeyTable";
    case AttrId::sl_to_vl:
      return "SLtoVLMappingTable";
    case AttrId::vl_arbitration:
      return "VLArbitrationTable";
    case AttrId::linear_forwarding:
      return "LinearForwardingTable";
    case AttrId::random_forwarding:
      return "RandomForwardingTable";
    case AttrId::multicast_forwarding:
      return "MulticastForwardingTable";
    case AttrId::sm_info:
      return "SMInfo";
    case AttrId::vendor_diag:
      return "VendorDiag";
    case AttrId::led_info:
      return "LedInfo";
    case AttrId::port_info_extended:
      return "PortInfoExtended";
    case AttrId::switch_port_state:
      return "SwitchPortStateTable";
    case AttrId::plft_info:
      return "PrivateLFTInfo";
    case AttrId::plft_def:
      return "PrivateLFTDef";
    case AttrId::plft_map:
      return "PrivateLFTMap";
    case AttrId::port_sl_to_plft:
      return "PortSLToPrivateLFTMap";
    case AttrId::general_info:
      return "GeneralInfo";
    case AttrId::ar_info:
      return "AdaptiveRoutingInfo";
    case AttrId::ar_group_table:
      return "AdaptiveRoutingGroupTable";
    case AttrId::ar_lft:
      return "AdaptiveRoutingLFT";
    case AttrId::hbf_config:
      return "HBFConfig";
    case AttrId::whbf_config:
      return "WHBFConfig";
    case AttrId::pfrn_config:
      return "PFRNConfig";
    case AttrId::mlnx_ext_port_info:
      return "MlnxExtPortInfo";
    case AttrId::rn_gen_string:
      return "RNGenStringTable";
    case AttrId::rn_rcv_string:
      return "RNRcvString";
    case AttrId::rn_direction:
      return "RNSubGroupDirectionTable";
    case AttrId::rn_xmit_ports:
      return "RNXmitPortMask";
    case AttrId::ar_group_copy:
      return "AdaptiveRoutingGroupTableCopy";
    case AttrId::rn_gen_priority:
      return "RNGenBySubGroupPriority";
  }
  return "unknown attribute";
}

}  // namespace weft::mad
