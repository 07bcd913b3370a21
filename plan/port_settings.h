#pragma once
// What each port should be told: the settings that PortInfo carries.

#include <optional>
#include <vector>

#include "fabric/fabric.h"
#include "partitions/plan_keys.h"
#include "plan/config.h"
#include "plan/lids.h"
#include "plan/upkeep.h"
#include "qos/plan_lanes.h"

namespace weft::plan {

struct MKeySettings {
  std::uint64_t key = 0;
  std::uint8_t protect = 0;
  std::uint16_t lease = 0;  ///< Seconds.
  bool operator==(const MKeySettings&) const = default;
};

struct PortSettings {
  LidRange lid;  ///< End ports only; base 0 elsewhere.
  Lid sm_lid{};
  std::uint64_t prefix = 0;
  Sl sm_sl{};
  std::uint8_t subnet_timeout = 0;
  std::uint8_t local_phy_errors = 0;
  std::uint8_t overrun_errors = 0;
  qos::LinkSettings link;  ///< All zero on switch port 0 and unlinked ports.
  bool end_port = false;   ///< Has a LID, prefix and timeouts of its own.
  /// Whether the port checks P_Keys; nothing: none of our business.
  std::optional<partitions::Enforcement> enforcement;
  std::optional<std::uint8_t> high_limit;  ///< VLHighLimit; nothing: none of our business.
  std::optional<MKeySettings> m_key;       ///< Not planned: who sends it knows the keys; nothing: left alone.
  bool bring_up = false;                   ///< Linked, both ends known: to be Active.
  bool operator==(const PortSettings&) const = default;
};

/// What follows from a port's cable: all but what an end port and policies add. All zero without one.
PortSettings settings_of_link(const fabric::Fabric& fabric, const Config& config, Lid sm_lid,
                              fabric::PortRef port);

/// By index of Fabric's ports: node.first_port + port number. Unlinked external ports get none (bring_up
/// false and all zero) and are left alone.
std::vector<PortSettings> port_settings(const fabric::Fabric& fabric, const Config& config, const Lids& lids,
                                        Lid sm_lid, const partitions::PlannedKeys& keys);

/// Links that are to be closed do not come up meanwhile.
void keep_closed(const fabric::Fabric& fabric, std::span<const PortOrder> orders,
                 std::vector<PortSettings>& all);

/// VLHighLimit of every linked port, where there are levels or typed tables.
void set_high_limits(const fabric::Fabric& fabric, const qos::LanePlan& levels,
                     std::vector<PortSettings>& all);

/// Data VLs of a linked port: those in use where it is Active, since a live link keeps its count; else those
/// planned.
int data_vls(const fabric::Port& port, const PortSettings& settings);

/// Data VLs that every link between switches is going to have: of links that are Active those in use, since a
/// live link keeps its count. 15 without such links.
int lanes_between_switches(const fabric::Fabric& fabric, const std::vector<PortSettings>& settings);

}  // namespace weft::plan
