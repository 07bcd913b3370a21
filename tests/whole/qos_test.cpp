// Service levels end to end: the lanes that packets take, hop by hop, and the shares that ports give them.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "mad/tables.h"
#include "sim/probe.h"
#include "tests/whole/asked_api.h"

namespace weft::test {
namespace {

constexpr std::string_view kQosTree = "xgft:m=3,4:w=1,2";
constexpr std::string_view kDragonfly = "dragonfly:p=2,a=4,h=2,g=9";

qos::Policy four_levels() {
  qos::Policy policy;
  policy.levels = {{.name = "bulk", .sl = Sl{0}, .weight = 1},
                   {.name = "training", .sl = Sl{1}, .weight = 3},
                   {.name = "kv-cache", .sl = Sl{2}, .strict = true},
                   {.name = "storage", .sl = Sl{5}, .weight = 4}};
  return policy;
}

config::Settings with_levels(qos::Policy policy) {
  config::Settings settings;
  settings.plan.qos = std::move(policy);
  return settings;
}

class Levels : public testing::Test {
 protected:
  explicit Levels(std::string_view blueprint = kQosTree) : whole(blueprint) {}
  Whole whole;

  void equip(sim::Settings settings) {
    for (std::uint32_t n = 0; n < whole.world->node_count(); ++n) {
      whole.world->equip(sim::NodeIndex{n}, settings);
      whole.world->reboot(sim::NodeIndex{n});
    }
  }
  void start(qos::Policy policy) {
    whole.start({}, with_levels(std::move(policy)));
    ASSERT_TRUE(whole.settle()) << whole.faults();
  }
  sim::Probed sent(std::string_view from, std::string_view to, Sl sl) {
    const auto port = [this](std::string_view host) {
      return whole.world->port_of(whole.node(host), PortNum{1});
    };
    return sim::send_probe(*whole.world,
                           {.from = port(from), .to = whole.world->port(port(to)).info.lid, .sl = sl});
  }
  /// VLs of the hops between switches.
  std::vector<int> lanes_between(const sim::Probed& probed) const {
    std::vector<int> lanes;
    for (const sim::ProbeHop& hop : probed.hops)
      if (whole.world->is_switch(whole.world->port(hop.out).node) &&
          whole.world->is_switch(whole.world->port(hop.in).node))
        lanes.push_back(raw(hop.vl));
    return lanes;
  }
  std::uint64_t sets_of(mad::AttrId attribute) const {
    return whole.world->counters().total(
        {.node = {}, .mgmt_class = {}, .method = mad::Method::set, .attribute = attribute});
  }
  /// Weight of each VL in one block of a port's arbitration table.
  std::map<int, int> weights(sim::NodeIndex node, std::uint32_t block, std::uint32_t port) const {
    std::map<int, int> sum;
    const mad::DeviceBlocks* blocks = whole.world->find_blocks(node);
    const mad::AttrData* data =
        blocks == nullptr ? nullptr : blocks->find(mad::AttrId::vl_arbitration, block << 16 | port);
    if (data == nullptr) return sum;
    for (const std::uint16_t entry : mad::decode<mad::VlArbitrationTable>(*data).entries)
      if ((entry & 0xff) != 0) sum[entry >> 8 & 0xf] += entry & 0xff;
    return sum;
  }
};

TEST_F(Levels, EachHasALaneOfItsOwn) {
  start(four_levels());
  const std::map<int, int> expected{{0, 0}, {1, 1}, {2, 2}, {5, 3}, {4, 0}, {14, 0}};
  for (const auto& [sl, vl] : expected) {
    const sim::Probed probed = sent("h00000", "h00011", static_cast<Sl>(sl));
    ASSERT_TRUE(probed.delivered()) << describe(*whole.world, probed);
    ASSERT_EQ(lanes_between(probed).size(), 2u);
    for (const sim::ProbeHop& hop : probed.hops) EXPECT_EQ(raw(hop.vl), vl) << "SL " << sl;
  }
}

TEST_F(Levels, LeaveNoLaneBehindWhenTheyAreTakenAway) {
  start({.levels = {{.name = "a", .sl = Sl{0}}, {.name = "b", .sl = Sl{4}, .weight = 3}}});
  EXPECT_EQ(lanes_between(sent("h00000", "h00007", Sl{4})), (std::vector<int>{1, 1}));
  const std::uint64_t generation = whole.manager->view()->generation;
  whole.manager->reconfigure(std::make_shared<const config::Settings>());
  ASSERT_TRUE(whole.run_until([&] { return whole.manager->view()->generation > generation; },
                              std::chrono::minutes(1)));
  ASSERT_TRUE(whole.settle()) << whole.faults();
  EXPECT_EQ(lanes_between(sent("h00000", "h00007", Sl{4})), (std::vector<int>{0, 0}));
  const std::uint64_t sets = sets_of(mad::AttrId::sl_to_vl);
  whole.start(whole.store.ledger);
  ASSERT_TRUE(whole.settle());
  EXPECT_EQ(sets_of(mad::AttrId::sl_to_vl), sets) << "a restart knows that they are gone";
}

TEST_F(Levels, SharesStandInTheArbitrationTables) {
  start(four_levels());
  const sim::NodeIndex host = whole.node("h00003");
  const auto low = weights(host, 1, 1);
  ASSERT_EQ(low.size(), 3u) << "three levels that share";
  const double all = low.at(0) + low.at(1) + low.at(3);
  EXPECT_NEAR(low.at(0) / all, 1.0 / 8, 0.01);
  EXPECT_NEAR(low.at(1) / all, 3.0 / 8, 0.01);
  EXPECT_NEAR(low.at(3) / all, 4.0 / 8, 0.01);
  const auto high = weights(host, 3, 1);
  EXPECT_EQ(high.size(), 1u);
  EXPECT_TRUE(high.contains(2));
  EXPECT_EQ(whole.world->port(whole.world->port_of(host, PortNum{1})).info.vl_high_limit, 255);
}

/// SL n on VL n / 2, from hosts the other way round; SL 13 dropped by switches.
qos::TypedTables typed_tables() {
  qos::TypedTable table;
  for (std::size_t sl = 0; sl < 16; ++sl) table.sl2vl[sl] = static_cast<Vl>(sl / 2);
  table.arbitration = {.high = {{Vl{7}, 9}}, .low = {{Vl{0}, 1}, {Vl{1}, 64}, {Vl{0}, 2}}, .high_limit = 3};
  qos::TypedTables tables{table, table, table};
  for (std::size_t sl = 0; sl < 16; ++sl) tables.hosts.sl2vl[sl] = static_cast<Vl>(7 - sl / 2);
  tables.switches.sl2vl[13] = Vl{15};
  tables.switches.arbitration.high_limit = 4;
  return tables;
}

TEST_F(Levels, TypedTablesAreWrittenAsTheyAre) {
  qos::Policy policy = four_levels();
  policy.tables = typed_tables();
  start(policy);
  for (int sl = 0; sl < 15; ++sl) {
    const sim::Probed probed = sent("h00000", "h00011", static_cast<Sl>(sl));
    ASSERT_EQ(probed.delivered(), sl != 13) << describe(*whole.world, probed);
    if (sl == 13) continue;
    EXPECT_EQ(raw(probed.hops.front().vl), 7 - sl / 2);
    for (std::size_t hop = 1; hop < probed.hops.size(); ++hop) EXPECT_EQ(raw(probed.hops[hop].vl), sl / 2);
  }
  const sim::NodeIndex host = whole.node("h00003");
  EXPECT_EQ(weights(host, 1, 1), (std::map<int, int>{{0, 3}, {1, 64}}));
  EXPECT_EQ(weights(host, 3, 1), (std::map<int, int>{{7, 9}}));
  const sim::Port& port = whole.world->port(whole.world->port_of(host, PortNum{1}));
  EXPECT_EQ(port.info.vl_high_limit, 3);
  EXPECT_EQ(whole.world->port(port.peer).info.vl_high_limit, 4);
  const std::uint64_t before = whole.sets();
  whole.start(whole.store.ledger, with_levels(policy));
  whole.run_for(std::chrono::seconds(30));
  EXPECT_EQ(whole.sets(), before) << "a restart writes nothing";
}

TEST_F(Levels, TypedTablesNeedNoLevels) {
  start({.tables = typed_tables()});
  EXPECT_EQ(raw(sent("h00000", "h00011", Sl{6}).hops.back().vl), 3);
}

TEST_F(Levels, TypedTablesComeAndGoOnALiveFabric) {
  start({});
  for (const bool typed : {true, false, true}) {
    qos::Policy policy = four_levels();
    if (typed) policy.tables = typed_tables();
    const std::uint64_t before = whole.manager->view()->generation;
    whole.manager->reconfigure(std::make_shared<const config::Settings>(with_levels(policy)));
    ASSERT_TRUE(
        whole.run_until([&] { return whole.manager->view()->generation > before; }, std::chrono::minutes(1)));
    ASSERT_TRUE(whole.settle()) << whole.faults();
    const sim::Probed probed = sent("h00000", "h00011", Sl{5});
    ASSERT_TRUE(probed.delivered());
    EXPECT_EQ(raw(probed.hops.back().vl), typed ? 2 : 3);
  }
}

TEST_F(Levels, ARestartWritesNothing) {
  start(four_levels());
  const std::uint64_t before = whole.sets();
  whole.start(whole.store.ledger, with_levels(four_levels()));
  whole.run_for(std::chrono::seconds(30));
  EXPECT_EQ(whole.sets(), before);
}

TEST_F(Levels, WithoutAnyNothingIsWritten) {
  start({});
  EXPECT_EQ(sets_of(mad::AttrId::sl_to_vl), 0u);
  EXPECT_EQ(sets_of(mad::AttrId::vl_arbitration), 0u);
}

TEST_F(Levels, ASwitchThatTakesManyPortsAtOnceCostsOneSet) {
  sim::Settings settings;
  settings.optimized_sl_to_vl = true;
  equip(settings);
  start(four_levels());
  EXPECT_EQ(sets_of(mad::AttrId::sl_to_vl), 6u + 12u) << "one for each switch and host";
}

TEST_F(Levels, AHostWithTwoLanesSharesTheLast) {
  sim::Settings settings;
  settings.vl_cap = VlCount::vl2;
  whole.world->equip(whole.node("h00011"), settings);
  whole.world->reboot(whole.node("h00011"));
  start(four_levels());
  for (const int sl : {0, 1, 2, 5}) {
    const sim::Probed probed = sent("h00000", "h00011", static_cast<Sl>(sl));
    ASSERT_TRUE(probed.delivered()) << describe(*whole.world, probed);
    EXPECT_EQ(raw(probed.hops.back().vl), std::min(sl == 5 ? 3 : sl, 1));
    EXPECT_TRUE(sent("h00011", "h00000", static_cast<Sl>(sl)).delivered());
  }
}

TEST_F(Levels, TooFewLanesAreToldAndShared) {
  sim::Settings settings;
  settings.vl_cap = VlCount::vl2;
  equip(settings);
  start(four_levels());
  EXPECT_TRUE(whole.has_problem("4 levels need 4 VLs, 1 each, and links between switches have 2"));
  for (const int sl : {0, 1, 2, 5})
    EXPECT_TRUE(sent("h00000", "h00011", static_cast<Sl>(sl)).delivered()) << sl;
}

TEST_F(Levels, AreExplainedAsPacketsGo) {
  qos::Policy policy = four_levels();
  policy.rules = {
      {.level = "storage", .destination = {.ports = {{.kind = qos::Who::Kind::name, .name = "h00011"}}}}};
  start(policy);
  const AskedApi api(whole, with_levels(policy));
  const auto answer = api.json_of("/v1/explain/qos?from=h00000&to=h00011");
  EXPECT_EQ(answer.at("level").at("name").as_string(), "storage");
  EXPECT_EQ(answer.at("rule").as_string(), "rule 1 (level storage)");
  const sim::Probed probed = sent("h00000", "h00011", Sl{5});
  const auto& hops = answer.at("hops").as_array();
  ASSERT_EQ(hops.size(), probed.hops.size());
  for (std::size_t i = 0; i < hops.size(); ++i)
    EXPECT_EQ(hops[i].at("vl").to_number<int>(), raw(probed.hops[i].vl));
  const auto other = api.json_of("/v1/explain/qos?from=h00000&to=h00005");
  EXPECT_EQ(other.at("level").at("name").as_string(), "bulk");
  EXPECT_TRUE(other.at("rule").is_null());
  EXPECT_EQ(api.json_of("/v1/levels").at("total").to_number<int>(), 4);
  EXPECT_EQ(api.get("/v1/explain/qos?from=h00000&to=h00011&class=x").status, 400);
}

TEST_F(Levels, KeepDeliveringWhileTheyChange) {
  std::mt19937 random(3);
  start(four_levels());
  for (int change = 0; change < 12; ++change) {
    qos::Policy policy = four_levels();
    std::ranges::shuffle(policy.levels, random);
    policy.levels.resize(1 + random() % 4);
    for (qos::Level& level : policy.levels) {
      level.strict = random() % 3 == 0;
      level.weight = static_cast<int>(1 + random() % 9);
    }
    if (random() % 4 == 0) policy.tables = typed_tables();
    whole.manager->reconfigure(std::make_shared<const config::Settings>(with_levels(policy)));
    std::string lost;
    std::uint64_t seen = whole.sets();
    whole.run_until(
        [&] {
          if (whole.sets() == seen) return false;
          seen = whole.sets();
          for (int sl = 0; sl < 13; ++sl)
            for (const auto& [from, to] :
                 {std::pair("h00000", "h00011"), {"h00011", "h00000"}, {"h00004", "h00005"}})
              if (const sim::Probed probed = sent(from, to, static_cast<Sl>(sl)); !probed.delivered())
                lost = fmt::format("SL {}: {}", sl, describe(*whole.world, probed));
          return !lost.empty();
        },
        std::chrono::seconds(5));
    EXPECT_EQ(lost, "") << change;
    ASSERT_TRUE(whole.settle()) << change << whole.faults();
  }
}

/// 2,048 hosts on 64 leaves and 32 spines, where OpenSM 3.3.23 sends 401,408 Sets of SL2VL and 16,384 of
/// VLArb.
class LevelsOfAnInstallation : public Levels, public testing::WithParamInterface<bool> {
 protected:
  LevelsOfAnInstallation() : Levels("fat-tree:radix=64,levels=2") {}
};

TEST_P(LevelsOfAnInstallation, CostFewPackets) {
  sim::Settings settings;
  settings.optimized_sl_to_vl = GetParam();
  equip(settings);
  start(four_levels());
  const std::uint64_t cost = sets_of(mad::AttrId::sl_to_vl) + sets_of(mad::AttrId::vl_arbitration);
  constexpr double kOpensm = 401'408 + 16'384;
  EXPECT_LE(static_cast<double>(cost), kOpensm * (GetParam() ? 1.0 / 20 : 0.85));
  for (const int sl : {0, 1, 2, 5}) {
    const sim::Probed probed = sent("h00000", "h02047", static_cast<Sl>(sl));
    ASSERT_TRUE(probed.delivered()) << describe(*whole.world, probed);
    for (const sim::ProbeHop& hop : probed.hops) EXPECT_EQ(raw(hop.vl), sl == 5 ? 3 : sl);
  }
}
INSTANTIATE_TEST_SUITE_P(ManyPortsAtOnceOrNot, LevelsOfAnInstallation, testing::Bool());

class LevelsOfADragonfly : public Levels {
 protected:
  LevelsOfADragonfly() : Levels(kDragonfly) {}
};

TEST_F(LevelsOfADragonfly, EachHasAPairOfLanes) {
  start(four_levels());
  ASSERT_EQ(whole.manager->view()->plan->routes().engine, "dragonfly");
  bool second_used = false;
  for (int to = 1; to < 72; to += 5) {
    const std::map<int, int> blocks{{0, 0}, {1, 1}, {2, 2}, {5, 3}};
    const std::string name = fmt::format("h{:05}", to);
    const std::vector<int> base = lanes_between(sent("h00000", name, Sl{0}));
    for (const auto& [sl, block] : blocks) {
      const sim::Probed probed = sent("h00000", name, static_cast<Sl>(sl));
      ASSERT_TRUE(probed.delivered()) << describe(*whole.world, probed);
      std::vector<int> expected = base;
      for (int& lane : expected) {
        second_used = second_used || lane == 1;
        lane += 2 * block;
      }
      EXPECT_EQ(lanes_between(probed), expected);
    }
  }
  EXPECT_TRUE(second_used);
}

TEST_F(LevelsOfADragonfly, TypedTablesAreToldNotToBeInForce) {
  qos::Policy policy = four_levels();
  policy.tables = typed_tables();
  start(policy);
  EXPECT_TRUE(whole.has_problem("qos.tables is not in force: routing needs 2 VLs"));
  EXPECT_TRUE(sent("h00000", "h00071", Sl{5}).delivered());
}

TEST_F(LevelsOfADragonfly, ChangeWithoutAMomentInWhichTheyCouldDeadlock) {
  start({});
  whole.manager->reconfigure(std::make_shared<const config::Settings>(with_levels(four_levels())));
  ASSERT_TRUE(
      whole.run_until([this] { return sets_of(mad::AttrId::vl_arbitration) > 0; }, std::chrono::minutes(1)));
  ASSERT_TRUE(whole.settle()) << whole.faults();
}

}  // namespace
}  // namespace weft::test
