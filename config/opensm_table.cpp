#include "config/opensm_table.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/rate.h"
#include "base/units.h"

namespace weft::config {
namespace {

using Text = std::optional<std::string>;

Text as_is(std::string_view value) { return std::string(value); }

Text as_decimal(std::string_view value) {
  const auto number = opensm_number(value);
  return number ? Text(fmt::format("{}", *number)) : std::nullopt;
}

Text as_flag(std::string_view value) { return value == "TRUE" ? "true" : "false"; }

Text as_wire_time(std::string_view value) {
  const auto code = opensm_number(value);
  if (!code || *code > 31) return std::nullopt;
  return duration_text(base::wire_time(static_cast<int>(*code)));
}

/// Codes from 20 on mean that packets are never dropped.
Text as_lifetime(std::string_view value) {
  const auto code = opensm_number(value);
  return code && *code > 19 ? Text("forever") : as_wire_time(value);
}

Text as_lanes(std::string_view value) {
  constexpr int kLanes[] = {0, 1, 2, 4, 8, 15};
  const auto code = opensm_number(value);
  return code && *code >= 1 && *code <= 5 ? Text(fmt::format("{}", kLanes[*code])) : std::nullopt;
}

Text as_milliseconds(std::string_view value) {
  const auto number = opensm_number(value);
  return number ? Text(fmt::format("{}ms", *number)) : std::nullopt;
}

Text as_seconds(std::string_view value) {
  const auto number = opensm_number(value);
  return number ? Text(*number == 0 ? "0" : fmt::format("{}s", *number)) : std::nullopt;
}

Text as_attempts(std::string_view value) {
  const auto retries = opensm_number(value);
  return retries ? Text(fmt::format("{}", *retries + 1)) : std::nullopt;
}

Text as_log_level(std::string_view value) {
  const auto flags = opensm_number(value);
  if (!flags) return std::nullopt;
  if ((*flags & 0x30) != 0) return "trace";
  if ((*flags & 0x0c) != 0) return "debug";
  return (*flags & 0x02) != 0 ? "info" : "error";
}

Text as_rate(std::string_view value) {
  const auto code = opensm_number(value);
  const int speed = code && *code <= 63 ? rate_speed(static_cast<std::uint8_t>(*code)) : 0;
  return speed > 0 ? Text(rate_speed_text(speed)) : std::nullopt;
}

Text original_rates(std::string_view value) { return value == "TRUE" ? Text("300G") : std::nullopt; }
Text always(std::string_view value) { return value == "TRUE" ? Text("always") : std::nullopt; }
Text avoid(std::string_view value) { return value == "TRUE" ? Text("avoid") : std::nullopt; }
Text off(std::string_view value) { return value == "TRUE" ? Text("off") : std::nullopt; }

constexpr std::string_view kSpeeds =
    "speeds and widths that ports have enabled are left as they are; slow links are told of "
    "(weftctl links --below-best)";
constexpr std::string_view kWindow =
    "the window follows from what answers: smp.per_node for each device, smp.window over all";
constexpr std::string_view kTies = "ties are broken by load, and by GUID where loads are equal";
constexpr std::string_view kLayers = "Weft has no such engine";
constexpr std::string_view kCongestion = "congestion control is not done";
constexpr std::string_view kPerf = "counters are read as link_health.counters.* says";
constexpr std::string_view kProcess = "systemd runs weftd";
constexpr std::string_view kCounters =
    "no counterpart: the error counters that tell of bad links are read, no others";
constexpr std::string_view kLog =
    "the log goes to standard error, so to the journal, and to log.file when that is set";

constexpr OpensmOption kOptions[] = {
    {"guid", "0", "port.guid", as_is, "the only usable port is taken"},
    {.name = "m_key", .built_in = "0", .why = "M_Keys are left as they are", .secret = true},
    {"m_key_lease_period", "0", "m_key.lease", as_decimal, ""},
    {.name = "m_key_protection_level",
     .built_in = "0",
     .key = "m_key.protect",
     .value = as_decimal,
     .why = "",
     .ours = true},
    {.name = "m_key_lookup",
     .built_in = "TRUE",
     .why = "every device is tried with all keys of m_key.file; a key for each device is m_key.per_device"},
    {.name = "sm_key", .built_in = "1", .key = "manager.sm_key", .value = as_is, .why = "", .secret = true},
    {.name = "sa_key", .built_in = "1", .key = "sa.sm_key", .value = as_is, .why = "", .secret = true},
    {"subnet_prefix", "0xfe80000000000000", "subnet.prefix", as_is, ""},
    {"lmc", "0", "lids.lmc", as_decimal, ""},
    {"lmc_esp0", "FALSE", "lids.lmc_enhanced_port0", as_flag, ""},
    {"sm_sl", "0", "subnet.sm_sl", as_decimal, ""},
    {"packet_life_time", "0x12", "subnet.packet_lifetime", as_lifetime, ""},
    {"vl_stall_count", "7", "links.vl_stall_count", as_decimal, ""},
    {"leaf_vl_stall_count", "7", "links.host_vl_stall_count", as_decimal, ""},
    {"head_of_queue_lifetime", "0x12", "links.hoq_life", as_lifetime, ""},
    {"leaf_head_of_queue_lifetime", "0x10", "links.host_hoq_life", as_lifetime, ""},
    {"max_op_vls", "5", "links.max_vls", as_lanes, "a code from 1 to 5 is wanted"},
    {.name = "force_link_speed", .built_in = "15", .why = kSpeeds},
    {.name = "force_link_speed_ext", .built_in = "31", .why = kSpeeds},
    {.name = "force_link_width", .built_in = "255", .why = kSpeeds},
    {.name = "fdr10", .built_in = "1", .why = kSpeeds},
    {"subnet_timeout", "18", "subnet.subnet_timeout", as_wire_time, "a code from 0 to 31 is wanted"},
    {"local_phy_errors_threshold", "8", "links.local_phy_errors", as_decimal, ""},
    {"overrun_errors_threshold", "8", "links.overrun_errors", as_decimal, ""},
    {.name = "use_mfttop", .built_in = "TRUE", .why = "always written where a switch has it"},
    {.name = "partition_config_file", .built_in = "", .why = "partitions.define stands for its content"},
    {"no_partition_enforcement", "FALSE", "partitions.enforcement", off, "part_enforce counts"},
    {"part_enforce", "both", "partitions.enforcement", as_is, ""},
    {.name = "allow_both_pkeys",
     .built_in = "FALSE",
     .why = "a port is both where partitions.define says so of the member",
     .does = "TRUE"},
    {.name = "keep_pkey_indexes", .built_in = "TRUE", .why = "a key always keeps its place"},
    {.name = "sm_assigned_guid", .built_in = "0", .why = "alias GUIDs made here have a pattern of their own"},
    {"sweep_interval", "10", "sweep.interval", as_seconds, ""},
    {.name = "reassign_lids", .built_in = "FALSE", .why = "LIDs in use are never given anew"},
    {.name = "force_heavy_sweep",
     .built_in = "FALSE",
     .why = "a light sweep finds what has changed, and the audit (audit.interval) what was overwritten"},
    {.name = "sweep_on_trap", .built_in = "TRUE", .why = "traps are always followed, storms of them damped"},
    {.name = "port_profile_switch_nodes", .built_in = "FALSE", .why = kTies},
    {.name = "port_prof_ignore_file", .built_in = "", .why = kTies},
    {.name = "hop_weights_file", .built_in = "", .why = "all links count as one hop"},
    {.name = "port_search_ordering_file", .built_in = "", .why = kTies},
    {.name = "dimn_ports_file", .built_in = "", .why = kTies},
    {.name = "routing_engine",
     .built_in = "",
     .why = "routing.engine: auto finds the shape of the fabric and takes the engine for it"},
    {"avoid_throttled_links", "FALSE", "routing.slow_links", avoid, "slow links are used as any other"},
    {.name = "connect_roots",
     .built_in = "FALSE",
     .why = "all switches always reach one another",
     .does = "TRUE"},
    {.name = "use_ucast_cache",
     .built_in = "FALSE",
     .why = "what a fault does not touch is always kept",
     .does = "TRUE"},
    {.name = "lid_matrix_dump_file", .built_in = "", .why = "tables are computed, not read from a file"},
    {.name = "lfts_file", .built_in = "", .why = "tables are computed, not read from a file"},
    {.name = "root_guid_file", .built_in = "", .key = "routing.roots", .why = "roots are found by looking"},
    {.name = "cn_guid_file",
     .built_in = "",
     .why = "who is neither in routing.io_nodes nor in routing.storage counts as a compute node"},
    {.name = "io_guid_file", .built_in = "", .key = "routing.io_nodes", .why = "no host is told apart"},
    {.name = "quasi_ftree_indexing",
     .built_in = "FALSE",
     .why = "uneven trees need no option",
     .does = "TRUE"},
    {.name = "max_reverse_hops", .built_in = "0", .why = "no way goes down and up again; none is needed"},
    {.name = "ids_guid_file", .built_in = "", .why = kTies},
    {.name = "guid_routing_order_file", .built_in = "", .why = kTies},
    {.name = "do_mesh_analysis", .built_in = "FALSE", .why = kLayers},
    {.name = "lash_start_vl", .built_in = "0", .why = kLayers},
    {.name = "nue_max_num_vls", .built_in = "1", .why = kLayers},
    {.name = "nue_include_switches", .built_in = "FALSE", .why = kLayers},
    {.name = "port_shifting", .built_in = "FALSE", .why = kTies},
    {.name = "scatter_ports", .built_in = "0", .why = kTies},
    {.name = "guid_routing_order_no_scatter", .built_in = "FALSE", .why = kTies},
    {.name = "sa_db_file",
     .built_in = "",
     .why = "no such file is named: what clients have told OpenSM is not taken over"},
    {.name = "sa_db_dump",
     .built_in = "FALSE",
     .why = "registrations are always kept, in state_dir",
     .does = "TRUE"},
    {.name = "torus_config",
     .built_in = "/etc/opensm/torus-2QoS.conf",
     .why = "tori are routed by up-down or layered; no file is needed"},
    {"sm_priority", "0", "manager.priority", as_decimal, ""},
    {"master_sm_priority", "14", "manager.master_priority", as_decimal, ""},
    {.name = "ignore_other_sm",
     .built_in = "FALSE",
     .why = "two masters would write over each other; manager.allowed names who may be master"},
    {.name = "sminfo_polling_timeout",
     .built_in = "10000",
     .key = "manager.poll_interval",
     .value = as_milliseconds,
     .why = "",
     .ours = true},
    {.name = "polling_retry_number",
     .built_in = "4",
     .key = "manager.poll_misses",
     .value = as_decimal,
     .why = "",
     .ours = true},
    {.name = "honor_guid2lid_file",
     .built_in = "FALSE",
     .why = "LIDs that ports carry are kept, and those of ports that are away from the state",
     .does = "TRUE"},
    {.name = "max_wire_smps", .built_in = "4", .why = kWindow},
    {.name = "max_wire_smps2", .built_in = "4", .why = kWindow},
    {.name = "max_smps_timeout", .built_in = "600000", .why = kWindow},
    {"transaction_timeout", "200", "smp.timeout", as_milliseconds, ""},
    {.name = "transaction_retries",
     .built_in = "3",
     .key = "smp.attempts",
     .value = as_attempts,
     .why = "",
     .ours = true},
    {.name = "long_transaction_timeout", .built_in = "500", .why = "smp.timeout is for all"},
    {.name = "max_msg_fifo_timeout", .built_in = "10000", .why = "sa.queue and sa.quota bound what waits"},
    {.name = "single_thread", .built_in = "FALSE", .why = kProcess},
    {.name = "daemon", .built_in = "FALSE", .why = kProcess, .does = "TRUE"},
    {.name = "pidfile", .built_in = "", .why = kProcess},
    {.name = "sm_inactive", .built_in = "FALSE", .why = "weftd always takes part; stop it to have it rest"},
    {.name = "babbling_port_policy",
     .built_in = "FALSE",
     .why = "storms of traps are damped (traps.*), and links with too many errors held (link_health.*)",
     .does = "TRUE"},
    {.name = "drop_event_subscriptions",
     .built_in = "FALSE",
     .why = "subscriptions of a port end when it has been away for sa.grace"},
    {.name = "ipoib_mcgroup_creation_validation", .built_in = "TRUE", .why = "always checked"},
    {.name = "mcgroup_join_validation", .built_in = "TRUE", .why = "always checked"},
    {"use_original_extended_sa_rates_only", "FALSE", "sa.max_rate", original_rates, "all rates are told"},
    {"max_rate_enum", "", "sa.max_rate", as_rate, "no rate has this code"},
    {.name = "use_optimized_slvl", .built_in = "FALSE", .why = "done where a switch can", .does = "TRUE"},
    {.name = "fsync_high_avail_files", .built_in = "TRUE", .why = "the state file is always safe on disk"},
    {.name = "perfmgr", .built_in = "FALSE", .why = kPerf},
    {.name = "perfmgr_sweep_time_s", .built_in = "180", .why = kPerf},
    {.name = "perfmgr_redir", .built_in = "TRUE", .why = kCounters},
    {.name = "perfmgr_max_outstanding_queries", .built_in = "500", .why = kCounters},
    {.name = "perfmgr_ignore_cas", .built_in = "FALSE", .why = kCounters},
    {.name = "perfmgr_rm_nodes", .built_in = "TRUE", .why = kCounters},
    {.name = "perfmgr_log_errors", .built_in = "TRUE", .why = kCounters},
    {.name = "perfmgr_query_cpi", .built_in = "TRUE", .why = kCounters},
    {.name = "perfmgr_xmit_wait_log", .built_in = "FALSE", .why = kCounters},
    {.name = "perfmgr_xmit_wait_threshold", .built_in = "65535", .why = kCounters},
    {.name = "event_db_dump_file", .built_in = "", .why = kCounters},
    {.name = "event_plugin_name", .built_in = "", .why = "no plug-ins: weftctl events --follow, or the API"},
    {.name = "event_plugin_options",
     .built_in = "",
     .why = "no plug-ins: weftctl events --follow, or the API"},
    {.name = "node_name_map_name",
     .built_in = "",
     .key = "names_file",
     .why = "nodes are called what they say"},
    {"log_flags", "0x03", "log.level", as_log_level, ""},
    {.name = "force_log_flush", .built_in = "FALSE", .why = kLog},
    {.name = "log_file", .built_in = "/var/log/opensm.log", .why = kLog},
    {.name = "log_max_size", .built_in = "0", .why = "log.file_size bounds log.file when that is set"},
    {.name = "accum_log_file", .built_in = "TRUE", .why = kLog},
    {.name = "log_prefix", .built_in = "", .why = kLog},
    {.name = "per_module_logging_file",
     .built_in = "/etc/opensm/per-module-logging.conf",
     .why = "log.level is for all parts"},
    {.name = "dump_files_dir", .built_in = "/var/log/", .why = "weftctl dump --opensm writes OpenSM's dumps"},
    {.name = "enable_quirks", .built_in = "FALSE", .why = "no devices that need it are known"},
    {.name = "no_clients_rereg",
     .built_in = "FALSE",
     .why =
         "who takes over from OpenSM asks once, since its dump may be older than what clients have told it"},
    {.name = "disable_multicast", .built_in = "FALSE", .why = "multicast is always served"},
    {.name = "exit_on_fatal",
     .built_in = "TRUE",
     .why = "a duplicate GUID is a problem in status, and no end",
     .does = "FALSE"},
    {.name = "console", .built_in = "off", .why = "weftctl stands for it"},
    {.name = "console_port", .built_in = "10000", .why = "weftctl stands for it"},
    {.name = "congestion_control", .built_in = "FALSE", .why = kCongestion},
    {.name = "cc_key", .built_in = "0", .why = kCongestion, .secret = true},
    {.name = "cc_max_outstanding_mads", .built_in = "500", .why = kCongestion},
    {.name = "cc_sw_cong_setting_control_map", .built_in = "0", .why = kCongestion},
    {.name = "cc_sw_cong_setting_victim_mask", .built_in = "0", .why = kCongestion},
    {.name = "cc_sw_cong_setting_credit_mask", .built_in = "0", .why = kCongestion},
    {.name = "cc_sw_cong_setting_threshold", .built_in = "0", .why = kCongestion},
    {.name = "cc_sw_cong_setting_packet_size", .built_in = "0", .why = kCongestion},
    {.name = "cc_sw_cong_setting_credit_starvation_threshold", .built_in = "0", .why = kCongestion},
    {.name = "cc_sw_cong_setting_credit_starvation_return_delay", .built_in = "0:0", .why = kCongestion},
    {.name = "cc_sw_cong_setting_marking_rate", .built_in = "0", .why = kCongestion},
    {.name = "cc_ca_cong_setting_port_control", .built_in = "0", .why = kCongestion},
    {.name = "cc_ca_cong_setting_control_map", .built_in = "0", .why = kCongestion},
    {.name = "cc_ca_cong_setting_ccti_timer", .built_in = "0 0", .why = kCongestion},
    {.name = "cc_ca_cong_setting_ccti_increase", .built_in = "0 0", .why = kCongestion},
    {.name = "cc_ca_cong_setting_trigger_threshold", .built_in = "0 0", .why = kCongestion},
    {.name = "cc_ca_cong_setting_ccti_min", .built_in = "0 0", .why = kCongestion},
    {.name = "cc_cct", .built_in = "", .why = kCongestion},
    {.name = "prefix_routes_file",
     .built_in = "",
     .why = "paths to other subnets lead to the router with the lowest LID"},
    {"consolidate_ipv6_snm_req", "FALSE", "sa.share_mlids", always, "MLIDs are shared when none is free"},
};

std::string lower(std::string_view text) {
  std::string all(text);
  std::ranges::transform(all, all.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return all == "(null)" ? std::string() : all;
}

}  // namespace

std::span<const OpensmOption> opensm_table() { return kOptions; }

const OpensmOption* find_opensm_option(std::string_view name) {
  const auto found = std::ranges::find(kOptions, name, &OpensmOption::name);
  return found == std::end(kOptions) ? nullptr : &*found;
}

std::optional<std::uint64_t> opensm_number(std::string_view text) {
  // Masks of 256 bits have more digits than a number holds; of those only zeros are of use.
  if (text.starts_with("0x")) {
    const std::size_t digit = std::min(text.find_first_not_of('0', 2), text.size());
    const std::string shorter = fmt::format("0x{}", digit == text.size() ? "0" : text.substr(digit));
    return number_from(shorter);
  }
  return number_from(text);
}

bool same_opensm_value(std::string_view a, std::string_view b) {
  const std::string one = lower(a);
  const std::string two = lower(b);
  if (one == two) return true;
  const auto number = opensm_number(one);
  return number && number == opensm_number(two);
}

OpensmEngines opensm_engines(std::string_view value) {
  constexpr std::pair<std::string_view, std::string_view> kEngines[] = {
      {"minhop", "min-hop"}, {"updn", "up-down"}, {"dnup", "up-down"}, {"ftree", "fat-tree"}};
  OpensmEngines engines;
  std::vector<std::string_view> ours;
  std::vector<std::string> without;
  while (!value.empty()) {
    const std::size_t end = std::min(value.find_first_of(", \t"), value.size());
    const std::string_view name = value.substr(0, end);
    value.remove_prefix(std::min(end + 1, value.size()));
    if (name.empty()) continue;
    if (name == "no_fallback") {
      engines.last = true;
      continue;
    }
    const auto found =
        std::ranges::find(kEngines, name, &std::pair<std::string_view, std::string_view>::first);
    if (found == std::end(kEngines))
      without.emplace_back(name);
    else if (std::ranges::find(ours, found->second) == ours.end())
      ours.push_back(found->second);
  }
  engines.without = fmt::format("{}", fmt::join(without, ", "));
  if (!ours.empty()) engines.ours = fmt::format("[{}]", fmt::join(ours, ", "));
  return engines;
}

}  // namespace weft::config
