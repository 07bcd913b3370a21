#include "config/names_file.h"

#include <gtest/gtest.h>

namespace weft::config {
namespace {

TEST(NamesFile, ReadsWhatOpenSmTakes) {
  Report report{"map", {}, {}, {}, 0};
  const auto names = read_names(
      "# switches\n"
      "0x0002c90300000001 \"leaf 1\"\n"
      "\t0x2 \"leaf 2\"   # rack 7\r\n"
      "\n"
      "0002:c903:0000:0003 \"spine #1\"",
      report);
  EXPECT_EQ(report.problems, std::vector<std::string>{});
  EXPECT_EQ(names, (std::map<Guid, std::string>{{Guid{0x0002c90300000001}, "leaf 1"},
                                                {Guid{2}, "leaf 2"},
                                                {Guid{0x0002c90300000003}, "spine #1"}}));
}

TEST(NamesFile, ReportsEveryWrongLineWithItsPlace) {
  Report report{"map", {}, {}, {}, 0};
  read_names(
      "0x1 leaf\n"
      "leaf \"leaf\"\n"
      "0x2 \"a\"\n"
      " 0x2 \"b\"\n"
      "0x3 \"open\n"
      "0x4 \"\"\n"
      "0x5\n"
      "0x6 \"a\" b\n",
      report);
  EXPECT_EQ(report.problems, (std::vector<std::string>{
                                 "map:1:5: expects a name in double quotes, not \"leaf\"",
                                 "map:2:1: expects a GUID such as 0x0002c903000e0b72, not \"leaf\"",
                                 "map:4:2: 0x0000000000000002 stands here twice; first in line 3",
                                 "map:5:5: expects a name in double quotes, not \"\\\"open\"",
                                 "map:6:5: expects a name in double quotes, not \"\\\"\\\"\"",
                                 "map:7:4: expects a name in double quotes, not \"\"",
                                 "map:8:5: expects a name in double quotes, not \"\\\"a\\\" b\"",
                             }));
}

TEST(NamesFile, RefusesWhatIsNoText) {
  Report report{"map", {}, {}, {}, 0};
  EXPECT_TRUE(read_names(std::string_view("0x1 \"a\0b\"", 9), report).empty());
  EXPECT_EQ(report.problems, (std::vector<std::string>{"map:1:7: byte 0x00: not a UTF-8 text"}));
}

}  // namespace
}  // namespace weft::config
