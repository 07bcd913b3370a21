// weftctl plan: without a daemon, on fabrics that need not exist.

#include "ctl/plan.h"

#include <gtest/gtest.h>

#include <sstream>

#include <boost/json.hpp>

namespace weft::ctl {
namespace {

struct Answer {
  Exit code = Exit::done;
  std::string out;
  std::string err;
};

Answer plan_of(const PlanOptions& options, bool json = false) {
  std::ostringstream out;
  std::ostringstream err;
  const Exit code = plan_offline({out, err, Style{}, json}, options);
  return {code, out.str(), err.str()};
}

TEST(PlanOffline, TellsTheShapeAndTheTables) {
  const Answer answer = plan_of({.fabric = "fat-tree:radix=4,levels=2"});
  EXPECT_EQ(answer.code, Exit::done) << answer.err;
  EXPECT_NE(answer.out.find("recognised: a tree of 2 ranks, 4/2 switches"), std::string::npos) << answer.out;
  EXPECT_NE(answer.out.find("1 VL needed, safe on any SL"), std::string::npos) << answer.out;
}

TEST(PlanOffline, UsesTheLanesThatPortsHave) {
  const std::string fabric = "dragonfly:p=1,a=4,h=2,g=9";
  const auto engine = [&](int vls) {
    const Answer answer = plan_of({.fabric = fabric, .vls = vls}, true);
    return std::string(boost::json::parse(answer.out).at("engine").as_string());
  };
  EXPECT_EQ(engine(2), "dragonfly");
  EXPECT_EQ(engine(1), "up-down");
}

TEST(PlanOffline, MeasuresEnginesSideBySideOnADamagedFabric) {
  const Answer answer = plan_of(
      {.fabric = "fat-tree:radix=8,levels=2", .fail = "2", .compare = {"up-down", "min-hop", "dragonfly"}},
      true);
  ASSERT_EQ(answer.code, Exit::done) << answer.err;
  const boost::json::value told = boost::json::parse(answer.out);
  const boost::json::array& tables = told.at("tables").as_array();
  ASSERT_EQ(tables.size(), 4U);
  EXPECT_EQ(tables[0].at("engine").as_string(), "fat-tree");
  EXPECT_EQ(tables[0].at("unreached_pairs").as_int64(), 0);
  EXPECT_GE(tables[0].at("shift_worst").as_int64(), 1);
  EXPECT_EQ(tables[1].at("fault").as_string(), "");
  EXPECT_NE(tables[2].at("fault").as_string().find("credit cycle"), std::string::npos);
  EXPECT_NE(tables[3].at("fault").as_string().find("no dragonfly"), std::string::npos);
  EXPECT_NE(told.at("recognised").as_string().find("2 links of the design missing"), std::string::npos);
}

TEST(PlanOffline, RefusesWhatItCannotRead) {
  EXPECT_EQ(plan_of({.fabric = "/nowhere/fabric.net"}).code, Exit::usage);
  const Answer answer = plan_of({.fabric = "ring:6", .fail = "many"});
  EXPECT_EQ(answer.code, Exit::usage);
  EXPECT_EQ(answer.err, "weftctl: \"many\" is no number of links, and no share like 1%\n");
}

}  // namespace
}  // namespace weft::ctl
