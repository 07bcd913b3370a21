// RMPP in and out: what one side cuts, the other puts together, over a way that loses, doubles and reorders.
#include "sim/run/rmpp.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

namespace weft::run {
namespace {

/// An SA table answer of so many bytes behind the headers.
std::vector<std::uint8_t> message_of(std::size_t data) {
  std::vector<std::uint8_t> message(56 + data);
  std::iota(message.begin() + 56, message.end(), std::uint8_t{3});
  message[0] = 1;
  message[1] = 0x03;
  message[2] = 2;
  message[3] = 0x92;
  message[26] = kRmppActive;
  return message;
}

/// Without what the segments say of themselves.
std::vector<std::uint8_t> bare(std::vector<std::uint8_t> message) {
  std::fill(message.begin() + 24, message.begin() + 36, std::uint8_t{0});
  return message;
}

TEST(Rmpp, SendsAShortMessageInOneSegmentWithItsLength) {
  RmppSender sender(message_of(100));
  const std::optional<Mad> mad = sender.next();
  ASSERT_TRUE(mad.has_value());
  const RmppHeader header = rmpp_header_of(mad->data());
  EXPECT_EQ(header.flags, kRmppActive | kRmppFirst | kRmppLast);
  EXPECT_EQ(header.length, 120u);
  EXPECT_FALSE(sender.next().has_value());
}

TEST(Rmpp, SendsAnEmptyTableAsOneSegmentOfTwentyBytes) {
  RmppSender sender(message_of(0));
  EXPECT_EQ(rmpp_header_of(sender.next()->data()).length, 20u);
}

TEST(Rmpp, SaysTheWholeLengthFirstAndTheRestLast) {
  RmppSender sender(message_of(450));
  EXPECT_EQ(sender.segment_count(), 3u);
  EXPECT_EQ(rmpp_header_of(sender.next()->data()).length, 3 * 220u - 150u);
  EXPECT_FALSE(sender.next().has_value()) << "the first window is 1";
  EXPECT_EQ(sender.acknowledge({.type = RmppType::ack, .segment = 1, .length = 64}), std::nullopt);
  EXPECT_EQ(rmpp_header_of(sender.next()->data()).length, 0u);
  EXPECT_EQ(rmpp_header_of(sender.next()->data()).length, 70u);
}

TEST(Rmpp, AbortsOnAcknowledgementsThatCannotBe) {
  RmppSender sender(message_of(1000));
  sender.next();
  EXPECT_EQ(sender.acknowledge({.segment = 2, .length = 1}), RmppStatus::window_too_small);
  EXPECT_EQ(sender.acknowledge({.segment = 3, .length = 64}), RmppStatus::segment_too_big);
  EXPECT_EQ(sender.acknowledge({.status = 5, .segment = 1, .length = 64}), RmppStatus::bad_status);
}

TEST(Rmpp, AcknowledgesWithTheRBitTurnedRound) {
  RmppSender sender(message_of(10));
  RmppReceiver receiver;
  const std::optional<Mad> ack = receiver.take(*sender.next());
  ASSERT_TRUE(ack.has_value());
  EXPECT_EQ((*ack)[3], 0x12);
  EXPECT_EQ(rmpp_header_of(ack->data()).segment, 1u);
  EXPECT_TRUE(receiver.complete());
}

TEST(Rmpp, AcknowledgesARepeatedLastSegmentAgain) {
  RmppSender sender(message_of(10));
  RmppReceiver receiver;
  const Mad mad = *sender.next();
  receiver.take(mad);
  EXPECT_EQ(receiver.take_message().size(), 66u);
  EXPECT_TRUE(receiver.take(mad).has_value());
}

TEST(Rmpp, AbortsASegmentWhoseFirstFlagAndNumberDisagree) {
  Mad mad = *RmppSender(message_of(10)).next();
  mad[31] = 2;
  const std::optional<Mad> back = RmppReceiver().take(mad);
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(rmpp_header_of(back->data()).type, RmppType::abort);
}

TEST(Rmpp, CarriesAnyMessageOverAWayThatLosesDoublesAndReorders) {
  std::mt19937 random(5);
  for (int round = 0; round < 60; ++round) {
    const std::vector<std::uint8_t> message = message_of(random() % 60'000);
    RmppSender sender(message);
    RmppReceiver receiver;
    std::deque<Mad> there;
    std::deque<Mad> back;
    const auto carry = [&random](std::deque<Mad>& way, const Mad& mad) {
      if (random() % 10 == 0) return;
      way.push_back(mad);
      if (random() % 10 == 0) way.push_back(mad);
      if (way.size() > 1 && random() % 4 == 0) std::swap(way.back(), way[way.size() - 2]);
    };
    for (int step = 0; step < 100'000 && !(sender.complete() && receiver.complete()); ++step) {
      while (const std::optional<Mad> mad = sender.next()) carry(there, *mad);
      if (there.empty() && back.empty()) sender.rewind();
      if (!there.empty()) {
        if (const std::optional<Mad> ack = receiver.take(there.front())) carry(back, *ack);
        there.pop_front();
      }
      if (!back.empty()) {
        ASSERT_EQ(sender.acknowledge(rmpp_header_of(back.front().data())), std::nullopt);
        back.pop_front();
      }
    }
    ASSERT_TRUE(receiver.complete()) << round;
    ASSERT_EQ(bare(receiver.take_message()), bare(message)) << round;
  }
}

}  // namespace
}  // namespace weft::run
