#pragma once
// The document that describes the control API: docs/openapi.yaml, as it was when the daemon was built.
//
//   GET /v1/openapi.yaml

#include <string_view>

#include "daemon/http.h"

namespace weft::daemon {

std::string_view openapi_document();
void add_document_route(Router& router);

}  // namespace weft::daemon
