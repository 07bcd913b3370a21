#include "program/lanes.h"

#include <map>
#include <random>

#include <gtest/gtest.h>

#include "tests/fabric/small_fabric.h"

namespace weft::program {
namespace {

/// One switch of eight ports, of which 1 to 6 have links to others; with or without whole rows.
fabric::Fabric one_switch(bool wildcards) {
  std::vector<fabric::Node> nodes{fabric::make_switch(1)};
  nodes[0].switch_facts.optimized_sl_to_vl = wildcards;
  std::vector<fabric::Cable> cables;
  for (int p = 1; p <= 6; ++p) {
    nodes.push_back(fabric::make_switch(static_cast<std::uint64_t>(10 + p)));
    cables.push_back({1, p, static_cast<std::uint64_t>(10 + p), 1});
  }
  fabric::Builder builder;
  for (const fabric::Node& node : nodes) fabric::must(builder.add_node(node));
  for (const fabric::Cable& cable : cables)
    fabric::must(builder.connect({Guid{cable.a}, static_cast<PortNum>(cable.a_port)},
                                 {Guid{cable.b}, static_cast<PortNum>(cable.b_port)}));
  return builder.build();
}

routing::Lanes random_lanes(std::mt19937& random) {
  routing::Lanes lanes;
  lanes.count = 2;
  lanes.port_class.resize(1);
  for (int p = 0; p <= 8; ++p)
    lanes.port_class[0].push_back(static_cast<std::uint8_t>(p == 0 ? 0 : random() % 4));
  for (auto& row : lanes.vl)
    for (std::uint8_t& vl : row) vl = static_cast<std::uint8_t>(random() % 3);
  return lanes;
}

/// A plan with these lanes and nothing else, for links of eight VLs.
plan::Plan plan_with(const fabric::Fabric& fabric, routing::Lanes lanes) {
  plan::Plan plan;
  std::size_t ports = 0;
  for (const fabric::Node& node : fabric.nodes()) ports += std::size_t{node.port_count} + 1;
  plan.ports.resize(ports);
  for (plan::PortSettings& settings : plan.ports) settings.link.vls = VlCount::vl8;
  plan.routing.routes.lanes = std::make_shared<const routing::Lanes>(std::move(lanes));
  return plan;
}

std::vector<TableSet> sets_for(const fabric::Fabric& fabric, const routing::Lanes& lanes) {
  const plan::Plan plan = plan_with(fabric, lanes);
  return lane_sets(fabric, plan, NodeId{0});
}

Vl vl_of(const TableSet& one) { return mad::decode<mad::SlToVlTable>(one.data).vl[0]; }

/// What a switch holds after these Sets.
std::map<std::pair<int, int>, Vl> held_after(const std::vector<TableSet>& sets) {
  std::map<std::pair<int, int>, Vl> held;
  for (const TableSet& one : sets)
    for (int in = 0; in <= 8; ++in)
      for (int out = 0; out <= 8; ++out) {
        const bool this_in =
            (one.modifier >> 17 & 1) != 0 || in == static_cast<int>(one.modifier >> 8 & 0xff);
        const bool this_out = (one.modifier >> 16 & 1) != 0 || out == static_cast<int>(one.modifier & 0xff);
        if (this_in && this_out) held[{in, out}] = vl_of(one);
      }
  return held;
}

TEST(LaneSets, LeadToWhatTheLanesDemandInBothForms) {
  std::mt19937 random(5);
  for (int i = 0; i < 500; ++i) {
    const routing::Lanes lanes = random_lanes(random);
    for (const bool wildcards : {false, true}) {
      const fabric::Fabric fabric = one_switch(wildcards);
      const auto held = held_after(sets_for(fabric, lanes));
      for (int in = 0; in <= 6; ++in)
        for (int out = 1; out <= 6; ++out)
          ASSERT_EQ(held.at({in, out}),
                    lanes.at(SwitchId{0}, static_cast<PortNum>(in), static_cast<PortNum>(out)))
              << wildcards << " " << in << " " << out;
    }
  }
}

TEST(LaneSets, AreOneForAllAndOneForWhatDiffers) {
  routing::Lanes lanes;
  lanes.count = 2;
  lanes.port_class = {{0, 0, 0, 0, 1, 1, 1}};
  lanes.vl[0] = {0, 0};
  lanes.vl[1] = {1, 1};
  const auto sets_of = [&lanes](bool wildcards) {
    const fabric::Fabric fabric = one_switch(wildcards);
    return sets_for(fabric, lanes).size();
  };
  EXPECT_EQ(sets_of(true), 4u) << "one for all, and rows of the three ports that differ";
  EXPECT_EQ(sets_of(false), 42u) << "7 in, 6 out";
  lanes.vl[1] = {0, 0};
  EXPECT_EQ(sets_of(true), 1u);
}

TEST(LanesDigest, DependsOnEveryLane) {
  std::mt19937 random(6);
  const fabric::Fabric fabric = one_switch(false);
  for (int i = 0; i < 100; ++i) {
    std::vector<TableSet> sets = sets_for(fabric, random_lanes(random));
    const std::uint64_t before = lanes_digest(sets);
    sets[random() % sets.size()].data[3] ^= 1;
    ASSERT_NE(lanes_digest(sets), before);
  }
}

}  // namespace
}  // namespace weft::program
