#pragma once
// Status: what the daemon says of itself: its state, its sweeps, what is wrong, what happened. Plain values
// that the control API turns into JSON.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"

namespace weft::daemon {

using WallTime = std::chrono::system_clock::time_point;

enum class Severity { info, warning, error };

/// Something that happened, in a sentence; kept in the store.
struct Event {
  std::uint64_t id = 0;  ///< Rising; given by the event log.
  WallTime time{};
  Severity severity = Severity::info;
  std::string kind;  ///< "link_down", "node_gone", "lid_conflict", "sweep_failed", ...
  Guid node{};       ///< 0 where none is concerned.
  std::optional<PortNum> port;
  std::string text;
};

enum class SweepKind { full, light, local };

struct PhaseReport {
  std::string name;  ///< "discovery", "planning", "ports", "forwarding", "activation", "verification"
  Duration took{};
  std::uint64_t smps = 0;
};

struct SweepReport {
  std::uint64_t number = 0;
  SweepKind kind = SweepKind::full;
  std::string cause;  ///< "start", "timer", "trap 128 from 0x... (leaf-3)", "operator", ...
  WallTime started{};
  Duration took{};
  std::vector<PhaseReport> phases;
  std::uint64_t smps = 0;  ///< Requests sent, repeats included.
  std::uint64_t sets = 0;  ///< Of these, Sets.
  std::uint64_t timeouts = 0;
  std::uint64_t failed = 0;    ///< Blocks left dirty.
  std::uint64_t restless = 0;  ///< Links and nodes that changed while they were programmed.
  bool clean = false;          ///< Everything is as planned.
  bool unchanged = false;      ///< Of a local one: nothing had changed, so nothing was planned.
  std::string error;           ///< Why it ended early; empty otherwise.
  std::vector<std::string> notes;
};

enum class State {
  waiting_for_device,  ///< No usable port yet.
  discovering,         ///< First sweep under way.
  standby,             ///< Another manager is master; nothing is written, until it is gone or hands over.
  disabled,  ///< A master told us to rest (SMInfo NOT-ACTIVE): nothing is written until one says otherwise.
  master,
  failed,  ///< The last sweep could not bring the fabric up; tried again.
  stopping,
};

struct OtherManager {
  Guid guid{};
  std::uint8_t priority = 0;
  std::string state;  ///< "master", "standby", ...
  std::string path;   ///< Directed route, "0,1,19".
  std::string node;   ///< GUID and description.
};

/// A node or port that could not be read or set as planned.
struct Problem {
  Guid node{};
  std::string what;  ///< Names path, attribute and reason.
  std::string
      todo{};  ///< What to do, a sentence that may end in ':' before the command; empty: nothing but wait.
  std::string command{};  ///< To be typed as it stands; may be empty.
  Severity severity = Severity::error;
};

/// A block that the last sweep could not write.
struct Dirty {
  Guid node{};
  std::string what;  ///< "LinearForwardingTable block 3"
  std::string why;
};

struct Progress {
  std::string phase;
  std::uint64_t done = 0;
  std::uint64_t total = 0;  ///< 0: not known yet.
};

/// How the state that managers share stands.
struct SharedStatus {
  enum class State {
    none,            ///< Not configured.
    standby,         ///< We are not master; etcd is to be reached.
    unreachable,     ///< We are not master, and it is not.
    replicated,      ///< We are master, and etcd has all that was confirmed.
    catching_up,     ///< It is being written what it lacks.
    not_replicated,  ///< It is away: what is confirmed now would be lost with this host.
  };
  State state = State::none;
  std::int64_t change = 0;  ///< Rises with every change of the shared state.
  std::optional<WallTime> since;
  std::string why;
};

struct Status {
  State state = State::waiting_for_device;
  std::string text;  ///< One sentence that says what to do next where something is wrong.
  std::string version;
  std::string device;  ///< "mlx5_0 port 1"
  Guid port_guid{};
  Lid lid{};
  WallTime started{};
  std::uint64_t generation = 0;
  std::optional<Progress> progress;
  std::optional<SweepReport> last_sweep;
  std::optional<SweepReport> last_full_sweep;
  std::vector<OtherManager> other_managers;
  std::vector<Problem> problems;
  std::vector<Dirty> dirty;
  std::vector<std::string> missing;    ///< Nodes and links that were there before, a sentence each.
  std::vector<std::string> unmatched;  ///< What the configuration names and the fabric has not, likewise.
  std::string store;                   ///< "ok", or what is wrong with the state file.
  SharedStatus shared;
};

std::string_view name(State state);        ///< "waiting for device", "master", ...
std::string_view name(Severity severity);  ///< "info", "warning", "error"
std::string_view name(SweepKind kind);     ///< "full", "light", "local"
/// "replicated", "not replicated since 2026-11-30T12:00:00Z: ..."; empty where there is none.
std::string sentence_of(const SharedStatus& shared);

}  // namespace weft::daemon
