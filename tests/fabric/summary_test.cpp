#include "fabric/summary.h"

#include <gtest/gtest.h>

#include "tests/fabric/small_fabric.h"

namespace weft::fabric {
namespace {

TEST(Summary, CountsNodesLinksAndPorts) {
  Builder builder = make_builder(std::vector{make_switch(10), make_switch(20), make_host(1),
                                             make_node(NodeType::router, 2, 1, "router")},
                                 std::vector<Cable>{{10, 1, 1, 1}, {20, 1, 2, 1}, {10, 8, 20, 8}});
  Port waiting = up();
  waiting.state = PortState::init;
  must(builder.set_port(Guid{20}, PortNum{8}, waiting));
  Port down;
  down.known = true;
  must(builder.set_port(Guid{10}, PortNum{2}, down));
  const Summary summary = summarize(builder.build());
  EXPECT_EQ(summary.switches, 2u);
  EXPECT_EQ(summary.hosts, 1u);
  EXPECT_EQ(summary.routers, 1u);
  EXPECT_EQ(summary.links, 3u);
  EXPECT_EQ(summary.links_in(PortState::active), 2u);
  EXPECT_EQ(summary.links_in(PortState::init), 1u);
  EXPECT_EQ(summary.links_in(PortState::armed), 0u);
  EXPECT_FALSE(summary.all_active());
  EXPECT_EQ(summary.links_by_rate.at({LinkSpeed::hdr, LinkWidth::x4}), 3u);
  EXPECT_EQ(summary.ports_by_state.at(PortState::active), 5u);
  EXPECT_EQ(summary.ports_by_state.at(PortState::init), 1u);
  EXPECT_EQ(summary.ports_by_state.at(PortState::down), 1u);
  EXPECT_EQ(to_string(summary), "2 switches, 1 host, 1 router, 3 links: 2 active, 1 init; 3 at 4x HDR");
}

TEST(Summary, CountsALinkBetweenTwoPortsOfOneSwitchOnce) {
  EXPECT_EQ(summarize(make_fabric({make_switch(1)}, {{1, 1, 1, 2}})).links, 1u);
}

TEST(Summary, OfAnEmptyFabricIsAllActive) {
  const Summary summary = summarize(Fabric());
  EXPECT_TRUE(summary.all_active());
  EXPECT_EQ(to_string(summary), "0 switches, 0 hosts, 0 routers, 0 links");
}

}  // namespace
}  // namespace weft::fabric
