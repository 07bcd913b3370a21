#pragma once
// Client: one request after another to a daemon's control socket; each on a connection of its own, waiting
// for the answer.

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include "base/result.h"

namespace weft::ctl {

/// A refusal by the daemon, or a connection that fails; `hint` says what to do.
struct Failure {
  int status = 0;  ///< HTTP status; 0 when there was no answer.
  /// The daemon's: "not_found", "no_device"; ours: "unreachable", "forbidden", "timeout", "broken".
  std::string code;
  std::string message;
  std::string hint;
};

template <typename T>
using Reply = tl::expected<T, Failure>;

class Client {
 public:
  static constexpr int kMostPatience = 60;

  /// `patience`: how long the next bytes of an answer may take, and a connection. An answer that takes longer
  /// is waited for as long as the daemon says meanwhile that it is alive, at most kMostPatience times as
  /// long.
  explicit Client(std::string socket, std::chrono::milliseconds patience = std::chrono::seconds(10))
      : socket_(std::move(socket)), patience_(patience) {}
  const std::string& socket() const { return socket_; }
  std::chrono::milliseconds patience() const { return patience_; }

  Reply<boost::json::value> get(std::string_view target) const;
  Reply<boost::json::value> post(std::string_view target, std::string body = {}) const;
  /// Hands the body on piece by piece; `take` answers false to break off.
  Reply<void> stream(std::string_view target, const std::function<bool(std::string_view)>& take) const;

 private:
  std::string socket_;
  std::chrono::milliseconds patience_;
};

/// A value for a query: everything but letters, digits and "-._~" as %XX.
std::string escaped(std::string_view text);

}  // namespace weft::ctl
