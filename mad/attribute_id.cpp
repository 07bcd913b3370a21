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
    case AttrId::mlnx_ext_port_info:
      return "MlnxExtPortInfo";
  }
  return "unknown attribute";
}

}  // namespace weft::mad
