#include "sim/recorder.h"

#include <gtest/gtest.h>

#include "tests/sim/fabrics.h"

namespace weft::sim {
namespace {

using mad::AttrId;
using std::chrono::milliseconds;

/// Asks a few things, one of them in vain, with 30 % of the exchanges lost.
std::vector<std::uint8_t> recorded(std::uint64_t seed) {
  std::vector<std::uint8_t> bytes;
  Lab lab(row_of(3, false), {}, seed);
  lab.network.settings().exchange_loss = 0.3;
  Recorder recorder(lab.network, [&](std::span<const std::uint8_t> piece) {
    bytes.insert(bytes.end(), piece.begin(), piece.end());
  });
  Listener manager(lab, "h0", 1);
  for (std::uint32_t i = 0; i < 20; ++i) {
    mad::Smp smp = get(AttrId::port_info, i % 5, {1});
    smp.tid = i + 1;
    manager.ask(smp);
  }
  lab.network.settings().exchange_loss = 0;
  manager.ask(get(AttrId::node_info, 0, {1, 4}));  // nothing at that port
  return bytes;
}

TEST(Recorder, KeepsWhatWasSentAndReceived) {
  const Result<transport::Recording> recording = transport::read_pcapng(recorded(1));
  ASSERT_TRUE(recording) << recording.error().what;
  EXPECT_EQ(recording->interfaces, std::vector<std::string>{"h0[1] #0"});
  const auto sent = std::ranges::count(recording->mads, true, &transport::RecordedMad::outbound);
  EXPECT_EQ(sent, 21);
  EXPECT_GT(std::ranges::count(recording->mads, std::string("lost"), &transport::RecordedMad::comment), 0);
  EXPECT_EQ(recording->mads.back().comment, "port down");
  EXPECT_TRUE(std::ranges::is_sorted(recording->mads, {}, &transport::RecordedMad::time));
}

TEST(Recorder, RepeatsByteForByteWithTheSameSeed) {
  EXPECT_EQ(recorded(7), recorded(7));
  EXPECT_NE(recorded(7), recorded(8));
}

TEST(Replay, OfARecordedProgramGetsTheSameAnswersOnAFreshFabric) {
  std::vector<std::uint8_t> bytes;
  {
    Lab lab(row_of(3, false));
    Recorder recorder(lab.network, [&](std::span<const std::uint8_t> piece) {
      bytes.insert(bytes.end(), piece.begin(), piece.end());
    });
    Listener manager(lab, "h0", 1);
    mad::LinearForwardingTable block;
    block.ports.fill(PortNum{2});
    manager.ask(set(AttrId::linear_forwarding, 3, block, {1}));
    manager.ask(get(AttrId::linear_forwarding, 3, {1}));
    manager.ask(get(AttrId::node_info, 0, {1, 2}));
  }
  const Result<transport::Recording> recording = transport::read_pcapng(bytes);
  ASSERT_TRUE(recording);
  Lab fresh(row_of(3, false));
  const auto run = [&](Instant end) { fresh.clock.run_until(end); };
  const Result<Replayed> same = replay(*recording, 0, fresh.network, fresh.port("h0", 1), run);
  ASSERT_TRUE(same);
  EXPECT_EQ(same->requests, 3u);
  EXPECT_TRUE(same->all_as_recorded());
  EXPECT_EQ(same->same, 3u) << (same->differences.empty() ? "" : same->differences.front());
  EXPECT_EQ(fresh.world.switch_of(fresh.node("s0")).lft[3 * 64], PortNum{2});

  Lab other(
      row_of(4, false));  // another host count: s1's neighbours differ not, but h0's switch has other GUIDs
  other.world.set_guid(other.node("s1"), Guid{0x77});
  const auto run_other = [&](Instant end) { other.clock.run_until(end); };
  const Result<Replayed> differs = replay(*recording, 0, other.network, other.port("h0", 1), run_other);
  ASSERT_TRUE(differs);
  EXPECT_EQ(differs->same, 2u);
  ASSERT_EQ(differs->differences.size(), 1u);
  EXPECT_EQ(differs->differences.front(),
            "GetResp of NodeInfo 0x0, transaction 0x77, was answered otherwise then");
  EXPECT_FALSE(differs->all_as_recorded());

  Lab torn(row_of(3, false));  // nobody behind the first switch answers
  torn.world.cut_link(torn.node("h0"), PortNum{1});
  const auto run_torn = [&](Instant end) { torn.clock.run_until(end); };
  const Result<Replayed> missing = replay(*recording, 0, torn.network, torn.port("h0", 1), run_torn);
  ASSERT_TRUE(missing);
  EXPECT_EQ(missing->answers, 0u);
  EXPECT_EQ(missing->recorded, 3u);
  EXPECT_FALSE(missing->all_as_recorded());
  EXPECT_FALSE(replay(*recording, 1, other.network, other.port("h0", 1), run_other));
}

}  // namespace
}  // namespace weft::sim
