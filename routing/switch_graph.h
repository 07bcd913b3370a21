#pragma once
// SwitchGraph: the switches of a Problem and the links among them, packed for the engines' inner loops. Links
// to one neighbour form a group; groups stand in GUID order of the neighbour, ports rise inside a group.
// Links whose two ends are not both known, and cables from a switch to itself, are left out. Plain indices,
// no heap object per link.
//
// Only engines use it: the check reads the Fabric itself, so that a mistake here cannot hide from it.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "routing/routes.h"

namespace weft::routing {

/// Parallel links from one switch to one neighbour.
struct Group {
  std::uint32_t to = 0;          ///< Index of the neighbour.
  std::uint32_t first_port = 0;  ///< Into the list of ports.
  std::uint32_t port_count = 0;
};

class SwitchGraph {
 public:
  explicit SwitchGraph(const Problem& problem);

  std::uint32_t size() const { return static_cast<std::uint32_t>(group_begin_.size() - 1); }
  std::uint32_t group_begin(std::uint32_t s) const { return group_begin_[s]; }
  std::uint32_t group_count() const { return static_cast<std::uint32_t>(groups_.size()); }
  std::span<const Group> groups(std::uint32_t s) const {
    return {groups_.data() + group_begin_[s], group_begin_[s + 1] - group_begin_[s]};
  }
  const Group& group(std::uint32_t index) const { return groups_[index]; }
  std::span<const std::uint8_t> ports(const Group& group) const {
    return {ports_.data() + group.first_port, group.port_count};
  }
  std::uint32_t port_count() const { return static_cast<std::uint32_t>(ports_.size()); }
  /// Most groups that one switch has.
  std::uint32_t most_groups() const { return most_groups_; }

  /// Indices into Problem::destinations of what hangs on a switch, the switch itself included, by rising LID.
  std::span<const std::uint32_t> destinations(std::uint32_t s) const {
    return {destinations_.data() + destination_begin_[s], destination_begin_[s + 1] - destination_begin_[s]};
  }
  /// End ports with a LID that hang on a switch.
  std::uint32_t hosts(std::uint32_t s) const { return hosts_[s]; }

  /// Connected part by switch, numbered from 0 in order of the lowest switch.
  std::span<const std::uint32_t> parts() const { return parts_; }
  std::uint32_t part_count() const { return part_count_; }

 private:
  void add_links(const fabric::Fabric& fabric);
  void find_parts();

  std::vector<std::uint32_t> group_begin_;
  std::vector<Group> groups_;
  std::vector<std::uint8_t> ports_;
  std::vector<std::uint32_t> destination_begin_;
  std::vector<std::uint32_t> destinations_;
  std::vector<std::uint32_t> hosts_;
  std::vector<std::uint32_t> parts_;
  std::uint32_t part_count_ = 0;
  std::uint32_t most_groups_ = 0;
};

/// "the switches are in 2 parts (35, 1), which cannot reach each other", or empty when there is one part.
std::string note_on_parts(const SwitchGraph& graph);

}  // namespace weft::routing
