#include "daemon/http_server.h"

#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/virtual_clock.h"
#include "canned.h"
#include "raw_client.h"

namespace weft::daemon {
namespace {

namespace fs = std::filesystem;
using test::RawClient;

constexpr std::size_t kLarge = 3'000'000;

Router example_router() {
  Router router;
  router.add({"GET", "/small", [](const Request&) { return Response{200, "text/plain", "hello", {}}; }});
  router.add({"GET", "/large",
              [](const Request&) { return Response{200, "text/plain", std::string(kLarge, 'x'), {}}; }});
  router.add({"GET", "/pieces", [](const Request&) {
                Response response;
                response.more = [left = 3](std::string& out) mutable {
                  if (left == 0) return false;
                  out += std::string(50'000, static_cast<char>('a' + --left));
                  return true;
                };
                return response;
              }});
  router.add({"GET", "/broken", [](const Request&) {
                Response response;
                response.more = [](std::string&) -> bool { throw std::runtime_error("no more"); };
                return response;
              }});
  router.add({"POST", "/echo",
              [](const Request& request) { return Response{200, "text/plain", request.body, {}}; }, 1000});
  return router;
}

class HttpServerTest : public testing::Test {
 protected:
  HttpServerTest() { options.socket = (directory.path() / "weftd.sock").string(); }

  void start() {
    auto listening = HttpServer::listen(loop, clock, options, example_router());
    ASSERT_TRUE(listening.has_value()) << listening.error().what;
    server = std::move(*listening);
  }
  std::string answer_to(const std::string& bytes) {
    RawClient client(loop, options.socket);
    client.send(bytes);
    return client.receive_all();
  }
  std::string get(const std::string& target) {
    return answer_to("GET " + target + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  }
  static std::string body_of(const std::string& answer) { return answer.substr(answer.find("\r\n\r\n") + 4); }

  test::TemporaryDirectory directory;
  asio::io_context loop;
  VirtualClock clock;
  HttpOptions options;
  std::unique_ptr<HttpServer> server;
};

TEST_F(HttpServerTest, AnswersAndCloses) {
  start();
  const std::string answer = get("/small");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n")) << answer;
  EXPECT_NE(answer.find("Content-Length: 5\r\n"), std::string::npos);
  EXPECT_EQ(body_of(answer), "hello");
}

TEST_F(HttpServerTest, KeepsTheConnectionForMoreRequests) {
  start();
  RawClient client(loop, options.socket);
  for (int i = 0; i < 3; ++i) {
    client.send("GET /small HTTP/1.1\r\nHost: x\r\n\r\n");
    const auto answer = client.receive_until([](const std::string& got) { return got.ends_with("hello"); });
    EXPECT_TRUE(answer.ends_with("hello"));
  }
  EXPECT_EQ(server->connection_count(), 1u);
}

TEST_F(HttpServerTest, AnswersRequestsThatCameTogether) {
  start();
  const std::string one = "GET /small HTTP/1.1\r\nHost: x\r\n\r\n";
  const std::string answer = answer_to(one + one + "GET /nothing HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_NE(answer.find("hello", answer.find("hello") + 1), std::string::npos);
  EXPECT_NE(answer.find("404 Not Found"), std::string::npos);
}

TEST_F(HttpServerTest, SendsLargeAnswersWhole) {
  start();
  EXPECT_EQ(body_of(get("/large")).size(), kLarge);
}

TEST_F(HttpServerTest, RunsOtherWorkBetweenThePiecesOfALargeAnswer) {
  start();
  RawClient client(loop, options.socket);
  client.send("GET /large HTTP/1.1\r\nConnection: close\r\n\r\n");
  RawClient other(loop, options.socket);
  other.send("GET /small HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(other.receive_all().ends_with("hello"));  // while the first has read nothing
  EXPECT_EQ(body_of(client.receive_all()).size(), kLarge);
}

TEST_F(HttpServerTest, SendsPiecesAsChunks) {
  start();
  const std::string answer = get("/pieces");
  EXPECT_NE(answer.find("Transfer-Encoding: chunked\r\n"), std::string::npos);
  EXPECT_TRUE(body_of(answer).starts_with("c350\r\nccc"));
  EXPECT_TRUE(answer.ends_with("aaa\r\n0\r\n\r\n"));
}

TEST_F(HttpServerTest, SendsPiecesToOldClientsUntilTheEnd) {
  start();
  const std::string body = body_of(answer_to("GET /pieces HTTP/1.0\r\n\r\n"));
  EXPECT_EQ(body, std::string(50'000, 'c') + std::string(50'000, 'b') + std::string(50'000, 'a'));
}

TEST_F(HttpServerTest, BreaksOffWhenThePiecesFail) {
  start();
  EXPECT_FALSE(get("/broken").ends_with("0\r\n\r\n"));
}

TEST_F(HttpServerTest, RefusesWhatIsNoHttp) {
  start();
  EXPECT_TRUE(answer_to("nonsense\r\n\r\n").starts_with("HTTP/1.1 400 "));
  EXPECT_TRUE(answer_to("GET /a%zz HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 400 "));
  EXPECT_TRUE(answer_to("POST /echo HTTP/1.1\r\nContent-Length: x\r\n\r\n").starts_with("HTTP/1.1 400 "));
  EXPECT_EQ(server->connection_count(), 0u);
}

TEST_F(HttpServerTest, LimitsHeaderAndBody) {
  start();
  EXPECT_TRUE(answer_to("GET /small HTTP/1.1\r\nX: " + std::string(100'000, 'x') + "\r\n\r\n")
                  .starts_with("HTTP/1.1 431 "));
  EXPECT_TRUE(answer_to("POST /echo HTTP/1.1\r\nContent-Length: 1001\r\n\r\n").starts_with("HTTP/1.1 413 "));
  EXPECT_TRUE(answer_to("POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n500\r\n" +
                        std::string(0x500, 'x') + "\r\n0\r\n\r\n")
                  .starts_with("HTTP/1.1 413 "));
}

TEST_F(HttpServerTest, TakesABodyUpToTheRoutesLimit) {
  start();
  const std::string body(1000, 'b');
  EXPECT_EQ(
      body_of(answer_to("POST /echo HTTP/1.1\r\nConnection: close\r\nContent-Length: 1000\r\n\r\n" + body)),
      body);
}

TEST_F(HttpServerTest, AsksForABodyThatIsWaitedWith) {
  start();
  RawClient client(loop, options.socket);
  client.send(
      "POST /echo HTTP/1.1\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: 2\r\n\r\n");
  const auto go_on = client.receive_until([](const std::string& got) { return got.ends_with("\r\n\r\n"); });
  EXPECT_TRUE(go_on.starts_with("HTTP/1.1 100 "));
  client.send("ok");
  EXPECT_EQ(body_of(client.receive_all()), "ok");
}

TEST_F(HttpServerTest, ClosesConnectionsThatSayNothing) {
  options.idle = std::chrono::seconds(60);
  start();
  RawClient client(loop, options.socket);
  client.send("GET /small HT");
  loop.poll();
  EXPECT_EQ(server->connection_count(), 1u);
  clock.run_until(std::chrono::seconds(59));
  loop.poll();
  EXPECT_EQ(server->connection_count(), 1u);
  clock.run_until(std::chrono::seconds(61));
  EXPECT_EQ(client.receive_all(), "");
  EXPECT_EQ(server->connection_count(), 0u);
}

TEST_F(HttpServerTest, ClosesConnectionsThatDoNotTakeTheirAnswer) {
  start();
  RawClient client(loop, options.socket);
  client.send("GET /large HTTP/1.1\r\n\r\n");
  loop.poll();
  clock.run_until(std::chrono::seconds(31));
  EXPECT_LT(client.receive_all().size(), kLarge);
  EXPECT_EQ(server->connection_count(), 0u);
}

TEST_F(HttpServerTest, TurnsAwayMoreConnectionsThanAllowed) {
  options.connections = 2;
  start();
  RawClient one(loop, options.socket);
  RawClient two(loop, options.socket);
  loop.poll();
  EXPECT_TRUE(get("/small").starts_with("HTTP/1.1 503 "));
}

TEST_F(HttpServerTest, LetsOnlyUserAndGroupConnect) {
  start();
  EXPECT_EQ(fs::status(options.socket).permissions(), fs::perms(0660));
}

TEST_F(HttpServerTest, ReplacesASocketFileThatNobodyListensOn) {
  start();
  fs::create_hard_link(options.socket, options.socket + ".kept");
  server.reset();
  fs::rename(options.socket + ".kept", options.socket);
  start();
  EXPECT_TRUE(get("/small").ends_with("hello"));
}

TEST_F(HttpServerTest, RefusesASocketThatAnotherDaemonAnswersOn) {
  start();
  const auto second = HttpServer::listen(loop, clock, options, Router{});
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, Errc::conflict);
  EXPECT_NE(second.error().what.find(options.socket), std::string::npos);
}

TEST_F(HttpServerTest, LeavesOtherFilesAlone) {
  std::ofstream(options.socket) << "precious";
  const auto listening = HttpServer::listen(loop, clock, options, Router{});
  ASSERT_FALSE(listening.has_value());
  EXPECT_EQ(listening.error().code, Errc::invalid);
  EXPECT_EQ(fs::file_size(options.socket), 8u);
}

TEST_F(HttpServerTest, RefusesAPathThatIsTooLong) {
  options.socket = "/tmp/" + std::string(200, 'x');
  EXPECT_EQ(HttpServer::listen(loop, clock, options, Router{}).error().code, Errc::invalid);
}

TEST_F(HttpServerTest, RemovesItsSocketAndEndsItsConnections) {
  start();
  RawClient client(loop, options.socket);
  loop.poll();
  server.reset();
  EXPECT_FALSE(fs::exists(options.socket));
  EXPECT_EQ(client.receive_all(), "");
}

}  // namespace
}  // namespace weft::daemon
