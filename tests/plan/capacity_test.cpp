#include "plan/capacity.h"

#include <gtest/gtest.h>

#include "fabric/builder.h"
#include "tests/support/fabric_of.h"

namespace weft::plan {
namespace {

using test::fabric_of;

/// A two-level tree of 44 end ports, its first switch with this LinearFDBCap.
fabric::Fabric tree_with_capacity(std::uint16_t capacity) {
  const fabric::Fabric whole = fabric_of("fat-tree:radix=8");
  fabric::Builder builder;
  for (fabric::Node node : whole.nodes()) {
    if (node.guid == whole.node(SwitchId{0}).guid) node.switch_facts.lft_capacity = capacity;
    EXPECT_TRUE(builder.add_node(node));
  }
  for (std::uint32_t n = 0; n < whole.node_count(); ++n) {
    const auto id = static_cast<NodeId>(n);
    for (std::size_t p = 0; p < whole.ports(id).size(); ++p) {
      const fabric::Port& port = whole.ports(id)[p];
      const fabric::Builder::End end{whole.node(id).guid, static_cast<PortNum>(p)};
      EXPECT_TRUE(builder.set_port(end.guid, end.port, port));
      if (port.peer) {
        EXPECT_TRUE(builder.connect(end, {whole.node(port.peer->node).guid, port.peer->port}));
      }
    }
  }
  return builder.build();
}

TEST(FindTooSmall, NamesTheSwitchThatCannotHoldTheLidsInUse) {
  const Capacity capacity = find_too_small(tree_with_capacity(20), {}, {});
  EXPECT_EQ(capacity.top, Lid{44});
  EXPECT_EQ(capacity.too_small, std::vector{SwitchId{0}});
}

TEST(FindTooSmall, CountsLidZeroAsAnEntry) {
  EXPECT_FALSE(find_too_small(tree_with_capacity(44), {}, {}).too_small.empty());
  EXPECT_TRUE(find_too_small(tree_with_capacity(45), {}, {}).too_small.empty());
}

TEST(FindTooSmall, TakesAnUnknownCapacityForEnough) {
  EXPECT_TRUE(find_too_small(tree_with_capacity(0), {}, {}).too_small.empty());
}

}  // namespace
}  // namespace weft::plan
