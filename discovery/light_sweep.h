#pragma once
// Light sweep: has anything changed since the last full discovery? One SwitchInfo a switch, our own port and
// its peer, SMInfo of the other managers, and one NodeInfo behind each port that had nobody behind it. An end
// port that says it has changed is looked at, too.

#include <memory>
#include <string>
#include <vector>

#include "discovery/discover.h"

namespace weft::discovery {

struct LightSweep {
  /// What was seen that asks for a full discovery, in words; empty when nothing changed.
  std::vector<std::string> changes;
  /// Switches that have changed in nothing but the state of ports, as far as the changes go.
  std::vector<Guid> restless;
  /// Those of before and those at ports that were `asked`, with what they say now; silent ones are left out.
  std::vector<Manager> managers;
  /// PortInfo of a port that was `asked`.
  struct Told {
    fabric::PortRef port;
    mad::AttrData data;
  };
  std::vector<Told> told;
};

/// Compares with the Shadow, which it does not change. `asked`: end ports that told of a change. `only`: of
/// switches, these alone are looked at, and nobody else beside our own link and the ports `asked`; managers
/// elsewhere are taken to say what they said.
asio::awaitable<LightSweep> light_sweep(transport::SmpClient& client, const mad::Shadow& shadow,
                                        std::shared_ptr<const Discovered> known,
                                        std::vector<fabric::PortRef> asked,
                                        std::optional<std::vector<Guid>> only = {});

}  // namespace weft::discovery
