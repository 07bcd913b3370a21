#pragma once
// Asks a Router without a socket, and waits for answers that come later.

#include <string>

#include <gtest/gtest.h>
#include <boost/json/parse.hpp>

#include "daemon/http.h"

namespace weft::daemon::test {

inline Response answer_of(const Router& router, const std::string& method, const std::string& target,
                          std::string body = {}) {
  auto request = request_from_target(target);
  request->method = method;
  request->body = std::move(body);
  Response response = router.answer(*request);
  if (response.later) {
    const Response::Later later = std::move(response.later);
    later([&response](Response answer) { response = std::move(answer); });
  }
  std::string piece;
  while (response.more && response.more(piece)) response.body += std::exchange(piece, {});
  return response;
}

inline boost::json::value json_of(const Router& router, const std::string& target, int status = 200) {
  const Response response = answer_of(router, "GET", target);
  EXPECT_EQ(response.status, status) << response.body;
  return boost::json::parse(response.body);
}

}  // namespace weft::daemon::test
