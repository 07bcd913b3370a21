#include "transport/ibsim/protocol.h"

#include <cstring>

#include <gtest/gtest.h>

#include "mad/sa.h"
#include "mad/smp.h"

namespace weft::transport::tests {
namespace {

using namespace ibsim;

TEST(IbsimEnvelope, SaysPermissiveLidsForADirectedRoute) {
  const Envelope envelope = envelope_of(mad::to_mad(mad::Smp{}));
  const Envelope expected{0xff, 0xff, 0, 0, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                          0,    0,    0, 0, 0,    0,    0, 0, 0, 0, 0, 0, 0, 0, 1, 0};
  EXPECT_EQ(envelope, expected);
}

TEST(IbsimEnvelope, SaysLidAndQueuePairOfAGeneralMad) {
  mad::Mad mad;
  mad.bytes[1] = static_cast<std::uint8_t>(mad::MgmtClass::subn_adm);
  mad.address.lid = Lid{0x1234};
  mad.address.qp = 1;
  const Envelope envelope = envelope_of(mad);
  const Envelope expected{0x12, 0x34, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1,
                          0,    0,    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0};
  EXPECT_EQ(envelope, expected);
}

TEST(IbsimEnvelope, SaysHowLongATableInOneSegmentIs) {
  const auto length = [](std::uint8_t flags, std::uint32_t payload) {
    mad::Mad mad;
    mad.bytes[1] = static_cast<std::uint8_t>(mad::MgmtClass::subn_adm);
    mad::SaHeader sa;
    sa.rmpp_version = 1;
    sa.rmpp_type = mad::RmppType::data;
    sa.rmpp_flags = flags;
    sa.payload_length = payload;
    mad::encode_into(std::span<std::uint8_t>(mad.bytes), sa);
    return get_bits(envelope_of(mad), 192, 64);
  };
  EXPECT_EQ(length(7, 20 + 56), 56u + 56);
  EXPECT_EQ(length(7, 20), 56u) << "no record";
  EXPECT_EQ(length(5, 20 + 8), 56u + 8) << "the last of many";
  EXPECT_EQ(length(3, 2000), 256u) << "the first of many";
  EXPECT_EQ(length(0, 0), 256u) << "a single record";
  EXPECT_EQ(length(7, 0xffffffff), 256u);
}

TEST(IbsimEnvelope, TellsSenderAndStatus) {
  Envelope envelope{};
  envelope[4] = 0x01;
  envelope[5] = 0x02;
  envelope[15] = 9;
  envelope[19] = 110;
  EXPECT_EQ(sender_of(envelope).lid, Lid{0x0102});
  EXPECT_EQ(sender_of(envelope).qp, 9u);
  EXPECT_EQ(status_of(envelope), 110u);
}

TEST(IbsimControl, CutsANodeNameThatDoesNotFit) {
  const ControlMessage message = connect_message(77, true, std::string(64, 'x'));
  EXPECT_EQ(first_number(message), 77u);
  EXPECT_EQ(message.data[8], 1);
  const auto* name = reinterpret_cast<const char*>(message.data.data() + 12);
  EXPECT_EQ(::strnlen(name, 52), kNodeNameSize);
}

}  // namespace
}  // namespace weft::transport::tests
