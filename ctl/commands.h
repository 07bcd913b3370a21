#pragma once
// The commands of weftctl. Each asks the daemon (or, for `config check`, a file), writes to `Output` and
// answers the exit code.

#include <iosfwd>
#include <string>

#include "ctl/http_client.h"
#include "ctl/table.h"

namespace weft::ctl {

enum class Exit { done = 0, failed = 1, usage = 2, no_device = 3 };

struct Output {
  std::ostream& out;
  std::ostream& err;
  Style style;
  bool json = false;
  bool in_place = false;  ///< Progress is redrawn in place.
};

/// What to show of nodes and links; empty: all.
struct Filter {
  std::string name;   ///< Glob.
  std::string type;   ///< Nodes: hca, switch, router.
  std::string state;  ///< Links: active, armed, init, down.
  bool below_best = false;
};

Exit show_status(const Client& client, const Output& output);
Exit show_nodes(const Client& client, const Output& output, const Filter& filter);
Exit show_links(const Client& client, const Output& output, const Filter& filter);
Exit show_path(const Client& client, const Output& output, const std::string& from, const std::string& to);
/// Asks for a sweep; with `wait` shows how it goes and answers `failed` unless it ends clean.
Exit run_sweep(const Client& client, const Output& output, bool wait);
/// Takes the fabric as it is for whole: what is missing is no longer waited for.
Exit accept_fabric(const Client& client, const Output& output);
/// `to`: a port GUID; empty: the best standby.
Exit hand_over(const Client& client, const Output& output, const std::string& to);
Exit show_config(const Client& client, const Output& output);
Exit check_config(const Output& output, const std::string& file);
Exit show_config_schema(const Output& output);
/// "-": standard output and input.
Exit export_state(const Client& client, const Output& output, const std::string& file);
/// The LIDs, as OpenSM's guid2lid.
Exit export_guid2lid(const Client& client, const Output& output, const std::string& file);
/// What clients have told the SA, as OpenSM's opensm-sa.dump; with keys of services, so for its owner alone.
Exit export_sa_dump(const Client& client, const Output& output, const std::string& file);
/// State with all that clients have told the SA, likewise.
Exit export_registrations(const Client& client, const Output& output, const std::string& file);
Exit import_state(const Client& client, const Output& output, const std::string& file);
/// Writes them all as JSON, for those who judge them.
Exit dump_port_sets(const Client& client, const Output& output, const std::string& file);
/// Writes Slurm's topology.conf. `plugin`: "tree", "block", or empty for what fits; `hosts`: a glob, empty:
/// all; `file`: "-" for standard output.
Exit dump_slurm(const Client& client, const Output& output, const std::string& plugin,
                const std::string& hosts, const std::string& file);
/// Writes OpenSM's dump files into the directory, which is made when missing.
Exit dump_opensm(const Client& client, const Output& output, const std::string& directory);

}  // namespace weft::ctl
