#pragma once
// Access: who may read and who may change things over the control API. On the UNIX socket the kernel tells
// who is there; over TCP a bearer token does. What browsers send on behalf of other sites changes nothing.

#include <sys/types.h>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "daemon/http.h"

namespace weft::daemon {

/// Who may change things on the UNIX socket beside root and our own user. Others may read, where the mode of
/// the socket lets them.
struct SocketAccess {
  std::optional<gid_t> admins;
  std::map<uid_t, std::string> names;  ///< Of users, for the audit line.
};

/// Looks the group and the local users up; blocks. A group that does not exist is nobody.
SocketAccess socket_access(const std::string& admin_group);

/// Who is at the other end of a connected UNIX socket; its groups are those it had when it connected.
Caller caller_at(int socket, const SocketAccess& access);

struct TokenAccess {
  std::string read;           ///< Empty: nobody has one.
  std::string write;          ///< Empty: nothing can be changed over TCP. Lets read, too.
  bool open_reading = false;  ///< Who can connect may read.
  bool loopback = true;       ///< The listener's address is.
  bool secure = false;        ///< With TLS.
};

/// Who asks over TCP. `from`: the peer's address. A request that a browser may have been tricked into (a Host
/// that is not ours, another site's Origin) may do nothing.
Caller caller_of(const Request& request, const std::string& from, const TokenAccess& access);

/// A token file: its first line. Errors: `invalid` for one that others can read, and for less than 16
/// characters; `not_found` and `system`.
Result<std::string> read_token(const std::string& path);

/// Takes the same time wherever two texts differ.
bool same_secret(std::string_view a, std::string_view b);

}  // namespace weft::daemon
