#include "base/files.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace weft::inline base {

Result<std::string> read_file(const std::filesystem::path& path) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    const Errc code = errno == ENOENT ? Errc::not_found : Errc::system;
    return fail(code, "cannot read {}: {}", path.string(), std::strerror(errno));
  }
  std::string text;
  std::array<char, 65536> piece{};
  while (in.read(piece.data(), piece.size()) || in.gcount() > 0)
    text.append(piece.data(), static_cast<std::size_t>(in.gcount()));
  if (in.bad()) return fail(Errc::system, "cannot read {}: {}", path.string(), std::strerror(errno));
  return text;
}

}  // namespace weft::inline base
