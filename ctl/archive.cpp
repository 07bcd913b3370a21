#include "ctl/archive.h"

#include <zlib.h>

#include <array>
#include <cstring>

#include <fmt/format.h>

namespace weft::ctl {
namespace {

constexpr std::size_t kBlock = 512;

/// Source: POSIX.1-2017, pax, "ustar Interchange Format".
std::string tar_header(const ArchiveFile& file, std::time_t when) {
  std::string header(kBlock, '\0');
  const auto put = [&header](std::size_t at, std::string_view text) {
    header.replace(at, text.size(), text);
  };
  put(0, file.name);
  put(100, "0000600");  // mode, owner, group: the owner's alone
  put(108, "0000000");
  put(116, "0000000");
  put(124, fmt::format("{:011o}", file.text.size()));
  put(136, fmt::format("{:011o}", static_cast<std::uint64_t>(when)));
  put(148, "        ");  // the checksum is taken with blanks in its place
  put(156, "0");
  put(257, std::string_view("ustar\00000", 8));
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  put(148, fmt::format("{:06o}", sum));
  header[154] = '\0';
  return header;
}

Result<std::string> compressed(const std::string& bytes) {
  z_stream stream{};
  constexpr int kGzip = 15 + 16;  // largest window, gzip's header
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    return fail(Errc::system, "cannot compress");
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib only reads it
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int ended = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (ended != Z_STREAM_END) return fail(Errc::system, "cannot compress");
  return out;
}

}  // namespace

Result<std::string> archive(std::span<const ArchiveFile> files, std::time_t when) {
  std::string tar;
  for (const ArchiveFile& file : files) {
    if (file.name.size() > 99) return fail(Errc::invalid, "the name {} is too long", file.name);
    tar += tar_header(file, when) + file.text;
    tar.resize((tar.size() + kBlock - 1) / kBlock * kBlock, '\0');
  }
  tar.append(2 * kBlock, '\0');
  return compressed(tar);
}

}  // namespace weft::ctl
