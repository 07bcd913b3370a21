// Paths as an index tells them, against a walk over the plan's tables that is made here.
#include "sa/index.h"

#include <gtest/gtest.h>

#include <random>

#include "sa/rate.h"
#include "tests/sa/desk.h"
#include "topology/blueprint.h"

namespace weft::sa {
namespace {

/// What a packet from `from` meets on its way to a LID, port for port.
std::optional<PathQuality> walked(const Index& index, const End& from, const End& to) {
  const fabric::Fabric& fabric = index.fabric();
  const plan::Plan& plan = *index.view().plan;
  const auto mtu_of = [&](fabric::PortRef port) {
    const std::uint8_t planned = raw(plan.ports[fabric.node(port.node).first_port + raw(port.port)].link.mtu);
    return planned == 0 ? raw(fabric.port(port).mtu_cap) : planned;
  };
  PathQuality quality{std::min(mtu_of(from.port), mtu_of(to.port)), 0, 0, Sl{}};
  int speed = 1 << 16;
  const auto pass = [&](fabric::PortRef port) {
    const fabric::Port& link = fabric.port(port);
    quality.mtu = std::min(quality.mtu, mtu_of(port));
    const std::uint8_t rate = rate_of(link.width, link.speed);
    if (rate_speed(rate) >= speed) return;
    speed = rate_speed(rate);
    quality.rate = rate;
  };
  fabric::PortRef out = from.port;
  if (fabric.is_switch(from.port.node)) {
    const routing::Lft& lft = *plan.routes().lfts[raw(*fabric.switch_of(from.port.node))];
    out = {from.port.node, static_cast<PortNum>(lft[raw(to.base)])};
  }
  for (int hops = 0; hops < 64; ++hops) {
    if (raw(out.port) >= fabric.ports(out.node).size()) return std::nullopt;
    const auto peer = fabric.port(out).peer;
    if (!peer) return std::nullopt;
    pass(out);
    if (*peer == to.port) return quality;
    const auto here = fabric.switch_of(peer->node);
    if (!here) return std::nullopt;
    const std::uint8_t port = (*plan.routes().lfts[raw(*here)])[raw(to.base)];
    if (port == 0) return to.port.node == peer->node ? std::optional(quality) : std::nullopt;
    out = {peer->node, static_cast<PortNum>(port)};
  }
  return std::nullopt;
}

void compare(const Desk& desk, const std::string& what) {
  const Index& index = desk.index;
  std::size_t differ = 0;
  for (const End& from : index.ends())
    for (const End& to : index.ends()) {
      if (&from == &to) continue;
      const auto told = index.path(from, to, to.base);
      const auto expected = walked(index, from, to);
      const bool same = told.has_value() == expected.has_value() &&
                        (!told || (told->mtu == expected->mtu && told->rate == expected->rate));
      differ += !same;
    }
  EXPECT_EQ(differ, 0u) << what;
}

TEST(IndexPaths, AreWhatTheTablesAndLinksSay) {
  constexpr std::array kSpeeds{LinkSpeed::sdr, LinkSpeed::qdr, LinkSpeed::edr, LinkSpeed::hdr};
  std::mt19937 random(7);
  for (const char* blueprint : {"fat-tree:radix=6,levels=2", "dragonfly:p=1,a=3,h=1", "torus:3,3:hosts=1"})
    for (const int slow : {0, 1, 5, 100}) {
      auto topology = topology::from_blueprint(blueprint);
      ASSERT_TRUE(topology.has_value()) << blueprint << topology.error().what;
      for (topology::Cable& cable : topology->cables)
        if (static_cast<int>(random() % 100) < slow) cable.speed = kSpeeds[random() % kSpeeds.size()];
      compare(Desk(*topology), fmt::format("{} {} % other speeds", blueprint, slow));
    }
}

// Faster or slower: a link between switches that is slow holds for those only whose way it is on.
TEST(IndexPaths, OfPairsThatTablesDoNotJoinAreNone) {
  const auto unplugged = [](const fabric::Fabric& fabric, plan::Plan& plan) {
    // Tables that are kept though they lose pairs, as the chain leaves them.
    auto lft = *plan.routing.routes.lfts[0];
    const std::array entries{
        routing::Lft::Entry{raw(plan.lids.of_end_port[fabric.end_ports().size() - 1].base), 255}};
    plan.routing.routes.lfts[0] = std::make_shared<const routing::Lft>(lft.with(entries));
    routing::Problem problem = plan.problem;
    problem.fabric = &fabric;  // the plan's is the one that it was made for, which is gone
    plan.routing.report = routing::check(problem, plan.routing.routes);
  };
  const Desk desk(two_switches(), {}, unplugged);
  compare(desk, "an entry is missing");
}

}  // namespace
}  // namespace weft::sa
