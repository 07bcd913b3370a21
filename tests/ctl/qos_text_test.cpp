#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "ctl/qos_commands.h"

namespace weft::ctl {
namespace {

constexpr const char* kStorage =
    R"({"name":"storage","sl":3,"lanes":[2,3],"priority":"weighted","share":0.5,"default":true,
                                     "mtu":2048,"rate":100.0,"lifetime_us":null})";

TEST(QosText, ListsLevels) {
  const std::string text =
      levels_text(boost::json::parse(std::string(R"({"levels":[)") + kStorage + "]}"), Style{});
  EXPECT_NE(text.find("storage (default)"), std::string::npos) << text;
  EXPECT_NE(text.find("2, 3"), std::string::npos) << text;
  EXPECT_NE(text.find("50 %"), std::string::npos) << text;
  EXPECT_NE(text.find("MTU 2048, 100 Gb/s"), std::string::npos) << text;
  EXPECT_NE(levels_text(boost::json::parse(R"({"levels":[]})"), Style{}).find("all SLs are alike"),
            std::string::npos);
}

TEST(QosText, ExplainsAPath) {
  const std::string text = qos_text(
      boost::json::parse(
          std::string(
              R"({"from":"h1","to":"h2","rule":null,"sl":3,"hops":[{"from":"h1","to":"leaf","vl":2}],"level":)") +
          kStorage + "}"),
      Style{});
  EXPECT_NE(text.find("h1 to h2: level storage, SL 3, by default, since no rule fits; share 50 %; at most "
                      "MTU 2048, 100 Gb/s"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace weft::ctl
