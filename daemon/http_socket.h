#pragma once
// The socket file of the control API: made, replaced when stale, given its mode and group, removed.

#include <string>

#include <sys/types.h>

#include "base/result.h"

namespace weft::daemon {

/// A listening UNIX stream socket and the file that it owns.
class ListeningSocket {
 public:
  /// See HttpServer::listen for the errors. A missing parent directory is made.
  static Result<ListeningSocket> open(const std::string& path, const std::string& group);
  ListeningSocket(ListeningSocket&& other) noexcept
      : path_(std::exchange(other.path_, {})), fd_(std::exchange(other.fd_, -1)), inode_(other.inode_) {}
  ListeningSocket& operator=(ListeningSocket&&) = delete;
  /// Closes the socket if it was not released, and removes the file if it still is ours.
  ~ListeningSocket();

  /// Gives the descriptor away; the file stays with this object.
  int release() { return std::exchange(fd_, -1); }

 private:
  ListeningSocket(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  std::string path_;
  int fd_ = -1;
  ino_t inode_ = 0;
};

}  // namespace weft::daemon
