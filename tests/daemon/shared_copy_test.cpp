// The shared state in a real etcd: one lock, nothing half, and the rules by which what is wrong is set right.

#include "daemon/shared_copy.h"

#include <gtest/gtest.h>

#include "canned.h"
#include "daemon/store_tables.h"
#include "random_sa_state.h"
#include "tests/support/etcd_process.h"

namespace weft::daemon {
namespace {

using std::chrono::seconds;
using test::TemporaryDirectory;
using tests::EtcdCluster;

plan::Ledger lids(unsigned count, unsigned first = 1) {
  auto map = std::make_shared<plan::LidMap>();
  for (unsigned i = 0; i < count; ++i) (*map)[Guid{i + 1}] = {static_cast<Lid>(first + i), 0};
  plan::Ledger ledger;
  ledger.lids = map;
  return ledger;
}

/// A manager's copy on a state directory that outlives it.
struct CopyHost {
  const EtcdCluster& cluster;
  TemporaryDirectory directory;
  std::unique_ptr<SharedCopy> copy;

  explicit CopyHost(const EtcdCluster& of) : cluster(of) { open({}); }
  void open(const plan::Ledger& ours) {
    SharedOptions options;
    for (const std::string& url : cluster.urls())
      options.etcd.endpoints.push_back(etcd::parse_endpoint(url).value());
    options.etcd.timeout = seconds(1);
    options.lease = seconds(60);
    options.directory = directory.path();
    options.self.host = directory.path().filename().string();
    copy = std::move(SharedCopy::open(options, ours).value());
  }
  SharedState::Taken take() {
    auto taken = copy->take(Guid{1});
    EXPECT_TRUE(taken) << taken.error().what;
    return taken ? std::move(*taken) : SharedState::Taken{};
  }
  /// Holds the lock and has written this.
  void fill(const plan::Ledger& ledger) {
    take();
    (void)copy->write(ledger).has_value();
    const Result<void> filled = copy->recover();
    EXPECT_TRUE(filled) << filled.error().what;
    EXPECT_TRUE(copy->in_step());
  }
};

const plan::LidMap& taken_lids(const SharedState::Taken& taken) {
  static const plan::LidMap kNone;
  EXPECT_TRUE(taken.ledger);
  return taken.ledger ? *taken.ledger->lids : kNone;
}

TEST(SharedCopy, HandsAllToTheNextWhoTakesTheLock) {
  const EtcdCluster cluster;
  CopyHost one(cluster);
  EXPECT_FALSE(one.take().ledger) << "there is nothing yet";
  plan::Ledger ledger = lids(3000);  // more than one transaction takes
  ledger.sa = test::changed({}, 1);
  one.fill(ledger);
  ledger.sa = test::changed(ledger.sa, 2);
  ASSERT_TRUE(one.copy->write(ledger));
  CopyHost two(cluster);
  const auto refused = two.copy->take(Guid{2});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::conflict);
  EXPECT_NE(refused.error().what.find(one.directory.path().filename().string()), std::string::npos);
  one.copy->leave();
  const SharedState::Taken taken = two.take();
  EXPECT_TRUE(taken.current);
  EXPECT_EQ(taken_lids(taken), *ledger.lids);
  test::expect_same(taken.ledger->sa, ledger.sa);
  EXPECT_TRUE(two.copy->in_step());
  EXPECT_EQ(two.copy->seq(), one.copy->seq());
}

TEST(SharedCopy, OfWhomTheLockWasTakenWritesNothingMore) {
  const EtcdCluster cluster;
  CopyHost one(cluster);
  one.fill(lids(10));
  cluster.ctl("del /weft/owner");
  CopyHost two(cluster);
  two.take();
  const Result<void> written = one.copy->write(lids(11));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Errc::conflict);
  EXPECT_EQ(one.copy->recover().error().code, Errc::conflict);
  two.copy->leave();
  EXPECT_TRUE(one.copy->recover()) << "nobody has written since";
  one.copy->leave();
  two.fill(lids(12));
  two.copy->leave();
  EXPECT_EQ(one.copy->recover().error().code, Errc::conflict) << "somebody has";
  EXPECT_EQ(taken_lids(one.take()), *lids(12).lids);
}

TEST(SharedCopy, OfAProcessThatDiedIsTakenUpAtOnceOnTheSameStateFile) {
  const EtcdCluster cluster;
  CopyHost one(cluster);
  one.fill(lids(10));
  one.open({});  // killed, and started again
  EXPECT_EQ(taken_lids(one.take()), *lids(10).lids);
}

TEST(SharedCopy, OnACopyOfAnothersStateDirectoryIsAnotherManager) {
  const EtcdCluster cluster;
  CopyHost one(cluster);
  one.fill(lids(10));
  CopyHost two(cluster);
  std::filesystem::copy(one.directory.path() / "shared.json", two.directory.path() / "shared.json",
                        std::filesystem::copy_options::overwrite_existing);
  two.open({});
  EXPECT_EQ(two.copy->take(Guid{2}).error().code, Errc::conflict);
}

TEST(SharedCopy, NeverTakesHalf) {
  const EtcdCluster cluster;
  CopyHost one(cluster);
  one.fill(lids(10));
  one.copy->leave();
  etcd::Options options;
  options.endpoints = {etcd::parse_endpoint(cluster.url()).value()};
  etcd::Client client(options);
  const std::int64_t whole = client.range({"/weft/marker", {}, 0, 0}).value().entries[0].mod_revision;
  const Marker half{kStateVersion, one.copy->seq() + 1, "another", false, whole};
  ASSERT_TRUE(client.commit(
      {{},
       {etcd::put("/weft/marker", to_json(half)), etcd::erase("/weft/rows/lids/0000000000000001"),
        etcd::put("/weft/rows/lids/00000000000000ff", "255,255,0")},
       {}}));
  CopyHost two(cluster);
  EXPECT_EQ(taken_lids(two.take()), *lids(10).lids);
  EXPECT_TRUE(two.copy->recover());
  EXPECT_TRUE(two.copy->in_step());
  two.copy->leave();
  CopyHost three(cluster);
  EXPECT_EQ(taken_lids(three.take()), *lids(10).lids);
}

TEST(SharedCopy, FillsAnEtcdThatHasLostWhatItWasTold) {
  EtcdCluster cluster;
  CopyHost one(cluster);
  one.fill(lids(10));
  cluster.start(0, true);
  while (!cluster.answers(0)) continue;
  EXPECT_FALSE(one.copy->write(lids(11)));
  const Result<void> filled = one.copy->recover();
  ASSERT_TRUE(filled) << filled.error().what;
  EXPECT_FALSE(one.copy->notes().empty());
  one.copy->leave();
  CopyHost two(cluster);
  EXPECT_EQ(taken_lids(two.take()), *lids(11).lids);
}

TEST(SharedCopy, PrefersOurStateFileWhereThatIsAheadAndNobodyHasWrittenSince) {
  const EtcdCluster cluster;
  CopyHost one(cluster);
  one.fill(lids(10));
  ASSERT_TRUE(one.copy->go_ahead());
  (void)one.copy->write(lids(11)).has_value();
  one.open(lids(11));  // killed, and started again
  const SharedState::Taken taken = one.take();
  EXPECT_FALSE(taken.ledger);
  EXPECT_TRUE(taken.current);
  ASSERT_TRUE(one.copy->recover());
  ASSERT_TRUE(one.copy->go_ahead());
  one.copy->leave();
  CopyHost two(cluster);
  two.fill(lids(12));
  two.copy->leave();
  one.open(lids(13));
  EXPECT_EQ(taken_lids(one.take()), *lids(12).lids) << "somebody has";
}

TEST(SharedCopy, IsNotTakenFromABackup) {
  const EtcdCluster cluster;
  CopyHost one(cluster);
  one.fill(lids(10));
  const std::string old = to_json(Marker{kStateVersion, one.copy->seq(), "x", true, 0});
  ASSERT_TRUE(one.copy->write(lids(11)));
  one.copy->leave();
  etcd::Options options;
  options.endpoints = {etcd::parse_endpoint(cluster.url()).value()};
  ASSERT_TRUE(etcd::Client(options).commit({{}, {etcd::put("/weft/marker", old)}, {}}));
  one.open(lids(11));
  const SharedState::Taken taken = one.take();
  EXPECT_FALSE(taken.ledger);
  EXPECT_FALSE(one.copy->notes().empty());
}

TEST(SharedCopy, OfANewerWeftdIsLeftAlone) {
  const EtcdCluster cluster;
  cluster.ctl("put /weft/marker '" + to_json(Marker{kStateVersion + 1, 5, "x", true, 0}) + "'");
  CopyHost one(cluster);
  EXPECT_EQ(one.copy->take(Guid{1}).error().code, Errc::invalid);
  EXPECT_EQ(one.copy->recover().error().code, Errc::invalid);
  EXPECT_NE(cluster.ctl("get /weft/marker").find(R"("seq":5)"), std::string::npos);
}

TEST(SharedCopy, ManagersSeeEachOther) {
  const EtcdCluster cluster;
  CopyHost one(cluster);
  CopyHost two(cluster);
  one.copy->set_port(Guid{1});
  two.copy->set_port(Guid{2});
  ASSERT_TRUE(one.copy->renew());
  two.copy->set_digests({{"qos", "1"}});
  ASSERT_TRUE(two.copy->renew());
  ASSERT_TRUE(one.copy->renew());
  ASSERT_EQ(one.copy->others().size(), 1u);
  EXPECT_EQ(one.copy->others()[0].digests.at("qos"), "1");
  two.copy->close();
  ASSERT_TRUE(one.copy->renew());
  EXPECT_TRUE(one.copy->others().empty());
}

}  // namespace
}  // namespace weft::daemon
