#pragma once
// The planned fabric in the text files that OpenSM dumps, so that programs made for those, ibdmchk above all,
// judge our tables. Pure. A file is made step by step, since the tables of a large fabric take hundreds of
// megabytes of text.

#include <optional>
#include <string>
#include <string_view>

#include "plan/view.h"

namespace weft::plan {

enum class DumpFile {
  subnet,  ///< opensm-subnet.lst: one line per end of each link.
  fdbs,    ///< opensm.fdbs: the forwarding tables.
  mcfdbs,  ///< opensm.mcfdbs: the multicast tables; empty while none are planned.
  psl,     ///< opensm.psl: the SL from each host to each LID; empty beyond kMostPslHosts hosts.
  slvl,    ///< opensm.slvl: the VL by switch, port in, port out and SL.
};

/// A line for every pair: of more hosts nobody could read it.
inline constexpr std::size_t kMostPslHosts = 2000;

/// "subnet", "fdbs", "mcfdbs", "psl" or "slvl".
std::optional<DumpFile> dump_file_from(std::string_view name);
/// "opensm-subnet.lst", "opensm.fdbs", "opensm.mcfdbs", "opensm.psl", "opensm.slvl".
std::string_view file_name(DumpFile file);

/// Steps that make up the file: its nodes, or its switches. Nothing before the first plan.
std::size_t dump_steps(const View& view, DumpFile file);
/// Appends the part of one step. Entries that lead nowhere are left out, as ibdmchk wants it.
void dump_step(const View& view, DumpFile file, std::size_t step, std::string& out);
/// The whole file; for small fabrics and tests.
std::string dump(const View& view, DumpFile file);

}  // namespace weft::plan
