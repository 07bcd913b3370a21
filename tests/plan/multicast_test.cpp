#include "plan/multicast.h"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <random>

#include "tests/plan/addressed.h"
#include "tests/support/fabric_of.h"

namespace weft::plan {
namespace {

constexpr std::uint8_t kFull = 1;
constexpr std::uint8_t kSendOnly = 8;

struct Joined {
  explicit Joined(std::string_view blueprint)
      : view(std::make_shared<const View>(Published(test::fabric_of(blueprint)).view)),
        hosts(host_ports(*view->fabric)) {}

  void join(std::uint64_t mgid, std::size_t host, std::uint8_t join_state = kFull, std::uint16_t mlid = 0) {
    McGroup group;
    if (const auto held = state.groups.find({0xff12, mgid})) group = *held;
    group.mgid = {0xff12, mgid};
    group.mlid = static_cast<Lid>(mlid != 0 ? mlid : 0xc000 + mgid);
    group.members.set(hosts.at(host), {{}, join_state, false});
    state.groups = state.groups.with(group);
  }
  void leave(std::uint64_t mgid, std::size_t host) {
    const auto held = state.groups.find({0xff12, mgid});
    if (!held) return;
    McGroup group = *held;
    group.members.erase(hosts.at(host));
    state.groups = group.members.empty() ? state.groups.without({0xff12, mgid}) : state.groups.with(group);
  }
  /// Ports of the switch that a host hangs on that an MLID leaves by.
  routing::PortMask at_leaf_of(const MulticastPlan& plan, std::size_t host, Lid mlid) const {
    const auto peer = *view->fabric->port(*view->fabric->find_port(hosts.at(host))).peer;
    for (const MulticastEntry& entry : (*plan.tables)[raw(*view->fabric->switch_of(peer.node))])
      if (entry.mlid == mlid) return entry.ports;
    return {};
  }
  bool delivers(const MulticastPlan& plan, std::size_t host, Lid mlid) const {
    const auto peer = *view->fabric->port(*view->fabric->find_port(hosts.at(host))).peer;
    return routing::has_port(at_leaf_of(plan, host, mlid), raw(peer.port));
  }

  std::shared_ptr<const View> view;
  std::vector<Guid> hosts;
  SaState state;
};

TEST(PlanMulticast, DeliversToThoseWhoReceive) {
  Joined fabric("fat-tree:radix=8");
  fabric.join(0, 1);
  fabric.join(0, 20);
  fabric.join(0, 9, kSendOnly);
  const auto plan = plan_multicast(fabric.view, fabric.state, nullptr);
  EXPECT_TRUE(plan->all);
  EXPECT_EQ(plan->top, Lid{0xc000});
  EXPECT_EQ(plan->problems, std::vector<std::string>{});
  EXPECT_TRUE(fabric.delivers(*plan, 1, Lid{0xc000}));
  EXPECT_TRUE(fabric.delivers(*plan, 20, Lid{0xc000}));
  EXPECT_FALSE(fabric.delivers(*plan, 9, Lid{0xc000}));
  EXPECT_NE(fabric.at_leaf_of(*plan, 9, Lid{0xc000}), routing::PortMask{}) << "its packets have a way in";
}

TEST(PlanMulticast, GroupsOnOneMlidAreServedTogether) {
  Joined fabric("fat-tree:radix=8");
  fabric.join(1, 1, kFull, 0xc005);
  fabric.join(2, 20, kFull, 0xc005);
  fabric.join(2, 1, kSendOnly, 0xc005);
  const auto plan = plan_multicast(fabric.view, fabric.state, nullptr);
  EXPECT_EQ(plan->trees.size(), 1u);
  EXPECT_TRUE(fabric.delivers(*plan, 1, Lid{0xc005})) << "a member of one, though it only sends to the other";
  EXPECT_TRUE(fabric.delivers(*plan, 20, Lid{0xc005}));
}

RC_GTEST_PROP(PlanMulticastAlways, StepByStepIsTheSameAsAtOnce, (std::uint32_t seed)) {
  std::mt19937 random(seed);
  Joined fabric("fat-tree:radix=4,levels=3");
  std::shared_ptr<const MulticastPlan> step;
  for (int i = 0; i < 12; ++i) {
    for (unsigned n = random() % 3 + 1; n > 0; --n) {
      const std::size_t host = random() % fabric.hosts.size();
      if (random() % 3 == 0)
        fabric.leave(random() % 4, host);
      else
        fabric.join(random() % 4, host, random() % 4 == 0 ? kSendOnly : kFull);
    }
    const auto next = plan_multicast(fabric.view, fabric.state, step.get());
    const auto fresh = plan_multicast(fabric.view, fabric.state, nullptr);
    RC_ASSERT(*next->tables == *fresh->tables);
    RC_ASSERT(next->top == fresh->top);
    // What did not change is shared, and MLIDs that are not named did not change.
    if (step)
      for (const auto& [mlid, tree] : step->trees)
        if (std::ranges::find(next->changed, mlid) == next->changed.end())
          RC_ASSERT(next->trees.at(mlid) == tree);
    step = next;
  }
}

}  // namespace
}  // namespace weft::plan
