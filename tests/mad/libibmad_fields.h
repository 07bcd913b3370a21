#pragma once
// Which fields of libibmad say what our fields say. The test `libibmad` fails on a field of ours that is
// neither here nor in kUnknown, so that nothing stays uncompared unseen.

#include <string_view>
#include <vector>

#include <infiniband/mad.h>

namespace weft::mad {

/// Part of a number: `bits` bits of it are this field of libibmad.
struct Piece {
  MAD_FIELDS field;
  std::size_t bits;
};

/// A number is its pieces, the most significant first. An array is one field of libibmad for the whole of it,
/// or one an element.
struct Mapping {
  std::string_view attribute;
  std::string_view field;
  std::vector<MAD_FIELDS> fields;
  std::vector<Piece> pieces = {};
};

/// What libibmad 44 (Debian 12) has no field for.
struct Unknown {
  std::string_view attribute;
  std::string_view field;
};
inline constexpr std::string_view kUnknownAttributes[] = {
    "GeneralInfo", "ArInfo",       "ArGroupTable", "ArLft",      "ArGroupCopy",    "PlftInfo",   "PlftDef",
    "PlftMap",     "PortSlToPlft", "InformInfo",   "LinkRecord", "MlnxDeviceInfo", "TraceRecord"};
inline constexpr Unknown kUnknown[] = {
    {"PkeyTable", "P_Key"},
    {"SwitchPortStateTable", "PortState"},
    // XDR: byte 56 of PortInfo came with a later release.
    {"PortInfo", "LinkSpeedExtActive2"},
    {"PortInfo", "LinkSpeedExtSupported2"},
    {"PortInfo", "LinkSpeedExtEnabled2"},
    // Of the SA records it knows what its tools ask for.
    {"PathRecord", "ServiceID"},
    {"PathRecord", "RawTraffic"},
    {"PathRecord", "FlowLabel"},
    {"PathRecord", "HopLimit"},
    {"PathRecord", "TClass"},
    {"PathRecord", "Reversible"},
    {"PathRecord", "P_Key"},
    {"PathRecord", "QoSClass"},
    {"PathRecord", "MtuSelector"},
    {"PathRecord", "Mtu"},
    {"PathRecord", "RateSelector"},
    {"PathRecord", "Rate"},
    {"PathRecord", "PacketLifeTimeSelector"},
    {"PathRecord", "PacketLifeTime"},
    {"PathRecord", "Preference"},
    {"McMemberRecord", "MTUSelector"},
    {"McMemberRecord", "RateSelector"},
    {"McMemberRecord", "PacketLifeTimeSelector"},
    {"McMemberRecord", "PacketLifeTime"},
    {"McMemberRecord", "HopLimit"},
    {"McMemberRecord", "Scope"},
    {"MultiPathRecord", "RawTraffic"},
    {"MultiPathRecord", "FlowLabel"},
    {"MultiPathRecord", "HopLimit"},
    {"MultiPathRecord", "TClass"},
    {"MultiPathRecord", "Reversible"},
    {"MultiPathRecord", "P_Key"},
    {"MultiPathRecord", "QoSClass"},
    {"MultiPathRecord", "SL"},
    {"MultiPathRecord", "MtuSelector"},
    {"MultiPathRecord", "Mtu"},
    {"MultiPathRecord", "RateSelector"},
    {"MultiPathRecord", "Rate"},
    {"MultiPathRecord", "PacketLifeTimeSelector"},
    {"MultiPathRecord", "PacketLifeTime"},
    {"MultiPathRecord", "IndependenceSelector"},
};

/// Where libibmad is wrong: it reads `bits` bits from bit `reads` on. Its table lacks, for these, the
/// macro that the 16-bit fields beside them have, so the halves of each 32-bit word change places.
struct Fault {
  std::string_view attribute;
  std::string_view field;
  MAD_FIELDS asked;
  std::size_t reads;
  std::size_t bits;
};
inline constexpr Fault kFaults[] = {
    {"PortInfoExtended", "HDRFECModeSupported", IB_PORT_EXT_HDR_FEC_MODE_SUPPORTED_F, 96, 16},
    {"PortInfoExtended", "HDRFECModeEnabled", IB_PORT_EXT_HDR_FEC_MODE_ENABLED_F, 144, 16},
    {"PortInfoExtended", "NDRFECModeSupported", IB_PORT_EXT_NDR_FEC_MODE_SUPPORTED_F, 128, 16},
    {"PortInfoExtended", "NDRFECModeEnabled", IB_PORT_EXT_NDR_FEC_MODE_ENABLED_F, 176, 16},
    {"PortCounters", "QP1Dropped", IB_PC_QP1_DROP_F, 176, 16},
};

/// A field for each of the 16 lanes, one after the other.
inline std::vector<MAD_FIELDS> each_lane(MAD_FIELDS first) {
  std::vector<MAD_FIELDS> fields;
  for (int lane = 0; lane < 16; ++lane) fields.push_back(static_cast<MAD_FIELDS>(first + lane));
  return fields;
}

inline const std::vector<Mapping>& mappings() {
  static const std::vector<Mapping> kMappings{
      {"Header", "BaseVersion", {IB_MAD_BASEVER_F}},
      {"Header", "MgmtClass", {IB_MAD_MGMTCLASS_F}},
      {"Header", "ClassVersion", {IB_MAD_CLASSVER_F}},
      {"Header", "Method", {}, {{IB_MAD_RESPONSE_F, 1}, {IB_MAD_METHOD_F, 7}}},
      {"Header", "Status", {IB_MAD_STATUS_F}},
      {"Header", "Status", {}, {{IB_DRSMP_DIRECTION_F, 1}, {IB_DRSMP_STATUS_F, 15}}},
      {"Header", "HopPointer", {IB_DRSMP_HOPPTR_F}},
      {"Header", "HopCount", {IB_DRSMP_HOPCNT_F}},
      {"Header", "TransactionID", {IB_MAD_TRID_F}},
      {"Header", "AttributeID", {IB_MAD_ATTRID_F}},
      {"Header", "AttributeModifier", {IB_MAD_ATTRMOD_F}},

      {"NodeInfo", "BaseVersion", {IB_NODE_BASE_VERS_F}},
      {"NodeInfo", "ClassVersion", {IB_NODE_CLASS_VERS_F}},
      {"NodeInfo", "NodeType", {IB_NODE_TYPE_F}},
      {"NodeInfo", "NumPorts", {IB_NODE_NPORTS_F}},
      {"NodeInfo", "SystemImageGUID", {IB_NODE_SYSTEM_GUID_F}},
      {"NodeInfo", "NodeGUID", {IB_NODE_GUID_F}},
      {"NodeInfo", "PortGUID", {IB_NODE_PORT_GUID_F}},
      {"NodeInfo", "PartitionCap", {IB_NODE_PARTITION_CAP_F}},
      {"NodeInfo", "DeviceID", {IB_NODE_DEVID_F}},
      {"NodeInfo", "Revision", {IB_NODE_REVISION_F}},
      {"NodeInfo", "LocalPortNum", {IB_NODE_LOCAL_PORT_F}},
      {"NodeInfo", "VendorID", {IB_NODE_VENDORID_F}},

      {"NodeDescription", "NodeString", {IB_NODE_DESC_F}},

      {"SwitchInfo", "LinearFDBCap", {IB_SW_LINEAR_FDB_CAP_F}},
      {"SwitchInfo", "RandomFDBCap", {IB_SW_RANDOM_FDB_CAP_F}},
      {"SwitchInfo", "MulticastFDBCap", {IB_SW_MCAST_FDB_CAP_F}},
      {"SwitchInfo", "LinearFDBTop", {IB_SW_LINEAR_FDB_TOP_F}},
      {"SwitchInfo", "DefaultPort", {IB_SW_DEF_PORT_F}},
      {"SwitchInfo", "DefaultMulticastPrimaryPort", {IB_SW_DEF_MCAST_PRIM_F}},
      {"SwitchInfo", "DefaultMulticastNotPrimaryPort", {IB_SW_DEF_MCAST_NOT_PRIM_F}},
      {"SwitchInfo", "LifeTimeValue", {IB_SW_LIFE_TIME_F}},
      {"SwitchInfo", "PortStateChange", {IB_SW_STATE_CHANGE_F}},
      {"SwitchInfo", "OptimizedSLtoVLMappingProgramming", {IB_SW_OPT_SLTOVL_MAPPING_F}},
      {"SwitchInfo", "LIDsPerPort", {IB_SW_LIDS_PER_PORT_F}},
      {"SwitchInfo", "PartitionEnforcementCap", {IB_SW_PARTITION_ENFORCE_CAP_F}},
      {"SwitchInfo", "InboundEnforcementCap", {IB_SW_PARTITION_ENF_INB_F}},
      {"SwitchInfo", "OutboundEnforcementCap", {IB_SW_PARTITION_ENF_OUTB_F}},
      {"SwitchInfo", "FilterRawInboundCap", {IB_SW_FILTER_RAW_INB_F}},
      {"SwitchInfo", "FilterRawOutboundCap", {IB_SW_FILTER_RAW_OUTB_F}},
      {"SwitchInfo", "EnhancedPort0", {IB_SW_ENHANCED_PORT0_F}},
      {"SwitchInfo", "MulticastFDBTop", {IB_SW_MCAST_FDB_TOP_F}},

      {"PortInfo", "M_Key", {IB_PORT_MKEY_F}},
      {"PortInfo", "GidPrefix", {IB_PORT_GID_PREFIX_F}},
      {"PortInfo", "LID", {IB_PORT_LID_F}},
      {"PortInfo", "MasterSMLID", {IB_PORT_SMLID_F}},
      {"PortInfo", "CapabilityMask", {IB_PORT_CAPMASK_F}},
      {"PortInfo", "DiagCode", {IB_PORT_DIAG_F}},
      {"PortInfo", "M_KeyLeasePeriod", {IB_PORT_MKEY_LEASE_F}},
      {"PortInfo", "LocalPortNum", {IB_PORT_LOCAL_PORT_F}},
      {"PortInfo", "LinkWidthEnabled", {IB_PORT_LINK_WIDTH_ENABLED_F}},
      {"PortInfo", "LinkWidthSupported", {IB_PORT_LINK_WIDTH_SUPPORTED_F}},
      {"PortInfo", "LinkWidthActive", {IB_PORT_LINK_WIDTH_ACTIVE_F}},
      {"PortInfo", "LinkSpeedSupported", {IB_PORT_LINK_SPEED_SUPPORTED_F}},
      {"PortInfo", "PortState", {IB_PORT_STATE_F}},
      {"PortInfo", "PortPhysicalState", {IB_PORT_PHYS_STATE_F}},
      {"PortInfo", "LinkDownDefaultState", {IB_PORT_LINK_DOWN_DEF_F}},
      {"PortInfo", "M_KeyProtectBits", {IB_PORT_MKEY_PROT_BITS_F}},
      {"PortInfo", "LMC", {IB_PORT_LMC_F}},
      {"PortInfo", "LinkSpeedActive", {IB_PORT_LINK_SPEED_ACTIVE_F}},
      {"PortInfo", "LinkSpeedEnabled", {IB_PORT_LINK_SPEED_ENABLED_F}},
      {"PortInfo", "NeighborMTU", {IB_PORT_NEIGHBOR_MTU_F}},
      {"PortInfo", "MasterSMSL", {IB_PORT_SMSL_F}},
      {"PortInfo", "VLCap", {IB_PORT_VL_CAP_F}},
      {"PortInfo", "InitType", {IB_PORT_INIT_TYPE_F}},
      {"PortInfo", "VLHighLimit", {IB_PORT_VL_HIGH_LIMIT_F}},
      {"PortInfo", "VLArbitrationHighCap", {IB_PORT_VL_ARBITRATION_HIGH_CAP_F}},
      {"PortInfo", "VLArbitrationLowCap", {IB_PORT_VL_ARBITRATION_LOW_CAP_F}},
      {"PortInfo", "InitTypeReply", {IB_PORT_INIT_TYPE_REPLY_F}},
      {"PortInfo", "MTUCap", {IB_PORT_MTU_CAP_F}},
      {"PortInfo", "VLStallCount", {IB_PORT_VL_STALL_COUNT_F}},
      {"PortInfo", "HOQLife", {IB_PORT_HOQ_LIFE_F}},
      {"PortInfo", "OperationalVLs", {IB_PORT_OPER_VLS_F}},
      {"PortInfo", "PartitionEnforcementInbound", {IB_PORT_PART_EN_INB_F}},
      {"PortInfo", "PartitionEnforcementOutbound", {IB_PORT_PART_EN_OUTB_F}},
      {"PortInfo", "FilterRawInbound", {IB_PORT_FILTER_RAW_INB_F}},
      {"PortInfo", "FilterRawOutbound", {IB_PORT_FILTER_RAW_OUTB_F}},
      {"PortInfo", "M_KeyViolations", {IB_PORT_MKEY_VIOL_F}},
      {"PortInfo", "P_KeyViolations", {IB_PORT_PKEY_VIOL_F}},
      {"PortInfo", "Q_KeyViolations", {IB_PORT_QKEY_VIOL_F}},
      {"PortInfo", "GUIDCap", {IB_PORT_GUID_CAP_F}},
      {"PortInfo", "ClientReregister", {IB_PORT_CLIENT_REREG_F}},
      {"PortInfo", "MulticastPKeyTrapSuppressionEnabled", {IB_PORT_MCAST_PKEY_SUPR_ENAB_F}},
      {"PortInfo", "SubnetTimeOut", {IB_PORT_SUBN_TIMEOUT_F}},
      {"PortInfo", "RespTimeValue", {IB_PORT_RESP_TIME_VAL_F}},
      {"PortInfo", "LocalPhyErrors", {IB_PORT_LOCAL_PHYS_ERR_F}},
      {"PortInfo", "OverrunErrors", {IB_PORT_OVERRUN_ERR_F}},
      {"PortInfo", "MaxCreditHint", {IB_PORT_MAX_CREDIT_HINT_F}},
      {"PortInfo", "LinkRoundTripLatency", {IB_PORT_LINK_ROUND_TRIP_F}},
      {"PortInfo", "CapabilityMask2", {IB_PORT_CAPMASK2_F}},
      {"PortInfo", "LinkSpeedExtActive", {IB_PORT_LINK_SPEED_EXT_ACTIVE_F}},
      {"PortInfo", "LinkSpeedExtSupported", {IB_PORT_LINK_SPEED_EXT_SUPPORTED_F}},
      {"PortInfo", "LinkSpeedExtEnabled", {IB_PORT_LINK_SPEED_EXT_ENABLED_F}},

      {"PortInfoExtended", "CapMask", {IB_PORT_EXT_CAPMASK_F}},
      {"PortInfoExtended", "FECModeActive", {IB_PORT_EXT_FEC_MODE_ACTIVE_F}},
      {"PortInfoExtended", "FDRFECModeSupported", {IB_PORT_EXT_FDR_FEC_MODE_SUPPORTED_F}},
      {"PortInfoExtended", "FDRFECModeEnabled", {IB_PORT_EXT_FDR_FEC_MODE_ENABLED_F}},
      {"PortInfoExtended", "EDRFECModeSupported", {IB_PORT_EXT_EDR_FEC_MODE_SUPPORTED_F}},
      {"PortInfoExtended", "EDRFECModeEnabled", {IB_PORT_EXT_EDR_FEC_MODE_ENABLED_F}},

      {"MlnxExtPortInfo", "StateChangeEnable", {IB_MLNX_EXT_PORT_STATE_CHG_ENABLE_F}},
      {"MlnxExtPortInfo", "LinkSpeedSupported", {IB_MLNX_EXT_PORT_LINK_SPEED_SUPPORTED_F}},
      {"MlnxExtPortInfo", "LinkSpeedEnabled", {IB_MLNX_EXT_PORT_LINK_SPEED_ENABLED_F}},
      {"MlnxExtPortInfo", "LinkSpeedActive", {IB_MLNX_EXT_PORT_LINK_SPEED_ACTIVE_F}},

      {"Notice", "IsGeneric", {IB_NOTICE_IS_GENERIC_F}},
      {"Notice", "Type", {IB_NOTICE_TYPE_F}},
      {"Notice", "ProducerType", {IB_NOTICE_PRODUCER_F}},
      {"Notice", "TrapNumber", {IB_NOTICE_TRAP_NUMBER_F}},
      {"Notice", "IssuerLID", {IB_NOTICE_ISSUER_LID_F}},
      {"Notice", "NoticeToggle", {IB_NOTICE_TOGGLE_F}},
      {"Notice", "NoticeCount", {IB_NOTICE_COUNT_F}},
      {"Notice", "DataDetails", {IB_NOTICE_DATA_DETAILS_F}},

      {"SmInfo", "GUID", {IB_SMINFO_GUID_F}},
      {"SmInfo", "SM_Key", {IB_SMINFO_KEY_F}},
      {"SmInfo", "ActCount", {IB_SMINFO_ACT_F}},
      {"SmInfo", "Priority", {IB_SMINFO_PRIO_F}},
      {"SmInfo", "SMState", {IB_SMINFO_STATE_F}},

      {"GuidInfo",
       "GUID",
       {IB_GI_GUID0_F, IB_GI_GUID1_F, IB_GI_GUID2_F, IB_GI_GUID3_F, IB_GI_GUID4_F, IB_GI_GUID5_F,
        IB_GI_GUID6_F, IB_GI_GUID7_F}},
      {"SlToVlTable", "VL", {IB_SLTOVL_MAPPING_TABLE_F}},
      {"VlArbitrationTable", "Entry", {IB_VL_ARBITRATION_TABLE_F}},
      {"LinearForwardingTable", "Port", {IB_LINEAR_FORW_TBL_F}},
      {"MulticastForwardingTable", "PortMask", {IB_MULTICAST_FORW_TBL_F}},

      {"SaHeader", "RMPPVersion", {IB_SA_RMPP_VERS_F}},
      {"SaHeader", "RMPPType", {IB_SA_RMPP_TYPE_F}},
      {"SaHeader", "RRespTime", {IB_SA_RMPP_RESP_F}},
      {"SaHeader", "RMPPFlags", {IB_SA_RMPP_FLAGS_F}},
      {"SaHeader", "RMPPStatus", {IB_SA_RMPP_STATUS_F}},
      {"SaHeader", "SegmentNumber", {IB_SA_RMPP_SEGNUM_F}},
      {"SaHeader", "PayloadLength", {IB_SA_RMPP_LEN_F}},
      {"SaHeader", "SM_Key", {IB_SA_MKEY_F}},
      {"SaHeader", "AttributeOffset", {IB_SA_ATTROFFS_F}},
      {"SaHeader", "ComponentMask", {IB_SA_COMPMASK_F}},
      {"PathRecord", "DGID", {IB_SA_PR_DGID_F}},
      {"PathRecord", "SGID", {IB_SA_PR_SGID_F}},
      {"PathRecord", "DLID", {IB_SA_PR_DLID_F}},
      {"PathRecord", "SLID", {IB_SA_PR_SLID_F}},
      {"PathRecord", "NumbPath", {IB_SA_PR_NPATH_F}},
      {"PathRecord", "SL", {IB_SA_PR_SL_F}},
      {"McMemberRecord", "MGID", {IB_SA_MCM_MGID_F}},
      {"McMemberRecord", "PortGID", {IB_SA_MCM_PORTGID_F}},
      {"McMemberRecord", "Q_Key", {IB_SA_MCM_QKEY_F}},
      {"McMemberRecord", "MLID", {IB_SA_MCM_MLID_F}},
      {"McMemberRecord", "SL", {IB_SA_MCM_SL_F}},
      {"McMemberRecord", "MTU", {IB_SA_MCM_MTU_F}},
      {"McMemberRecord", "Rate", {IB_SA_MCM_RATE_F}},
      {"McMemberRecord", "TClass", {IB_SA_MCM_TCLASS_F}},
      {"McMemberRecord", "P_Key", {IB_SA_MCM_PKEY_F}},
      {"McMemberRecord", "FlowLabel", {IB_SA_MCM_FLOW_LABEL_F}},
      {"McMemberRecord", "JoinState", {IB_SA_MCM_JOIN_STATE_F}},
      {"McMemberRecord", "ProxyJoin", {IB_SA_MCM_PROXY_JOIN_F}},
      {"MultiPathRecord", "NumbPath", {IB_SA_MP_NPATH_F}},
      {"MultiPathRecord", "SGIDCount", {IB_SA_MP_NSRC_F}},
      {"MultiPathRecord", "DGIDCount", {IB_SA_MP_NDEST_F}},
      {"ServiceRecord", "ServiceID", {IB_SA_SR_ID_F}},
      {"ServiceRecord", "ServiceGID", {IB_SA_SR_GID_F}},
      {"ServiceRecord", "ServiceP_Key", {IB_SA_SR_PKEY_F}},
      {"ServiceRecord", "ServiceLease", {IB_SA_SR_LEASE_F}},
      {"ServiceRecord", "ServiceKey", {IB_SA_SR_KEY_F}},
      {"ServiceRecord", "ServiceName", {IB_SA_SR_NAME_F}},
      {"ServiceRecord", "ServiceData", {IB_SA_SR_DATA_F}},
      {"ClassPortInfo", "BaseVersion", {IB_CPI_BASEVER_F}},
      {"ClassPortInfo", "ClassVersion", {IB_CPI_CLASSVER_F}},
      {"ClassPortInfo", "CapabilityMask", {IB_CPI_CAPMASK_F}},
      {"ClassPortInfo", "CapabilityMask2", {IB_CPI_CAPMASK2_F}},
      {"ClassPortInfo", "RespTimeValue", {IB_CPI_RESP_TIME_VALUE_F}},
      {"ClassPortInfo", "RedirectGID", {IB_CPI_REDIRECT_GID_F}},
      {"ClassPortInfo", "RedirectTC", {IB_CPI_REDIRECT_TC_F}},
      {"ClassPortInfo", "RedirectSL", {IB_CPI_REDIRECT_SL_F}},
      {"ClassPortInfo", "RedirectFL", {IB_CPI_REDIRECT_FL_F}},
      {"ClassPortInfo", "RedirectLID", {IB_CPI_REDIRECT_LID_F}},
      {"ClassPortInfo", "RedirectP_Key", {IB_CPI_REDIRECT_PKEY_F}},
      {"ClassPortInfo", "RedirectQP", {IB_CPI_REDIRECT_QP_F}},
      {"ClassPortInfo", "RedirectQ_Key", {IB_CPI_REDIRECT_QKEY_F}},
      {"ClassPortInfo", "TrapGID", {IB_CPI_TRAP_GID_F}},
      {"ClassPortInfo", "TrapTC", {IB_CPI_TRAP_TC_F}},
      {"ClassPortInfo", "TrapSL", {IB_CPI_TRAP_SL_F}},
      {"ClassPortInfo", "TrapFL", {IB_CPI_TRAP_FL_F}},
      {"ClassPortInfo", "TrapLID", {IB_CPI_TRAP_LID_F}},
      {"ClassPortInfo", "TrapP_Key", {IB_CPI_TRAP_PKEY_F}},
      {"ClassPortInfo", "TrapHL", {IB_CPI_TRAP_HL_F}},
      {"ClassPortInfo", "TrapQP", {IB_CPI_TRAP_QP_F}},
      {"ClassPortInfo", "TrapQ_Key", {IB_CPI_TRAP_QKEY_F}},

      {"PortCounters", "PortSelect", {IB_PC_PORT_SELECT_F}},
      {"PortCounters", "CounterSelect", {IB_PC_COUNTER_SELECT_F}},
      {"PortCounters", "SymbolErrorCounter", {IB_PC_ERR_SYM_F}},
      {"PortCounters", "LinkErrorRecoveryCounter", {IB_PC_LINK_RECOVERS_F}},
      {"PortCounters", "LinkDownedCounter", {IB_PC_LINK_DOWNED_F}},
      {"PortCounters", "PortRcvErrors", {IB_PC_ERR_RCV_F}},
      {"PortCounters", "PortRcvRemotePhysicalErrors", {IB_PC_ERR_PHYSRCV_F}},
      {"PortCounters", "PortRcvSwitchRelayErrors", {IB_PC_ERR_SWITCH_REL_F}},
      {"PortCounters", "PortXmitDiscards", {IB_PC_XMT_DISCARDS_F}},
      {"PortCounters", "PortXmitConstraintErrors", {IB_PC_ERR_XMTCONSTR_F}},
      {"PortCounters", "PortRcvConstraintErrors", {IB_PC_ERR_RCVCONSTR_F}},
      {"PortCounters", "CounterSelect2", {IB_PC_COUNTER_SELECT2_F}},
      {"PortCounters", "LocalLinkIntegrityErrors", {IB_PC_ERR_LOCALINTEG_F}},
      {"PortCounters", "ExcessiveBufferOverrunErrors", {IB_PC_ERR_EXCESS_OVR_F}},
      {"PortCounters", "VL15Dropped", {IB_PC_VL15_DROPPED_F}},
      {"PortCounters", "PortXmitData", {IB_PC_XMT_BYTES_F}},
      {"PortCounters", "PortRcvData", {IB_PC_RCV_BYTES_F}},
      {"PortCounters", "PortXmitPkts", {IB_PC_XMT_PKTS_F}},
      {"PortCounters", "PortRcvPkts", {IB_PC_RCV_PKTS_F}},
      {"PortCounters", "PortXmitWait", {IB_PC_XMT_WAIT_F}},

      {"PortCountersExtended", "PortSelect", {IB_PC_EXT_PORT_SELECT_F}},
      {"PortCountersExtended", "CounterSelect", {IB_PC_EXT_COUNTER_SELECT_F}},
      {"PortCountersExtended", "CounterSelect2", {IB_PC_EXT_COUNTER_SELECT2_F}},
      {"PortCountersExtended", "PortXmitData", {IB_PC_EXT_XMT_BYTES_F}},
      {"PortCountersExtended", "PortRcvData", {IB_PC_EXT_RCV_BYTES_F}},
      {"PortCountersExtended", "PortXmitPkts", {IB_PC_EXT_XMT_PKTS_F}},
      {"PortCountersExtended", "PortRcvPkts", {IB_PC_EXT_RCV_PKTS_F}},
      {"PortCountersExtended", "PortUnicastXmitPkts", {IB_PC_EXT_XMT_UPKTS_F}},
      {"PortCountersExtended", "PortUnicastRcvPkts", {IB_PC_EXT_RCV_UPKTS_F}},
      {"PortCountersExtended", "PortMulticastXmitPkts", {IB_PC_EXT_XMT_MPKTS_F}},
      {"PortCountersExtended", "PortMulticastRcvPkts", {IB_PC_EXT_RCV_MPKTS_F}},
      {"PortCountersExtended", "SymbolErrorCounter", {IB_PC_EXT_ERR_SYM_F}},
      {"PortCountersExtended", "LinkErrorRecoveryCounter", {IB_PC_EXT_LINK_RECOVERS_F}},
      {"PortCountersExtended", "LinkDownedCounter", {IB_PC_EXT_LINK_DOWNED_F}},
      {"PortCountersExtended", "PortRcvErrors", {IB_PC_EXT_ERR_RCV_F}},
      {"PortCountersExtended", "PortRcvRemotePhysicalErrors", {IB_PC_EXT_ERR_PHYSRCV_F}},
      {"PortCountersExtended", "PortRcvSwitchRelayErrors", {IB_PC_EXT_ERR_SWITCH_REL_F}},
      {"PortCountersExtended", "PortXmitDiscards", {IB_PC_EXT_XMT_DISCARDS_F}},
      {"PortCountersExtended", "PortXmitConstraintErrors", {IB_PC_EXT_ERR_XMTCONSTR_F}},
      {"PortCountersExtended", "PortRcvConstraintErrors", {IB_PC_EXT_ERR_RCVCONSTR_F}},
      {"PortCountersExtended", "LocalLinkIntegrityErrors", {IB_PC_EXT_ERR_LOCALINTEG_F}},
      {"PortCountersExtended", "ExcessiveBufferOverrunErrors", {IB_PC_EXT_ERR_EXCESS_OVR_F}},
      {"PortCountersExtended", "VL15Dropped", {IB_PC_EXT_VL15_DROPPED_F}},
      {"PortCountersExtended", "PortXmitWait", {IB_PC_EXT_XMT_WAIT_F}},
      {"PortCountersExtended", "QP1Dropped", {IB_PC_EXT_QP1_DROP_F}},

      {"RcvErrorDetails", "PortSelect", {IB_PC_PORT_SELECT_F}},
      {"RcvErrorDetails", "CounterSelect", {IB_PC_COUNTER_SELECT_F}},
      {"RcvErrorDetails", "PortLocalPhysicalErrors", {IB_PC_RCV_LOCAL_PHY_ERR_F}},
      {"RcvErrorDetails", "PortMalformedPacketErrors", {IB_PC_RCV_MALFORMED_PKT_ERR_F}},
      {"RcvErrorDetails", "PortBufferOverrunErrors", {IB_PC_RCV_BUF_OVR_ERR_F}},
      {"RcvErrorDetails", "PortDLIDMappingErrors", {IB_PC_RCV_DLID_MAP_ERR_F}},
      {"RcvErrorDetails", "PortVLMappingErrors", {IB_PC_RCV_VL_MAP_ERR_F}},
      {"RcvErrorDetails", "PortLoopingErrors", {IB_PC_RCV_LOOPING_ERR_F}},

      {"XmitDiscardDetails", "PortSelect", {IB_PC_PORT_SELECT_F}},
      {"XmitDiscardDetails", "CounterSelect", {IB_PC_COUNTER_SELECT_F}},
      {"XmitDiscardDetails", "PortInactiveDiscards", {IB_PC_XMT_INACT_DISC_F}},
      {"XmitDiscardDetails", "PortNeighborMTUDiscards", {IB_PC_XMT_NEIGH_MTU_DISC_F}},
      {"XmitDiscardDetails", "PortSwLifetimeLimitDiscards", {IB_PC_XMT_SW_LIFE_DISC_F}},
      {"XmitDiscardDetails", "PortSwHOQLifetimeLimitDiscards", {IB_PC_XMT_SW_HOL_DISC_F}},

      {"PairCounters", "PortSelect", {IB_PC_PORT_SELECT_F}},
      {"PairCounters", "CounterSelect", {IB_PC_COUNTER_SELECT_F}},
      {"PairCounters", "PortOpRcvPkts or PortXmitFlowPkts", {IB_PC_PORT_OP_RCV_PKTS_F}},
      {"PairCounters", "PortOpRcvPkts or PortXmitFlowPkts", {IB_PC_PORT_XMIT_FLOW_PKTS_F}},
      {"PairCounters", "PortOpRcvData or PortRcvFlowPkts", {IB_PC_PORT_OP_RCV_DATA_F}},
      {"PairCounters", "PortOpRcvData or PortRcvFlowPkts", {IB_PC_PORT_RCV_FLOW_PKTS_F}},

      {"LaneCounters", "PortSelect", {IB_PC_PORT_SELECT_F}},
      {"LaneCounters", "CounterSelect", {IB_PC_COUNTER_SELECT_F}},
      {"LaneCounters", "PortVLOpPackets or PortVLXmitWait", each_lane(IB_PC_PORT_VL_OP_PACKETS0_F)},
      {"LaneCounters", "PortVLOpPackets or PortVLXmitWait", each_lane(IB_PC_PORT_VL_XMIT_WAIT0_F)},
      {"LaneData", "PortSelect", {IB_PC_PORT_SELECT_F}},
      {"LaneData", "CounterSelect", {IB_PC_COUNTER_SELECT_F}},
      {"LaneData", "PortVLOpData", each_lane(IB_PC_PORT_VL_OP_DATA0_F)},
      {"LaneErrors", "PortSelect", {IB_PC_PORT_SELECT_F}},
      {"LaneErrors", "CounterSelect", {IB_PC_COUNTER_SELECT_F}},
      {"LaneErrors", "PortVLXmitFlowCtlUpdateErrors",
       each_lane(IB_PC_PORT_VL_XMIT_FLOW_CTL_UPDATE_ERRORS0_F)},
  };
  return kMappings;
}

}  // namespace weft::mad
