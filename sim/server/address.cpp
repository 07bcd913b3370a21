#include "sim/server/address.h"

#include <cerrno>
#include <cstddef>
#include <cstring>

namespace weft::sim {

using transport::ibsim::Descriptor;

std::optional<Address> address_of(const std::string& name) {
  Address address;
  if (name.size() + 2 > sizeof(address.unix_part.sun_path)) return std::nullopt;
  address.unix_part.sun_family = AF_UNIX;
  std::memcpy(address.unix_part.sun_path + 1, name.data(), name.size());
  address.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size() + 2);
  return address;
}

std::string name_of(const Address& address) {
  const std::size_t head = offsetof(sockaddr_un, sun_path) + 1;
  if (address.length <= head) return {};
  std::string name(address.unix_part.sun_path + 1, address.length - head);
  while (name.ends_with('\0')) name.pop_back();
  return name;
}

Result<Descriptor> bound_socket(int type, const std::string& name) {
  Descriptor made(::socket(AF_UNIX, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (made.get() < 0) return fail(Errc::system, "socket: {}", std::strerror(errno));
  const std::optional<Address> address = address_of(name);
  if (!address) return fail(Errc::invalid, "socket name {} is too long", name);
  if (::bind(made.get(), address->get(), address->length) != 0) {
    if (errno == EADDRINUSE) return fail(Errc::conflict, "another simulator has the socket name {}", name);
    return fail(Errc::system, "bind {}: {}", name, std::strerror(errno));
  }
  return made;
}

}  // namespace weft::sim
