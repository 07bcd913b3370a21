#pragma once
// Full discovery: breadth-first over directed routes, each link probed once, from our own port to the last
// node. A node that does not answer, or answers what cannot be, is told and left out; the rest comes up.
//
// The Shadow learns every PortInfo and SwitchInfo read. A device that shows a boot loses everything known of
// it.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fabric/builder.h"
#include "fabric/fabric.h"
#include "mad/blocks.h"
#include "mad/sm_info.h"
#include "transport/smp_client.h"

namespace weft::discovery {

/// Something that could not be read as it should be.
struct Finding {
  enum class Kind { mute, nonsense, duplicate_guid, refused, changing, too_small, silent_manager, locked };
  Kind kind = Kind::mute;
  Guid node{};       ///< 0 where it is not known who is there.
  std::string what;  ///< Names path, attribute and reason.
  /// Of Kind::mute, where nobody told who is there: the port behind which it is.
  std::optional<fabric::Builder::End> behind{};
  bool operator==(const Finding&) const = default;
};

/// True when a part of the fabric is not as it should be for it, so that a sweep cannot be called clean. A
/// manager that does not answer takes nothing from the fabric.
inline bool spoils(const Finding& finding) { return finding.kind != Finding::Kind::silent_manager; }

/// Another subnet manager.
struct Manager {
  mad::SmInfo info;
  Guid node{};
  mad::DirectedRoute route;
};

/// A port that is up, with nobody known behind it.
struct Dangling {
  fabric::PortRef port;
  mad::DirectedRoute route;  ///< To the node behind it.
  Guid heard{};              ///< Who answered there and could not be used; 0 when nobody did.
};

struct Discovered {
  std::shared_ptr<const fabric::Fabric> fabric;
  fabric::PortRef own_port;
  std::vector<Manager> managers;  ///< Ours is not among them. By GUID.
  std::vector<Manager> silent;    ///< Have IsSM set and do not answer SMInfo; info is empty.
  std::vector<Finding> findings;  ///< In order of text.
  std::vector<Dangling> dangling;
  std::vector<Guid> booted;         ///< Switches that lost what they held since the last good discovery.
  std::vector<Guid> state_changed;  ///< Switches whose PortStateChange was found set and not cleared.
};

struct DiscoverOptions {
  /// We are master already: PortStateChange may be cleared before a switch's ports are read.
  bool may_write = false;
  std::map<Guid, std::string> names;                ///< Win over NodeDescription.
  std::function<void(std::size_t nodes)> progress;  ///< Called as nodes are found; may be empty.
  /// Of a local run: places that are believed when they say that no port of theirs has changed.
  std::set<Guid> brief;
  /// Called with each switch that shows a boot, also when nothing comes of the run: it shows it only once.
  std::function<void(Guid)> booted;
};

/// Errors: `timeout` and others when our own port cannot be read; `unavailable` when its link is down.
asio::awaitable<Result<Discovered>> discover(transport::SmpClient& client, mad::Shadow& shadow,
                                             DiscoverOptions options);

}  // namespace weft::discovery
