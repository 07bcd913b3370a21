// Two weftd on weftsim that share their state through three real etcd: whatever of the five dies, freezes or
// is cut off, no LID changes, nothing that was confirmed to a client is lost, and there is one master at
// rest.

#include <csignal>
#include <map>
#include <random>
#include <regex>
#include <set>

#include <gtest/gtest.h>

#include "tests/support/etcd_process.h"
#include "tests/support/tcp_relay.h"
#include "tests/system/member.h"
#include "tests/system/simulator.h"

namespace weft::system_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kClient = "h00031";
constexpr std::array kManagers{"h00000", "h00007"};
struct Five {
  tests::EtcdCluster etcd{{.members = 3,
                           .arguments = {"--heartbeat-interval", "50", "--election-timeout", "500"},
                           .relays = true}};
  /// [weftd][etcd]: what stands between them.
  std::array<std::array<std::unique_ptr<tests::TcpRelay>, 3>, 2> relays;
  Simulator sim{"fat-tree:radix=8"};
  std::array<std::unique_ptr<Background>, 2> weftd;

  Five() {
    for (std::size_t which = 0; which < weftd.size(); ++which) {
      std::filesystem::create_directory(base(which));
      std::string urls;
      for (std::size_t member = 0; member < 3; ++member) {
        relays[which][member] = std::make_unique<tests::TcpRelay>(etcd.client_port(static_cast<int>(member)));
        urls +=
            fmt::format("{}'http://127.0.0.1:{}'", urls.empty() ? "" : ", ", relays[which][member]->port());
      }
      write_file(base(which) + "/weft.yaml", "transport: { kind: ibsim, ibsim: { socket: " + sim.socket() +
                                                 ", host: " + kManagers[which] + " } }\ncontrol: { socket: " +
                                                 base(which) + "/sock }\nstate_dir: " + base(which) +
                                                 "\nmanager: { poll_interval: 500ms, poll_misses: 4 "
                                                 "}\nsweep: { interval: 2s }\nstore: { etcd: [" +
                                                 urls + "], lease: 2s, timeout: 500ms }\n");
      start(which);
      EXPECT_TRUE(says(which, which == 0 ? ": master," : ": standby,")) << weftd[which]->log();
    }
  }

  std::string base(std::size_t which) const { return sim.path("weftd" + std::to_string(which)); }
  void start(std::size_t which) {
    weftd[which] = std::make_unique<Background>(program("weftd") + " --config " + base(which) + "/weft.yaml",
                                                Environment{}, sim.path(""), base(which) + "/log");
  }
  std::string status(std::size_t which) const {
    return run(program("weftctl") + " --socket " + base(which) + "/sock status").text;
  }
  bool says(std::size_t which, const std::string& words) const {
    return eventually([&] { return status(which).find(words) != std::string::npos; }, seconds(60));
  }
  /// One is master and has all in etcd, the other waits.
  bool is_at_rest() const {
    int masters = 0;
    int standbys = 0;
    for (std::size_t which = 0; which < weftd.size(); ++which) {
      const std::string text = status(which);
      masters += text.find(": master,") != std::string::npos &&
                 text.find("Shared     replicated") != std::string::npos;
      standbys += text.find(": standby,") != std::string::npos &&
                  text.find("etcd has the state") != std::string::npos;
    }
    return masters == 1 && standbys == 1;
  }
  std::size_t master() const { return status(0).find(": master,") != std::string::npos ? 0 : 1; }
  /// All that ibnetdiscover sees, LIDs included, but for its date.
  std::string fabric() const {
    return std::regex_replace(sim.tool("ibnetdiscover", Under::weftsim_run, kClient).text,
                              std::regex("# Topology file: generated on [^\n]*\n"), "");
  }
  std::string logs() const { return weftd[0]->log() + "\n----\n" + weftd[1]->log(); }

  /// Death, standstill, and loss of what it sends and gets: of an etcd all, of a weftd by its port of the
  /// fabric, or by the network that leads to etcd.
  enum class Fault { kill, stop, cut, lose };
  /// Does it to one of the five: 0 to 2 etcd, 3 and 4 weftd.
  void harm(std::size_t whom, Fault fault) {
    if (whom < 3) return harm_etcd(whom, fault);
    Background& process = *weftd[whom - 3];
    if (fault == Fault::kill) process.signal(SIGKILL);
    if (fault == Fault::stop) process.signal(SIGSTOP);
    if (fault == Fault::cut) sim.ctl("cut " + std::string(kManagers[whom - 3]) + "[1]");
    if (fault == Fault::lose)
      for (const auto& relay : relays[whom - 3]) relay->lose_all();
  }
  void harm_etcd(std::size_t whom, Fault fault) {
    const int member = static_cast<int>(whom);
    if (fault == Fault::kill) return etcd.kill(member);
    if (fault == Fault::stop) return etcd.signal(member, SIGSTOP);
    etcd.cut_off(member);
    for (const auto& of : relays) of[whom]->lose_all();
    // It has no part in the majority any more, though it runs.
    EXPECT_TRUE(eventually([&] { return !etcd.answers(member); }, seconds(20))) << "etcd is not cut off";
  }
  void mend(std::size_t whom, Fault fault) {
    etcd.mend();
    for (const auto& of : relays)
      for (const auto& relay : of) relay->mend();
    if (whom < 3) {
      const int member = static_cast<int>(whom);
      if (fault == Fault::kill) etcd.start(member);
      if (fault == Fault::stop) etcd.signal(member, SIGCONT);
      return;
    }
    if (fault == Fault::kill) start(whom - 3);
    if (fault == Fault::stop) weftd[whom - 3]->signal(SIGCONT);
    if (fault == Fault::cut) sim.ctl("mend " + std::string(kManagers[whom - 3]) + "[1]");
  }
  static std::string_view name(Fault fault) {
    constexpr std::array<std::string_view, 4> kNames{"death", "freezing", "cut", "network loss"};
    return kNames[static_cast<std::size_t>(fault)];
  }
};

/// Rounds of one fault each, at random by seed, while a client joins groups. WEFT_ETCD_ROUNDS and
/// WEFT_ETCD_SEED say how many, and which.
TEST(SharedState, OutlivesAnyOneOfTheFive) {
  const char* rounds_text = std::getenv("WEFT_ETCD_ROUNDS");
  const char* seed_text = std::getenv("WEFT_ETCD_SEED");
  const int rounds = rounds_text != nullptr ? std::atoi(rounds_text) : 5;
  const unsigned seed = seed_text != nullptr ? static_cast<unsigned>(std::atoi(seed_text)) : 1;
  Five five;
  std::mt19937 random(seed);
  Member member(five.sim.socket(), kClient);
  ASSERT_TRUE(eventually([&] { return five.is_at_rest(); }, seconds(60))) << five.status(0) << five.status(1);
  const std::string fabric = five.fabric();
  std::set<std::uint32_t> confirmed;
  std::uint32_t next = 0;
  const auto join_some = [&](int count) {
    for (int i = 0; i < count; ++i, ++next)
      if (member.join(next) == 0) confirmed.insert(next);
  };
  for (int round = 0; round < rounds; ++round) {
    const std::size_t whom = round == 0 ? 3 + five.master() : random() % 5;
    const Five::Fault fault = round == 0 ? Five::Fault::kill : static_cast<Five::Fault>(random() % 4);
    const bool was_master = whom == 3 + five.master();
    SCOPED_TRACE(fmt::format("seed {} round {}: {} of {}{}", seed, round, Five::name(fault),
                             whom < 3 ? "etcd " : "weftd ", whom < 3 ? whom : whom - 3));
    join_some(5);
    // One fault at a time: an etcd that has just come back may still look for a leader, and what is confirmed
    // meanwhile is known to this master alone.
    ASSERT_TRUE(eventually([&] { return five.is_at_rest(); }, seconds(60)))
        << five.status(0) << five.status(1) << five.logs();
    five.harm(whom, fault);
    join_some(3);
    // Without etcd the master goes on.
    if (was_master && fault != Five::Fault::lose) {
      ASSERT_TRUE(five.says(4 - whom, ": master,")) << five.logs();
    }
    join_some(3);
    five.mend(whom, fault);
    ASSERT_TRUE(eventually([&] { return five.is_at_rest(); }, seconds(60)))
        << five.status(0) << five.status(1) << five.logs();
    EXPECT_EQ(five.fabric(), fabric);
    for (const std::uint32_t group : confirmed)
      ASSERT_TRUE(member.is_in(group)) << group << "\n" << five.logs();
  }
  EXPECT_GE(confirmed.size(), static_cast<std::size_t>(rounds) * 5);
  for (const auto& weftd : five.weftd)
    EXPECT_EQ(weftd->log().find("registrations unknown ports=3"), std::string::npos);
}

/// From the death of the master to the first clean sweep of the other: at most poll x misses and a second
/// more. Told in any case; held against the limit in the long run, where nothing else is at work.
TEST(SharedState, TakesOverInTime) {
  Five five;
  ASSERT_TRUE(eventually([&] { return five.is_at_rest(); }, seconds(60))) << five.status(0) << five.status(1);
  const std::size_t dies = five.master();
  const std::size_t heir = 1 - dies;
  const std::size_t sweeps = count_of(five.weftd[heir]->log(), "clean=true");
  const auto began = std::chrono::steady_clock::now();
  five.harm(3 + dies, Five::Fault::kill);
  std::chrono::duration<double> took{};
  while (took < seconds(60)) {
    took = std::chrono::steady_clock::now() - began;
    if (count_of(five.weftd[heir]->log(), "clean=true") > sweeps) break;
    ::poll(nullptr, 0, 10);
  }
  constexpr double kLimit = 0.5 * 4 + 1;
  std::printf(
      "take-over with etcd: %.2f s from kill -9 to the first clean sweep (poll x misses + 1 s = %.0f s)\n",
      took.count(), kLimit);
  EXPECT_LT(took.count(), std::getenv("WEFT_ETCD_ROUNDS") != nullptr ? kLimit : 60.0);
}

}  // namespace
}  // namespace weft::system_test
