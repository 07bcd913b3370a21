// What is foretold of another configuration, against what is then sent and what then differs: random changes
// on a running manager.

#include <gtest/gtest.h>

#include <random>

#include "config/schema.h"
#include "daemon/preview.h"
#include "tests/whole/sa_client.h"
#include "tests/whole/whole.h"

namespace weft::test {
namespace {

using Counts = std::map<mad::AttrId, std::uint64_t>;

class Foretold : public testing::TestWithParam<const char*> {
 protected:
  Whole whole{GetParam()};
  std::mt19937 random{20261130};

  bool one_in(unsigned many) { return random() % many == 0; }
  std::string host() { return fmt::format("h{:05}", random() % 8); }

  /// Something is other than before, here and there.
  void change(config::Settings& settings) {
    plan::Config& plan = settings.plan;
    if (one_in(3)) change_partitions(plan.partitions);
    if (one_in(3)) change_levels(plan.qos);
    if (one_in(6))
      plan.routing.chain.engines =
          one_in(2) ? std::vector<std::string>{"up-down"} : std::vector<std::string>{"auto"};
    if (one_in(6)) plan.lids.lmc = static_cast<std::uint8_t>(random() % 3);
    if (one_in(4)) plan.subnet.subnet_timeout = static_cast<std::uint8_t>(17 + random() % 3);
    if (one_in(5)) plan.links.hoq_life = static_cast<std::uint8_t>(15 + random() % 3);
    if (one_in(5)) plan.links.max_mtu = one_in(2) ? Mtu::mtu2048 : Mtu::mtu4096;
    if (one_in(5)) plan.subnet.packet_lifetime = static_cast<std::uint8_t>(16 + random() % 3);
    if (one_in(6))
      plan.partitions.enforcement = one_in(2) ? partitions::Enforcement::both : partitions::Enforcement::in;
  }
  void change_partitions(partitions::Policy& policy) {
    policy.partitions.clear();
    const unsigned count = random() % 4;
    for (unsigned p = 0; p < count; ++p) {
      partitions::Partition one{.name = fmt::format("p{}", p), .key = static_cast<std::uint16_t>(0x20 + p)};
      for (int h = 0; h < 8; ++h)
        if (const auto as = random() % 4; as != 0)
          one.members.push_back({{.kind = fabric::Who::Kind::name, .name = fmt::format("h{:05}", h)},
                                 static_cast<partitions::Membership>(as)});
      one.ipoib = one_in(2);
      policy.partitions.push_back(std::move(one));
    }
  }
  void change_levels(qos::Policy& policy) {
    policy.levels.clear();
    const unsigned count = random() % 4;
    for (unsigned l = 0; l < count; ++l) {
      qos::Level level{.name = fmt::format("l{}", l), .sl = Sl{static_cast<std::uint8_t>(2 * l)}};
      level.weight = static_cast<int>(1 + random() % 8);
      policy.levels.push_back(std::move(level));
    }
  }

  Counts sets() const {
    Counts counts;
    for (const auto& [what, count] : whole.manager->client().counts())
      if (what.first == mad::Method::set) counts[what.second] += count;
    return counts;
  }
  std::map<Guid, Lid> lids() const {
    std::map<Guid, Lid> lids;
    for (std::uint32_t n = 0; n < whole.world->node_count(); ++n) {
      const auto node = static_cast<sim::NodeIndex>(n);
      const PortNum number{static_cast<std::uint8_t>(whole.world->is_switch(node) ? 0 : 1)};
      const sim::Port& port = whole.world->port(whole.world->port_of(node, number));
      lids[port.guid] = port.info.lid;
    }
    return lids;
  }
  Result<daemon::Preview> foretell(const config::Settings& settings) {
    return transport::run_virtual(whole.loop, whole.clock,
                                  whole.manager->preview(std::make_shared<const config::Settings>(settings), *whole.workers));
  }
  bool take_and_settle(const config::Settings& settings) {
    const std::uint64_t before = whole.manager->view()->generation;
    whole.manager->reconfigure(std::make_shared<const config::Settings>(settings));
    const auto swept = [&] { return whole.manager->view()->generation > before; };
    if (!whole.run_until(swept, std::chrono::minutes(1)) || !whole.settle()) return false;
    return whole.run_until([&] { return whole.manager->multicast().settled(); }, std::chrono::seconds(5));
  }
};

INSTANTIATE_TEST_SUITE_P(Fabrics, Foretold, testing::Values("xgft:m=2,4:w=1,2", "dragonfly:p=1,a=3,h=1"));

std::string text(const Counts& counts) {
  std::string all;
  for (const auto& [attribute, count] : counts)
    if (count > 0) all += fmt::format("{} {}, ", mad::name(attribute), count);
  return all;
}

std::string what_changes(const config::Settings& before, const config::Settings& after) {
  std::string all;
  for (const config::Key* key : config::changed_keys(before, after))
    all += fmt::format("{}: {}, was {}; ", key->path, key->show(after), key->show(before));
  return all;
}

TEST_P(Foretold, IsWhatIsSentAndWhatDiffersThen) {
  config::Settings settings;
  whole.start({}, settings);
  ASSERT_TRUE(whole.settle()) << whole.faults();
  SaClient client(whole, "h00003");
  ASSERT_EQ(client.join({0xff12401bffff0000, 0x0000000000000707}), 0);
  whole.run_for(std::chrono::seconds(5));
  std::uint64_t sent = 0;
  for (int number = 0; number < 100; ++number) {
    config::Settings next = settings;
    change(next);
    SCOPED_TRACE(fmt::format("{}: {}", number, what_changes(settings, next)));
    const std::uint64_t quiet = whole.sets();
    const std::map<Guid, Lid> lids_before = lids();
    const auto view_before = whole.manager->view();
    const Result<daemon::Preview> preview = foretell(next);
    ASSERT_TRUE(preview) << preview.error().what;
    EXPECT_EQ(whole.sets(), quiet) << "asking sets nothing";
    const Counts before = sets();
    ASSERT_TRUE(take_and_settle(next)) << whole.faults();
    Counts after = sets();
    for (const auto& [attribute, count] : before) after[attribute] -= count;
    EXPECT_EQ(text(preview->sets), text(after));
    for (const auto& [attribute, count] : after) sent += count;

    std::uint64_t moved = 0;
    const std::map<Guid, Lid> lids_now = lids();
    for (const auto& [guid, lid] : lids_now) moved += lids_before.at(guid) != lid ? 1 : 0;
    std::uint64_t foretold = 0;
    for (const auto& one : preview->difference.lids) foretold += one.before.base != one.after.base ? 1 : 0;
    EXPECT_EQ(foretold, moved);
    const auto view = whole.manager->view();
    const plan::Difference now = plan::difference(*view->fabric, *view_before->plan, *view->plan);
    EXPECT_EQ(now.entries, preview->difference.entries);
    EXPECT_EQ(now.pairs, preview->difference.pairs);
    EXPECT_EQ(now.access, preview->difference.access);
    EXPECT_EQ(now.groups, preview->difference.groups);
    EXPECT_EQ(now.levels, preview->difference.levels);
    EXPECT_EQ(now.settings, preview->difference.settings);
    EXPECT_EQ(now.routing, preview->difference.routing);
    if (HasFailure()) return;
    settings = std::move(next);
  }
  EXPECT_GT(sent, 1000u) << "what changes nothing proves nothing";
}

TEST_P(Foretold, OfTheSameConfigurationIsNothing) {
  whole.start();
  ASSERT_TRUE(whole.settle()) << whole.faults();
  whole.run_for(std::chrono::seconds(5));
  const auto preview = foretell({});
  ASSERT_TRUE(preview) << preview.error().what;
  EXPECT_EQ(text(preview->sets), "");
  EXPECT_EQ(preview->difference.pairs, 0u);
  EXPECT_TRUE(preview->difference.lids.empty());
}

}  // namespace
}  // namespace weft::test
