#include "daemon/web_files.h"

#include <array>
#include <cstdint>

#include "daemon/embed.h"
#include "daemon/http_gzip.h"

// WEFT_WEB_DIR and WEFT_WEB_GZIP_DIR are set by CMake, which also knows that this file depends on these.
WEFT_EMBED(web_page, WEFT_WEB_DIR "/index.html");
WEFT_EMBED(web_script, WEFT_WEB_DIR "/weft.js");
WEFT_EMBED(web_style, WEFT_WEB_DIR "/weft.css");
WEFT_EMBED(web_icon, WEFT_WEB_DIR "/icon.svg");
WEFT_EMBED(web_page_gz, WEFT_WEB_GZIP_DIR "/index.html.gz");
WEFT_EMBED(web_script_gz, WEFT_WEB_GZIP_DIR "/weft.js.gz");
WEFT_EMBED(web_style_gz, WEFT_WEB_GZIP_DIR "/weft.css.gz");
WEFT_EMBED(web_icon_gz, WEFT_WEB_GZIP_DIR "/icon.svg.gz");

namespace weft::daemon {
namespace {

constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

std::string_view between(const char* from, const char* to) {
  return {from, static_cast<std::size_t>(to - from)};
}

/// Of the compressed bytes: other bytes have another tag. Source: RFC 9110, 8.8.3.3.
std::string gzip_tag(const std::string& tag) { return tag.substr(0, tag.size() - 1) + "-gzip\""; }

Response file_response(const WebFile& file, const std::string& tag, const Request& request) {
  const bool gzip = accepts_gzip(request.header("accept-encoding"));
  const std::string own_tag = gzip ? gzip_tag(tag) : tag;
  Response response;
  response.type = file.type;
  response.headers = {{"ETag", own_tag},
                      {"Vary", "Accept-Encoding"},
                      {"Cache-Control", "no-cache"},
                      {"Content-Security-Policy", std::string(kPolicy)},
                      {"Referrer-Policy", "no-referrer"}};
  if (request.header("if-none-match").find(own_tag) != std::string_view::npos) {
    response.status = 304;
    return response;
  }
  if (gzip) response.headers.emplace_back("Content-Encoding", "gzip");
  response.body = gzip ? file.gzip : file.bytes;
  return response;
}

}  // namespace

std::span<const WebFile> web_files() {
  static const std::array<WebFile, 4> files{
      WebFile{"/", "text/html; charset=utf-8", between(weft_web_page, weft_web_page_end),
              between(weft_web_page_gz, weft_web_page_gz_end)},
      WebFile{"/weft.js", "text/javascript; charset=utf-8", between(weft_web_script, weft_web_script_end),
              between(weft_web_script_gz, weft_web_script_gz_end)},
      WebFile{"/weft.css", "text/css; charset=utf-8", between(weft_web_style, weft_web_style_end),
              between(weft_web_style_gz, weft_web_style_gz_end)},
      WebFile{"/icon.svg", "image/svg+xml", between(weft_web_icon, weft_web_icon_end),
              between(weft_web_icon_gz, weft_web_icon_gz_end)}};
  return files;
}

std::string entity_tag(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return fmt::format("\"{:016x}\"", hash);
}

void add_web_routes(Router& router) {
  for (const WebFile& file : web_files()) {
    Route route;
    route.method = "GET";
    route.path = file.path;
    route.handler = [&file, tag = entity_tag(file.bytes)](const Request& request) {
      return file_response(file, tag, request);
    };
    route.access = Access::open;
    router.add(std::move(route));
  }
}

}  // namespace weft::daemon
