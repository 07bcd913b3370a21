#pragma once
// The fabric as Slurm's scheduler wants to be told of it: topology.conf, for its plugins topology/tree and
// topology/block. Pure.
//
// Slurm knows hierarchies only: each host hangs on one switch, each switch on one above. A fabric has many
// switches on each level above the leaves. So what hangs together by switches up to a level stands as one
// switch there: in a tree the pods, in a dragonfly the groups, and at the end the whole fabric.
// Source: topology.conf(5) of Slurm 24.11, and its Topology Guide.

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "plan/overview.h"
#include "plan/view.h"

namespace weft::plan {

enum class SlurmPlugin { tree, block };

struct SlurmOptions {
  /// Nothing: block for a dragonfly or Dragonfly+, tree for anything else.
  std::optional<SlurmPlugin> plugin;
  std::string hosts = "*";  ///< Only hosts with such names: Slurm wants to hear of its own nodes only.
};

/// "tree" or "block".
std::optional<SlurmPlugin> slurm_plugin_from(std::string_view name);

/// The file. A host is called by the first word of its description; of adapters with the same name the first
/// counts. Errors: `not_found` when no host is left; `invalid` for blocks of a fabric that has no groups.
Result<std::string> slurm_topology(const View& view, const Places& places, const SlurmOptions& options);

/// "h[0-3,08-11],login": names as Slurm's host lists, in order.
std::string host_list(std::vector<std::string> names);

}  // namespace weft::plan
