// Another routing engine than the one asked for is never taken in silence.

#include <gtest/gtest.h>

#include "tests/whole/whole.h"

namespace weft::test {
namespace {

config::Settings with_chain(std::vector<std::string> engines, routing::OnFailure on_failure) {
  config::Settings settings;
  settings.plan.routing.chain.engines = std::move(engines);
  settings.plan.routing.chain.on_failure = on_failure;
  return settings;
}

std::vector<daemon::Event> engine_events(const Whole& whole) {
  std::vector<daemon::Event> found;
  for (const daemon::Event& one : whole.events->after(0, 10'000))
    if (one.kind == "routing_engine") found.push_back(one);
  return found;
}

TEST(RoutingEngine, AsAskedForIsNoNews) {
  Whole whole("fat-tree:radix=8,levels=2");
  EXPECT_TRUE(whole.bring_up().clean);
  EXPECT_TRUE(engine_events(whole).empty());
}

TEST(RoutingEngine, ThatNobodyNamedIsAnEventAndAProblemOnce) {
  Whole whole("ring:5");
  whole.start({}, with_chain({"fat-tree"}, routing::OnFailure::next));
  ASSERT_TRUE(whole.settle());
  whole.bring_up();
  ASSERT_EQ(engine_events(whole).size(), 1u);
  EXPECT_NE(engine_events(whole)[0].text.find(
                "those of up-down, which the configuration does not name; not fat-tree: no tree"),
            std::string::npos)
      << engine_events(whole)[0].text;
  EXPECT_TRUE(whole.has_problem("which the configuration does not name"));
}

TEST(RoutingEngine, KeptLastNamesThePairsLost) {
  Whole whole("fat-tree:radix=8,levels=2");
  whole.start({}, with_chain({"fat-tree"}, routing::OnFailure::keep_last));
  ASSERT_TRUE(whole.settle());
  auto none = with_chain({"dragonfly"}, routing::OnFailure::keep_last);
  whole.manager->reconfigure(std::make_shared<const config::Settings>(none));
  ASSERT_TRUE(whole.run_until([&] { return !engine_events(whole).empty(); }, std::chrono::minutes(1)));
  const daemon::Event event = engine_events(whole).back();
  EXPECT_NE(event.text.find("the tables in force, of fat-tree, are kept as far as they lead"),
            std::string::npos)
      << event.text;
  whole.world->cut_link(whole.node("h00000"), PortNum{1});
  whole.run_for(std::chrono::seconds(20));
  EXPECT_TRUE(whole.has_problem("are kept as far as they lead"));
}

}  // namespace
}  // namespace weft::test
