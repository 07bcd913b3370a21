// Answers that go on, and TCP beside the UNIX socket.

#include <gtest/gtest.h>

#include "base/virtual_clock.h"
#include "canned.h"
#include "daemon/http_server.h"
#include "daemon/news.h"
#include "raw_client.h"

namespace weft::daemon {
namespace {

using test::RawClient;

class HttpLive : public testing::Test {
 protected:
  HttpLive() {
    options.socket = (directory.path() / "weftd.sock").string();
    router.add({"GET", "/live", [this](const Request&) {
                  Response response;
                  response.live = std::make_shared<Live>();
                  response.live->next = [this](std::string& out) { out += std::exchange(waiting, {}); };
                  response.live->attach = [this](std::weak_ptr<Waker> waker) { news.add(std::move(waker)); };
                  response.live->beat = ": alive\n\n";
                  return response;
                }});
    router.add({"GET", "/later", [this](const Request&) {
                  Response response;
                  response.later = [this](std::function<void(Response)> done) { later = std::move(done); };
                  return response;
                }});
    router.add({"GET", "/who",
                [](const Request& request) { return Response{200, "text/plain", request.caller.name, {}}; }});
    router.add({"POST", "/change", [](const Request&) { return Response{200, "text/plain", "done", {}}; }});
  }
  void start() {
    auto listening = HttpServer::listen(loop, clock, options, router);
    ASSERT_TRUE(listening.has_value()) << listening.error().what;
    server = std::move(*listening);
  }
  void poll() {
    loop.restart();
    loop.poll();
  }
  static auto ends_with(std::string end) {
    return [end = std::move(end)](const std::string& got) { return got.ends_with(end); };
  }

  test::TemporaryDirectory directory;
  asio::io_context loop;
  VirtualClock clock;
  HttpOptions options;
  Router router;
  News news;
  std::string waiting;
  std::function<void(Response)> later;
  std::unique_ptr<HttpServer> server;
};

const std::string kGetLive = "GET /live HTTP/1.1\r\nHost: x\r\n\r\n";

TEST_F(HttpLive, SendsWhatComesAsItComes) {
  start();
  RawClient client(loop, options.socket);
  client.send(kGetLive);
  client.receive_until(ends_with("chunked\r\n\r\n"));
  waiting = "one";
  news.tell();
  EXPECT_EQ(client.receive_until(ends_with("one\r\n")), "3\r\none\r\n");
  waiting = "two!";
  news.tell();
  EXPECT_EQ(client.receive_until(ends_with("two!\r\n")), "4\r\ntwo!\r\n");
}

TEST_F(HttpLive, BeatsWhenNothingHappens) {
  start();
  RawClient client(loop, options.socket);
  client.send(kGetLive);
  client.receive_until(ends_with("chunked\r\n\r\n"));
  clock.run_until(std::chrono::seconds(11));
  EXPECT_EQ(client.receive_until(ends_with("alive\n\n\r\n")), "9\r\n: alive\n\n\r\n");
}

TEST_F(HttpLive, EndsWhenItsReaderGoes) {
  start();
  {
    RawClient client(loop, options.socket);
    client.send(kGetLive);
    client.receive_until(ends_with("chunked\r\n\r\n"));
    EXPECT_EQ(server->connection_count(), 1u);
  }
  for (int i = 0; i < 10; ++i) poll();
  EXPECT_EQ(server->connection_count(), 0u);
  news.add(std::weak_ptr<Waker>());
  EXPECT_EQ(news.size(), 1u) << "the waker went with its reader";
}

TEST_F(HttpLive, DropsAReaderThatTakesNothing) {
  start();
  RawClient client(loop, options.socket);
  client.send(kGetLive);
  client.receive_until(ends_with("chunked\r\n\r\n"));
  waiting = std::string(10'000'000, 'x');
  news.tell();
  for (int i = 0; i < 10; ++i) poll();
  EXPECT_EQ(server->connection_count(), 1u);
  clock.run_until(clock.now() + std::chrono::seconds(31));
  for (int i = 0; i < 10; ++i) poll();
  EXPECT_EQ(server->connection_count(), 0u);
}

TEST_F(HttpLive, TakesOnlySoManyStreams) {
  options.streams = 1;
  start();
  RawClient one(loop, options.socket);
  one.send(kGetLive);
  one.receive_until(ends_with("chunked\r\n\r\n"));
  RawClient two(loop, options.socket);
  two.send("GET /live HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(two.receive_all().starts_with("HTTP/1.1 503 "));
}

TEST_F(HttpLive, EndsStreamsWithTheServer) {
  start();
  RawClient client(loop, options.socket);
  client.send(kGetLive);
  client.receive_until(ends_with("chunked\r\n\r\n"));
  server.reset();
  EXPECT_EQ(client.receive_all(), "");
}

TEST_F(HttpLive, WaitsForAnAnswerThatComesLater) {
  start();
  RawClient client(loop, options.socket);
  client.send("GET /later HTTP/1.1\r\nConnection: close\r\n\r\n");
  for (int i = 0; i < 10; ++i) poll();
  ASSERT_TRUE(later);
  later(Response{200, "text/plain", "at last", {}});
  EXPECT_TRUE(client.receive_all().ends_with("at last"));
}

TEST_F(HttpLive, TellsWhoAsksOnTheSocket) {
  start();
  RawClient client(loop, options.socket);
  client.send("GET /who HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_NE(client.receive_all().find(fmt::format("uid {}", geteuid())), std::string::npos);
}

TEST_F(HttpLive, ServesTcpByToken) {
  TcpOptions& tcp = options.tcp.emplace();
  tcp.address = "127.0.0.1";
  tcp.tokens = {"read-token-0123456789", "write-token-0123456789", false, true, false};
  std::vector<std::string> changes;
  router.on_change([&changes](const Request& request, int status) {
    changes.push_back(fmt::format("{} {} {}", request.caller.name, request.target, status));
  });
  start();
  const auto ask = [this](const std::string& line, const std::string& token) {
    RawClient client(loop, server->tcp_port());
    client.send(line + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" +
                (token.empty() ? "" : "Authorization: Bearer " + token + "\r\n") + "\r\n");
    return client.receive_all();
  };
  const std::string refused = ask("GET /who", "");
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 401 ")) << refused;
  EXPECT_NE(refused.find("WWW-Authenticate: Bearer\r\n"), std::string::npos);
  EXPECT_TRUE(ask("GET /who", "read-token-0123456789").ends_with("127.0.0.1 with the read token"));
  EXPECT_TRUE(ask("POST /change?x=%0a", "read-token-0123456789").starts_with("HTTP/1.1 401 "));
  EXPECT_TRUE(changes.empty());
  EXPECT_TRUE(ask("POST /change?x=%0a", "write-token-0123456789").ends_with("done"));
  EXPECT_EQ(changes, std::vector<std::string>{"127.0.0.1 with the write token /change?x=%0a 200"});
}

TEST_F(HttpLive, RefusesACertificateThatIsNone) {
  TcpOptions& tcp = options.tcp.emplace();
  tcp.address = "127.0.0.1";
  tcp.cert = tcp.key = options.socket + ".none";
  EXPECT_EQ(HttpServer::listen(loop, clock, options, router).error().code, Errc::invalid);
}

}  // namespace
}  // namespace weft::daemon
