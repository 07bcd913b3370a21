#include "daemon/http_gzip.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/daemon/gunzip.h"

namespace weft::daemon {
namespace {

Request asking(const std::string& accepted) {
  Request request;
  if (!accepted.empty()) request.headers["accept-encoding"] = accepted;
  return request;
}

std::string header_in(const Response& response, const std::string& name) {
  const auto found = std::ranges::find(response.headers, name, &std::pair<std::string, std::string>::first);
  return found == response.headers.end() ? "" : found->second;
}

std::string all_of(Response& response, int* pieces = nullptr) {
  std::string bytes = response.body;
  if (!response.more) return bytes;
  for (;;) {
    const std::size_t before = bytes.size();
    if (!response.more(bytes)) return bytes;
    EXPECT_GT(bytes.size(), before) << "an empty piece";
    if (pieces != nullptr) ++*pieces;
  }
}

/// Text that does not shrink to nothing.
std::string some_text(std::size_t size) {
  std::string text;
  for (unsigned i = 1; text.size() < size; i = i * 1103515245 + 12345) text += std::to_string(i >> 8) + ",";
  return text.substr(0, size);
}

TEST(AcceptsGzip, GoesByWhatTheClientSays) {
  for (const char* yes : {"gzip", "GZIP", "deflate, gzip;q=0.5, br", "*", "br, *;q=0.1", "gzip ; q=1"})
    EXPECT_TRUE(accepts_gzip(yes)) << yes;
  for (const char* no : {"", "br", "identity", "gzip;q=0", "gzip; q=0.000", "*, gzip;q=0", "*;q=0", "xgzip"})
    EXPECT_FALSE(accepts_gzip(no)) << no;
}

TEST(AsAccepted, CompressesALongBody) {
  const std::string text = some_text(300'000);
  Response response = as_accepted(Response{200, "application/json", text, {}}, asking("gzip"));
  EXPECT_EQ(header_in(response, "Content-Encoding"), "gzip");
  EXPECT_EQ(header_in(response, "Vary"), "Accept-Encoding");
  const std::string sent = all_of(response);
  EXPECT_LT(sent.size(), text.size() * 7 / 10);
  EXPECT_TRUE(test::gunzipped(sent) == text);
}

TEST(AsAccepted, CompressesPiecesAsTheyAreSent) {
  std::string whole;
  Response response;
  response.more = [&whole, left = 20](std::string& out) mutable {
    if (left-- == 0) return false;
    const std::string piece = some_text(60'000);
    whole += piece;
    out += piece;
    return true;
  };
  response = as_accepted(std::move(response), asking("gzip"));
  int pieces = 0;
  const std::string sent = all_of(response, &pieces);
  EXPECT_TRUE(test::gunzipped(sent) == whole);
  EXPECT_GT(pieces, 10);
}

TEST(AsAccepted, APieceThatBreaksOffDoesNotLookWhole) {
  Response response;
  response.more = [first = true](std::string& out) mutable -> bool {
    if (!first) throw std::runtime_error("no more");
    first = false;
    out += some_text(200'000);
    return true;
  };
  response = as_accepted(std::move(response), asking("gzip"));
  std::string sent;
  EXPECT_TRUE(response.more(sent));
  EXPECT_THROW(response.more(sent), std::runtime_error);
  EXPECT_EQ(test::gunzipped(sent), "");
}

TEST(AsAccepted, LeavesOthersAsTheyAre) {
  const std::string text = some_text(10'000);
  EXPECT_EQ(as_accepted(Response{200, "application/json", text, {}}, asking("br")).body, text);
  EXPECT_EQ(as_accepted(Response{200, "application/json", text, {}}, asking("")).body, text);
  EXPECT_EQ(as_accepted(Response{200, "application/json", "short", {}}, asking("gzip")).body, "short");
  EXPECT_EQ(as_accepted(Response{200, "image/png", text, {}}, asking("gzip")).body, text);
  Response coded{200, "text/css", text, {}};
  coded.headers = {{"Content-Encoding", "gzip"}};
  EXPECT_EQ(as_accepted(std::move(coded), asking("gzip")).body, text);
  Response live;
  live.live = std::make_shared<Live>();
  EXPECT_EQ(as_accepted(std::move(live), asking("gzip")).headers.size(), 0u);
}

}  // namespace
}  // namespace weft::daemon
