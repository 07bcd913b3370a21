// weftctl plan: without a daemon, on fabrics that need not exist.

#include "ctl/plan.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdio>
#include <filesystem>
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

TEST(PlanOffline, AnUnknownEngineToCompareWithIsBadUsage) {
  const Answer answer = plan_of({.fabric = "ring:4", .compare = {"min-hop", "minhop"}});
  EXPECT_EQ(answer.code, Exit::usage);
  EXPECT_NE(answer.err.find("no routing engine \"minhop\"; there are: "), std::string::npos) << answer.err;
}

TEST(PlanOffline, TellsNothingThatWasNotMeasured) {
  const Answer answer = plan_of({.fabric = "fat-tree:radix=4,levels=2"}, true);
  const boost::json::value told = boost::json::parse(answer.out);
  EXPECT_EQ(told.at("tables").at(0).as_object().if_contains("shift_worst"), nullptr) << answer.out;
  EXPECT_EQ(told.at("longest"), 4) << "both host links count";
}

TEST(PlanOffline, CountsBothHostLinksOfAWay) {
  const Answer answer = plan_of({.fabric = "fat-tree:radix=4,levels=2", .report = true}, true);
  const boost::json::value told = boost::json::parse(answer.out);
  EXPECT_EQ(told.at("tables").at(0).at("longest"), told.at("longest"));
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

TEST(PlanOffline, DumpsWhatIbdmchkFindsNoFaultWith) {
  if (!std::filesystem::exists("/usr/bin/ibdmchk"))
    GTEST_SKIP() << "ibdmchk (package ibutils) is not installed";
  for (const char* fabric : {"fat-tree:radix=8,levels=3", "dragonfly:p=1,a=4,h=2,g=9"}) {
    SCOPED_TRACE(fabric);
    const std::string directory = testing::TempDir() + "weft-plan-dump-" + std::to_string(::getpid());
    const Answer answer = plan_of({.fabric = fabric, .fail = "2", .dump = directory});
    EXPECT_EQ(answer.code, Exit::done) << answer.err;
    EXPECT_NE(answer.out.find("opensm.slvl"), std::string::npos);
    const std::string command = "cd " + directory +
                                " && /usr/bin/ibdmchk -s opensm-subnet.lst -f opensm.fdbs -m opensm.mcfdbs "
                                "-c opensm.psl -d opensm.slvl 2>&1";
    std::string said;
    std::FILE* pipe = popen(command.c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    char buffer[4096];
    for (std::size_t got; (got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) said.append(buffer, got);
    pclose(pipe);  // it crashes when it is done, so its status says nothing
    EXPECT_NE(said.find("no credit loops found"), std::string::npos) << said;
    EXPECT_EQ(said.find("-E-"), std::string::npos) << said;
    std::filesystem::remove_all(directory);
  }
}

TEST(PlanOffline, SaysWhatItCannotDump) {
  const Answer answer = plan_of({.fabric = "ring:3", .dump = "/dev/null/x"});
  EXPECT_EQ(answer.code, Exit::failed);
  EXPECT_NE(answer.err.find("cannot make the directory /dev/null/x"), std::string::npos) << answer.err;
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
