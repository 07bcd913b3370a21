// The part of libibumad's interface that makes text: names of numbers, and dumps.

#include <arpa/inet.h>
#include <infiniband/umad.h>
#include <infiniband/umad_str.h>
#include <infiniband/umad_types.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>

namespace {

struct Name {
  int number;
  const char* text;
};

template <std::size_t N>
const char* name_in(const Name (&names)[N], int number, const char* otherwise) {
  for (const Name& name : names)
    if (name.number == number) return name.text;
  return otherwise;
}

constexpr Name kClasses[] = {
    {0x01, "Subn"},    {0x81, "SubnDirectedRoute"},
    {0x03, "SubnAdm"}, {0x04, "Perf"},
    {0x05, "BM"},      {0x06, "DevMgt"},
    {0x07, "ComMgt"},  {0x08, "SNMP"},
    {0x10, "DevAdm"},  {0x11, "BootMgt"},
    {0x12, "BIS"},     {0x21, "CongestionControl"},
};
constexpr Name kMethods[] = {
    {0x01, "Get"},  {0x02, "Set"},    {0x81, "GetResp"},    {0x03, "Send"},
    {0x05, "Trap"}, {0x06, "Report"}, {0x86, "ReportResp"}, {0x07, "TrapRepress"},
};
constexpr Name kSaMethods[] = {
    {0x12, "GetTable"},     {0x92, "GetTableResp"}, {0x13, "GetTraceTable"}, {0x14, "GetMulti"},
    {0x94, "GetMultiResp"}, {0x15, "Delete"},       {0x95, "DeleteResp"},
};
constexpr Name kGeneralAttributes[] = {{0x01, "ClassPortInfo"}, {0x02, "Notice"}, {0x03, "InformInfo"}};
constexpr Name kSmAttributes[] = {
    {0x10, "NodeDescription"},
    {0x11, "NodeInfo"},
    {0x12, "SwitchInfo"},
    {0x14, "GUIDInfo"},
    {0x15, "PortInfo"},
    {0x16, "P_KeyTable"},
    {0x17, "SLtoVLMappingTable"},
    {0x18, "VLArbitrationTable"},
    {0x19, "LinearForwardingTable"},
    {0x1a, "RandomForwardingTable"},
    {0x1b, "MulticastForwardingTable"},
    {0x1c, "LinkSpeedWidthPairsTable"},
    {0x20, "SMInfo"},
    {0x30, "VendorDiag"},
    {0x31, "LedInfo"},
    {0x32, "CableInfo"},
    {0x33, "PortInfoExtended"},
};
constexpr Name kSaAttributes[] = {
    {0x11, "NodeRecord"},
    {0x12, "PortInfoRecord"},
    {0x13, "SLtoVLMappingTableRecord"},
    {0x14, "SwitchInfoRecord"},
    {0x15, "LinearForwardingTableRecord"},
    {0x16, "RandomForwardingTableRecord"},
    {0x17, "MulticastForwardingTableRecord"},
    {0x18, "SMInfoRecord"},
    {0x19, "LinkSpeedWidthPairsTableRecord"},
    {0x20, "LinkRecord"},
    {0x30, "GuidInfoRecord"},
    {0x31, "ServiceRecord"},
    {0x33, "P_KeyTableRecord"},
    {0x35, "PathRecord"},
    {0x36, "VLArbitrationTableRecord"},
    {0x38, "MCMemberRecord"},
    {0x39, "TraceRecord"},
    {0x3a, "MultiPathRecord"},
    {0x3b, "ServiceAssociationRecord"},
    {0xf3, "InformInfoRecord"},
};
constexpr Name kStatuses[] = {
    {0x04, "Bad version"},
    {0x08, "Method not supported"},
    {0x0c, "Method/attribute combination not supported"},
    {0x1c, "Invalid attribute field(s) or modifier"},
};
constexpr Name kSaStatuses[] = {
    {0, "Success"},          {1, "No resources"}, {2, "Request invalid"},         {3, "No records"},
    {4, "Too many records"}, {5, "Invalid GID"},  {6, "Insufficient components"}, {7, "Request denied"},
};

}  // namespace

extern "C" {

const char* umad_class_str(std::uint8_t mgmt_class) {
  if (mgmt_class >= 0x09 && mgmt_class <= 0x0f) return "Vendor";
  if (mgmt_class >= 0x30 && mgmt_class <= 0x4f) return "Vendor (with OUI)";
  return name_in(kClasses, mgmt_class, "<unknown>");
}

const char* umad_method_str(std::uint8_t mgmt_class, std::uint8_t method) {
  if (mgmt_class == 0x03)
    if (const char* name = name_in(kSaMethods, method, nullptr)) return name;
  return name_in(kMethods, method, "<unknown>");
}

const char* umad_attribute_str(std::uint8_t mgmt_class, __be16 attr_id) {
  const int number = ntohs(attr_id);
  if (const char* name = name_in(kGeneralAttributes, number, nullptr)) return name;
  if (mgmt_class == 0x03) return name_in(kSaAttributes, number, "<unknown>");
  if (mgmt_class == 0x01 || mgmt_class == 0x81) return name_in(kSmAttributes, number, "<unknown>");
  return "<unknown>";
}

const char* umad_common_mad_status_str(__be16 status) {
  const int number = ntohs(status);
  if ((number & 0x1) != 0) return "Busy";
  if ((number & 0x2) != 0) return "Redirection required";
  return name_in(kStatuses, number & 0x1c, (number & 0x1c) == 0 ? "Success" : "<unknown>");
}

const char* umad_sa_mad_status_str(__be16 status) {
  return name_in(kSaStatuses, ntohs(status) >> 8, "<unknown>");
}

int umad_debug(int level) {
  static int now = 0;
  if (level >= 0) now = level;
  return now;
}

void umad_addr_dump(ib_mad_addr_t* addr) {
  std::fprintf(stderr, "lid %u qpn 0x%x qkey 0x%x sl %u path_bits %u pkey_index %u", ntohs(addr->lid),
               ntohl(addr->qpn), ntohl(addr->qkey), addr->sl, addr->path_bits, addr->pkey_index);
  if (addr->grh_present != 0) {
    std::fprintf(stderr, " gid_index %u hop_limit %u traffic_class %u flow_label 0x%x gid 0x",
                 addr->gid_index, addr->hop_limit, addr->traffic_class, ntohl(addr->flow_label));
    for (const std::uint8_t byte : addr->gid) std::fprintf(stderr, "%02x", byte);
  }
  std::fputc('\n', stderr);
}

void umad_dump(void* umad) {
  auto* mad = static_cast<ib_user_mad*>(umad);
  std::fprintf(stderr, "agent %u status %u timeout %u ms\n", mad->agent_id, mad->status, mad->timeout_ms);
  umad_addr_dump(&mad->addr);
}

}  // extern "C"
