#include "topology/ibsim_file.h"

#include <gtest/gtest.h>

#include "shape.h"
#include "topology/blueprint.h"
#include "topology/load.h"

namespace weft::topology {
namespace {

Topology read(std::string_view text) {
  auto topology = read_ibsim(text, "t.net");
  EXPECT_TRUE(topology.has_value()) << (topology ? "" : topology.error().what);
  return topology ? *topology : Topology{};
}

const Node& node_of(const Topology& topology, std::string_view id) {
  return *std::ranges::find(topology.nodes, id, &Node::id);
}

TEST(IbsimFile, ComesBackFromWriting) {
  for (const char* text :
       {"fat-tree:radix=8,levels=3", "dragonfly:p=2,a=3,h=1", "ring:6:rails=2,rail-ports=1",
        "star:3:width=12x", "random:switches=9,hosts=21,radix=9,links=14:speed=NDR,fail-switches=1"}) {
    const Topology made = from_blueprint(text).value();
    const auto again = read_ibsim(write_ibsim(made), text);
    ASSERT_TRUE(again.has_value()) << again.error().what;
    EXPECT_EQ(*again, made) << text;
  }
}

TEST(IbsimFile, KeepsGuidsThatFollowNoRule) {
  Topology made = from_blueprint("star:2").value();
  made.nodes[0].port_guids[0] = made.nodes[0].guid;  // as new adapters have it
  made.nodes[1].system_guid = Guid{0x77};
  made.nodes[2].port_guids[0] = Guid{0x1234};
  made.nodes[2].enhanced_port0 = true;
  EXPECT_EQ(read_ibsim(write_ibsim(made), made.name).value(), made);
}

TEST(IbsimFile, ReadsAListingOfIbnetdiscover) {
  const Topology listed = load(WEFT_SOURCE_DIR "/tests/fabrics/tree-12.lst").value();
  const Topology net = load(WEFT_SOURCE_DIR "/tests/fabrics/tree-12.net").value();
  EXPECT_EQ(listed.nodes.size(), net.nodes.size());
  EXPECT_EQ(listed.cables.size(), net.cables.size());
  for (const Node& node : listed.nodes) {
    const auto same = std::ranges::find(net.nodes, node.guid, &Node::guid);
    ASSERT_NE(same, net.nodes.end());
    EXPECT_EQ(node.description, same->description);
    EXPECT_EQ(node.port_guids, same->port_guids);
    EXPECT_EQ(node.system_guid, same->system_guid);
    EXPECT_EQ(node.device, same->device);
    EXPECT_EQ(node.vendor, same->vendor);
  }
  for (const Cable& cable : listed.cables) EXPECT_EQ(cable.speed, LinkSpeed::edr);
}

TEST(IbsimFile, WritesListingsThatReadAsTheSameFabric) {
  const Topology made = from_blueprint("dragonfly:p=2,a=3,h=1").value();
  const std::string listing = write_ibnetdiscover(made);
  const Topology listed = read(listing);
  EXPECT_EQ(listed.nodes.front().type, NodeType::switch_);
  EXPECT_EQ(listed.cables.size(), made.cables.size());
  EXPECT_EQ(write_ibnetdiscover(read_ibsim(listing, made.name).value()), listing);
}

TEST(IbsimFile, NumbersGuidsAsIbsimDoes) {
  const Topology read_in = read(
      "Switch 4 \"a\"\n[1] \"x\"[1]\n\nswitchguid=0x5000(6000)\nSwitch 4 \"b\"\n\nSwitch 2 "
      "\"c\"\n\nswitchguid=+0x10\n"
      "Switch 2 \"d\"\n\nCa 2 \"x\"\n[1] \"a\"[1]\n\nCa 2 \"y\"\n\ncaguid=0x700\nHca 1 \"z\"\n\nCa 1 \"q\"\n"
      "\nCa 1 \"H-0002c90200000777\"\n");
  const auto guid = [&](std::string_view id) { return raw(node_of(read_in, id).guid); };
  EXPECT_EQ(guid("a"), 0x200000U);
  EXPECT_EQ(guid("b"), 0x5000U);
  EXPECT_EQ(raw(node_of(read_in, "b").port_guids[0]), 0x6000U);
  EXPECT_EQ(guid("c"), 0x5001U);
  EXPECT_EQ(guid("d"), 0x10U);
  EXPECT_EQ(guid("x"), 0x100000U);
  EXPECT_EQ(raw(node_of(read_in, "x").port_guids[1]), 0x100002U);
  EXPECT_EQ(guid("y"), 0x100003U);
  EXPECT_EQ(guid("z"), 0x700U);
  EXPECT_EQ(guid("q"), 0x702U);
  EXPECT_EQ(guid("H-0002c90200000777"), 0x0002c90200000777U);
}

TEST(IbsimFile, LeavesRoomForThePortGuidsOfARouter) {
  const Topology read_in = read("Rt 2 \"r\"\n\nSwitch 3 \"t\"\n");
  EXPECT_EQ(raw(node_of(read_in, "r").port_guids[1]), 0x200002u);
  EXPECT_EQ(raw(node_of(read_in, "t").guid), 0x200003u);
}

TEST(IbsimFile, TakesTheBestWidthAndSpeedBothEndsAllow) {
  const Topology links = read(
      "Switch 9 \"s\"\n[1] \"t\"[1] w=3 s=7 e=1\n[2] \"t\"[2] w=2 s=3\n[3] \"t\"[3] # lid 0 12xHDR\n[4] "
      "\"t\"[4]\n"
      "[5] \"t\"[5] s=7 e=15\n\nextspeed=2\nspeed=7\nwidth=1\nSwitch 9 \"t\"\n[1] \"s\"[1] w=3 s=7 e=3\n"
      "[2] \"s\"[2] w=3 s=1 e=0\n[3] \"s\"[3] # \"4xSDR\" lid 0 12xHDR\n[4] \"s\"[4]\n[5] \"s\"[5] e=12 "
      "w=16\n");
  ASSERT_EQ(links.cables.size(), 5U);
  const auto link = [&](std::size_t i) { return std::pair(links.cables[i].width, links.cables[i].speed); };
  EXPECT_EQ(link(0), std::pair(LinkWidth::x4, LinkSpeed::fdr));
  EXPECT_EQ(link(1), std::pair(LinkWidth::x4, LinkSpeed::sdr));
  EXPECT_EQ(link(2), std::pair(LinkWidth::x12, LinkSpeed::hdr));
  EXPECT_EQ(link(3), std::pair(LinkWidth::x1, LinkSpeed::edr));
  EXPECT_EQ(link(4), std::pair(LinkWidth::x2, LinkSpeed::ndr));
}

TEST(IbsimFile, TakesALinkThatSaysNothingFor4xSdr) {
  const Topology link = read("Switch 1 \"s\"\n[1] \"t\"[1]\nSwitch 1 \"t\"\n[1] \"s\"[1]\n");
  EXPECT_EQ(link.cables.at(0).width, LinkWidth::x4);
  EXPECT_EQ(link.cables.at(0).speed, LinkSpeed::sdr);
}

TEST(IbsimFile, ReadsModulesCommentsAndWhatIbsimIgnores) {
  const Topology read_in = read(
      "module=\"M1\"\r\n# a comment\r\nCa 2 \"y\"\r\n[1] \"sw\"[3]\r\n\r\nSwitch 4 \"sw\" # \"my switch\" "
      "enhanced port 0 lid 4 lmc 0\r\n"
      "[3] \"y\"[1]\n# between ports\n[4][ext 2] \"M2#z\"[1][ext 9](1234) # \"4xFOO\" lid 3 4xHDR\n\nChassis "
      "1 (guid 0x8f1)\n"
      "do Error \"sw\" 3\nmodule \"M2\"\nRt 2 \"z\"\n[1](0x99) \"M1#sw\"[4]\n");
  EXPECT_EQ(node_of(read_in, "M1#sw").description, "my switch");
  EXPECT_TRUE(node_of(read_in, "M1#sw").enhanced_port0);
  EXPECT_EQ(node_of(read_in, "M1#y").description, "M1#y");
  EXPECT_EQ(node_of(read_in, "M2#z").type, NodeType::router);
  EXPECT_EQ(raw(node_of(read_in, "M2#z").port_guids[0]), 0x99U);
  EXPECT_EQ(read_in.cables.size(), 2U);
}

struct BadNet {
  const char* text;
  const char* message;
};

class BadNetFile : public testing::TestWithParam<BadNet> {};

TEST_P(BadNetFile, IsRefusedWithItsLine) {
  const auto topology = read_ibsim(GetParam().text, "f");
  ASSERT_FALSE(topology.has_value());
  EXPECT_TRUE(topology.error().what.starts_with(GetParam().message)) << topology.error().what;
}

INSTANTIATE_TEST_SUITE_P(
    All, BadNetFile,
    testing::Values(
        BadNet{"", "f: no Switch or Ca record"},
        BadNet{"hello\nworld\n", "f: no Switch or Ca record in 2 lines"},
        BadNet{"\n[1] \"a\"[1]\n", "f:2: port outside of a"},
        BadNet{"Swich 2 \"a\"\n[1] \"b\"[1]\n", "f:2: port outside of a"},
        BadNet{"Switch \"a\"\n", "f:1: bad number of ports"},
        BadNet{"Switch 255 \"a\"\n", "f:1: bad number of ports"},
        BadNet{"Switch 0 \"a\"\n", "f:1: bad number of ports"},
        BadNet{"Switch 99999999999999999999999 \"a\"\n", "f:1: bad number"},
        BadNet{"Switch 2 a\n", "f:1: node id in quotes"}, BadNet{"Switch 2 \"a\n", "f:1: node id in quotes"},
        BadNet{"Switch 2 \"a b\"\n", "f:1: node id \"a b\" contains a blank"},
        BadNet{"Switch 2 \"a@1\"\n", "f:1: node id \"a@1\" contains a blank, quote, @"},
        BadNet{"module m@1\nSwitch 2 \"a\"\n", "f:2: node id \"m@1#a\" contains a blank, quote, @"},
        BadNet{"Switch 2 \"a\"\nSwitch 2 \"a\"\n", "f:2: node \"a\" is already at line 1"},
        BadNet{"Switch 2 \"a\"\n\nSwitch 2 \"\x01\"\n",
               "f:3: node id \"\x01\" contains a blank, quote, @ or control"},
        BadNet{"switchguid=0\nSwitch 2 \"a\"\n", "f:1: bad GUID"},
        BadNet{"switchguid=0x5(x)\n", "f:1: bad port GUID"},
        BadNet{"switchguid=5\nSwitch 2 \"a\"\nswitchguid=5\nSwitch 2 \"b\"\n",
               "f:4: node GUID 0x0000000000000005 is already that of the node at line 2"},
        BadNet{"caguid=4\nCa 1 \"a\"\n\nswitchguid=5\nSwitch 2 \"b\"\n", "f:5: port GUID"},
        BadNet{"devid=x\n", "f:1: bad number for devid"}, BadNet{"width=32\n", "f:1: bad number for width"},
        BadNet{"include \"x\"\n", "f:1: include is not read"},
        BadNet{"Switch 2 \"a\"\n[3] \"b\"[1]\n", "f:2: bad port number; \"a\" has ports 1 to 2"},
        BadNet{"Switch 2 \"a\"\n[x] \"b\"[1]\n", "f:2: bad port number"},
        BadNet{"Switch 2 \"a\"\n[1\n", "f:2: bad port number"},
        BadNet{"Switch 2 \"a\"\n[1]@\"x\"[1]\n", "f:2: port aliases"},
        BadNet{"Switch 2 \"a\"\n[1]\n", "f:2: the peer's node id"},
        BadNet{"Switch 2 \"a\"\n[1] \"b\"\n", "f:2: bad port number of the peer"},
        BadNet{"Switch 2 \"a\"\n[1] \"b\"[1]\n", "f:2: unknown node \"b\""},
        BadNet{"Switch 2 \"a\"\n[1] \"b\"[3]\nSwitch 2 \"b\"\n", "f:2: port 3 of \"b\", which has 2"},
        BadNet{"Switch 2 \"a\"\n[1] \"b\"[1]\nSwitch 2 \"b\"\n",
               "f:2: \"a\"[1] names \"b\"[1], which does not name it"},
        BadNet{"Switch 2 \"a\"\n[1] \"b\"[1]\nSwitch 2 \"b\"\n[1] \"a\"[2]\n",
               "f:2: \"a\"[1] names \"b\"[1], which names \"a\"[2] at line 4"},
        BadNet{"Switch 2 \"a\"\n[1] \"a\"[1]\n", "f:2: port 1 of \"a\" is cabled to itself"},
        BadNet{"Switch 2 \"a\"\n[1] \"b\"[1]\n[1] \"b\"[2]\n",
               "f:3: port 1 of \"a\" is already cabled at line 2"},
        BadNet{"Switch 2 \"a\"\n[1] \"b\"[1] w=99\n", "f:2: bad number for w="},
        BadNet{"Switch 2 \"a\"\n[1] \"b\"[1] z=1\n", "f:2: w=, s=, e="},
        BadNet{"Switch 2 \"a\"\n[1] \"b\"[1] # lid 0 4xFAST\n",
               "f:2: unknown link width or speed \"4xFAST\""},
        BadNet{"Switch 2 \"a\"\n[1] \"b\"[1] # lid 0 3xEDR\n", "f:2: unknown link width or speed \"3xEDR\""},
        BadNet{"Switch 2 \"a\"\n[1] \"b\"[1] w=1\nSwitch 2 \"b\"\n[1] \"a\"[1] w=2\n",
               "f:2: no width in common with the other end at line 4"},
        BadNet{"Switch 2 \"a\"\n[1] \"b\"[1] # 4xEDR\nSwitch 2 \"b\"\n[1] \"a\"[1] # 4xHDR\n",
               "f:2: no speed in common"}));

}  // namespace
}  // namespace weft::topology
