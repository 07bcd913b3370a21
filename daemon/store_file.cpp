#include "daemon/store_file.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/chrono.h>

#include "daemon/store_history.h"

namespace weft::daemon {

namespace fs = std::filesystem;

namespace {

/// A name beside the state file that nothing has yet: "state.db.corrupt-20260102T030405Z".
fs::path free_name(const fs::path& file, const std::string& kind) {
  const std::string stem =
      fmt::format("{}.{}-{:%Y%m%dT%H%M%SZ}", file.string(), kind, fmt::gmtime(std::time(nullptr)));
  std::error_code ignored;
  fs::path name = stem;
  for (int again = 2; fs::exists(name, ignored); ++again) name = fmt::format("{}-{}", stem, again);
  return name;
}

Result<void> make_directory(const fs::path& directory) {
  std::error_code error;
  if (fs::is_directory(directory, error)) return {};
  if (directory.has_parent_path()) fs::create_directories(directory.parent_path(), error);
  if (mkdir(directory.c_str(), 0750) != 0) {
    return fail(Errc::system, "cannot make the state directory {}: {}", directory.string(),
                std::strerror(errno));
  }
  return {};
}

/// SQLite would make the file readable for others; its side files follow the mode of the file.
Result<void> make_private_file(const fs::path& file) {
  const int fd = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0)
    return fail(Errc::system, "cannot open the state file {}: {}", file.string(), std::strerror(errno));
  struct stat info{};
  const bool regular = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
  if (regular && (info.st_mode & 0777) != 0600 && fchmod(fd, 0600) != 0) {
    const std::string why = std::strerror(errno);
    close(fd);
    return fail(Errc::system, "cannot make the state file {} private: {}", file.string(), why);
  }
  close(fd);
  if (!regular) return fail(Errc::system, "the state file {} is no regular file", file.string());
  return {};
}

Result<void> back_up(Database& database, const fs::path& file, std::int64_t version,
                     std::vector<std::string>& notes) {
  const fs::path backup = free_name(file, fmt::format("v{}", version));
  auto made = make_private_file(backup);
  if (!made) return made;
  auto statement = database.prepare("VACUUM INTO ?");
  if (!statement) return fail(statement.error());
  statement->bind(0, std::string_view(backup.native()));
  auto written = statement->run();
  if (!written) return written;
  notes.push_back(fmt::format("state file {} migrated from schema version {} to {}; the old one is {}",
                              file.string(), version, kStateVersion, backup.string()));
  return {};
}

Result<void> migrate(Database& database, std::int64_t version) {
  auto transaction = Transaction::begin(database);
  if (!transaction) return fail(transaction.error());
  for (std::int64_t step = version; step < kStateVersion; ++step) {
    auto done = database.run(kMigrations[step]);
    if (!done) return done;
  }
  auto marked = database.run(
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kStateApplication, kStateVersion));
  if (!marked) return marked;
  return transaction->commit();
}

struct Identity {
  std::int64_t application = 0;
  std::int64_t version = 0;
  std::int64_t tables = 0;
  bool blank() const { return application == 0 && version == 0 && tables == 0; }
};

Result<Identity> identify(Database& database) {
  const auto application = database.number("PRAGMA application_id");
  if (!application) return fail(application.error());
  const auto version = database.number("PRAGMA user_version");
  if (!version) return fail(version.error());
  const auto tables = database.number("SELECT count(*) FROM sqlite_master");
  if (!tables) return fail(tables.error());
  return Identity{*application, *version, *tables};
}

/// Errors: `malformed` for a file that is to be moved aside.
Result<void> prepare(Database& database, const fs::path& file, std::vector<std::string>& notes) {
  auto locked = database.run("PRAGMA locking_mode = EXCLUSIVE");
  if (!locked) return locked;
  const auto identity = identify(database);
  if (!identity) return fail(identity.error());
  if (!identity->blank()) {
    if (identity->application != kStateApplication) {
      return fail(Errc::malformed, "it is a database of another application (id 0x{:08x})",
                  identity->application);
    }
    if (identity->version > kStateVersion || identity->version < 0) {
      return fail(Errc::invalid,
                  "state file {} has schema version {}, this weftd knows up to {}: start the newer weftd, "
                  "or move the file away to begin with fresh state",
                  file.string(), identity->version, kStateVersion);
    }
    const auto integrity = database.text("PRAGMA integrity_check(1)");
    if (!integrity) return fail(integrity.error());
    if (*integrity != "ok") return fail(Errc::malformed, "it is damaged: {}", *integrity);
  }
  auto durable = database.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  if (!durable) return durable;
  if (identity->version == kStateVersion) return {};
  if (!identity->blank()) {
    auto saved = back_up(database, file, identity->version, notes);
    if (!saved) return saved;
  }
  return migrate(database, identity->version);
}

Result<StateFile> try_open(const fs::path& file, std::size_t events_loaded, std::vector<std::string> notes) {
  auto made = make_private_file(file);
  if (!made) return fail(made.error());
  auto database = Database::open(file);
  if (!database) return fail(database.error());
  auto prepared = prepare(*database, file, notes);
  if (!prepared) return fail(prepared.error());
  auto ledger = load_ledger(*database);
  if (!ledger) return fail(ledger.error());
  auto events = load_events(*database, events_loaded);
  if (!events) return fail(events.error());
  return StateFile{std::move(*database), std::move(*ledger), std::move(*events), std::move(notes)};
}

/// The write-ahead log goes along: it belongs to this file and to no other.
Result<fs::path> move_aside(const fs::path& file) {
  const fs::path aside = free_name(file, "corrupt");
  std::error_code error;
  fs::rename(file, aside, error);
  if (error)
    return fail(Errc::system, "cannot move {} to {}: {}", file.string(), aside.string(), error.message());
  for (const char* suffix : {"-wal", "-shm", "-journal"}) {
    std::error_code absent;
    fs::rename(file.string() + suffix, aside.string() + suffix, absent);
  }
  return aside;
}

}  // namespace

fs::path state_file(const fs::path& directory) { return directory / "state.db"; }

Result<StateFile> open_state_file(const fs::path& directory, std::size_t events_loaded) {
  auto made = make_directory(directory);
  if (!made) return fail(made.error());
  const fs::path file = state_file(directory);
  std::error_code error;
  const bool was_there = fs::exists(file, error);
  const bool was_empty = was_there && fs::file_size(file, error) == 0;
  std::vector<std::string> notes;
  if (was_empty)
    notes.push_back(fmt::format("state file {} is empty: LIDs are taken from the fabric", file.string()));

  auto opened = try_open(file, events_loaded, notes);
  if (opened || opened.error().code != Errc::malformed) return opened;
  auto aside = move_aside(file);
  if (!aside) return fail(aside.error());
  notes.push_back(
      fmt::format("state file {} cannot be used ({}): moved to {}, started a fresh one; LIDs are taken from "
                  "the fabric",
                  file.string(), opened.error().what, aside->string()));
  return try_open(file, events_loaded, std::move(notes));
}

}  // namespace weft::daemon
