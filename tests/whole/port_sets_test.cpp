// Port sets of a running manager: what the control API exports is walked by the simulator's judge, over the
// tables and lanes that the manager has programmed.

#include <gtest/gtest.h>

#include "sim/port_sets.h"
#include "tests/whole/asked_api.h"

namespace weft::test {
namespace {

namespace json = boost::json;

config::Settings with_port_sets(plan::PortSetOptions options) {
  config::Settings settings;
  settings.plan.routing.port_sets = options;
  return settings;
}

/// A manager that has brought up a fabric, and its control API.
struct Exporting {
  Exporting(std::string_view blueprint, plan::PortSetOptions options) : whole(blueprint) {
    whole.start({}, with_port_sets(options));
    EXPECT_TRUE(whole.settle()) << whole.faults();
  }
  daemon::Response ask(const std::string& target) const { return api.get(target); }
  json::value get(const std::string& target) const { return api.json_of(target); }
  std::string exported() const {
    std::string text;
    const daemon::Response response = ask("/v1/dump/port-sets");
    while (response.more && response.more(text)) {
    }
    return text;
  }
  std::string verdict() const {
    const Result<sim::PortSets> sets = sim::port_sets_from(*whole.world, exported());
    if (!sets) return sets.error().what + ": " + ask("/v1/port-sets").body;
    const sim::SetsVerdict verdict = sim::judge_port_sets(*whole.world, *sets);
    EXPECT_GT(verdict.walked, 100u);
    return verdict.failures.empty() ? verdict.credit_loop : verdict.failures.front();
  }
  Whole whole;
  AskedApi api{whole};
};

using Mode = plan::PortSetOptions::Mode;
class Exported : public testing::TestWithParam<std::tuple<const char*, Mode, int>> {};

TEST_P(Exported, AreSafeByEveryMemberOnWhatIsProgrammed) {
  const auto [blueprint, mode, groups] = GetParam();
  Exporting fabric(blueprint, {mode, static_cast<std::uint16_t>(groups)});
  EXPECT_EQ(fabric.verdict(), "");
  for (std::uint32_t n = 0; n < 2; ++n) {  // after faults too
    sim::World& world = *fabric.whole.world;
    const sim::PortIndex host = world.port_of(fabric.whole.node(fabric.whole.first_host), PortNum{1});
    const sim::NodeIndex leaf = world.port(world.port(host).peer).node;
    world.cut_link(leaf, static_cast<PortNum>(world.node(leaf).port_count - n));
    fabric.whole.run_for(std::chrono::seconds(1));
    ASSERT_TRUE(fabric.whole.settle()) << fabric.whole.faults();
    EXPECT_EQ(fabric.verdict(), "");
  }
}

INSTANTIATE_TEST_SUITE_P(PortSets, Exported,
                         testing::Values(std::tuple("fat-tree:radix=8,levels=3", Mode::compact, 0),
                                         std::tuple("fat-tree:radix=8,levels=3", Mode::per_leaf, 0),
                                         std::tuple("dragonfly:p=2,a=6,h=2,g=9", Mode::compact, 4),
                                         std::tuple("dragonfly+:leaves=3,spines=3,hosts=2,globals=2,groups=5",
                                                    Mode::per_leaf, 100)));

TEST(PortSets, AreShownBySwitchAndLeaf) {
  const Exporting fabric("fat-tree:radix=8,levels=3", {Mode::per_leaf, 0});
  const json::value switches = fabric.get("/v1/port-sets");
  ASSERT_EQ(switches.at("total").to_number<int>(), 80);
  const std::string name(switches.at("switches").at(0).at("name").as_string());
  const json::value of_one = fabric.get("/v1/port-sets?switch=" + name.substr(0, name.find(' ')) + "%20leaf");
  const json::array& sets = of_one.at("sets").as_array();
  EXPECT_EQ(sets.size(), 31u);  // all leaves but itself
  EXPECT_EQ(sets.front().at("ports").as_array().size(), 4u);
  EXPECT_NE(sets[0].at("group").as_int64(), sets[1].at("group").as_int64());
}

TEST(PortSets, ThatAreNotPlannedAreRefusedWithTheReason) {
  const Exporting off("fat-tree:radix=8,levels=2", {});
  EXPECT_EQ(off.ask("/v1/port-sets").status, 404);
  EXPECT_NE(off.ask("/v1/dump/port-sets").body.find("routing.port_sets"), std::string::npos);
  const Exporting ring("ring:5", {Mode::compact, 0});
  EXPECT_NE(ring.ask("/v1/port-sets").body.find("no port sets: there are no port sets for tables of up-down"),
            std::string::npos);
}

TEST(PortSets, OfAnUnchangedFabricAreTheSameObject) {
  Exporting fabric("fat-tree:radix=8,levels=2", {Mode::compact, 0});
  const auto before = fabric.whole.manager->view()->plan;
  fabric.whole.bring_up();
  EXPECT_EQ(fabric.whole.manager->view()->plan->port_sets, before->port_sets);
  ASSERT_NE(before->port_sets, nullptr);
}

}  // namespace
}  // namespace weft::test
