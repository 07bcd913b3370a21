// What the control API tells of partitions.

#include <gtest/gtest.h>

#include "tests/whole/asked_api.h"

namespace weft::test {
namespace {

namespace json = boost::json;

class PartitionApi : public testing::Test {
 protected:
  explicit PartitionApi(
      std::string_view partitions =
          "partitions:\n  define:\n    storage: { key: 0x8010, members: [ h0000*, { h00001: full } ] }\n")
      : settings(config::read_text(partitions, "f").value().settings) {
    whole.start({}, settings);
    EXPECT_TRUE(whole.settle()) << whole.faults();
  }
  daemon::Response get(const std::string& target) { return AskedApi(whole, settings).get(target); }
  json::value json_of(const std::string& target) { return AskedApi(whole, settings).json_of(target); }

  Whole whole{"xgft:m=3,4:w=1,2"};
  config::Settings settings;
};

TEST_F(PartitionApi, ListsPartitionsAndMembers) {
  const json::value all = json_of("/v1/partitions?members=1");
  EXPECT_EQ(all.at("total").to_number<int>(), 2);
  EXPECT_EQ(all.at("partitions").at(0).at("name").as_string(), "default");
  const json::value& storage = all.at("partitions").at(1);
  EXPECT_EQ(storage.at("key").as_string(), "0x0010");
  EXPECT_EQ(storage.at("full").to_number<int>(), 1);
  EXPECT_EQ(storage.at("limited").to_number<int>(), 9) << "ten hosts begin so, one is full";
  EXPECT_EQ(storage.at("list").as_array().size(), 10u);
  EXPECT_EQ(get("/v1/partitions?offset=x").status, 400);
}

TEST_F(PartitionApi, ExplainsWhyAPortHasAKey) {
  const json::value answer = json_of("/v1/explain/pkey?port=h00001&key=0x10");
  ASSERT_EQ(answer.at("keys").as_array().size(), 2u);
  EXPECT_EQ(answer.at("keys").at(1).at("pkey").as_string(), "0x8010");
  EXPECT_EQ(answer.at("keys").at(1).at("partition").as_string(), "storage");
  EXPECT_EQ(answer.at("checked").as_string(), "in both directions");
  EXPECT_TRUE(answer.at("checked_by").is_string());
  const json::array& lines = answer.at("reason").at("lines").as_array();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].at("line").as_string(), "node h0000*");
  EXPECT_FALSE(lines[0].at("counts").as_bool());
  EXPECT_TRUE(lines[1].at("counts").as_bool());
}

TEST_F(PartitionApi, ExplainsWhyAPortHasNoKey) {
  EXPECT_EQ(json_of("/v1/explain/pkey?port=h00011&key=0x10").at("reason").at("why").as_string(),
            "no line of the partition means this port");
  EXPECT_EQ(json_of("/v1/explain/pkey?port=h00011&key=0x20").at("reason").at("why").as_string(),
            "no partition has this key");
  EXPECT_EQ(json_of("/v1/explain/pkey?port=h00011&key=0xffff").at("reason").at("why").as_string(),
            "every port is in the default partition: it reaches subnet administration by it");
  EXPECT_EQ(get("/v1/explain/pkey?port=h00011&key=0").status, 400);
  EXPECT_EQ(get("/v1/explain/pkey?port=nobody").status, 404);
}

class NoPartitions : public PartitionApi {
 protected:
  NoPartitions() : PartitionApi("") {}
};

TEST_F(NoPartitions, AreTold) {
  EXPECT_EQ(json_of("/v1/partitions").at("total").to_number<int>(), 0);
  const json::value answer = json_of("/v1/explain/pkey?port=h00001&key=0x10");
  EXPECT_FALSE(answer.at("managed").as_bool());
  EXPECT_EQ(answer.at("keys").at(0).at("pkey").as_string(), "0xffff");
}

}  // namespace
}  // namespace weft::test
