#include "daemon/web_files.h"

#include <array>
#include <cstdint>

#include "daemon/embed.h"

// WEFT_WEB_DIR is set by CMake, which also knows that this file depends on these.
WEFT_EMBED(web_page, WEFT_WEB_DIR "/index.html");
WEFT_EMBED(web_script, WEFT_WEB_DIR "/weft.js");
WEFT_EMBED(web_style, WEFT_WEB_DIR "/weft.css");
WEFT_EMBED(web_icon, WEFT_WEB_DIR "/icon.svg");

namespace weft::daemon {
namespace {

constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

std::string_view between(const char* from, const char* to) {
  return {from, static_cast<std::size_t>(to - from)};
}

Response file_response(const WebFile& file, const std::string& tag, const Request& request) {
  Response response;
  response.type = file.type;
  response.headers = {{"ETag", tag},
                      {"Cache-Control", "no-cache"},
                      {"Content-Security-Policy", std::string(kPolicy)},
                      {"Referrer-Policy", "no-referrer"}};
  if (request.header("if-none-match").find(tag) != std::string_view::npos)
    response.status = 304;
  else
    response.body = file.bytes;
  return response;
}

}  // namespace

std::span<const WebFile> web_files() {
  static const std::array<WebFile, 4> files{
      WebFile{"/", "text/html; charset=utf-8", between(weft_web_page, weft_web_page_end)},
      WebFile{"/weft.js", "text/javascript; charset=utf-8", between(weft_web_script, weft_web_script_end)},
      WebFile{"/weft.css", "text/css; charset=utf-8", between(weft_web_style, weft_web_style_end)},
      WebFile{"/icon.svg", "image/svg+xml", between(weft_web_icon, weft_web_icon_end)}};
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
