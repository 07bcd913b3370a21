#include "config/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "config/parse.h"

namespace weft::config {
namespace {

/// Closes the file however its reading ends.
struct Descriptor {
  int number;
  explicit Descriptor(int descriptor) : number(descriptor) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

/// /dev/null, by its number: how people say "no configuration". Other devices and pipes could be endless.
bool is_null_device(const struct stat& status) {
  return S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 3);
}

tl::unexpected<Error> refused(const std::string& path, int error) {
  return fail(Errc::unavailable, "{}: {}", path, std::generic_category().message(error));
}

}  // namespace

Result<std::string> slurp(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.number < 0) return refused(path, errno);
  struct stat status{};
  if (::fstat(file.number, &status) != 0) return refused(path, errno);
  if (S_ISDIR(status.st_mode)) return fail(Errc::unavailable, "{}: is a directory, not a file", path);
  if (!S_ISREG(status.st_mode) && !is_null_device(status))
    return fail(Errc::unavailable, "{}: is not a regular file", path);
  const auto too_large = [&] {
    return fail(Errc::unavailable, "{}: larger than {} MiB; not a configuration", path, kMaxFileBytes >> 20);
  };
  if (static_cast<std::size_t>(status.st_size) > kMaxFileBytes) return too_large();
  std::string text;
  for (char block[1 << 16];;) {
    const ssize_t got = ::read(file.number, block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return refused(path, errno);
    if (got == 0) return text;
    text.append(block, static_cast<std::size_t>(got));
    if (text.size() > kMaxFileBytes) return too_large();
  }
}

}  // namespace weft::config
