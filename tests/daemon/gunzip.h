#pragma once
// gunzipped(): what was compressed by gzip, as a client reads it.

#include <zlib.h>

#include <array>
#include <string>

namespace weft::daemon::test {

/// Empty for what is no gzip, or is cut off.
inline std::string gunzipped(std::string bytes) {
  z_stream stream{};
  if (inflateInit2(&stream, MAX_WBITS + 16) != Z_OK) return {};
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  int state = Z_OK;
  while (state == Z_OK) {
    std::array<char, 16384> piece;
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    state = inflate(&stream, Z_NO_FLUSH);
    out.append(piece.data(), piece.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  return state == Z_STREAM_END ? out : std::string();
}

}  // namespace weft::daemon::test
