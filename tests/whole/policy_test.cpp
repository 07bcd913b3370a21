// Random partitions and levels on a running manager: what the policy's lines mean, worked out pair by pair,
// against P_Key tables as devices hold them, answers of subnet administration, and packets.

#include <gtest/gtest.h>

#include <random>

#include "mad/sa_records.h"
#include "mad/tables.h"
#include "sa/components.h"
#include "sim/probe.h"
#include "tests/whole/whole.h"

namespace weft::test {
namespace {

using partitions::Membership;

constexpr int kHosts = 6;
constexpr std::uint16_t kFirstKey = 0x20;

/// Who is what in one partition: by host, 0 no member, 1 limited, 2 full, 3 both.
using Roster = std::vector<int>;

bool has_full(int as) { return (as & 2) != 0; }

class RandomPolicies : public testing::Test {
 protected:
  Whole whole{"xgft:m=2,3:w=1,2"};
  std::mt19937 random{20261130};

  static std::string host(int number) { return fmt::format("h{:05}", number); }
  sim::PortIndex port(int number) const { return whole.world->port_of(whole.node(host(number)), PortNum{1}); }

  std::vector<Roster> random_rosters() {
    std::vector<Roster> rosters(1 + random() % 4);
    for (Roster& roster : rosters)
      for (int h = 0; h < kHosts; ++h)
        roster.push_back(random() % 3 == 0 ? 0 : static_cast<int>(random() % 4));
    return rosters;
  }

  static std::shared_ptr<const config::Settings> settings_for(const std::vector<Roster>& rosters) {
    auto settings = std::make_shared<config::Settings>();
    for (std::size_t p = 0; p < rosters.size(); ++p) {
      partitions::Partition one{.name = fmt::format("p{}", p),
                                .key = static_cast<std::uint16_t>(kFirstKey + p)};
      for (int h = 0; h < kHosts; ++h)
        if (const int as = rosters[p][static_cast<std::size_t>(h)]; as != 0)
          one.members.push_back(
              {{.kind = fabric::Who::Kind::name, .name = host(h)}, static_cast<Membership>(as)});
      settings->plan.partitions.partitions.push_back(std::move(one));
    }
    // Every second partition has a level of its own.
    settings->plan.qos.levels = {{.name = "rest", .sl = Sl{0}}, {.name = "mine", .sl = Sl{4}}};
    for (std::size_t p = 1; p < rosters.size(); p += 2)
      settings->plan.qos.rules.push_back({.level = "mine", .partitions = {fmt::format("p{}", p)}});
    return settings;
  }

  /// Whether the SA gives a path in a partition, and on which SL.
  std::optional<Sl> asked(int from, int to, std::uint16_t key) {
    const daemon::SaService& service = whole.manager->sa();
    const auto index = service.index();
    const sa::End* a = index->find(whole.world->port(port(from)).guid);
    const sa::End* b = index->find(whole.world->port(port(to)).guid);
    mad::PathRecord record;
    record.sgid = {kLinkLocalPrefix, raw(a->guid)};
    record.dgid = {kLinkLocalPrefix, raw(b->guid)};
    record.pkey = static_cast<Pkey>(key);
    std::vector<std::uint8_t> data(mad::kSaDataSize);
    encode_into(std::span<std::uint8_t>(data), record);
    sa::Request request;
    request.header.mgmt_class = mad::MgmtClass::subn_adm;
    request.header.class_version = mad::kSaVersion;
    request.header.method = mad::Method::get;
    request.header.attribute = static_cast<mad::AttrId>(mad::SaAttr::path_record);
    request.sa.component_mask = sa::bit(2) | sa::bit(3) | sa::bit(13);
    request.from = {.lid = a->base, .qp = 1};
    request.data = data;
    const auto answer = service.ask(request);
    if (!answer || answer->status != 0) return std::nullopt;
    return mad::decode<mad::PathRecord>(std::span<const std::uint8_t>(answer->data)).sl;
  }

  bool passes(int from, int to, Pkey key, Sl sl) {
    return sim::send_probe(
               *whole.world,
               {.from = port(from), .to = whole.world->port(port(to)).info.lid, .pkey = key, .sl = sl})
        .delivered();
  }

  std::string differences(const std::vector<Roster>& rosters) {
    std::string wrong;
    for (std::size_t p = 0; p < rosters.size(); ++p) {
      const auto key = static_cast<std::uint16_t>(kFirstKey + p);
      for (int a = 0; a < kHosts; ++a)
        for (int b = 0; b < kHosts; ++b) {
          if (a == b) continue;
          const int from = rosters[p][static_cast<std::size_t>(a)];
          const int to = rosters[p][static_cast<std::size_t>(b)];
          const bool may = from != 0 && to != 0 && (has_full(from) || has_full(to));
          const auto sl = asked(a, b, key);
          if (sl.has_value() != may)
            wrong += fmt::format("SA: {} ({}) to {} ({}) in 0x{:x}: {}\n", a, from, b, to, key,
                                 may ? "no path" : "a path");
          if (sl && *sl != Sl{p % 2 == 1 ? std::uint8_t{4} : std::uint8_t{0}})
            wrong += fmt::format("SL: {} to {} in 0x{:x}\n", a, b, key);
          const auto full = static_cast<Pkey>(0x8000 | key);
          if (passes(a, b, full, sl.value_or(Sl{})) != (has_full(from) && to != 0))
            wrong += fmt::format("full packet: {} to {} in 0x{:x}\n", a, b, key);
          if (passes(a, b, static_cast<Pkey>(key), sl.value_or(Sl{})) != ((from & 1) != 0 && has_full(to)))
            wrong += fmt::format("limited packet: {} to {} in 0x{:x}\n", a, b, key);
        }
    }
    return wrong;
  }
};

TEST_F(RandomPolicies, TablesAnswersAndPacketsAgree) {
  std::vector<Roster> rosters = random_rosters();
  whole.start({}, *settings_for(rosters));
  ASSERT_TRUE(whole.settle()) << whole.faults();
  for (int change = 0; change < 1000; ++change) {
    rosters = random_rosters();
    const std::uint64_t before = whole.manager->view()->generation;
    whole.manager->reconfigure(settings_for(rosters));
    ASSERT_TRUE(
        whole.run_until([&] { return whole.manager->view()->generation > before; }, std::chrono::minutes(1)));
    ASSERT_TRUE(whole.settle()) << change << ": " << whole.faults();
    const auto answers_by_it = [this] {
      return whole.manager->sa().index()->shared_view() == whole.manager->view();
    };
    ASSERT_TRUE(whole.run_until(answers_by_it, std::chrono::seconds(1)));
    ASSERT_EQ(differences(rosters), "") << change;
  }
}

TEST_F(RandomPolicies, ARebootedSwitchHasKeysAndLanesAgain) {
  const std::vector<Roster> rosters{{2, 2, 0, 1, 2, 0}, {0, 1, 2, 2, 0, 3}};
  whole.start({}, *settings_for(rosters));
  ASSERT_TRUE(whole.settle()) << whole.faults();
  const sim::NodeIndex leaf = whole.world->port(whole.world->port(port(1)).peer).node;
  whole.world->reboot(leaf, std::chrono::seconds(2));
  ASSERT_TRUE(whole.run_until([this] { return !whole.faults().empty(); }, std::chrono::minutes(1)));
  ASSERT_TRUE(whole.settle()) << whole.faults();
  whole.run_for(std::chrono::seconds(2));  // the SA's look-ups are made beside the loop
  EXPECT_EQ(differences(rosters), "");
}

TEST_F(RandomPolicies, AMovedHostTakesItsKeysAlong) {
  const std::vector<Roster> rosters{{2, 2, 0, 1, 2, 0}, {0, 1, 2, 2, 0, 3}};
  whole.start({}, *settings_for(rosters));
  ASSERT_TRUE(whole.settle()) << whole.faults();
  ASSERT_EQ(differences(rosters), "");
  // Two hosts of different leaves change places.
  whole.world->swap_places(whole.node(host(1)), whole.node(host(4)));
  whole.run_for(std::chrono::seconds(20));
  ASSERT_TRUE(whole.settle()) << whole.faults();
  EXPECT_EQ(differences(rosters), "");
}

}  // namespace
}  // namespace weft::test
