#include "daemon/api_fabric.h"

#include "asked.h"
#include "canned.h"
#include "daemon/api.h"

namespace weft::daemon {
namespace {

namespace json = boost::json;

class FabricApi : public testing::Test {
 protected:
  json::value get(const std::string& query = "") { return test::json_of(router, "/v1/fabric" + query); }
  test::CannedDaemon daemon;
  Router router = make_api(daemon.source());
};

TEST_F(FabricApi, GivesNodesWithTheirPlaces) {
  const json::value fabric = get();
  EXPECT_EQ(fabric.at("generation"), 7);
  EXPECT_EQ(fabric.at("shape").at("kind"), "tree");
  const json::array& nodes = fabric.at("nodes").as_array();
  ASSERT_EQ(nodes.size(), 8u);
  ASSERT_EQ(nodes[0].as_array().size(), fabric.at("nodes_are").as_array().size());
  EXPECT_EQ(nodes[0].at(1), "spine-0");
  EXPECT_EQ(nodes[0].at(3), 1) << "rank";
  EXPECT_TRUE(nodes[0].at(4).is_null()) << "a top switch is in no part";
  EXPECT_EQ(nodes[2].at(1), "leaf-0");
  EXPECT_EQ(nodes[2].at(3), 0);
  EXPECT_EQ(nodes[2].at(4), 0);
  EXPECT_EQ(nodes[3].at(4), 1);
  EXPECT_TRUE(nodes[4].at(3).is_null());
  EXPECT_EQ(nodes[4].at(2), "hca");
  EXPECT_EQ(nodes[4].at(5), raw(daemon.view->plan->lids.map->at(Guid{0x3001}).base));
}

TEST_F(FabricApi, GivesEachLinkOnceWithItsFlows) {
  const json::value fabric = get();
  const json::array& links = fabric.at("links").as_array();
  ASSERT_EQ(links.size(), 8u);
  int between_switches = 0;
  for (const json::value& link : links) {
    ASSERT_EQ(link.as_array().size(), fabric.at("links_are").as_array().size());
    EXPECT_EQ(link.at(4), "active");
    EXPECT_EQ(fabric.at("rates").at(link.at(5).to_number<std::size_t>()).at("speed"), "HDR");
    EXPECT_EQ(fabric.at("rates").at(link.at(5).to_number<std::size_t>()).at("gbps"), 212.5);
    const bool to_host = link.at(2).to_number<int>() >= 4;
    if (to_host) {
      EXPECT_EQ(link.at(8), 3) << "each of four hosts is sent to by three others";
      EXPECT_EQ(link.at(9), 3);
    } else {
      between_switches += link.at(8).to_number<int>() + link.at(9).to_number<int>();
    }
  }
  EXPECT_EQ(between_switches, 16) << "eight ordered pairs on different leaves, two links each";
  EXPECT_EQ(get("?flows=0").at("links").at(0).at(8), nullptr);
  EXPECT_EQ(get("?flows=0").at("most_flows"), nullptr);
}

TEST_F(FabricApi, TellsWhatIsMissing) {
  EXPECT_TRUE(get().at("missing_links").as_array().empty());
  daemon.whole = daemon.view->fabric;
  daemon.view = test::planned_view(test::small_tree(3));  // one spine link and one host less
  const json::value fabric = get();
  EXPECT_EQ(fabric.at("links").as_array().size(), 6u);
  ASSERT_EQ(fabric.at("missing_nodes").as_array().size(), 1u);
  EXPECT_EQ(fabric.at("missing_nodes").at(0).at(1), "host-3");
  ASSERT_EQ(fabric.at("missing_links").as_array().size(), 2u);
  EXPECT_EQ(fabric.at("missing_links").at(0),
            json::parse(R"(["0x0000000000001001",2,"0x0000000000002001",4,"spine-1","leaf-1"])"));
  EXPECT_EQ(fabric.at("missing_links").at(1),
            json::parse(R"(["0x0000000000002001",2,"0x0000000000003030",1,"leaf-1","host-3"])"));
}

TEST_F(FabricApi, SaysThatNothingHasChanged) {
  EXPECT_EQ(test::answer_of(router, "GET", "/v1/fabric?unless=7").status, 304);
  EXPECT_EQ(test::answer_of(router, "GET", "/v1/fabric?unless=6").status, 200);
}

TEST_F(FabricApi, KeepsSilentBeforeThereIsAPlan) {
  daemon.view = nullptr;
  daemon.status.state = State::discovering;
  EXPECT_EQ(test::answer_of(router, "GET", "/v1/fabric").status, 503);
}

}  // namespace
}  // namespace weft::daemon
