#pragma once
// Address: unix sockets with abstract names, which end with a zero that counts, as ibsim's do.

#include <sys/socket.h>
#include <sys/un.h>

#include <optional>
#include <string>

#include "base/result.h"
#include "transport/ibsim/endpoint.h"

namespace weft::sim {

struct Address {
  sockaddr_un unix_part{};
  socklen_t length = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&unix_part); }
};

/// `name` without the zeros around it; nothing when it is too long.
std::optional<Address> address_of(const std::string& name);
/// The name in an address; empty when it has none.
std::string name_of(const Address& address);
/// Never blocking, bound to the name. Errors: `conflict` when it is taken; `invalid`; `system`.
Result<transport::ibsim::Descriptor> bound_socket(int type, const std::string& name);

}  // namespace weft::sim
