#pragma once
// The two datagram sockets of an ibsim client, never blocking: unix sockets with abstract names, or UDP when
// the server runs on another host (ibsim -r).

#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "transport/ibsim/protocol.h"

namespace weft::transport::ibsim {

/// Where the server is.
struct Server {
  std::string name = "sim";  ///< Base of the names of its unix sockets; unused when `host` is set.
  std::string host;          ///< Empty: on this machine, by unix sockets.
  int port = 7070;           ///< Of its control socket when `host` is set.
};

/// "ibsim at sim", "ibsim at host:7070".
std::string to_string(const Server& server);

/// A file descriptor that is closed with its owner.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor();
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

struct Endpoint {
  Descriptor control;  ///< Connected to the server.
  Descriptor data;     ///< Bound; connect_data() once the server has told our number.
  std::uint32_t id = 0;
};

/// Makes and binds both sockets. Errors: `unavailable` when no server is there; `system`.
Result<Endpoint> open_endpoint(const Server& server);
/// Connects the data socket to the server's socket for client `number`. Errors as above.
Result<void> connect_data(const Server& server, const Endpoint& endpoint, std::uint32_t number);

enum class Sent { ok, full, gone, refused };
/// Sends one control message without waiting. `gone`: nobody is there any more; `refused`: errno tells.
Sent send_control(int fd, const ControlMessage& message);

/// MADs that one kernel call sends or receives at most.
inline constexpr std::size_t kBatch = 32;

struct SentMads {
  std::size_t count = 0;  ///< Of those given, from the first on, that are on their way.
  Sent rest = Sent::ok;   ///< Why the next is not; `ok` when all are.
};
/// Sends up to kBatch MADs without waiting.
SentMads send_mads(int fd, std::span<const mad::Mad* const> mads);

/// Receives MADs, several with one kernel call.
class Receiver {
 public:
  struct Datagram {
    Envelope envelope{};
    mad::Mad mad;
  };
  Receiver();
  /// What is there now; those of a wrong size are left out. Errors: `unavailable` when nobody is there any
  /// more.
  Result<std::span<Datagram>> receive(int fd);
  /// Whether the last receive() was as long as could be, so that more may be there.
  bool was_full() const { return full_; }

 private:
  std::array<Datagram, kBatch> datagrams_;
  bool full_ = false;
};

/// The next control message, if one is there.
std::optional<ControlMessage> receive_control(int fd);

}  // namespace weft::transport::ibsim
