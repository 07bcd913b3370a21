// The same seed gives the same bytes: a recording of three programs on a fabric where everything that depends
// on chance is switched on, against the hash of the one that both compilers made.
#include <gtest/gtest.h>

#include "mad/adaptive_routing.h"
#include "mad/perf.h"
#include "sim/faults/script.h"
#include "sim/recorder.h"
#include "tests/sim/fabrics.h"

namespace weft::sim {
namespace {

using mad::AttrId;
using std::chrono::milliseconds;

/// Every verb that draws lots, and every loss, delay and order that is drawn.
constexpr const char* kTroubles = R"(steps:
  - everywhere: {loss: 3%, exchange-loss: 5%, duplicates: 10%, reordered: 20%, by: 3ms}
  - delay: {nodes: "s*", pick: 30%, by: 700us}
  - lose: {nodes: "*", pick: 2, rate: 20%, what: answer}
  - link: {cables: "@trunks", pick: 2, delay: 50us, loss: 10%}
  - {at: 20ms, flap: {cables: "@trunks", pick: 1, period: 15ms, down: 4ms, times: 4}}
  - {at: 25ms, storm: {nodes: "@switches", pick: 3, trap: 129, times: 5, every: 2ms}}
  - {at: 30ms, mute: {nodes: "s*", pick: 1, for: 10ms}}
  - {at: 40ms, cut: {cables: "@trunks", pick: 50%, for: 10ms}}
  - {at: 60ms, swap: {node: h1, with: h4}}
  - after: {attribute: LinearForwardingTable, method: Set, count: 7}
    reboot: {nodes: "s*", pick: 1, away: 5ms}
  - {at: 80ms, refuse: {nodes: "*", pick: 40%, attribute: PortInfo, method: Get, times: 2}}
  - {at: 90ms, forge: {nodes: "@hosts", pick: 2, attribute: NodeInfo, field: NumPorts, value: 7}}
)";

/// Either way round the ring, chosen anew for each packet.
void adapt(Lab& lab) {
  for (int here = 0; here < 6; ++here) {
    Adaptive& adaptive = *lab.world.switch_of(lab.node("s" + std::to_string(here))).adaptive;
    adaptive.info.enable = true;
    adaptive.elements.resize(2);
    adaptive.elements[0].set(1);
    adaptive.elements[0].set(2);
    std::vector<std::uint32_t>& table = adaptive.tables[0];
    table.resize(32, mad::pack({}));
    for (int to = 0; to < 6; ++to) {
      const mad::ArLftEntry away{.state = mad::ArLidState::free, .port = PortNum{2}};
      const auto put = [&](const std::string& node, PortNum own) {
        table[raw(lab.lid_of(node))] = mad::pack(to == here ? mad::ArLftEntry{.port = own} : away);
      };
      put("h" + std::to_string(to), PortNum{3});
      put("s" + std::to_string(to), PortNum{0});
    }
  }
}

struct Program {
  Program(Lab& in, std::string_view node) : lab(in), listener(in, node, 1) {}
  void smp(const mad::Smp& request) { listener.send(request); }
  void perf(std::uint64_t tid, Lid to) {
    mad::Header header;
    header.mgmt_class = mad::MgmtClass::perf;
    header.method = mad::Method::get;
    header.attribute = static_cast<AttrId>(raw(mad::PerfAttr::port_counters));
    header.tid = tid;
    mad::Mad mad;
    encode_into(std::span<std::uint8_t>(mad.bytes), header);
    encode_into(std::span(mad.bytes).subspan(mad::kPerfDataAt), mad::PortCounters{.port = 1});
    mad.address.lid = to;
    lab.network.send(listener.client, mad);
  }
  Lab& lab;
  Listener listener;
};

std::vector<std::uint8_t> recording_of(std::uint64_t seed) {
  std::vector<std::uint8_t> bytes;
  Settings settings;
  settings.adaptive.offered = true;
  topology::Topology ring = row_of(6, true);
  Lab lab(ring, settings, seed);
  lab.make_active();
  lab.route_row(6, true);
  adapt(lab);
  for (std::uint32_t p = 0; p < lab.world.port_slots(); ++p)
    lab.world.port(PortIndex{p}).info.sm_lid = lab.lid_of("h0");
  Recorder recorder(lab.network, [&](std::span<const std::uint8_t> piece) {
    bytes.insert(bytes.end(), piece.begin(), piece.end());
  });
  Faults faults(lab.network);
  const Result<Script> script = script_from(lab.world, kTroubles);
  EXPECT_TRUE(script.has_value()) << (script ? "" : script.error().what);
  if (!script) return {};
  start(faults, *script);
  Program manager(lab, "h0");
  Program other(lab, "h2");
  Program third(lab, "h5");
  lab.network.set_is_sm(manager.listener.client, true);
  for (std::uint32_t round = 0; round < 120; ++round) {
    mad::Smp question = get(AttrId::port_info, round % 5, {1, 2, 2});
    question.tid = round + 1;
    manager.smp(question);
    mad::LinearForwardingTable block;
    block.ports.fill(static_cast<PortNum>(round % 4));
    mad::Smp table = set(AttrId::linear_forwarding, 1 + round % 3, block, {1, 2});
    table.tid = 0x1000 + round;
    manager.smp(table);
    mad::Smp far = to_lid(get(AttrId::node_info, 0), lab.lid_of("s" + std::to_string(round % 6)));
    far.tid = 0x2000 + round;
    other.smp(far);
    third.perf(0x3000 + round, lab.lid_of("h" + std::to_string(round % 6)));
    lab.clock.run_until(lab.clock.now() + milliseconds(1));
  }
  lab.clock.run_until(lab.clock.now() + std::chrono::seconds(3));
  return bytes;
}

/// FNV-1a.
std::uint64_t hash_of(const std::vector<std::uint8_t>& bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001b3;
  return hash;
}

TEST(Determinism, GivesTheSameRecordingTwice) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) EXPECT_EQ(recording_of(seed), recording_of(seed));
  EXPECT_NE(recording_of(1), recording_of(2));
}

/// Not a law of nature: who changes on purpose what the simulator does, puts the new number here, from one
/// compiler, and sees that the other one agrees.
TEST(Determinism, GivesTheSameRecordingWithEveryCompiler) {
  const std::vector<std::uint8_t> bytes = recording_of(7);
  EXPECT_GT(bytes.size(), 100'000u);
  EXPECT_EQ(hash_of(bytes), 0xd7da986aa534f814u)
      << fmt::format("0x{:016x}, {} bytes", hash_of(bytes), bytes.size());
}

}  // namespace
}  // namespace weft::sim
