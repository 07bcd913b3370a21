// CounterPoll against a switch that has the old counters only: 16 and 8 bits, which stop when they are full.

#include "daemon/counter_poll.h"

#include <gtest/gtest.h>

#include "mad/perf.h"
#include "tests/support/fabric_of.h"
#include "tests/transport/fake_transport.h"
#include "transport/run.h"

namespace weft::daemon {
namespace {

using mad::PerfAttr;
using mad::PortCounters;
using std::chrono::minutes;
using std::chrono::seconds;

struct OldSwitches {
  OldSwitches() {
    config::LinkHealthSettings settings;
    settings.counters = minutes(1);
    settings.symbol_errors = 100;
    const fabric::Fabric blank = weft::test::fabric_of("fat-tree:radix=4");
    std::vector<std::pair<fabric::PortRef, fabric::Port>> lids;
    for (std::size_t s = 0; s < blank.switch_count(); ++s) {
      const fabric::PortRef port0{blank.node_of(static_cast<SwitchId>(s)), PortNum{0}};
      fabric::Port port = blank.port(port0);
      port.lid = static_cast<Lid>(s + 1);
      lids.emplace_back(port0, port);
    }
    auto made = std::make_shared<plan::View>();
    made->fabric = std::make_shared<const fabric::Fabric>(blank.with(lids));
    view = std::move(made);
    CounterPoll::Surroundings around;
    around.transport = &transport;
    around.clock = &clock;
    around.tasks = &tasks;
    around.view = [this] { return view; };
    around.went_down = [this](const LinkEnds&, int times) { downs += times; };
    around.too_many_errors = [this](const LinkEnds&, plan::Place, std::uint64_t errors) {
      told.push_back(errors);
    };
    poll = std::make_unique<CounterPoll>(std::move(around), settings, std::chrono::milliseconds(100));
  }
  ~OldSwitches() {
    poll->stop();
    transport::run_virtual(loop, clock, [this] { return tasks.running() == 0; });
  }

  std::optional<mad::Mad> answer(const mad::Mad& request) {
    mad::Mad mad = request;
    mad.bytes[3] = static_cast<std::uint8_t>(mad::Method::get_resp);
    const auto data = std::span<std::uint8_t>(mad.bytes).subspan(mad::kPerfDataAt);
    const auto attribute = static_cast<PerfAttr>(raw(mad::header_of(request).attribute));
    if (attribute == PerfAttr::class_port_info) return mad;  // no capability at all
    EXPECT_EQ(attribute, PerfAttr::port_counters);
    PortCounters asked = mad::decode<PortCounters>(std::span<const std::uint8_t>(data));
    if (mad::method_of(request) == mad::Method::set) {
      resets.push_back(asked);
      if ((asked.select & 1) != 0) counted.symbol_errors = 0;
      if ((asked.select & 4) != 0) counted.link_downed = 0;
    }
    // Port 1 of the first switch counts, the others do not.
    const bool counts = request.address.lid == Lid{1} && asked.port == 1;
    PortCounters told_now = counts ? counted : PortCounters{};
    told_now.port = asked.port;
    mad::encode_into(data, told_now);
    return mad;
  }
  void pass(Duration time) {
    bool over = false;
    clock.after(time, [&over] { over = true; });
    transport::run_virtual(loop, clock, [&over] { return over; });
  }

  asio::io_context loop;
  VirtualClock clock;
  transport::Tasks tasks{loop.get_executor()};
  transport::tests::FakeTransport transport{clock,
                                            [this](const mad::Mad& request) { return answer(request); }};
  std::shared_ptr<const plan::View> view;
  PortCounters counted;
  std::vector<PortCounters> resets;
  std::vector<std::uint64_t> told;
  int downs = 0;
  std::unique_ptr<CounterPoll> poll;
};

TEST(CounterPoll, TellsWhatIsNewSinceTheFirstReading) {
  OldSwitches here;
  here.counted.symbol_errors = 5000;
  here.pass(minutes(3));
  EXPECT_TRUE(here.told.empty());
  here.counted.symbol_errors = 5101;
  here.pass(minutes(2));
  EXPECT_EQ(here.told, std::vector<std::uint64_t>{101});
  here.pass(minutes(10));
  EXPECT_EQ(here.told.size(), 1u) << "told once";
  EXPECT_EQ(here.poll->problems().size(), 1u);
  EXPECT_TRUE(here.resets.empty());
}

TEST(CounterPoll, SetsBackOnlyWhatIsFull) {
  OldSwitches here;
  here.pass(minutes(3));
  here.counted.symbol_errors = 0xffff;
  here.counted.link_downed = 7;
  here.counted.rcv_errors = 0xffff;
  here.pass(minutes(2));
  ASSERT_EQ(here.resets.size(), 1u);
  EXPECT_EQ(here.resets[0].port, 1);
  EXPECT_EQ(here.resets[0].select, 1);
  EXPECT_EQ(here.told, std::vector<std::uint64_t>{0xffff});
  here.counted.link_downed = 0xff;
  here.pass(minutes(2));
  ASSERT_EQ(here.resets.size(), 2u);
  EXPECT_EQ(here.resets[1].select, 4);
}

TEST(CounterPoll, CountsLinksThatWentDownUnseen) {
  OldSwitches here;
  here.pass(minutes(3));
  here.counted.link_downed = 1;
  here.pass(minutes(2));
  EXPECT_EQ(here.downs, 0) << "a reboot, or a port that was closed";
  here.counted.link_downed = 11;
  here.pass(minutes(2));
  EXPECT_EQ(here.downs, 9);
}

TEST(CounterPoll, GoesOnAfterASwitchThatDoesNotAnswer) {
  OldSwitches here;
  here.transport.reply = transport::tests::silence;
  here.pass(minutes(5));
  here.transport.reply = [&here](const mad::Mad& request) { return here.answer(request); };
  here.pass(minutes(3));
  here.counted.symbol_errors = 200;
  here.pass(minutes(2));
  EXPECT_EQ(here.told.size(), 1u);
}

}  // namespace
}  // namespace weft::daemon
