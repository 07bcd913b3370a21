#pragma once
// Paths: PathRecord and MultiPathRecord. Source: IBTA vol. 1, 15.2.5.16 and 15.2.5.17; what is chosen where
// they leave a choice: docs/sa.md.

#include "sa/request.h"

namespace weft::sa {

Answer path_records(const Request& request, const Context& context);
Answer multi_path_records(const Request& request, const Context& context);
Answer class_port_info(const Request& request, const Context& context);

}  // namespace weft::sa
