#pragma once
// The file of M_Keys: one 64-bit number a line, what devices are to hold first, then what they may hold from
// before; '#' begins a comment. "none" alone takes their key from devices.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/report.h"

namespace weft::config {

/// The keys; lines that are wrong are reported under `report.source`, but never what stands there.
std::vector<std::uint64_t> read_m_keys(std::string_view text, Report& report);

/// The one key of a file with nothing else in it, 0 allowed; reported likewise.
std::optional<std::uint64_t> read_one_key(std::string_view text, Report& report);

/// Nothing when only its owner (and a group, to read) can get at a file; else what is wrong, and how to mend
/// it.
std::string why_not_private(const std::string& path);

}  // namespace weft::config
