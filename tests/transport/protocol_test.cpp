#include "transport/ibsim/protocol.h"

#include <cstring>

#include <gtest/gtest.h>

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
