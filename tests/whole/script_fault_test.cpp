// Every kind of fault that the simulator knows, by script, on three shapes and twenty seeds each: whatever
// happens while the fabric comes up and after, in the end it is whole again.

#include <gtest/gtest.h>

#include "sim/faults/script.h"
#include "tests/whole/whole.h"

namespace weft::test {
namespace {

constexpr int kSeeds = 20;
constexpr Duration kLimit = std::chrono::minutes(10);

struct Kind {
  const char* name;
  const char* script;
};

const Kind kKinds[] = {
    {"SlowAgentsAndLinks", R"(steps:
  - delay: {nodes: "@switches", pick: 30%, by: 3ms}
  - link: {cables: "@trunks", pick: 30%, delay: 200us}
  - {at: 20s, heal: "*"})"},
    {"SilentLoss", R"(steps:
  - everywhere: {loss: 2%}
  - lose: {nodes: "@hosts", pick: 2, rate: 50%, what: answer}
  - {at: 20s, everywhere: {loss: 0%}}
  - {at: 20s, heal: "*"})"},
    {"DuplicatesOutOfOrder", R"(steps:
  - everywhere: {duplicates: 10%, reordered: 20%, by: 2ms}
  - {at: 20s, everywhere: {loss: 0%}})"},
    {"MuteNodes", R"(steps:
  - {at: 1ms, mute: {nodes: "@switches", pick: 1, mode: smi, for: 15s}}
  - {at: 20s, mute: {nodes: "@hosts", pick: 2, for: 15s}})"},
    {"RebootInTheMiddleOfATable", R"(steps:
  - after: {attribute: LinearForwardingTable, method: Set, count: 3}
    reboot: {nodes: "@switches", pick: 1, away: 50ms}
  - {at: 15s, reboot: {nodes: "@switches", pick: 1, away: 2s}})"},
    {"ForgedFields", R"(steps:
  - forge: {nodes: "@switches", pick: 1, attribute: SwitchInfo, field: LinearFDBCap, value: 0}
  - forge: {nodes: "@hosts", pick: 1, attribute: NodeInfo, field: NumPorts, value: 0}
  - {at: 15s, heal: "*"})"},
    {"RefusedSets", R"(steps:
  - refuse: {nodes: "@switches", pick: 2, attribute: LinearForwardingTable, times: 3}
  - refuse: {nodes: "*", pick: 3, attribute: PortInfo, times: 2, status: 0x1c}
  - refuse: {nodes: "@switches", pick: 1, attribute: SwitchInfo, times: 2, status: 0x1})"},
    {"LoweredCapabilities", R"(steps:
  - lower: {nodes: "@switches", pick: 2, mtu: 1024, vls: 1, lft: 1024}
  - {at: 15s, lower: {nodes: "@switches", pick: 1, vls: 2}})"},
    {"FlappingLink", R"(steps:
  - {at: 5s, flap: {cables: "@trunks", pick: 1, period: 700ms, down: 300ms, times: 8}})"},
    {"TrapStorm", R"(steps:
  - {at: 5s, storm: {nodes: "@switches", pick: 2, times: 300, every: 5ms}})"},
    {"PartsCutAndMended", R"(steps:
  - {at: 2ms, cut: {cables: "@trunks", pick: 30%, for: 8s}}
  - {at: 20s, cut: {cables: "@trunks", pick: 50%, for: 12s}})"},
    {"MovedCable", R"(steps:
  - {at: 5s, unplug: h00002}
  - {at: 6s, move: {port: "h00001[1]", to: "h00002[1]"}})"},
    {"SwappedNodes", R"(steps:
  - {at: 5s, swap: {node: h00001, with: h00003}}
  - {at: 25s, guid: {node: h00002, to: 0x77}})"},
    {"ClearedLids", R"(steps:
  - {at: 5s, clear-lids: {nodes: "@hosts", pick: 3}}
  - {at: 5s, clear-lids: {nodes: "@switches", pick: 1}}
  - {at: 25s, lid: {port: "h00001[1]", to: 77}})"},
};

class Scripted : public testing::TestWithParam<std::tuple<const char*, Kind>> {};

TEST_P(Scripted, FaultIsOvercome) {
  const auto& [blueprint, kind] = GetParam();
  for (int seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Whole whole(blueprint, static_cast<std::uint64_t>(seed));
    const Result<sim::Script> script = sim::script_from(*whole.world, kind.script);
    ASSERT_TRUE(script) << script.error().what;
    sim::Faults faults(*whole.network);
    sim::start(faults, *script);
    config::Settings settings;
    settings.link_health.hold = std::chrono::minutes(1);  // who flaps is held
    whole.start({}, settings);
    whole.run_for(std::chrono::seconds(60));
    EXPECT_FALSE(faults.pending());
    EXPECT_TRUE(whole.settle(kLimit));
    ASSERT_EQ(whole.faults(), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Scripted,
                         testing::Combine(testing::Values("fat-tree:radix=4,levels=3",
                                                          "dragonfly:p=2,a=4,h=2,g=5", "ring:6"),
                                          testing::ValuesIn(kKinds)),
                         [](const auto& test) {
                           const std::string blueprint = std::get<0>(test.param);
                           const std::string shape = blueprint.starts_with("fat") ? "Tree"
                                                     : blueprint.starts_with("d") ? "Dragonfly"
                                                                                  : "Ring";
                           return std::string(std::get<1>(test.param).name) + "On" + shape;
                         });

}  // namespace
}  // namespace weft::test
