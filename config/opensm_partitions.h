#pragma once
// Reads OpenSM's partitions.conf: NAME=PKEY,flags : members and groups ;

#include <string_view>
#include <vector>

#include "config/report.h"
#include "partitions/policy.h"

namespace weft::config {

/// What one statement became, for people who move over.
struct ReadPartition {
  partitions::Partition partition;
  Place place;
  bool merged = false;  ///< Its key was there already: its members went to the first of that key.
};

/// The same meaning as in OpenSM 3.3, but: what OpenSM overlooks (unknown flags and words, what follows a
/// blank instead of a comma, beginnings of keywords, a file without a statement) is a problem with line and
/// column, and the file is then not used at all. Of several lines that name a port the last counts.
std::vector<ReadPartition> read_opensm_partitions(std::string_view text, Report& report);

/// Without those that went into others.
std::vector<ReadPartition> merged(std::vector<ReadPartition> all);

}  // namespace weft::config
