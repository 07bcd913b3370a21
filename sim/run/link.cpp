#include "sim/run/link.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace weft::run {
namespace {

constexpr int kPatience = 10'000;  // ms for an answer of the server, which never waits itself
constexpr int kBufferBytes = 4 << 20;

std::string environment(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : otherwise;
}

std::string socket_name() { return environment("IBSIM_SOCKNAME", "sim"); }

/// Connects to the abstract name "NAME:suffix" of the simulator; without a descriptor, errno tells why not.
Fd connected(const char* suffix, int type) {
  const std::string name = socket_name() + suffix;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (name.size() + 2 > sizeof(address.sun_path)) {
    errno = ENAMETOOLONG;
    return Fd();
  }
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size() + 2);
  Fd fd(::socket(AF_UNIX, type | SOCK_CLOEXEC, 0));
  if (fd.get() < 0) return fd;
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), length) == 0) return fd;
  return Fd();
}

/// ibsim has the socket for programs under ibsim-run, but not the one that this library needs.
std::string ibsim_instead() {
  if (connected(":ctl", SOCK_DGRAM).get() < 0) return "";
  return ". An ibsim has that name: run the program under ibsim-run";
}

/// What is wrong with the environment, and how to mend it; for people.
std::string complaint(int error) {
  const std::string at = "\"" + socket_name() + "\"";
  const std::string node = "\"" + node_name() + "\"";
  switch (error) {
    case ECONNREFUSED:
      return "no simulator runs as " + at +
             " (IBSIM_SOCKNAME): start one with weftsim --fabric FILE --socket " + socket_name() +
             ibsim_instead();
    case ENAMETOOLONG:
      return node_name().size() >= wire::kNodeNameSize
                 ? "the name of the node, " + node +
                       " (SIM_HOST), is longer than 31 characters: give its GUID"
                 : "the name of the simulator, " + at + " (IBSIM_SOCKNAME), is too long";
    case ENOENT:
      return "the fabric at " + at + " has no node " + node +
             " (SIM_HOST): give an id, a description or a GUID of it, or nothing for its first node";
    default:
      return "the simulator at " + at + " (IBSIM_SOCKNAME): " + std::strerror(error);
  }
}

/// Once a process. ENODEV is not for here: the node is there, but its device is away for a while.
void complain(int error) {
  static std::atomic<bool> said = false;
  if (error == ENODEV || said.exchange(true)) return;
  const std::string line = "weftsim-run: " + complaint(error) + "\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
  errno = error;
}

void put_name(std::array<char, wire::kNodeNameSize>& field) {
  const std::string name = node_name();
  std::copy_n(name.begin(), std::min(name.size(), field.size() - 1), field.begin());
}

}  // namespace

Fd::~Fd() {
  if (fd_ >= 0) ::close(fd_);
}

std::string node_name() { return environment("SIM_HOST", ""); }

Fd open_link() {
  Fd fd = connected(":weft", SOCK_SEQPACKET);
  if (fd.get() < 0) return fd;
  for (const int option : {SO_SNDBUFFORCE, SO_SNDBUF})
    if (::setsockopt(fd.get(), SOL_SOCKET, option, &kBufferBytes, sizeof(kBufferBytes)) == 0) break;
  return fd;
}

std::vector<std::uint8_t> control_bytes(std::uint32_t kind, const void* data, std::size_t size) {
  std::vector<std::uint8_t> message(wire::kControlSize);
  wire::Head head;
  head.kind = kind;
  head.length = static_cast<std::uint32_t>(size);
  std::memcpy(message.data(), &head, sizeof(head));
  if (size > 0) std::memcpy(message.data() + sizeof(head), data, size);
  return message;
}

int error_in(const std::vector<std::uint8_t>& answer) {
  wire::Head head;
  std::uint32_t number = 0;
  if (answer.size() < sizeof(head) + sizeof(number)) return EPROTO;
  std::memcpy(&head, answer.data(), sizeof(head));
  std::memcpy(&number, answer.data() + sizeof(head), sizeof(number));
  return head.kind == wire::kError ? static_cast<int>(number) : 0;
}

std::vector<std::uint8_t> ask(int fd, std::uint32_t kind, const void* data, std::size_t size) {
  const std::vector<std::uint8_t> message = control_bytes(kind, data, size);
  if (::send(fd, message.data(), message.size(), MSG_NOSIGNAL) < 0) return {};
  pollfd waiting{fd, POLLIN, 0};
  if (::poll(&waiting, 1, kPatience) <= 0) {
    errno = ETIMEDOUT;
    return {};
  }
  std::vector<std::uint8_t> answer(1024);
  const ssize_t length = ::recv(fd, answer.data(), answer.size(), 0);
  if (length <= 0) {
    errno = ECONNRESET;
    return {};
  }
  answer.resize(static_cast<std::size_t>(length));
  return answer;
}

int attach(int fd, int port) {
  wire::Connect request;
  put_name(request.node);
  request.extension = wire::kExtension;
  request.version = wire::kVersion;
  request.port = static_cast<std::uint32_t>(port);
  const std::vector<std::uint8_t> answer = ask(fd, wire::kConnect, &request, sizeof(request));
  if (answer.empty()) return -errno;
  return -error_in(answer);
}

namespace {

/// 0, or a number of errno.
int ask_for(int port, wire::Description& told) {
  if (node_name().size() >= wire::kNodeNameSize) return ENAMETOOLONG;
  const Fd fd = open_link();
  if (fd.get() < 0) return errno;
  wire::Describe request;
  put_name(request.node);
  request.port = static_cast<std::uint32_t>(port);
  const std::vector<std::uint8_t> answer = ask(fd.get(), wire::kDescribe, &request, sizeof(request));
  if (answer.empty()) return errno;
  if (const int error = error_in(answer); error != 0) return error;
  if (answer.size() != sizeof(wire::Head) + sizeof(told)) return EPROTO;
  std::memcpy(&told, answer.data() + sizeof(wire::Head), sizeof(told));
  return 0;
}

}  // namespace

std::optional<wire::Description> describe(int port) {
  wire::Description told;
  const int error = ask_for(port, told);
  if (error == 0) return told;
  // A port that is not there is for the program to tell.
  if (port == 0 || error != ENOENT) complain(error);
  errno = error;
  return std::nullopt;
}

}  // namespace weft::run
