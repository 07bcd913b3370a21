#pragma once
// Ports, tables, the last plan and health, over the control API:
//
//   GET /v1/ports   ?offset&limit&node&state      every port of every node, or of one
//   GET /v1/tables  ?switch&offset&limit          one switch's forwarding table, LID by LID
//   GET /v1/plans                                 what the last plan was: engine, notes, what it changed
//   GET /v1/health                                one look: what is wrong, and what to do next

#include <memory>

#include "daemon/api_source.h"
#include "daemon/http.h"

namespace weft::daemon {

void add_table_routes(Router& router, std::shared_ptr<const ApiSource> source);

}  // namespace weft::daemon
