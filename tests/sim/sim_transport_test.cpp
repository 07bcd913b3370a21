#include "sim/sim_transport.h"

#include <gtest/gtest.h>

#include "tests/sim/fabrics.h"
#include "transport/run.h"

namespace weft::sim {
namespace {

using mad::AttrId;
using std::chrono::milliseconds;
using std::chrono::seconds;
using transport::run_virtual;

struct Bench : Lab {
  Bench() : Lab(row_of(4, false)) {}
  Result<mad::Mad> exchange(transport::Transport& transport, const mad::Smp& smp) {
    return run_virtual(loop, clock, transport.exchange(mad::to_mad(smp), milliseconds(200)));
  }
  asio::io_context loop;
};

TEST(SimTransport, Exchanges) {
  Bench bench;
  SimTransport transport(bench.network, bench.port("h0", 1));
  const Result<mad::Mad> answer = bench.exchange(transport, get(AttrId::node_info, 0, {1, 2, 2}));
  ASSERT_TRUE(answer);
  EXPECT_EQ(mad::decode<mad::NodeInfo>(mad::to_smp(*answer)->data).node_guid,
            bench.world.node(bench.node("s2")).guid);
}

TEST(SimTransport, TimesOutInVirtualTime) {
  Bench bench;
  SimTransport transport(bench.network, bench.port("h0", 1));
  bench.world.set_mute(bench.node("s1"), Mute::agent);
  const Result<mad::Mad> answer = bench.exchange(transport, get(AttrId::node_info, 0, {1, 2}));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::timeout);
  EXPECT_EQ(bench.clock.now(), milliseconds(200));
}

TEST(SimTransport, IsFoundByIdDescriptionOrGuid) {
  Bench bench;
  for (const char* name : {"h1", "h1 of the test", "0x0000000000100010"}) {
    const auto opened = SimTransport::open(bench.network, name, PortNum{1});
    ASSERT_TRUE(opened) << name;
    EXPECT_EQ((*opened)->local_port().guid, bench.world.port(bench.port("h1", 1)).guid);
  }
  EXPECT_EQ(SimTransport::open(bench.network, "nobody", PortNum{1}).error().code, Errc::not_found);
  EXPECT_EQ(SimTransport::open(bench.network, "h1", PortNum{2}).error().code, Errc::not_found);
  EXPECT_EQ(SimTransport::open(bench.network, "s1", PortNum{1}).error().code, Errc::not_found);
  EXPECT_TRUE(SimTransport::open(bench.network, "s1", PortNum{0}));
}

TEST(SimTransport, WaitsForALateDevice) {
  Bench bench;
  bench.network.set_available_from(bench.port("h0", 1), seconds(30));
  EXPECT_EQ(SimTransport::open(bench.network, "h0", PortNum{1}).error().code, Errc::unavailable);
  bench.clock.run_until(seconds(30));
  EXPECT_TRUE(SimTransport::open(bench.network, "h0", PortNum{1}));
}

TEST(SimTransport, TellsOfALostDeviceAndComesBack) {
  Bench bench;
  auto transport = std::move(*SimTransport::open(bench.network, "h0", PortNum{1}));
  std::string lost;
  transport->on_lost([&](const Error& why) { lost = why.what; });
  bench.network.lose_device(bench.port("h0", 1), seconds(5));
  EXPECT_EQ(lost, "h0[1] is gone");
  EXPECT_EQ(bench.exchange(*transport, get(AttrId::node_info, 0)).error().code, Errc::cancelled);
  EXPECT_FALSE(SimTransport::open(bench.network, "h0", PortNum{1}));
  bench.clock.run_until(seconds(5));
  EXPECT_TRUE(SimTransport::open(bench.network, "h0", PortNum{1}));
}

TEST(SimTransport, SetsIsSmUntilItCloses) {
  Bench bench;
  SimTransport transport(bench.network, bench.port("h0", 1));
  EXPECT_TRUE(transport.set_is_sm(true));
  EXPECT_TRUE(mad::has(bench.info("h0", 1), mad::PortCap::is_sm));
  transport.close();
  EXPECT_FALSE(mad::has(bench.info("h0", 1), mad::PortCap::is_sm));
  EXPECT_FALSE(transport.set_is_sm(true));
}

TEST(SimTransport, HandsOverWhatNobodyAskedFor) {
  Bench bench;
  SimTransport asker(bench.network, bench.port("h0", 1));
  SimTransport manager(bench.network, bench.port("h3", 1));
  EXPECT_TRUE(manager.set_is_sm(true));
  manager.on_unsolicited([&](const mad::Mad& request) {
    mad::Mad reply = request;  // as it came, with R and D bits: the return path is in it
    mad::Header header = mad::header_of(reply);
    header.method = mad::Method::get_resp;
    header.status = 0x8000;
    encode_into(std::span<std::uint8_t>(reply.bytes), header);
    EXPECT_TRUE(manager.send(reply));
  });
  EXPECT_TRUE(bench.exchange(asker, get(AttrId::sm_info, 0, {1, 2, 2, 2, 3})));
}

}  // namespace
}  // namespace weft::sim
