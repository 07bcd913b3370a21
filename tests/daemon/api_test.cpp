#include "daemon/api.h"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "asked.h"
#include "base/virtual_clock.h"
#include "canned.h"
#include "daemon/api_json.h"
#include "daemon/http_server.h"
#include "daemon/ledger_json.h"
#include "raw_client.h"

namespace weft::daemon {
namespace {

namespace json = boost::json;

class ApiTest : public testing::Test {
 protected:
  Response ask(const std::string& method, const std::string& target, std::string body = {}) {
    return test::answer_of(router, method, target, std::move(body));
  }
  json::value get(const std::string& target, int status = 200) {
    return test::json_of(router, target, status);
  }
  static std::string code_of(const json::value& answer) {
    return answer.at("error").at("code").as_string().c_str();
  }

  test::CannedDaemon daemon;
  Router router = make_api(daemon.source());
};

TEST_F(ApiTest, TellsTheStatusWithTheFabricInNumbers) {
  const json::value status = get("/v1/status");
  EXPECT_EQ(status.at("state"), "master");
  EXPECT_EQ(status.at("started"), "2026-03-01T12:00:00.000Z");
  EXPECT_EQ(status.at("fabric").at("switches"), 4);
  EXPECT_EQ(status.at("fabric").at("links_by_state").at("active"), 8);
  EXPECT_EQ(status.at("routing").at("pairs_lost").to_number<int>(), 0);
  EXPECT_EQ(status.at("last_sweep").at("phases").at(0).at("name"), "discovery");
  EXPECT_TRUE(status.at("progress").is_null());
}

TEST_F(ApiTest, TellsEveryOrderAndHowFarItIs) {
  EXPECT_TRUE(get("/v1/upkeep").at("orders").as_array().empty());
  UpkeepRow row;
  row.place = {Guid{0x2000}, PortNum{3}};
  row.where = "leaf-0 port 3 to spine-0 port 1";
  row.order.kind = plan::Order::Kind::held;
  row.order.until = 1'800'000'000;
  row.order.by_policy = true;
  row.state = "disabled";
  row.done = true;
  daemon.upkeep = {row};
  const json::value held = get("/v1/upkeep").at("orders").at(0);
  EXPECT_EQ(held.at("kind"), "held");
  EXPECT_EQ(held.at("port"), 3);
  EXPECT_EQ(held.at("until"), "2027-01-15T08:00:00.000Z");
  EXPECT_EQ(held.at("by"), "link_health");
  daemon.upkeep[0].order.kind = plan::Order::Kind::drained;
  daemon.upkeep[0].place.port = PortNum{0};
  const json::value drained = get("/v1/upkeep").at("orders").at(0);
  EXPECT_TRUE(drained.at("until").is_null());
  EXPECT_TRUE(drained.at("port").is_null());
}

TEST_F(ApiTest, TakesOrdersForLinksAndSwitches) {
  const std::string target = "/v1/upkeep?do=hold&place=leaf-0%2F3&for=2h&why=cable";
  EXPECT_EQ(ask("POST", target).status, 409) << "it would cut somebody off";
  EXPECT_EQ(ask("POST", target + "&force=1").status, 202);
  ASSERT_EQ(daemon.asked.size(), 1u);
  EXPECT_EQ(daemon.asked[0].verb, UpkeepVerb::hold);
  EXPECT_EQ(daemon.asked[0].place, "leaf-0/3");
  EXPECT_EQ(daemon.asked[0].time, std::chrono::hours(2));
  EXPECT_EQ(daemon.asked[0].why, "cable");
  EXPECT_EQ(ask("POST", "/v1/upkeep?do=drain&place=nowhere").status, 404);
  for (const std::string& why : std::vector<std::string>{"two%0Alines", "a%1Bcolour", std::string(501, 'x')})
    EXPECT_EQ(ask("POST", "/v1/upkeep?do=drain&place=leaf-0&force=1&why=" + why).status, 400) << why;
  for (const char* bad : {"/v1/upkeep", "/v1/upkeep?do=dance&place=a", "/v1/upkeep?do=drain",
                          "/v1/upkeep?do=hold&place=a&for=0", "/v1/upkeep?do=hold&place=a&for=soon"})
    EXPECT_EQ(ask("POST", bad).status, 400) << bad;
}

TEST_F(ApiTest, TellsTheStatusBeforeAnythingIsKnown) {
  daemon.view = nullptr;
  daemon.status = Status{};
  const json::value status = get("/v1/status");
  EXPECT_EQ(status.at("state"), "waiting for device");
  EXPECT_TRUE(status.at("fabric").is_null());
  for (const auto* path :
       {"/v1/nodes", "/v1/links", "/v1/path?from=1&to=2", "/v1/dump/opensm?file=subnet", "/v1/state"}) {
    EXPECT_EQ(code_of(get(path, 503)), "no_device") << path;
  }
  daemon.status.state = State::discovering;
  EXPECT_EQ(code_of(get("/v1/nodes", 503)), "not_ready");
  daemon.status.state = State::standby;
  EXPECT_EQ(code_of(get("/v1/nodes", 503)), "not_master");
  daemon.status.state = State::waiting_for_device;
  EXPECT_EQ(ask("POST", "/v1/sweep").status, 503);
  EXPECT_EQ(ask("GET", "/readyz").status, 503);
  EXPECT_EQ(ask("GET", "/readyz").body, "waiting for device\n");
  EXPECT_EQ(ask("GET", "/livez").status, 200);
}

TEST_F(ApiTest, NamesTheNodesOfProblemsAndDirtyBlocks) {
  daemon.status.problems.push_back({Guid{0x2000}, "does not answer"});
  daemon.status.dirty.push_back({Guid{0xdead}, "LinearForwardingTable block 3", "timeout"});
  const json::value status = get("/v1/status");
  EXPECT_EQ(status.at("problems").at(0).at("name"), "leaf-0");
  EXPECT_TRUE(status.at("dirty").at(0).at("name").is_null());
}

TEST_F(ApiTest, TellsAtEachProblemWhatToDo) {
  EXPECT_TRUE(get("/v1/status").at("issues").as_array().empty());
  daemon.status.missing.push_back("link 0x1 (a) port 1 to 0x2 (b) port 2 was there before");
  daemon.status.problems.push_back(
      {Guid{0x2000}, "is drained", "Give it back:", "weftctl undrain leaf-0", Severity::info});
  const json::value status = get("/v1/status");
  const json::array& issues = status.at("issues").as_array();
  ASSERT_EQ(issues.size(), 2u);
  EXPECT_EQ(issues[0].at("severity"), "error");
  EXPECT_EQ(issues[0].at("command"), "weftctl accept");
  EXPECT_TRUE(issues[0].at("node").is_null());
  EXPECT_EQ(issues[1].at("severity"), "info");
  EXPECT_EQ(issues[1].at("todo"), "Give it back:");
  EXPECT_EQ(issues[1].at("name"), "leaf-0");
}

TEST_F(ApiTest, StandsReadyAsStandby) {
  daemon.status.state = State::standby;
  daemon.view = nullptr;
  EXPECT_EQ(ask("GET", "/readyz").status, 200);
  EXPECT_EQ(ask("GET", "/readyz").body, "standby\n");
  EXPECT_EQ(ask("GET", "/readyz?master=1").status, 503) << "for who looks for the master";
  for (const State state :
       {State::discovering, State::failed, State::disabled, State::stopping, State::master}) {
    daemon.status.state = state;
    EXPECT_EQ(ask("GET", "/readyz").status, 503) << name(state);
  }
}

TEST(SlurmApi, WritesTheFileThatFits) {
  test::CannedDaemon daemon;
  const Router router = make_api(daemon.source());
  const Response file = test::answer_of(router, "GET", "/v1/dump/slurm");
  EXPECT_EQ(file.status, 200);
  EXPECT_TRUE(file.type.starts_with("text/plain"));
  EXPECT_NE(file.body.find("SwitchName=leaf-0 Nodes=host-[0-1]\n"), std::string::npos) << file.body;
  EXPECT_NE(file.body.find("Switches=leaf-[0-1]"), std::string::npos) << file.body;
  const Response some = test::answer_of(router, "GET", "/v1/dump/slurm?plugin=tree&name=host-3");
  EXPECT_NE(some.body.find("SwitchName=leaf-1 Nodes=host-3\n"), std::string::npos) << some.body;
  EXPECT_EQ(some.body.find("leaf-0"), std::string::npos);
  EXPECT_EQ(test::answer_of(router, "GET", "/v1/dump/slurm?plugin=bush").status, 400);
  EXPECT_EQ(test::answer_of(router, "GET", "/v1/dump/slurm?name=nobody").status, 404);
  daemon.view = nullptr;
  daemon.status.state = State::discovering;
  EXPECT_EQ(test::answer_of(router, "GET", "/v1/dump/slurm").status, 503);
}

TEST_F(ApiTest, ListsNodesByPage) {
  const json::value all = get("/v1/nodes");
  EXPECT_EQ(all.at("total"), 8);
  EXPECT_EQ(all.at("nodes").as_array().size(), 8u);
  const json::value page = get("/v1/nodes?offset=6&limit=5");
  EXPECT_EQ(page.at("total"), 8);
  ASSERT_EQ(page.at("nodes").as_array().size(), 2u);
  EXPECT_EQ(page.at("nodes").at(0), all.at("nodes").at(6));
  EXPECT_TRUE(get("/v1/nodes?offset=100").at("nodes").as_array().empty());
}

TEST_F(ApiTest, FiltersNodes) {
  EXPECT_EQ(get("/v1/nodes?type=switch").at("total"), 4);
  EXPECT_EQ(get("/v1/nodes?type=switch&name=LEAF-*").at("total"), 2);
  EXPECT_EQ(get("/v1/nodes?name=*-%3f").at("total"), 8);
  EXPECT_EQ(code_of(get("/v1/nodes?type=toaster", 400)), "invalid");
  EXPECT_EQ(code_of(get("/v1/nodes?limit=many", 400)), "invalid");
  EXPECT_EQ(code_of(get("/v1/nodes?limit=10001", 400)), "invalid");
}

TEST_F(ApiTest, ShowsANodeWithItsLids) {
  const json::value nodes = get("/v1/nodes?name=host-0");
  const json::value& host = nodes.at("nodes").at(0);
  EXPECT_EQ(host.at("guid"), "0x0000000000003000");
  EXPECT_EQ(host.at("sm"), true);
  EXPECT_EQ(host.at("linked"), 1);
  EXPECT_EQ(host.at("active"), 1);
  ASSERT_EQ(host.at("end_ports").as_array().size(), 1u);
  const Lid lid = daemon.view->plan->lids.map->at(Guid{0x3001}).base;
  EXPECT_EQ(host.at("end_ports").at(0).at("lid"), raw(lid));
}

TEST_F(ApiTest, ListsEachLinkOnce) {
  const json::value links = get("/v1/links");
  EXPECT_EQ(links.at("total"), 8);
  EXPECT_EQ(get("/v1/links?name=host-*").at("total"), 4);
  EXPECT_EQ(get("/v1/links?state=down").at("total"), 0);
  EXPECT_EQ(get("/v1/links?below_best=1").at("total"), 0);
  EXPECT_EQ(get("/v1/status").at("routing").at("longest"), 4);
  EXPECT_EQ(get("/v1/path?from=host-0&to=host-3").at("hops").as_array().size(), 4u) << "counted alike";
  const json::value& link = links.at("links").at(0);
  EXPECT_EQ(link.at("width"), "4x");
  EXPECT_EQ(link.at("speed"), "HDR");
  EXPECT_EQ(link.at("mtu"), 4096);
}

TEST_F(ApiTest, FollowsAPathByNameGuidOrLid) {
  const json::value by_name = get("/v1/path?from=host-0&to=host-3");
  const json::array& hops = by_name.at("hops").as_array();
  ASSERT_EQ(hops.size(), 4u);
  EXPECT_EQ(hops.front().at("out").at("name"), "host-0");
  EXPECT_EQ(hops.front().at("in").at("name"), "leaf-0");
  EXPECT_EQ(hops.front().at("in").at("port"), 1);
  EXPECT_EQ(hops.back().at("in").at("name"), "host-3");
  EXPECT_EQ(get("/v1/path?from=0x3000&to=0x3031"), by_name);
  const Lid lid = daemon.view->plan->lids.map->at(Guid{0x3031}).base;
  EXPECT_EQ(get(fmt::format("/v1/path?from=host-0&to={}", raw(lid))), by_name);
}

TEST_F(ApiTest, SaysWhyThereIsNoPath) {
  EXPECT_EQ(code_of(get("/v1/path?from=host-0&to=host-9", 404)), "not_found");
  EXPECT_EQ(code_of(get("/v1/path?from=host-0", 400)), "invalid");
}

TEST_F(ApiTest, ListsEventsAfterAnId) {
  const json::value all = get("/v1/events");
  EXPECT_EQ(all.at("last"), 2);
  ASSERT_EQ(all.at("events").as_array().size(), 2u);
  EXPECT_EQ(all.at("events").at(1).at("name"), "leaf-0");
  EXPECT_EQ(all.at("events").at(1).at("port"), 3);
  EXPECT_EQ(get("/v1/events?after=1").at("events").as_array().size(), 1u);
  const json::value none = get("/v1/events?after=2");
  EXPECT_EQ(none.at("last"), 2);
  EXPECT_TRUE(none.at("events").as_array().empty());
}

TEST_F(ApiTest, AsksForASweep) {
  const Response response = ask("POST", "/v1/sweep");
  EXPECT_EQ(response.status, 202);
  EXPECT_EQ(json::parse(response.body).at("number"), 2);
  EXPECT_EQ(get("/v1/progress").at("last_sweep"), 2);
  EXPECT_EQ(get("/v1/sweeps").at("sweeps").as_array().size(), 2u);
}

TEST_F(ApiTest, ShowsTheConfigurationWithOrigins) {
  daemon.loaded =
      std::make_shared<config::Loaded>(*config::read_text("sweep:\n  interval: 20s\n", "weft.yaml"));
  router = make_api(daemon.source());
  bool found = false;
  const json::value config = get("/v1/config");
  for (const json::value& setting : config.at("settings").as_array()) {
    if (setting.at("key") != "sweep.interval") continue;
    found = true;
    EXPECT_EQ(setting.at("value"), "20s");
    EXPECT_EQ(setting.at("origin"), "weft.yaml:2");
  }
  EXPECT_TRUE(found);
}

TEST_F(ApiTest, TakesBackWhatItExported) {
  const Response exported = ask("GET", "/v1/state");
  const Response imported = ask("POST", "/v1/state", exported.body);
  EXPECT_EQ(imported.status, 200) << imported.body;
  ASSERT_TRUE(daemon.imported.has_value());
  EXPECT_EQ(*daemon.imported->lids, *daemon.view->ledger.lids);
}

/// A state with a group and its member, as it is handed in.
std::string state_with_group(unsigned mlid) {
  return fmt::format(
      R"({{"format":"weft-state","version":1,"lids":[],"devices":[],"registrations":{{"groups":[{{)"
      R"("mgid":"ff12:401b:ffff::5","mlid":{},"qkey":0,"pkey":32767,"mtu":4,"rate":3,"lifetime":18,"sl":0,)"
      R"("tclass":0,"flow_label":0,"hop_limit":0,"permanent":0,"members":[)"
      R"({{"port":"0x7","gid":"fe80::7","join_state":1,"proxy":0}}]}}],)"
      R"("services":[],"subscriptions":[],"aliases":[]}}}})",
      mlid);
}

TEST_F(ApiTest, TellsWhatOfAStateIsTakenOverAndWhatIsNot) {
  plan::McGroup ours;
  ours.mgid = {0xff12401bffff0000, 6};
  ours.mlid = Lid{0xc001};
  daemon.registered.groups = daemon.registered.groups.with(ours);
  const json::value taken = json::parse(ask("POST", "/v1/state", state_with_group(0xc002)).body);
  EXPECT_EQ(taken.at("groups"), 1);
  EXPECT_EQ(taken.at("members"), 1);
  EXPECT_EQ(taken.at("pending"), false);
  EXPECT_TRUE(taken.at("left_out").as_array().empty());
  const json::value refused = json::parse(ask("POST", "/v1/state", state_with_group(0xc001)).body);
  EXPECT_EQ(refused.at("groups"), 0);
  EXPECT_EQ(refused.at("left_out").as_array().size(), 1u);
}

TEST_F(ApiTest, SaysThatKeysOfServicesAreHiddenWhereThereAreAny) {
  const auto exported = [this](bool may_change) {
    auto request = request_from_target("/v1/state?registrations=1");
    request->method = "GET";
    request->caller.may_change = may_change;
    Response response = router.answer(*request);
    std::string text;
    while (response.more(text)) {
    }
    return text;
  };
  plan::Service service;
  daemon.registered.services.set({1, {}, Pkey{}}, std::make_shared<const plan::Service>(service));
  EXPECT_EQ(exported(false).find("service_keys"), std::string::npos) << "no service has one";
  service.key = {0x1122334455667788, 0};
  daemon.registered.services.set({2, {}, Pkey{}}, std::make_shared<const plan::Service>(service));
  EXPECT_EQ(exported(true).find("service_keys"), std::string::npos);
  const std::string hidden = exported(false);
  EXPECT_NE(hidden.find(R"("service_keys":"hidden")"), std::string::npos);
  EXPECT_EQ(hidden.find("1122334455667788"), std::string::npos);
  const Response refused = ask("POST", "/v1/state", hidden);
  EXPECT_EQ(refused.status, 400);
  EXPECT_NE(refused.body.find("ask as one who may"), std::string::npos) << refused.body;
}

TEST_F(ApiTest, SaysThatRegistrationsWait) {
  daemon.takes_at_once = false;
  const json::value waiting = json::parse(ask("POST", "/v1/state", state_with_group(0xc001)).body);
  EXPECT_EQ(waiting.at("groups"), 1);
  EXPECT_EQ(waiting.at("pending"), true);
}

TEST_F(ApiTest, TakesNothingOfABadState) {
  EXPECT_EQ(ask("POST", "/v1/state", "{}").status, 400);
  EXPECT_FALSE(daemon.imported.has_value());
}

TEST_F(ApiTest, DumpsInPieces) {
  const Response subnet = ask("GET", "/v1/dump/opensm?file=subnet");
  EXPECT_EQ(subnet.type, "text/plain; charset=utf-8");
  EXPECT_EQ(std::count(subnet.body.begin(), subnet.body.end(), '\n'), 16);
  EXPECT_EQ(ask("GET", "/v1/dump/opensm?file=mcfdbs").body, "");
  EXPECT_EQ(ask("GET", "/v1/dump/opensm?file=lfts").status, 400);
}

TEST_F(ApiTest, IsReadyWhileMasterOrStandby) {
  EXPECT_EQ(ask("GET", "/readyz").status, 200);
  daemon.status.state = State::standby;
  EXPECT_EQ(ask("GET", "/readyz").status, 200);  // ready to take its place
  EXPECT_EQ(ask("GET", "/readyz?master=1").status, 503);
}

TEST_F(ApiTest, AnswersOverASocket) {
  const test::TemporaryDirectory directory;
  asio::io_context loop;
  VirtualClock clock;
  HttpOptions options;
  options.socket = (directory.path() / "s").string();
  const auto server = HttpServer::listen(loop, clock, options, router);
  ASSERT_TRUE(server.has_value());
  test::RawClient client(loop, options.socket);
  client.send("GET /v1/path?from=host-0&to=host-3 HTTP/1.1\r\nConnection: close\r\n\r\n");
  const std::string answer = client.receive_all();
  EXPECT_EQ(json::parse(answer.substr(answer.find("\r\n\r\n") + 4)), get("/v1/path?from=host-0&to=host-3"));
}

TEST(TimeText, IsIsoWithMilliseconds) {
  EXPECT_EQ(time_text(test::noon() + std::chrono::milliseconds(7)), "2026-03-01T12:00:00.007Z");
}

}  // namespace
}  // namespace weft::daemon
