#pragma once
// ProgrammedTables: where a switch sends a LID, read straight from the World's tables and port states, packed
// for walks over every destination. A snapshot of the links, not of the tables: it must not outlive the
// World, and is stale once a link changes.

#include <cstdint>
#include <vector>

#include "sim/world.h"

namespace weft::sim {

class ProgrammedTables {
 public:
  static constexpr std::uint32_t kNoSwitch = 0xffffffff;

  explicit ProgrammedTables(const World& world);

  std::uint32_t switch_count() const { return static_cast<std::uint32_t>(rows_.size()); }
  /// The port a packet for `lid` arrives at after it leaves this switch: on another node, or the switch's own
  /// port 0. kNoPort when the table or a port that is not Active drops it.
  PortIndex arrival(std::uint32_t sw, Lid lid) const {
    const Row& row = rows_[sw];
    if (raw(lid) >= row.entries) return kNoPort;
    const PortNum exit = row.lft[raw(lid)];
    return raw(exit) > row.port_count ? kNoPort : arrivals_[row.first_port + raw(exit)];
  }
  /// The port at the other end of an Active link; port 0 is its own. kNoPort for others.
  PortIndex arrival_from(PortIndex out) const { return arrivals_[raw(out)]; }
  /// Dense number of the switch a port is on; kNoSwitch for an HCA's.
  std::uint32_t switch_at(PortIndex port) const { return switch_of_port_[raw(port)]; }
  PortIndex port0(std::uint32_t sw) const { return PortIndex{rows_[sw].first_port}; }
  unsigned port_count(std::uint32_t sw) const { return rows_[sw].port_count; }

 private:
  struct Row {
    const PortNum* lft = nullptr;
    std::uint32_t entries = 0;  // that the switch looks up: up to LinearFDBTop
    std::uint32_t first_port = 0;
    unsigned port_count = 0;
  };
  std::vector<Row> rows_;                      // by dense switch number
  std::vector<PortIndex> arrivals_;            // by PortIndex left by
  std::vector<std::uint32_t> switch_of_port_;  // by PortIndex
};

/// A LID that packets are sent to, and the port that has it.
struct Destination {
  Lid lid{};
  PortIndex port = kNoPort;
  bool host = false;
};

/// Every LID (path bits included) of every linked HCA port and of every linked switch's port 0, by LID. Ports
/// without a LID stand first, once, with LID 0.
std::vector<Destination> destinations(const World& world);

}  // namespace weft::sim
