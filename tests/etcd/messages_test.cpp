#include "etcd/messages.h"

#include <gtest/gtest.h>

#include "etcd/base64.h"

namespace weft::etcd {
namespace {

TEST(Base64, ReadsBackWhatItWrote) {
  for (std::size_t size = 0; size < 70; ++size) {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i) bytes.push_back(static_cast<char>(i * 37 + size));
    EXPECT_EQ(from_base64(to_base64(bytes)).value(), bytes);
  }
  EXPECT_EQ(to_base64(std::string_view("\0\xff", 2)), "AP8=");
  EXPECT_FALSE(from_base64("a"));
  EXPECT_FALSE(from_base64("????"));
}

TEST(EndOfPrefix, IsTheFirstKeyBehindIt) {
  EXPECT_EQ(end_of_prefix("/weft/"), "/weft0");
  EXPECT_EQ(end_of_prefix("a\xff"), "b");
  EXPECT_EQ(end_of_prefix("\xff"), std::string(1, '\0'));
}

// As etcd 3.4 answers.
TEST(Range, IsReadWithItsNumbersAsTexts) {
  const auto range = range_from_json(
      R"({"header":{"cluster_id":"14841639068965178418","member_id":"1","revision":"7","raft_term":"2"},
          "kvs":[{"key":"YQ==","create_revision":"3","mod_revision":"7","version":"2","value":"Yg==","lease":"5"},
                 {"key":"Yg==","create_revision":"4","mod_revision":"4","version":"1"}],"more":true,"count":"9"})");
  ASSERT_TRUE(range) << range.error().what;
  EXPECT_EQ(range->header.cluster, 14841639068965178418u);
  EXPECT_EQ(range->header.revision, 7);
  EXPECT_TRUE(range->more);
  EXPECT_EQ(range->entries, (std::vector<KeyValue>{{"a", "b", 3, 7, 5}, {"b", "", 4, 4, 0}}));
}

TEST(Committed, TellsWhetherItsConditionsHeldAndWhatItFound) {
  const auto committed = committed_from_json(
      R"({"header":{"cluster_id":"1","revision":"9"},"responses":[{"response_put":{"header":{"revision":"9"}}},
          {"response_range":{"header":{"revision":"9"},"kvs":[{"key":"YQ==","value":"Yg==","mod_revision":"9"}]}},
          {"response_range":{"header":{"revision":"9"}}}]})");
  ASSERT_TRUE(committed);
  EXPECT_FALSE(committed->held);
  EXPECT_EQ(committed->found, (std::vector<KeyValue>{{"a", "b", 0, 9, 0}}));
}

TEST(Transaction, IsWrittenWithItsKeysInBase64) {
  const Transaction transaction{{{"o", 4}}, {put("a", "b", 6), erase("c")}, {get("o")}};
  EXPECT_EQ(to_json(transaction),
            R"({"compare":[{"key":"bw==","target":"MOD","result":"EQUAL","mod_revision":"4"}],)"
            R"("success":[{"request_put":{"key":"YQ==","value":"Yg==","lease":"6"}},)"
            R"({"request_delete_range":{"key":"Yw=="}}],"failure":[{"request_range":{"key":"bw=="}}]})");
}

TEST(WatchNews, HasEventsOrAnEnd) {
  const auto news = watch_from_json(
      R"({"result":{"header":{"cluster_id":"1","revision":"5"},"events":[{"kv":{"key":"YQ==","mod_revision":"5",
          "value":"Yg=="}},{"type":"DELETE","kv":{"key":"Yw==","mod_revision":"5"}}]}})");
  ASSERT_TRUE(news) << news.error().what;
  ASSERT_EQ(news->events.size(), 2u);
  EXPECT_FALSE(news->events[0].erased);
  EXPECT_TRUE(news->events[1].erased);
  EXPECT_EQ(news->events[1].entry.key, "c");
  const auto ended =
      watch_from_json(R"({"result":{"header":{"revision":"5"},"canceled":true,"compact_revision":"4"}})");
  ASSERT_TRUE(ended);
  EXPECT_TRUE(ended->ended);
  EXPECT_EQ(ended->compact_revision, 4);
  EXPECT_FALSE(watch_from_json(R"({"error":{"grpc_code":14,"message":"etcdserver: no leader"}})"));
}

TEST(Lease, OfAKeepAliveStandsInAStream) {
  EXPECT_EQ(lease_from_json(R"({"header":{},"ID":"12","TTL":"5"})").value().seconds, 5);
  EXPECT_EQ(lease_from_json(R"({"result":{"header":{},"ID":"12","TTL":"4"}})").value().seconds, 4);
  EXPECT_EQ(lease_from_json(R"({"result":{"header":{},"ID":"12"}})").value().seconds, 0) << "it has ended";
}

TEST(Answers, ThatAreNoneAreRefused) {
  for (const char* bad :
       {"", "[]", "1", "{", R"({"header":3})", R"({"header":{"revision":"x"}})", R"({"header":{},"kvs":3})",
        R"({"header":{},"kvs":[{"key":"?"}]})", R"({"result":[]})"}) {
    EXPECT_FALSE(range_from_json(bad)) << bad;
    EXPECT_FALSE(lease_from_json(bad)) << bad;
    EXPECT_FALSE(watch_from_json(bad)) << bad;
    EXPECT_FALSE(token_from_json(bad)) << bad;
  }
  EXPECT_FALSE(committed_from_json(R"({"header":{},"responses":[{"response_range":{"kvs":4}}]})"));
  EXPECT_EQ(error_from_json(R"({"error":"etcdserver: x","message":"etcdserver: x","code":3})"),
            "etcdserver: x");
  EXPECT_EQ(error_from_json("<html>"), "<html>");
}

}  // namespace
}  // namespace weft::etcd
