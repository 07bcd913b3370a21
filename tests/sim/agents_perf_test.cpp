// Performance management: what ports count, and what is told and set of it.
#include <gtest/gtest.h>

#include "mad/class_port_info.h"
#include "mad/perf.h"
#include "tests/sim/agents_lab.h"

namespace weft::sim {
namespace {

using mad::Method;
using mad::PerfAttr;
using mad::PortCounters;
using mad::PortCountersExtended;
using mad::Status;
using std::chrono::milliseconds;

class Perf : public AgentsLab {
 protected:
  Perf() { manage(); }
  mad::Mad asked(Method method, PerfAttr attribute, std::string_view node) {
    mad::Header header;
    header.mgmt_class = mad::MgmtClass::perf;
    header.method = method;
    header.attribute = static_cast<mad::AttrId>(raw(attribute));
    header.tid = 5;
    mad::Mad mad;
    encode_into(std::span<std::uint8_t>(mad.bytes), header);
    mad.address.lid = lab.lid_of(node);
    return mad;
  }
  Status send(const mad::Mad& mad) {
    sm.got.clear();
    lab.network.send(sm.client, mad);
    pass(milliseconds(1));
    EXPECT_EQ(sm.got.size(), 1u);
    if (sm.got.empty()) return Status::busy;
    EXPECT_EQ(mad::method_of(sm.got[0]), Method::get_resp);
    return static_cast<Status>(mad::header_of(sm.got[0]).status);
  }
  template <typename S>
  S of(Method method, PerfAttr attribute, std::string_view node, const S& value) {
    mad::Mad mad = asked(method, attribute, node);
    encode_into(std::span(mad.bytes).subspan(mad::kPerfDataAt), value);
    EXPECT_EQ(send(mad), Status::ok);
    return mad::decode<S>(std::span(sm.got[0].bytes).subspan(mad::kPerfDataAt));
  }
  PortCounters counters(std::string_view node, std::uint8_t port) {
    return of(Method::get, PerfAttr::port_counters, node, PortCounters{.port = port});
  }
  Status refused(PerfAttr attribute, std::uint8_t port, Method method = Method::get) {
    mad::Mad mad = asked(method, attribute, "s1");
    mad.bytes[mad::kPerfDataAt + 1] = port;
    return send(mad);
  }
  void clear() {
    for (std::uint32_t p = 0; p < lab.world.port_slots(); ++p) lab.world.perf().clear(PortIndex{p});
  }
};

TEST_F(Perf, TellsWhatItCanDo) {
  const auto info = of(Method::get, PerfAttr::class_port_info, "s1", mad::ClassPortInfo{});
  EXPECT_EQ(info.class_version, 1);
  EXPECT_TRUE(info.capabilities & raw(mad::PerfCap::all_port_select));
  EXPECT_TRUE(info.capabilities & raw(mad::PerfCap::extended_width));
}

TEST_F(Perf, CountsPacketsAndDataAtEachHop) {
  clear();
  EXPECT_EQ(counters("s1", 1).rcv_packets, 1u) << "the question itself";
  const PortCounters after = counters("s1", 1);
  EXPECT_EQ(after.rcv_packets, 2u);
  EXPECT_EQ(after.xmit_packets, 1u);
  EXPECT_EQ(after.rcv_data, 144u) << "72 words a MAD";
  EXPECT_EQ(counters("s0", 2).xmit_packets, 2u);
  EXPECT_EQ(counters("s1", 2).rcv_packets, 0u);
}

TEST_F(Perf, TellsTheSumOfAllPorts) {
  lab.world.perf().set(lab.port("s1", 2), PerfCounter::symbol_errors, 40000);
  lab.world.perf().set(lab.port("s1", 4), PerfCounter::symbol_errors, 2);
  EXPECT_EQ(counters("s1", mad::kAllPorts).symbol_errors, 40002);
  lab.world.perf().set(lab.port("s1", 4), PerfCounter::symbol_errors, 40000);
  EXPECT_EQ(counters("s1", mad::kAllPorts).symbol_errors, 0xffff) << "it stops at the largest value";
  const auto wide =
      of(Method::get, PerfAttr::port_counters_extended, "s1", PortCountersExtended{.port = mad::kAllPorts});
  EXPECT_EQ(wide.symbol_errors, 80000u);
}

TEST_F(Perf, SetsOnlyTheSelectedCounters) {
  const PortIndex port = lab.port("s1", 2);
  for (const PerfCounter counter :
       {PerfCounter::symbol_errors, PerfCounter::link_downed, PerfCounter::xmit_wait})
    lab.world.perf().set(port, counter, 7);
  PortCounters wanted{.port = 2, .select = 1, .symbol_errors = 3};
  auto told = of(Method::set, PerfAttr::port_counters, "s1", wanted);
  EXPECT_EQ(told.symbol_errors, 3);
  EXPECT_EQ(told.link_downed, 7);
  EXPECT_EQ(told.xmit_wait, 7u);
  wanted = {.port = 2, .select = 0xffff, .select2 = 1};
  told = of(Method::set, PerfAttr::port_counters, "s1", wanted);
  EXPECT_EQ(told.link_downed, 0);
  EXPECT_EQ(told.xmit_wait, 0u);
}

TEST_F(Perf, ClearsTheExtendedCountersOfAllPorts) {
  for (int port = 1; port <= 4; ++port)
    lab.world.perf().set(lab.port("s1", port), PerfCounter::xmit_data, 1ull << 40);
  EXPECT_EQ(counters("s1", 1).xmit_data, 0xffffffffu);
  PortCountersExtended wanted{.port = mad::kAllPorts, .select = 1};
  EXPECT_EQ(of(Method::set, PerfAttr::port_counters_extended, "s1", wanted).xmit_data, 0u);
  EXPECT_EQ(lab.world.perf().get(lab.port("s1", 3), PerfCounter::xmit_data), 0u);
}

TEST_F(Perf, TellsUnicastAsWhatIsNotMulticast) {
  const PortIndex port = lab.port("s1", 2);
  lab.world.perf().set(port, PerfCounter::xmit_packets, 10);
  lab.world.perf().set(port, PerfCounter::multicast_xmit_packets, 4);
  const auto told = of(Method::get, PerfAttr::port_counters_extended, "s1", PortCountersExtended{.port = 2});
  EXPECT_EQ(told.unicast_xmit_packets, 6u);
  EXPECT_EQ(told.multicast_xmit_packets, 4u);
}

TEST_F(Perf, CountsWhyPacketsEnd) {
  lab.entry("s0", Lid{77}, 255);
  lab.entry("s0", Lid{78}, 4);
  for (const int lid : {77, 78}) sm.send(to_lid(get(mad::AttrId::node_info, 0), static_cast<Lid>(lid)));
  pass(milliseconds(1));
  EXPECT_EQ(counters("s0", 3).rcv_switch_relay_errors, 1) << "entry 255, where it came in";
  EXPECT_EQ(counters("s0", 4).xmit_discards, 1) << "a port that is down";
  const auto details =
      of(Method::get, PerfAttr::xmit_discard_details, "s0", mad::XmitDiscardDetails{.port = 4});
  EXPECT_EQ(details.inactive, 1);
  EXPECT_EQ(
      of(Method::get, PerfAttr::rcv_error_details, "s0", mad::RcvErrorDetails{.port = 4}).looping_errors, 0);
}

TEST_F(Perf, CountsByLaneWhatIsNoSmp) {
  clear();
  for (int i = 0; i < 3; ++i) sm.send(to_lid(get(mad::AttrId::node_info, 0), lab.lid_of("s1")));
  pass(milliseconds(1));
  const auto packets = of(Method::get, PerfAttr::vl_op_packets, "s1", mad::LaneCounters{.port = 1});
  EXPECT_EQ(packets.lanes[0], 1) << "the question itself, but no SMP";
  EXPECT_EQ(std::ranges::count(packets.lanes, 0), 15);
  const auto data = of(Method::get, PerfAttr::vl_op_data, "s1", mad::LaneData{.port = mad::kAllPorts});
  EXPECT_EQ(data.lanes[0], 144u);
  EXPECT_EQ(of(Method::get, PerfAttr::op_rcv_counters, "s1", mad::PairCounters{.port = 1}).first, 3u);
  EXPECT_EQ(counters("s1", 1).rcv_packets, 7u);
}

TEST_F(Perf, SetsCountersOfTheSelectedLanesOnly) {
  const PortIndex port = lab.port("s1", 2);
  for (const int lane : {3, 4})
    for (unsigned n = 0; n < kLaneCounters; ++n)
      lab.world.perf().set(port, static_cast<LaneCounter>(n), Vl(lane), 2);
  mad::LaneErrors wanted{.port = 2, .select = 1 << 3};
  const auto errors = of(Method::set, PerfAttr::vl_flow_control_errors, "s1", wanted);
  EXPECT_EQ(errors.lanes[3], 0);
  EXPECT_EQ(errors.lanes[4], 2);
  mad::LaneCounters waits{.port = 2, .select = 1 << 15 | 1 << 4};
  waits.lanes[15] = 77;
  const auto told = of(Method::set, PerfAttr::vl_xmit_wait, "s1", waits);
  EXPECT_EQ(told.lanes[15], 77);
  EXPECT_EQ(told.lanes[4], 0);
  EXPECT_EQ(told.lanes[3], 2);
  EXPECT_EQ(lab.world.perf().get(port, LaneCounter::packets, Vl{4}), 2u) << "another attribute's";
}

TEST_F(Perf, StopsLaneCountersAtTheirLargestValue) {
  lab.world.perf().set(lab.port("s1", 2), LaneCounter::flow_control_errors, Vl{7}, 9);
  lab.world.perf().set(lab.port("s1", 2), LaneCounter::packets, Vl{7}, 70'000);
  EXPECT_EQ(of(Method::get, PerfAttr::vl_flow_control_errors, "s1", mad::LaneErrors{.port = 2}).lanes[7], 3);
  EXPECT_EQ(of(Method::get, PerfAttr::vl_op_packets, "s1", mad::LaneCounters{.port = 2}).lanes[7], 0xffff);
}

TEST_F(Perf, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(refused(PerfAttr::port_counters, 9), Status::bad_value);
  for (const auto attribute : {PerfAttr::vl_op_packets, PerfAttr::vl_op_data,
                               PerfAttr::vl_flow_control_errors, PerfAttr::vl_xmit_wait})
    EXPECT_EQ(refused(attribute, 9), Status::bad_value);
  EXPECT_EQ(refused(PerfAttr::samples_control, 1), Status::bad_method_attribute);
  EXPECT_EQ(refused(PerfAttr::samples_result, 1), Status::bad_method_attribute);
  EXPECT_EQ(refused(PerfAttr::class_port_info, 1, Method::set), Status::bad_method_attribute);
  EXPECT_EQ(refused(PerfAttr::port_counters, 1, Method::get_table), Status::bad_method);
  mad::Mad mad = asked(Method::get, PerfAttr::port_counters, "s1");
  mad.bytes[2] = 2;
  EXPECT_EQ(send(mad), Status::bad_version);
}

TEST_F(Perf, SaysNothingWhereTheAgentIsMute) {
  lab.world.set_mute(lab.node("s1"), Mute::agent);
  sm.got.clear();
  lab.network.send(sm.client, asked(Method::get, PerfAttr::class_port_info, "s1"));
  pass(milliseconds(1));
  EXPECT_TRUE(sm.got.empty());
}

}  // namespace
}  // namespace weft::sim
