#include "daemon/mastership.h"

#include <array>

namespace weft::daemon {
namespace {

using enum mad::SmState;
using enum Reaction;

constexpr Step kNotActive{not_active, none};

using Row = std::array<Step, kHappenings>;

constexpr Step refused(mad::SmState state) { return {state, none, false}; }

// Columns: told hand_over, acknowledge, disable, standby, discover; found nobody, a master, a better one;
// lost the master; handed over; cut off.
constexpr Row kWhenNotActive{refused(not_active), refused(not_active), refused(not_active),
                             Step{standby, wait}, refused(not_active), kNotActive,
                             kNotActive,          kNotActive,          kNotActive,
                             kNotActive,          kNotActive};
constexpr Row kWhenDiscovering{Step{master, acknowledge}, refused(discovering),   refused(discovering),
                               refused(discovering),      refused(discovering),   Step{master, manage},
                               Step{standby, wait},       Step{standby, wait},    Step{discovering, none},
                               Step{discovering, none},   Step{discovering, none}};
constexpr Row kWhenStandby{Step{master, acknowledge}, Step{standby, none},     Step{not_active, rest},
                           refused(standby),          Step{discovering, look}, Step{master, manage},
                           Step{standby, wait},       Step{standby, wait},     Step{discovering, look},
                           Step{standby, none},       Step{discovering, look}};
constexpr Row kWhenMaster{Step{master, acknowledge}, refused(master),         refused(master),
                          refused(master),           refused(master),         Step{master, manage},
                          Step{standby, yield},      Step{master, hand_over}, Step{master, none},
                          Step{standby, wait},       Step{discovering, look}};

}  // namespace

Step step(mad::SmState now, Happening what) {
  const auto column = static_cast<std::size_t>(what);
  switch (now) {
    case not_active:
      return kWhenNotActive[column];
    case discovering:
      return kWhenDiscovering[column];
    case standby:
      return kWhenStandby[column];
    case master:
      return kWhenMaster[column];
  }
  return {now, none, false};
}

}  // namespace weft::daemon
