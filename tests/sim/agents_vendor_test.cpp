// Mellanox's own class 0x0a: what a device says of its hardware and firmware, and that others know nothing
// of it.
#include <gtest/gtest.h>

#include "mad/class_port_info.h"
#include "mad/mlnx_device_info.h"
#include "tests/sim/agents_lab.h"

namespace weft::sim {
namespace {

using mad::Method;
using mad::MlnxAttr;
using mad::Status;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// s0 and h0 are Mellanox's, s1 is another maker's.
topology::Topology two_makers() {
  topology::Topology topology = row_of(2, false);
  for (topology::Node& node : topology.nodes) {
    node.device = 0xd2f0;
    if (node.id == "s1") node.vendor = 0x1175;
  }
  return topology;
}

class MlnxClass : public AgentsLab {
 protected:
  MlnxClass() : AgentsLab({}, two_makers()) { manage(); }
  /// The answer, or nothing.
  std::optional<mad::Mad> ask(Method method, MlnxAttr attribute, std::string_view node,
                              std::uint8_t class_version = 1) {
    mad::Header header;
    header.mgmt_class = mad::kMlnxClass;
    header.class_version = class_version;
    header.method = method;
    header.attribute = static_cast<mad::AttrId>(raw(attribute));
    mad::Mad mad;
    encode_into(std::span<std::uint8_t>(mad.bytes), header);
    mad.address.lid = lab.lid_of(node);
    sm.got.clear();
    lab.network.send(sm.client, mad);
    pass(milliseconds(1));
    for (const mad::Mad& came : sm.got)  // traps do too
      if (mad::header_of(came).mgmt_class == mad::kMlnxClass) return came;
    return std::nullopt;
  }
  Status status(const std::optional<mad::Mad>& answer) {
    return answer ? static_cast<Status>(mad::header_of(*answer).status) : Status::busy;
  }
  mad::MlnxDeviceInfo info(std::string_view node) {
    const auto answer = ask(Method::get, MlnxAttr::general_info, node);
    EXPECT_EQ(status(answer), Status::ok);
    return answer ? mad::decode<mad::MlnxDeviceInfo>(std::span(answer->bytes).subspan(mad::kMlnxDataAt))
                  : mad::MlnxDeviceInfo{};
  }
};

TEST_F(MlnxClass, TellsHardwareAndFirmware) {
  const mad::MlnxDeviceInfo told = info("s0");
  EXPECT_EQ(told.device, 0xd2f0);
  EXPECT_EQ(told.fw_major, told.ext_major);
  EXPECT_EQ(told.psid, "WEFTSIM");
  const auto classes = ask(Method::get, MlnxAttr::class_port_info, "s0");
  ASSERT_EQ(status(classes), Status::ok);
  EXPECT_EQ(
      mad::decode<mad::ClassPortInfo>(std::span(classes->bytes).subspan(mad::kMlnxDataAt)).class_version, 1);
}

TEST_F(MlnxClass, TellsTheTimeSinceTheLastReboot) {
  pass(seconds(100));
  EXPECT_EQ(info("s0").uptime, 100u);
  lab.world.reboot(lab.node("s0"));
  lab.make_active();
  lab.route_row(2);
  pass(seconds(7));
  EXPECT_EQ(info("s0").uptime, 7u);
}

TEST_F(MlnxClass, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(status(ask(Method::get, static_cast<MlnxAttr>(0x50), "s0")), Status::bad_method_attribute);
  EXPECT_EQ(status(ask(Method::set, MlnxAttr::general_info, "s0")), Status::bad_method_attribute);
  EXPECT_EQ(status(ask(Method::get_table, MlnxAttr::general_info, "s0")), Status::bad_method);
  EXPECT_EQ(status(ask(Method::get, MlnxAttr::general_info, "s0", 2)), Status::bad_version);
}

TEST_F(MlnxClass, IsUnknownToAnotherMakersDevice) {
  EXPECT_FALSE(ask(Method::get, MlnxAttr::general_info, "s1"));
  EXPECT_EQ(lab.network.drops(Drop::nobody), 1u);
}

}  // namespace
}  // namespace weft::sim
