// What the control API tells of the SA.

#include <gtest/gtest.h>

#include "sa/multicast.h"
#include "tests/whole/asked_api.h"
#include "tests/whole/sa_client.h"

namespace weft::test {
namespace {

namespace json = boost::json;

struct Asked {
  Asked() { EXPECT_TRUE(whole.bring_up(3).clean); }
  daemon::Response get(const std::string& target) const { return api.get(target); }
  json::value json_of(const std::string& target) const { return api.json_of(target); }

  Whole whole{"fat-tree:radix=8"};
  AskedApi api{whole};
};

TEST(SaApi, TellsGroupsMembersAndSubscriptions) {
  Asked api;
  SaClient client(api.whole, "h00003");
  ASSERT_EQ(client.join(sa::ipoib_broadcast(Pkey{0xffff}), 8), 0);
  ASSERT_EQ(client.subscribe(64), 0);
  const json::value groups = api.json_of("/v1/groups?members=1");
  const json::value& group = groups.at("groups").at(0);
  EXPECT_EQ(group.at("mgid").as_string(), "ff12:401b:ffff:0000:0000:0000:ffff:ffff");
  EXPECT_EQ(group.at("mtu").as_int64(), 2048);
  EXPECT_EQ(group.at("senders").to_number<int>(), 1);
  EXPECT_FALSE(group.at("list").at(0).at("receives").as_bool());
  EXPECT_EQ(api.json_of("/v1/subscriptions").at("total").to_number<int>(), 1);
  EXPECT_EQ(api.json_of("/v1/subscriptions").at("subscriptions").at(0).at("trap").to_number<int>(), 64);
  EXPECT_EQ(api.json_of("/v1/sa").at("answered").to_number<int>(), 2);
}

TEST(SaApi, ExplainsJoinsAndTellsPathsAsTheSaWould) {
  Asked api;
  const json::value may = api.json_of("/v1/sa/join?port=h00003&group=broadcast");
  EXPECT_TRUE(may.at("may_join").as_bool());
  EXPECT_FALSE(may.at("is_member").as_bool());
  const json::value other = api.json_of("/v1/sa/join?port=h00003&group=ff12::77");
  EXPECT_FALSE(other.at("may_join").as_bool());
  EXPECT_NE(other.at("why").as_string().find("there is no group"), std::string::npos);
  const json::value by_mlid = api.json_of("/v1/sa/join?port=h00003&group=0xc000");
  EXPECT_EQ(by_mlid.at("group"), may.at("group"));
  EXPECT_EQ(api.get("/v1/sa/join?port=h00003&group=0xfff0").status, 404);
  EXPECT_EQ(api.get("/v1/sa/join?port=h00003&group=0x1234").status, 400);
  EXPECT_EQ(api.get("/v1/sa/join?port=h00003&group=nonsense").status, 400);
  EXPECT_EQ(api.get("/v1/sa/join?port=nobody").status, 404);
  const json::value path = api.json_of("/v1/sa/path?from=h00003&to=h00020");
  EXPECT_EQ(path.at("mtu").to_number<int>(), 4096);
  EXPECT_TRUE(path.at("reversible").as_bool());
}

TEST(SaApi, NothingIsChangedByAsking) {
  Asked api;
  (void)api.get("/v1/sa/join?port=h00003&group=broadcast");
  EXPECT_TRUE(
      api.whole.manager->sa().state().groups.find(sa::ipoib_broadcast(Pkey{0xffff}))->members.empty());
}

}  // namespace
}  // namespace weft::test
