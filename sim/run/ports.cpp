#include "sim/run/ports.h"

#include <cerrno>

namespace weft::run {
namespace {

struct Table {
  std::mutex mutex;
  std::map<int, std::shared_ptr<Port>> ports;
};
/// Never destroyed: other threads of the program may still use it while the process exits.
Table& table() {
  static auto* the = new Table;
  return *the;
}

}  // namespace

int open_port(int number) {
  Fd link = open_link();
  if (link.get() < 0) return -errno;
  if (const int error = attach(link.get(), number); error != 0) return error;
  auto port = std::make_shared<Port>(std::move(link));
  const int fd = port->fd();
  const std::lock_guard lock(table().mutex);
  table().ports[fd] = std::move(port);
  return fd;
}

int close_port(int fd) {
  std::shared_ptr<Port> port;
  {
    const std::lock_guard lock(table().mutex);
    const auto found = table().ports.find(fd);
    if (found == table().ports.end()) return -EINVAL;
    port = std::move(found->second);
    table().ports.erase(found);
  }
  return 0;
}

std::shared_ptr<Port> port_at(int fd) {
  const std::lock_guard lock(table().mutex);
  const auto found = table().ports.find(fd);
  return found == table().ports.end() ? nullptr : found->second;
}

}  // namespace weft::run
