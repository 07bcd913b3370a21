#include "config/opensm_options.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace weft::config {
namespace {

OpensmOptions options_of(std::string_view text) {
  Report report{.source = "f"};
  OpensmOptions options = read_opensm_options(text, report);
  EXPECT_TRUE(report.problems.empty()) << report.problems.front();
  return options;
}

std::string became(const OpensmOptions& options, int line) {
  const auto found = std::ranges::find(options.lines, line, &ReadOption::line);
  return found == options.lines.end() ? "" : found->became;
}

TEST(OpensmOptions, WithoutAnyOpensmsOwnTablesCount) {
  const OpensmOptions options = options_of("# nothing\n\n");
  EXPECT_FALSE(options.on);
  EXPECT_TRUE(options.lines.empty());
  EXPECT_EQ(options.tables.hosts, options.tables.switches);
  const qos::TypedTable& table = options.tables.routers;
  EXPECT_EQ(table.sl2vl[14], Vl{14});
  EXPECT_EQ(table.sl2vl[15], Vl{7});
  ASSERT_EQ(table.arbitration.high.size(), 15u);
  EXPECT_EQ(table.arbitration.high[0], (qos::ArbEntry{Vl{0}, 4}));
  EXPECT_EQ(table.arbitration.high[1], (qos::ArbEntry{Vl{1}, 0}));
  EXPECT_EQ(table.arbitration.low[14], (qos::ArbEntry{Vl{14}, 4}));
  EXPECT_EQ(table.arbitration.high_limit, 0);
}

TEST(OpensmOptions, AKindsOwnComesBeforeTheGeneralOnes) {
  const OpensmOptions options = options_of(
      "qos TRUE\n"
      "qos_high_limit 4\n"
      "qos_ca_high_limit -1\n"
      "qos_swe_high_limit\t9\n"
      "qos_vlarb_low 0:8, 1:0x10\n"
      "qos_rtr_vlarb_low \"2:1\"\n"
      "qos_sl2vl 0,1,0,1\n"
      "qos_swe_sl2vl (null)\n");
  EXPECT_TRUE(options.on);
  EXPECT_EQ(options.tables.hosts.arbitration.high_limit, 4);
  EXPECT_EQ(options.tables.switches.arbitration.high_limit, 9);
  EXPECT_EQ(options.tables.hosts.arbitration.low, (std::vector<qos::ArbEntry>{{Vl{0}, 8}, {Vl{1}, 16}}));
  EXPECT_EQ(options.tables.routers.arbitration.low, (std::vector<qos::ArbEntry>{{Vl{2}, 1}}));
  EXPECT_EQ(options.tables.switches.sl2vl[3], Vl{1});
  EXPECT_EQ(options.tables.switches.sl2vl[4], Vl{0}) << "what the list lacks is VL 0";
}

TEST(OpensmOptions, TellsWhatEachLineBecame) {
  const OpensmOptions options = options_of(
      "lmc 2\n"
      "qos FALSE\n"
      "qos_policy_file /etc/opensm/qos-policy.conf\n"
      "qos_max_vls 8\n"
      "qos_ca_vlarb_high 0:4\n"
      "qos_sw0_sl2vl 0,1\n"
      "qos_rtr_vlarb_low (null)\n"
      "qos_high_limit 3\n"
      "qos_high_limit 5\n"
      "qos_swe_weight 5\n"
      "use_optimized_slvl FALSE\n"
      "daemon FALSE\n"
      "max_op_vls 5\n");
  EXPECT_EQ(became(options, 1), "see lids.lmc");
  EXPECT_NE(became(options, 2).find("unless it is run with -Q"), std::string::npos);
  EXPECT_NE(became(options, 3).find("qos.opensm_file"), std::string::npos);
  EXPECT_EQ(options.policy_file, "/etc/opensm/qos-policy.conf");
  EXPECT_NE(became(options, 4).find("never uses it; links.max_vls"), std::string::npos);
  EXPECT_EQ(became(options, 5), "qos.tables.hosts.high");
  EXPECT_NE(became(options, 6).find("no effect: what a switch itself sends"), std::string::npos);
  EXPECT_EQ(became(options, 7), "not set: qos_vlarb_low counts");
  EXPECT_EQ(became(options, 8), "no effect: line 9 sets it again");
  EXPECT_EQ(became(options, 9), "qos.tables.all.high_limit");
  EXPECT_EQ(became(options, 10), "unknown to OpenSM 3.3, which overlooks it");
  EXPECT_NE(became(options, 11).find("always so here"), std::string::npos);
  EXPECT_EQ(became(options, 13), "see links.max_vls");
  EXPECT_EQ(options.others, std::vector<std::string>{"daemon"});
}

TEST(OpensmOptions, RefusesWhatOpensmWouldWrapOrTakeForZero) {
  const std::pair<std::string_view, std::string_view> bads[] = {
      {"qos_vlarb_high 15:4\n", "f:1:1: expects VL:WEIGHT, 0 to 14 and 0 to 255, not \"15:4\""},
      {"\nqos_ca_vlarb_low 1:256\n", "f:2:1: expects VL:WEIGHT"},
      {"qos_vlarb_low 1\n", "not \"1\""},
      {"qos_sl2vl 0,1,x\n", "expects VLs from 0 to 15, not \"x\""},
      {"qos_sl2vl 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,7,1\n", "expects at most 16 entries, not 17"},
      {"qos_high_limit 256\n", "expects a number from 0 to 255, or -1, not \"256\""},
      {"qos \xff\n", "f:1:5: "},
  };
  for (const auto& [text, says] : bads) {
    Report report{.source = "f"};
    (void)read_opensm_options(text, report);
    ASSERT_EQ(report.problems.size(), 1u) << text;
    EXPECT_NE(report.problems[0].find(says), std::string::npos) << report.problems[0];
  }
}

}  // namespace
}  // namespace weft::config
