#pragma once
// A whole OpenSM set-up as one: its options, partitions, QoS policy, stored LIDs and M_Keys, dump of the SA,
// lists of GUIDs and names become a weft.yaml and the LIDs and registrations of a Ledger. Every line that
// says something is accounted for: what it became, or why nothing. Pure: the files come in as texts.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/report.h"
#include "plan/ledger.h"

namespace weft::config {

enum class OpensmRole {
  options,
  partitions,
  qos_policy,
  guid2lid,
  guid2mkey,
  sa_dump,
  roots,
  compute_nodes,
  io_nodes,
  names,
  prefix_routes,
};

struct OpensmFile {
  OpensmRole role = OpensmRole::options;
  std::string name;  ///< For remarks.
  std::string text;
};

/// What an OpenSM set-up has, beside its options: the option that names the file (empty: none does), and its
/// name in OpenSM's folder when the option is not set (empty: then there is none) or in the cache.
struct OpensmPlace {
  OpensmRole role;
  std::string_view option;
  std::string_view usual;
  bool cached;
};
std::span<const OpensmPlace> opensm_places();

/// The value that counts of an option of opensm.conf; nothing when it is not set.
std::string opensm_value(std::string_view options_text, std::string_view name);

enum class Fate {
  mapped,    ///< Stands in what is written.
  default_,  ///< Weft does this without being told.
  dropped,   ///< Has no counterpart.
};
std::string_view name(Fate fate);  ///< "mapped", "default", "dropped"

struct ImportedLine {
  std::string file;
  int line = 0;
  std::string text;  ///< Keys are not shown; `shown_text`.
  Fate fate = Fate::dropped;
  std::string became;  ///< What it became, or why nothing.
};

struct OpensmImport {
  std::vector<ImportedLine> lines;  ///< File by file, in their order.
  std::string yaml;
  std::string names;   ///< Of the file "node-name-map" that `yaml` points to; empty: it does not.
  std::string m_keys;  ///< Likewise "m_keys".
  plan::LidMap lids;
  plan::SaState registrations;
};

/// Policies that are wrong (partitions, QoS) are problems in the report: what follows from half a policy
/// nobody would want. Lines of other files that are wrong are dropped with the reason.
OpensmImport import_opensm(std::span<const OpensmFile> files, Report& report);

/// Lines of guid2lid, GUID lists, dumps and maps (opensm_lists.cpp). Each appends to `lines`.
void import_guid2lid(const OpensmFile& file, OpensmImport& import);
/// Keys that stand in `m_keys` already count as told there.
void import_guid2mkey(const OpensmFile& file, OpensmImport& import);
void import_sa_dump(const OpensmFile& file, OpensmImport& import);
void import_names(const OpensmFile& file, OpensmImport& import);
/// Every line with the same fate; for what has no counterpart.
void import_as(const OpensmFile& file, OpensmImport& import, Fate fate, std::string_view became);
/// GUIDs, as YAML takes them; empty without any.
std::string import_guids(const OpensmFile& file, OpensmImport& import, std::string_view key);

}  // namespace weft::config
