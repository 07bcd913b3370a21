#include "daemon/api_events.h"

#include "asked.h"
#include "canned.h"
#include "daemon/api.h"

namespace weft::daemon {
namespace {

namespace json = boost::json;

class EventsApi : public testing::Test {
 protected:
  EventsApi() {
    daemon.past.push_back({1,
                           test::noon(-3600),
                           Severity::error,
                           "node_gone",
                           Guid{0x9},
                           {},
                           "node 0x0000000000000009 (old) is gone"});
    daemon.past.push_back({2, test::noon(-60), Severity::info, "link_new", Guid{0x1000}, PortNum{1},
                           "link 0x0000000000001000 (spine-0) port 1 to 0x0000000000002000 (leaf-0) port 3"});
    daemon.events = {{3, test::noon(1), Severity::info, "sweep_done", Guid{}, {}, "the fabric is active"},
                     {4, test::noon(2), Severity::warning, "link_gone", Guid{0x2000}, PortNum{3},
                      "leaf-0 port 3 went down"}};
  }
  std::vector<int> ids(const std::string& query) {
    std::vector<int> found;
    const json::value answer = test::json_of(router, "/v1/events" + query);
    for (const json::value& event : answer.at("events").as_array())
      found.push_back(event.at("id").to_number<int>());
    return found;
  }
  std::string next(const Response& response) {
    std::string out;
    response.live->next(out);
    return out;
  }

  test::CannedDaemon daemon;
  Router router = make_api(daemon.source());
  using Ids = std::vector<int>;
};

TEST_F(EventsApi, GoBackToTheStoreWhereMemoryDoesNotReach) {
  EXPECT_EQ(ids(""), (Ids{1, 2, 3, 4}));
  EXPECT_EQ(ids("?limit=3"), (Ids{2, 3, 4}));
  EXPECT_EQ(ids("?limit=3&order=oldest"), (Ids{1, 2, 3}));
  EXPECT_EQ(ids("?limit=2"), (Ids{3, 4}));
  EXPECT_EQ(ids("?after=2"), (Ids{3, 4}));
  EXPECT_EQ(ids("?before=4&after=1"), (Ids{2, 3}));
}

TEST_F(EventsApi, AreChosenByTimeKindAndSeverity) {
  EXPECT_EQ(ids("?since=2026-03-01T11:30:00Z"), (Ids{2, 3, 4}));
  EXPECT_EQ(ids("?since=2026-03-01T12:30:00%2B01:00&until=2026-03-01T12:00:00.5Z"), (Ids{2}));
  EXPECT_EQ(ids("?kind=link_*"), (Ids{2, 4}));
  EXPECT_EQ(ids("?kind=node_gone,sweep_done"), (Ids{1, 3}));
  EXPECT_EQ(ids("?severity=warning"), (Ids{1, 4}));
}

TEST_F(EventsApi, AreChosenByEitherEndOfALink) {
  EXPECT_EQ(ids("?port=leaf-0/3"), (Ids{2, 4}));
  EXPECT_EQ(ids("?node=spine-0"), (Ids{2}));
  EXPECT_EQ(ids("?node=spine-0&port=1"), (Ids{2}));
  EXPECT_EQ(ids("?port=spine-0/2"), Ids{});
  EXPECT_EQ(ids("?node=old"), (Ids{1})) << "a node that is not there any more";
  EXPECT_EQ(ids("?node=0x9"), (Ids{1}));
}

TEST_F(EventsApi, TakeTheWordsThatEveryCommandTakes) {
  for (const char* word : {"port=LEAF-0/3", "port=leaf-0:3", "port=0x2000/P3", "node=leaf-0&port=3"})
    EXPECT_EQ(ids(std::string("?") + word), (Ids{2, 4})) << word;
  const Lid lid = daemon.view->plan->lids.map->at(Guid{0x2000}).base;
  EXPECT_EQ(ids(fmt::format("?port={}/3", raw(lid))), (Ids{2, 4}));
  EXPECT_EQ(ids("?node=OLD"), (Ids{1})) << "one that is gone, too";
}

TEST_F(EventsApi, SayThatNobodyIsCalledSo) {
  for (const char* word :
       {"port=leaf-77/3", "node=leaf-77", "node=0xdead", "port=nobody", "node=host-0-but-longer"}) {
    const Response answer = test::answer_of(router, "GET", std::string("/v1/events?") + word);
    EXPECT_EQ(answer.status, 404) << word;
    EXPECT_NE(answer.body.find("no event that matches tells of it"), std::string::npos) << answer.body;
  }
  EXPECT_EQ(ids("?port=leaf-77/3&after=1"), Ids{}) << "who follows has been told before";
  EXPECT_EQ(ids("?port=host-0"), Ids{}) << "it is there, and nothing happened to it";
  EXPECT_EQ(test::answer_of(router, "GET", "/v1/events?port=leaf-0").status, 409) << "which of its ports?";
}

TEST_F(EventsApi, RefuseWhatTheyDoNotUnderstand) {
  for (const char* bad : {"since=soon", "until=2026-13-01T00:00:00Z", "severity=bad", "port=3", "port=a/x",
                          "order=any", "limit=10001", "after=x"})
    EXPECT_EQ(test::answer_of(router, "GET", std::string("/v1/events?") + bad).status, 400) << bad;
}

TEST_F(EventsApi, GiveSweepsOfTheStoreOnlyWhenAsked) {
  daemon.past_sweeps = {test::clean_sweep(7), test::clean_sweep(8)};
  EXPECT_EQ(test::json_of(router, "/v1/sweeps").at("sweeps").as_array().size(), 1u);
  EXPECT_EQ(test::json_of(router, "/v1/sweeps?since=365d").at("sweeps").as_array().size(), 2u);
  EXPECT_EQ(test::json_of(router, "/v1/sweeps?number=8").at("sweeps").at(0).at("number"), 8);
}

TEST(Times, AreReadWithZonesAndAsDurationsBack) {
  const WallTime now = test::noon();
  EXPECT_EQ(*time_from("90s", now), test::noon(-90));
  EXPECT_EQ(*time_from("2026-03-01T12:00:00Z", now), now);
  EXPECT_EQ(*time_from("2026-03-01T13:30:00+01:30", now), now);
  EXPECT_EQ(*time_from("2026-03-01 12:00:00.5", now), now + std::chrono::milliseconds(500));
  for (const char* bad : {"", "yesterday", "2026-02-30T00:00:00Z", "2026-03-01T25:00:00Z", "2026-03-01",
                          "2026-03-01T12:00:00+1"})
    EXPECT_FALSE(time_from(bad, now).has_value()) << bad;
}

TEST_F(EventsApi, StreamBeginsWithTheViewAndWhatHappensFromNowOn) {
  const Response response = test::answer_of(router, "GET", "/v1/events/stream");
  EXPECT_EQ(response.type, "text/event-stream");
  EXPECT_EQ(next(response),
            "retry: 2000\n\nevent: view\ndata: {\"generation\":7,\"state\":\"master\",\"sweep\":1}\n\n");
  EXPECT_EQ(next(response), "");
  daemon.happen({5, test::noon(3), Severity::info, "link_new", Guid{0x2000}, PortNum{3}, "it is back"});
  const std::string told = next(response);
  EXPECT_TRUE(told.starts_with("id: 5\nevent: event\ndata: {\"id\":5,")) << told;
  EXPECT_TRUE(told.ends_with("}\n\n"));
  EXPECT_EQ(next(response), "");
}

TEST_F(EventsApi, StreamTellsWhenTheFabricChanges) {
  const Response response = test::answer_of(router, "GET", "/v1/events/stream");
  next(response);
  daemon.status.generation = 8;
  EXPECT_EQ(next(response), "event: view\ndata: {\"generation\":8,\"state\":\"master\",\"sweep\":1}\n\n");
}

TEST_F(EventsApi, StreamGoesOnWhereAReaderWas) {
  auto request = *request_from_target("/v1/events/stream");
  request.method = "GET";
  request.headers["last-event-id"] = "3";
  const std::string told = next(router.answer(request));
  EXPECT_EQ(told.find("id: 3\n"), std::string::npos);
  EXPECT_NE(told.find("id: 4\n"), std::string::npos);
}

TEST_F(EventsApi, StreamTellsAGap) {
  const std::string told = next(test::answer_of(router, "GET", "/v1/events/stream?after=0"));
  EXPECT_NE(told.find("event: gap\ndata: {\"after\":0,\"first\":3}\n\n"), std::string::npos) << told;
  EXPECT_NE(told.find("id: 3\n"), std::string::npos);
}

TEST_F(EventsApi, StreamGivesOnlyWhatItsReaderWants) {
  const Response response = test::answer_of(router, "GET", "/v1/events/stream?after=2&kind=link_*");
  EXPECT_EQ(next(response).find("id: 3\n"), std::string::npos);
  daemon.happen({5, test::noon(3), Severity::info, "sweep_done", {}, {}, "done"});
  EXPECT_EQ(next(response), "");
}

}  // namespace
}  // namespace weft::daemon
