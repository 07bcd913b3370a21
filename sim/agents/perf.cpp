// Performance management, class 4: a port's counters, told and set. PortSelect 255 stands for all ports: sums
// are told, and a Set goes to each. Samples are not modelled. Source: IBTA vol. 1, 16.1.
#include "mad/perf.h"

#include <algorithm>
#include <limits>

#include "mad/class_port_info.h"
#include "sim/agents/agents.h"

namespace weft::sim {
namespace {

using mad::PerfAttr;
using mad::Status;

constexpr unsigned kSelect2 = 16;  // bits from here on are CounterSelect2's
constexpr std::uint64_t kNibble = 15;

struct PerfCall {
  World& world;
  std::vector<PortIndex> ports;
  bool set;
  std::span<std::uint8_t> data;
};

/// Calls `see(counter, field, select bit, largest value)` for each field.
template <typename See>
void each(mad::PortCounters& c, See see) {
  see(PerfCounter::symbol_errors, c.symbol_errors, 0u);
  see(PerfCounter::link_recoveries, c.link_recoveries, 1u);
  see(PerfCounter::link_downed, c.link_downed, 2u);
  see(PerfCounter::rcv_errors, c.rcv_errors, 3u);
  see(PerfCounter::rcv_remote_physical_errors, c.rcv_remote_physical_errors, 4u);
  see(PerfCounter::rcv_switch_relay_errors, c.rcv_switch_relay_errors, 5u);
  see(PerfCounter::xmit_discards, c.xmit_discards, 6u);
  see(PerfCounter::xmit_constraint_errors, c.xmit_constraint_errors, 7u);
  see(PerfCounter::rcv_constraint_errors, c.rcv_constraint_errors, 8u);
  see(PerfCounter::local_integrity_errors, c.local_integrity_errors, 9u, kNibble);
  see(PerfCounter::buffer_overruns, c.buffer_overruns, 10u, kNibble);
  see(PerfCounter::vl15_dropped, c.vl15_dropped, 11u);
  see(PerfCounter::xmit_data, c.xmit_data, 12u);
  see(PerfCounter::rcv_data, c.rcv_data, 13u);
  see(PerfCounter::xmit_packets, c.xmit_packets, 14u);
  see(PerfCounter::rcv_packets, c.rcv_packets, 15u);
  see(PerfCounter::xmit_wait, c.xmit_wait, kSelect2);
  see(PerfCounter::qp1_dropped, c.qp1_dropped, kSelect2 + 1);
}
template <typename See>
void each(mad::PortCountersExtended& c, See see) {
  see(PerfCounter::xmit_data, c.xmit_data, 0u);
  see(PerfCounter::rcv_data, c.rcv_data, 1u);
  see(PerfCounter::xmit_packets, c.xmit_packets, 2u);
  see(PerfCounter::rcv_packets, c.rcv_packets, 3u);
  see(PerfCounter::multicast_xmit_packets, c.multicast_xmit_packets, 6u);
  see(PerfCounter::multicast_rcv_packets, c.multicast_rcv_packets, 7u);
  see(PerfCounter::symbol_errors, c.symbol_errors, kSelect2);
  see(PerfCounter::link_recoveries, c.link_recoveries, kSelect2 + 1);
  see(PerfCounter::link_downed, c.link_downed, kSelect2 + 2);
  see(PerfCounter::rcv_errors, c.rcv_errors, kSelect2 + 3);
  see(PerfCounter::rcv_remote_physical_errors, c.rcv_remote_physical_errors, kSelect2 + 4);
  see(PerfCounter::rcv_switch_relay_errors, c.rcv_switch_relay_errors, kSelect2 + 5);
  see(PerfCounter::xmit_discards, c.xmit_discards, kSelect2 + 6);
  see(PerfCounter::xmit_constraint_errors, c.xmit_constraint_errors, kSelect2 + 7);
  see(PerfCounter::rcv_constraint_errors, c.rcv_constraint_errors, kSelect2 + 8);
  see(PerfCounter::local_integrity_errors, c.local_integrity_errors, kSelect2 + 9);
  see(PerfCounter::buffer_overruns, c.buffer_overruns, kSelect2 + 10);
  see(PerfCounter::vl15_dropped, c.vl15_dropped, kSelect2 + 11);
  see(PerfCounter::xmit_wait, c.xmit_wait, kSelect2 + 12);
  see(PerfCounter::qp1_dropped, c.qp1_dropped, kSelect2 + 13);
}
template <typename See>
void each(mad::RcvErrorDetails& c, See see) {
  see(PerfCounter::local_physical_errors, c.local_physical_errors, 0u);
  see(PerfCounter::malformed_packets, c.malformed_packets, 1u);
  see(PerfCounter::rcv_buffer_overruns, c.buffer_overruns, 2u);
  see(PerfCounter::dlid_mapping_errors, c.dlid_mapping_errors, 3u);
  see(PerfCounter::vl_mapping_errors, c.vl_mapping_errors, 4u);
  see(PerfCounter::looping_errors, c.looping_errors, 5u);
}
template <typename See>
void each(mad::XmitDiscardDetails& c, See see) {
  see(PerfCounter::inactive_discards, c.inactive, 0u);
  see(PerfCounter::neighbor_mtu_discards, c.neighbor_mtu, 1u);
  see(PerfCounter::lifetime_discards, c.lifetime_limit, 2u);
  see(PerfCounter::hoq_lifetime_discards, c.hoq_lifetime_limit, 3u);
}

template <typename S>
bool selected(const S& asked, unsigned bit) {
  if (bit < kSelect2) return (asked.select >> bit & 1u) != 0;
  if constexpr (requires { asked.select2; })
    return (asked.select2 >> (bit - kSelect2) & 1u) != 0;
  else
    return false;
}

/// Unicast packets are what is not multicast.
void derive(mad::PortCountersExtended& told) {
  told.unicast_xmit_packets = told.xmit_packets - std::min(told.xmit_packets, told.multicast_xmit_packets);
  told.unicast_rcv_packets = told.rcv_packets - std::min(told.rcv_packets, told.multicast_rcv_packets);
}
template <typename S>
void derive(S&) {}

template <typename S>
void serve(PerfCall& call, auto each_field) {
  S told = mad::decode<S>(call.data);
  if (call.set)
    each_field(told, [&](PerfCounter counter, auto& field, unsigned bit, std::uint64_t = 0) {
      if (!selected(told, bit)) return;
      for (const PortIndex port : call.ports) call.world.perf().set(port, counter, field);
    });
  each_field(told, [&]<typename T>(PerfCounter counter, T& field, unsigned,
                                   std::uint64_t most = std::numeric_limits<T>::max()) {
    std::uint64_t sum = 0;
    for (const PortIndex port : call.ports) sum += call.world.perf().get(port, counter);
    field = static_cast<T>(std::min(sum, most));
  });
  derive(told);
  encode_into(call.data, told);
}

template <typename S>
void serve(PerfCall& call) {
  serve<S>(call, [](S& counters, auto see) { each(counters, see); });
}

void serve_pair(PerfCall& call, PerfCounter first, PerfCounter second) {
  serve<mad::PairCounters>(call, [first, second](mad::PairCounters& c, auto see) {
    see(first, c.first, 0u);
    see(second, c.second, 1u);
  });
}

/// A counter of each lane; bit n of CounterSelect is lane n's.
template <typename S>
void serve_lanes(PerfCall& call, LaneCounter counter, std::uint64_t most) {
  S told = mad::decode<S>(call.data);
  for (std::size_t lane = 0; lane < mad::kLanes; ++lane) {
    const Vl vl = static_cast<Vl>(lane);
    std::uint64_t sum = 0;
    for (const PortIndex port : call.ports) {
      if (call.set && (told.select >> lane & 1u) != 0)
        call.world.perf().set(port, counter, vl, told.lanes[lane]);
      sum += call.world.perf().get(port, counter, vl);
    }
    told.lanes[lane] = static_cast<typename decltype(told.lanes)::value_type>(std::min(sum, most));
  }
  encode_into(call.data, told);
}

std::vector<PortIndex> chosen_ports(const World& world, NodeIndex n, std::uint8_t select) {
  if (select != mad::kAllPorts) {
    const PortIndex port = world.port_of(n, static_cast<PortNum>(select));
    return port == kNoPort ? std::vector<PortIndex>{} : std::vector{port};
  }
  std::vector<PortIndex> ports;
  for (unsigned number = 1; number <= world.node(n).port_count; ++number)
    ports.push_back(world.port_of(n, static_cast<PortNum>(number)));
  return ports;
}

void class_port_info(std::span<std::uint8_t> data) {
  mad::ClassPortInfo info;
  info.capabilities =
      raw(mad::PerfCap::all_port_select) | raw(mad::PerfCap::extended_width) | raw(mad::PerfCap::xmit_wait);
  info.resp_time = 16;
  std::ranges::fill(data, std::uint8_t{0});
  encode_into(data, info);
}

Status served(World& world, PortIndex arrival, const mad::Header& header, std::span<std::uint8_t> data) {
  if (header.base_version != 1 || header.class_version != 1) return Status::bad_version;
  const bool set = header.method == mad::Method::set;
  if (!set && header.method != mad::Method::get) return Status::bad_method;
  const auto attribute = static_cast<PerfAttr>(raw(header.attribute));
  if (attribute == PerfAttr::class_port_info) {
    if (set) return Status::bad_method_attribute;
    class_port_info(data);
    return Status::ok;
  }
  const std::uint8_t select = mad::decode<mad::PairCounters>(data).port;  // it stands there in all of them
  PerfCall call{world, chosen_ports(world, world.port(arrival).node, select), set, data};
  const Status status = call.ports.empty() ? Status::bad_value : Status::ok;
  switch (attribute) {
    case PerfAttr::port_counters:
      if (status == Status::ok) serve<mad::PortCounters>(call);
      return status;
    case PerfAttr::port_counters_extended:
      if (status == Status::ok) serve<mad::PortCountersExtended>(call);
      return status;
    case PerfAttr::rcv_error_details:
      if (status == Status::ok) serve<mad::RcvErrorDetails>(call);
      return status;
    case PerfAttr::xmit_discard_details:
      if (status == Status::ok) serve<mad::XmitDiscardDetails>(call);
      return status;
    case PerfAttr::op_rcv_counters:
      if (status == Status::ok) serve_pair(call, PerfCounter::op_rcv_packets, PerfCounter::op_rcv_data);
      return status;
    case PerfAttr::flow_control_counters:
      if (status == Status::ok)
        serve_pair(call, PerfCounter::flow_xmit_packets, PerfCounter::flow_rcv_packets);
      return status;
    case PerfAttr::vl_op_packets:
      if (status == Status::ok) serve_lanes<mad::LaneCounters>(call, LaneCounter::packets, 0xffff);
      return status;
    case PerfAttr::vl_op_data:
      if (status == Status::ok) serve_lanes<mad::LaneData>(call, LaneCounter::data, 0xffffffff);
      return status;
    case PerfAttr::vl_flow_control_errors:
      if (status == Status::ok) serve_lanes<mad::LaneErrors>(call, LaneCounter::flow_control_errors, 3);
      return status;
    case PerfAttr::vl_xmit_wait:
      if (status == Status::ok) serve_lanes<mad::LaneCounters>(call, LaneCounter::xmit_wait, 0xffff);
      return status;
    default:
      return Status::bad_method_attribute;
  }
}

}  // namespace

void answer_perf(World& world, PortIndex arrival, mad::Header& header, mad::Mad& mad) {
  world.counters().add(world.port(arrival).node, header.mgmt_class, header.method, header.attribute);
  header.status = raw(served(world, arrival, header, std::span(mad.bytes).subspan(mad::kPerfDataAt)));
  header.method = mad::Method::get_resp;
}

}  // namespace weft::sim
