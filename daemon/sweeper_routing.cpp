// What is told of the routing engine: never is another one taken, or are pairs lost, in silence.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "daemon/sweeper.h"

namespace weft::daemon {
namespace {

std::string engine_reasons(const routing::ChainResult& chain) {
  std::vector<std::string> parts;
  for (const routing::Refusal& r : chain.refusals)
    parts.push_back(fmt::format("not {}: {}", r.engine, r.reason));
  if (!chain.refusals.empty() && !chain.recognised.empty())
    parts.push_back("the fabric is " + chain.recognised);
  return parts.empty() ? "" : fmt::format("; {}", fmt::join(parts, "; "));
}

}  // namespace

/// An event when the engine, or why it is that one, is another than last time; a problem while it is not one
/// that was asked for, with the pairs that are lost.
void Sweeper::tell_engine(const plan::Plan& plan, const fabric::Fabric& fabric) {
  const routing::ChainResult& chain = plan.routing;
  const std::string engine = chain.routes.engine;
  std::string text;
  const std::string lost = chain.kept_last ? routing::explain(fabric, chain.report) : "";
  if (chain.kept_last)
    text = fmt::format("the tables in force, of {}, are kept as far as they lead{}{}{}", engine,
                       lost.empty() ? "" : ": ", lost, engine_reasons(chain));
  else if (chain.beyond_named)
    text = fmt::format("the tables are those of {}, which the configuration does not name{}", engine,
                       engine_reasons(chain));
  else if (!chain.refusals.empty())
    text = fmt::format("the tables are those of {}{}", engine, engine_reasons(chain));
  if (chain.kept_last || chain.beyond_named)
    problems_.push_back({Guid{}, text, "Mend what is missing, or name another engine; why this one:",
                         "weftctl explain engine"});

  const std::string before = view_ && view_->plan ? view_->plan->routes().engine : "";
  if (text.empty() && !before.empty() && before != engine)
    text = fmt::format("the tables are those of {} again, no longer of {}", engine, before);
  const std::string now = chain.refusals.empty() && !chain.kept_last && !chain.beyond_named ? "" : text;
  const bool news = now.empty() ? !text.empty() : now != told_engine_;
  told_engine_ = now;
  if (!news) return;
  event(chain.kept_last ? Severity::error
        : now.empty()   ? Severity::info
                        : Severity::warning,
        "routing_engine", text);
}

}  // namespace weft::daemon
