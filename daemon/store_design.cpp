#include "daemon/store_design.h"

#include <algorithm>

#include "daemon/store_rows.h"

namespace weft::daemon {

const char* const kDesignTable = R"sql(
CREATE TABLE design (guid INTEGER NOT NULL, port INTEGER NOT NULL, peer INTEGER NOT NULL, peer_port INTEGER NOT NULL,
                     PRIMARY KEY (guid, port)) WITHOUT ROWID;
)sql";

using routing::DesignPort;

Result<std::shared_ptr<const routing::Design>> load_design(Database& database) {
  auto design = std::make_shared<routing::Design>();
  const auto read = each_row(database, "SELECT guid, port, peer, peer_port FROM design", [&design](Row& row) {
    const std::int64_t port = row.any(1);
    const std::int64_t peer_port = row.any(3);
    if (row.guid(0) == Guid{} || port < 1 || port > 254 || peer_port < 0 || peer_port > 254)
      return row.refuse(fmt::format("its design names port {} of switch {}, wired to port {}", port,
                                    to_string(row.guid(0)), peer_port));
    design->ports.push_back(
        {row.guid(0), static_cast<PortNum>(port), row.guid(2), static_cast<PortNum>(peer_port)});
  });
  if (!read) return fail(read.error());
  if (design->ports.empty()) return std::shared_ptr<const routing::Design>();
  std::ranges::sort(design->ports);  // the database orders GUIDs as signed numbers
  return design;
}

Result<void> write_design(Database& database, const routing::Design* before, const routing::Design* after) {
  static const routing::Design kNone;
  const std::vector<DesignPort>& old = (before != nullptr ? before : &kNone)->ports;
  const std::vector<DesignPort>& now = (after != nullptr ? after : &kNone)->ports;
  std::vector<DesignPort> gone;
  std::vector<DesignPort> added;
  std::ranges::set_difference(old, now, std::back_inserter(gone));
  std::ranges::set_difference(now, old, std::back_inserter(added));
  Writer drop(database, "DELETE FROM design WHERE guid = ? AND port = ?");
  for (const DesignPort& one : gone) drop.run(one.at, one.port);
  Writer put(database, "INSERT INTO design (guid, port, peer, peer_port) VALUES (?, ?, ?, ?)");
  for (const DesignPort& one : added) put.run(one.at, one.port, one.peer, one.peer_port);
  return result_of({&drop, &put});
}

}  // namespace weft::daemon
