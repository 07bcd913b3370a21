#include "sim/run/issm.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>

#include "sim/run/link.h"

namespace weft::run {
namespace {

constexpr int kAskAgain = 50;  // ms

bool has_mode(int flags) { return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE; }

/// The C library's own function of this name.
template <typename Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

int issm_port(const char* path) {
  const std::size_t length = std::strlen(kIssmPrefix);
  if (path == nullptr || std::strncmp(path, kIssmPrefix, length) != 0) return -1;
  return std::atoi(path + length);
}

int open_issm(int port, int flags) {
  Fd link = open_link();
  if (link.get() < 0) return -1;
  if (const int error = attach(link.get(), port); error != 0) {
    errno = -error;
    return -1;
  }
  while (true) {
    const std::uint32_t on = 1;
    const std::vector<std::uint8_t> answer = ask(link.get(), wire::kSetIsSm, &on, sizeof(on));
    if (answer.empty()) return -1;
    const int error = error_in(answer);
    if (error == 0) return link.release();
    if (error != EBUSY || (flags & O_NONBLOCK) != 0) {
      errno = error == EBUSY ? EAGAIN : error;
      return -1;
    }
    ::poll(nullptr, 0, kAskAgain);
  }
}

}  // namespace weft::run

// The entries of the C library, with the mode that some flags ask for.

namespace {

template <typename Function>
int open_by(const char* name, const char* path, int flags, mode_t mode) {
  if (const int port = weft::run::issm_port(path); port >= 0) return weft::run::open_issm(port, flags);
  return weft::run::next<Function>(name)(path, flags, mode);
}

using Open = int (*)(const char*, int, ...);

mode_t mode_in(int flags, va_list arguments) {
  return weft::run::has_mode(flags) ? static_cast<mode_t>(va_arg(arguments, unsigned)) : 0;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_in(flags, arguments);
  va_end(arguments);
  return open_by<Open>("open", path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_in(flags, arguments);
  va_end(arguments);
  return open_by<Open>("open64", path, flags, mode);
}

int __open_2(const char* path, int flags) { return open_by<Open>("open", path, flags, 0); }      // NOLINT
int __open64_2(const char* path, int flags) { return open_by<Open>("open64", path, flags, 0); }  // NOLINT

}  // extern "C"
