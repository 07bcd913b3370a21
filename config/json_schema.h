#pragma once
// The schema in the form of JSON Schema (draft 7), for editors: etc/weft.schema.json, `weftctl config
// schema`.

#include <string>

namespace weft::config {

/// Every section and key, with help, form and default. Ends with a newline.
std::string json_schema();

}  // namespace weft::config
