#include "config/qos_tables.h"

#include <gtest/gtest.h>

#include "config/read.h"

namespace weft::config {
namespace {

constexpr std::string_view kLanes = "sl2vl: [0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 15]";

Result<Loaded> with_tables(std::string_view text) {
  return read_text("qos:\n  tables: " + std::string(text) + "\n", "f");
}

TEST(TypedTables, AreReadKindByKindOverWhatAllHave) {
  const auto loaded =
      with_tables(fmt::format("{{ all: {{ {}, high: [], low: [ 0:4, 1:8, 2:0, 3:255 ], high_limit: 2 }}, "
                              "switches: {{ high: [ '2:1' ] }} }}",
                              kLanes));
  ASSERT_TRUE(loaded) << loaded.error().what;
  const auto& tables = loaded->settings.plan.qos.tables;
  ASSERT_TRUE(tables);
  EXPECT_EQ(tables->hosts, tables->routers);
  EXPECT_EQ(tables->hosts.sl2vl[3], Vl{3});
  EXPECT_EQ(tables->hosts.arbitration.low[3], (qos::ArbEntry{Vl{3}, 255}));
  EXPECT_EQ(tables->switches.arbitration.high, (std::vector<qos::ArbEntry>{{Vl{2}, 1}}));
  EXPECT_EQ(tables->switches.arbitration.high_limit, 2);
  ASSERT_EQ(loaded->notes.size(), 2u) << "hosts and routers";
  EXPECT_NE(loaded->notes[0].find("hosts: SLs lead to VL 2, which has no weight"), std::string::npos)
      << loaded->notes[0];
}

TEST(TypedTables, TellWhatIsWrongAndWhere) {
  const auto all = [](std::string_view fields) { return fmt::format("{{ all: {{ {} }} }}", fields); };
  const std::pair<std::string, std::string_view> bads[] = {
      {all(kLanes), "f:2:11: qos.tables: hosts lack high; give it there, or under all"},
      {"[]", "expects qos.tables, a map of all, hosts, routers and switches"},
      {"{ leafs: {} }", "qos.tables has no \"leafs\""},
      {all("sl2vl: [0, 1], high: [], low: []"), "expects 16 VLs from 0 to 15, one for each SL, not 2"},
      {all("sl2vl: [16]"), "f:2:28: qos.tables: expects a VL from 0 to 15, not \"16\""},
      {all("high: [ 15:1 ]"), "expects VL:WEIGHT, 0 to 14 and 0 to 255, not \"15:1\""},
      {all("high: [ 1:256 ]"), "not \"1:256\""},
      {all("high: [ 1 ]"), "not \"1\""},
      {all("high: 1"), "expects a list of VL:WEIGHT"},
      {all("high_limit: 256"), "from 0 to 255"},
      {all("sl2vl: [15, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 15], high: [], low: [ 0:1 ]"),
       "f:2:3: qos.tables: SL 0 is dropped (VL 15), and ports reach the subnet manager by it"},
  };
  for (const auto& [text, says] : bads) {
    const auto loaded = with_tables(text);
    ASSERT_FALSE(loaded) << text;
    EXPECT_NE(loaded.error().what.find(says), std::string::npos) << text << "\n" << loaded.error().what;
  }
  std::string entries = "0:1";
  for (int i = 0; i < 64; ++i) entries += ", 0:1";
  EXPECT_NE(with_tables(all("low: [" + entries + "]")).error().what.find("at most 64 entries, not 65"),
            std::string::npos);
}

TEST(TypedTables, AndLevelsThatTheyLeaveWithoutEffect) {
  const std::string tables =
      fmt::format("  tables: {{ all: {{ {}, high: [], low: [ 0:1, 1:1, 2:1, 3:1 ] }} }}\n", kLanes);
  const auto noted = read_text("qos:\n  levels: { a: { sl: 1, weight: 3 }, b: {} }\n" + tables, "f");
  ASSERT_TRUE(noted) << noted.error().what;
  EXPECT_EQ(noted->notes,
            std::vector<std::string>{
                "f:2:3: qos.levels: weight and priority of \"a\" have no effect beside qos.tables"});
  const auto dropped = read_text("qos:\n  levels: { a: { sl: 15 } }\n" + tables, "f");
  EXPECT_FALSE(dropped);
}

}  // namespace
}  // namespace weft::config
