#pragma once
// What an audit asks of one device: every table block that it is to hold by the plan. Pure.

#include <string>
#include <vector>

#include "program/lane_rows.h"

namespace weft::program {

/// Forwarding table, P_Key tables, and, where there are lanes, SL2VL and VL arbitration of a switch or host.
std::vector<TableSet> planned_blocks(const fabric::Fabric& fabric, const plan::Plan& plan, NodeId node);

/// Whether a device's answer holds what the block says, reserved bits aside.
bool holds(const TableSet& planned, const mad::AttrData& answer);

/// "LinearForwardingTable block 7", "P_KeyTable 0x10000".
std::string describe(const TableSet& block);

}  // namespace weft::program
