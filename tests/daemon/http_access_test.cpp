#include "daemon/http_access.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>

#include "canned.h"

namespace weft::daemon {
namespace {

namespace fs = std::filesystem;

const std::string kRead = "read-token-0123456789";
const std::string kWrite = "write-token-0123456789";

Request from_loopback(const std::string& token = {}) {
  Request request;
  request.headers["host"] = "127.0.0.1:8723";
  if (!token.empty()) request.headers["authorization"] = "Bearer " + token;
  return request;
}

Caller asks(const Request& request, TokenAccess access = {kRead, kWrite, false, true, false}) {
  return caller_of(request, "127.0.0.1", access);
}

TEST(TcpAccess, NeedsATokenForEachOfReadingAndChanging) {
  EXPECT_FALSE(asks(from_loopback()).may_read);
  EXPECT_TRUE(asks(from_loopback()).needs_token);
  const Caller reader = asks(from_loopback(kRead));
  EXPECT_TRUE(reader.may_read);
  EXPECT_FALSE(reader.may_change);
  EXPECT_EQ(reader.name, "127.0.0.1 with the read token");
  const Caller writer = asks(from_loopback(kWrite));
  EXPECT_TRUE(writer.may_read);
  EXPECT_TRUE(writer.may_change);
  EXPECT_FALSE(asks(from_loopback(kWrite + "x")).may_read);
  EXPECT_FALSE(asks(from_loopback(kWrite.substr(1))).may_change);
  Request lower = from_loopback();
  lower.headers["authorization"] = "bearer " + kRead;
  EXPECT_TRUE(asks(lower).may_read) << "the scheme's case does not matter";
  lower.headers["authorization"] = "Basic " + kRead;
  EXPECT_FALSE(asks(lower).may_read);
}

TEST(TcpAccess, NoTokenIsNobodysToken) {
  const TokenAccess none{"", "", false, true, false};
  Request empty = from_loopback();
  empty.headers["authorization"] = "Bearer ";
  EXPECT_FALSE(asks(empty, none).may_read);
  EXPECT_FALSE(asks(empty, none).may_change);
}

TEST(TcpAccess, ReadingMayBeOpenOnLoopbackOnly) {
  EXPECT_TRUE(asks(from_loopback(), {kRead, kWrite, true, true, false}).may_read);
  EXPECT_FALSE(asks(from_loopback(), {kRead, kWrite, true, true, false}).may_change);
  EXPECT_FALSE(asks(from_loopback(), {kRead, kWrite, true, false, true}).may_read);
}

TEST(TcpAccess, ANameThatLeadsHereWithoutBeingOursMayNothing) {
  for (const char* host : {"evil.example:8723", "", "127.0.0.1.evil.example", "127.evil.example"}) {
    Request rebound = from_loopback(kWrite);
    rebound.headers["host"] = host;
    EXPECT_FALSE(asks(rebound).may_read) << host;
    EXPECT_FALSE(asks(rebound).may_change) << host;
    EXPECT_FALSE(asks(rebound).hint.empty());
  }
  for (const char* host : {"localhost:8723", "localhost", "[::1]:8723", "127.0.0.2:1"}) {
    Request ours = from_loopback(kWrite);
    ours.headers["host"] = host;
    EXPECT_TRUE(asks(ours).may_change) << host;
  }
  Request anywhere = from_loopback(kWrite);
  anywhere.headers["host"] = "weft.example";
  EXPECT_TRUE(asks(anywhere, {kRead, kWrite, false, false, true}).may_change) << "TLS has checked the name";
}

TEST(TcpAccess, AnotherSitesPageMayNothing) {
  Request page = from_loopback(kWrite);
  page.headers["origin"] = "http://evil.example";
  EXPECT_FALSE(asks(page).may_change);
  page.headers["origin"] = "null";
  EXPECT_FALSE(asks(page).may_change);
  page.headers["origin"] = "http://127.0.0.1:8723";
  EXPECT_TRUE(asks(page).may_change) << "our own page";
  page.headers["sec-fetch-site"] = "cross-site";
  EXPECT_FALSE(asks(page).may_change);
}

TEST(SocketAccess, OurOwnUserMayChangeThings) {
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  const Caller caller = caller_at(pair[0], socket_access(""));
  EXPECT_TRUE(caller.may_read);
  EXPECT_TRUE(caller.may_change);
  EXPECT_NE(caller.name.find(fmt::format("uid {}", geteuid())), std::string::npos) << caller.name;
  close(pair[0]);
  close(pair[1]);
}

TEST(SocketAccess, AGroupThatIsNotThereIsNobody) {
  EXPECT_FALSE(socket_access("no-such-group-here").admins.has_value());
  EXPECT_FALSE(socket_access("").admins.has_value());
}

TEST(Tokens, AreTheFirstLineOfAFileThatIsPrivate) {
  const test::TemporaryDirectory directory;
  const fs::path file = directory.path() / "token";
  std::ofstream(file) << kRead << "\nmore\n";
  fs::permissions(file, fs::perms(0644));
  EXPECT_EQ(read_token(file).error().code, Errc::invalid) << "others can read it";
  fs::permissions(file, fs::perms(0600));
  EXPECT_EQ(*read_token(file), kRead);
  std::ofstream(file) << "short\n";
  EXPECT_EQ(read_token(file).error().code, Errc::invalid);
  EXPECT_FALSE(read_token(directory.path() / "none").has_value());
}

}  // namespace
}  // namespace weft::daemon
