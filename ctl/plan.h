#pragma once
// `weftctl plan`: what the daemon would plan for a fabric that need not exist, and how good it is. No daemon
// is asked.

#include <optional>
#include <string>
#include <vector>

#include "ctl/commands.h"

namespace weft::ctl {

struct PlanOptions {
  std::string fabric;                ///< A file or a blueprint.
  std::string config;                ///< A file; empty: defaults.
  std::string engine;                ///< Instead of the configured ones.
  std::string fail;                  ///< "1%" or "12": links between switches taken away first.
  std::uint64_t seed = 1;            ///< Of what fails, and of the patterns measured.
  int vls = 8;                       ///< Data VLs that all ports have.
  bool report = false;               ///< Measure.
  std::vector<std::string> compare;  ///< Engines measured beside it.
  std::string dump;                  ///< Directory for files that other programs judge; empty: none.
  std::uint32_t job = 0;             ///< Hosts of the job estimated, the first in order; 0: all.
};

/// `failed` when nothing safe can be planned; `usage` for what cannot be read.
Exit plan_offline(const Output& output, const PlanOptions& options);

}  // namespace weft::ctl
