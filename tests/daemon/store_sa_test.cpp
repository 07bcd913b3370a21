// What clients told the SA, in the state file: everything comes back, and only what differs is written.

#include "daemon/store_sa.h"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include "canned.h"
#include "daemon/store_sqlite.h"
#include "random_sa_state.h"

namespace weft::daemon {
namespace {

using test::changed;
using test::expect_same;
using test::TemporaryDirectory;

struct Kept {
  explicit Kept(const std::filesystem::path& directory) {
    StoreOptions options;
    options.directory = directory;
    options.group = Duration::zero();
    auto result = open_sqlite_store(options, loop.get_executor());
    if (!result) throw std::runtime_error(result.error().what);
    opened = std::move(*result);
  }
  Result<void> save(const plan::SaState& state) {
    std::optional<Result<void>> answer;
    opened.store->save_sa(state, [&answer](Result<void> result) { answer = std::move(result); });
    loop.restart();
    loop.run();
    return *answer;
  }
  asio::io_context loop;
  OpenedStore opened;
};

TEST(StoreSa, GivesBackWhatWasSavedAfterEveryChange) {
  const TemporaryDirectory directory;
  plan::SaState state;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Kept kept(directory.path());
    expect_same(state, kept.opened.ledger.sa);
    state = changed(seed % 2 == 0 ? state : kept.opened.ledger.sa, seed);
    const Result<void> saved = kept.save(state);
    ASSERT_TRUE(saved) << saved.error().what;
  }
}

TEST(StoreSa, ASaveOfLidsLeavesItAlone) {
  const TemporaryDirectory directory;
  const plan::SaState state = changed({}, 5);
  {
    Kept kept(directory.path());
    ASSERT_TRUE(kept.save(state));
    plan::Ledger ledger;
    ledger.lids = std::make_shared<plan::LidMap>(plan::LidMap{{Guid{1}, {Lid{7}, 0}}});
    kept.opened.store->save(ledger, {});
  }
  Kept kept(directory.path());
  expect_same(state, kept.opened.ledger.sa);
  EXPECT_EQ(kept.opened.ledger.lids->size(), 1u);
}

}  // namespace
}  // namespace weft::daemon
