#include "daemon/http_gzip.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <new>

#include "base/trim.h"

namespace weft::daemon {
namespace {

constexpr std::size_t kWorthIt = 2048;       // bytes of a body
constexpr std::size_t kAtATime = 64u << 10;  // of these
constexpr int kLevel = 1;                    // JSON shrinks to a tenth by the quickest already
constexpr int kGzipWindow = MAX_WBITS + 16;  // + 16: with the header of gzip

bool same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return (x | 0x20) == (y | 0x20); });
}

/// ";q=0", "; q=0.000": ruled out.
bool is_ruled_out(std::string_view parameters) {
  const std::size_t at = parameters.find_first_of("qQ");
  const std::size_t equals = parameters.find('=', at == parameters.npos ? parameters.size() : at);
  if (equals == parameters.npos) return false;
  const std::string_view value = trimmed(parameters.substr(equals + 1), " \t");
  return !value.empty() && value.find_first_not_of("0.") == value.npos;
}

class Gzip {
 public:
  Gzip() {
    if (deflateInit2(&stream_, kLevel, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  ~Gzip() { deflateEnd(&stream_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  /// Appends what comes out for these bytes, which may be nothing before the last ones.
  void add(std::string_view bytes, bool last, std::string& out) {
    // zlib does not write to its input, but has no const for it.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    std::array<char, 16384> piece;
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(piece.data());
      stream_.avail_out = static_cast<uInt>(piece.size());
      deflate(&stream_, last ? Z_FINISH : Z_NO_FLUSH);
      out.append(piece.data(), piece.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

 private:
  z_stream stream_{};
};

/// The same pieces, compressed.
Response::More compressed(Response::More more) {
  return [more = std::move(more), gzip = std::make_shared<Gzip>(), ended = false](std::string& out) mutable {
    const std::size_t before = out.size();
    while (!ended && out.size() == before) {
      std::string plain;
      ended = !more(plain);
      gzip->add(plain, ended, out);
    }
    return out.size() > before;
  };
}

bool is_text(std::string_view type) {
  return type.starts_with("text/") || type.starts_with("application/json");
}

}  // namespace

bool accepts_gzip(std::string_view accepted) {
  bool any = false;
  while (!accepted.empty()) {
    const std::size_t end = std::min(accepted.find(','), accepted.size());
    const std::string_view one = accepted.substr(0, end);
    accepted.remove_prefix(std::min(end + 1, accepted.size()));
    const std::size_t semicolon = std::min(one.find(';'), one.size());
    const std::string_view coding = trimmed(one.substr(0, semicolon), " \t");
    const bool wanted = !is_ruled_out(one.substr(semicolon));
    if (same_word(coding, "gzip")) return wanted;
    if (coding == "*") any = wanted;
  }
  return any;
}

Response as_accepted(Response response, const Request& request) {
  const bool has_body = response.more || response.body.size() >= kWorthIt;
  const auto coded =
      std::ranges::find(response.headers, "Content-Encoding", &std::pair<std::string, std::string>::first);
  if (!has_body || response.live || coded != response.headers.end() || !is_text(response.type))
    return response;
  response.headers.emplace_back("Vary", "Accept-Encoding");
  if (!accepts_gzip(request.header("accept-encoding"))) return response;
  response.headers.emplace_back("Content-Encoding", "gzip");
  if (response.more) {
    response.more = compressed(std::move(response.more));
  } else {
    std::string plain = std::move(response.body);
    response.body.clear();  // in pieces, so that no answer, however long, holds up the loop
    response.more = compressed([plain = std::move(plain), at = std::size_t{0}](std::string& out) mutable {
      const std::string_view piece = std::string_view(plain).substr(at, kAtATime);
      out += piece;
      at += piece.size();
      return !piece.empty();
    });
  }
  return response;
}

}  // namespace weft::daemon
