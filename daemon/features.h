#pragma once
// Features: what this weftd can do, read off the tables that it works by, so that the list cannot be older
// than the program. `weftd --features` shows it, and docs/supported.md is made of it.

#include <span>
#include <string>
#include <vector>

#include "mad/attribute_id.h"
#include "mad/perf.h"

namespace weft::daemon {

struct FeatureRow {
  std::string what;
  std::string detail;
};
struct FeatureGroup {
  std::string title;
  std::vector<FeatureRow> rows;
};
std::vector<FeatureGroup> features();

/// For a terminal.
std::string features_text();
/// The page of the documents.
std::string features_markdown();

/// Attributes of subnet management that weftd asks devices for or sets; a test holds them against what it
/// sends.
std::span<const mad::AttrId> attributes_used();
/// Likewise of performance management.
std::span<const mad::PerfAttr> perf_attributes_used();

}  // namespace weft::daemon
