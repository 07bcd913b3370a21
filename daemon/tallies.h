#pragma once
// Tallies: what the daemon counts of itself since its start, for metrics. Loop thread only.

#include <cstdint>
#include <map>
#include <string>

#include "daemon/status.h"
#include "plan/view.h"

namespace weft::daemon {

struct Tallies {
  struct Sweeps {
    std::uint64_t clean = 0;
    std::uint64_t not_clean = 0;
    Duration took{};  ///< In all.
    Duration last_took{};
  };
  std::map<SweepKind, Sweeps> sweeps;
  std::uint64_t smps = 0;  ///< Of sweeps.
  std::uint64_t sets = 0;
  std::uint64_t timeouts = 0;
  WallTime last_clean{};
  std::map<std::pair<std::string, Severity>, std::uint64_t> events;  ///< By kind.
  /// Changes of what stands behind the tables: "refused" (another engine than the first one named),
  /// "beyond-named", "kept-last", "restored".
  std::map<std::string, std::uint64_t> engine_changes;

  void note(const SweepReport& report);
  void note(const Event& event) { ++events[{event.kind, event.severity}]; }
  /// Of every View that is published; once each.
  void note(const plan::View& view);

 private:
  std::uint64_t generation_ = 0;
  std::string standing_;  // engine and reason, of the last view
};

/// Why the tables are those of this engine: "refused", "beyond-named", "kept-last"; empty: as wanted.
std::string fallback_of(const routing::ChainResult& chain);

}  // namespace weft::daemon
