#include "transport/rmpp.h"

#include <gtest/gtest.h>

#include "base/virtual_clock.h"
#include "tests/transport/fake_transport.h"

namespace weft::transport::tests {
namespace {

using mad::Mad;
using mad::RmppType;
using mad::SaHeader;
using std::chrono::seconds;

/// The sender's side and the packets that left it.
struct Bench {
  VirtualClock clock;
  FakeTransport transport{clock, silence};
  std::vector<std::vector<std::uint8_t>> whole;
  Rmpp rmpp{transport, clock,
            [this](const Mad&, std::vector<std::uint8_t> data) { whole.push_back(std::move(data)); }};

  static Mad head(std::uint64_t tid, mad::SaAttr attribute = mad::SaAttr::node_record) {
    Mad mad;
    mad::Header header;
    header.mgmt_class = mad::MgmtClass::subn_adm;
    header.class_version = mad::kSaVersion;
    header.method = mad::Method::get_table_resp;
    header.attribute = static_cast<mad::AttrId>(attribute);
    header.tid = tid;
    mad::encode_into(std::span<std::uint8_t>(mad.bytes), header);
    mad.address = {.lid = Lid{5}, .qp = 1};
    return mad;
  }
  /// Each from a port of its own.
  static Mad from_another(std::uint64_t tid) {
    Mad mad = head(tid);
    mad.address.lid = static_cast<Lid>(100 + tid);
    return mad;
  }
  static Mad answer(const Mad& to, RmppType type, std::uint32_t segment, std::uint32_t window_last,
                    std::uint8_t status = 0) {
    Mad mad = to;
    mad.bytes[3] ^= 0x80;
    SaHeader sa = mad::sa_header_of(to);
    sa.rmpp_version = 1;
    sa.rmpp_type = type;
    sa.rmpp_flags = mad::rmpp::kActive;
    sa.rmpp_status = status;
    sa.segment = segment;
    sa.payload_length = window_last;
    mad::encode_into(std::span<std::uint8_t>(mad.bytes), sa);
    return mad;
  }
  std::vector<std::uint32_t> segments() const {
    std::vector<std::uint32_t> numbers;
    for (const Mad& mad : transport.requests) numbers.push_back(mad::sa_header_of(mad).segment);
    return numbers;
  }
  SaHeader last() const { return mad::sa_header_of(transport.requests.back()); }
};

using Numbers = std::vector<std::uint32_t>;

TEST(Rmpp, SendsAsFarAsItIsAllowed) {
  Bench bench;
  ASSERT_TRUE(bench.rmpp.send(Bench::head(1), std::vector<std::uint8_t>(900)));
  EXPECT_EQ(bench.segments(), (Numbers{1}));
  EXPECT_EQ(bench.last().payload_length, 900u + 5 * 20) << "the first tells the whole";
  EXPECT_TRUE(bench.rmpp.handle(Bench::answer(Bench::head(1), RmppType::ack, 1, 3)));
  EXPECT_EQ(bench.segments(), (Numbers{1, 2, 3}));
  EXPECT_EQ(bench.last().payload_length, 0u);
  EXPECT_TRUE(bench.rmpp.handle(Bench::answer(Bench::head(1), RmppType::ack, 3, 9)));
  EXPECT_EQ(bench.segments(), (Numbers{1, 2, 3, 4, 5}));
  EXPECT_EQ(bench.last().payload_length, 20u + 100);
  EXPECT_TRUE(bench.rmpp.handle(Bench::answer(Bench::head(1), RmppType::ack, 5, 9)));
  EXPECT_EQ(bench.rmpp.transfers(), 0u);
  EXPECT_EQ(bench.rmpp.given_up(), 0u);
}

TEST(Rmpp, GivesUpAReceiverThatNeverAnswers) {
  Bench bench;
  ASSERT_TRUE(bench.rmpp.send(Bench::head(1), std::vector<std::uint8_t>(900)));
  bench.clock.run_until(bench.clock.now() + seconds(20));
  EXPECT_EQ(bench.segments(), (Numbers{1, 1, 1, 1, 1}));
  EXPECT_EQ(bench.rmpp.transfers(), 0u);
  EXPECT_EQ(bench.rmpp.given_up(), 1u);
}

TEST(Rmpp, AnswersARepeatedRequestWhoseFirstSegmentWasLostAtOnce) {
  Bench bench;
  const Mad head = Bench::head(1);
  ASSERT_TRUE(bench.rmpp.send(head, std::vector<std::uint8_t>(900)));
  EXPECT_FALSE(bench.rmpp.send(head, std::vector<std::uint8_t>(900)));
  EXPECT_EQ(bench.segments(), (Numbers{1, 1}));
  bench.rmpp.handle(Bench::answer(head, RmppType::ack, 1, 3));
  EXPECT_FALSE(bench.rmpp.send(head, std::vector<std::uint8_t>(900)));
  EXPECT_EQ(bench.segments(), (Numbers{1, 1, 2, 3})) << "it is on its way";
}

/// A program that was started anew counts its transactions from the same number. What its predecessor has
/// not acknowledged is not for it.
TEST(Rmpp, ANewRequestUnderTheSameTransactionEndsTheOldAnswer) {
  Bench bench;
  ASSERT_TRUE(bench.rmpp.send(Bench::head(2), std::vector<std::uint8_t>(900)));
  ASSERT_TRUE(bench.rmpp.send(Bench::head(2, mad::SaAttr::mc_member_record), std::vector<std::uint8_t>(56)));
  EXPECT_EQ(bench.rmpp.transfers(), 1u);
  bench.clock.run_until(bench.clock.now() + seconds(20));
  for (std::size_t i = 1; i < bench.transport.requests.size(); ++i)
    EXPECT_EQ(raw(mad::header_of(bench.transport.requests[i]).attribute),
              static_cast<std::uint16_t>(mad::SaAttr::mc_member_record));
  ASSERT_TRUE(bench.rmpp.send(Bench::head(3), std::vector<std::uint8_t>(900)));
  bench.rmpp.drop(Bench::head(3, mad::SaAttr::path_record));
  EXPECT_EQ(bench.rmpp.transfers(), 0u);
}

TEST(Rmpp, SendsOnceToAPeerThatNeverAcknowledges) {
  Bench bench;
  const auto sent_for = [&](std::uint64_t tid) {
    const std::size_t before = bench.transport.requests.size();
    bench.rmpp.send(Bench::head(tid), std::vector<std::uint8_t>(100));
    bench.clock.run_until(bench.clock.now() + seconds(20));
    return bench.transport.requests.size() - before;
  };
  for (std::uint64_t tid = 1; tid <= 3; ++tid) EXPECT_EQ(sent_for(tid), 5u);
  EXPECT_EQ(sent_for(4), 1u);
  bench.rmpp.send(Bench::head(5), std::vector<std::uint8_t>(900));
  bench.rmpp.handle(Bench::answer(Bench::head(5), RmppType::ack, 1, 3));
  EXPECT_EQ(bench.last().segment, 3u) << "it does after all";
  bench.rmpp.handle(Bench::answer(Bench::head(5), RmppType::ack, 3, 9));
  bench.rmpp.handle(Bench::answer(Bench::head(5), RmppType::ack, 5, 9));
  EXPECT_EQ(sent_for(6), 5u);
}

TEST(Rmpp, WhatIsSentWholeMakesRoomForMore) {
  Bench bench;
  bench.rmpp.send(Bench::head(1), std::vector<std::uint8_t>(900));
  for (std::uint64_t tid = 2; tid <= 3000; ++tid)
    ASSERT_TRUE(bench.rmpp.send(Bench::from_another(tid), std::vector<std::uint8_t>(100))) << tid;
  EXPECT_EQ(bench.rmpp.transfers(), 1000u);
  bench.rmpp.handle(Bench::answer(Bench::head(1), RmppType::ack, 1, 3));
  EXPECT_EQ(bench.last().segment, 3u) << "the one with more to send stayed";
}

TEST(Rmpp, APeerThatOnlyAsksStandsInNobodysWay) {
  Bench bench;
  for (std::uint64_t tid = 1; tid <= 3000; ++tid)
    ASSERT_TRUE(bench.rmpp.send(Bench::head(tid), std::vector<std::uint8_t>(900))) << tid;
  EXPECT_EQ(bench.rmpp.transfers(), 64u);
  bench.rmpp.handle(Bench::answer(Bench::head(3000), RmppType::ack, 1, 3));
  EXPECT_EQ(bench.last().segment, 3u) << "the newest are there";
}

TEST(Rmpp, RefusesMoreThanItMayHold) {
  Bench bench;
  for (std::uint64_t tid = 1; tid <= 1000; ++tid)
    ASSERT_TRUE(bench.rmpp.send(Bench::from_another(tid), std::vector<std::uint8_t>(900)));
  EXPECT_FALSE(bench.rmpp.send(Bench::from_another(1001), std::vector<std::uint8_t>(900)));
  EXPECT_FALSE(Bench().rmpp.send(Bench::head(1), std::vector<std::uint8_t>((256u << 20) + 1)));
}

/// ACK, STOP and ABORT carry the method with the R bit inverted against the data they are about.
TEST(RmppMethods, AckStopAndAbortCarryTheRBitInverted) {
  Bench bench;
  Mad part = Bench::head(4);
  part.bytes[3] = static_cast<std::uint8_t>(mad::Method::get_multi);
  SaHeader sa;
  sa.rmpp_version = 1;
  sa.rmpp_type = RmppType::data;
  sa.rmpp_flags = mad::rmpp::kActive | mad::rmpp::kFirst;
  sa.segment = 1;
  sa.payload_length = 900;
  const auto with = [&part](const SaHeader& header) {
    mad::encode_into(std::span<std::uint8_t>(part.bytes), header);
    return part;
  };
  ASSERT_TRUE(bench.rmpp.handle(with(sa)));
  EXPECT_EQ(bench.last().rmpp_type, RmppType::ack);
  EXPECT_EQ(mad::method_of(bench.transport.requests.back()), mad::Method::get_multi_resp);
  sa.rmpp_version = 2;
  ASSERT_TRUE(bench.rmpp.handle(with(sa)));
  EXPECT_EQ(bench.last().rmpp_type, RmppType::abort);
  EXPECT_EQ(mad::method_of(bench.transport.requests.back()), mad::Method::get_multi_resp);
  ASSERT_TRUE(bench.rmpp.send(Bench::head(5), std::vector<std::uint8_t>(900)));
  ASSERT_TRUE(bench.rmpp.handle(Bench::answer(Bench::head(5), RmppType::ack, 4, 9)));
  EXPECT_EQ(bench.last().rmpp_type, RmppType::abort) << "it acknowledges what was never sent";
  EXPECT_EQ(bench.last().rmpp_status, static_cast<std::uint8_t>(mad::rmpp::Code::segment_too_big));
  EXPECT_EQ(mad::method_of(bench.transport.requests.back()), mad::Method::get_table_resp)
      << "an abort of the data's sender is no answer to itself";
}

}  // namespace
}  // namespace weft::transport::tests
