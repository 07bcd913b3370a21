// The client against a real etcd.

#include <csignal>

#include <gtest/gtest.h>

#include "etcd/watch.h"
#include "tests/support/etcd_process.h"

namespace weft::etcd {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using tests::EtcdCluster;

Options options_for(const EtcdCluster& cluster) {
  Options options;
  for (const std::string& url : cluster.urls()) options.endpoints.push_back(parse_endpoint(url).value());
  options.timeout = seconds(2);
  return options;
}

const Transaction kPutA{{}, {put("a", "1")}, {}};

TEST(Server, KeepsWhatATransactionPutsAndRefusesOneWhoseConditionFails) {
  const EtcdCluster cluster;
  Client client(options_for(cluster));
  const std::string odd("\0\xff\n\"", 4);
  const auto first = client.commit({{{"a", 0}}, {put("a", odd), put("b", "")}, {}});
  ASSERT_TRUE(first) << first.error().what;
  EXPECT_TRUE(first->held);
  const auto second = client.commit({{{"a", 0}}, {erase("a")}, {get("a"), get("nothing")}});
  ASSERT_TRUE(second) << second.error().what;
  EXPECT_FALSE(second->held);
  ASSERT_EQ(second->found.size(), 1u);
  EXPECT_EQ(second->found[0].value, odd);
  EXPECT_EQ(second->found[0].mod_revision, first->header.revision);
  ASSERT_TRUE(client.commit({{{"a", first->header.revision}}, {erase("a")}, {}}));
  EXPECT_EQ(client.range({"a", "c", 0, 0}).value().entries.size(), 1u);
  EXPECT_EQ(client.range({"a", "c", first->header.revision, 0}).value().entries.size(), 2u)
      << "as it was then";
  EXPECT_TRUE(client.range({"a", "c", first->header.revision, 1}).value().more);
  cluster.ctl(fmt::format("compact {}", client.range({"a", {}, 0, 0}).value().header.revision));
  EXPECT_EQ(client.range({"a", "c", first->header.revision, 0}).error().code, Errc::not_found);
}

TEST(Server, TakesAwayWhatHangsOnALeaseThatHasEnded) {
  const EtcdCluster cluster;
  Client client(options_for(cluster));
  const auto lease = client.grant(60);
  ASSERT_TRUE(lease) << lease.error().what;
  ASSERT_TRUE(client.commit({{}, {put("a", "1", lease->id)}, {}}));
  EXPECT_EQ(client.keep_alive(lease->id).value().seconds, 60);
  ASSERT_TRUE(client.revoke(lease->id));
  EXPECT_TRUE(client.range({"a", {}, 0, 0}).value().entries.empty());
  EXPECT_LE(client.keep_alive(lease->id).value().seconds, 0);
  EXPECT_EQ(client.revoke(lease->id).error().code, Errc::not_found);
}

TEST(Server, TellsWhatHappensToAPrefix) {
  const EtcdCluster cluster;
  Client client(options_for(cluster));
  const std::int64_t before =
      client.commit({{}, {put("w/1", "x"), put("v", "-")}, {}}).value().header.revision;
  Watch watch(options_for(cluster));
  const Result<void> opened = watch.open("w/", before);
  ASSERT_TRUE(opened) << opened.error().what;
  std::vector<WatchEvent> events;
  const auto take = [&](std::size_t count) {
    while (events.size() < count) {
      const auto news = watch.next(seconds(10));
      ASSERT_TRUE(news) << news.error().what;
      events.insert(events.end(), news->events.begin(), news->events.end());
    }
  };
  take(1);
  EXPECT_EQ(watch.next(milliseconds(20)).error().code, Errc::timeout);
  ASSERT_TRUE(client.commit({{}, {erase("w/1"), put("w/2", "y")}, {}}));
  take(3);
  EXPECT_EQ(events[0].entry.value, "x");
  EXPECT_TRUE(events[1].erased);
  EXPECT_EQ(events[2].entry.key, "w/2");
  EXPECT_EQ(events[1].entry.mod_revision, events[2].entry.mod_revision);
}

TEST(Server, SaysThatWhatAWatchBeginsWithIsCompacted) {
  const EtcdCluster cluster;
  Client client(options_for(cluster));
  const std::int64_t first = client.commit(kPutA).value().header.revision;
  const std::int64_t second = client.commit(kPutA).value().header.revision;
  cluster.ctl(fmt::format("compact {}", second));
  Watch watch(options_for(cluster));
  ASSERT_TRUE(watch.open("a", first));
  Result<WatchNews> news = watch.next(seconds(10));
  while (news && !news->ended) news = watch.next(seconds(10));
  EXPECT_EQ(news.error().code, Errc::not_found) << news.error().what;
}

TEST(Server, OfThreeMayDieOrFreeze) {
  EtcdCluster cluster({.members = 3, .arguments = {}});
  Client client(options_for(cluster));
  ASSERT_TRUE(client.commit(kPutA));
  cluster.kill(0);
  auto committed = client.commit(kPutA);
  for (int again = 0; !committed && again < 10; ++again) committed = client.commit(kPutA);  // they elect
  ASSERT_TRUE(committed) << committed.error().what;
  cluster.start(0);
  while (!cluster.answers(0)) continue;
  cluster.signal(1, SIGSTOP);
  committed = client.commit(kPutA);
  for (int again = 0; !committed && again < 10; ++again) committed = client.commit(kPutA);
  EXPECT_TRUE(committed) << committed.error().what;
}

TEST(Server, IsReachedByTlsAndItsCertificateIsChecked) {
  const EtcdCluster cluster({.members = 1, .arguments = {}, .tls = true});
  Options options = options_for(cluster);
  options.ca = cluster.ca();
  const auto committed = Client(options).commit(kPutA);
  ASSERT_TRUE(committed) << committed.error().what;
  Watch watch(options);
  ASSERT_TRUE(watch.open("a", 1));
  EXPECT_TRUE(watch.next(seconds(10)));
  options.ca.clear();
  const auto unknown = Client(options).commit(kPutA);
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().what.find("certificate"), std::string::npos) << unknown.error().what;
  options.ca = "/nowhere.pem";
  EXPECT_EQ(Client(options).commit(kPutA).error().code, Errc::invalid);
}

TEST(Server, AsksForAUserAndPassword) {
  const EtcdCluster cluster;
  cluster.ctl("user add root:rootpw");
  cluster.ctl("user add weft:secret");
  cluster.ctl("role add weft");
  cluster.ctl("role grant-permission weft readwrite --prefix=true /weft/");
  cluster.ctl("user grant-role weft weft");
  cluster.ctl("user grant-role root root");
  cluster.ctl("auth enable");
  Options options = options_for(cluster);
  EXPECT_EQ(Client(options).commit(kPutA).error().code, Errc::invalid);
  options.user = "weft";
  options.password = "wrong";
  EXPECT_EQ(Client(options).commit(kPutA).error().code, Errc::invalid);
  options.password = "secret";
  Client client(options);
  const auto committed = client.commit({{}, {put("/weft/a", "1")}, {}});
  EXPECT_TRUE(committed) << committed.error().what;
  EXPECT_EQ(client.commit(kPutA).error().code, Errc::invalid) << "outside its prefix";
}

}  // namespace
}  // namespace weft::etcd
