#include "discovery/discover.h"

#include <gtest/gtest.h>

#include "discovery/convert.h"
#include "sim/network.h"
#include "sim/sim_transport.h"
#include "topology/load.h"
#include "transport/run.h"

namespace weft::discovery {
namespace {

struct Scene {
  explicit Scene(std::string_view blueprint, sim::Settings settings = {})
      : topology(*topology::load(blueprint)),
        world(topology, clock, 1, settings),
        network(world),
        transport(*sim::SimTransport::open(network, "h00000", PortNum{1})),
        client(*transport, clock, {}) {}
  Result<Discovered> discover(DiscoverOptions options = {}) {
    return transport::run_virtual(loop, clock, discovery::discover(client, shadow, std::move(options)));
  }
  std::uint64_t sent(mad::AttrId attribute) const {
    const auto found = client.counts().find({mad::Method::get, attribute});
    return found != client.counts().end() ? found->second : 0;
  }

  topology::Topology topology;
  asio::io_context loop{1};
  VirtualClock clock;
  sim::World world;
  sim::Network network;
  std::unique_ptr<sim::SimTransport> transport;
  transport::SmpClient client;
  mad::Shadow shadow;
};

TEST(Discover, FindsEveryNodeAndCable) {
  Scene scene("fat-tree:radix=8,levels=3");
  const auto found = scene.discover();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->fabric->node_count(), scene.topology.nodes.size());
  for (const topology::Cable& cable : scene.topology.cables) {
    const auto a = found->fabric->find(scene.topology.nodes[cable.a.node].guid);
    const auto b = found->fabric->find(scene.topology.nodes[cable.b.node].guid);
    ASSERT_TRUE(a && b);
    const fabric::PortRef other{*b, cable.b.port};
    EXPECT_EQ(found->fabric->port({*a, cable.a.port}).peer, other);
  }
  EXPECT_TRUE(found->findings.empty());
}

TEST(Discover, ProbesEachLinkOfATreeOnceAndEachPortOnce) {
  Scene scene("fat-tree:radix=8,levels=3");
  ASSERT_TRUE(scene.discover());
  EXPECT_EQ(scene.sent(mad::AttrId::node_info), scene.topology.cables.size() + 1);
  EXPECT_EQ(scene.sent(mad::AttrId::node_description), scene.topology.nodes.size());
}

TEST(Discover, FindsTheSameFabricFromTwoPlaces) {
  Scene one("dragonfly:p=2,a=4,h=1");
  Scene two("dragonfly:p=2,a=4,h=1");
  two.transport.reset();
  two.transport = *sim::SimTransport::open(two.network, "h00005", PortNum{1});
  transport::SmpClient client(*two.transport, two.clock, {});
  const auto a = one.discover();
  const auto b = transport::run_virtual(two.loop, two.clock, discover(client, two.shadow, {}));
  ASSERT_TRUE(a && b);
  EXPECT_EQ(*a->fabric, *b->fabric);
}

TEST(Discover, SeesTheTrueSpeedOfNewLinks) {
  for (const auto& [text, speed] : {std::pair{"NDR", LinkSpeed::ndr}, std::pair{"XDR", LinkSpeed::xdr}}) {
    Scene scene(fmt::format("star:3:speed={}", text));
    const auto found = scene.discover();
    ASSERT_TRUE(found);
    for (const fabric::PortRef end : found->fabric->end_ports()) {
      if (found->fabric->is_switch(end.node)) continue;
      EXPECT_EQ(found->fabric->port(end).speed, speed) << text;
    }
  }
}

TEST(Discover, TellsThatItsOwnLinkIsDown) {
  Scene scene("star:3");
  scene.world.cut_link(*scene.world.find("h00000"), PortNum{1});
  const auto found = scene.discover();
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Errc::unavailable);
}

TEST(Discover, LeavesOutASwitchThatStopsAnsweringAndTellsWhere) {
  Scene scene("fat-tree:radix=4");
  scene.world.forge(*scene.world.find("L2-00"), mad::AttrId::switch_info, [](mad::Smp&) { return false; });
  const auto found = scene.discover();
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->fabric->find(scene.world.node(*scene.world.find("L2-00")).guid));
  EXPECT_FALSE(found->findings.empty());
  EXPECT_FALSE(found->dangling.empty());
}

TEST(Discover, UsesTheNamesOfTheConfiguration) {
  Scene scene("star:2");
  const Guid guid = scene.world.node(*scene.world.find("h00001")).guid;
  DiscoverOptions options;
  options.names[guid] = "storage-1";
  const auto found = scene.discover(options);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->fabric->node(*found->fabric->find(guid)).description, "storage-1");
}

TEST(NonsenseIn, NamesWhatCannotBe) {
  mad::NodeInfo info;
  info.node_guid = Guid{1};
  info.port_guid = Guid{2};
  info.type = NodeType::hca;
  info.port_count = 2;
  info.local_port = PortNum{1};
  EXPECT_FALSE(nonsense_in(info));
  info.local_port = PortNum{3};
  EXPECT_TRUE(nonsense_in(info));
  info.port_count = 0;
  EXPECT_EQ(*nonsense_in(info), "NumPorts 0");
}

}  // namespace
}  // namespace weft::discovery
