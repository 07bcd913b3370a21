#include "daemon/event_log.h"

#include <gtest/gtest.h>

namespace weft::daemon {
namespace {

struct Sink final : Store {
  void save(plan::Ledger, Done) override {}
  void save_sa(plan::SaState, Done) override {}
  void save_multicast(std::shared_ptr<const plan::MftDigestMap>, Done) override {}
  void append(std::vector<Event> more) override { events.insert(events.end(), more.begin(), more.end()); }
  std::string health() const override { return "ok"; }
  std::vector<Event> events;
};

Event event(std::string text) {
  Event made;
  made.text = std::move(text);
  return made;
}

TEST(EventLog, GivesRisingIdsTimesAndHandsOnToTheStore) {
  Sink store;
  EventLog log(&store);
  log.add(event("one"));
  log.add(event("two"));
  ASSERT_EQ(store.events.size(), 2u);
  EXPECT_EQ(store.events[0].id, 1u);
  EXPECT_EQ(store.events[1].id, 2u);
  EXPECT_NE(store.events[1].time, WallTime{});
}

TEST(EventLog, GoesOnAfterThePast) {
  Event past = event("past");
  past.id = 41;
  EventLog log(nullptr, {past});
  EXPECT_EQ(log.add(event("now")).id, 42u);
  EXPECT_EQ(log.after(0, 10).size(), 2u);
}

TEST(EventLog, AnswersTheNewestAfterAnId) {
  EventLog log(nullptr);
  for (int i = 0; i < 10; ++i) log.add(event("x"));
  const auto newest = log.after(3, 4);
  ASSERT_EQ(newest.size(), 4u);
  EXPECT_EQ(newest.front().id, 7u);
  EXPECT_EQ(newest.back().id, 10u);
  EXPECT_EQ(log.after(8, 100).size(), 2u);
  EXPECT_TRUE(log.after(10, 100).empty());
}

TEST(EventLog, ForgetsTheOldest) {
  EventLog log(nullptr);
  for (std::size_t i = 0; i < EventLog::kKept + 5; ++i) log.add(event("x"));
  const auto all = log.after(0, 1'000'000);
  EXPECT_EQ(all.size(), EventLog::kKept);
  EXPECT_EQ(all.front().id, 6u);
}

}  // namespace
}  // namespace weft::daemon
