#include "daemon/store_history.h"

#include <gtest/gtest.h>

#include "canned.h"
#include "daemon/store_file.h"
#include "daemon/store_sqlite.h"

namespace weft::daemon {
namespace {

using test::TemporaryDirectory;

/// A store, and what it answers to who looks back.
struct History {
  asio::io_context loop;
  OpenedStore opened;

  explicit History(const std::filesystem::path& directory, std::size_t sweeps_kept = 10'000,
                   Duration age = {}) {
    StoreOptions options;
    options.directory = directory;
    options.sweeps_kept = sweeps_kept;
    options.age = age;
    options.group = Duration::zero();
    auto result = open_sqlite_store(options, loop.get_executor());
    if (!result) throw std::runtime_error(result.error().what);
    opened = std::move(*result);
  }
  std::vector<std::uint64_t> ids(const EventQuery& query) {
    std::optional<Result<std::vector<Event>>> answer;
    opened.store->read_events(query,
                              [&answer](Result<std::vector<Event>> found) { answer = std::move(found); });
    loop.restart();
    loop.run();
    std::vector<std::uint64_t> found;
    if (!*answer) throw std::runtime_error(answer->error().what);
    for (const Event& event : **answer) found.push_back(event.id);
    return found;
  }
  std::vector<SweepReport> sweeps(const SweepQuery& query) {
    std::optional<Result<std::vector<SweepReport>>> answer;
    opened.store->read_sweeps(
        query, [&answer](Result<std::vector<SweepReport>> found) { answer = std::move(found); });
    loop.restart();
    loop.run();
    return answer->value();
  }
  void add_events(std::uint64_t from, std::uint64_t to) {
    std::vector<Event> events;
    for (std::uint64_t id = from; id <= to; ++id)
      events.push_back({id,
                        test::noon(static_cast<int>(id)),
                        id % 10 == 0 ? Severity::error : Severity::info,
                        id % 2 == 0 ? "even" : "odd",
                        Guid{id},
                        {},
                        "event"});
    opened.store->append(std::move(events));
  }
};

using Ids = std::vector<std::uint64_t>;

TEST(StoreHistory, FindsWhatWasJustAppendedAndWhatWasBefore) {
  const TemporaryDirectory directory;
  {
    History(directory.path()).add_events(1, 12'000);
  }  // several steps
  History again(directory.path());
  again.add_events(12'001, 12'010);
  EventQuery query;
  query.limit = 3;
  EXPECT_EQ(again.ids(query), (Ids{12'008, 12'009, 12'010}));
  query.oldest = true;
  EXPECT_EQ(again.ids(query), (Ids{1, 2, 3}));
  query.after = 11'999;
  query.kinds = {"even"};
  EXPECT_EQ(again.ids(query), (Ids{12'000, 12'002, 12'004}));
  query = {};
  query.least = Severity::error;
  query.before = 35;
  EXPECT_EQ(again.ids(query), (Ids{10, 20, 30}));
  query = {};
  query.since = test::noon(100);
  query.until = test::noon(102);
  EXPECT_EQ(again.ids(query), (Ids{100, 101, 102}));
  query = {};
  query.place = PlaceNamed{Guid{77}, "", {}};
  EXPECT_EQ(again.ids(query), (Ids{77}));
}

TEST(StoreHistory, OfNothingIsNothing) {
  const TemporaryDirectory directory;
  History empty(directory.path());
  EXPECT_TRUE(empty.ids({}).empty());
  EXPECT_TRUE(empty.sweeps({}).empty());
}

TEST(StoreHistory, KeepsSweepsWholeOverARestartUpToTheLimit) {
  const TemporaryDirectory directory;
  SweepReport told = test::clean_sweep(0);
  told.notes = {"it \"moved\"", "twice"};
  told.error = "no way";
  told.kind = SweepKind::local;
  told.clean = false;
  told.timeouts = 3;
  told.failed = 2;
  {
    History store(directory.path(), 5);
    for (std::uint64_t number = 1; number <= 9; ++number) {
      told.number = number;
      told.started = test::noon(static_cast<int>(number));
      store.opened.store->append_sweep(told);
    }
  }
  History again(directory.path(), 5);
  const auto all = again.sweeps({});
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(all.front().number, 5u);
  const SweepReport& last = all.back();
  EXPECT_EQ(last.number, 9u);
  EXPECT_EQ(last.notes, told.notes);
  EXPECT_EQ(last.error, told.error);
  EXPECT_EQ(last.kind, SweepKind::local);
  EXPECT_EQ(last.cause, told.cause);
  EXPECT_EQ(last.started, test::noon(9));
  EXPECT_EQ(last.took, told.took);
  EXPECT_FALSE(last.clean);
  EXPECT_EQ(last.timeouts, 3u);
  ASSERT_EQ(last.phases.size(), told.phases.size());
  EXPECT_EQ(last.phases[1].name, "forwarding");
  EXPECT_EQ(last.phases[1].took, told.phases[1].took);
  EXPECT_EQ(last.phases[1].smps, told.phases[1].smps);
  SweepQuery query;
  query.number = 7;
  EXPECT_EQ(again.sweeps(query).size(), 1u);
  query = {};
  query.since = test::noon(8);
  EXPECT_EQ(again.sweeps(query).size(), 2u);
}

TEST(StoreHistory, DropsWhatIsTooOldButTheNewestId) {
  const TemporaryDirectory directory;
  History store(directory.path(), 10, std::chrono::hours(24));
  Event old{1, std::chrono::system_clock::now() - std::chrono::hours(48), {}, "old", {}, {}, ""};
  Event also = old;
  also.id = 2;
  store.opened.store->append({old, also});
  EXPECT_EQ(store.ids({}), (Ids{2}));
}

}  // namespace
}  // namespace weft::daemon
