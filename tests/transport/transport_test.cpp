#include "transport/transport.h"

#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>

#include "base/virtual_clock.h"
#include "mad/smp.h"
#include "tests/transport/fake_transport.h"
#include "transport/reply.h"
#include "transport/request_queue.h"
#include "transport/run.h"

namespace weft::transport::tests {
namespace {

using namespace std::chrono_literals;

class TransportTest : public ::testing::Test {
 protected:
  Result<mad::Mad> exchange(FakeTransport& transport) {
    return run_virtual(loop, clock, transport.exchange(mad::to_mad(mad::Smp{}), 100ms));
  }
  asio::io_context loop;
  VirtualClock clock;
};

TEST_F(TransportTest, MatchesAnswersByTheLow32BitsOfTheTransactionId) {
  FakeTransport transport(clock, [](const mad::Mad& request) {
    mad::Mad answer = answered(request);
    mad::set_tid(answer, mad::tid_of(answer) | 0xabcd'0000'0000'0000);
    return std::optional(answer);
  });
  EXPECT_TRUE(exchange(transport).has_value());
  EXPECT_TRUE(exchange(transport).has_value());
  EXPECT_EQ(transport.over, (std::vector<std::uint32_t>{1, 2}));
}

TEST_F(TransportTest, TimesOutAndCountsTheLateAnswerAsAStray) {
  FakeTransport transport(clock, silence);
  const Result<mad::Mad> answer = exchange(transport);
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, Errc::timeout);
  EXPECT_EQ(clock.now(), 100ms);
  EXPECT_EQ(transport.timeouts(), 1u);
  transport.deliver(answered(transport.requests.front()));
  EXPECT_EQ(transport.strays(), 1u);
}

TEST_F(TransportTest, AFailureToSendEndsTheExchange) {
  FakeTransport transport(clock, silence);
  transport.send_error = Error{Errc::system, "no"};
  EXPECT_EQ(exchange(transport).error().code, Errc::system);
  EXPECT_EQ(clock.now(), 0ms);
}

TEST_F(TransportTest, HandsOverTheRequestsOfOthers) {
  FakeTransport transport(clock, silence);
  int got = 0;
  transport.on_unsolicited([&got](const mad::Mad&) { ++got; });
  transport.deliver(mad::to_mad(mad::Smp{}));
  EXPECT_EQ(got, 1);
}

TEST_F(TransportTest, ALossEndsEveryExchangeAndIsToldOnce) {
  auto transport = std::make_unique<FakeTransport>(clock, silence);
  int told = 0;
  transport->on_lost([&](const Error& why) {
    EXPECT_EQ(why.what, "unplugged");
    ++told;
    transport.reset();  // allowed
  });
  clock.after(1ms, [&] { transport->lose({Errc::unavailable, "unplugged"}); });
  EXPECT_EQ(exchange(*transport).error().code, Errc::cancelled);
  EXPECT_EQ(told, 1);
}

TEST_F(TransportTest, FailsAtOnceAfterClose) {
  FakeTransport transport(clock, echo);
  transport.close();
  transport.close();
  EXPECT_EQ(exchange(transport).error().code, Errc::cancelled);
  EXPECT_TRUE(transport.requests.empty());
}

mad::Mad with_tid(std::uint32_t tid) {
  mad::Mad mad;
  mad::set_tid(mad, tid);
  return mad;
}

TEST(RequestQueue, LetsAsManyLeaveAsTheWindowHas) {
  RequestQueue queue(2);
  for (std::uint32_t tid = 1; tid <= 4; ++tid) queue.push(with_tid(tid), 1s);
  EXPECT_EQ(queue.ready(), 2u);
  queue.left(2);
  EXPECT_EQ(queue.ready(), 0u);
  queue.ended(1);
  EXPECT_EQ(queue.ready(), 1u);
  EXPECT_EQ(mad::tid_of(queue.at(0).mad), 3u);
}

TEST(RequestQueue, ForgetsWhatIsOverBeforeItLeft) {
  RequestQueue queue(1);
  for (const std::uint32_t tid : {0xffff'fffeu, 0xffff'ffffu, 1u, 2u}) queue.push(with_tid(tid), 1s);
  queue.left(1);
  queue.ended(1);  // waits behind the wrap of the ids
  EXPECT_EQ(queue.on_the_wire(), 1);
  queue.ended(0xffff'fffe);
  EXPECT_EQ(queue.on_the_wire(), 0);
  queue.left(1);
  EXPECT_EQ(mad::tid_of(queue.at(0).mad), 2u);
}

TEST(ResponseTo, KeepsReturnPathHopPointerAndTransactionId) {
  mad::Smp smp;
  const std::array<PortNum, 2> ports{PortNum{1}, PortNum{2}};
  smp.route = mad::DirectedRoute(ports);
  smp.attribute = mad::AttrId::sm_info;
  smp.tid = 0x0007'0000'1234'5678;
  mad::Mad request = mad::to_mad(smp);
  request.bytes[6] = 3;
  request.bytes[193] = 9;  // return path
  mad::AttrData data{};
  data[0] = 0x55;
  const mad::Mad answer = response_to(request, data);
  const Result<mad::Smp> read = mad::to_smp(answer);
  ASSERT_TRUE(read.has_value());
  EXPECT_TRUE(read->returning);
  EXPECT_EQ(read->method, mad::Method::get_resp);
  EXPECT_EQ(read->tid, smp.tid);
  EXPECT_EQ(read->data, data);
  EXPECT_EQ(answer.bytes[6], 3);
  EXPECT_EQ(answer.bytes[193], 9);
}

}  // namespace
}  // namespace weft::transport::tests
