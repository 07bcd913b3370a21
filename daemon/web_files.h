#pragma once
// The fabric view: the files of web/dist, compiled in, as they are and compressed, and their routes. The page
// is for everybody who can connect; what it then asks of /v1 is not.

#include <span>
#include <string>
#include <string_view>

#include "daemon/http.h"

namespace weft::daemon {

struct WebFile {
  std::string_view path;  ///< "/weft.js"; "/" is the page.
  std::string_view type;
  std::string_view bytes;
  std::string_view gzip;  ///< The same bytes, compressed when they were compiled in.
};

std::span<const WebFile> web_files();

/// An entity tag, in its quotes: the same as long as the bytes are.
std::string entity_tag(std::string_view bytes);

/// GET of each file: with an ETag, so that a browser asks once and then whether it has changed; compressed
/// for those who accept that; under a policy that lets the page load and reach nothing but this server.
void add_web_routes(Router& router);

}  // namespace weft::daemon
