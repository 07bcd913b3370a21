#include "daemon/api_explain.h"

#include "asked.h"
#include "canned.h"
#include "daemon/api.h"

namespace weft::daemon {
namespace {

namespace json = boost::json;

class ExplainApi : public testing::Test {
 protected:
  json::value get(const std::string& what) { return test::json_of(router, "/v1/explain/" + what); }
  std::string sentences(const std::string& what) {
    std::string all;
    const json::value answer = get(what);
    for (const json::value& one : answer.at("sentences").as_array())
      all += std::string(one.as_string().c_str()) + "\n";
    return all;
  }
  static bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }
  /// The same view with one port, and its peer's, otherwise.
  void change(Guid node, int port, const std::function<void(fabric::Port&)>& how) {
    auto view = std::make_shared<plan::View>(*daemon.view);
    const fabric::PortRef ref{*view->fabric->find(node), static_cast<PortNum>(port)};
    fabric::Port changed = view->fabric->port(ref);
    how(changed);
    const std::pair<fabric::PortRef, fabric::Port> one[]{{ref, changed}};
    view->fabric = std::make_shared<const fabric::Fabric>(view->fabric->with(one));
    daemon.view = view;
  }

  test::CannedDaemon daemon;
  Router router = make_api(daemon.source());
};

TEST_F(ExplainApi, TellsOfAPortThatIsWell) {
  const std::string told = sentences("port?port=leaf-0/3");
  EXPECT_TRUE(has(told, "leads to 0x0000000000001000 (spine-0) port 1")) << told;
  EXPECT_TRUE(has(told, "The link is active: 4x HDR, MTU 4096")) << told;
  EXPECT_EQ(get("port?port=host-1").at("port").at("peer").at("name"), "leaf-0");
  EXPECT_EQ(get("port?port=0x3011").at("port").at("name"), "host-1");
}

TEST_F(ExplainApi, TellsWhyAPortIsSlowOrNotYetActive) {
  change(Guid{0x2000}, 3, [](fabric::Port& port) {
    port.speed = LinkSpeed::edr;
    port.width = LinkWidth::x1;
    port.state = PortState::init;
  });
  const std::string told = sentences("port?port=leaf-0/3");
  EXPECT_TRUE(has(told, "width 1x of 4x")) << told;
  EXPECT_TRUE(has(told, "speed EDR of HDR")) << told;
  EXPECT_TRUE(has(told, "not yet Active")) << told;
}

TEST_F(ExplainApi, TellsWhyAPortIsDownAndWhatItLedTo) {
  daemon.whole = daemon.view->fabric;
  daemon.view = test::planned_view(test::small_tree(3));
  change(Guid{0x2001}, 4, [](fabric::Port& port) {
    port.state = PortState::down;
    port.phys = PhysState::polling;
  });
  daemon.events.push_back(
      {3, test::noon(3), Severity::warning, "link_gone", Guid{0x2001}, PortNum{4}, "gone"});
  const std::string told = sentences("port?port=leaf-1/4");
  EXPECT_TRUE(has(told, "has no link: it is down, physically polling")) << told;
  EXPECT_TRUE(has(told, "it led to 0x0000000000001001 (spine-1) port 2")) << told;
  EXPECT_TRUE(has(told, "Last event: 2026-03-01T12:00:03.000Z, gone (link_gone)")) << told;
}

TEST_F(ExplainApi, TellsWhoHoldsAPortAndUntilWhen) {
  UpkeepRow row;
  row.place = {Guid{0x1000}, PortNum{1}};  // the other end
  row.order.kind = plan::Order::Kind::held;
  row.order.by_policy = true;
  row.order.until = 1'800'000'000;
  row.order.why = "went down 6 times";
  row.state = "disabled";
  daemon.upkeep = {row};
  daemon.status.problems.push_back({Guid{0x2000}, "does not answer"});
  const std::string told = sentences("port?port=leaf-0/3");
  EXPECT_TRUE(has(told, "held by the policy for bad links: disabled. Why: went down 6 times.")) << told;
  EXPECT_TRUE(has(told, "2027-01-15T08:00:00.000Z")) << told;
  EXPECT_TRUE(has(told, "does not answer")) << told;
  EXPECT_FALSE(has(sentences("port?port=leaf-1/3"), "held"));
}

TEST_F(ExplainApi, AsksForAPortThatIsThere) {
  for (const auto& [query, status] : {std::pair("port?port=leaf-0", 409),
                                      {"port?port=leaf-0/9", 404},
                                      {"port?port=nobody/1", 404},
                                      {"port", 400},
                                      {"port?port=host-0/0", 404}})
    EXPECT_EQ(test::answer_of(router, "GET", std::string("/v1/explain/") + query).status, status) << query;
}

TEST_F(ExplainApi, TellsWhoHasALid) {
  const Lid lid = daemon.view->plan->lids.map->at(Guid{0x3031}).base;
  const std::string told = sentences(fmt::format("lid?lid={}", raw(lid)));
  EXPECT_TRUE(has(told, "(host-3) port 1")) << told;
  EXPECT_TRUE(has(told, "(leaf-1) port 2 delivers it")) << told;
  EXPECT_TRUE(has(sentences("lid?lid=40000"), "Nobody has LID 40000"));
  EXPECT_TRUE(has(sentences("lid?lid=0"), "none"));
  EXPECT_TRUE(has(sentences("lid?lid=65535"), "permissive"));
  EXPECT_TRUE(has(sentences("lid?lid=0xc001"), "No multicast group"));
  EXPECT_EQ(test::answer_of(router, "GET", "/v1/explain/lid?lid=70000").status, 400);
}

TEST_F(ExplainApi, TellsAPathAndWhatIsWrongOnIt) {
  const std::string told = sentences("path?from=host-0&to=host-3");
  EXPECT_TRUE(has(told, "over 4 links: by leaf-0, spine-")) << told;
  change(Guid{0x2001}, 2, [](fabric::Port& port) { port.state = PortState::armed; });
  EXPECT_TRUE(has(sentences("path?from=host-0&to=host-3"), "is armed: nothing passes there yet"));
}

TEST_F(ExplainApi, TellsWhetherTwoPortsMayTalk) {
  const json::value answer = get("partition?a=host-0&b=host-1");
  EXPECT_EQ(answer.at("may_talk"), true);
  EXPECT_TRUE(has(sentences("partition?a=host-0&b=host-1"), "host-0 and host-1 may talk."));
}

TEST_F(ExplainApi, TellsWhyThisEngine) {
  const std::string told = sentences("engine");
  EXPECT_TRUE(has(told, "those of the engine fat-tree")) << told;
  EXPECT_TRUE(has(told, "asks for auto")) << told;
  EXPECT_EQ(get("engine").at("engine"), "fat-tree");
}

TEST_F(ExplainApi, TellsWhatASweepWas) {
  const std::string told = sentences("sweep?number=1");
  EXPECT_TRUE(has(told, "Sweep #1 was a full one. Its cause: start.")) << told;
  EXPECT_TRUE(has(told, "Most of the time went into discovery: 20 ms.")) << told;
  EXPECT_TRUE(has(told, "Then everything was as planned.")) << told;
  EXPECT_EQ(get("sweep").at("sweep").at("number"), 1);
  EXPECT_EQ(test::answer_of(router, "GET", "/v1/explain/sweep?number=5").status, 404);
  daemon.past_sweeps = {test::clean_sweep(5)};
  EXPECT_EQ(get("sweep?number=5").at("sweep").at("number"), 5) << "of the store";
}

TEST_F(ExplainApi, ListsChanges) {
  const json::value all =
      test::json_of(router, "/v1/changes?since=2026-03-01T00:00:00Z&until=2026-03-02T00:00:00Z");
  EXPECT_EQ(all.at("events"), 2);
  EXPECT_EQ(all.at("changes").as_array().size(), 2u);
  EXPECT_TRUE(test::json_of(router, "/v1/changes?since=1h").at("changes").as_array().empty());
  EXPECT_EQ(test::answer_of(router, "GET", "/v1/changes?since=x").status, 400);
}

TEST_F(ExplainApi, ListsPortsTablesThePlanAndHealth) {
  EXPECT_EQ(test::json_of(router, "/v1/ports?node=leaf-0").at("total"), 5);
  EXPECT_EQ(test::json_of(router, "/v1/ports?state=down").at("total"), 0);
  const json::value table = test::json_of(router, "/v1/tables?switch=leaf-0");
  EXPECT_EQ(table.at("total"), 8) << "four switches and four hosts";
  EXPECT_EQ(test::answer_of(router, "GET", "/v1/tables?switch=host-0").status, 400);
  EXPECT_EQ(test::answer_of(router, "GET", "/v1/tables").status, 400);
  EXPECT_EQ(test::json_of(router, "/v1/plans").at("plans").at(0).at("engine"), "fat-tree");
  EXPECT_EQ(test::json_of(router, "/v1/health").at("well"), true);
  daemon.status.problems.push_back({Guid{0x2000}, "does not answer"});
  EXPECT_EQ(test::json_of(router, "/v1/health").at("well"), false);
}

}  // namespace
}  // namespace weft::daemon
