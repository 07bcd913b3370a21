#include "daemon/store_history.h"

#include <algorithm>
#include <chrono>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "daemon/store_rows.h"

namespace weft::daemon {

namespace json = boost::json;

const char* const kHistoryTables = R"sql(
CREATE TABLE sweeps (id INTEGER PRIMARY KEY, number INTEGER NOT NULL, kind INTEGER NOT NULL, cause TEXT NOT NULL,
                     started_us INTEGER NOT NULL, took_us INTEGER NOT NULL, clean INTEGER NOT NULL,
                     smps INTEGER NOT NULL, sets INTEGER NOT NULL, timeouts INTEGER NOT NULL,
                     failed INTEGER NOT NULL, error TEXT NOT NULL, phases TEXT NOT NULL, notes TEXT NOT NULL);
CREATE INDEX events_by_time ON events (time_us);
CREATE INDEX sweeps_by_time ON sweeps (started_us);
)sql";

namespace {

constexpr std::uint64_t kRowsAStep = 5'000;
constexpr std::string_view kEventColumns =
    "SELECT id, time_us, severity, kind, node, port, text FROM events ";

std::int64_t microseconds_of(WallTime time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
}
WallTime time_of(std::int64_t microseconds) { return WallTime(std::chrono::microseconds(microseconds)); }

Event event_of(Row& row) {
  Event event;
  event.id = static_cast<std::uint64_t>(row.any(0));
  event.time = time_of(row.any(1));
  event.severity = static_cast<Severity>(std::clamp<std::int64_t>(row.any(2), 0, 2));
  event.kind = row.text(3);
  event.node = row.guid(4);
  if (!row.is_null(5)) event.port = static_cast<PortNum>(row.any(5));
  event.text = row.text(6);
  return event;
}

std::string phases_text(const std::vector<PhaseReport>& phases) {
  json::array list;
  for (const PhaseReport& phase : phases)
    list.push_back(json::array{
        phase.name, std::chrono::duration_cast<std::chrono::microseconds>(phase.took).count(), phase.smps});
  return json::serialize(list);
}

/// Texts that we have written ourselves; what is none gives no phases.
std::vector<PhaseReport> phases_of(const std::string& text) {
  std::vector<PhaseReport> phases;
  boost::system::error_code error;
  const json::value parsed = json::parse(text, error);
  if (error || !parsed.is_array()) return phases;
  for (const json::value& one : parsed.get_array()) {
    const json::array* row = one.if_array();
    if (row == nullptr || row->size() != 3 || !(*row)[0].is_string() || !(*row)[1].is_int64()) continue;
    PhaseReport phase;
    phase.name = (*row)[0].get_string().c_str();
    phase.took = std::chrono::microseconds((*row)[1].get_int64());
    phase.smps = (*row)[2].is_int64() ? static_cast<std::uint64_t>((*row)[2].get_int64()) : 0;
    phases.push_back(std::move(phase));
  }
  return phases;
}

std::vector<std::string> notes_of(const std::string& text) {
  std::vector<std::string> notes;
  boost::system::error_code error;
  const json::value parsed = json::parse(text, error);
  if (error || !parsed.is_array()) return notes;
  for (const json::value& one : parsed.get_array())
    if (one.is_string()) notes.emplace_back(one.get_string().c_str());
  return notes;
}

SweepReport sweep_of(Row& row) {
  SweepReport report;
  report.number = static_cast<std::uint64_t>(row.any(0));
  report.kind = static_cast<SweepKind>(std::clamp<std::int64_t>(row.any(1), 0, 2));
  report.cause = row.text(2);
  report.started = time_of(row.any(3));
  report.took = std::chrono::microseconds(row.any(4));
  report.clean = row.any(5) != 0;
  report.smps = static_cast<std::uint64_t>(row.any(6));
  report.sets = static_cast<std::uint64_t>(row.any(7));
  report.timeouts = static_cast<std::uint64_t>(row.any(8));
  report.failed = static_cast<std::uint64_t>(row.any(9));
  report.error = row.text(10);
  report.phases = phases_of(row.text(11));
  report.notes = notes_of(row.text(12));
  return report;
}

}  // namespace

Result<std::vector<Event>> load_events(Database& database, std::size_t limit) {
  std::vector<Event> events;
  const auto read = each_row(database, fmt::format("{}ORDER BY id DESC LIMIT {}", kEventColumns, limit),
                             [&events](Row& row) { events.push_back(event_of(row)); });
  if (!read) return fail(read.error());
  std::reverse(events.begin(), events.end());
  return events;
}

Result<void> write_events(Database& database, const std::vector<Event>& events, std::size_t kept) {
  if (events.empty()) return {};
  Writer put(database,
             "INSERT OR REPLACE INTO events (id, time_us, severity, kind, node, port, text) VALUES (?, ?, ?, "
             "?, ?, ?, ?)");
  for (const Event& event : events)
    put.run(event.id, microseconds_of(event.time), event.severity, event.kind, event.node, event.port,
            event.text);
  Writer trim(database, "DELETE FROM events WHERE id <= (SELECT max(id) FROM events) - ?");
  trim.run(kept);
  return result_of({&put, &trim});
}

Result<void> write_sweeps(Database& database, const std::vector<SweepReport>& reports, std::size_t kept) {
  if (reports.empty()) return {};
  Writer put(database,
             "INSERT INTO sweeps (number, kind, cause, started_us, took_us, clean, smps, sets, timeouts, "
             "failed, error, phases, notes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const SweepReport& one : reports) {
    const json::array notes(one.notes.begin(), one.notes.end());
    put.run(one.number, one.kind, one.cause, microseconds_of(one.started),
            std::chrono::duration_cast<std::chrono::microseconds>(one.took).count(), one.clean, one.smps,
            one.sets, one.timeouts, one.failed, one.error, phases_text(one.phases), json::serialize(notes));
  }
  Writer trim(database, "DELETE FROM sweeps WHERE id <= (SELECT max(id) FROM sweeps) - ?");
  trim.run(kept);
  return result_of({&put, &trim});
}

Result<void> drop_before(Database& database, WallTime time) {
  // Not the newest: ids go on from it.
  Writer events(database, "DELETE FROM events WHERE time_us < ? AND id < (SELECT max(id) FROM events)");
  events.run(microseconds_of(time));
  Writer sweeps(database, "DELETE FROM sweeps WHERE started_us < ?");
  sweeps.run(microseconds_of(time));
  return result_of({&events, &sweeps});
}

Result<void> EventReader::find_ends(Database& database) {
  const auto least = database.number("SELECT min(id) FROM events");
  if (!least) return fail(least.error());
  const auto most = database.number("SELECT max(id) FROM events");
  if (!most) return fail(most.error());
  low_ = std::max(static_cast<std::uint64_t>(*least), query_.after + 1);
  high_ = std::min(static_cast<std::uint64_t>(*most) + 1, query_.before);
  begun_ = true;
  return {};
}

Result<bool> EventReader::step(Database& database) {
  if (!begun_) {
    const Result<void> ends = find_ends(database);
    if (!ends) return fail(ends.error());
  }
  if (low_ >= high_ || found_.size() >= query_.limit) return true;
  const std::uint64_t rows = std::min(high_ - low_, kRowsAStep);
  const std::uint64_t from = query_.oldest ? low_ : high_ - rows;
  std::string where = fmt::format("WHERE id >= {} AND id < {}", from, from + rows);
  if (query_.since) where += fmt::format(" AND time_us >= {}", microseconds_of(*query_.since));
  if (query_.until) where += fmt::format(" AND time_us <= {}", microseconds_of(*query_.until));
  const std::string order = query_.oldest ? "ASC" : "DESC";
  const auto read =
      each_row(database, fmt::format("{}{} ORDER BY id {}", kEventColumns, where, order), [this](Row& row) {
        if (found_.size() >= query_.limit) return;
        Event event = event_of(row);
        if (matches(query_, event)) found_.push_back(std::move(event));
      });
  if (!read) return fail(read.error());
  if (query_.oldest)
    low_ += rows;
  else
    high_ -= rows;
  return low_ >= high_ || found_.size() >= query_.limit;
}

std::vector<Event> EventReader::found() && {
  if (!query_.oldest) std::reverse(found_.begin(), found_.end());
  return std::move(found_);
}

Result<std::vector<SweepReport>> read_sweeps(Database& database, const SweepQuery& query) {
  std::string sql =
      "SELECT number, kind, cause, started_us, took_us, clean, smps, sets, timeouts, failed, error, phases, "
      "notes FROM sweeps WHERE 1";
  if (query.since) sql += fmt::format(" AND started_us >= {}", microseconds_of(*query.since));
  if (query.until) sql += fmt::format(" AND started_us <= {}", microseconds_of(*query.until));
  if (query.number) sql += fmt::format(" AND number = {}", *query.number);
  sql += fmt::format(" ORDER BY id DESC LIMIT {}", query.limit);
  std::vector<SweepReport> reports;
  const auto read = each_row(database, sql, [&reports](Row& row) { reports.push_back(sweep_of(row)); });
  if (!read) return fail(read.error());
  std::reverse(reports.begin(), reports.end());
  return reports;
}

}  // namespace weft::daemon
