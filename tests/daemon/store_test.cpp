#include <csignal>
#include <fstream>
#include <random>

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "canned.h"
#include "daemon/store_file.h"
#include "daemon/store_sqlite.h"

namespace weft::daemon {
namespace {

namespace fs = std::filesystem;
using test::TemporaryDirectory;

plan::LidRange range(unsigned base, unsigned lmc = 0) {
  return {static_cast<Lid>(base), static_cast<std::uint8_t>(lmc)};
}

plan::Ledger ledger_of(const plan::LidMap& lids, const plan::DeviceMap& devices = {}) {
  return {std::make_shared<plan::LidMap>(lids), std::make_shared<plan::DeviceMap>(devices)};
}

std::shared_ptr<const plan::DeviceRecord> record(std::vector<std::uint64_t> digests,
                                                 std::uint32_t unkept = 0) {
  return std::make_shared<plan::DeviceRecord>(plan::DeviceRecord{std::move(digests), unkept});
}

bool same(const plan::Ledger& a, const plan::Ledger& b) {
  if (*a.lids != *b.lids || a.devices->size() != b.devices->size()) return false;
  return std::equal(
      a.devices->begin(), a.devices->end(), b.devices->begin(),
      [](const auto& x, const auto& y) { return x.first == y.first && *x.second == *y.second; });
}

/// A store and the loop that its answers come by.
struct Opened {
  asio::io_context loop;
  OpenedStore opened;

  explicit Opened(const fs::path& directory, std::size_t events_kept = 100'000) {
    StoreOptions options;
    options.directory = directory;
    options.events_kept = events_kept;
    options.group = Duration::zero();
    options.retry = options.check = std::chrono::milliseconds(1);
    auto result = open_sqlite_store(options, loop.get_executor());
    if (!result) throw std::runtime_error(result.error().what);
    opened = std::move(*result);
  }
  /// Waits for the store to say so by itself; whether it came to.
  bool comes_to(bool ok) const {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while ((opened.store->health() == "ok") != ok)
      if (std::chrono::steady_clock::now() > limit) return false;
    return true;
  }
  /// Saves and waits for the answer.
  Result<void> save(const plan::Ledger& ledger) {
    std::optional<Result<void>> answer;
    opened.store->save(ledger, [&answer](Result<void> result) { answer = std::move(result); });
    loop.restart();
    loop.run();
    return *answer;
  }
};

void run_sql(const fs::path& file, const char* sql) {
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &handle), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(handle);
  sqlite3_close(handle);
}

/// Files in the directory whose name begins so.
std::vector<std::string> files(const fs::path& directory, const std::string& begin) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(begin)) names.push_back(name);
  }
  return names;
}

const plan::Ledger kThreePorts =
    ledger_of({{Guid{1}, range(1)}, {Guid{2}, range(8, 2)}, {Guid{~0ull}, range(0xbfff)}},
              {{Guid{7}, record({0, ~0ull, 0x0123456789abcdef}, 0x80000001)}, {Guid{8}, record({})}});

/// Opens the directory's file after `spoil` and expects it moved aside with a note.
void expect_moved_aside(const TemporaryDirectory& directory) {
  Opened fresh(directory.path());
  EXPECT_TRUE(fresh.opened.ledger.lids->empty());
  EXPECT_FALSE(files(directory.path(), "state.db.corrupt-").empty());
  ASSERT_EQ(fresh.opened.notes.size(), 1u);
  EXPECT_NE(fresh.opened.notes[0].find("state.db.corrupt-"), std::string::npos) << fresh.opened.notes[0];
  EXPECT_TRUE(fresh.save(kThreePorts).has_value());
}

TEST(Store, GivesBackWhatWasSaved) {
  const TemporaryDirectory directory;
  EXPECT_TRUE(Opened(directory.path()).save(kThreePorts).has_value());
  const Opened again(directory.path());
  EXPECT_TRUE(same(again.opened.ledger, kThreePorts));
  EXPECT_TRUE(again.opened.notes.empty());
}

TEST(Store, RemovesWhatIsGoneAndReplacesWhatChanged) {
  const TemporaryDirectory directory;
  const plan::Ledger later =
      ledger_of({{Guid{2}, range(16, 1)}, {Guid{3}, range(5)}}, {{Guid{7}, record({1})}});
  {
    Opened store(directory.path());
    EXPECT_TRUE(store.save(kThreePorts).has_value());
    EXPECT_TRUE(store.save(later).has_value());
  }
  EXPECT_TRUE(same(Opened(directory.path()).opened.ledger, later));
}

TEST(Store, KeepsWhatWasOrderedOfLinksAndSwitches) {
  TemporaryDirectory directory;
  plan::Order held;
  held.kind = plan::Order::Kind::held;
  held.peer = {Guid{~0ull - 3}, PortNum{254}};
  held.until = 1'800'000'000;
  held.by_policy = held.forced = true;
  held.why = "it's \"bad\"";
  plan::Orders orders{{{Guid{9}, PortNum{0}}, {}}, {{Guid{~0ull - 1}, PortNum{7}}, held}};
  plan::Ledger ledger = kThreePorts;
  ledger.orders = std::make_shared<const plan::Orders>(orders);
  EXPECT_TRUE(Opened(directory.path()).save(ledger).has_value());
  {
    Opened second(directory.path());
    EXPECT_EQ(*second.opened.ledger.orders, orders);
    orders.erase({Guid{9}, PortNum{0}});
    ledger.orders = std::make_shared<const plan::Orders>(orders);
    EXPECT_TRUE(second.save(ledger).has_value());
  }
  EXPECT_EQ(*Opened(directory.path()).opened.ledger.orders, orders);
}

TEST(Store, KeepsAssignedKeysAndTables) {
  TemporaryDirectory directory;
  plan::Ledger ledger = kThreePorts;
  partitions::Memory memory;
  memory.assigned = {{"storage", 5}, {"a b", 0x7ffe}};
  memory.tables = {{Guid{1}, {Pkey{0xffff}}}, {Guid{~0ull - 1}, {Pkey{0x7fff}, Pkey{0}, Pkey{0x8005}}}};
  ledger.partitions = std::make_shared<const partitions::Memory>(memory);
  ledger.sls = std::make_shared<const qos::AssignedSls>(qos::AssignedSls{{"storage", 3}, {"bulk", 0}});
  plan::DeviceRecord keyed;
  keyed.keys_digest = ~0ull - 7;
  ledger.devices = std::make_shared<const plan::DeviceMap>(
      plan::DeviceMap{{Guid{9}, std::make_shared<const plan::DeviceRecord>(keyed)}});
  EXPECT_TRUE(Opened(directory.path()).save(ledger).has_value());
  {
    Opened second(directory.path());
    ASSERT_TRUE(second.opened.ledger.partitions);
    EXPECT_EQ(*second.opened.ledger.partitions, memory);
    ASSERT_TRUE(second.opened.ledger.sls);
    EXPECT_EQ(*second.opened.ledger.sls, *ledger.sls);
    EXPECT_EQ(second.opened.ledger.devices->at(Guid{9})->keys_digest, keyed.keys_digest);
    memory.assigned = {{"storage", 6}};
    memory.tables.erase(Guid{1});
    ledger.partitions = std::make_shared<const partitions::Memory>(memory);
    EXPECT_TRUE(second.save(ledger).has_value());
  }
  {
    Opened third(directory.path());
    EXPECT_EQ(*third.opened.ledger.partitions, memory);
    ledger.partitions = nullptr;
    EXPECT_TRUE(third.save(ledger).has_value());
  }
  EXPECT_FALSE(Opened(directory.path()).opened.ledger.partitions);
}

std::shared_ptr<const routing::Design> design_of(std::vector<routing::DesignPort> ports) {
  return std::make_shared<const routing::Design>(routing::Design{std::move(ports)});
}

TEST(Store, KeepsTheDesignAndTheDigestsOfLanes) {
  TemporaryDirectory directory;
  plan::Ledger ledger = kThreePorts;
  plan::DeviceRecord lanes;
  lanes.lanes_digest = ~0ull - 5;
  ledger.devices = std::make_shared<const plan::DeviceMap>(
      plan::DeviceMap{{Guid{9}, std::make_shared<const plan::DeviceRecord>(lanes)}});
  const Guid high{~0ull - 1};
  ledger.design = design_of({{Guid{3}, PortNum{1}, high, PortNum{2}},
                             {Guid{3}, PortNum{2}, Guid{}, PortNum{}},
                             {high, PortNum{2}, Guid{3}, PortNum{1}}});
  {
    Opened first(directory.path());
    ASSERT_TRUE(first.save(ledger).has_value());
  }
  {
    Opened second(directory.path());
    ASSERT_TRUE(second.opened.ledger.design);
    EXPECT_EQ(*second.opened.ledger.design, *ledger.design);
    EXPECT_EQ(second.opened.ledger.devices->at(Guid{9})->lanes_digest, lanes.lanes_digest);
    ledger.design = design_of({{Guid{3}, PortNum{1}, Guid{}, PortNum{}}});  // cabled anew, and less of it
    ASSERT_TRUE(second.save(ledger).has_value());
  }
  Opened third(directory.path());
  EXPECT_EQ(*third.opened.ledger.design, *ledger.design);
}

TEST(Store, StoresTheLastOfManyAndAnswersAll) {
  const TemporaryDirectory directory;
  int answers = 0;
  {
    Opened store(directory.path());
    for (unsigned i = 1; i <= 50; ++i) {
      store.opened.store->save(ledger_of({{Guid{9}, range(i)}}), [&answers](const Result<void>& saved) {
        if (saved) ++answers;
      });
    }
    store.loop.run();
  }
  EXPECT_EQ(answers, 50);
  EXPECT_EQ(Opened(directory.path()).opened.ledger.lids->at(Guid{9}), range(50));
}

TEST(Store, WritesWhatWaitsBeforeItEnds) {
  const TemporaryDirectory directory;
  Opened(directory.path()).opened.store->save(kThreePorts, {});
  EXPECT_TRUE(same(Opened(directory.path()).opened.ledger, kThreePorts));
}

TEST(Store, KeepsEventsUpToTheLimit) {
  const TemporaryDirectory directory;
  {
    Opened store(directory.path(), 10);
    for (std::uint64_t id = 1; id <= 25; ++id) {
      store.opened.store->append({{id, test::noon(static_cast<int>(id)), Severity::warning, "link_down",
                                   Guid{0x2000}, PortNum{3}, fmt::format("event {}", id)}});
    }
  }
  const auto events = Opened(directory.path()).opened.events;
  ASSERT_EQ(events.size(), 10u);
  EXPECT_EQ(events.front().id, 16u);
  const Event& last = events.back();
  EXPECT_EQ(last.id, 25u);
  EXPECT_EQ(last.time, test::noon(25));
  EXPECT_EQ(last.severity, Severity::warning);
  EXPECT_EQ(last.kind, "link_down");
  EXPECT_EQ(last.node, Guid{0x2000});
  EXPECT_EQ(last.port, PortNum{3});
  EXPECT_EQ(last.text, "event 25");
}

TEST(Store, MakesADirectoryAndFilesThatOthersCannotRead) {
  const TemporaryDirectory directory;
  const fs::path inner = directory.path() / "weft";
  Opened store(inner);
  EXPECT_TRUE(store.save(kThreePorts).has_value());
  EXPECT_EQ(fs::status(inner).permissions(), fs::perms(0750));
  for (const auto& entry : fs::directory_iterator(inner)) {
    EXPECT_EQ(entry.status().permissions(), fs::perms(0600)) << entry.path();
  }
}

TEST(Store, MovesGarbageAside) {
  const TemporaryDirectory directory;
  std::ofstream(directory.path() / "state.db") << std::string(10'000, 'x');
  expect_moved_aside(directory);
}

TEST(Store, MovesATruncatedFileAside) {
  for (const unsigned keep : {50u, 2048u, 5000u, 9000u}) {
    const TemporaryDirectory directory;
    EXPECT_TRUE(Opened(directory.path()).save(kThreePorts).has_value());
    fs::resize_file(directory.path() / "state.db", keep);
    expect_moved_aside(directory);
  }
}

TEST(Store, MovesAnotherApplicationsDatabaseAside) {
  const TemporaryDirectory directory;
  run_sql(directory.path() / "state.db", "CREATE TABLE lids (something TEXT); PRAGMA application_id = 99");
  expect_moved_aside(directory);
}

TEST(Store, MovesWrongTablesAside) {
  const TemporaryDirectory directory;
  run_sql(directory.path() / "state.db",
          "CREATE TABLE lids (guid INTEGER); PRAGMA application_id = 0x57454654; PRAGMA user_version = 3");
  expect_moved_aside(directory);
}

TEST(Store, MovesImpossibleLidsAside) {
  const TemporaryDirectory directory;
  EXPECT_TRUE(Opened(directory.path()).save(kThreePorts).has_value());
  run_sql(directory.path() / "state.db", "UPDATE lids SET base = 49152 WHERE guid = 1");
  expect_moved_aside(directory);
}

TEST(Store, SurvivesRandomDamage) {
  const TemporaryDirectory directory;
  EXPECT_TRUE(Opened(directory.path()).save(kThreePorts).has_value());
  std::ifstream in(directory.path() / "state.db", std::ios::binary);
  const std::string good{std::istreambuf_iterator<char>(in), {}};
  std::mt19937 random(1);
  for (int round = 0; round < 40; ++round) {
    const TemporaryDirectory other;
    std::string bad = good;
    for (int hit = 0; hit < 20; ++hit) bad[random() % bad.size()] = static_cast<char>(random());
    std::ofstream(other.path() / "state.db", std::ios::binary) << bad;
    const auto opened = open_state_file(other.path(), 10);
    // Damage may look like a newer schema; that is refused and left alone.
    if (opened) continue;
    EXPECT_EQ(opened.error().code, Errc::invalid) << "round " << round << ": " << opened.error().what;
  }
}

TEST(Store, SaysThatAnEmptyFileHeldNothing) {
  const TemporaryDirectory directory;
  std::ofstream(directory.path() / "state.db").flush();
  const Opened store(directory.path());
  ASSERT_EQ(store.opened.notes.size(), 1u);
  EXPECT_NE(store.opened.notes[0].find("empty"), std::string::npos);
}

TEST(Store, RefusesANewerSchemaAndLeavesItAlone) {
  const TemporaryDirectory directory;
  run_sql(directory.path() / "state.db", "PRAGMA application_id = 0x57454654; PRAGMA user_version = 9");
  const auto opened = open_state_file(directory.path(), 10);
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code, Errc::invalid);
  EXPECT_NE(opened.error().what.find("version 9"), std::string::npos);
  EXPECT_EQ(files(directory.path(), "state.db").size(), 1u);
}

TEST(Store, MigratesVersion0AndKeepsABackup) {
  const TemporaryDirectory directory;
  run_sql(directory.path() / "state.db",
          "CREATE TABLE lids (guid INTEGER PRIMARY KEY, base INTEGER NOT NULL, lmc INTEGER NOT NULL);"
          "INSERT INTO lids VALUES (17, 4, 2); PRAGMA application_id = 0x57454654");
  const Opened store(directory.path());
  EXPECT_EQ(*store.opened.ledger.lids, (plan::LidMap{{Guid{17}, range(4, 2)}}));
  const auto backups = files(directory.path(), "state.db.v0-");
  ASSERT_EQ(backups.size(), 1u);
  EXPECT_EQ(fs::status(directory.path() / backups[0]).permissions(), fs::perms(0600));
  ASSERT_EQ(store.opened.notes.size(), 1u);
  EXPECT_NE(store.opened.notes[0].find(backups[0]), std::string::npos);
}

TEST(Store, RefusesASecondDaemon) {
  const TemporaryDirectory directory;
  const Opened first(directory.path());
  const auto second = open_state_file(directory.path(), 10);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, Errc::conflict) << second.error().what;
}

TEST(Store, SaysWhatIsWrongWithAPathThatCannotBe) {
  const TemporaryDirectory directory;
  std::ofstream(directory.path() / "file").flush();
  const auto opened = open_state_file(directory.path() / "file" / "weft", 10);
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code, Errc::system);
  EXPECT_NE(opened.error().what.find("Not a directory"), std::string::npos) << opened.error().what;
}

/// Runs in a child process, whose exit code is 0 when `body` answers true.
template <typename Body>
bool holds_in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) _exit(body() ? 0 : 1);
  int state = 0;
  waitpid(child, &state, 0);
  return WIFEXITED(state) && WEXITSTATUS(state) == 0;
}

TEST(Store, SaysThatItMayNotWriteThere) {
  const TemporaryDirectory directory;
  fs::permissions(directory.path(), fs::perms(0555));
  EXPECT_TRUE(holds_in_child([&directory] {
    if (geteuid() == 0 && seteuid(65534) != 0) return false;
    const auto opened = open_state_file(directory.path(), 10);
    return !opened && opened.error().code == Errc::system &&
           opened.error().what.find("Permission denied") != std::string::npos;
  }));
}

TEST(Store, ReportsAFullDiskAndTriesAgainByItself) {
  const TemporaryDirectory directory;
  EXPECT_TRUE(holds_in_child([&directory] {
    std::signal(SIGXFSZ, SIG_IGN);
    Opened store(directory.path());
    plan::LidMap lids;
    for (unsigned i = 1; i <= 5000; ++i) lids.emplace(Guid{i}, range(i));
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = 40'000;
    setrlimit(RLIMIT_FSIZE, &limit);
    if (store.save(ledger_of(lids)) || store.opened.store->health() == "ok") return false;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_FSIZE, &limit);
    return store.comes_to(true);
  }));
  EXPECT_EQ(Opened(directory.path()).opened.ledger.lids->size(), 5000u);
}

/// Until the file is there again, with all that was saved.
bool comes_back(const fs::path& directory) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!fs::exists(directory / "state.db"))
    if (std::chrono::steady_clock::now() > limit) return false;
  return true;
}

TEST(Store, MakesItsFileAnewWhenItsDirectoryWasDeleted) {
  const TemporaryDirectory directory;
  const fs::path state = directory.path() / "state";
  {
    Opened store(state);
    ASSERT_TRUE(store.save(kThreePorts));
    fs::rename(state, directory.path() / "deleted");  // at once: the store looks for its file all the time
    EXPECT_TRUE(comes_back(state));
  }
  EXPECT_TRUE(same(Opened(state).opened.ledger, kThreePorts));
}

TEST(Store, SaysThatItsDirectoryIsGoneUntilItCanMakeItAnew) {
  const TemporaryDirectory directory;
  const fs::path parent = directory.path() / "lib";
  {
    Opened store(parent / "weft");
    ASSERT_TRUE(store.save(kThreePorts));
    fs::rename(parent, directory.path() / "moved");
    std::ofstream(parent).flush();  // a file stands in the way
    EXPECT_TRUE(store.comes_to(false));
    EXPECT_NE(store.opened.store->health().find("is gone"), std::string::npos)
        << store.opened.store->health();
    fs::remove(parent);
    EXPECT_TRUE(store.comes_to(true));
  }
  EXPECT_TRUE(same(Opened(parent / "weft").opened.ledger, kThreePorts));
}

/// Every LID map saved holds the same number in all rows, so a half-written one would show.
TEST(Store, HoldsOneWholeLedgerAfterAKillAtAnyMoment) {
  const TemporaryDirectory directory;
  std::mt19937 random(2);
  unsigned least = 0;
  for (int round = 0; round < 12; ++round) {
    int told[2];
    ASSERT_EQ(pipe(told), 0);
    const pid_t child = fork();
    if (child == 0) {
      Opened store(directory.path());
      for (unsigned generation = least + 1;; ++generation) {
        plan::LidMap lids;
        for (unsigned port = 1; port <= 200; ++port) lids.emplace(Guid{port}, range(generation));
        if (!store.save(ledger_of(lids))) _exit(1);
        if (write(told[1], &generation, sizeof generation) < 0) _exit(1);
      }
    }
    close(told[1]);
    unsigned acknowledged = 0;
    const unsigned enough = least + 1 + random() % 20;
    while (acknowledged < enough && read(told[0], &acknowledged, sizeof acknowledged) > 0) {
    }
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    while (read(told[0], &acknowledged, sizeof acknowledged) > 0) {
    }
    close(told[0]);
    const Opened store(directory.path());
    ASSERT_TRUE(store.opened.notes.empty()) << store.opened.notes[0];
    ASSERT_EQ(store.opened.ledger.lids->size(), 200u);
    const plan::LidRange first = store.opened.ledger.lids->begin()->second;
    for (const auto& [guid, lids] : *store.opened.ledger.lids) EXPECT_EQ(lids, first);
    EXPECT_GE(raw(first.base), acknowledged);
    least = raw(first.base);
  }
}

}  // namespace
}  // namespace weft::daemon
