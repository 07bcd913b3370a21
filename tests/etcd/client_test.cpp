// The client against a server that misbehaves. Against a real one: server_test.cpp.

#include "etcd/client.h"

#include <gtest/gtest.h>

#include "tests/etcd/fake_server.h"

namespace weft::etcd {
namespace {

using std::chrono::milliseconds;

constexpr const char* kNothing = R"({"header":{"cluster_id":"1","revision":"1"}})";

Options options(std::vector<Endpoint> endpoints) {
  Options options;
  options.endpoints = std::move(endpoints);
  options.timeout = milliseconds(200);
  return options;
}

FakeServer::Answer good(const std::string&) { return {200, kNothing}; }

TEST(Client, LeavesAServerThatIsSilentOrGoneForTheNextOne) {
  FakeServer silent([](const std::string&) { return FakeServer::Answer{.silent = true}; });
  FakeServer closing([](const std::string&) { return FakeServer::Answer{.close = true}; });
  FakeServer well(good);
  Client client(options({{false, "127.0.0.1", "1"}, silent.endpoint(), closing.endpoint(), well.endpoint()}));
  const auto answer = client.range({"a", {}, 0, 0});
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(client.endpoint(), to_string(well.endpoint()));
  ASSERT_TRUE(client.range({"a", {}, 0, 0}));
  EXPECT_EQ(silent.requests().size(), 1u) << "it stays with the one that answers";
}

TEST(Client, SaysWhyWhenNobodyAnswers) {
  FakeServer leaderless([](const std::string&) {
    return FakeServer::Answer{503, R"({"error":"etcdserver: no leader","code":14})"};
  });
  Client client(options({leaderless.endpoint(), {false, "127.0.0.1", "1"}}));
  const auto answer = client.range({"a", {}, 0, 0});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::unavailable);
  EXPECT_NE(answer.error().what.find("127.0.0.1"), std::string::npos);
}

TEST(Client, OpensAnewWhatHasBeenClosedWhileItStoodIdle) {
  int answered = 0;
  FakeServer server([&](const std::string&) {
    return ++answered == 2 ? FakeServer::Answer{.close = true} : FakeServer::Answer{200, kNothing};
  });
  Client client(options({server.endpoint()}));
  EXPECT_TRUE(client.range({"a", {}, 0, 0}));
  EXPECT_TRUE(client.range({"a", {}, 0, 0}));
  EXPECT_EQ(server.requests().size(), 3u);
}

TEST(Client, ShowsItsTokenAndGetsANewOneWhenThatHasEnded) {
  int tokens = 0;
  FakeServer server([&](const std::string& request) -> FakeServer::Answer {
    if (request.find("/v3/auth/authenticate") != request.npos) {
      if (request.find("secret") == request.npos) return {400, R"({"error":"authentication failed"})"};
      return {200, fmt::format(R"({{"header":{{}},"token":"t{}"}})", ++tokens)};
    }
    const bool fresh = request.find("Authorization: t2") != request.npos;
    return fresh ? FakeServer::Answer{200, kNothing}
                 : FakeServer::Answer{401, R"({"error":"etcdserver: invalid auth token","code":16})"};
  });
  Options with = options({server.endpoint()});
  with.user = "weft";
  with.password = "secret";
  Client client(with);
  EXPECT_TRUE(client.range({"a", {}, 0, 0}));
  EXPECT_EQ(tokens, 2);
  with.password = "wrong";
  Client stranger(with);
  const auto refused = stranger.range({"a", {}, 0, 0});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::invalid);
  EXPECT_EQ(refused.error().what.find("wrong"), std::string::npos) << "no passwords in messages";
}

TEST(Client, TellsRefusalsApart) {
  FakeServer::Answer next;
  FakeServer server([&](const std::string&) { return next; });
  Client client(options({server.endpoint()}));
  const auto code = [&](unsigned status, const std::string& words) {
    next = {status, fmt::format(R"({{"error":"{}","code":1}})", words)};
    return client.range({"a", {}, 0, 0}).error().code;
  };
  EXPECT_EQ(code(400, "etcdserver: mvcc: required revision has been compacted"), Errc::not_found);
  EXPECT_EQ(code(404, "etcdserver: requested lease not found"), Errc::not_found);
  EXPECT_EQ(code(429, "etcdserver: mvcc: database space exceeded"), Errc::exhausted);
  EXPECT_EQ(code(403, "etcdserver: permission denied"), Errc::invalid);
  next = {200, "nonsense"};
  EXPECT_EQ(client.range({"a", {}, 0, 0}).error().code, Errc::malformed);
}

TEST(Client, IsCancelledFromAnotherThread) {
  FakeServer silent([](const std::string&) { return FakeServer::Answer{.silent = true}; });
  Options slow = options({silent.endpoint()});
  slow.timeout = std::chrono::minutes(5);
  Client client(slow);
  std::thread other([&] {
    while (silent.requests().empty()) std::this_thread::yield();
    client.cancel();
  });
  const auto answer = client.range({"a", {}, 0, 0});
  other.join();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::cancelled);
  EXPECT_EQ(client.range({"a", {}, 0, 0}).error().code, Errc::cancelled);
}

}  // namespace
}  // namespace weft::etcd
