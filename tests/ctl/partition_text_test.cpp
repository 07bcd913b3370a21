#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include <boost/json/parse.hpp>

#include "config/parse.h"
#include "config/partition_types.h"
#include "ctl/partition_commands.h"

namespace weft::ctl {
namespace {

boost::json::value parsed(const char* text) { return boost::json::parse(text); }

TEST(PartitionText, ListsPartitionsAndSaysWhenThereAreNone) {
  const std::string text =
      partitions_text(parsed(R"({"partitions":[{"name":"storage","key":"0x0010","full":1234,"limited":2,
               "list":[{"port":"0x1","name":"h1","membership":"full"}]}]})"),
                      Style{});
  EXPECT_NE(text.find("1,234"), std::string::npos) << text;
  EXPECT_NE(text.find("0x1 full h1"), std::string::npos) << text;
  EXPECT_NE(partitions_text(parsed(R"({"partitions":[]})"), Style{}).find("No partitions"),
            std::string::npos);
}

TEST(PartitionText, ExplainsAKey) {
  const std::string text = pkey_text(
      parsed(
          R"({"port":"0x1 (h1) port 1","capacity":64,"managed":true,"checked":"in both directions","checked_by":"leaf port 3",
               "keys":[{"index":0,"pkey":"0x7fff","partition":"default","membership":"limited"}],
               "reason":{"key":"0x0010","partition":"storage","why":"","lines":[{"line":"node h*","membership":"full","counts":true}]}})"),
      Style{});
  EXPECT_NE(text.find("1 of 64 P_Keys; checked in both directions by leaf port 3"), std::string::npos)
      << text;
  EXPECT_NE(text.find("storage (0x0010)"), std::string::npos) << text;
  EXPECT_NE(text.find("node h*: full  <- this line counts"), std::string::npos) << text;
}

TEST(ImportOpensm, GivesYamlThatReadsAsTheSamePolicy) {
  const std::string path = testing::TempDir() + "weft_partitions.conf";
  std::ofstream(path)
      << "Default=0x7fff,ipoib : ALL=limited, SELF=full ;\na=5 : 0x1 ;\nb=0x8005 : 0x2=full;\n";
  std::ostringstream out;
  std::ostringstream err;
  ASSERT_EQ(import_opensm_partitions({out, err, Style{}}, path), Exit::done) << err.str();
  const config::Parsed parsed = config::parse_yaml(out.str());
  ASSERT_TRUE(parsed.problems.empty()) << out.str();
  EXPECT_NE(out.str().find("# line 3: its key is another's"), std::string::npos) << out.str();
  const config::Value& define = parsed.root.children.at(1).children.at(1);
  config::Report report;
  const auto read = config::partition_map().read(define, report);
  ASSERT_TRUE(read) << out.str();
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ(read->at(1).members.size(), 2u);

  std::ofstream(path) << "a=5 ALL;\n";
  EXPECT_EQ(import_opensm_partitions({out, err, Style{}}, path), Exit::usage);
  EXPECT_NE(err.str().find("weft_partitions.conf:1:5: expects a comma or a colon"), std::string::npos)
      << err.str();
}

}  // namespace
}  // namespace weft::ctl
