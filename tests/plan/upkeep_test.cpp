#include "plan/upkeep.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "plan/routes_over.h"
#include "plan/view.h"
#include "tests/support/fabric_of.h"

namespace weft::plan {
namespace {

using fabric::Fabric;
using fabric::PortRef;

/// Two leaves and two spines, two hosts on each leaf; the manager on the first host.
struct Small {
  explicit Small(std::string_view blueprint = "fat-tree:radix=4") : fabric(test::fabric_of(blueprint)) {}
  Fabric fabric;
  PortRef sm_port = first_host();

  PortRef first_host() const {
    for (const PortRef end : fabric.end_ports())
      if (!fabric.is_switch(end.node)) return end;
    return {};
  }
  NodeId leaf() const { return fabric.port(sm_port).peer->node; }
  NodeId spine() const {
    for (const NodeId id : fabric.switches())
      if (std::ranges::all_of(fabric.ports(id), [this](const fabric::Port& port) {
            return !port.peer || fabric.is_switch(port.peer->node);
          }))
        return id;
    return {};
  }
  Guid guid(NodeId node) const { return fabric.node(node).guid; }
  std::vector<PortRef> links_of(NodeId node) const {
    std::vector<PortRef> links;
    for (std::size_t p = 1; p < fabric.ports(node).size(); ++p)
      if (fabric.ports(node)[p].peer) links.push_back({node, static_cast<PortNum>(p)});
    return links;
  }
  Planned plan(const Orders& orders) const {
    Ledger ledger;
    ledger.orders = std::make_shared<const Orders>(orders);
    return *make_plan(fabric, {}, ledger, sm_port, nullptr);
  }
  View view(const Orders& orders) const {
    Planned planned = plan(orders);
    View view;
    view.fabric = std::make_shared<const Fabric>(fabric);
    view.plan = planned.plan;
    view.ledger = planned.ledger;
    view.sm_port = sm_port;
    return view;
  }
};

Order drained() { return {}; }

Order closed(Order::Kind kind, bool forced = false) {
  Order order;
  order.kind = kind;
  order.forced = forced;
  return order;
}

TEST(Upkeep, WithoutOrdersTheWholeFabricMayBeUsed) {
  const Small small;
  EXPECT_EQ(usable_fabric(small.fabric, {}), nullptr);
  EXPECT_EQ(small.plan({}).plan->usable, nullptr);
}

TEST(Upkeep, NothingPassesThroughADrainedSwitch) {
  const Small small;
  const Place place{small.guid(small.spine()), PortNum{0}};
  EXPECT_GT(routes_over(small.view({}), place, nullptr).lids, 0u);
  const View view = small.view({{place, drained()}});
  EXPECT_TRUE(routes_over(view, place, nullptr).none());
  EXPECT_TRUE(view.plan->routing.report.lost == 0);
  for (const PortRef end : small.fabric.end_ports()) {
    const std::size_t at = static_cast<std::size_t>(std::ranges::find(small.fabric.end_ports(), end) -
                                                    small.fabric.end_ports().begin());
    EXPECT_TRUE(path(view, small.sm_port, view.plan->lids.of_end_port[at].base)) << at;
  }
}

class DrainedShapes : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Shapes, DrainedShapes,
                         testing::Values("fat-tree:radix=8,levels=3", "dragonfly:p=2,a=4,h=2", "torus:4,4",
                                         "dragonfly+:leaves=3,spines=3,hosts=2,globals=2,groups=5"));

TEST_P(DrainedShapes, ReachEverybodyAroundAnySwitch) {
  const Small small(GetParam());
  for (std::size_t s = 0; s < small.fabric.switch_count(); s += 5) {
    const NodeId node = small.fabric.node_of(static_cast<SwitchId>(s));
    const Place place{small.guid(node), PortNum{0}};
    const View view = small.view({{place, drained()}});
    EXPECT_EQ(view.plan->routing.report.lost, 0u) << fabric::describe(small.fabric.node(node));
    if (cut_off(small.fabric, small.sm_port, {}, node).size() == small.fabric.node_count() - 1) continue;
    EXPECT_TRUE(routes_over(view, place, nullptr).none()) << fabric::describe(small.fabric.node(node));
  }
}

TEST(Upkeep, NothingGoesOverADrainedLink) {
  const Small small;
  const PortRef link = small.links_of(small.spine()).front();
  const Place place{small.guid(link.node), link.port};
  EXPECT_GT(routes_over(small.view({}), place, nullptr).lids, 0u);
  EXPECT_TRUE(routes_over(small.view({{place, drained()}}), place, nullptr).none());
}

TEST(Upkeep, TheLastWayIsUsedThoughItIsDrained) {
  const Small small;
  Orders orders;
  for (const PortRef link : small.links_of(small.leaf()))
    if (small.fabric.is_switch(small.fabric.port(link).peer->node))
      orders[{small.guid(link.node), link.port}] = drained();
  ASSERT_GE(orders.size(), 2u);
  const View view = small.view(orders);
  EXPECT_EQ(view.plan->routing.report.lost, 0u);
  std::size_t used = 0;
  for (const auto& [place, order] : orders) used += routes_over(view, place, nullptr).none() ? 0 : 1;
  EXPECT_EQ(used, 1u);
}

TEST(Upkeep, IdsAreTheSameInWhatMayBeUsed) {
  const Small small;
  const auto usable = usable_fabric(small.fabric, {{{small.guid(small.spine()), PortNum{0}}, drained()}});
  ASSERT_TRUE(usable);
  ASSERT_EQ(usable->node_count(), small.fabric.node_count());
  for (std::size_t n = 0; n < usable->node_count(); ++n)
    EXPECT_EQ(usable->nodes()[n].guid, small.fabric.nodes()[n].guid);
  EXPECT_TRUE(std::ranges::equal(usable->end_ports(), small.fabric.end_ports()));
}

TEST(Upkeep, ClosedPortsAreToldAndDoNotComeUpMeanwhile) {
  const Small small;
  const PortRef link = small.links_of(small.spine()).front();
  const Planned planned = small.plan({{{small.guid(link.node), link.port}, closed(Order::Kind::disabled)}});
  ASSERT_EQ(planned.plan->port_orders.size(), 1u);
  EXPECT_EQ(planned.plan->port_orders[0], (PortOrder{link, PhysState::disabled}));
  for (const PortRef end : {link, *small.fabric.port(link).peer})
    EXPECT_FALSE(planned.plan->ports[small.fabric.node(end.node).first_port + raw(end.port)].bring_up);
}

TEST(Upkeep, NoOrderTogetherWithOthersCutsAnybodyOffUnforced) {
  const Small small;
  Orders orders;
  for (const PortRef link : small.links_of(small.leaf()))
    if (small.fabric.is_switch(small.fabric.port(link).peer->node))
      orders[{small.guid(link.node), link.port}] = closed(Order::Kind::held);
  const std::size_t links = orders.size();
  EXPECT_EQ(port_orders(small.fabric, orders, small.sm_port).size(), links - 1);
  for (auto& [place, order] : orders) order.forced = true;
  EXPECT_EQ(port_orders(small.fabric, orders, small.sm_port).size(), links);
}

TEST(Upkeep, APortThatIsToBeEnabledIsToldSo) {
  const Small small;
  const PortRef link = small.links_of(small.spine()).front();
  const Orders orders{{{small.guid(link.node), link.port}, closed(Order::Kind::opening)}};
  EXPECT_EQ(port_orders(small.fabric, orders, small.sm_port),
            (std::vector<PortOrder>{{link, PhysState::polling}}));
  EXPECT_EQ(usable_fabric(small.fabric, orders), nullptr);
}

TEST(CutOff, NamesWhoHangsOnALinkOrASwitchAlone) {
  const Small small;
  EXPECT_TRUE(cut_off(small.fabric, small.sm_port, {}).empty());
  EXPECT_TRUE(cut_off(small.fabric, small.sm_port, {}, small.spine()).empty());
  const PortRef own[] = {small.sm_port};
  EXPECT_EQ(cut_off(small.fabric, small.sm_port, own).size(), small.fabric.node_count() - 1);
  // Another host of the manager's leaf.
  for (const PortRef end : small.fabric.end_ports()) {
    if (small.fabric.is_switch(end.node) || end == small.sm_port) continue;
    const PortRef link[] = {*small.fabric.port(end).peer};
    EXPECT_EQ(cut_off(small.fabric, small.sm_port, link), std::vector<NodeId>{end.node});
  }
}

}  // namespace
}  // namespace weft::plan
