#include "daemon/changes.h"

#include <gtest/gtest.h>

#include "canned.h"

namespace weft::daemon {
namespace {

Event told(int second, std::string kind, std::string text, Severity severity = Severity::info) {
  static std::uint64_t id = 0;
  return {++id, test::noon(second), severity, std::move(kind), {}, {}, std::move(text)};
}

const std::string kLink = "link 0x1 (a) port 1 to 0x2 (b) port 2";

TEST(Changes, AreASentenceEachByGroup) {
  const auto changes = changes_of(std::vector{told(1, "became_master", "we are master now"),
                                              told(2, "rerouted", "traffic goes other ways"),
                                              told(3, "link_gone", kLink + " is gone", Severity::warning)});
  ASSERT_EQ(changes.size(), 3u);
  EXPECT_EQ(changes[0].group, "links");
  EXPECT_EQ(changes[0].text, kLink + " is gone");
  EXPECT_EQ(changes[0].severity, Severity::warning);
  EXPECT_EQ(changes[1].group, "routes");
  EXPECT_EQ(changes[2].group, "managers");
  EXPECT_TRUE(changes_of({}).empty());
}

TEST(Changes, TellOnceWhatWasToldOften) {
  const auto changes = changes_of(std::vector{told(1, "trap_storm", "many"), told(5, "trap_storm", "many"),
                                              told(9, "trap_storm", "others")});
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].times, 2);
  EXPECT_EQ(changes[0].first, test::noon(1));
  EXPECT_EQ(changes[0].last, test::noon(5));
}

TEST(Changes, TellWhatWentAndCameBackAsOne) {
  const std::string node = "hca 0x3 (h)";
  const auto changes =
      changes_of(std::vector{told(1, "link_gone", kLink + " is gone"), told(2, "link_new", kLink + " is new"),
                             told(3, "link_gone", kLink + " is gone"), told(4, "link_new", kLink + " is new"),
                             told(5, "node_gone", node + " is gone; it hung on 0x1 (a) port 3"),
                             told(6, "node_new", node + " is new")});
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].text, kLink + " was gone 2 times, for 2 s in all, and is back");
  EXPECT_EQ(changes[0].last, test::noon(4));
  EXPECT_EQ(changes[1].text, node + " was gone for 1 s and is back");
}

TEST(Changes, FoldTheStatesThatAPortPassedThrough) {
  const std::string port = "0x1 (a) port 7";
  const auto state = [&](int second, std::string_view was, std::string_view is) {
    return told(second, "port_state_changed", fmt::format("{} was {}, is {}", port, was, is));
  };
  const std::vector events{state(10, "active", "down"), state(12, "down", "init"),
                           state(13, "init", "active")};
  auto changes = changes_of(events);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].text, port + " was down for 3 s, and is active again");
  EXPECT_EQ(changes[0].times, 1);
  EXPECT_EQ(changes[0].first, test::noon(10));
  EXPECT_EQ(changes[0].last, test::noon(13));
  std::vector more = events;
  more.push_back(state(20, "active", "down"));
  EXPECT_EQ(changes_of(more)[0].text, port + " was active, is down; it changed 2 times");
  more.push_back(state(25, "down", "active"));
  EXPECT_EQ(changes_of(more)[0].text, port + " was down 2 times, for 8 s in all, and is active again");
  EXPECT_EQ(changes_of(std::vector{state(1, "init", "armed"), state(2, "armed", "active")})[0].text,
            port + " was init, is active");
}

TEST(Changes, FoldTheRatesOfALink) {
  const auto changes =
      changes_of(std::vector{told(1, "link_rate_changed", kLink + " was 4x HDR, is 1x SDR"),
                             told(200, "link_rate_changed", kLink + " was 1x SDR, is 4x HDR")});
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].text, kLink + " was 1x SDR for 3 min, and is 4x HDR again");
}

TEST(Changes, TellWhatIsGoneInTheEnd) {
  const auto changes = changes_of(
      std::vector{told(1, "link_new", kLink + " is new"), told(2, "link_gone", kLink + " is gone")});
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].text, kLink + " is gone");
}

TEST(Changes, KnowEveryKindsGroup) {
  EXPECT_EQ(group_of("lids_moved"), "LIDs");
  EXPECT_EQ(group_of("drained"), "configuration");
  EXPECT_EQ(group_of("manager_gone"), "managers");
  EXPECT_EQ(group_of("manager"), "other");
}

}  // namespace
}  // namespace weft::daemon
