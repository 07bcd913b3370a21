#include "ctl/opensm_setup.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <boost/json/parse.hpp>

#include "config/read.h"
#include "daemon/ledger_json.h"

namespace weft::ctl {
namespace {

namespace fs = std::filesystem;

/// OpenSM's folders with a few files, and what the import says of them.
struct OpensmFolders {
  fs::path folder =
      fs::path(testing::TempDir()) /
      (std::string("weft_opensm_") + testing::UnitTest::GetInstance()->current_test_info()->name());
  std::ostringstream out;
  std::ostringstream err;

  OpensmFolders() { fs::remove_all(folder); }
  ~OpensmFolders() { fs::remove_all(folder); }
  std::string path(const std::string& name) const { return (folder / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(path(name)).parent_path());
    std::ofstream(path(name)) << text;
  }
  Exit import(bool as_json = false) {
    return import_opensm_setup(
        {out, err, Style{}, as_json},
        {.dir = path("etc"), .cache = path("cache"), .dumps = path("log"), .out = path("new/weft")});
  }
};

TEST(ImportOpensmSetup, WritesAConfigurationAndALedgerThatAreTaken) {
  OpensmFolders setup;
  setup.write("etc/opensm.conf",
              "sm_priority 5\nroot_guid_file /etc/opensm/roots\nm_key 0x77\nnode_name_map_name /x/map\n"
              "partition_config_file /nowhere/partitions.conf\n");
  setup.write("etc/roots", "0x0002c90100000001\n");
  setup.write("etc/map", "0x0002c90100000001 \"spine 1\"\n");
  setup.write("etc/partitions.conf", "Default=0x7fff : ALL=full ;\nred=5 : 0x1=full ;\n");
  setup.write("cache/guid2lid", "0x0002c90100000001 0x0007 0x0007\n\n0x0002c90200000001 0x0010 0x0013\n");
  ASSERT_EQ(setup.import(), Exit::done) << setup.err.str();
  const auto config = config::read_file(setup.path("new/weft/weft.yaml"));
  ASSERT_TRUE(config) << config.error().what;
  EXPECT_EQ(config->settings.manager.priority, 5);
  EXPECT_EQ(config->settings.plan.routing.roots, std::vector<std::string>{"0x0002c90100000001"});
  EXPECT_EQ(config->settings.plan.names.at(Guid{0x0002c90100000001}), "spine 1");
  EXPECT_EQ(config->settings.m_key.keys.keys, std::vector<std::uint64_t>{0x77});
  EXPECT_EQ(config->settings.plan.partitions.partitions.size(), 2u);
  std::ifstream file(setup.path("new/weft/ledger.json"));
  std::ostringstream state;
  state << file.rdbuf();
  const auto ledger = daemon::ledger_from_json(state.str());
  ASSERT_TRUE(ledger) << ledger.error().what;
  EXPECT_EQ(*ledger->lids, (plan::LidMap{{Guid{0x0002c90100000001}, {Lid{7}, 0}},
                                         {Guid{0x0002c90200000001}, {Lid{16}, 2}}}));
  EXPECT_EQ(*guid2lid_of(state.str()),
            "0x0002c90100000001 0x0007 0x0007\n\n0x0002c90200000001 0x0010 0x0013\n\n");
}

TEST(ImportOpensmSetup, TellsEveryLineAsJson) {
  OpensmFolders setup;
  setup.write("etc/opensm.conf", "# nothing\nsm_priority 5\ncongestion_control TRUE\nlmc 0\n");
  ASSERT_EQ(setup.import(true), Exit::done) << setup.err.str();
  const auto told = boost::json::parse(setup.out.str());
  ASSERT_EQ(told.at("lines").as_array().size(), 3u);
  EXPECT_EQ(told.at("lines").at(1).at("fate"), "dropped");
  EXPECT_EQ(told.at("lines").at(1).at("became"), "congestion control is not done");
  EXPECT_EQ(told.at("mapped").to_number<int>(), 1);
}

TEST(ImportOpensmSetup, LongListsAreOneRow) {
  OpensmFolders setup;
  std::string lids;
  for (int i = 1; i <= 500; ++i)
    lids += "0x000000000000" + std::to_string(1000 + i) + " " + std::to_string(i) + " " + std::to_string(i) +
            "\n";
  setup.write("cache/guid2lid", lids);
  ASSERT_EQ(setup.import(), Exit::done) << setup.err.str();
  EXPECT_NE(setup.out.str().find("500 lines"), std::string::npos) << setup.out.str();
  EXPECT_NE(setup.out.str().find("500 LID ranges of ports kept"), std::string::npos) << setup.out.str();
  EXPECT_LT(std::ranges::count(setup.out.str(), '\n'), 12);
}

TEST(ImportOpensmSetup, WritesNothingOfHalfAPolicy) {
  OpensmFolders setup;
  setup.write("etc/partitions.conf", "a=5 ALL;\n");
  EXPECT_EQ(setup.import(), Exit::usage);
  EXPECT_NE(setup.err.str().find("partitions.conf:1:5: expects"), std::string::npos) << setup.err.str();
  EXPECT_FALSE(fs::exists(setup.path("new")));
}

TEST(SaDumpOf, FailsWithoutTheKeysOfServices) {
  const auto dump = sa_dump_of(
      R"({"format":"weft-state","registrations":{"groups":[],"services":[],"subscriptions":[],"aliases":[],)"
      R"("service_keys":"hidden"}})",
      0);
  ASSERT_FALSE(dump);
  EXPECT_EQ(dump.error().what,
            "registrations.service_keys: hidden from who may not change things: ask as one who may");
}

constexpr std::string_view kService =
    "Service Record: id=0x1 gid=0xfe80000000000000:0x1 pkey=0xffff lease=0xffffffff key=0x0:0x0 name='a' "
    "data8=0x0:0x0 data16=0x0:0x0 data32=0x0:0x0 data64=0x0:0x0 modified_time=0x0 lease_period=0xffffffff\n";

TEST(ImportOpensmSetup, FindsTheDumpOfTheSaWhereOpensmWritesIt) {
  OpensmFolders setup;
  setup.write("etc/opensm.conf", "sm_priority 5\n");
  setup.write("log/opensm-sa.dump", std::string(kService));
  ASSERT_EQ(setup.import(), Exit::done) << setup.err.str();
  EXPECT_NE(setup.out.str().find("1 service"), std::string::npos) << setup.out.str();
}

TEST(ImportOpensmSetup, LooksForTheDumpOfTheSaWhereOpensmIsToldToWriteIt) {
  OpensmFolders setup;
  setup.write("etc/opensm.conf", "dump_files_dir " + setup.path("dumps") + "\n");
  setup.write("dumps/opensm-sa.dump", std::string(kService));
  ASSERT_EQ(setup.import(), Exit::done) << setup.err.str();
  EXPECT_NE(setup.out.str().find("1 service"), std::string::npos) << setup.out.str();
}

TEST(ImportOpensmSetup, TellsOfADumpOfTheSaThatIsNamedAndNotThere) {
  OpensmFolders setup;
  setup.write("etc/opensm.conf", "sa_db_file /nowhere/opensm-sa.dump\n");
  ASSERT_EQ(setup.import(true), Exit::done) << setup.err.str();
  const auto told = boost::json::parse(setup.out.str());
  EXPECT_EQ(told.at("lines").at(0).at("fate"), "dropped");
  EXPECT_EQ(told.at("lines").at(0).at("became"), "this file is not there");
}

TEST(ImportOpensmSetup, SaysWhenThereIsNothing) {
  OpensmFolders setup;
  EXPECT_EQ(setup.import(), Exit::usage);
  EXPECT_NE(setup.err.str().find("there is no file of OpenSM's"), std::string::npos) << setup.err.str();
}

}  // namespace
}  // namespace weft::ctl
