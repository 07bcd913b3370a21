#pragma once
// A client of the control socket that shares the server's thread: it sends bytes as they are and turns the
// loop until the answer is there.

#include <chrono>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "transport/asio.h"

namespace weft::daemon::test {

class RawClient {
 public:
  RawClient(asio::io_context& loop, const std::string& path) : loop_(loop) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    fd_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      throw std::runtime_error("cannot connect to " + path);
    }
  }
  /// To a TCP port of this machine.
  RawClient(asio::io_context& loop, std::uint16_t port) : loop_(loop) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      throw std::runtime_error("cannot connect to port " + std::to_string(port));
  }
  ~RawClient() { close(fd_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
      if (sent < 0 && errno != EAGAIN) return;
      turn();
    }
  }
  /// What comes until `enough` answers true, or the connection ends.
  template <typename Enough>
  std::string receive_until(Enough enough) {
    std::string got;
    char buffer[65536];
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!enough(got)) {
      turn();
      const ssize_t count = recv(fd_, buffer, sizeof buffer, MSG_DONTWAIT);
      if (count == 0 || (count < 0 && errno != EAGAIN)) break;
      if (count > 0) got.append(buffer, static_cast<std::size_t>(count));
      if (std::chrono::steady_clock::now() > give_up) throw std::runtime_error("no answer; so far: " + got);
    }
    return got;
  }
  std::string receive_all() {
    return receive_until([](const std::string&) { return false; });
  }

 private:
  void turn() {
    loop_.restart();
    loop_.poll();
  }
  asio::io_context& loop_;
  int fd_ = -1;
};

}  // namespace weft::daemon::test
