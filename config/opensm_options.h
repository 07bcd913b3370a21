#pragma once
// Reads what OpenSM's options file (opensm.conf) says of quality of service: qos, the qos_* tables of all
// ports and of their kinds, and the file of the policy. Told line by line: what each became here, or why
// nothing.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/report.h"
#include "qos/tables.h"

namespace weft::config {

/// One line of the file and what it means here.
struct ReadOption {
  int line = 0;
  std::string text;    ///< "qos_ca_high_limit 5".
  std::string became;  ///< "qos.tables.hosts.high_limit".
};

struct OpensmOptions {
  std::vector<ReadOption> lines;    ///< Of options that have to do with QoS, or with a key of ours.
  std::vector<std::string> others;  ///< Names of the other options.
  bool on = false;                  ///< `qos TRUE`; else OpenSM writes no tables unless it is run with -Q.
  std::string policy_file;          ///< Where it is named; OpenSM has a default.
  qos::TypedTables tables;          ///< As OpenSM would write them.
};

/// The same meaning as in OpenSM 3.3: of a repeated option the last counts, a kind that lacks an option has
/// the general one, and that the built-in one. What OpenSM cuts, wraps or takes for 0 (VL 15 and weights
/// above 255 in an arbitration table, words that are no numbers) is a problem with its line.
OpensmOptions read_opensm_options(std::string_view text, Report& report);

}  // namespace weft::config
