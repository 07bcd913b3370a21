#include "transport/ibsim/endpoint.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace weft::transport::ibsim {
namespace {

/// Most ids a process tries: one per client it has at a time.
constexpr std::uint32_t kIdsPerProcess = 64;
/// Process ids are below this.
constexpr std::uint32_t kIdStep = 1u << 22;

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

/// The abstract name, with the zero at its end that ibsim counts as part of it.
Result<SocketAddress> unix_address(const std::string& name) {
  SocketAddress address;
  auto* unix_part = reinterpret_cast<sockaddr_un*>(&address.storage);
  if (name.size() + 2 > sizeof(unix_part->sun_path))
    return fail(Errc::invalid, "socket name {} is too long", name);
  unix_part->sun_family = AF_UNIX;
  std::memcpy(unix_part->sun_path + 1, name.data(), name.size());
  address.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size() + 2);
  return address;
}

Result<SocketAddress> udp_address(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (const int code = ::getaddrinfo(host.c_str(), nullptr, &hints, &found); code != 0)
    return fail(Errc::unavailable, "{}: {}", host, ::gai_strerror(code));
  SocketAddress address;
  address.length = found->ai_addrlen;
  std::memcpy(&address.storage, found->ai_addr, found->ai_addrlen);
  ::freeaddrinfo(found);
  reinterpret_cast<sockaddr_in*>(&address.storage)->sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

/// The server's control socket, or with a number its data socket for that client.
Result<SocketAddress> server_address(const Server& server, std::optional<std::uint32_t> number) {
  if (server.host.empty())
    return unix_address(number ? fmt::format("{}:out{}", server.name, *number) : server.name + ":ctl");
  return udp_address(server.host, server.port + (number ? static_cast<int>(*number) + 1 : 0));
}

Errc code_of(int error) {
  const bool nobody =
      error == ECONNREFUSED || error == ENOENT || error == EHOSTUNREACH || error == ENETUNREACH;
  return nobody ? Errc::unavailable : Errc::system;
}

Result<void> connect_to(const Server& server, int fd, std::optional<std::uint32_t> number) {
  const Result<SocketAddress> address = server_address(server, number);
  if (!address) return fail(address.error());
  if (::connect(fd, address->get(), address->length) == 0) return {};
  const int error = errno;
  if (code_of(error) == Errc::unavailable)
    return fail(Errc::unavailable,
                "no simulator answers at {} ({}); start ibsim or weftsim with that name, or name another in "
                "transport.ibsim.socket",
                to_string(server), std::strerror(error));
  return fail(code_of(error), "{}: connect: {}", to_string(server), std::strerror(error));
}

Result<Descriptor> new_socket(const Server& server) {
  const int family = server.host.empty() ? AF_UNIX : AF_INET;
  const int fd = ::socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return fail(Errc::system, "socket: {}", std::strerror(errno));
  return Descriptor(fd);
}

bool bind_unix(int fd, const std::string& name) {
  const Result<SocketAddress> address = unix_address(name);
  if (!address) {
    errno = ENAMETOOLONG;
    return false;
  }
  return ::bind(fd, address->get(), address->length) == 0;
}

/// Two sockets under the first id that nobody uses: the process id, or a multiple of kIdStep above it.
Result<void> bind_names(const Server& server, Endpoint& endpoint) {
  for (std::uint32_t i = 0; i < kIdsPerProcess; ++i) {
    endpoint.id = static_cast<std::uint32_t>(::getpid()) + i * kIdStep;
    if (bind_unix(endpoint.control.get(), fmt::format("{}:ctl{}", server.name, endpoint.id))) {
      if (bind_unix(endpoint.data.get(), fmt::format("{}:in{}", server.name, endpoint.id))) return {};
      return fail(Errc::system, "bind: {}", std::strerror(errno));
    }
    if (errno != EADDRINUSE) return fail(Errc::system, "bind: {}", std::strerror(errno));
  }
  return fail(Errc::exhausted, "more than {} clients of {} in one process", kIdsPerProcess,
              to_string(server));
}

/// UDP: any free ports; the id is the data socket's.
Result<void> bind_ports(Endpoint& endpoint) {
  SocketAddress any;
  any.storage.ss_family = AF_INET;
  any.length = sizeof(sockaddr_in);
  for (const int fd : {endpoint.control.get(), endpoint.data.get()})
    if (::bind(fd, any.get(), any.length) != 0) return fail(Errc::system, "bind: {}", std::strerror(errno));
  SocketAddress bound;
  bound.length = sizeof(bound.storage);
  if (::getsockname(endpoint.data.get(), bound.get(), &bound.length) != 0)
    return fail(Errc::system, "getsockname: {}", std::strerror(errno));
  endpoint.id = ntohs(reinterpret_cast<const sockaddr_in*>(&bound.storage)->sin_port);
  return {};
}

Sent outcome(ssize_t sent) {
  if (sent >= 0) return Sent::ok;
  switch (errno) {
    case EAGAIN:
    case ENOBUFS:
    case ENOMEM:
    case EINTR:
      return Sent::full;
    case ECONNREFUSED:
    case ECONNRESET:
    case ENOTCONN:
    case EPIPE:
    case EDESTADDRREQ:
      return Sent::gone;
    default:
      return Sent::refused;
  }
}

}  // namespace

std::string to_string(const Server& server) {
  return server.host.empty() ? "ibsim at " + server.name
                             : fmt::format("ibsim at {}:{}", server.host, server.port);
}

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

Result<Endpoint> open_endpoint(const Server& server) {
  Endpoint endpoint;
  for (Descriptor* descriptor : {&endpoint.control, &endpoint.data}) {
    Result<Descriptor> made = new_socket(server);
    if (!made) return fail(made.error());
    *descriptor = std::move(*made);
  }
  const Result<void> bound = server.host.empty() ? bind_names(server, endpoint) : bind_ports(endpoint);
  if (!bound) return fail(bound.error());
  const Result<void> connected = connect_to(server, endpoint.control.get(), std::nullopt);
  if (!connected) return fail(connected.error());
  return endpoint;
}

Result<void> connect_data(const Server& server, const Endpoint& endpoint, std::uint32_t number) {
  return connect_to(server, endpoint.data.get(), number);
}

Sent send_control(int fd, const ControlMessage& message) {
  return outcome(::send(fd, &message, sizeof(message), MSG_DONTWAIT | MSG_NOSIGNAL));
}

SentMads send_mads(int fd, std::span<const mad::Mad* const> mads) {
  std::array<mmsghdr, kBatch> messages;
  std::array<std::array<iovec, 2>, kBatch> parts;
  std::array<Envelope, kBatch> envelopes;
  const std::size_t count = std::min(mads.size(), kBatch);
  for (std::size_t i = 0; i < count; ++i) {
    envelopes[i] = envelope_of(*mads[i]);
    parts[i][0] = {envelopes[i].data(), sizeof(Envelope)};
    parts[i][1] = {const_cast<std::uint8_t*>(mads[i]->bytes.data()), mad::kMadSize};
    messages[i] = {};
    messages[i].msg_hdr.msg_iov = parts[i].data();
    messages[i].msg_hdr.msg_iovlen = parts[i].size();
  }
  SentMads done;
  while (done.count < count && done.rest == Sent::ok) {
    const auto left = static_cast<unsigned>(count - done.count);
    const int sent = ::sendmmsg(fd, messages.data() + done.count, left, MSG_DONTWAIT | MSG_NOSIGNAL);
    done.rest = outcome(sent);
    if (sent > 0) done.count += static_cast<std::size_t>(sent);
  }
  return done;
}

Receiver::Receiver() = default;

Result<std::span<Receiver::Datagram>> Receiver::receive(int fd) {
  std::array<mmsghdr, kBatch> messages;
  std::array<std::array<iovec, 2>, kBatch> parts;
  for (std::size_t i = 0; i < kBatch; ++i) {
    messages[i] = {};
    parts[i][0] = {datagrams_[i].envelope.data(), sizeof(Envelope)};
    parts[i][1] = {datagrams_[i].mad.bytes.data(), mad::kMadSize};
    messages[i].msg_hdr.msg_iov = parts[i].data();
    messages[i].msg_hdr.msg_iovlen = parts[i].size();
  }
  const int count = ::recvmmsg(fd, messages.data(), kBatch, MSG_DONTWAIT, nullptr);
  full_ = count == static_cast<int>(kBatch);
  if (count < 0) {
    if (errno == EAGAIN || errno == EINTR || errno == ENOBUFS || errno == ENOMEM)
      return std::span<Datagram>();
    return fail(Errc::unavailable, "receive: {}", std::strerror(errno));
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const bool whole =
        messages[i].msg_len == kDatagramSize && (messages[i].msg_hdr.msg_flags & MSG_TRUNC) == 0;
    if (!whole) continue;
    if (kept != i) datagrams_[kept] = datagrams_[i];
    datagrams_[kept].mad.address = sender_of(datagrams_[kept].envelope);
    ++kept;
  }
  return std::span<Datagram>(datagrams_.data(), kept);
}

std::optional<ControlMessage> receive_control(int fd) {
  ControlMessage message;
  while (true) {
    const ssize_t length = ::recv(fd, &message, sizeof(message), MSG_DONTWAIT);
    if (length < 0) return std::nullopt;
    if (length == sizeof(message) && message.magic == kControlMagic) return message;
  }
}

}  // namespace weft::transport::ibsim
