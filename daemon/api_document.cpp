#include "daemon/api_document.h"

#include "daemon/embed.h"

WEFT_EMBED(openapi, WEFT_OPENAPI_FILE);

namespace weft::daemon {

std::string_view openapi_document() {
  return {weft_openapi, static_cast<std::size_t>(weft_openapi_end - weft_openapi)};
}

void add_document_route(Router& router) {
  Route route{"GET", "/v1/openapi.yaml", [](const Request&) {
                Response response;
                response.type = "application/yaml";
                response.body = openapi_document();
                return response;
              }};
  router.add(std::move(route));
}

}  // namespace weft::daemon
