#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "mad/class_port_info.h"
#include "mad/sa_records.h"
#include "sa/aliases.h"
#include "sa/inform.h"
#include "sa/multicast.h"
#include "sa/paths.h"
#include "sa/records.h"
#include "sa/served.h"
#include "sa/services.h"
#include "sa/tables.h"
#include "sa/trace.h"

namespace weft::sa {
namespace {

using mad::Method;
using mad::SaAttr;

/// Attributes that are asked for by Get and GetTable alone.
struct Table {
  SaAttr attribute;
  std::size_t size;
  Components components;
  void (*produce)(const Context&, Collector&);
  bool trusted_only = false;
};
constexpr std::array kTables = {
    Table{SaAttr::node_record, 108, kNodeRecord, node_records},
    Table{SaAttr::port_info_record, 68, kPortInfoRecord, port_info_records},
    Table{SaAttr::switch_info_record, 24, kSwitchInfoRecord, switch_info_records},
    Table{SaAttr::lft_record, 72, kLftRecord, lft_records},
    Table{SaAttr::mft_record, 72, kMftRecord, mft_records},
    Table{SaAttr::sm_info_record, 25, kSmInfoRecord, sm_info_records},
    Table{SaAttr::link_record, 6, kLinkRecord, link_records},
    Table{SaAttr::guid_info_record, 72, kGuidInfoRecord, guid_info_records},
    Table{SaAttr::service_record, 176, kServiceRecord, service_records},
    Table{SaAttr::inform_info_record, 60, kInformInfoRecord, inform_info_records},
    Table{SaAttr::mc_member_record, 52, kMcMemberRecord, mc_member_records},
    Table{SaAttr::sl_to_vl_record, 16, kSlToVlRecord, sl_to_vl_records},
    Table{SaAttr::vl_arbitration_record, 72, kVlArbitrationRecord, vl_arbitration_records},
    Table{SaAttr::pkey_table_record, 72, kPkeyTableRecord, pkey_table_records, true},
};

/// The others, and the methods beyond Get and GetTable.
struct Special {
  SaAttr attribute;
  Method method;
  Answer (*answer)(const Request&, const Context&);
};
constexpr std::array kSpecials = {
    Special{SaAttr::class_port_info, Method::get, class_port_info},
    Special{SaAttr::path_record, Method::get, path_records},
    Special{SaAttr::path_record, Method::get_table, path_records},
    Special{SaAttr::path_record, Method::get_trace_table, trace_records},
    Special{SaAttr::multi_path_record, Method::get_multi, multi_path_records},
    Special{SaAttr::service_record, Method::set, set_service},
    Special{SaAttr::service_record, Method::delete_, delete_service},
    Special{SaAttr::guid_info_record, Method::set, set_guids},
    Special{SaAttr::guid_info_record, Method::delete_, delete_guids},
    Special{SaAttr::inform_info, Method::set, set_inform_info},
    Special{SaAttr::mc_member_record, Method::set, join_group},
    Special{SaAttr::mc_member_record, Method::delete_, leave_group},
};

bool known(Method method) {
  constexpr std::array kKnown = {
      Method::get,       Method::set,     Method::get_table, Method::get_trace_table,
      Method::get_multi, Method::delete_, Method::report};
  return std::ranges::find(kKnown, method) != kKnown.end();
}

/// A Set is answered as a Get, a trace as a table, every other method with itself and the R bit.
Method response_to(Method method) {
  if (method == Method::set) return Method::get_resp;
  if (method == Method::get_trace_table) return Method::get_table_resp;
  return static_cast<Method>(raw(method) | 0x80);
}

}  // namespace

bool is_known(SaAttr attribute) {
  return std::ranges::any_of(kTables, [=](const Table& table) { return table.attribute == attribute; }) ||
         std::ranges::any_of(kSpecials,
                             [=](const Special& special) { return special.attribute == attribute; });
}

std::vector<Served> served() {
  std::map<SaAttr, std::set<Method>> all;
  for (const Table& table : kTables) all[table.attribute].insert({Method::get, Method::get_table});
  for (const Special& special : kSpecials) all[special.attribute].insert(special.method);
  std::vector<Served> list;
  for (const auto& [attribute, methods] : all) list.push_back({attribute, {methods.begin(), methods.end()}});
  return list;
}

Answer refusal(const Request& request, std::uint16_t status) {
  Answer answer;
  answer.status = status;
  answer.method = response_to(request.header.method);
  answer.attribute = static_cast<SaAttr>(request.header.attribute);
  if (answer.attribute == SaAttr::multi_path_record) answer.attribute = SaAttr::path_record;
  const bool table = answer.method == Method::get_table_resp;
  answer.offset = table ? std::uint16_t{0} : request.sa.attribute_offset;
  const std::size_t length = std::min(request.data.size(), mad::kSaDataSize);
  answer.data.assign(request.data.begin(), request.data.begin() + static_cast<std::ptrdiff_t>(length));
  return answer;
}

Answer class_port_info(const Request& request, const Context&) {
  constexpr std::uint16_t kUdMulticast = 1u << 9;
  constexpr std::uint16_t kMultiPath = 1u << 10;
  constexpr std::uint16_t kPortInfoMaskMatch = 1u << 13;
  constexpr std::uint32_t kAliasGuids = 1u << 5;
  constexpr std::uint32_t kFullPortInfo = 1u << 6;
  constexpr std::uint32_t kExtendedSpeeds = 1u << 7;
  constexpr std::uint32_t kPortInfoMask2Match = 1u << 10;
  constexpr std::uint32_t kSendOnlyFull = 1u << 12;
  constexpr std::uint32_t kWidth2xHdrNdr = 1u << 13 | 1u << 15 | 1u << 17;
  mad::ClassPortInfo info;
  info.class_version = mad::kSaVersion;
  info.capabilities = kUdMulticast | kMultiPath | kPortInfoMaskMatch;
  info.capabilities2 =
      kAliasGuids | kFullPortInfo | kExtendedSpeeds | kPortInfoMask2Match | kSendOnlyFull | kWidth2xHdrNdr;
  info.resp_time = 16;
  info.redirect_qp = 1;
  info.redirect_qkey = mad::kGsiQkey;
  info.trap_qkey = mad::kGsiQkey;
  Answer answer;
  answer.attribute = static_cast<SaAttr>(request.header.attribute);
  answer.data.resize(72);
  encode_into(std::span<std::uint8_t>(answer.data), info);
  return answer;
}

Answer answer(const Request& request, const Context& context) {
  const auto attribute = static_cast<SaAttr>(request.header.attribute);
  const Method method = request.header.method;
  if (request.header.base_version != 1 || request.header.class_version != mad::kSaVersion)
    return refusal(request, raw(mad::Status::bad_version));
  if (!known(method)) return refusal(request, raw(mad::Status::bad_method));
  for (const Special& special : kSpecials)
    if (special.attribute == attribute && special.method == method) return special.answer(request, context);
  if (method == Method::get || method == Method::get_table)
    for (const Table& table : kTables)
      if (table.attribute == attribute) {
        if (table.trusted_only && !request.trusted) return refusal(request, mad::sa_status::kInvalid);
        Collector records(request, context, table.size, table.components);
        table.produce(context, records);
        return std::move(records).finish();
      }
  return refusal(request, raw(mad::Status::bad_method_attribute));
}

}  // namespace weft::sa
