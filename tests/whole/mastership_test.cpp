// One master among several managers, whatever dies, freezes, comes back or is told: cases X5 to X8, and what
// administrators have suffered from.

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "mad/port_info.h"
#include "tests/whole/sa_client.h"
#include "tests/whole/whole.h"

namespace weft::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kRivalHost = "h00007";

config::Settings with_priority(int priority) {
  config::Settings settings;
  settings.manager.priority = static_cast<std::uint8_t>(priority);
  return settings;
}

/// LIDs by port GUID, as devices hold them.
std::map<Guid, Lid> lids(const Whole& whole) {
  std::map<Guid, Lid> all;
  for (std::uint32_t n = 0; n < whole.world->node_count(); ++n) {
    const auto node = static_cast<sim::NodeIndex>(n);
    const bool is_switch = whole.world->is_switch(node);
    const PortNum number{static_cast<std::uint8_t>(is_switch ? 0 : 1)};
    const sim::Port& port = whole.world->port(whole.world->port_of(node, number));
    all[is_switch ? whole.world->node(node).guid : port.guid] = port.info.lid;
  }
  return all;
}

Lid host_lid(const Whole& whole, std::string_view host) {
  return whole.world->port(whole.world->port_of(whole.node(host), PortNum{1})).info.lid;
}

/// How many end ports take this LID for their master's.
std::size_t obedient(const Whole& whole, Lid master) {
  std::size_t count = 0;
  for (std::uint32_t n = 0; n < whole.world->node_count(); ++n) {
    const auto node = static_cast<sim::NodeIndex>(n);
    const PortNum number{static_cast<std::uint8_t>(whole.world->is_switch(node) ? 0 : 1)};
    count += whole.world->port(whole.world->port_of(node, number)).info.sm_lid == master;
  }
  return count;
}

bool has_event(const Whole& whole, std::string_view kind) {
  return std::ranges::count(whole.events->after(0, 10'000), kind, &daemon::Event::kind) > 0;
}

daemon::State state(const Whole& whole) { return whole.status().state; }
daemon::State state(const Rival& rival) { return rival.status().state; }

constexpr auto kMaster = daemon::State::master;
constexpr auto kStandby = daemon::State::standby;

struct Pair {
  Whole whole{"fat-tree:radix=8"};
  std::unique_ptr<Rival> rival;

  /// Ours is master, the rival its standby.
  explicit Pair(config::Settings theirs = {}, config::Settings ours = {}) {
    whole.start({}, ours);
    EXPECT_TRUE(whole.settle()) << whole.faults();
    rival = std::make_unique<Rival>(whole, kRivalHost, theirs);
    EXPECT_TRUE(whole.run_until([this] { return state(*rival) == kStandby; }, seconds(5)));
  }
  bool becomes_master(Duration limit) {
    return whole.run_until([this] { return state(*rival) == kMaster; }, limit);
  }
  int masters() const { return (state(*rival) == kMaster) + (state(whole) == kMaster); }
};

TEST(Standby, TakesOverFromAKilledMasterAndNoLidChanges) {
  Pair pair;
  const auto before = lids(pair.whole);
  const Instant died = pair.whole.clock.now();
  pair.whole.kill();
  ASSERT_TRUE(pair.becomes_master(seconds(20)));
  EXPECT_LE(pair.whole.clock.now() - died, 3 * seconds(2) + seconds(1))
      << "poll_interval x poll_misses + 1 s";
  pair.whole.run_for(seconds(20));
  EXPECT_EQ(pair.whole.faults(), "");
  EXPECT_EQ(lids(pair.whole), before);
  EXPECT_EQ(obedient(pair.whole, host_lid(pair.whole, kRivalHost)), pair.whole.world->node_count());
  EXPECT_TRUE(has_event(pair.whole, "master_lost"));
}

TEST(X8, AfterATakeOverEveryHostIsToldOnceToRegisterAgain) {
  Pair pair;
  pair.whole.kill();
  ASSERT_TRUE(pair.becomes_master(seconds(20)));
  pair.whole.run_for(seconds(60));
  EXPECT_EQ(pair.rival->manager().sa().reregistered(), 32u);
}

TEST(Standby, SendsTheMasterNothingButItsQuestions) {
  Pair pair;
  const std::uint64_t sets = pair.whole.sets();
  const auto sent = [&] { return pair.rival->manager().client().sent(); };
  const std::uint64_t before = sent();
  pair.whole.run_for(seconds(60));
  EXPECT_EQ(pair.whole.sets(), sets);
  EXPECT_LE(sent() - before, 62u) << "a question to the master, and one to its own port";
  EXPECT_EQ(state(*pair.rival), kStandby);
}

TEST(Standby, ThatGoesIsNotMissed) {
  Pair pair;
  pair.rival.reset();
  const std::uint64_t sets = pair.whole.sets();
  pair.whole.run_for(seconds(60));
  EXPECT_EQ(pair.whole.sets(), sets);
  EXPECT_EQ(state(pair.whole), kMaster);
}

TEST(X7, AHigherPriorityTakesOverAndNoLidChanges) {
  Pair pair(with_priority(15));
  const auto before = lids(pair.whole);
  ASSERT_TRUE(pair.becomes_master(seconds(6)));
  EXPECT_EQ(state(pair.whole), kStandby);
  pair.whole.run_for(seconds(20));
  EXPECT_EQ(state(*pair.rival), kMaster);
  EXPECT_EQ(state(pair.whole), kStandby);
  EXPECT_EQ(pair.whole.faults(), "");
  EXPECT_EQ(lids(pair.whole), before);
  EXPECT_EQ(obedient(pair.whole, host_lid(pair.whole, kRivalHost)), pair.whole.world->node_count());
}

TEST(Returning, DoesNotTakeOverUntilItIsAsked) {
  Pair pair(with_priority(9));
  pair.whole.run_for(seconds(60));
  EXPECT_EQ(state(pair.whole), kMaster) << "a master's priority is 14";
  const Result<std::string> heir = pair.whole.manager->hand_over({});
  ASSERT_TRUE(heir) << heir.error().what;
  EXPECT_NE(heir->find(kRivalHost), std::string::npos) << *heir;
  ASSERT_TRUE(pair.becomes_master(seconds(5)));
  pair.whole.run_for(seconds(60));
  EXPECT_EQ(state(*pair.rival), kMaster);
  EXPECT_EQ(state(pair.whole), kStandby);
  EXPECT_EQ(pair.whole.faults(), "");
}

TEST(HandOver, IsRefusedWithAReasonWhereItCannotBe) {
  Whole alone("fat-tree:radix=4,levels=2");
  alone.start();
  ASSERT_TRUE(alone.settle());
  EXPECT_EQ(alone.manager->hand_over({}).error().code, Errc::not_found);
  EXPECT_EQ(alone.manager->hand_over(Guid{1}).error().code, Errc::not_found);
  const Rival rival(alone, "h00003");
  alone.run_for(seconds(5));
  EXPECT_EQ(const_cast<Rival&>(rival).manager().hand_over({}).error().code, Errc::conflict);
}

TEST(Priority, RaisedWhileItRunsTakesOver) {
  Pair pair;
  pair.whole.run_for(seconds(20));
  pair.rival->manager().reconfigure(std::make_shared<const config::Settings>(with_priority(15)));
  ASSERT_TRUE(pair.becomes_master(seconds(6)));
  pair.whole.run_for(seconds(20));
  EXPECT_EQ(state(pair.whole), kStandby);
  EXPECT_EQ(pair.whole.faults(), "");
}

TEST(FrozenMaster, WritesNothingBeforeItHasLookedAndThenWaits) {
  Pair pair(with_priority(15));
  ASSERT_TRUE(pair.becomes_master(seconds(6)));
  pair.whole.run_for(seconds(10));
  pair.rival->freeze();
  ASSERT_TRUE(pair.whole.run_until([&] { return state(pair.whole) == kMaster; }, seconds(20)));
  pair.whole.run_for(seconds(10));
  ASSERT_EQ(pair.whole.faults(), "");
  const auto before = lids(pair.whole);
  const std::uint64_t sets = pair.rival->manager().client().sets_sent();
  pair.rival->thaw();
  // It ranks above us, so it gets mastership back, by hand-over.
  EXPECT_NE(state(*pair.rival), kMaster);
  pair.whole.run_for(milliseconds(1));
  EXPECT_EQ(pair.rival->manager().client().sets_sent(), sets);
  EXPECT_TRUE(has_event(pair.whole, "stood_still"));
  pair.whole.run_for(seconds(60));
  EXPECT_EQ(pair.masters(), 1);
  EXPECT_EQ(pair.whole.faults(), "");
  EXPECT_EQ(lids(pair.whole), before);
}

TEST(FrozenMaster, InTheMiddleOfProgrammingSendsNothingMore) {
  Pair pair(with_priority(15));
  ASSERT_TRUE(pair.becomes_master(seconds(6)));
  pair.whole.run_for(seconds(10));
  pair.whole.world->reboot(pair.whole.node("L2-01"));
  const std::uint64_t sets = pair.rival->manager().client().sets_sent();
  ASSERT_TRUE(pair.whole.run_until([&] { return pair.rival->manager().client().sets_sent() > sets + 3; },
                                   seconds(20)));
  pair.rival->freeze();
  ASSERT_TRUE(pair.whole.run_until([&] { return state(pair.whole) == kMaster; }, seconds(20)));
  pair.whole.run_for(seconds(10));
  EXPECT_EQ(pair.whole.faults(), "");
  const std::uint64_t stopped_at = pair.rival->manager().client().sets_sent();
  pair.rival->thaw();
  pair.whole.run_for(milliseconds(1));
  EXPECT_EQ(pair.rival->manager().client().sets_sent(), stopped_at);
  pair.whole.run_for(seconds(60));
  EXPECT_EQ(pair.masters(), 1);
  EXPECT_EQ(pair.whole.faults(), "");
}

TEST(FrozenMaster, ThatIsStillMasterForgetsNothing) {
  Whole whole("fat-tree:radix=8");
  whole.start();
  ASSERT_TRUE(whole.settle());
  Rival rival(whole, kRivalHost, with_priority(15));
  ASSERT_TRUE(whole.run_until([&] { return state(rival) == kMaster; }, seconds(10)));
  whole.kill();
  whole.run_for(seconds(60));
  const std::uint64_t told = rival.manager().sa().reregistered();
  const std::uint64_t sets = whole.sets();
  rival.freeze();
  whole.run_for(seconds(30));
  rival.thaw();
  whole.run_for(seconds(60));
  EXPECT_EQ(state(rival), kMaster);
  EXPECT_EQ(rival.manager().sa().reregistered(), told);
  EXPECT_EQ(whole.sets(), sets) << "nothing had changed";
}

TEST(OwnLink, ThatWasDownGivesNoReasonToChangeAnything) {
  Whole whole("fat-tree:radix=8");
  whole.start();
  ASSERT_TRUE(whole.settle());
  const auto before = lids(whole);
  whole.world->cut_link(whole.node(whole.first_host), PortNum{1});
  whole.run_for(seconds(40));
  whole.world->mend_link(whole.node(whole.first_host), PortNum{1});
  EXPECT_TRUE(whole.settle());
  EXPECT_EQ(lids(whole), before);
}

TEST(OwnLink, ThatWasDownWhileAnotherTookOverYields) {
  Pair pair;
  const auto before = lids(pair.whole);
  const sim::NodeIndex own = pair.whole.node(pair.whole.first_host);
  pair.whole.world->cut_link(own, PortNum{1});
  ASSERT_TRUE(pair.becomes_master(seconds(30)));
  pair.whole.run_for(seconds(20));
  pair.whole.world->mend_link(own, PortNum{1});
  pair.whole.run_for(seconds(60));
  EXPECT_EQ(pair.masters(), 1);
  EXPECT_EQ(pair.whole.faults(), "");
  EXPECT_EQ(lids(pair.whole), before);
}

TEST(Allowed, NobodyElseGetsMastership) {
  config::Settings ours;
  ours.manager.allowed = {Guid{1}};
  Pair pair(with_priority(15), ours);
  pair.whole.run_for(seconds(60));
  EXPECT_EQ(state(pair.whole), kMaster);
  EXPECT_EQ(state(*pair.rival), kStandby);
}

TEST(Expected, AStandbyThatIsMeantToBeMasterSaysSo) {
  config::Settings theirs;
  theirs.manager.expected = true;
  theirs.manager.allowed = {Guid{1}};
  const Pair pair(theirs);
  const auto problems = pair.rival->status().problems;
  const auto tells = [&](std::string_view text) {
    return std::ranges::any_of(problems,
                               [&](const auto& one) { return one.what.find(text) != std::string::npos; });
  };
  EXPECT_TRUE(tells("manager.expected"));
  EXPECT_TRUE(tells("manager.allowed"));
}

/// A manager by hand: says what it is told to say.
struct Voice final : sim::Endpoint {
  Voice(Whole& whole, std::string_view host)
      : whole_(whole),
        id_(whole.network->attach(whole.world->port_of(whole.node(host), PortNum{1}), *this)) {}
  ~Voice() override { whole_.network->detach(id_); }
  void receive(const mad::Mad& mad) override { got.push_back(mad); }
  void device_lost(const Error&) override {}
  bool takes(const mad::Mad&, bool) const override { return false; }

  /// Get or Set of SMInfo to this LID; the status of the answer, and what it says.
  std::optional<std::pair<std::uint16_t, mad::SmInfo>> say(Lid to, mad::Method method, std::uint32_t modifier,
                                                           mad::SmState as) {
    mad::Smp smp;
    smp.method = method;
    smp.attribute = mad::AttrId::sm_info;
    smp.modifier = modifier;
    smp.route.reset();
    smp.address.lid = to;
    smp.tid = ++tid_;
    mad::SmInfo info;
    info.guid = Guid{0x5000};
    info.sm_key = key;
    info.priority = 3;
    info.state = as;
    smp.data = mad::encode(info);
    got.clear();
    whole_.network->send(id_, mad::to_mad(smp));
    whole_.run_until([this] { return !got.empty(); }, std::chrono::seconds(1));
    if (got.empty()) return std::nullopt;
    const Result<mad::Smp> answer = mad::to_smp(got.front());
    return std::pair(answer->status, mad::decode<mad::SmInfo>(answer->data));
  }

  std::vector<mad::Mad> got;
  std::uint64_t key = 1;

 private:
  Whole& whole_;
  sim::Network::ClientId id_;
  std::uint64_t tid_ = 0x7700;
};

constexpr auto kSet = mad::Method::set;
constexpr auto kGet = mad::Method::get;

TEST(X5X6, WordsAreObeyedWhereTheyAreLegal) {
  Pair pair;
  Voice voice(pair.whole, "h00011");
  const Lid standby = host_lid(pair.whole, kRivalHost);
  const Lid master = host_lid(pair.whole, pair.whole.first_host);
  const auto status = [&](Lid to, daemon::Word word, mad::SmState as) {
    const auto answer = voice.say(to, kSet, raw(word), as);
    return answer ? static_cast<int>(answer->first) : -1;
  };
  EXPECT_EQ(status(master, daemon::Word::disable, mad::SmState::master), 0x1c);
  EXPECT_EQ(status(master, daemon::Word::standby, mad::SmState::master), 0x1c);
  EXPECT_EQ(status(master, daemon::Word::discover, mad::SmState::master), 0x1c);
  EXPECT_EQ(status(master, daemon::Word::acknowledge, mad::SmState::standby), 0x1c);
  EXPECT_EQ(status(standby, daemon::Word::standby, mad::SmState::master), 0x1c);
  EXPECT_EQ(status(standby, daemon::Word::disable, mad::SmState::standby), 0x1c) << "only a master disables";
  EXPECT_EQ(status(standby, daemon::Word::acknowledge, mad::SmState::standby), 0);
  EXPECT_EQ(status(standby, daemon::Word::discover, mad::SmState::master), 0);
  pair.whole.run_for(seconds(5));
  EXPECT_EQ(state(*pair.rival), kStandby) << "it has looked, and found the master";

  EXPECT_EQ(status(standby, daemon::Word::disable, mad::SmState::master), 0);
  EXPECT_EQ(state(*pair.rival), daemon::State::disabled);
  EXPECT_EQ(voice.say(standby, kGet, 0, mad::SmState::standby)->second.state, mad::SmState::not_active);
  EXPECT_EQ(status(standby, daemon::Word::hand_over, mad::SmState::master), 0x1c);
  pair.whole.kill();
  pair.whole.run_for(seconds(60));
  EXPECT_EQ(state(*pair.rival), daemon::State::disabled) << "it rests";
}

TEST(X6, WhoDoesNotKnowTheKeyIsNotAnsweredAndToldOfOnce) {
  const Pair pair;
  Whole& whole = const_cast<Whole&>(pair.whole);
  Voice voice(whole, "h00011");
  voice.key = 7;
  const Lid standby = host_lid(whole, kRivalHost);
  EXPECT_FALSE(voice.say(standby, kSet, raw(daemon::Word::disable), mad::SmState::master));
  EXPECT_FALSE(voice.say(standby, kSet, raw(daemon::Word::disable), mad::SmState::master));
  EXPECT_EQ(state(*pair.rival), kStandby);
  EXPECT_EQ(std::ranges::count(whole.events->after(0, 10'000), "manager_ignored", &daemon::Event::kind), 1);
}

TEST(X5, AHandOverOutOfTheBlueEndsWithOneMaster) {
  Pair pair;
  Voice voice(pair.whole, "h00011");
  const auto answer =
      voice.say(host_lid(pair.whole, kRivalHost), kSet, raw(daemon::Word::hand_over), mad::SmState::master);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->first, 0);
  pair.whole.run_for(seconds(60));
  EXPECT_EQ(pair.masters(), 1);
  EXPECT_EQ(pair.whole.faults(), "");
}

TEST(SplitFabric, IsOneAgainWithOneMasterAndNoLidTwice) {
  Whole whole("fat-tree:radix=8");
  whole.start();
  ASSERT_TRUE(whole.settle());
  Rival rival(whole, "h00031");
  whole.run_for(seconds(10));
  // The last leaf loses its ways up.
  const auto each_way_up = [&](const std::function<void(sim::NodeIndex, PortNum)>& act) {
    for (std::uint8_t p = 5; p <= 8; ++p) act(whole.node("L1-07"), PortNum{p});
  };
  each_way_up([&](sim::NodeIndex node, PortNum port) { whole.world->cut_link(node, port); });
  ASSERT_TRUE(whole.run_until([&] { return state(rival) == kMaster; }, seconds(30)));
  whole.run_for(seconds(30));
  EXPECT_EQ(state(whole), kMaster);
  each_way_up([&](sim::NodeIndex node, PortNum port) { whole.world->mend_link(node, port); });
  whole.run_for(seconds(90));
  EXPECT_EQ((state(rival) == kMaster) + (state(whole) == kMaster), 1);
  EXPECT_EQ(whole.faults(), "");
  std::map<Lid, int> uses;
  for (const auto& [guid, lid] : lids(whole)) ++uses[lid];
  EXPECT_TRUE(std::ranges::all_of(uses, [](const auto& use) { return use.second == 1; }));
}

}  // namespace
}  // namespace weft::test
