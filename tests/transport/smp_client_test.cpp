#include "transport/smp_client.h"

#include <numeric>

#include <gtest/gtest.h>

#include "base/virtual_clock.h"
#include "tests/transport/fake_transport.h"
#include "transport/concurrency.h"
#include "transport/run.h"

namespace weft::transport::tests {
namespace {

using namespace std::chrono_literals;

constexpr Guid kNode{0x11};
constexpr Guid kOther{0x22};

struct Outcomes {
  int answered = 0;
  int failed = 0;
};

struct Asker {
  SmpClient* client;
  Outcomes* outcomes;
  asio::awaitable<void> operator()(Guid node) const { return ask(*client, node, *outcomes); }
  static asio::awaitable<void> ask(SmpClient& client, Guid node, Outcomes& outcomes) {
    Target target{node, {}};
    Result<mad::AttrData> answer = co_await client.get(std::move(target), mad::AttrId::node_info, 0);
    ++(answer ? outcomes.answered : outcomes.failed);
  }
};

asio::awaitable<Done> ask_all(SmpClient& client, std::span<const Guid> nodes, Outcomes& outcomes) {
  const Asker asker{&client, &outcomes};
  co_await for_each(nodes, nodes.size(), asker);
  co_return Done{};
}

class SmpClientTest : public ::testing::Test {
 protected:
  Result<mad::AttrData> get(SmpClient& client, Guid node) {
    return run_virtual(loop, clock, client.get({node, {}}, mad::AttrId::node_info, 0));
  }
  Outcomes ask(SmpClient& client, const std::vector<Guid>& nodes) {
    Outcomes outcomes;
    run_virtual(loop, clock, ask_all(client, nodes, outcomes));
    return outcomes;
  }
  asio::io_context loop;
  VirtualClock clock;
};

TEST_F(SmpClientTest, AsksAgainUntilAnswered) {
  int silent = 2;
  FakeTransport transport(
      clock, [&silent](const mad::Mad& request) { return silent-- > 0 ? std::nullopt : echo(request); });
  SmpClient client(transport, clock, {.timeout = 10ms, .attempts = 3});
  EXPECT_TRUE(get(client, kNode).has_value());
  EXPECT_EQ(client.sent(), 3u);
  EXPECT_EQ(client.timeouts(), 2u);
  EXPECT_FALSE(client.is_mute(kNode));
}

TEST_F(SmpClientTest, AMuteNodeCostsOneRetryCycleHoweverManyAsk) {
  FakeTransport transport(clock, silence);
  SmpClient client(transport, clock, {.timeout = 10ms, .attempts = 3});
  const Outcomes outcomes = ask(client, std::vector<Guid>(50, kNode));
  EXPECT_EQ(outcomes.failed, 50);
  EXPECT_TRUE(client.is_mute(kNode));
  EXPECT_LE(clock.now(), 30ms);
  EXPECT_EQ(get(client, kNode).error().code, Errc::timeout);
  EXPECT_LE(clock.now(), 30ms);
  client.forget_mute();
  EXPECT_FALSE(client.is_mute(kNode));
}

TEST_F(SmpClientTest, ANodeThatAnswersOthersIsNotMute) {
  FakeTransport transport(clock, [](const mad::Mad& request) {
    const bool lost = header_of(request).modifier == 1;
    return lost ? std::nullopt : echo(request);
  });
  SmpClient client(transport, clock, {.timeout = 10ms, .attempts = 2});
  clock.after(5ms, [&] {
    asio::co_spawn(loop, client.get({kNode, {}}, mad::AttrId::node_info, 0), [](auto, auto) {});
  });
  const auto lost = run_virtual(loop, clock, client.get({kNode, {}}, mad::AttrId::node_info, 1));
  EXPECT_EQ(lost.error().code, Errc::timeout);
  EXPECT_FALSE(client.is_mute(kNode));
}

TEST_F(SmpClientTest, AMuteNodeDoesNotHoldTheWindow) {
  const auto mute_is_silent = [](const mad::Mad& request) {
    return mad::to_smp(request)->route->hops() == 0 ? echo(request) : std::nullopt;
  };
  FakeTransport transport(clock, mute_is_silent);
  SmpClient client(transport, clock, {.window = 1, .timeout = 80ms, .attempts = 1});
  const std::array<PortNum, 1> port{PortNum{1}};
  asio::co_spawn(loop, client.get({kOther, mad::DirectedRoute(port)}, mad::AttrId::node_info, 0),
                 [](auto, auto) {});
  EXPECT_TRUE(get(client, kNode).has_value());
  EXPECT_LE(clock.now(), 10ms);
}

TEST_F(SmpClientTest, NeverExceedsTheWindow) {
  std::deque<mad::Mad> on_wire;
  std::size_t most = 0;
  FakeTransport transport(clock, [&](const mad::Mad& request) {
    on_wire.push_back(request);
    most = std::max(most, on_wire.size());
    return std::optional<mad::Mad>();
  });
  for (int i = 1; i <= 100; ++i)
    clock.at(i * 1us, [&] {
      for (; !on_wire.empty(); on_wire.pop_front()) transport.deliver(answered(on_wire.front()));
    });
  SmpClient client(transport, clock, {.window = 8, .per_node = 4, .timeout = 80ms});
  EXPECT_EQ(ask(client, std::vector<Guid>(200, Guid{})).answered, 200);
  EXPECT_EQ(most, 8u);
  EXPECT_EQ(ask(client, std::vector<Guid>(20, kNode)).answered, 20);
}

TEST_F(SmpClientTest, RefusalsAreNotRepeated) {
  FakeTransport transport(clock,
                          [](const mad::Mad& request) { return std::optional(answered(request, 0x1c)); });
  SmpClient client(transport, clock, {});
  EXPECT_EQ(get(client, kNode).error().code, Errc::bad_status);
  EXPECT_EQ(client.sent(), 1u);
}

TEST_F(SmpClientTest, SetOnceIsSentOnceAndMakesNobodyMute) {
  FakeTransport transport(clock, silence);
  SmpClient client(transport, clock, {.attempts = 3});
  const auto answer = run_virtual(loop, clock, client.set_once({kNode, {}}, mad::AttrId::port_info, 1, {}));
  EXPECT_EQ(answer.error().code, Errc::timeout);
  EXPECT_EQ(client.sent(), 1u);
  EXPECT_EQ(client.sets_sent(), 1u);
  EXPECT_FALSE(client.is_mute(kNode));
}

TEST_F(SmpClientTest, AnAnswerAboutSomethingElseIsAnError) {
  FakeTransport transport(clock, [](const mad::Mad& request) {
    mad::Mad answer = answered(request);
    answer.bytes[17] = 0x15;
    return std::optional(answer);
  });
  SmpClient client(transport, clock, {});
  EXPECT_EQ(get(client, kNode).error().code, Errc::bad_answer);
}

}  // namespace
}  // namespace weft::transport::tests
