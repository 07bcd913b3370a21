#pragma once
// weftctl import opensm --dir: a whole OpenSM set-up becomes a folder with weft.yaml, what it points to, and
// the LIDs and registrations for `weftctl state import`. Needs no daemon.

#include <string>

#include "base/result.h"
#include "ctl/commands.h"
#include "plan/ledger.h"

namespace weft::ctl {

struct OpensmSetup {
  std::string dir = "/etc/opensm";          ///< opensm.conf and the files beside it.
  std::string cache = "/var/cache/opensm";  ///< guid2lid, guid2mkey and opensm-sa.dump.
  std::string dumps;  ///< Folder of opensm-sa.dump when opensm.conf names none; empty: OpenSM's own.
  std::string out;    ///< Folder to write; empty: only the report.
};

/// Files that an option names are looked for in `dir` first, then where the option says. Writes weft.yaml,
/// and where there is something for them: ledger.json, node-name-map and m_keys (for their owner alone). The
/// report is a table, with --json every line of every file.
Exit import_opensm_setup(const Output& output, const OpensmSetup& setup);

/// LIDs and registrations as `weftctl state import` takes them; empty when there are none.
std::string state_json(const plan::LidMap& lids, const plan::SaState& registrations);
/// What `weftctl state export` writes, as OpenSM's guid2lid. Errors: `malformed`.
Result<std::string> guid2lid_of(const std::string& state);
/// What it writes with registrations, as OpenSM's opensm-sa.dump. `now`: seconds since 1970.
Result<std::string> sa_dump_of(const std::string& state, std::int64_t now);

}  // namespace weft::ctl
