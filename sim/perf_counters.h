#pragma once
// PerfCounters: what the ports of a World have counted (performance management, class 4). Packets and data
// stand densely, since every hop counts; all else, lanes too, only where something was counted or set, so a
// quiet port costs 32 bytes.

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "sim/ids.h"

namespace weft::sim {

/// Data in words of 4 bytes. The first four stand densely.
enum class PerfCounter : std::uint8_t {
  xmit_data,
  rcv_data,
  xmit_packets,
  rcv_packets,
  multicast_xmit_packets,
  multicast_rcv_packets,
  symbol_errors,
  link_recoveries,
  link_downed,
  rcv_errors,
  rcv_remote_physical_errors,
  rcv_switch_relay_errors,
  xmit_discards,
  xmit_constraint_errors,
  rcv_constraint_errors,
  local_integrity_errors,
  buffer_overruns,
  qp1_dropped,
  vl15_dropped,
  xmit_wait,
  local_physical_errors,  // from here: details of rcv_errors
  malformed_packets,
  rcv_buffer_overruns,
  dlid_mapping_errors,
  vl_mapping_errors,
  looping_errors,
  inactive_discards,  // from here: details of xmit_discards
  neighbor_mtu_discards,
  lifetime_discards,
  hoq_lifetime_discards,
  op_rcv_packets,
  op_rcv_data,
  flow_xmit_packets,
  flow_rcv_packets,
};
inline constexpr std::size_t kCounters = 34;

/// What is counted for each lane. The first two are of packets received that are no SMPs.
enum class LaneCounter : std::uint8_t { packets, data, flow_control_errors, xmit_wait };
inline constexpr unsigned kLaneCounters = 4;
inline constexpr std::size_t kDenseCounters = 4;

class PerfCounters {
 public:
  explicit PerfCounters(std::size_t ports) : dense_(ports) {}

  std::uint64_t get(PortIndex port, PerfCounter counter) const {
    if (at(counter) < kDenseCounters) return dense_[raw(port)][at(counter)];
    const auto found = sparse_.find(port);
    return found == sparse_.end() ? 0 : found->second[at(counter) - kDenseCounters];
  }
  void set(PortIndex port, PerfCounter counter, std::uint64_t value) { slot(port, counter) = value; }
  void add(PortIndex port, PerfCounter counter, std::uint64_t more = 1) { slot(port, counter) += more; }
  /// A packet of `words` words goes from one port of a link to the other.
  void count_hop(PortIndex out, PortIndex in, std::uint64_t words) {
    auto& sent = dense_[raw(out)];
    sent[at(PerfCounter::xmit_data)] += words;
    ++sent[at(PerfCounter::xmit_packets)];
    auto& received = dense_[raw(in)];
    received[at(PerfCounter::rcv_data)] += words;
    ++received[at(PerfCounter::rcv_packets)];
  }
  std::uint64_t get(PortIndex port, LaneCounter counter, Vl vl) const {
    const auto found = lanes_.find(key(port, counter));
    return found == lanes_.end() ? 0 : found->second[raw(vl)];
  }
  void set(PortIndex port, LaneCounter counter, Vl vl, std::uint64_t value) {
    lanes_[key(port, counter)][raw(vl)] = value;
  }
  /// A data packet of `words` words has come in on a lane.
  void count_lane(PortIndex in, Vl vl, std::uint64_t words) {
    ++lanes_[key(in, LaneCounter::packets)][raw(vl)];
    lanes_[key(in, LaneCounter::data)][raw(vl)] += words;
    add(in, PerfCounter::op_rcv_packets);
    add(in, PerfCounter::op_rcv_data, words);
  }
  void clear(PortIndex port) {
    dense_[raw(port)] = {};
    sparse_.erase(port);
    for (unsigned n = 0; n < kLaneCounters; ++n) lanes_.erase(key(port, static_cast<LaneCounter>(n)));
  }

 private:
  static constexpr std::uint64_t key(PortIndex port, LaneCounter counter) {
    return std::uint64_t{raw(port)} * kLaneCounters + static_cast<unsigned>(counter);
  }
  static constexpr std::size_t at(PerfCounter counter) { return static_cast<std::size_t>(counter); }
  std::uint64_t& slot(PortIndex port, PerfCounter counter) {
    return at(counter) < kDenseCounters ? dense_[raw(port)][at(counter)]
                                        : sparse_[port][at(counter) - kDenseCounters];
  }

  std::vector<std::array<std::uint64_t, kDenseCounters>> dense_;
  std::map<PortIndex, std::array<std::uint64_t, kCounters - kDenseCounters>> sparse_;
  std::map<std::uint64_t, std::array<std::uint64_t, 16>> lanes_;  // by key(), then lane
};

}  // namespace weft::sim
