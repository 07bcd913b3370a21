#include "daemon/http_socket.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <grp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "log/log.h"

namespace weft::daemon {

namespace {

Result<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) {
    return fail(Errc::invalid, "the path of the control socket must have 1 to {} characters: {}",
                sizeof address.sun_path - 1, path);
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

int stream_socket() { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

/// Removes a socket file that nobody listens on.
Result<void> clear_stale(const std::string& path, const sockaddr_un& address) {
  struct stat info{};
  if (lstat(path.c_str(), &info) != 0) return {};
  if (!S_ISSOCK(info.st_mode)) {
    return fail(Errc::invalid, "{} is there and is no socket: it is left alone; name another control socket",
                path);
  }
  const int probe = stream_socket();
  if (probe < 0) return fail(Errc::system, "cannot make a socket: {}", std::strerror(errno));
  const int connected = connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const int why = errno;
  close(probe);
  // EAGAIN: somebody listens, with a full queue.
  if (connected == 0 || why == EAGAIN) {
    return fail(Errc::conflict,
                "another daemon answers at {}: stop it first, or give this one another control socket", path);
  }
  if (why != ECONNREFUSED)
    return fail(Errc::system, "cannot tell whether {} is in use: {}", path, std::strerror(why));
  if (unlink(path.c_str()) != 0)
    return fail(Errc::system, "cannot remove the stale {}: {}", path, std::strerror(errno));
  return {};
}

/// Not fatal: the daemon works, its own user can use the socket.
void give_to_group(const std::string& path, const std::string& group) {
  if (group.empty()) return;
  const auto logger = log::named("daemon");
  const auto* entry = getgrnam(group.c_str());
  if (entry == nullptr) {
    logger->debug("control socket group unknown group={} socket={}", group, path);
  } else if (chown(path.c_str(), static_cast<uid_t>(-1), entry->gr_gid) != 0) {
    logger->warn("control socket not given to group group={} socket={} error=\"{}\"", group, path,
                 std::strerror(errno));
  }
}

}  // namespace

Result<ListeningSocket> ListeningSocket::open(const std::string& path, const std::string& group) {
  const auto address = address_of(path);
  if (!address) return fail(address.error());
  std::error_code ignored;  // bind says it better
  const auto parent = std::filesystem::path(path).parent_path();
  if (!parent.empty()) std::filesystem::create_directory(parent, ignored);
  const auto cleared = clear_stale(path, *address);
  if (!cleared) return fail(cleared.error());

  const int fd = stream_socket();
  if (fd < 0) return fail(Errc::system, "cannot make a socket: {}", std::strerror(errno));
  if (bind(fd, reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0) {
    const int why = errno;
    close(fd);
    return fail(Errc::system, "cannot make the control socket {}: {}", path, std::strerror(why));
  }
  ListeningSocket socket(path, fd);
  struct stat info{};
  if (lstat(path.c_str(), &info) == 0) socket.inode_ = info.st_ino;
  // Group first: until both are set, only our own user can connect.
  give_to_group(path, group);
  if (chmod(path.c_str(), 0660) != 0 || ::listen(fd, 64) != 0) {
    return fail(Errc::system, "cannot open the control socket {}: {}", path, std::strerror(errno));
  }
  return socket;
}

ListeningSocket::~ListeningSocket() {
  if (fd_ >= 0) close(fd_);
  if (path_.empty()) return;
  struct stat info{};
  if (lstat(path_.c_str(), &info) == 0 && info.st_ino == inode_) unlink(path_.c_str());
}

}  // namespace weft::daemon
