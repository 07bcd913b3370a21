#include "program/lanes.h"

#include <map>
#include <random>

#include <gtest/gtest.h>

#include "tests/fabric/small_fabric.h"

namespace weft::program {
namespace {

/// One switch of eight ports, of which 1 to 6 have links; with or without whole rows.
fabric::Fabric one_switch(bool wildcards) {
  std::vector<fabric::Node> nodes{fabric::make_switch(1)};
  nodes[0].switch_facts.optimized_sl_to_vl = wildcards;
  std::vector<fabric::Cable> cables;
  for (int p = 1; p <= 6; ++p) {
    nodes.push_back(fabric::make_host(static_cast<std::uint64_t>(10 + p)));
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

/// What a switch holds after these Sets.
std::map<std::pair<int, int>, Vl> held_after(const std::vector<LaneSet>& sets) {
  std::map<std::pair<int, int>, Vl> held;
  for (const LaneSet& one : sets)
    for (int in = 0; in <= 8; ++in)
      for (int out = 0; out <= 8; ++out) {
        const bool this_in =
            (one.modifier >> 17 & 1) != 0 || in == static_cast<int>(one.modifier >> 8 & 0xff);
        const bool this_out = (one.modifier >> 16 & 1) != 0 || out == static_cast<int>(one.modifier & 0xff);
        if (this_in && this_out) held[{in, out}] = one.vl;
      }
  return held;
}

TEST(LaneSets, LeadToWhatTheLanesDemandInBothForms) {
  std::mt19937 random(5);
  for (int i = 0; i < 500; ++i) {
    const routing::Lanes lanes = random_lanes(random);
    for (const bool wildcards : {false, true}) {
      const fabric::Fabric fabric = one_switch(wildcards);
      const auto held = held_after(lane_sets(fabric, lanes, SwitchId{0}));
      for (int in = 0; in <= 6; ++in)
        for (int out = 1; out <= 6; ++out)
          ASSERT_EQ(held.at({in, out}),
                    lanes.at(SwitchId{0}, static_cast<PortNum>(in), static_cast<PortNum>(out)))
              << wildcards << " " << in << " " << out;
    }
  }
}

TEST(LaneSets, AreOneForEveryPortWhereRowsSayAll) {
  routing::Lanes lanes;
  lanes.count = 2;
  lanes.port_class = {{0, 0, 0, 0, 1, 1, 1}};
  lanes.vl[0] = {0, 0};
  lanes.vl[1] = {1, 1};
  EXPECT_EQ(lane_sets(one_switch(true), lanes, SwitchId{0}).size(), 7u);    // port 0 and six others
  EXPECT_EQ(lane_sets(one_switch(false), lanes, SwitchId{0}).size(), 42u);  // 7 in, 6 out
}

TEST(LanesDigest, DependsOnEveryLane) {
  std::mt19937 random(6);
  const fabric::Fabric fabric = one_switch(false);
  for (int i = 0; i < 100; ++i) {
    std::vector<LaneSet> sets = lane_sets(fabric, random_lanes(random), SwitchId{0});
    const std::uint64_t before = lanes_digest(sets);
    LaneSet& one = sets[random() % sets.size()];
    one.vl = static_cast<Vl>(raw(one.vl) ^ 1);
    ASSERT_NE(lanes_digest(sets), before);
  }
}

}  // namespace
}  // namespace weft::program
