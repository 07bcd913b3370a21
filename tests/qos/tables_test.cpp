#include "qos/tables.h"

#include <gtest/gtest.h>

#include "tests/support/fabric_of.h"

namespace weft::qos {
namespace {

TEST(Folded, KeepsWhatALinkHasAndWhatIsDropped) {
  EXPECT_EQ(folded(Vl{3}, 4), Vl{3});
  EXPECT_EQ(folded(Vl{5}, 4), Vl{1});
  EXPECT_EQ(folded(Vl{14}, 15), Vl{14});
  EXPECT_EQ(folded(Vl{7}, 1), Vl{0});
  EXPECT_EQ(folded(Vl{15}, 1), Vl{15});
  const Arbitration two = folded({.high = {{Vl{6}, 9}}, .low = {{Vl{1}, 3}, {Vl{3}, 4}}, .high_limit = 5}, 2);
  EXPECT_EQ(two, (Arbitration{.high = {{Vl{0}, 9}}, .low = {{Vl{1}, 3}, {Vl{1}, 4}}, .high_limit = 5}));
}

TEST(EgressOf, IsWhatAPacketLeavesBy) {
  const fabric::Fabric fabric = test::fabric_of("xgft:m=2,2:w=1,1");
  for (std::size_t n = 0; n < fabric.node_count(); ++n) {
    const auto node = static_cast<NodeId>(n);
    for (std::size_t p = 1; p < fabric.ports(node).size(); ++p) {
      const fabric::PortRef port{node, static_cast<PortNum>(p)};
      if (!fabric.port(port).peer) continue;
      const bool to_switch = fabric.is_switch(fabric.port(port).peer->node);
      EXPECT_EQ(egress_of(fabric, port), !fabric.is_switch(node) ? Egress::host
                                         : to_switch             ? Egress::switch_to_switch
                                                                 : Egress::switch_to_host);
    }
  }
}

}  // namespace
}  // namespace weft::qos
