#include "config/schema.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "base/units.h"
#include "base/words.h"
#include "config/group_fields.h"
#include "config/partition_types.h"
#include "config/qos_tables.h"
#include "config/qos_types.h"
#include "config/subnet_types.h"
#include "config/types.h"
#include "routing/engine.h"

namespace weft::config {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

/// One entry. `member` names a member of Settings, const or not.
template <typename Member, typename T>
Key key(std::string_view path, Member member, Type<T> type, std::string_view help,
        std::string_view opensm = {}, Applies applies = Applies::live) {
  using M = std::remove_cvref_t<decltype(member(std::declval<Settings&>()))>;
  Key key{path, type.form, type.json, help, opensm, applies, false, {}, {}, {}};
  key.read = [=, read = std::move(type.read)](const Value& value, Settings& settings, Report& report) {
    std::optional<T> found = read(value, report);
    if (found) member(settings) = static_cast<M>(std::move(*found));
  };
  key.show = [=, show = std::move(type.show)](const Settings& settings) {
    return show(static_cast<T>(member(settings)));
  };
  return key;
}

#define MEMBER(name) [](auto& settings) -> auto& { return settings.name; }

std::vector<std::string> engine_names() {
  std::vector<std::string> names{"auto"};
  for (const routing::Engine& engine : routing::engines()) names.emplace_back(engine.name);
  return names;
}

template <typename E>
std::pair<std::string, int> named(std::string_view name, E value) {
  return {std::string(name), static_cast<int>(value)};
}

void add_device_keys(std::vector<Key>& keys) {
  using enum TransportKind;
  constexpr Applies kRestart = Applies::restart;
  keys.push_back(key("port.device", MEMBER(transport.port.device),
                     text("a device name such as mlx5_0", 64, true), "Device as the system names it.", {},
                     kRestart));
  keys.push_back(key("port.port", MEMBER(transport.port.number), optional_number(1, 254),
                     "Number of the port on that device.", {}, kRestart));
  keys.push_back(key("port.guid", MEMBER(transport.port.guid), optional_guid(),
                     "Port GUID, instead of device and port.", "guid", kRestart));
  keys.push_back(
      key("port.failover", MEMBER(transport.failover), port_list(),
          "Other ports of this host with a cable to the same subnet. When the port we manage "
          "from has no link, or is gone, the next of them that has one is taken, and kept until it "
          "fails in turn."));
  keys.push_back(key("port.failover_after", MEMBER(transport.failover_after),
                     duration(seconds(1), minutes(10)),
                     "How long a port may be without a link before another is taken."));
  keys.push_back(
      key("transport.kind", MEMBER(transport.kind),
          choice({named("umad", umad), named("ibsim", ibsim), named("sim", sim)}),
          "umad: a device of this machine. ibsim: the simulator of that name. sim: a fabric simulated in "
          "this process.",
          {}, kRestart));
  keys.push_back(key("transport.ibsim.socket", MEMBER(transport.ibsim_socket),
                     text("a socket name", 80, false), "What ibsim was told as IBSIM_SOCKNAME.", {},
                     kRestart));
  keys.push_back(key("transport.ibsim.host", MEMBER(transport.ibsim_host),
                     text("a node of ibsim's net file", 255, true),
                     "Node to attach to; nothing: ibsim's first.", {}, kRestart));
  keys.push_back(key("transport.sim.fabric", MEMBER(transport.sim_fabric),
                     text("a file or a blueprint such as fat-tree:radix=36,levels=3", 4096, true),
                     "Fabric to simulate.", {}, kRestart));
}

Key secret(Key key) {
  key.secret = true;
  return key;
}

void add_manager_keys(std::vector<Key>& keys) {
  keys.push_back(key("manager.priority", MEMBER(manager.priority), number(0, 15),
                     "Of several subnet managers the one with the highest priority becomes master; between "
                     "equals the one with the lowest port GUID.",
                     "sm_priority"));
  keys.push_back(key("manager.master_priority", MEMBER(manager.master_priority), number(0, 15),
                     "Priority while we are master, where it is higher than the other: who comes back later "
                     "does not take over, unless its priority is higher still. 0: a higher priority always "
                     "takes over.",
                     "master_sm_priority"));
  keys.push_back(
      secret(key("manager.sm_key", MEMBER(manager.sm_key), key64(),
                 "Managers of one subnet know each other by it: one with another key gets no "
                 "mastership and is not obeyed when it hands over or disables. OpenSM's is 1 unless "
                 "told otherwise, and it ignores managers with another one. 0: none is asked for.",
                 "sm_key")));
  keys.push_back(key("manager.sm_key_file", MEMBER(manager.sm_key_file), text("a path", 4096, true),
                     "File with that key instead, which only its owner may be able to read. A relative path "
                     "begins at this file's folder."));
  keys.push_back(key("manager.poll_interval", MEMBER(manager.poll_interval),
                     duration(std::chrono::milliseconds(100), std::chrono::minutes(1)),
                     "A standby asks the master at this interval whether it is there.",
                     "sminfo_polling_timeout"));
  keys.push_back(key("manager.poll_misses", MEMBER(manager.poll_misses), number(1, 100),
                     "So many questions in a row without an answer, and the standby takes over.",
                     "polling_retry_number"));
  keys.push_back(key("manager.allowed", MEMBER(manager.allowed), guid_list(),
                     "Managers that may be master: a master of ours hands over to no other, and gives way to "
                     "no other; of one that is master already a standby warns. Nothing: all may."));
  keys.push_back(key("manager.expected", MEMBER(manager.expected), flag(),
                     "This manager is meant to be master: while another one is, that is told as a problem."));
}

void add_subnet_keys(std::vector<Key>& keys) {
  keys.push_back(key("subnet.prefix", MEMBER(plan.subnet.prefix), prefix(),
                     "First half of every GID of the subnet.", "subnet_prefix"));
  keys.push_back(key("subnet.sm_sl", MEMBER(plan.subnet.sm_sl), number(0, 15),
                     "Service level that ports use towards the subnet manager.", "sm_sl"));
  keys.push_back(key("subnet.subnet_timeout", MEMBER(plan.subnet.subnet_timeout), wire_time(31, false),
                     "Longest time a packet takes to any port, as hosts are told.", "subnet_timeout"));
  keys.push_back(key("subnet.packet_lifetime", MEMBER(plan.subnet.packet_lifetime), wire_time(19, true),
                     "How long a packet may wait in a switch before it is dropped.", "packet_life_time"));
  keys.push_back(
      key("lids.lmc", MEMBER(plan.lids.lmc), number(0, 7), "Every host port has 2^lmc LIDs.", "lmc"));
  keys.push_back(key("lids.lmc_enhanced_port0", MEMBER(plan.lids.lmc_enhanced_port0), flag(),
                     "Enhanced switch ports 0 have 2^lmc LIDs too.", "lmc_esp0"));
  keys.push_back(key("lids.fixed", MEMBER(plan.lids.fixed), guid_lids(),
                     "Ports that must have a certain LID: { 0x0002c903000e0b72: 17 }."));
}

void add_link_keys(std::vector<Key>& keys) {
  keys.push_back(key("links.max_mtu", MEMBER(plan.links.max_mtu), mtu_type(),
                     "Largest MTU of a link; less where an end has less."));
  keys.push_back(key("links.max_vls", MEMBER(plan.links.max_vls),
                     coded("data lanes", {{1, 1}, {2, 2}, {4, 3}, {8, 4}, {15, 5}}),
                     "Most virtual lanes of a link; fewer where an end has fewer.", "max_op_vls"));
  keys.push_back(key("links.hoq_life", MEMBER(plan.links.hoq_life), wire_time(19, true),
                     "How long a packet may stand at the head of a queue towards a switch.",
                     "head_of_queue_lifetime"));
  keys.push_back(key("links.host_hoq_life", MEMBER(plan.links.host_hoq_life), wire_time(19, true),
                     "The same towards a host.", "leaf_head_of_queue_lifetime"));
  keys.push_back(key("links.vl_stall_count", MEMBER(plan.links.vl_stall_count), number(0, 7),
                     "So many packets dropped in a row at the head of a queue stall a lane towards a switch.",
                     "vl_stall_count"));
  keys.push_back(key("links.host_vl_stall_count", MEMBER(plan.links.host_vl_stall_count), number(0, 7),
                     "The same towards a host.", "leaf_vl_stall_count"));
  keys.push_back(key("links.local_phy_errors", MEMBER(plan.links.local_phy_errors), number(0, 15),
                     "Link errors at which a port sends a trap.", "local_phy_errors_threshold"));
  keys.push_back(key("links.overrun_errors", MEMBER(plan.links.overrun_errors), number(0, 15),
                     "Buffer overruns at which a port sends a trap.", "overrun_errors_threshold"));
}

void add_routing_keys(std::vector<Key>& keys) {
  using enum routing::OnFailure;
  using enum plan::PortSetOptions::Mode;
  keys.push_back(key("routing.engine", MEMBER(plan.routing.chain.engines), texts("engine", engine_names(), 1),
                     "Tried in this order until one gives tables that are safe.", "routing_engine"));
  keys.push_back(
      key("routing.on_failure", MEMBER(plan.routing.chain.on_failure),
          choice({named("next", next), named("keep-last", keep_last)}),
          "When no engine named can do it. next: up-down is tried too. keep-last: entries in force that "
          "still lead somewhere stay, and the pairs lost are named."));
  keys.push_back(key(
      "routing.layers", MEMBER(plan.routing.chain.layers), number(1, 8),
      "Of the engine layered, with lids.lmc above 0: LIDs at offset i are routed along an order of their "
      "own, "
      "on SL and VL i, as far as links have VLs. More and shorter ways to choose from; safe only as long as "
      "clients use the SL of their path records. Not beside qos.levels."));
  keys.push_back(
      key("routing.port_sets", MEMBER(plan.routing.port_sets.mode),
          choice({named("off", off), named("compact", compact), named("per-leaf", per_leaf)}),
          "Sets of ports for adaptive routing. off: none. compact: as few groups as a switch has different "
          "sets. per-leaf: one group a destination leaf, the same number at every switch."));
  keys.push_back(
      key("routing.port_set_groups", MEMBER(plan.routing.port_sets.groups), number(0, 4095),
          "Groups of ports that a switch has room for; 0: any number. Where there are more sets, those that "
          "serve fewest leaves are given up, and packets there go by the ordinary tables."));
  keys.push_back(
      key("routing.slow_links", MEMBER(plan.routing.slow_links),
          choice({named("use", plan::SlowLinks::use), named("avoid", plan::SlowLinks::avoid)}),
          "Links between switches that run slower or narrower than both their ends can. use: as any other. "
          "avoid: traffic goes other ways, as long as that cuts nobody off."));
  keys.push_back(key("routing.roots", MEMBER(plan.routing.roots), texts("GUIDs or node names", {}, 0),
                     "Top switches of a tree; none: found by looking at the fabric.", "root_guid_file"));
  keys.push_back(key("routing.ranks", MEMBER(plan.routing.ranks), name_numbers("GUIDs or node names", 0, 63),
                     "Ranks of the switches of a tree, 0 for leaves: { 'leaf*': 0, 'spine*': 1 }. Switches "
                     "that are not named, "
                     "and all when there are none, get theirs by looking at the fabric."));
  keys.push_back(key("routing.groups", MEMBER(plan.routing.groups), texts("GUIDs or node names", {}, 0),
                     "Groups of a dragonfly or Dragonfly+; none: found by looking at the fabric. A name "
                     "stands for one group; "
                     "with {} in it for as many as there are different texts in that place, as in r{}-sw*."));
  keys.push_back(
      key("routing.storage", MEMBER(plan.routing.storage), texts("GUIDs or node names", {}, 0),
          "Hosts with storage: in a tree their traffic is spread evenly by itself, whatever hosts stand "
          "between them."));
  keys.push_back(key("routing.io_nodes", MEMBER(plan.routing.io_nodes), texts("GUIDs or node names", {}, 0),
                     "Hosts that others reach the world through; spread by themselves likewise.",
                     "io_guid_file"));
}

void add_partition_keys(std::vector<Key>& keys) {
  using partitions::Enforcement;
  using partitions::Overflow;
  keys.push_back(
      key("partitions.enforcement", MEMBER(plan.partitions.enforcement),
          choice({named("both", Enforcement::both), named("in", Enforcement::in),
                  named("out", Enforcement::out), named("off", Enforcement::off)}),
          "Whether switch ports that face hosts check the P_Keys of packets from hosts (in), to hosts "
          "(out), or both. Never done between switches.",
          "part_enforce"));
  keys.push_back(key(
      "partitions.overflow", MEMBER(plan.partitions.overflow),
      choice({named("refuse", Overflow::refuse), named("best-effort", Overflow::best_effort)}),
      "When a port's P_Key table has no room for all its keys. refuse: none of the new partitions is used, "
      "the last ones stay. best-effort: partitions listed first get the room. Checking is never switched "
      "off for want of room."));
  keys.push_back(
      key("partitions.include", MEMBER(partition_files), texts("paths", {}, 0),
          "Files with more partitions, each a map as `define` takes. A relative path begins at this file's "
          "folder."));
  keys.push_back(
      key("partitions.opensm_file", MEMBER(opensm_partitions), text("a path", 4096, true),
          "OpenSM's partitions.conf, read with the same meaning; `weftctl import opensm` shows what each "
          "statement becomes.",
          "partition_config_file"));
  keys.push_back(key(
      "partitions.define", MEMBER(plan.partitions.partitions), partition_map(),
      "The partitions. Without any, every port is a full member of the default partition and P_Key tables "
      "are left "
      "alone. With some, the default partition (0x7fff) still holds every port, or nobody would reach subnet "
      "administration: as limited members, the manager as a full one, unless it is defined here. Of a "
      "partition: "
      "key (nothing: one is given, and kept), members, default_membership (limited), index0 (its key stands "
      "first "
      "in the members' tables), ipoib (true, or its broadcast groups with mtu, rate, sl, q_key, "
      "traffic_class, "
      "flow_label, scope; level instead of sl: the SL of that service level), groups (each with mgid and the "
      "same). A member is a GUID, a name or a glob, "
      "either with /P7 "
      "for one port (of a switch: what hangs there), all, hosts, switches, routers or self, alone or with "
      "full, limited "
      "or both; where several mean a port, the most special counts, or with precedence: last the last. A key "
      "keeps its place in a table as long "
      "as it lives."));
}

void add_qos_keys(std::vector<Key>& keys) {
  keys.push_back(key("qos.levels", MEMBER(plan.qos.levels), level_map(),
                     "Service levels. Without any, all SLs are alike. Of a level: sl (nothing: one is given, "
                     "and kept), priority "
                     "(weighted, or strict: before all that are weighted), weight (1: its share of the "
                     "bandwidth among its kind), and "
                     "what its paths have at most: mtu, rate, lifetime. Each level needs as many VLs as "
                     "routing does (a dragonfly: two); "
                     "where links have too few, the last levels share, and status says so."));
  keys.push_back(key("qos.rules", MEMBER(plan.qos.rules), rule_list(),
                     "Which paths get which level: the first rule that fits. A rule has its level and any of "
                     "source, destination (as "
                     "members of partitions are named, or { partition: NAME } or { pkey: NUMBER }), "
                     "either_end (the two may change places), partition, "
                     "pkey, service (ids, ranges, "
                     "rdma-cm:PORT, or ipoib, sdp, rds, iser, nvme-of, lustre) and class (QoS class); all "
                     "that are given must fit.",
                     "qos_policy_file"));
  keys.push_back(
      key("qos.opensm_file", MEMBER(opensm_qos), text("a path", 4096, true),
          "OpenSM's QoS policy file instead of levels and rules here, read with the same meaning; `weftctl "
          "import opensm` shows what it becomes. A relative path begins at this file's folder.",
          "qos_policy_file"));
  keys.push_back(key(
      "qos.tables", MEMBER(plan.qos.tables), typed_tables(),
      "SL2VL and VL arbitration tables as they are, instead of those that weights give, where they must be "
      "as OpenSM's: `weftctl import opensm --options` makes them of its qos_* options. Of hosts, routers and "
      "switches, or of all: sl2vl (16 VLs, one an SL; 15: dropped), high and low (VL:WEIGHT, weights in 64 "
      "bytes, at most 64 entries), high_limit (0; in 4 KB). VLs that a link has not are folded onto those it "
      "has, as in OpenSM. For routing that needs one VL."));
  keys.push_back(key("qos.default", MEMBER(plan.qos.default_level), text("the name of a level", 255, true),
                     "The level of what no rule fits; nothing: the first."));
}

void add_pace_keys(std::vector<Key>& keys) {
  keys.push_back(key("smp.window", MEMBER(smp.window), number(1, 4096), "Most SMPs in flight over all.",
                     "max_wire_smps"));
  keys.push_back(
      key("smp.per_node", MEMBER(smp.per_node), number(1, 64), "Most SMPs in flight to one node."));
  keys.push_back(key("smp.timeout", MEMBER(smp.timeout), duration(milliseconds(1), minutes(1)),
                     "How long an answer is waited for.", "transaction_timeout"));
  keys.push_back(key("smp.attempts", MEMBER(smp.attempts), number(1, 100),
                     "How often an SMP is sent before its node counts as mute.", "transaction_retries"));
  keys.push_back(key("sweep.interval", MEMBER(sweep.interval),
                     duration(milliseconds(100), hours(24), "never"),
                     "Time between light sweeps, beside those that events start.", "sweep_interval"));
  keys.push_back(key("sweep.debounce", MEMBER(sweep.debounce),
                     duration(microseconds(1), seconds(10), "at once"),
                     "An event starts a sweep when no other has followed for this long."));
  keys.push_back(key("sweep.debounce_max", MEMBER(sweep.debounce_max),
                     duration(microseconds(1), minutes(1), "at once"),
                     "It starts after this long at the latest, whatever follows."));
}

void add_audit_keys(std::vector<Key>& keys) {
  keys.push_back(
      key("audit.interval", MEMBER(audit), duration(minutes(1), hours(24 * 365), "never"),
          "What every device holds (tables, P_Keys, lanes, port settings) is read back once in this time, "
          "evenly spread over it. What differs is told and written again."));
}

void add_m_key_keys(std::vector<Key>& keys) {
  keys.push_back(
      key("m_key.file", MEMBER(m_key.file), text("a file", 4096, true),
          "File of M_Keys, one 64-bit number a line: first the one that devices are to hold, then those "
          "they may hold from before. Nobody but its owner may read it. Nothing: M_Keys are left as "
          "they are.",
          {}));
  keys.push_back(
      key("m_key.protect", MEMBER(m_key.keys.protect), number(0, 3),
          "M_KeyProtectBits: who has no key can set nothing and at 0 read all, at 1 all but the key, "
          "at 2 and 3 nothing.",
          "m_key_protection_level"));
  keys.push_back(
      key("m_key.lease", MEMBER(m_key.keys.lease), number(0, 65535),
          "Seconds after a wrong key at which a device gives up its protection, unless a manager with "
          "the right one is heard of before. 0: never.",
          "m_key_lease_period"));
  keys.push_back(key("m_key.per_device", MEMBER(m_key.keys.per_device), flag(),
                     "Every device holds a key of its own, made of the one in the file and its node GUID.",
                     {}));
}

void add_health_keys(std::vector<Key>& keys) {
  keys.push_back(
      key("traps.limit", MEMBER(traps.limit), number(1, 100'000),
          "More traps of one kind by one source within traps.window are a storm: the source is "
          "asked whether anything has changed before anything else is done, and one event a minute "
          "tells how many came."));
  keys.push_back(key("traps.window", MEMBER(traps.window), duration(milliseconds(100), hours(1)),
                     "The time that traps.limit is for. When it has passed with fewer, the storm is over."));
  keys.push_back(key("traps.interval", MEMBER(traps.interval), duration(milliseconds(1), hours(1)),
                     "What does change at the source of a storm is taken up once in this time at most."));
  keys.push_back(
      key("link_health.flaps", MEMBER(link_health.flaps), number(0, 100'000),
          "A link that went down more often than this within link_health.window is held: one of its "
          "ports is disabled, and enabled again after link_health.hold. Never a link that is the "
          "only way to anybody. 0: flaps are not counted."));
  keys.push_back(
      key("link_health.errors", MEMBER(link_health.errors), number(0, 100'000),
          "Likewise a link of which a port sent more traps 129, 130 and 131 (link integrity, buffer "
          "overrun, flow control). 0: they are not counted."));
  keys.push_back(key("link_health.window", MEMBER(link_health.window), duration(seconds(1), hours(24)),
                     "The time that these numbers are for."));
  keys.push_back(key("link_health.hold", MEMBER(link_health.hold),
                     duration(seconds(1), hours(24 * 365), "only told"),
                     "How long a bad link is held. 0: bad links are told of, and nothing else."));
  keys.push_back(key("link_health.hosts", MEMBER(link_health.hosts), flag(),
                     "Links of hosts are held, too, although that cuts them off. Never the manager's own."));
  keys.push_back(key(
      "link_health.counters.interval", MEMBER(link_health.counters), duration(seconds(1), hours(24), "never"),
      "The error counters of all switch ports between switches and towards hosts are read once in "
      "this time, evenly spread over it: SymbolErrorCounter and LinkDownedCounter."));
  keys.push_back(key("link_health.counters.symbol_errors", MEMBER(link_health.symbol_errors),
                     number(0, 1'000'000'000),
                     "SymbolErrors of one port in an hour; more are a problem. 0: any number is fine."));
  keys.push_back(key("link_health.counters.hold", MEMBER(link_health.hold_by_counters), flag(),
                     "A link with too many SymbolErrors is held, too."));
}

void add_sa_keys(std::vector<Key>& keys) {
  keys.push_back(secret(
      key("sa.sm_key", MEMBER(sa.sm_key), key64(),
          "Who shows this key is trusted: sees members of groups, P_Key tables and keys of services. 0: "
          "nobody is. Programs that ask, such as saquery and osmtest, take 1 for granted.",
          "sa_key")));
  keys.push_back(key("sa.sm_key_file", MEMBER(sa.sm_key_file), text("a path", 4096, true),
                     "File with that key instead, as manager.sm_key_file."));
  keys.push_back(
      key("sa.grace", MEMBER(sa.grace), duration(milliseconds(1), hours(24), "at once"),
          "A port that is gone for this long loses its group memberships and subscriptions; when it comes "
          "back after that, it is told to register again."));
  keys.push_back(
      key("sa.multicast_interval", MEMBER(sa.multicast_interval),
          duration(milliseconds(1), minutes(1), "at once"),
          "Least time between two changes of the switches' multicast tables; what is joined and left "
          "meanwhile becomes one change."));
  using enum plan::ShareMlids;
  keys.push_back(
      key("sa.share_mlids", MEMBER(sa.options.share_mlids),
          choice({named("never", never), named("when-full", when_full), named("always", always)}),
          "Whether IPv6 solicited-node groups share a multicast LID: when none is free, or always those of "
          "one partition, SL, MTU and rate. Other groups are refused when none is free.",
          "consolidate_ipv6_snm_req"));
  keys.push_back(key("sa.max_rate", MEMBER(sa.options.max_rate), rate("any"),
                     "No faster rate is told, for programs that do not know it."));
  keys.push_back(key(
      "sa.group_rate", MEMBER(sa.options.group_rate), rate("auto"),
      "Rate of IPoIB's broadcast group. Slower ports are refused; auto: it is that of the slowest member."));
  keys.push_back(
      key("sa.queue", MEMBER(sa.queue), number(16, 1'000'000), "Most requests that wait, over all."));
  keys.push_back(
      key("sa.quota", MEMBER(sa.quota), number(1, 1'000'000),
          "Most requests of one port that wait; more are left unanswered, and clients repeat them."));
  keys.push_back(
      key("sa.busy", MEMBER(sa.busy), flag(),
          "Requests without room are answered BUSY instead. Kernel clients give up at once then."));
}

void add_tcp_keys(std::vector<Key>& keys) {
  constexpr Applies kRestart = Applies::restart;
  keys.push_back(key("control.tcp.listen", MEMBER(control.tcp.listen),
                     text("an address such as 127.0.0.1:8723", 64, true),
                     "Address and port to serve the control API at, too. Other addresses than this machine's "
                     "loopback need TLS. Nothing: not over TCP.",
                     {}, kRestart));
  keys.push_back(key("control.tcp.tls.cert", MEMBER(control.tcp.cert), path(4096, true),
                     "PEM file with the certificate, and those between it and a known one.", {}, kRestart));
  keys.push_back(key("control.tcp.tls.key", MEMBER(control.tcp.key), path(4096, true),
                     "PEM file with its key; only its owner may be able to read it.", {}, kRestart));
  keys.push_back(key("control.tcp.read_token_file", MEMBER(control.tcp.read_token_file), path(4096, true),
                     "File whose first line is the token that reading needs, of 16 characters at least; only "
                     "its owner may be able to read it.",
                     {}, kRestart));
  keys.push_back(key("control.tcp.write_token_file", MEMBER(control.tcp.write_token_file), path(4096, true),
                     "Likewise the token that changes need. Nothing: nothing can be changed over TCP.", {},
                     kRestart));
  keys.push_back(key("control.tcp.open_reading", MEMBER(control.tcp.open_reading), flag(),
                     "On loopback: whoever is on this machine may read without a token.", {}, kRestart));
}

void add_service_keys(std::vector<Key>& keys) {
  constexpr Applies kRestart = Applies::restart;
  keys.push_back(
      key("names", MEMBER(plan.names), guid_names(),
          "Names of nodes, instead of what they call themselves: { 0x0002c903000e0b72: leaf 3 }."));
  keys.push_back(
      key("names_file", MEMBER(names_file), text("a path", 4096, true),
          "More names, as OpenSM's node-name map: lines of a GUID and a name in quotes. A relative path "
          "begins at this file's folder. `names` wins.",
          "node_name_map_name"));
  keys.push_back(key(
      "fabric.expected", MEMBER(expected_file), text("a path", 4096, true),
      "Topology that the fabric is held against after each sweep: cables that are missing, "
      "that should not be or are swapped, other devices, and links that are too slow are told as problems. "
      "`weftctl expected make FILE` writes one. A relative path begins at this file's folder."));
  keys.push_back(key("log.level", MEMBER(log.level), word({"trace", "debug", "info", "warn", "error"}),
                     "Least weight of what is logged.", "log_flags"));
  keys.push_back(key("log.file", MEMBER(log.file), path(4096, true),
                     "File to log to as well; the standard error stream is always used.", "log_file"));
  keys.push_back(key("log.file_size", MEMBER(log.file_bytes), size(1u << 16, std::uint64_t{1} << 40),
                     "Size at which the file is put aside and a new one begun.", "log_max_size"));
  keys.push_back(
      key("log.files_kept", MEMBER(log.files_kept), number(0, 1000), "Files put aside that are kept."));
  keys.push_back(key("control.socket", MEMBER(control.socket), path(107, false),
                     "UNIX socket of the control API.", {}, kRestart));
  keys.push_back(key("control.group", MEMBER(control.group), text("a group name", 64, true),
                     "Group that may use the socket, when it exists.", {}, kRestart));
  keys.push_back(key("control.admin_group", MEMBER(control.admin_group), text("a group name", 64, true),
                     "Members of it may change things over the socket, beside root and the user of weftd; "
                     "others who can connect may read.",
                     {}, kRestart));
  add_tcp_keys(keys);
  keys.push_back(key("state_dir", MEMBER(state_dir), path(4000, false),
                     "Where LIDs and all that must outlive a restart are kept.", {}, kRestart));
}

void add_history_keys(std::vector<Key>& keys) {
  constexpr Applies kRestart = Applies::restart;
  keys.push_back(key("history.events", MEMBER(history.events), number(1'000, 10'000'000),
                     "So many events are kept in the state file, the newest.", {}, kRestart));
  keys.push_back(key("history.sweeps", MEMBER(history.sweeps), number(100, 1'000'000),
                     "Likewise sweeps. Light sweeps that found nothing are not kept.", {}, kRestart));
  keys.push_back(key("history.age", MEMBER(history.age), duration(hours(1), hours(24 * 3650), "any age"),
                     "What is older is dropped, however few there are.", {}, kRestart));
}

void add_store_keys(std::vector<Key>& keys) {
  constexpr Applies kRestart = Applies::restart;
  keys.push_back(
      key("store.etcd", MEMBER(store.etcd), texts("URLs such as https://etcd-1:2379", {}, 0),
          "Endpoints of an etcd (version 3.4 or later) through which the managers of this subnet share "
          "their state, so that one that takes over changes no LID and loses no registration. Nothing: "
          "each keeps its own.",
          {}, kRestart));
  keys.push_back(key("store.prefix", MEMBER(store.prefix), path(255, false),
                     "What all keys in etcd begin with; each subnet needs one of its own.", {}, kRestart));
  keys.push_back(key("store.user", MEMBER(store.user), text("a user's name", 255, true),
                     "User of etcd, when it asks for one.", {}, kRestart));
  keys.push_back(key("store.password_file", MEMBER(store.password_file), path(4096, true),
                     "File with the user's password; only its owner may be able to read it.", {}, kRestart));
  keys.push_back(key("store.ca", MEMBER(store.ca), path(4096, true),
                     "PEM file with the certificates that etcd's is checked against; nothing: the system's.",
                     {}, kRestart));
  keys.push_back(key("store.cert", MEMBER(store.cert), path(4096, true),
                     "PEM file with our own certificate, when etcd asks for one.", {}, kRestart));
  keys.push_back(key("store.key", MEMBER(store.key), path(4096, true),
                     "PEM file with the certificate's key; only its owner may be able to read it.", {},
                     kRestart));
  keys.push_back(key("store.timeout", MEMBER(store.timeout), duration(milliseconds(50), seconds(30)),
                     "How long an answer of one endpoint is waited for before the next is asked.", {},
                     kRestart));
  keys.push_back(
      key("store.lease", MEMBER(store.lease), duration(seconds(2), minutes(1)),
          "How long the master's lock in etcd outlives it. A standby waits for its end before it takes "
          "over, so it should not be longer than manager.poll_interval x manager.poll_misses.",
          {}, kRestart));
}

#undef MEMBER

std::vector<Key> make_schema() {
  std::vector<Key> keys;
  add_device_keys(keys);
  add_manager_keys(keys);
  add_subnet_keys(keys);
  add_link_keys(keys);
  add_routing_keys(keys);
  add_partition_keys(keys);
  add_qos_keys(keys);
  add_pace_keys(keys);
  add_audit_keys(keys);
  add_m_key_keys(keys);
  add_health_keys(keys);
  add_sa_keys(keys);
  add_service_keys(keys);
  add_history_keys(keys);
  add_store_keys(keys);
  keys.push_back(secret(key(
      "subnets", [](auto& settings) -> auto& { return settings.subnets; }, subnet_map(),
      "Several subnets in one weftd: { rail1: { port: { device: mlx5_0 } }, rail2: { port: { device: mlx5_1 "
      "} } }. All other keys stand for all of them, and an entry has those that are its own, but for log. "
      "Unless an entry says otherwise, its state_dir is a folder of that name within this one, its socket "
      "has the name before the end (weftd-rail1.sock), and its store.prefix ends with it.",
      {}, Applies::live)));
  const Settings defaults;
  for (Key& key : keys) key.default_text = key.show(defaults);
  return keys;
}

constexpr Section kSections[] = {
    {"port", "The local port to manage the fabric from. Nothing: the only usable one."},
    {"transport", "How management packets reach the fabric."},
    {"transport.ibsim", "Of kind ibsim."},
    {"transport.sim", "Of kind sim."},
    {"manager", "This subnet manager among others."},
    {"audit", "Reading back what devices hold."},
    {"m_key", "M_Keys: with one, devices obey only managers that have it."},
    {"subnet", "What every port is told about its subnet."},
    {"lids", "Local addresses."},
    {"links", "Limits of links and ports."},
    {"routing", "How forwarding tables are computed."},
    {"partitions", "Who may talk to whom: P_Keys."},
    {"qos", "Service levels: lanes and shares of bandwidth."},
    {"smp", "The pace of management packets."},
    {"sweep", "When the fabric is looked at again."},
    {"traps", "What devices tell by themselves, and how often it is listened to."},
    {"link_health", "When a link is bad, and what is done about it."},
    {"link_health.counters", "Error counters of ports."},
    {"sa", "Subnet administration: what clients are answered."},
    {"fabric", "What the fabric should be."},
    {"log", "What the daemon says."},
    {"control", "Where weftctl finds the daemon, and who may change things."},
    {"control.tcp", "The control API over TCP."},
    {"control.tcp.tls", "Its certificate."},
    {"history", "What happened: how much of it is kept."},
    {"store", "State shared between managers."},
};

std::string joined(std::string_view section, std::string_view name) {
  return section.empty() ? std::string(name) : fmt::format("{}.{}", section, name);
}

std::string_view parent(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == path.npos ? std::string_view() : path.substr(0, dot);
}

/// The path whose last part is nearest to `name`, of those that `fits` takes.
template <typename Fits>
std::string nearest_path(std::string_view name, Fits fits) {
  std::vector<std::string> leaves;
  std::vector<std::string_view> paths;
  const auto add = [&](std::string_view path) {
    if (!fits(path)) return;
    leaves.emplace_back(leaf(path));
    paths.push_back(path);
  };
  for (const Section& section : kSections) add(section.path);
  for (const Key& key : schema()) add(key.path);
  const std::string_view best = nearest(name, leaves);
  if (best.empty()) return {};
  return std::string(
      paths[static_cast<std::size_t>(std::find(leaves.begin(), leaves.end(), best) - leaves.begin())]);
}

}  // namespace

std::span<const Key> schema() {
  static const std::vector<Key> keys = make_schema();
  return keys;
}

const Key* find_key(std::string_view path) {
  const auto found = std::ranges::find(schema(), path, &Key::path);
  return found == schema().end() ? nullptr : &*found;
}

std::span<const Section> sections() { return kSections; }

bool is_section(std::string_view path) {
  return std::ranges::find(kSections, path, &Section::path) != std::end(kSections);
}

std::string_view leaf(std::string_view path) { return path.substr(path.rfind('.') + 1); }

std::string suggestion(std::string_view section, std::string_view name) {
  // A path, as on the command line: look where it leads as far as it is right.
  const std::string inner = joined(section, parent(name));
  if (name.find('.') != name.npos && is_section(inner)) return suggestion(inner, leaf(name));
  const std::string here = nearest_path(name, [&](std::string_view path) { return parent(path) == section; });
  if (!here.empty()) return here;
  for (const Key& key : schema()) {
    if (key.opensm == name || leaf(key.path) == name) return std::string(key.path);
  }
  const std::string elsewhere = nearest_path(name, [](std::string_view) { return true; });
  if (!elsewhere.empty()) return elsewhere;
  std::vector<std::string> paths;
  for (const Key& key : schema()) paths.emplace_back(key.path);
  return std::string(nearest(joined(section, name), paths));
}

std::vector<const Key*> changed_keys(const Settings& before, const Settings& after) {
  std::vector<const Key*> changed;
  for (const Key& key : schema()) {
    if (key.show(before) != key.show(after)) changed.push_back(&key);
  }
  return changed;
}

}  // namespace weft::config
