#pragma once
// Link: a connection to weftsim (sim/server/wire.h), and questions asked over one of their own.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/server/wire.h"

namespace weft::run {

namespace wire = sim::wire;

/// A descriptor that is closed with its owner.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd();
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

/// The node that this process is at: SIM_HOST. Empty: the first of the fabric.
std::string node_name();

/// A connection to the server that IBSIM_SOCKNAME names; -1 and errno when none is there.
Fd open_link();

std::vector<std::uint8_t> control_bytes(std::uint32_t kind, const void* data, std::size_t size);
/// 0, or the number of errno that an answer refuses with.
int error_in(const std::vector<std::uint8_t>& answer);
/// Sends a control message and waits for its answer. Empty, and errno, when the server is gone.
std::vector<std::uint8_t> ask(int fd, std::uint32_t kind, const void* data, std::size_t size);

/// Attaches to a port; 0 or a negative number of errno.
int attach(int fd, int port);

/// A port of our node, 0 the first; nothing, and errno, when there is none. Without a simulator, or without
/// such a node in it, programs see no device and mostly do not say so: then the reason is told on standard
/// error, once.
std::optional<wire::Description> describe(int port);

}  // namespace weft::run
