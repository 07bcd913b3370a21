#pragma once
// What the control API's handlers see of HTTP: a Request, a Response, and the Router, one table from method
// and path to handler. Sockets and parsing are http_server's business.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace weft::daemon {

struct Request {
  std::string method;  ///< "GET"
  std::string path;    ///< Decoded, without the query: "/v1/nodes".
  std::map<std::string, std::string, std::less<>> query;
  std::string body;

  /// A query parameter, or nothing.
  std::optional<std::string_view> parameter(std::string_view name) const;
};

struct Response {
  /// Appends the next piece, about 64 kB at most, to `out`; false when there was none. Called between writes,
  /// so a long answer never holds up the loop and is never in memory whole.
  using More = std::function<bool(std::string& out)>;

  int status = 200;
  std::string type = "application/json";
  std::string body;
  More more;  ///< When set, `body` is empty and the length is not known beforehand.
};

using Handler = std::function<Response(const Request&)>;

struct Route {
  std::string method;
  std::string path;
  Handler handler;
  std::size_t body_limit = 16u << 20;
};

class Router {
 public:
  void add(Route route) { routes_.push_back(std::move(route)); }
  /// Null when nobody serves this.
  const Route* find(std::string_view method, std::string_view path) const;
  /// Runs the handler. 404 and 405 for what nobody serves; 500 for an exception.
  Response answer(const Request& request) const;

 private:
  std::vector<Route> routes_;
};

/// {"error":{"code","message","hint"}}; no hint when empty.
Response error_response(int status, std::string_view code, std::string_view message,
                        std::string_view hint = {});

/// Splits "/v1/nodes?limit=5&name=a%20b". Errors: `malformed` for a bad %-escape.
Result<Request> request_from_target(std::string_view target);

}  // namespace weft::daemon
