#include "daemon/web_files.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "tests/daemon/gunzip.h"

namespace weft::daemon {
namespace {

std::string in_tree(std::string_view path) {
  const std::string name = path == "/" ? "/index.html" : std::string(path);
  std::ifstream in(std::string(WEFT_SOURCE_DIR) + "/web/dist" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string header_of(const Response& response, std::string_view name) {
  const auto found =
      std::ranges::find(response.headers, name, [](const auto& one) { return std::string_view(one.first); });
  return found == response.headers.end() ? "" : found->second;
}

Response get(const Router& router, std::string_view path, std::string tag = {},
             const std::string& accepts = {}) {
  Request request;
  request.method = "GET";
  request.path = path;
  if (!tag.empty()) request.headers["if-none-match"] = std::move(tag);
  if (!accepts.empty()) request.headers["accept-encoding"] = accepts;
  return router.answer(request);
}

Router web_router() {
  Router router;
  add_web_routes(router);
  return router;
}

TEST(WebFiles, AreServedByteForByte) {
  const Router router = web_router();
  ASSERT_EQ(web_files().size(), 4U);
  for (const WebFile& file : web_files()) {
    const Response response = get(router, file.path);
    EXPECT_EQ(response.status, 200) << file.path;
    EXPECT_EQ(response.type, file.type);
    EXPECT_GT(response.body.size(), 100U);
    EXPECT_TRUE(response.body == in_tree(file.path)) << file.path;
  }
}

TEST(WebFiles, AreCompressedForThoseWhoAcceptThat) {
  const Router router = web_router();
  for (const WebFile& file : web_files()) {
    const Response plain = get(router, file.path);
    EXPECT_EQ(header_of(plain, "Content-Encoding"), "");
    EXPECT_EQ(header_of(plain, "Vary"), "Accept-Encoding");
    const Response response = get(router, file.path, {}, "gzip, deflate, br");
    EXPECT_EQ(header_of(response, "Content-Encoding"), "gzip");
    EXPECT_EQ(header_of(response, "Vary"), "Accept-Encoding");
    EXPECT_LT(response.body.size(), file.bytes.size());
    EXPECT_TRUE(test::gunzipped(response.body) == in_tree(file.path)) << file.path;
    const std::string tag = header_of(response, "ETag");
    EXPECT_NE(tag, header_of(plain, "ETag"));
    EXPECT_EQ(get(router, file.path, tag, "gzip").status, 304);
    EXPECT_EQ(get(router, file.path, tag).status, 200) << "these are other bytes";
  }
}

TEST(WebFiles, AreSentOnceAndThenAskedFor) {
  const Router router = web_router();
  const std::string tag = header_of(get(router, "/weft.js"), "ETag");
  EXPECT_EQ(tag, entity_tag(in_tree("/weft.js")));
  const Response again = get(router, "/weft.js", tag);
  EXPECT_EQ(again.status, 304);
  EXPECT_TRUE(again.body.empty());
  EXPECT_EQ(header_of(again, "ETag"), tag);
  EXPECT_EQ(get(router, "/weft.js", "\"another\"").status, 200);
}

TEST(WebFiles, LoadNothingFromElsewhere) {
  const Router router = web_router();
  for (const WebFile& file : web_files()) {
    const std::string policy = header_of(get(router, file.path), "Content-Security-Policy");
    EXPECT_TRUE(policy.starts_with("default-src 'none'")) << policy;
    for (const std::string_view open : {"unsafe", "*", "http", "data:", "blob:"})
      EXPECT_EQ(policy.find(open), std::string::npos) << open;
  }
  const std::string page = in_tree("/");
  EXPECT_EQ(page.find("http"), std::string::npos) << "an address in the page";
  EXPECT_EQ(page.find("style="), std::string::npos) << "the policy forbids styles in the page";
}

TEST(WebFiles, AreForWhoMayNotReadTheApi) {
  Request request;
  request.method = "GET";
  request.path = "/";
  request.caller.may_read = false;
  request.caller.may_change = false;
  EXPECT_EQ(web_router().answer(request).status, 200);
}

TEST(WebFiles, TagsDifferWithTheBytes) { EXPECT_NE(entity_tag("a"), entity_tag("b")); }

}  // namespace
}  // namespace weft::daemon
