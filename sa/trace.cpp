#include "sa/trace.h"

#include "mad/sa_records.h"
#include "sa/components.h"
#include "sa/paths.h"
#include "sa/sight.h"

namespace weft::sa {
namespace {

constexpr std::size_t kTraceSize = 48;                 // padded
constexpr std::uint64_t kTraceFrom = bit(3) | bit(5);  // SGID, SLID
constexpr std::uint64_t kTraceTo = bit(2) | bit(4);    // DGID, DLID

/// A node, and by which ports the path comes and goes.
struct Stop {
  NodeId node{};
  PortNum entry{};
  PortNum exit{};
};

std::vector<Stop> stops_of(fabric::PortRef from, const std::vector<plan::Hop>& hops) {
  std::vector<Stop> stops{{from.node, PortNum{0}, PortNum{0}}};
  for (const plan::Hop& hop : hops) {
    stops.back().exit = hop.out.port;
    stops.push_back({hop.in.node, hop.in.port, PortNum{0}});
  }
  return stops;
}

mad::TraceRecord record_of(const Context& context, const Sight& sight, const Stop& stop) {
  const fabric::Fabric& fabric = context.index.fabric();
  const fabric::Node& node = fabric.node(stop.node);
  const bool is_switch = fabric.is_switch(stop.node);
  const auto port_guid = [&](PortNum port) {
    return fabric.port({stop.node, is_switch ? PortNum{0} : port}).guid;
  };
  mad::TraceRecord record;
  record.gid_prefix = context.prefix;
  record.node_type = node.type;
  record.entry_port = stop.entry;
  record.exit_port = stop.exit;
  const PortNum any = stop.entry != PortNum{0} ? stop.entry : stop.exit;
  const End* end = context.index.find(fabric::PortRef{stop.node, is_switch ? PortNum{0} : any});
  if (end == nullptr || !sight.sees(*end)) return record;
  record.node = node.guid;
  record.chassis = node.system_guid;
  if (stop.entry != PortNum{0}) record.entry_guid = port_guid(stop.entry);
  if (stop.exit != PortNum{0}) record.exit_guid = port_guid(stop.exit);
  return record;
}

}  // namespace

Answer trace_records(const Request& request, const Context& context) {
  const std::uint64_t mask = request.sa.component_mask;
  if ((mask & kTraceFrom) == 0 || (mask & kTraceTo) == 0)
    return refusal(request, mad::sa_status::kInsufficientComponents);
  Request one = request;
  one.header.method = mad::Method::get;
  const Answer found = path_records(one, context);
  Answer answer;
  answer.method = mad::Method::get_table_resp;
  answer.attribute = mad::SaAttr::trace_record;
  answer.table = true;
  if (found.status == mad::sa_status::kNoRecords) return answer;
  if (found.status != 0) return refusal(request, found.status);
  const auto path = mad::decode<mad::PathRecord>(found.data);
  const End* from = context.index.find(path.slid);
  if (from == nullptr || context.index.find(path.dlid) == nullptr)
    return refusal(request, mad::sa_status::kInvalid);  // a group's
  const Result<std::vector<plan::Hop>> hops = plan::path(context.index.view(), from->port, path.dlid);
  if (!hops) return answer;
  const Sight sight(request, context);
  for (const Stop& stop : stops_of(from->port, *hops)) {
    answer.data.resize(answer.data.size() + kTraceSize);
    encode_into(std::span<std::uint8_t>(answer.data).last(kTraceSize), record_of(context, sight, stop));
  }
  answer.offset = kTraceSize / 8;
  return answer;
}

}  // namespace weft::sa
