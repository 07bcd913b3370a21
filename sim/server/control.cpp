#include "sim/server/control.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "sim/server/address.h"

namespace weft::sim {
namespace {

constexpr std::size_t kLongestLine = 1 << 16;
constexpr std::size_t kRoom = 1 << 20;  // for output that waits to be read
constexpr std::string_view kOk = "ok\n";
constexpr std::string_view kError = "error: ";

}  // namespace

Control::Control(Loop& loop, Console& console, std::string name)
    : loop_(loop), console_(console), name_(std::move(name)) {}

Control::~Control() {
  while (!visitors_.empty()) close(visitors_.begin()->first);
  if (listener_.get() >= 0) loop_.forget(listener_.get());
}

Result<void> Control::open() {
  auto made = bound_socket(SOCK_STREAM, name_ + ":console");
  if (!made) return fail(made.error());
  listener_ = std::move(*made);
  if (::listen(listener_.get(), SOMAXCONN) != 0)
    return fail(Errc::system, "listen: {}", std::strerror(errno));
  return loop_.watch(listener_.get(), EPOLLIN, [this](std::uint32_t) { accept_all(); });
}

void Control::accept_all() {
  while (true) {
    transport::ibsim::Descriptor made(
        ::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    const int fd = made.get();
    if (fd < 0) {
      if (errno != EAGAIN && errno != ECONNABORTED) loop_.rest(listener_.get(), EPOLLIN);
      return;
    }
    visitors_[fd].fd = std::move(made);
    if (!loop_.watch(fd, EPOLLIN, [this, fd](std::uint32_t events) { serve(fd, events); })) close(fd);
  }
}

/// Runs the commands that have come, as long as what they print has room: a visitor that does not read is not
/// served either.
void Control::run_lines(Visitor& visitor) {
  std::size_t end = 0;
  while (visitor.out.size() < kRoom && (end = visitor.in.find('\n')) != std::string::npos) {
    const Result<std::string> said = console_.run(std::string_view(visitor.in).substr(0, end));
    visitor.in.erase(0, end + 1);
    if (said)
      visitor.out.append(*said).append(kOk);
    else
      visitor.out.append(kError).append(said.error().what).append("\n");
  }
}

void Control::serve(int fd, std::uint32_t events) {
  Visitor& visitor = visitors_.at(fd);
  if ((events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0) {
    char buffer[4096];
    const ssize_t size = ::recv(fd, buffer, sizeof(buffer), MSG_DONTWAIT);
    if (size == 0 || (size < 0 && errno != EAGAIN)) visitor.ended = true;
    if (size > 0) visitor.in.append(buffer, static_cast<std::size_t>(size));
  }
  run_lines(visitor);
  const ssize_t sent = ::send(fd, visitor.out.data(), visitor.out.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent > 0) visitor.out.erase(0, static_cast<std::size_t>(sent));
  if (sent < 0 && errno != EAGAIN) return close(fd);  // nobody reads any more
  const bool more = visitor.in.find('\n') != std::string::npos;
  if (!more && visitor.in.size() > kLongestLine) visitor.ended = true;
  if (visitor.ended && visitor.out.empty() && !more) return close(fd);
  const bool listens = !visitor.ended && visitor.out.size() < kRoom;
  loop_.change(
      fd, (listens ? EPOLLIN : 0u) | (visitor.out.empty() && !more ? 0u : static_cast<unsigned>(EPOLLOUT)));
}

void Control::close(int fd) {
  loop_.forget(fd);
  visitors_.erase(fd);
}

Result<std::string> send_command(const std::string& name, const std::string& line) {
  const std::optional<Address> address = address_of(name + ":console");
  if (!address) return fail(Errc::invalid, "socket name {} is too long", name);
  const transport::ibsim::Descriptor fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::connect(fd.get(), address->get(), address->length) != 0)
    return fail(Errc::unavailable, "no weftsim runs under the name {}: {}", name, std::strerror(errno));
  const std::string text = line + "\n";
  if (::send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(text.size()))
    return fail(Errc::system, "send: {}", std::strerror(errno));
  ::shutdown(fd.get(), SHUT_WR);
  std::string answer;
  char buffer[4096];
  for (ssize_t size; (size = ::recv(fd.get(), buffer, sizeof(buffer), 0)) > 0;)
    answer.append(buffer, static_cast<std::size_t>(size));
  if (answer.ends_with(kOk)) return answer.substr(0, answer.size() - kOk.size());
  if (answer.starts_with(kError))
    return fail(Errc::invalid, "{}", answer.substr(kError.size(), answer.size() - kError.size() - 1));
  return fail(Errc::unavailable, "weftsim at {} ended before it answered", name);
}

}  // namespace weft::sim
