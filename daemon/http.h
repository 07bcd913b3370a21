#pragma once
// What the control API's handlers see of HTTP: a Request, a Response, and the Router, one table from method
// and path to handler. Sockets and parsing are http_server's business.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace weft::daemon {

/// Who asks, and what he may do.
struct Caller {
  std::string name = "somebody";  ///< "alice (uid 1000)", "127.0.0.1 with the write token".
  bool may_read = true;
  bool may_change = true;
  bool needs_token = false;  ///< What he may not do, a token would let him do.
  std::string hint;          ///< What to do where he may not.
};

struct Request {
  std::string method;  ///< "GET"
  std::string path;    ///< Decoded, without the query: "/v1/nodes".
  std::string target;  ///< As it came, with the query and %-escapes.
  std::map<std::string, std::string, std::less<>> query;
  std::map<std::string, std::string, std::less<>> headers;  ///< Names in lower case; of several, the last.
  std::string body;
  Caller caller;

  /// A query parameter, or nothing.
  std::optional<std::string_view> parameter(std::string_view name) const;
  /// A header, or nothing.
  std::string_view header(std::string_view name) const;
};

/// Who waits for more of a Live answer; woken on the loop.
struct Waker {
  std::function<void()> wake;
};

/// An answer that goes on as things happen.
struct Live {
  /// Appends what there is to send; nothing when there is nothing at the moment.
  std::function<void(std::string& out)> next;
  /// Has the waker called whenever there may be more, for as long as it lives.
  std::function<void(std::weak_ptr<Waker>)> attach;
  std::string beat;  ///< Sent when nothing else was for a while.
};

struct Response {
  /// Appends the next piece, about 64 kB at most, to `out`; false when there was none. Called between writes,
  /// so a long answer never holds up the loop and is never in memory whole.
  using More = std::function<bool(std::string& out)>;
  /// Calls what it is given once, on the loop, with the answer: at once or later.
  using Later = std::function<void(std::function<void(Response)>)>;

  int status = 200;
  std::string type = "application/json";
  std::string body;
  More more;  ///< When set, `body` is empty and the length is not known beforehand.
  Later later;                 ///< When set, this is not the answer yet, and nothing else of it counts.
  std::shared_ptr<Live> live;  ///< When set, `body` and `more` are empty.
  std::vector<std::pair<std::string, std::string>> headers;  ///< More of them; Cache-Control replaces ours.
};

using Handler = std::function<Response(const Request&)>;

enum class Access {
  open,    ///< For everybody who can connect: probes, files of the web view.
  read,    ///< What GETs need when nothing else is said.
  change,  ///< Likewise all others.
};

struct Route {
  std::string method;
  std::string path;
  Handler handler;
  std::size_t body_limit = 16u << 20;
  std::optional<Access> access;

  Access needs() const {
    if (access) return *access;
    return method == "GET" ? Access::read : Access::change;
  }
};

class Router {
 public:
  void add(Route route) { routes_.push_back(std::move(route)); }
  /// Null when nobody serves this.
  const Route* find(std::string_view method, std::string_view path) const;
  /// Runs the handler. 401 and 403 for what the caller may not do, 404 and 405 for what nobody serves; 500
  /// for an exception.
  Response answer(const Request& request) const;
  /// Told of every request that may change things and was let in, with the status of its answer.
  void on_change(std::function<void(const Request&, int status)> told) { on_change_ = std::move(told); }
  const std::vector<Route>& routes() const { return routes_; }

 private:
  std::vector<Route> routes_;
  std::function<void(const Request&, int status)> on_change_;
};

/// {"error":{"code","message","hint"}}; no hint when empty.
Response error_response(int status, std::string_view code, std::string_view message,
                        std::string_view hint = {});

/// Splits "/v1/nodes?limit=5&name=a%20b". Errors: `malformed` for a bad %-escape.
Result<Request> request_from_target(std::string_view target);

}  // namespace weft::daemon
