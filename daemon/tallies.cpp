#include "daemon/tallies.h"

namespace weft::daemon {

std::string fallback_of(const routing::ChainResult& chain) {
  if (chain.kept_last) return "kept-last";
  if (chain.beyond_named) return "beyond-named";
  return chain.refusals.empty() ? "" : "refused";
}

void Tallies::note(const SweepReport& report) {
  Sweeps& kind = sweeps[report.kind];
  ++(report.clean ? kind.clean : kind.not_clean);
  kind.took += report.took;
  kind.last_took = report.took;
  smps += report.smps;
  sets += report.sets;
  timeouts += report.timeouts;
  if (report.clean) last_clean = report.started + std::chrono::duration_cast<WallTime::duration>(report.took);
}

void Tallies::note(const plan::View& view) {
  if (!view.plan || view.generation == generation_) return;
  generation_ = view.generation;
  const std::string why = fallback_of(view.plan->routing);
  const std::string now = view.plan->routes().engine + " " + why;
  if (now == standing_) return;
  const bool first = standing_.empty();
  standing_ = now;
  if (!why.empty())
    ++engine_changes[why];
  else if (!first)
    ++engine_changes["restored"];
}

}  // namespace weft::daemon
