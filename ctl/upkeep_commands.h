#pragma once
// The commands for maintenance: drain and undrain; port disable, enable and hold; what is in force.

#include <string>

#include "ctl/commands.h"

namespace weft::ctl {

struct UpkeepOrder {
  std::string verb;   ///< As the API has it: "drain", ...
  std::string place;  ///< NODE or NODE/PORT.
  std::string time;   ///< Of hold; empty: the daemon's.
  std::string why;
  bool force = false;
};

/// Every order and how far it is.
Exit show_upkeep(const Client& client, const Output& output);
Exit give_order(const Client& client, const Output& output, const UpkeepOrder& order);

}  // namespace weft::ctl
