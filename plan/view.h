#pragma once
// View: all that the SA, the control API and the web ever see: one complete state of affairs, replaced whole.

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "fabric/fabric.h"
#include "plan/ledger.h"
#include "plan/plan.h"

namespace weft::plan {

struct View {
  std::uint64_t generation = 0;
  std::shared_ptr<const fabric::Fabric> fabric;
  std::shared_ptr<const Plan> plan;  ///< Null until the first plan.
  Ledger ledger;
  fabric::PortRef sm_port;
};

/// One hop of a path: the switch or host left, and by which port.
struct Hop {
  fabric::PortRef out;
  fabric::PortRef in;  ///< Where it arrives.
};

/// What the plan's routes answer, with the View's own fabric (as far as it may be used) and design, which
/// outlive the planning.
routing::Problem problem_of(const View& view);

/// The end port that has a LID. Cost: O(end ports).
std::optional<fabric::PortRef> end_port_of(const View& view, Lid lid);

/// The way that the planned tables take from an end port to a LID. Errors: `not_found` for a LID nobody has;
/// `unsafe` when the tables lead nowhere, with the place.
Result<std::vector<Hop>> path(const View& view, fabric::PortRef from, Lid to);

/// A person's word for an end port: a LID, a port or node GUID, or a node name. A node name that several
/// nodes have is an error that lists them. Errors: `not_found`, `ambiguous`.
Result<fabric::PortRef> find_end_port(const View& view, std::string_view text);

}  // namespace weft::plan
