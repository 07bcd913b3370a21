#pragma once
// The contract that every transport keeps, as tests over a bed: what stands behind the transport, and the
// other end. A test program includes this once, and says for each of its transports
//   INSTANTIATE_TEST_SUITE_P(Ibsim, TransportContract, testing::Values(&make_ibsim_bed));

#include <array>
#include <memory>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>

#include "mad/node_info.h"
#include "mad/sm_info.h"
#include "transport/concurrency.h"
#include "transport/reply.h"
#include "transport/smp_client.h"

namespace weft::transport::tests {

/// A fabric of a few nodes. The transport is attached to an HCA whose port 1 is linked to port 1 of a switch;
/// port 5 of that switch has no cable.
class ContractBed {
 public:
  virtual ~ContractBed() = default;
  virtual Clock& clock() = 0;
  virtual asio::io_context& loop() = 0;
  /// The transport under test; made anew by attach().
  virtual Transport& transport() = 0;
  /// Attaches to the fabric; false when that is not possible now.
  virtual bool attach() = 0;
  /// Makes a neighbour on the fabric send Get(SMInfo) to our port by a directed route. Returns its exchange.
  virtual asio::awaitable<Result<mad::Mad>> asked_by_neighbour() = 0;
  /// Takes the fabric or device away, and brings it back.
  virtual void take_away() = 0;
  virtual void bring_back() = 0;
  /// Whether this process can attach again after take_away().
  virtual bool can_come_back() const { return true; }
  /// Lets things happen until `done`; false when it never is.
  virtual bool run_until(const std::function<bool()>& done) = 0;

  template <typename T>
  T run(asio::awaitable<T> work) {
    std::optional<T> result;
    asio::co_spawn(loop(), std::move(work), [&](std::exception_ptr thrown, T value) {
      EXPECT_FALSE(thrown);
      result.emplace(std::move(value));
    });
    EXPECT_TRUE(run_until([&] { return result.has_value(); }));
    return std::move(*result);
  }
};

/// A neighbour at another port of our switch asks Get(SMInfo) of our port. Returns its exchange.
inline asio::awaitable<Result<mad::Mad>> ask_next_door(Transport& neighbour) {
  mad::Smp smp;
  smp.attribute = mad::AttrId::sm_info;
  const std::array<PortNum, 2> ports{PortNum{1}, PortNum{1}};
  smp.route = mad::DirectedRoute(ports);
  return neighbour.exchange(mad::to_mad(smp), std::chrono::seconds(5));
}

using MakeBed = std::unique_ptr<ContractBed> (*)();

class TransportContract : public ::testing::TestWithParam<MakeBed> {
 protected:
  void SetUp() override { ASSERT_TRUE(bed->attach()); }
  static mad::Mad get(mad::AttrId attribute, std::vector<int> route, std::uint32_t modifier = 0) {
    mad::Smp smp;
    smp.attribute = attribute;
    smp.modifier = modifier;
    std::vector<PortNum> ports;
    for (const int port : route) ports.push_back(static_cast<PortNum>(port));
    smp.route = mad::DirectedRoute(ports);
    return mad::to_mad(smp);
  }
  Result<mad::Mad> exchange(const mad::Mad& request) {
    return bed->run(bed->transport().exchange(request, std::chrono::milliseconds(500)));
  }
  static NodeType type_in(const Result<mad::Mad>& answer) {
    return mad::decode<mad::NodeInfo>(mad::to_smp(*answer)->data).type;
  }

  std::unique_ptr<ContractBed> bed = GetParam()();
};

inline asio::awaitable<void> ask_neighbour(SmpClient& client, int& answered) {
  const PortNum port{1};
  Target target;
  target.route = target.route.then(port);
  Result<mad::AttrData> answer = co_await client.get(std::move(target), mad::AttrId::node_info, 0);
  if (answer && mad::decode<mad::NodeInfo>(*answer).type == NodeType::switch_) ++answered;
}

struct AskNeighbour {
  SmpClient* client;
  int* answered;
  asio::awaitable<void> operator()(int) const { return ask_neighbour(*client, *answered); }
};

inline asio::awaitable<Done> ask_many(SmpClient& client, std::span<const int> items, int& answered) {
  const AskNeighbour work{&client, &answered};
  co_await for_each(items, items.size(), work);
  co_return Done{};
}

TEST_P(TransportContract, AnswersComeFromTheNodeThatWasAsked) {
  const Result<mad::Mad> own = exchange(get(mad::AttrId::node_info, {}));
  ASSERT_TRUE(own.has_value()) << own.error().what;
  EXPECT_EQ(type_in(own), NodeType::hca);
  const Result<mad::Mad> neighbour = exchange(get(mad::AttrId::node_info, {1}));
  ASSERT_TRUE(neighbour.has_value()) << neighbour.error().what;
  EXPECT_EQ(type_in(neighbour), NodeType::switch_);
}

TEST_P(TransportContract, TellsTheLocalPort) {
  const LocalPort& port = bed->transport().local_port();
  EXPECT_FALSE(port.device.empty());
  EXPECT_EQ(port.number, PortNum{1});
  const Result<mad::Mad> own = exchange(get(mad::AttrId::node_info, {}));
  ASSERT_TRUE(own.has_value());
  EXPECT_EQ(port.guid, mad::decode<mad::NodeInfo>(mad::to_smp(*own)->data).port_guid);
}

TEST_P(TransportContract, NoAnswerIsATimeout) {
  const Result<mad::Mad> answer = exchange(get(mad::AttrId::node_info, {1, 5}));
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, Errc::timeout);
  EXPECT_EQ(bed->transport().timeouts(), 1u);
  EXPECT_TRUE(exchange(get(mad::AttrId::node_info, {})).has_value());
}

TEST_P(TransportContract, CarriesAThousandRequestsWith128InFlight) {
  SmpClient client(bed->transport(), bed->clock(),
                   {.window = 128, .timeout = std::chrono::seconds(5), .attempts = 1});
  const std::vector<int> items(1000);
  int answered = 0;
  bed->run(ask_many(client, items, answered));
  EXPECT_EQ(answered, 1000);
}

TEST_P(TransportContract, CarriesMoreRequestsThanFitOnTheWire) {
  SmpClient client(bed->transport(), bed->clock(),
                   {.window = 2000, .timeout = std::chrono::seconds(5), .attempts = 1});
  const std::vector<int> items(2000);
  int answered = 0;
  bed->run(ask_many(client, items, answered));
  EXPECT_EQ(answered, 2000);
}

TEST_P(TransportContract, HandsOverTheRequestsOfOthersAndTakesOurAnswerBack) {
  Transport& transport = bed->transport();
  ASSERT_TRUE(transport.set_is_sm(true).has_value());
  ASSERT_TRUE(exchange(get(mad::AttrId::node_info, {})).has_value());
  mad::SmInfo mine;
  mine.guid = Guid{0x11};
  mine.priority = 7;
  mine.state = mad::SmState::master;
  transport.on_unsolicited([&](const mad::Mad& request) {
    if (mad::header_of(request).attribute != mad::AttrId::sm_info) return;
    EXPECT_TRUE(transport.send(response_to(request, mad::encode(mine))).has_value());
  });
  const Result<mad::Mad> seen = bed->run(bed->asked_by_neighbour());
  ASSERT_TRUE(seen.has_value()) << seen.error().what;
  EXPECT_EQ(mad::decode<mad::SmInfo>(mad::to_smp(*seen)->data), mine);
}

TEST_P(TransportContract, IsSmIsSetAndCleared) {
  const auto is_sm = [this] {
    const Result<mad::Mad> answer = exchange(get(mad::AttrId::port_info, {}, 1));
    return answer && (get_bits(mad::to_smp(*answer)->data, 160, 32) & 2u) != 0;
  };
  EXPECT_FALSE(is_sm());
  ASSERT_TRUE(bed->transport().set_is_sm(true).has_value());
  EXPECT_TRUE(bed->run_until(is_sm));
  ASSERT_TRUE(bed->transport().set_is_sm(false).has_value());
  EXPECT_TRUE(bed->run_until([&] { return !is_sm(); }));
}

TEST_P(TransportContract, FailsAtOnceAfterClose) {
  bed->transport().close();
  const Result<mad::Mad> answer = exchange(get(mad::AttrId::node_info, {}));
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, Errc::cancelled);
}

TEST_P(TransportContract, TellsThatTheFabricIsGoneAndComesBackWithIt) {
  if (!bed->can_come_back()) GTEST_SKIP() << "this process cannot attach twice";
  int told = 0;
  bed->transport().on_lost([&told](const Error&) { ++told; });
  bed->take_away();
  EXPECT_FALSE(exchange(get(mad::AttrId::node_info, {})).has_value());
  EXPECT_TRUE(bed->run_until([&told] { return told > 0; }));
  EXPECT_EQ(exchange(get(mad::AttrId::node_info, {})).error().code, Errc::cancelled);
  EXPECT_EQ(told, 1);
  EXPECT_FALSE(bed->attach());
  bed->bring_back();
  ASSERT_TRUE(bed->attach());
  EXPECT_TRUE(exchange(get(mad::AttrId::node_info, {1})).has_value());
}

}  // namespace weft::transport::tests
