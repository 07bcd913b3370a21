// Partitions end to end: what the policy means, asked by packets that the simulated fabric lets pass or not.
// The policy's meaning is written here a second time, from its lines.

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>

#include "sim/probe.h"
#include "tests/whole/whole.h"

namespace weft::test {
namespace {

using partitions::Enforcement;
using partitions::Membership;
using partitions::Partition;
using partitions::Policy;
using partitions::Who;

constexpr std::string_view kTree = "xgft:m=3,4:w=1,2";  // 12 hosts

std::string host_name(int host) { return fmt::format("h{:05}", host); }

/// The hosts of each partition, by number; written as they are meant.
struct Tenancy {
  std::uint16_t key;
  std::set<int> full;
  std::set<int> limited;
};

Policy policy_of(const std::vector<Tenancy>& tenants, Enforcement enforcement = Enforcement::both) {
  Policy policy{.enforcement = enforcement};
  for (const Tenancy& tenant : tenants) {
    Partition one{.name = fmt::format("t{}", tenant.key), .key = tenant.key};
    for (const int host : tenant.full)
      one.members.push_back({{.kind = Who::Kind::name, .name = host_name(host)}, Membership::full});
    for (const int host : tenant.limited)
      one.members.push_back({{.kind = Who::Kind::name, .name = host_name(host)}, Membership::limited});
    policy.partitions.push_back(std::move(one));
  }
  return policy;
}

std::shared_ptr<const config::Settings> settings_with(Policy policy) {
  auto settings = std::make_shared<config::Settings>();
  settings->plan.partitions = std::move(policy);
  return settings;
}

class Partitioned : public testing::Test {
 protected:
  Whole whole{kTree};

  sim::PortIndex port_of(int host) const {
    return whole.world->port_of(whole.node(host_name(host)), PortNum{1});
  }
  Lid lid_of(int host) const { return whole.world->port(port_of(host)).info.lid; }
  sim::Probed sent(int from, int to, Pkey pkey) {
    return sim::send_probe(*whole.world, {.from = port_of(from), .to = lid_of(to), .pkey = pkey});
  }
  std::uint64_t pkey_sets() const {
    return whole.world->counters().total(
        {.node = {}, .mgmt_class = {}, .method = mad::Method::set, .attribute = mad::AttrId::pkey_table});
  }

  /// Every pair in every partition, with the full and the limited key.
  std::string wrong_pairs(const std::vector<Tenancy>& tenants, int hosts = 12) {
    std::string wrong;
    for (const Tenancy& tenant : tenants) {
      for (int a = 0; a < hosts; ++a) {
        for (int b = 0; b < hosts; ++b) {
          if (a == b) continue;
          for (const bool full : {true, false}) {
            const bool holds = full ? tenant.full.contains(a) : tenant.limited.contains(a);
            const bool taken = tenant.full.contains(b) || (full && tenant.limited.contains(b));
            const auto pkey = static_cast<Pkey>(tenant.key | (full ? 0x8000 : 0));
            const sim::Probed probed = sent(a, b, pkey);
            if (probed.delivered() != (holds && taken))
              wrong += fmt::format("{} to {} with {}: {}\n", a, b, to_string(pkey),
                                   describe(*whole.world, probed));
          }
        }
      }
    }
    return wrong;
  }
};

const std::vector<Tenancy> kTenants = {
    {0x10, {0, 1, 2}, {3, 4}}, {0x20, {5, 6}, {7}}, {0x30, {1, 6, 11}, {0, 2, 8}}};

TEST_F(Partitioned, ComesUpAsThePolicyMeans) {
  whole.start({}, *settings_with(policy_of(kTenants)));
  ASSERT_TRUE(whole.settle()) << whole.faults();
  EXPECT_EQ(wrong_pairs(kTenants), "");
  // Every end port's table once, and that of the switch port before each host.
  EXPECT_EQ(pkey_sets(), whole.world->node_count() + 12);
}

TEST_F(Partitioned, SwitchesLetNoForeignKeyIn) {
  whole.start({}, *settings_with(policy_of(kTenants)));
  ASSERT_TRUE(whole.settle());
  // A host that holds a key nobody gave it.
  mad::PkeyTable table;
  table.keys[0] = Pkey{0xffff};
  table.keys[1] = Pkey{0x8020};
  whole.world->blocks(whole.node(host_name(9))).set(mad::AttrId::pkey_table, 1u << 16, mad::encode(table));
  const sim::Probed probed = sent(9, 5, Pkey{0x8020});
  EXPECT_EQ(probed.drop, sim::Drop::partition);
  EXPECT_TRUE(whole.world->is_switch(whole.world->port(probed.at).node)) << describe(*whole.world, probed);
}

TEST_F(Partitioned, ARestartOnTheHealthyFabricWritesNothing) {
  whole.start({}, *settings_with(policy_of(kTenants)));
  ASSERT_TRUE(whole.settle());
  const std::uint64_t before = whole.sets();
  whole.start(whole.store.ledger, *settings_with(policy_of(kTenants)));
  whole.run_for(std::chrono::seconds(30));
  EXPECT_EQ(whole.sets(), before);
  EXPECT_EQ(wrong_pairs(kTenants), "");
}

TEST_F(Partitioned, OneMoreMemberCostsItsPortsOnly) {
  whole.start({}, *settings_with(policy_of(kTenants)));
  ASSERT_TRUE(whole.settle());
  std::vector<Tenancy> tenants = kTenants;
  tenants[1].full.insert(9);
  const std::uint64_t before = pkey_sets();
  whole.manager->reconfigure(settings_with(policy_of(tenants)));
  ASSERT_TRUE(whole.run_until([&] { return pkey_sets() >= before + 2; }, std::chrono::minutes(1)));
  ASSERT_TRUE(whole.settle());
  EXPECT_EQ(pkey_sets(), before + 2);
  EXPECT_EQ(wrong_pairs(tenants), "");
}

TEST_F(Partitioned, NoMemberThatStaysIsEverWithoutItsKeyAndNoOutsiderGetsIn) {
  std::mt19937 random(7);
  std::vector<Tenancy> tenants = kTenants;
  whole.start({}, *settings_with(policy_of(tenants)));
  ASSERT_TRUE(whole.settle());
  for (int change = 0; change < 12; ++change) {
    const std::vector<Tenancy> before = tenants;
    for (Tenancy& tenant : tenants) {
      const int host = static_cast<int>(random() % 12);
      if (tenant.full.erase(host) == 0 && !tenant.limited.contains(host)) tenant.full.insert(host);
    }
    if (change % 4 == 3) std::ranges::reverse(tenants);
    // Those who are full members before and after.
    std::vector<std::tuple<std::uint16_t, int, int>> staying;
    for (const Tenancy& was : before)
      for (const Tenancy& is : tenants)
        if (was.key == is.key)
          for (const int a : was.full)
            for (const int b : was.full)
              if (a != b && is.full.contains(a) && is.full.contains(b)) staying.emplace_back(was.key, a, b);
    // Pairs of which one end is in the partition neither before nor after.
    std::vector<std::tuple<std::uint16_t, int, int>> outside;
    for (const Tenancy& is : tenants) {
      const auto inside = [&](int host) {
        return std::ranges::any_of(std::array<const std::vector<Tenancy>*, 2>{&before, &tenants},
                                   [&](const std::vector<Tenancy>* all) {
                                     return std::ranges::any_of(*all, [&](const Tenancy& one) {
                                       return one.key == is.key &&
                                              (one.full.contains(host) || one.limited.contains(host));
                                     });
                                   });
      };
      for (int a = 0; a < 12; ++a)
        for (int b = 0; b < 12; ++b)
          if (a != b && !(inside(a) && inside(b))) outside.emplace_back(is.key, a, b);
    }
    // Who leaves a partition, and who joins it at the same time.
    std::vector<std::tuple<std::uint16_t, int, int>> strangers;
    for (const Tenancy& was : before)
      for (const Tenancy& is : tenants)
        if (was.key == is.key)
          for (const int a : was.full)
            for (const int b : is.full)
              if (!is.full.contains(a) && !was.full.contains(b) && !was.limited.contains(b))
                strangers.emplace_back(was.key, a, b);
    whole.manager->reconfigure(settings_with(policy_of(tenants)));
    std::string broken;
    std::uint64_t seen = pkey_sets();
    whole.run_until(
        [&] {
          if (pkey_sets() == seen) return false;
          seen = pkey_sets();
          for (const auto& [key, a, b] : staying)
            if (!sent(a, b, static_cast<Pkey>(0x8000 | key)).delivered())
              broken = fmt::format("{} to {} in 0x{:x} is cut off", a, b, key);
          for (const auto& [key, a, b] : strangers)
            if (sent(a, b, static_cast<Pkey>(0x8000 | key)).delivered())
              broken = fmt::format("{}, who leaves, meets {}, who joins, in 0x{:x}", a, b, key);
          for (const auto& [key, a, b] : outside)
            if (sent(a, b, static_cast<Pkey>(0x8000 | key)).delivered())
              broken = fmt::format("{} to {} in 0x{:x} is let through", a, b, key);
          return !broken.empty();
        },
        std::chrono::seconds(5));
    EXPECT_EQ(broken, "") << change;
    ASSERT_TRUE(whole.settle());
    EXPECT_EQ(wrong_pairs(tenants), "") << change;
  }
}

/// A key that one tenant gives back and another one is given: never with both.
TEST_F(Partitioned, AKeyThatMovesToAnotherTenantIsTakenAwayFirst) {
  for (const Enforcement enforcement : {Enforcement::both, Enforcement::off}) {
    const std::vector<Tenancy> before{{0x10, {0, 1, 2}, {3}}, {0x20, {4, 5, 6}, {}}};
    const std::vector<Tenancy> after{{0x20, {0, 1, 2}, {3}}, {0x10, {4, 5, 6}, {}}};
    whole.start({}, *settings_with(policy_of(before, enforcement)));
    ASSERT_TRUE(whole.settle());
    whole.manager->reconfigure(settings_with(policy_of(after, enforcement)));
    std::string met;
    std::uint64_t seen = pkey_sets();
    whole.run_until(
        [&] {
          if (pkey_sets() == seen) return false;
          seen = pkey_sets();
          for (const int a : {0, 1, 2, 3})
            for (const int b : {4, 5, 6})
              for (const Pkey key : {Pkey{0x8010}, Pkey{0x8020}, Pkey{0x10}, Pkey{0x20}})
                if (sent(a, b, key).delivered() || sent(b, a, key).delivered())
                  met = fmt::format("{} and {} by {}", a, b, to_string(key));
          return !met.empty();
        },
        std::chrono::seconds(5));
    EXPECT_EQ(met, "");
    ASSERT_TRUE(whole.settle());
    EXPECT_EQ(wrong_pairs(after), "");
  }
}

/// One host keeps its key whatever is set: nobody else gets it, unless the switch in front has it no more.
TEST_F(Partitioned, AKeyThatCannotBeTakenAwayIsGivenToNobody) {
  const std::vector<Tenancy> before{{0x10, {0, 1, 2}, {}}};
  const std::vector<Tenancy> after{{0x10, {4, 5, 6}, {}}};
  for (const auto& [enforcement, silent] :
       {std::pair(Enforcement::off, false), std::pair(Enforcement::off, true),
        std::pair(Enforcement::both, false), std::pair(Enforcement::both, true)}) {
    whole.network->conditions().end_refusals(whole.node(host_name(2)));
    whole.start({}, *settings_with(policy_of(before, enforcement)));
    ASSERT_TRUE(whole.settle());
    ASSERT_EQ(wrong_pairs(before), "");
    whole.network->conditions().refuse(whole.node(host_name(2)), {mad::AttrId::pkey_table});
    if (silent)  // nor can what it holds be read
      whole.network->conditions().refuse(whole.node(host_name(2)),
                                         {.attribute = mad::AttrId::pkey_table, .method = mad::Method::get});
    whole.manager->reconfigure(settings_with(policy_of(after, enforcement)));
    whole.run_for(std::chrono::seconds(5));
    EXPECT_EQ(sent(4, 2, Pkey{0x8010}).delivered(), false);
    EXPECT_EQ(sent(4, 5, Pkey{0x8010}).delivered(), enforcement == Enforcement::both);
    EXPECT_FALSE(whole.status().dirty.empty());
    whole.network->conditions().end_refusals(whole.node(host_name(2)));
    ASSERT_TRUE(whole.settle());
    EXPECT_EQ(wrong_pairs(after), "");
  }
}

TEST_F(Partitioned, ARebootedSwitchAndHostAreGivenTheirKeysAgain) {
  whole.start({}, *settings_with(policy_of(kTenants)));
  ASSERT_TRUE(whole.settle());
  const fabric::Fabric& fabric = *whole.manager->view()->fabric;
  const auto host = fabric.find_port(whole.world->port(port_of(1)).guid);
  ASSERT_TRUE(host);
  const Guid leaf = fabric.node(fabric.port(*host).peer->node).guid;
  whole.world->reboot(whole.world->find(leaf).value(), std::chrono::seconds(2));
  ASSERT_TRUE(whole.run_until([&] { return !whole.faults().empty(); }, std::chrono::minutes(1)));
  ASSERT_TRUE(whole.settle()) << whole.faults();
  EXPECT_EQ(wrong_pairs(kTenants), "");
  whole.world->reboot(whole.node(host_name(6)), std::chrono::seconds(2));
  ASSERT_TRUE(whole.run_until([&] { return !whole.faults().empty(); }, std::chrono::minutes(1)));
  ASSERT_TRUE(whole.settle()) << whole.faults();
  EXPECT_EQ(wrong_pairs(kTenants), "");
}

TEST_F(Partitioned, AHostIsCheckedWhereverItIsPlugged) {
  whole.start({}, *settings_with(policy_of(kTenants)));
  ASSERT_TRUE(whole.settle());
  const auto settled_again = [this] {
    whole.run_for(std::chrono::seconds(15));
    return whole.settle();
  };
  // 1 leaves, 5 takes its place; then 1 comes back where 5 was.
  const sim::PortIndex place_of_1 = whole.world->port(port_of(1)).peer;
  const sim::PortIndex place_of_5 = whole.world->port(port_of(5)).peer;
  whole.world->unplug(place_of_1);
  whole.world->unplug(place_of_5);
  whole.world->plug(place_of_1, port_of(5));
  ASSERT_TRUE(settled_again()) << whole.faults();
  EXPECT_TRUE(sent(5, 6, Pkey{0x8020}).delivered());
  EXPECT_FALSE(sent(5, 6, Pkey{0x8030}).delivered());
  whole.world->plug(place_of_5, port_of(1));
  ASSERT_TRUE(settled_again()) << whole.faults();
  EXPECT_EQ(wrong_pairs(kTenants), "");
}

TEST_F(Partitioned, APortOfAHostThatBecomesATrunkChecksNothing) {
  whole.start({}, *settings_with(policy_of(kTenants)));
  ASSERT_TRUE(whole.settle());
  const sim::PortIndex a = whole.world->port(port_of(9)).peer;
  const sim::PortIndex b = whole.world->port(port_of(3)).peer;
  ASSERT_NE(whole.world->port(a).node, whole.world->port(b).node);
  EXPECT_TRUE(whole.world->port(a).info.enforce_in);
  whole.world->unplug(a);
  whole.world->unplug(b);
  whole.world->plug(a, b);
  whole.run_for(std::chrono::seconds(15));
  ASSERT_TRUE(whole.settle()) << whole.faults();
  for (const sim::PortIndex end : {a, b}) {
    EXPECT_FALSE(whole.world->port(end).info.enforce_in);
    EXPECT_FALSE(whole.world->port(end).info.enforce_out);
  }
  // And a host's port again.
  whole.world->unplug(a);
  whole.world->plug(a, port_of(9));
  whole.world->plug(b, port_of(3));
  whole.run_for(std::chrono::seconds(15));
  ASSERT_TRUE(whole.settle()) << whole.faults();
  EXPECT_TRUE(whole.world->port(a).info.enforce_in);
  EXPECT_EQ(wrong_pairs(kTenants), "");
}

/// A policy that no port has room for.
Policy too_big() {
  Policy big = policy_of(kTenants);
  for (std::uint16_t key = 0x100; key < 0x180; ++key)
    big.partitions.push_back({.name = fmt::format("big{}", key),
                              .key = key,
                              .members = {{{.kind = Who::Kind::all}, Membership::full}}});
  return big;
}

TEST_F(Partitioned, APolicyWithoutRoomChangesNothing) {
  whole.start({}, *settings_with(policy_of(kTenants)));
  ASSERT_TRUE(whole.settle());
  const Policy big = too_big();
  const std::uint64_t before = pkey_sets();
  whole.manager->reconfigure(settings_with(big));
  ASSERT_TRUE(whole.run_until([&] { return whole.has_problem("room for"); }, std::chrono::minutes(1)));
  EXPECT_EQ(pkey_sets(), before);
  EXPECT_EQ(wrong_pairs(kTenants), "");
}

TEST_F(Partitioned, WithoutPartitionsTablesAreLeftAlone) {
  whole.start();
  ASSERT_TRUE(whole.settle());
  EXPECT_EQ(pkey_sets(), 0u);
}

TEST_F(Partitioned, TakingThePolicyAwayOpensTheFabricAgain) {
  whole.start({}, *settings_with(policy_of(kTenants)));
  ASSERT_TRUE(whole.settle());
  EXPECT_FALSE(sent(3, 9, Pkey{0xffff}).delivered());
  whole.manager->reconfigure(settings_with({}));
  EXPECT_TRUE(whole.run_until([&] { return sent(3, 9, Pkey{0xffff}).delivered(); }, std::chrono::minutes(1)));
}

/// Who takes over while its policy is refused, and knows an older one: nobody gets in or is put out.
TEST_F(Partitioned, WhoTakesOverWithARefusedPolicyLeavesKeysAndChecksAsTheyAre) {
  const std::vector<Tenancy> older{{0x10, {0, 1, 9}, {3}}, {0x20, {5, 10}, {}}};
  whole.start({}, *settings_with(policy_of(older)), host_name(11));
  ASSERT_TRUE(whole.settle());
  const plan::Ledger known_to_the_other = whole.manager->ledger();
  whole.start({}, *settings_with(policy_of(kTenants, Enforcement::in)));
  ASSERT_TRUE(whole.settle());
  ASSERT_EQ(wrong_pairs(kTenants), "");
  auto other = std::make_unique<Rival>(whole, host_name(11), *settings_with(too_big()), known_to_the_other);
  whole.run_for(std::chrono::seconds(3));
  ASSERT_EQ(other->status().state, daemon::State::standby);
  const std::uint64_t before = pkey_sets();
  const sim::PortIndex leaf_port = whole.world->port(port_of(4)).peer;
  whole.kill();
  const auto is_master = [&] { return other->status().state == daemon::State::master; };
  ASSERT_TRUE(whole.run_until(is_master, std::chrono::minutes(1)));
  whole.run_for(std::chrono::seconds(15));
  EXPECT_LE(pkey_sets(), before + 2)
      << "its own port is a full member of the default partition: grown, then shrunk";
  EXPECT_EQ(wrong_pairs(kTenants), "");
  EXPECT_TRUE(whole.world->port(leaf_port).info.enforce_in);
  EXPECT_FALSE(whole.world->port(leaf_port).info.enforce_out);
  const auto tells = [&](std::string_view text) {
    return std::ranges::any_of(other->status().problems, [&](const daemon::Problem& one) {
      return one.what.find(text) != std::string::npos;
    });
  };
  EXPECT_TRUE(tells("the policy is not in force"));
  EXPECT_TRUE(tells("as they were found"));
  // A host that comes up anew has lost its keys: what it may have is not known.
  whole.world->reboot(whole.node(host_name(9)), std::chrono::seconds(2));
  whole.run_for(std::chrono::seconds(15));
  EXPECT_FALSE(sent(9, 0, Pkey{0x8010}).delivered()) << "the older policy is not put in force";
  EXPECT_TRUE(sent(0, 1, Pkey{0x8010}).delivered());
  other->manager().reconfigure(settings_with(policy_of(kTenants)));
  whole.run_for(std::chrono::seconds(5));
  EXPECT_EQ(wrong_pairs(kTenants), "");
  EXPECT_FALSE(tells("as they were found"));
  EXPECT_TRUE(whole.world->port(leaf_port).info.enforce_out);
}

/// Digests of tables say what we left, not what somebody else has written since.
TEST_F(Partitioned, KeysThatAnotherMasterHasWrittenMeanwhileAreOursAgain) {
  const std::vector<Tenancy> ours{{0x10, {0, 1, 2}, {3}}, {0x11, {4, 5}, {}}};
  const std::vector<Tenancy> theirs{{0x10, {1, 2}, {}}, {0x11, {0, 4, 5}, {3}}};
  whole.start({}, *settings_with(policy_of(ours)));
  ASSERT_TRUE(whole.settle());
  ASSERT_EQ(wrong_pairs(ours), "");
  const plan::Ledger ledger = whole.manager->ledger();
  whole.kill();
  {
    const Rival other(whole, host_name(11), *settings_with(policy_of(theirs)));
    whole.run_for(std::chrono::seconds(30));
    ASSERT_EQ(wrong_pairs(theirs), "");
  }
  whole.start(ledger, *settings_with(policy_of(ours)));
  ASSERT_TRUE(whole.settle());
  EXPECT_EQ(wrong_pairs(ours), "");
  EXPECT_EQ(wrong_pairs(theirs).empty(), false);
}

}  // namespace
}  // namespace weft::test
