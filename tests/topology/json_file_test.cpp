#include "topology/json_file.h"

#include <gtest/gtest.h>

#include "topology/blueprint.h"

namespace weft::topology {
namespace {

TEST(JsonFile, ComesBackFromWritingExactly) {
  Topology made = from_blueprint("ring:6:rails=2,rail-ports=1,hosts=2").value();
  made.name = "a \"name\" with \\ and \xc3\xa9";
  made.nodes[0].description = "say \"hello\"";
  made.nodes[0].system_guid = Guid{5};
  made.nodes[1].port_guids[1] = Guid{0x1234};
  made.nodes.back().enhanced_port0 = true;
  made.nodes.back().type = NodeType::router;
  made.nodes.back().port_guids = {Guid{1}, Guid{2}, Guid{3}, Guid{4}};
  made.nodes.back().port_count = 4;
  std::swap(made.cables[3], made.cables[7]);
  std::swap(made.cables[3].a, made.cables[3].b);
  made.cables[0].width = LinkWidth::x2;
  made.cables[0].speed = LinkSpeed::fdr10;
  const auto again = read_json(write_json(made), "t.json");
  ASSERT_TRUE(again.has_value()) << again.error().what;
  EXPECT_EQ(*again, made);
}

TEST(JsonFile, FillsInWhatIsLeftOut) {
  const auto read = read_json(
      R"({"weft_topology": 1, "nodes": [{"id": "h", "type": "hca", "guid": "0x10", "ports": 2},
          {"id": "s", "type": "switch", "guid": "0x20", "ports": 4}], "cables": [["h", 2, "s", 4, "4x", "NDR"]]})",
      "t.json");
  ASSERT_TRUE(read.has_value()) << read.error().what;
  EXPECT_EQ(read->nodes[0].port_guids, (std::vector<Guid>{Guid{0x11}, Guid{0x12}}));
  EXPECT_EQ(read->nodes[0].description, "h");
  EXPECT_EQ(read->nodes[1].port_guids, std::vector<Guid>{Guid{0x20}});
  EXPECT_EQ(read->nodes[1].system_guid, Guid{0x20});
  EXPECT_EQ(read->cables[0], (Cable{{0, PortNum{2}}, {1, PortNum{4}}, LinkWidth::x4, LinkSpeed::ndr}));
}

struct BadText {
  const char* text;
  const char* message;
};

class BadJson : public testing::TestWithParam<BadText> {};

TEST_P(BadJson, IsRefusedWithItsPlace) {
  const auto topology = read_json(GetParam().text, "f");
  ASSERT_FALSE(topology.has_value());
  EXPECT_TRUE(topology.error().what.starts_with(GetParam().message)) << topology.error().what;
}

#define WITH_NODES(nodes) "{\"weft_topology\": 1, \"nodes\": [" nodes "]}"
#define WITH_CABLE(cable)                                                                                   \
  "{\"weft_topology\": 1, \"nodes\": [{\"id\": \"s\", \"type\": \"switch\", \"guid\": \"0x2\", \"ports\": " \
  "4}],"                                                                                                    \
  "\"cables\": [" cable "]}"

INSTANTIATE_TEST_SUITE_P(
    All, BadJson,
    testing::Values(
        BadText{"", "f:1: "}, BadText{"{\n\n\"a\": x}", "f:3: "}, BadText{"{} {}", "f:1: "},
        BadText{"[]", "f: not a JSON object"}, BadText{"{}", "f: \"weft_topology\": 1 is missing"},
        BadText{"{\"weft_topology\": 2}", "f: \"weft_topology\": 1"},
        BadText{"{\"weft_topology\": 1, \"node\": []}", "f: file: unknown key \"node\""},
        BadText{"{\"weft_topology\": 1, \"nodes\": {}}", "f: file: nodes is not a list"},
        BadText{WITH_NODES("7"), "f:1: nodes[0]: not an object"},
        BadText{WITH_NODES("{\"id\": 7}"), "f:1: nodes[0]: id is not a string"},
        BadText{WITH_NODES("{\"id\": \"a\", \"type\": \"hub\"}"), "f:1: nodes[0]: type is none of"},
        BadText{WITH_NODES("{\"id\": \"a\", \"type\": \"hca\", \"guid\": 7}"),
                "f:1: nodes[0]: guid is not a GUID"},
        BadText{WITH_NODES("{\"id\": \"a\", \"type\": \"hca\", \"ports\": 300}"),
                "f:1: nodes[0]: ports is not"},
        BadText{WITH_NODES("{\"id\": \"a\", \"type\": \"hca\", \"guid\": \"0x1\", \"ports\": 1, \"x\": 1}"),
                "f:1: nodes[0]: unknown key \"x\""},
        BadText{WITH_NODES("{\"id\": \"a\", \"type\": \"hca\", \"guid\": \"0x1\", \"ports\": 0}"),
                "f:1: a: 0 ports"},
        BadText{WITH_CABLE("3"), "f:1: cables[0]: not ["},
        BadText{WITH_CABLE("[\"t\", 1, \"s\", 2, \"4x\", \"HDR\"]"), "f:1: cables[0]: unknown node \"t\""},
        BadText{WITH_CABLE("[\"s\", 0, \"s\", 2, \"4x\", \"HDR\"]"), "f:1: cables[0]: bad port number of s"},
        BadText{WITH_CABLE("[\"s\", 1, \"s\", 2, \"5x\", \"HDR\"]"), "f:1: cables[0]: bad link width"},
        BadText{WITH_CABLE("[\"s\", 1, \"s\", 5, \"4x\", \"HDR\"]"), "f:1: cable 0 ends at port 5 of s"},
        BadText{
            WITH_CABLE("\n[\"s\", 1, \"s\", 2, \"4x\", \"HDR\"],\n\n[\"s\", 3, \"s\", 2, \"4x\", \"HDR\"]"),
            "f:4: port 2 of s is cabled twice"}));

TEST(JsonFile, NamesTheLineOfWhatIsWrongWhateverStandsAround) {
  const auto refusal = [](std::string_view text) { return read_json(text, "f").error().what; };
  const std::string begin = "{\n\"name\": \"cables [ { \\\" ,\",\n\"weft_topology\": 1,\n";
  const std::string nodes =
      "\"nodes\": [{\"id\": \"a\", \"type\": \"switch\", \"guid\": \"0x2\", \"ports\": 4,\n"
      "\"port_guids\": [\"0x2\"]},\n{\"id\": \"b\", \"type\": \"switch\",\n\"guid\": \"GUID\", \"ports\": "
      "4}\n]";
  const auto with_guid = [&](const char* guid) {
    std::string made = nodes;
    return made.replace(made.find("GUID"), 4, guid);
  };
  EXPECT_EQ(refusal(begin + with_guid("0x2") + "}"),
            "f:6: b: node GUID 0x0000000000000002 is another node's too");
  const std::string cables =
      ",\n\"cables\": [[\"a\", 1, \"b\", 1, \"4x\", \"HDR\"],\n[\"a\", 2, \"c\", 1, \"4x\", \"HDR\"]]}";
  EXPECT_EQ(refusal(begin + with_guid("0x3") + cables), "f:10: cables[1]: unknown node \"c\"");
}

}  // namespace
}  // namespace weft::topology
