#include "daemon/http.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace weft::daemon {
namespace {

TEST(RequestFromTarget, SplitsAndDecodes) {
  const auto request = request_from_target("/v1/path?from=host%201&to=a+b&flag&x=");
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->path, "/v1/path");
  EXPECT_EQ(request->parameter("from"), "host 1");
  EXPECT_EQ(request->parameter("to"), "a b");
  EXPECT_EQ(request->parameter("flag"), "");
  EXPECT_EQ(request->parameter("x"), "");
  EXPECT_FALSE(request->parameter("none").has_value());
}

TEST(RequestFromTarget, RefusesBadEscapes) {
  for (const auto* target : {"/%", "/%4", "/a?b=%zz", "/a?%1=x", "/%+1"}) {
    EXPECT_FALSE(request_from_target(target).has_value()) << target;
  }
}

Router router_with(Handler handler) {
  Router router;
  router.add({"GET", "/thing", std::move(handler)});
  return router;
}

TEST(Router, TellsUnknownPathsFromWrongMethods) {
  const Router router = router_with([](const Request&) { return Response{}; });
  EXPECT_EQ(router.answer({"GET", "/thing", {}, {}}).status, 200);
  EXPECT_EQ(router.answer({"POST", "/thing", {}, {}}).status, 405);
  EXPECT_EQ(router.answer({"GET", "/other", {}, {}}).status, 404);
}

TEST(Router, TurnsAnExceptionIntoAnAnswer) {
  const Router router =
      router_with([](const Request&) -> Response { throw std::runtime_error("oh \"no\""); });
  const Response response = router.answer({"GET", "/thing", {}, {}});
  EXPECT_EQ(response.status, 500);
  EXPECT_NE(response.body.find("oh \\\"no\\\""), std::string::npos) << response.body;
}

}  // namespace
}  // namespace weft::daemon
