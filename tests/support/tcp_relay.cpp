#include "tests/support/tcp_relay.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>

namespace weft::tests {
namespace {

constexpr std::size_t kMostWaiting = 1 << 16;
constexpr int kTickMs = 10;  // a change of what is lost is seen so soon

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

}  // namespace

TcpRelay::TcpRelay(int to, std::function<int(int)> who) : to_(to), who_(std::move(who)) {
  listening_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  if (bind(listening_, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(listening_, 64) != 0 ||
      getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw std::runtime_error("a relay cannot listen");
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

TcpRelay::~TcpRelay() {
  stopping_ = true;
  thread_.join();
  close(listening_);
  for (const auto& one : connections_) {
    close(one->there.from);
    close(one->there.to);
  }
}

void TcpRelay::lose(int who) {
  const std::lock_guard lock(mutex_);
  lost_.insert(who);
}

void TcpRelay::lose_all() {
  const std::lock_guard lock(mutex_);
  all_lost_ = true;
}

void TcpRelay::mend() {
  const std::lock_guard lock(mutex_);
  all_lost_ = false;
  lost_.clear();
}

bool TcpRelay::is_lost(int who) {
  const std::lock_guard lock(mutex_);
  return all_lost_ || lost_.contains(who);
}

void TcpRelay::serve() {
  while (!stopping_) {
    std::vector<pollfd> waiting;
    if (!is_lost(-1)) waiting.push_back({listening_, POLLIN, 0});
    for (const auto& one : connections_) {
      if (is_lost(one->who)) continue;
      for (const Way* way : {&one->there, &one->back}) {
        if (!way->ended && way->waiting.size() < kMostWaiting) waiting.push_back({way->from, POLLIN, 0});
        if (!way->waiting.empty()) waiting.push_back({way->to, POLLOUT, 0});
      }
    }
    ::poll(waiting.data(), waiting.size(), kTickMs);
    if (!is_lost(-1)) accept_one();
    std::erase_if(connections_, [this](const auto& one) {
      if (is_lost(one->who) || pass(*one)) return false;
      close(one->there.from);
      close(one->there.to);
      return true;
    });
  }
}

void TcpRelay::accept_one() {
  sockaddr_in peer{};
  socklen_t size = sizeof peer;
  const int from =
      accept4(listening_, reinterpret_cast<sockaddr*>(&peer), &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (from < 0) return;
  const int to = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(to_);
  if (connect(to, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    close(from);
    close(to);
    return;
  }
  auto made = std::make_unique<Connection>();
  if (who_) made->who = who_(ntohs(peer.sin_port));
  made->there = {from, to, {}, false};
  made->back = {to, from, {}, false};
  connections_.push_back(std::move(made));
}

bool TcpRelay::pass(Connection& connection) {
  if (!pass(connection.there) || !pass(connection.back)) return false;
  return !connection.there.ended || !connection.back.ended;
}

/// False when the connection is broken.
bool TcpRelay::pass(Way& way) {
  std::array<char, 16384> buffer{};
  while (!way.ended && way.waiting.size() < kMostWaiting) {
    const ssize_t got = recv(way.from, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) break;
    if (got < 0) return false;
    if (got == 0) {
      way.ended = true;
      break;
    }
    way.waiting.insert(way.waiting.end(), buffer.begin(), buffer.begin() + got);
  }
  while (!way.waiting.empty()) {
    const ssize_t sent = ::send(way.to, way.waiting.data(), way.waiting.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    if (sent <= 0) return false;
    passed_ += static_cast<std::uint64_t>(sent);
    way.waiting.erase(way.waiting.begin(), way.waiting.begin() + sent);
  }
  if (way.ended) shutdown(way.to, SHUT_WR);
  return true;
}

}  // namespace weft::tests
