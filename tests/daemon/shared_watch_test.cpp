// A standby's live copy follows a real etcd.

#include "daemon/shared_watch.h"

#include <gtest/gtest.h>

#include "daemon/shared_rows.h"
#include "daemon/store_tables.h"
#include "tests/support/etcd_process.h"

namespace weft::daemon {
namespace {

using tests::EtcdCluster;

etcd::Options options_of(const EtcdCluster& cluster) {
  etcd::Options options;
  for (const std::string& url : cluster.urls())
    options.endpoints.push_back(etcd::parse_endpoint(url).value());
  options.timeout = std::chrono::seconds(1);
  return options;
}

struct RowWriter {
  etcd::Client client;
  std::int64_t seq = 0;

  std::int64_t write(std::vector<etcd::Op> ops, bool whole = true, std::int64_t whole_at = 0) {
    const Marker marker{kStateVersion, whole ? ++seq : seq + 1, "w", whole, whole_at};
    ops.push_back(etcd::put("/weft/marker", to_json(marker)));
    const auto done = client.commit({{}, std::move(ops), {}});
    EXPECT_TRUE(done) << done.error().what;
    return done ? done->header.revision : 0;
  }
};
etcd::Op row(int number, const std::string& value) {
  return etcd::put("/weft/rows/" + std::to_string(number), value);
}

bool comes_to(const SharedWatch& watch, const std::map<std::string, std::string>& rows) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (std::chrono::steady_clock::now() < end) {
    const auto copy = watch.copy();
    if (copy && copy->rows == rows) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

TEST(SharedWatch, FollowsWholeChangesOnly) {
  const EtcdCluster cluster;
  RowWriter writer{etcd::Client(options_of(cluster))};
  SharedWatch from_the_start(options_of(cluster), "/weft/");
  EXPECT_FALSE(from_the_start.copy());
  writer.write({row(1, "a"), row(2, "b")});
  EXPECT_TRUE(comes_to(from_the_start, {{"1", "a"}, {"2", "b"}}));
  SharedWatch later(options_of(cluster), "/weft/");
  EXPECT_TRUE(comes_to(later, {{"1", "a"}, {"2", "b"}}));
  const std::int64_t whole = writer.write({etcd::erase("/weft/rows/1"), row(3, "c")});
  EXPECT_TRUE(comes_to(later, {{"2", "b"}, {"3", "c"}}));
  writer.write({row(4, "d")}, false, whole);
  SharedWatch in_between(options_of(cluster), "/weft/");
  EXPECT_TRUE(comes_to(in_between, {{"2", "b"}, {"3", "c"}}));
  EXPECT_EQ(later.copy()->rows.count("4"), 0u);
  writer.write({row(5, "e")});
  for (const SharedWatch* watch : {&from_the_start, &later, &in_between})
    EXPECT_TRUE(comes_to(*watch, {{"2", "b"}, {"3", "c"}, {"4", "d"}, {"5", "e"}}));
  EXPECT_EQ(later.copy()->marker.seq, writer.seq);
}

TEST(SharedWatch, ReadsAnewWhatItHasMissed) {
  EtcdCluster cluster;
  RowWriter writer{etcd::Client(options_of(cluster))};
  writer.write({row(1, "a")});
  const SharedWatch watch(options_of(cluster), "/weft/");
  EXPECT_TRUE(comes_to(watch, {{"1", "a"}}));
  cluster.kill(0);
  cluster.start(0);
  while (!cluster.answers(0)) continue;
  const std::int64_t last = writer.write({row(2, "b")});
  cluster.ctl("compact " + std::to_string(last));
  EXPECT_TRUE(comes_to(watch, {{"1", "a"}, {"2", "b"}}));
}

}  // namespace
}  // namespace weft::daemon
