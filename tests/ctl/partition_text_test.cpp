#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

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

}  // namespace
}  // namespace weft::ctl
