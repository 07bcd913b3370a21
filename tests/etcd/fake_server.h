#pragma once
// FakeServer: an HTTP server on loopback, on a thread of its own, that does as a test says.

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fmt/format.h>

#include "etcd/endpoint.h"

namespace weft::etcd {

class FakeServer {
 public:
  /// What comes back to a request; "" : nothing ever does. `close`: the connection is closed without an
  /// answer.
  struct Answer {
    unsigned status = 200;
    std::string body;
    bool silent = false;
    bool close = false;
  };
  using Answers = std::function<Answer(const std::string& request)>;

  explicit FakeServer(Answers answers) : answers_(std::move(answers)) {
    listening_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(listening_, reinterpret_cast<sockaddr*>(&address), size) != 0) std::abort();
    getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size);
    listen(listening_, 16);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~FakeServer() {
    stop_ = true;
    thread_.join();
    for (const int fd : clients_) ::close(fd);
    ::close(listening_);
  }

  Endpoint endpoint() const { return {false, "127.0.0.1", std::to_string(port_)}; }
  /// Whole requests, in their order.
  std::vector<std::string> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void serve() {
    while (!stop_) {
      std::vector<pollfd> fds{{listening_, POLLIN, 0}};
      for (const int fd : clients_) fds.push_back({fd, POLLIN, 0});
      if (poll(fds.data(), fds.size(), 20) <= 0) continue;
      for (std::size_t i = 1; i < fds.size(); ++i)
        if ((fds[i].revents & (POLLIN | POLLHUP)) != 0) handle(fds[i].fd);
      if ((fds[0].revents & POLLIN) != 0)
        clients_.push_back(accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC));
    }
  }

  void handle(int fd) {
    std::string request;
    char buffer[65536];
    while (true) {
      const ssize_t got = recv(fd, buffer, sizeof buffer, 0);
      if (got <= 0) return forget(fd);
      request.append(buffer, static_cast<std::size_t>(got));
      const std::size_t head = request.find("\r\n\r\n");
      const std::size_t length = request.find("Content-Length: ");
      if (head == request.npos || length == request.npos) continue;
      if (request.size() >= head + 4 + std::stoul(request.substr(length + 16))) break;
    }
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
    }
    const Answer answer = answers_(request);
    if (answer.close) return forget(fd);
    if (answer.silent) return;
    const std::string text = fmt::format("HTTP/1.1 {} X\r\nContent-Length: {}\r\n\r\n{}", answer.status,
                                         answer.body.size(), answer.body);
    (void)send(fd, text.data(), text.size(), MSG_NOSIGNAL);
  }

  void forget(int fd) {
    std::erase(clients_, fd);
    ::close(fd);
  }

  Answers answers_;
  int listening_ = -1;
  int port_ = 0;
  std::vector<int> clients_;
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace weft::etcd
