// The Replica on its thread, against a real etcd that dies, freezes and comes back.

#include "daemon/replica.h"

#include <csignal>

#include <gtest/gtest.h>

#include "canned.h"
#include "random_sa_state.h"
#include "tests/support/etcd_process.h"

namespace weft::daemon {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::TemporaryDirectory;
using tests::EtcdCluster;

struct ReplicaHost {
  TemporaryDirectory directory;
  asio::io_context loop;
  std::vector<std::string> told;
  std::unique_ptr<Replica> replica;

  explicit ReplicaHost(const EtcdCluster& cluster) {
    SharedOptions options;
    for (const std::string& url : cluster.urls())
      options.etcd.endpoints.push_back(etcd::parse_endpoint(url).value());
    options.etcd.timeout = milliseconds(500);
    options.lease = seconds(2);
    options.directory = directory.path();
    options.self.host = "sm";
    replica = std::move(
        Replica::start(options, {}, loop.get_executor(), [this](Severity, std::string, std::string text) {
          told.push_back(std::move(text));
        }).value());
  }
  bool run_until(const std::function<bool()>& holds, Duration limit = seconds(30)) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (!holds() && std::chrono::steady_clock::now() < end) {
      loop.restart();
      if (loop.run_for(milliseconds(5)) == 0) std::this_thread::sleep_for(milliseconds(1));
    }
    return holds();
  }
  bool becomes(SharedStatus::State state) {
    return run_until([&] { return replica->status().state == state; });
  }
  Result<SharedState::Taken> take() {
    std::optional<Result<SharedState::Taken>> got;
    replica->take(Guid{1}, [&got](Result<SharedState::Taken> taken) { got = std::move(taken); });
    run_until([&] { return got.has_value(); });
    return got ? std::move(*got) : Result<SharedState::Taken>(fail(Errc::timeout, "it never came"));
  }
  Result<void> save(const plan::SaState& state) {
    std::optional<Result<void>> kept;
    replica->save_sa(state, [&kept](Result<void> done) { kept = std::move(done); });
    run_until([&] { return kept.has_value(); });
    return kept.value_or(fail(Errc::timeout, "it never came"));
  }
};

using enum SharedStatus::State;

TEST(Replica, ConfirmsWhatTheNextManagerThenFinds) {
  const EtcdCluster cluster;
  plan::SaState state = test::changed({}, 1);
  {
    ReplicaHost one(cluster);
    ASSERT_TRUE(one.take());
    ASSERT_TRUE(one.becomes(replicated));
    for (unsigned seed = 2; seed < 20; ++seed) {
      state = test::changed(state, seed);
      ASSERT_TRUE(one.save(state));
    }
  }
  ReplicaHost two(cluster);
  const auto taken = two.take();
  ASSERT_TRUE(taken) << taken.error().what;
  ASSERT_TRUE(taken->ledger);
  EXPECT_TRUE(taken->current);
  test::expect_same(taken->ledger->sa, state);
}

TEST(Replica, GoesOnWithoutEtcdAndSaysSoAndCatchesUp) {
  EtcdCluster cluster;
  ReplicaHost one(cluster);
  ASSERT_TRUE(one.take());
  ASSERT_TRUE(one.becomes(replicated));
  cluster.signal(0, SIGSTOP);
  plan::SaState state = test::changed({}, 1);
  EXPECT_TRUE(one.save(state));
  EXPECT_EQ(one.replica->status().state, not_replicated);
  EXPECT_TRUE(one.replica->status().since);
  cluster.signal(0, SIGCONT);
  ASSERT_TRUE(one.becomes(replicated));
  cluster.kill(0);
  state = test::changed(state, 2);
  EXPECT_TRUE(one.save(state));
  cluster.start(0);
  ASSERT_TRUE(one.becomes(replicated));
  one.replica.reset();
  ReplicaHost two(cluster);
  const auto taken = two.take();
  ASSERT_TRUE(taken && taken->ledger);
  test::expect_same(taken->ledger->sa, state);
}

TEST(Replica, WaitsForTheLockOfOneThatDiedAndNoLongerForOneThatLives) {
  const EtcdCluster cluster;
  ReplicaHost one(cluster);
  ASSERT_TRUE(one.take());
  ReplicaHost two(cluster);
  const auto refused = two.take();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::conflict);
  const std::string lease = cluster.ctl("lease list");
  one.replica->leave();
  EXPECT_TRUE(two.take());
}

TEST(Replica, ThatLostItsLockToAnotherTellsAndConfirmsNothing) {
  const EtcdCluster cluster;
  ReplicaHost one(cluster);
  ASSERT_TRUE(one.take());
  ASSERT_TRUE(one.becomes(replicated));
  std::string lost;
  one.replica->on_lost([&lost](const std::string& why) { lost = why; });
  cluster.ctl("del /weft/owner");
  ReplicaHost two(cluster);
  ASSERT_TRUE(two.take());
  EXPECT_EQ(one.save(test::changed({}, 1)).error().code, Errc::conflict);
  ASSERT_TRUE(one.run_until([&] { return !lost.empty(); }));
  EXPECT_EQ(one.save(test::changed({}, 2)).error().code, Errc::conflict);
  one.replica->leave();
  EXPECT_TRUE(one.save({})) << "who is not master has nothing to confirm";
}

TEST(Replica, IsMasterWithoutEtcdAndWithIt) {
  EtcdCluster cluster;
  cluster.kill(0);
  ReplicaHost one(cluster);
  const auto taken = one.take();
  ASSERT_TRUE(taken) << taken.error().what;
  EXPECT_FALSE(taken->ledger);
  EXPECT_FALSE(taken->current);
  EXPECT_EQ(one.replica->status().state, not_replicated);
  cluster.start(0);
  EXPECT_TRUE(one.becomes(replicated));
}

}  // namespace
}  // namespace weft::daemon
