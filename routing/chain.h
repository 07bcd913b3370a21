#pragma once
// Chain: from the engines an operator names to tables that are safe. Each engine's answer goes through the
// check; the first that passes is taken, and why each one before it was not is part of the answer, so nothing
// changes engine silently. Nothing that could deadlock or loop is ever handed out.

#include <optional>
#include <string>
#include <vector>

#include "routing/check.h"
#include "routing/engine.h"

namespace weft::routing {

enum class OnFailure {
  next,       ///< When all engines named fail, up-down is tried too.
  keep_last,  ///< When all engines named fail, entries in force that still lead somewhere stay; the rest is
              ///< lost.
};

struct ChainOptions {
  /// Names of engines, tried in order. "auto" stands for those that suit the shape of the fabric
  /// (recognise.h).
  std::vector<std::string> engines{"auto"};
  OnFailure on_failure = OnFailure::next;
  /// Data VLs that the ports are going to have, with SL2VL as Routes::lanes asks; an answer that needs more
  /// is refused.
  int vls = 1;
  /// SLs that path records give by LID offset, each leading to a VL of its own: what the layered engine may
  /// use.
  int layers = 1;
  bool operator==(const ChainOptions&) const = default;
};

/// An engine whose answer was not taken.
struct Refusal {
  std::string engine;
  std::string reason;  ///< In plain words.
  bool operator==(const Refusal&) const = default;
};

struct ChainResult {
  Routes routes;
  CheckReport report;             ///< Of `routes`; safe unless `kept_last`, and even then free of deadlock.
  std::vector<Refusal> refusals;  ///< In order tried.
  std::string recognised;         ///< What "auto" took the fabric for, and why; empty when it was not asked.
  bool kept_last = false;  ///< The tables in force stay; report.lost counts the pairs they do not serve.
  /// Of kept_last: the tables that are kept, before they were cut down: what is cut comes back with its link.
  std::shared_ptr<const Routes> good;
  bool beyond_named = false;  ///< Up-down was taken though the options do not name it.
};

/// Errors: `invalid` for an engine nobody has, naming those there are; `unsafe` with every engine's reason
/// when
///   nothing passes. The caller then leaves the fabric as it is.
/// `of_previous`: the report on Problem::previous, by which the check of new tables is quick; may be null.
Result<ChainResult> route(const Problem& problem, const ChainOptions& options,
                          const CheckReport* of_previous = nullptr);

/// The last good tables (Problem::good, else those in force), cut down to this fabric: rows of switches that
/// are gone fall away, new switches have none of their entries set, and entries lead nowhere where their link
/// is gone or their LID has no owner. Nothing without tables in force.
std::optional<Routes> keep_last(const Problem& problem);

}  // namespace weft::routing
