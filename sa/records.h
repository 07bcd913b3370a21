#pragma once
// The records that tell the fabric as it is: nodes, ports, links, tables, managers. One producer each; all
// have the same shape, so the dispatch is a table (sa/answer.cpp).

#include "sa/collect.h"

namespace weft::sa {

void node_records(const Context& context, Collector& records);
void port_info_records(const Context& context, Collector& records);
void switch_info_records(const Context& context, Collector& records);
void lft_records(const Context& context, Collector& records);
void mft_records(const Context& context, Collector& records);
void sm_info_records(const Context& context, Collector& records);
void link_records(const Context& context, Collector& records);
void guid_info_records(const Context& context, Collector& records);
void service_records(const Context& context, Collector& records);
void inform_info_records(const Context& context, Collector& records);
void mc_member_records(const Context& context, Collector& records);

/// Calls `visit(end)` for the end ports that the requester may see and the query's LID component (bit 0,
/// first 16 bits) allows; the LID may be any of the port's.
template <typename Visit>
void each_end(const Context& context, Collector& records, const Visit& visit) {
  if (records.asks(0)) {
    const auto lid = static_cast<Lid>(get_bits(records.request().data, 0, 16));
    records.settle(0);
    if (const End* end = context.index.find(lid); end != nullptr && records.sight().sees(*end)) visit(*end);
    return;
  }
  for (const End& end : context.index.ends()) {
    if (records.enough()) return;
    if (records.sight().sees(end)) visit(end);
  }
}

}  // namespace weft::sa
