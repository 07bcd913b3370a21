#include "sim/faults/script.h"

#include <gtest/gtest.h>

#include "tests/sim/fabrics.h"

namespace weft::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::string script_refusal(const std::string& text) {
  Lab lab(row_of(3, false));
  const Result<Script> script = script_from(lab.world, text, "f.yaml");
  return script ? "taken" : script.error().what;
}

TEST(Script, DoesItsStepsInTheirTime) {
  Lab lab(row_of(3, false));
  const Result<Script> script = script_from(lab.world, R"(
steps:
  - at: 1s
    cut: "s0[2]"
  - {at: 2s, mend: "s0[2]"}
  - at: 3s
    every: 500ms
    times: 2
    reboot: {node: "s*", pick: 1, away: 100ms}
)");
  ASSERT_TRUE(script) << script.error().what;
  Faults faults(lab.network);
  start(faults, *script);
  lab.clock.run_until(lab.clock.now() + milliseconds(1500));
  EXPECT_FALSE(lab.world.link_up(lab.port("s0", 2)));
  lab.clock.run_until(lab.clock.now() + seconds(1));
  EXPECT_TRUE(lab.world.link_up(lab.port("s0", 2)));
  EXPECT_TRUE(faults.pending());
  lab.clock.run_until(lab.clock.now() + seconds(3));
  EXPECT_FALSE(faults.pending());
}

TEST(Script, ActsAfterAnEvent) {
  Lab lab(row_of(3, false));
  const Result<Script> script = script_from(lab.world, R"(
steps:
  - after: {node: s0, attribute: LinearForwardingTable, method: Set, count: 2}
    reboot: s0
)");
  ASSERT_TRUE(script) << script.error().what;
  Faults faults(lab.network);
  start(faults, *script);
  Listener manager(lab, "h0", 1);
  mad::LinearForwardingTable block;
  for (int i = 0; i < 2; ++i) manager.ask(set(mad::AttrId::linear_forwarding, 0, block, {1}));
  EXPECT_TRUE(lab.world.switch_of(lab.node("s0")).lft.empty());
}

TEST(Script, SaysWhereItIsWrong) {
  EXPECT_EQ(script_refusal("steps: []"), "taken");
  EXPECT_EQ(script_refusal(""), "f.yaml:1: a script is a list under steps:");
  EXPECT_EQ(script_refusal("steps:\n  - cut: s0\n  - cut: s9\n"), "f.yaml:3: cut: no node \"s9\"");
  EXPECT_EQ(script_refusal("steps:\n  - at: 2\n    cut: s0\n"), "f.yaml:2: at: takes a time such as 20ms");
  EXPECT_EQ(script_refusal("steps:\n  - at: 9000h\n    cut: s0\n"),
            "f.yaml:2: at: takes a time up to a year");
  EXPECT_EQ(script_refusal("steps:\n  - {every: 0s, cut: s0}\n"), "f.yaml:2: every: takes a time above 0");
  EXPECT_EQ(script_refusal("steps:\n  - at: 2s\n"), "f.yaml:2: a step without a verb");
  EXPECT_EQ(script_refusal("steps:\n  - cut: s0\n    mend: s0\n"), "f.yaml:3: one verb a step: cut and mend");
  EXPECT_EQ(script_refusal("steps:\n  - {cut: s0, times: 3}\n"), "f.yaml:2: times: needs every:");
  EXPECT_EQ(script_refusal("steps:\n  - {cut: s0, at: 1s, after: {node: s0}}\n"),
            "f.yaml:2: after: and at: do not go together");
  EXPECT_EQ(script_refusal("steps:\n  - after: {nod: s0}\n    cut: s0\n"),
            "f.yaml:2: after: takes no \"nod\"");
  EXPECT_EQ(script_refusal("steps:\n  - cut: [s0]\n"),
            "f.yaml:2: takes what it is about, or a map of arguments");
  EXPECT_EQ(script_refusal("steps:\n  - {at: 1s, cut: s0, at: 2s}\n"), "f.yaml:2: at: stands here twice");
  EXPECT_EQ(script_refusal("steps:\n  - after: {node: s0, count: 0}\n    cut: s0\n"),
            "f.yaml:2: after: count takes a number from 1 on");
  EXPECT_EQ(script_refusal("steps:\n  - forge: {nodes: s0, attribute: PortInfo, field: LID, value: 65536}\n"),
            "f.yaml:2: forge: value takes a number up to 65535, not \"65536\"");
  EXPECT_EQ(script_refusal("steps:\n  - forge: {nodes: s0, attribute: PortInfo, field: LID, value: 65535}\n"),
            "taken");
  EXPECT_EQ(script_refusal("steps: [\n"), "f.yaml:2: end of sequence flow not found");
}

}  // namespace
}  // namespace weft::sim
