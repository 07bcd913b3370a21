// Why new trees are numbered plane by plane: how many LFT blocks hold the entries that one fault breaks.
// Counted is what must be sent before traffic flows again, not what an engine that deals anew changes
// besides.

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "plan/view.h"
#include "tests/plan/addressed.h"
#include "tests/support/fabric_of.h"

namespace weft::plan {
namespace {

using IsDead = std::function<bool(const Hop&)>;

/// Hosts leaf by leaf, then switches.
Ledger leaf_major(const fabric::Fabric& fabric) {
  LidMap lids;
  std::uint16_t next = 1;
  for (const NodeId id : fabric.switches())
    for (const fabric::Port& port : fabric.ports(id))
      if (port.peer && !fabric.is_switch(port.peer->node))
        lids[fabric.port(*port.peer).guid] = {static_cast<Lid>(next++), 0};
  for (const Guid guid : switch_ports(fabric)) lids[guid] = {static_cast<Lid>(next++), 0};
  return ledger_of(std::move(lids));
}

/// Blocks of leaf tables in which an entry starts a path from hosts to a host over a dead link: each can be
/// mended there, and none elsewhere without touching more.
std::size_t broken_blocks(const View& view, const IsDead& is_dead) {
  const fabric::Fabric& fabric = *view.fabric;
  std::set<std::pair<NodeId, int>> blocks;
  std::set<NodeId> seen;
  for (const Guid source : host_ports(fabric)) {
    const fabric::PortRef from = *fabric.find_port(source);
    const NodeId leaf = fabric.port(from).peer->node;
    if (!seen.insert(leaf).second) continue;  // all hosts of a leaf go the same ways
    for (const Guid target : host_ports(fabric)) {
      const Lid to = view.ledger.lids->at(target).base;
      const Result<std::vector<Hop>> hops = path(view, from, to);
      EXPECT_TRUE(hops) << hops.error().what;
      if (std::ranges::any_of(*hops, is_dead)) blocks.emplace(leaf, raw(to) / 64);
    }
  }
  return blocks.size();
}

class PlaneMajorLids : public testing::Test {
 protected:
  PlaneMajorLids()
      : fabric_(test::fabric_of("fat-tree:radix=12,levels=3")),
        plane_major_(Published(fabric_).view),
        leaf_major_(plane_major_) {
    const Result<Planned> planned =
        make_plan(*leaf_major_.fabric, {}, leaf_major(fabric_), leaf_major_.sm_port, nullptr);
    EXPECT_TRUE(planned);
    leaf_major_.plan = planned->plan;
    leaf_major_.ledger = planned->ledger;
  }
  void expect_fewer_blocks(const IsDead& is_dead) {
    const std::size_t planes = broken_blocks(plane_major_, is_dead);
    const std::size_t leaves = broken_blocks(leaf_major_, is_dead);
    RecordProperty("plane_major_blocks", static_cast<int>(planes));
    RecordProperty("leaf_major_blocks", static_cast<int>(leaves));
    EXPECT_GT(planes, 0U);
    EXPECT_LT(planes, leaves);
  }
  /// The first switch above the leaf at hand, and the leaf's port to it.
  fabric::PortRef uplink() const { return {fabric_.switches()[10], PortNum{8}}; }

  const fabric::Fabric fabric_;  // 432 hosts
  View plane_major_;
  View leaf_major_;
};

TEST_F(PlaneMajorLids, KeepACutLeafUplinkInFewerBlocks) {
  const fabric::PortRef here = uplink();
  ASSERT_TRUE(fabric_.is_switch(fabric_.port(here).peer->node));
  expect_fewer_blocks([here](const Hop& hop) { return hop.out == here || hop.in == here; });
}

TEST_F(PlaneMajorLids, KeepADeadMiddleSwitchInFewerBlocks) {
  const NodeId middle = fabric_.port(uplink()).peer->node;
  expect_fewer_blocks([middle](const Hop& hop) { return hop.out.node == middle || hop.in.node == middle; });
}

}  // namespace
}  // namespace weft::plan
