#include "ctl/sa_commands.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace weft::ctl {
namespace {

boost::json::value from(const char* text) { return boost::json::parse(text); }

TEST(SaText, ListsGroupsAndTheirMembers) {
  const std::string text = groups_text(
      from(R"({"groups":[{"mgid":"ff12::1","mlid":"0xc001","pkey":"0xffff","mtu":2048,"rate":2.5,"sl":0,
               "members":1234,"senders":1,"list":[{"port":"0x1","name":"h1","receives":false}]}]})"),
      Style{});
  EXPECT_NE(text.find("0xc001"), std::string::npos) << text;
  EXPECT_NE(text.find("1,234"), std::string::npos) << text;
  EXPECT_NE(text.find("2.5"), std::string::npos) << text;
  EXPECT_NE(text.find("0x1 h1 (sends only)"), std::string::npos) << text;
}

TEST(SaText, SaysWhyAJoinIsRefused) {
  const std::string text = join_text(
      from(
          R"({"port":"h4","group":"ff12::1","may_join":false,"status":"0x0200","why":"rate 10G of h4 below the group's 100G"})"),
      Style{});
  EXPECT_EQ(text, "h4, group ff12::1: refused with status 0x0200: rate 10G of h4 below the group's 100G\n");
}

TEST(SaText, TellsHowLongAnswersTook) {
  const std::string text = sa_text(from(R"({"attributes":[{"attribute":"0x0035","requests":200,"answered":200,
               "took_below_2_to_n_us":[0,0,0,0,0,0,0,0,0,0,198,0,0,0,1,1]}]})"),
                                   Style{});
  EXPECT_NE(text.find("1.0 ms"), std::string::npos) << "99 of 100 below 2^10 us\n" << text;
}

}  // namespace
}  // namespace weft::ctl
