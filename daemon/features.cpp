#include "daemon/features.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "base/link.h"
#include "base/words.h"
#include "config/opensm_table.h"
#include "config/schema.h"
#include "config/subnet_types.h"
#include "daemon/api.h"
#include "mad/notice.h"
#include "mad/sa.h"
#include "plan/overview.h"
#include "routing/engine.h"
#include "sa/served.h"
#include "transport/umad/umad_port.h"

namespace weft::daemon {
namespace {

using mad::AttrId;
using mad::MgmtClass;
using mad::PerfAttr;
using mad::SaAttr;
using mad::TrapNumber;

constexpr std::array kUsed{AttrId::node_description,  AttrId::node_info,
                           AttrId::switch_info,       AttrId::guid_info,
                           AttrId::port_info,         AttrId::pkey_table,
                           AttrId::sl_to_vl,          AttrId::vl_arbitration,
                           AttrId::linear_forwarding, AttrId::multicast_forwarding,
                           AttrId::sm_info,           AttrId::switch_port_state};
constexpr std::array kPerfUsed{PerfAttr::class_port_info, PerfAttr::port_counters,
                               PerfAttr::port_counters_extended};

std::string_view name_of(MgmtClass one) {
  switch (one) {
    case MgmtClass::subn_lid_routed:
      return "subnet management by LID";
    case MgmtClass::subn_directed:
      return "subnet management by directed route";
    case MgmtClass::subn_adm:
      return "subnet administration";
    case MgmtClass::perf:
      return "performance management";
  }
  return "?";
}

std::string_view name_of(SaAttr one) {
  switch (one) {
    case SaAttr::class_port_info:
      return "ClassPortInfo";
    case SaAttr::notice:
      return "Notice";
    case SaAttr::inform_info:
      return "InformInfo";
    case SaAttr::node_record:
      return "NodeRecord";
    case SaAttr::port_info_record:
      return "PortInfoRecord";
    case SaAttr::sl_to_vl_record:
      return "SLtoVLMappingTableRecord";
    case SaAttr::switch_info_record:
      return "SwitchInfoRecord";
    case SaAttr::lft_record:
      return "LinearForwardingTableRecord";
    case SaAttr::mft_record:
      return "MulticastForwardingTableRecord";
    case SaAttr::sm_info_record:
      return "SMInfoRecord";
    case SaAttr::link_record:
      return "LinkRecord";
    case SaAttr::guid_info_record:
      return "GUIDInfoRecord";
    case SaAttr::service_record:
      return "ServiceRecord";
    case SaAttr::pkey_table_record:
      return "P_KeyTableRecord";
    case SaAttr::path_record:
      return "PathRecord";
    case SaAttr::vl_arbitration_record:
      return "VLArbitrationTableRecord";
    case SaAttr::mc_member_record:
      return "MCMemberRecord";
    case SaAttr::trace_record:
      return "TraceRecord";
    case SaAttr::multi_path_record:
      return "MultiPathRecord";
    case SaAttr::inform_info_record:
      return "InformInfoRecord";
  }
  return "?";
}

std::string_view name_of(PerfAttr one) {
  switch (one) {
    case PerfAttr::class_port_info:
      return "ClassPortInfo";
    case PerfAttr::port_counters:
      return "PortCounters";
    case PerfAttr::port_counters_extended:
      return "PortCountersExtended";
    default:
      return "?";
  }
}

template <typename Items, typename ToText>
std::string joined(const Items& items, ToText to_text) {
  std::string text;
  for (const auto& item : items) text += fmt::format("{}{}", text.empty() ? "" : ", ", to_text(item));
  return text;
}

std::string methods_text(const std::vector<mad::Method>& methods) {
  return methods.empty() ? "asks only" : joined(methods, [](mad::Method one) { return mad::name(one); });
}

FeatureRow row_of_key(std::string what, std::string_view path) {
  const config::Key* key = config::find_key(path);
  return {std::move(what), fmt::format("{} (`{}`)", key->form, path)};
}

FeatureGroup fabrics() {
  FeatureGroup group{"Fabrics and routing", {}};
  group.rows.push_back(row_of_key("transports", "transport.kind"));
  group.rows.push_back(
      {"routing engines", joined(routing::engines(), [](const auto& one) { return one.name; })});
  group.rows.push_back({"shapes recognised", joined(std::array{routing::Kind::tree, routing::Kind::dragonfly,
                                                               routing::Kind::dragonfly_plus},
                                                    [](routing::Kind one) { return plan::name(one); })});
  group.rows.push_back({"speeds", joined(std::array{LinkSpeed::sdr, LinkSpeed::ddr, LinkSpeed::qdr,
                                                    LinkSpeed::fdr10, LinkSpeed::fdr, LinkSpeed::edr,
                                                    LinkSpeed::hdr, LinkSpeed::ndr, LinkSpeed::xdr},
                                         [](LinkSpeed one) { return name(one); })});
  group.rows.push_back({"widths", joined(std::array{LinkWidth::x1, LinkWidth::x2, LinkWidth::x4,
                                                    LinkWidth::x8, LinkWidth::x12},
                                         [](LinkWidth one) { return name(one); })});
  group.rows.push_back(
      {"MTUs", joined(std::array{Mtu::mtu256, Mtu::mtu512, Mtu::mtu1024, Mtu::mtu2048, Mtu::mtu4096},
                      [](Mtu one) { return bytes(one); })});
  return group;
}

FeatureGroup limits() {
  FeatureGroup group{"Limits", {}};
  group.rows.push_back({"LIDs", fmt::format("1 to {}", raw(kLidLastUnicast))});
  group.rows.push_back({"ports of a switch", fmt::format("up to {}", kMaxPorts)});
  group.rows.push_back({"subnets of one daemon", fmt::format("up to {}", config::kMostSubnets)});
  group.rows.push_back(row_of_key("LIDs to a port", "lids.lmc"));
  group.rows.push_back(row_of_key("routing in layers", "routing.layers"));
  return group;
}

FeatureGroup mads() {
  FeatureGroup group{"Management classes that it registers for", {}};
  for (const transport::Registration& one : transport::registrations())
    group.rows.push_back(
        {fmt::format("0x{:02x} {}", static_cast<int>(one.mgmt_class), name_of(one.mgmt_class)),
         methods_text(one.methods)});
  return group;
}

FeatureGroup devices() {
  FeatureGroup group{"Of devices", {}};
  group.rows.push_back({"subnet management", joined(kUsed, [](AttrId one) { return mad::name(one); })});
  group.rows.push_back(
      {"performance management", joined(kPerfUsed, [](PerfAttr one) { return name_of(one); })});
  group.rows.push_back(
      {"traps", joined(std::array{TrapNumber::link_state_changed, TrapNumber::link_integrity,
                                  TrapNumber::buffer_overrun, TrapNumber::flow_control_watchdog,
                                  TrapNumber::capability_changed, TrapNumber::system_guid_changed,
                                  TrapNumber::bad_m_key, TrapNumber::bad_pkey, TrapNumber::bad_qkey,
                                  TrapNumber::bad_pkey_at_switch},
                       [](TrapNumber one) { return raw(one); })});
  return group;
}

FeatureGroup administration() {
  FeatureGroup group{"Subnet administration: what hosts may ask", {}};
  for (const sa::Served& one : sa::served())
    group.rows.push_back(
        {fmt::format("0x{:04x} {}", raw(one.attribute), name_of(one.attribute)), methods_text(one.methods)});
  return group;
}

FeatureGroup around() {
  FeatureGroup group{"Around it", {}};
  group.rows.push_back({"configuration", fmt::format("{}: weft.yaml(5), docs/configuration.md",
                                                     counted(config::schema().size(), "key"))});
  const auto mapped = std::ranges::count_if(config::opensm_table(),
                                            [](const config::OpensmOption& one) { return !one.key.empty(); });
  group.rows.push_back({"of OpenSM's configuration",
                        fmt::format("{} options known, {} of them with a key here (`weftctl import opensm`)",
                                    config::opensm_table().size(), mapped)});
  ApiSource nothing;
  nothing.workers = nullptr;
  const Router router = make_api(std::move(nothing));
  std::set<std::string> paths;
  for (const Route& route : router.routes()) paths.insert(route.path);
  group.rows.push_back({"control API", fmt::format("{}: docs/openapi.yaml", counted(paths.size(), "path"))});
  return group;
}

}  // namespace

std::span<const AttrId> attributes_used() { return kUsed; }
std::span<const PerfAttr> perf_attributes_used() { return kPerfUsed; }

std::vector<FeatureGroup> features() {
  return {fabrics(), limits(), mads(), devices(), administration(), around()};
}

std::string features_text() {
  std::string text = "weftd " WEFT_VERSION "\n";
  for (const FeatureGroup& group : features()) {
    text += fmt::format("\n{}\n", group.title);
    for (const FeatureRow& row : group.rows) text += fmt::format("  {:<42}  {}\n", row.what, row.detail);
  }
  return text + "\nWhat is not there: docs/status.md.\n";
}

std::string features_markdown() {
  std::string text =
      "# What is supported\n\n"
      "Written from the program's own tables: `weftd --features` says the same of the one installed, and a "
      "test holds\n"
      "both against what is sent and answered. What is not there stands in [status](status.md).\n";
  for (const FeatureGroup& group : features()) {
    text += fmt::format("\n## {}\n\n| what | |\n|---|---|\n", group.title);
    for (const FeatureRow& row : group.rows) text += fmt::format("| {} | {} |\n", row.what, row.detail);
  }
  return text;
}

}  // namespace weft::daemon
