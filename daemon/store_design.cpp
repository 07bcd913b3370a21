#include "daemon/store_design.h"

#include <algorithm>

namespace weft::daemon {

const char* const kDesignTable = R"sql(
CREATE TABLE design (guid INTEGER NOT NULL, port INTEGER NOT NULL, peer INTEGER NOT NULL, peer_port INTEGER NOT NULL,
                     PRIMARY KEY (guid, port)) WITHOUT ROWID;
)sql";

namespace {

using routing::DesignPort;

Result<void> each(Database& database, const char* sql, const std::vector<DesignPort>& ports, bool whole) {
  if (ports.empty()) return {};
  auto statement = database.prepare(sql);
  if (!statement) return fail(statement.error());
  for (const DesignPort& one : ports) {
    statement->bind(0, static_cast<std::int64_t>(raw(one.at)));
    statement->bind(1, std::int64_t{raw(one.port)});
    if (whole) {
      statement->bind(2, static_cast<std::int64_t>(raw(one.peer)));
      statement->bind(3, std::int64_t{raw(one.peer_port)});
    }
    const Result<void> done = statement->run();
    if (!done) return fail(done.error());
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<const routing::Design>> load_design(Database& database) {
  auto rows = database.prepare("SELECT guid, port, peer, peer_port FROM design");
  if (!rows) return fail(rows.error());
  auto design = std::make_shared<routing::Design>();
  for (;;) {
    const Result<bool> row = rows->step();
    if (!row) return fail(row.error());
    if (!*row) break;
    const std::int64_t port = rows->number(1);
    const std::int64_t peer_port = rows->number(3);
    if (rows->number(0) == 0 || port < 1 || port > 254 || peer_port < 0 || peer_port > 254)
      return fail(Errc::malformed, "its design names port {} of switch 0x{:016x}, wired to port {}", port,
                  static_cast<std::uint64_t>(rows->number(0)), peer_port);
    design->ports.push_back({static_cast<Guid>(rows->number(0)), static_cast<PortNum>(port),
                             static_cast<Guid>(rows->number(2)), static_cast<PortNum>(peer_port)});
  }
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
  const Result<void> dropped = each(database, "DELETE FROM design WHERE guid = ? AND port = ?", gone, false);
  if (!dropped) return dropped;
  return each(database, "INSERT INTO design (guid, port, peer, peer_port) VALUES (?, ?, ?, ?)", added, true);
}

}  // namespace weft::daemon
