#pragma once
// Settings: the whole configuration of weftd, as read from one YAML file. Defaults stand here; etc/weft.yaml
// documents every key and is itself the test for the defaults.

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "mad/m_keys.h"
#include "plan/config.h"
#include "plan/sa_options.h"
#include "topology/topology.h"

namespace weft::config {

enum class TransportKind { umad, ibsim, sim };

/// Which local port to manage the fabric from. All empty: the only usable one.
struct PortChoice {
  std::string device;         ///< "mlx5_0"
  std::optional<int> number;  ///< 1
  std::optional<Guid> guid;   ///< Port GUID, instead of device and number.
  bool operator==(const PortChoice&) const = default;
};

struct TransportSettings {
  TransportKind kind = TransportKind::umad;
  PortChoice port;
  std::vector<PortChoice> failover;  ///< Other ports of this host to the same subnet, in this order.
  Duration failover_after = std::chrono::seconds(5);  ///< A port without a link is given up after this.
  std::string ibsim_socket = "sim";                   ///< IBSIM_SOCKNAME.
  std::string ibsim_host;                             ///< Node to attach to; empty: ibsim's first.
  std::string sim_fabric;                             ///< For kind sim: a file or blueprint.
  bool operator==(const TransportSettings&) const = default;
};

struct SmpSettings {
  int window = 128;
  int per_node = 4;
  Duration timeout = std::chrono::milliseconds(200);
  int attempts = 3;
  bool operator==(const SmpSettings&) const = default;
};

struct SweepSettings {
  Duration interval = std::chrono::seconds(10);           ///< Of light sweeps; 0: only on events.
  Duration debounce = std::chrono::milliseconds(5);       ///< A burst of causes settles this long,
  Duration debounce_max = std::chrono::milliseconds(50);  ///< but no longer than this in all.
  bool operator==(const SweepSettings&) const = default;
};

/// How much is done for the traps of one source.
struct TrapSettings {
  int limit = 10;  ///< Of one kind within `window`; more are a storm.
  Duration window = std::chrono::seconds(10);
  Duration interval = std::chrono::seconds(1);  ///< Changes at the source of a storm are taken up so often.
  bool operator==(const TrapSettings&) const = default;
};

/// When a link counts as bad, and what follows.
struct LinkHealthSettings {
  int flaps = 5;    ///< A link that went down more often within `window` is held; 0: flaps are not counted.
  int errors = 20;  ///< Likewise traps 129, 130 and 131 of one port.
  Duration window = std::chrono::minutes(10);
  Duration hold = std::chrono::minutes(30);  ///< How long a link is held; 0: bad ones are told of only.
  bool hosts = false;                        ///< Links of hosts are held, too.
  Duration counters{};                       ///< Error counters are read so often; 0: never.
  int symbol_errors = 120;  ///< SymbolErrors of a port in an hour that are told; 0: any number is fine.
  bool hold_by_counters = false;
  bool operator==(const LinkHealthSettings&) const = default;
};

struct ManagerSettings {
  std::uint8_t priority = 8;          ///< 0..15 of SMInfo; higher wins.
  std::uint8_t master_priority = 14;  ///< What is told instead while we are master, where it is higher.
  std::uint64_t sm_key = 1;           ///< That managers of one subnet share; 0: none.
  std::string sm_key_file;            ///< Has it instead; empty: none does.
  Duration poll_interval = std::chrono::seconds(2);  ///< A standby asks the master so often.
  int poll_misses = 3;                               ///< Questions in a row without an answer: it is gone.
  std::vector<Guid> allowed;  ///< Port GUIDs of managers that may become master; empty: all.
  bool expected = false;      ///< Being standby is a problem to tell of.
  bool operator==(const ManagerSettings&) const = default;
};

/// M_Keys of the devices.
struct MKeySettings {
  std::string file;  ///< Has the keys; empty: M_Keys are left as they are.
  mad::MKeys keys;   ///< Those of the file, and how they are set.
  bool operator==(const MKeySettings&) const = default;
};

/// Subnet administration.
struct SaSettings {
  std::uint64_t sm_key = 1;                   ///< Who shows it is trusted; 0: nobody is.
  std::string sm_key_file;                    ///< Has it instead; empty: none does.
  Duration grace = std::chrono::seconds(20);  ///< A port's absence, before it is forgotten.
  Duration multicast_interval = std::chrono::milliseconds(250);  ///< Between changes of multicast tables.
  plan::SaOptions options;
  int queue = 20'000;  ///< Requests that wait, over all.
  int quota = 1'000;   ///< Of these, of one port.
  bool busy = false;   ///< Answer BUSY to what has no room.
  bool operator==(const SaSettings&) const = default;
};

struct LogSettings {
  std::string level = "info";
  std::string file;
  std::uint64_t file_bytes = 16u << 20;
  int files_kept = 4;
  bool operator==(const LogSettings&) const = default;
};

/// The control API over TCP.
struct ControlTcpSettings {
  std::string listen;  ///< As config::listen_from takes it; empty: off.
  std::string cert;    ///< PEM files; empty: no TLS.
  std::string key;
  std::string read_token_file;
  std::string write_token_file;  ///< Empty: nothing can be changed over TCP.
  bool open_reading = false;     ///< On loopback: reading needs no token.
  bool operator==(const ControlTcpSettings&) const = default;
};

struct ControlSettings {
  std::string socket = "/run/weft/weftd.sock";
  std::string group = "weft";  ///< Group that may use the socket; ignored when it does not exist.
  std::string admin_group = "weft";  ///< Group that may change things there; likewise.
  ControlTcpSettings tcp;
  bool operator==(const ControlSettings&) const = default;
};

/// How much of what happened is kept.
struct HistorySettings {
  int events = 100'000;
  int sweeps = 10'000;
  Duration age = std::chrono::hours(24 * 90);  ///< 0: as old as it may be.
  bool operator==(const HistorySettings&) const = default;
};

/// Where the state is kept, beside the state file.
struct StoreSettings {
  std::vector<std::string> etcd;  ///< URLs; none: the state is not shared.
  std::string prefix = "/weft/";  ///< Of all keys; ends with a slash.
  std::string user;               ///< Empty: none.
  std::string password_file;
  std::string ca;  ///< PEM files; empty: the system's, and no certificate of ours.
  std::string cert;
  std::string key;
  Duration timeout = std::chrono::seconds(1);  ///< Of one attempt at one endpoint.
  Duration lease = std::chrono::seconds(5);    ///< How long the master's lock outlives it.
  bool operator==(const StoreSettings&) const = default;
};

struct Settings {
  std::string subnet;  ///< Which of several this daemon manages; empty where it manages one.
  std::map<std::string, std::string> subnets;  ///< Name to its own keys, as YAML; in the file's top level.
  plan::Config plan;
  TransportSettings transport;
  SmpSettings smp;
  SweepSettings sweep;
  TrapSettings traps;
  LinkHealthSettings link_health;
  ManagerSettings manager;
  SaSettings sa;
  MKeySettings m_key;
  Duration audit = std::chrono::hours(24);  ///< One round over all devices; 0: never.
  LogSettings log;
  ControlSettings control;
  HistorySettings history;
  StoreSettings store;
  std::vector<std::string> partition_files;  ///< More partitions; they are in plan.partitions.
  std::string opensm_partitions;             ///< OpenSM's partitions.conf; likewise.
  std::string opensm_qos;                    ///< OpenSM's QoS policy file; it is in plan.qos.
  std::string names_file;     ///< OpenSM node-name map; its names are in plan.names, where `names` wins.
  std::string expected_file;  ///< Topology that the fabric is held against; empty: none.
  std::shared_ptr<const topology::Topology> expected;  ///< What is in that file.
  std::string state_dir = "/var/lib/weft";
  bool operator==(const Settings&) const = default;
};

}  // namespace weft::config
