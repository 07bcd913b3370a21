#pragma once
// Where etcd is reached, and how we show who we are.

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace weft::etcd {

struct Endpoint {
  bool tls = false;
  std::string host;  ///< A name or an address, without brackets.
  std::string port;
  bool operator==(const Endpoint&) const = default;
};

/// "https://etcd-1:2379"; the port may be left out. Errors: `invalid`, with what is wrong.
Result<Endpoint> parse_endpoint(std::string_view url);
std::string to_string(const Endpoint& endpoint);

struct Options {
  std::vector<Endpoint> endpoints;  ///< Tried in turn; one at least.
  std::string user;                 ///< Empty: no authentication.
  std::string password;
  std::string ca;  ///< File with the certificates that the server's is checked against; empty: the system's.
  std::string cert;  ///< File with our certificate, where the server asks for one; empty: none.
  std::string key;   ///< File with its key.
  Duration timeout = std::chrono::seconds(2);  ///< Of one attempt at one endpoint, connecting included.
};

}  // namespace weft::etcd
