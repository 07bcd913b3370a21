#include "fabric/who.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/fabric_of.h"

namespace weft::fabric {
namespace {

class WhoIsMeant : public testing::Test {
 protected:
  const Fabric fabric_ = test::fabric_of("fat-tree:radix=4,levels=2");
  const PortRef self_ = fabric_.end_ports()[3];
  const Finder finder_{fabric_, self_};

  std::vector<std::string> found(const Who& who) const {
    std::vector<std::string> names;
    for (const std::uint32_t end : finder_.find(who)) {
      const PortRef port = fabric_.end_ports()[end];
      names.push_back(fabric_.node(port.node).description + "/" + to_string(port.port));
    }
    std::ranges::sort(names);
    return names;
  }
  std::size_t hosts() const { return fabric_.host_count(); }
};

TEST_F(WhoIsMeant, AllAndTheKindsOfNodes) {
  EXPECT_EQ(found({.kind = Who::Kind::all}).size(), fabric_.end_ports().size());
  EXPECT_EQ(found({.kind = Who::Kind::hosts}).size(), hosts());
  EXPECT_EQ(found({.kind = Who::Kind::switches}).size(), fabric_.switch_count());
  EXPECT_TRUE(found({.kind = Who::Kind::routers}).empty());
  EXPECT_EQ(finder_.find({.kind = Who::Kind::self}), std::vector<std::uint32_t>{3});
}

TEST_F(WhoIsMeant, NamesAndGlobsWhateverTheirCase) {
  const std::string first = fabric_.node(fabric_.end_ports()[3].node).description;
  EXPECT_EQ(found({.kind = Who::Kind::name, .name = first}).size(), 1u);
  std::string loud = first;
  std::ranges::transform(loud, loud.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  EXPECT_EQ(found({.kind = Who::Kind::name, .name = loud}), found({.kind = Who::Kind::name, .name = first}));
  EXPECT_EQ(found({.kind = Who::Kind::name, .name = "*"}).size(), fabric_.end_ports().size());
  EXPECT_TRUE(found({.kind = Who::Kind::name, .name = "nobody*"}).empty());
}

TEST_F(WhoIsMeant, AGuidIsAPortOrAllPortsOfANode) {
  const PortRef port = fabric_.end_ports()[3];
  EXPECT_EQ(finder_.find({.kind = Who::Kind::guid, .guid = fabric_.port(port).guid}),
            std::vector<std::uint32_t>{3});
  EXPECT_EQ(finder_.find({.kind = Who::Kind::guid, .guid = fabric_.node(port.node).guid}),
            std::vector<std::uint32_t>{3});
  EXPECT_TRUE(finder_.find({.kind = Who::Kind::guid, .guid = Guid{0xdead}}).empty());
}

TEST_F(WhoIsMeant, ARangeOfGuidsIsAllPortsInIt) {
  const Guid low = fabric_.port(fabric_.end_ports()[2]).guid;
  const Guid high = fabric_.port(fabric_.end_ports()[5]).guid;
  for (const std::uint32_t end : finder_.find({.kind = Who::Kind::guid, .guid = low, .last = high})) {
    EXPECT_GE(fabric_.port(fabric_.end_ports()[end]).guid, low);
    EXPECT_LE(fabric_.port(fabric_.end_ports()[end]).guid, high);
  }
  EXPECT_GE(finder_.find({.kind = Who::Kind::guid, .guid = low, .last = high}).size(), 2u);
  EXPECT_EQ(finder_.find({.kind = Who::Kind::guid, .guid = Guid{1}, .last = Guid{~0ull}}).size(),
            fabric_.end_ports().size());
}

TEST_F(WhoIsMeant, APortOfASwitchIsWhatHangsThere) {
  const PortRef host = *std::ranges::find_if(fabric_.end_ports(),
                                             [this](PortRef port) { return !fabric_.is_switch(port.node); });
  const PortRef leaf = *fabric_.port(host).peer;
  const Who who{.kind = Who::Kind::port, .name = fabric_.node(leaf.node).description, .port = leaf.port};
  ASSERT_EQ(finder_.find(who).size(), 1u);
  EXPECT_EQ(fabric_.end_ports()[finder_.find(who)[0]], host);
  const Who by_guid{.kind = Who::Kind::port, .guid = fabric_.node(leaf.node).guid, .port = leaf.port};
  EXPECT_EQ(finder_.find(by_guid), finder_.find(who));
  Who trunk = who;
  for (std::size_t p = 1; p < fabric_.ports(leaf.node).size(); ++p) {
    const auto& peer = fabric_.ports(leaf.node)[p].peer;
    if (peer && fabric_.is_switch(peer->node)) trunk.port = static_cast<PortNum>(p);
  }
  EXPECT_TRUE(finder_.find(trunk).empty()) << "a trunk has no member behind it";
  Who beyond = who;
  beyond.port = PortNum{200};
  EXPECT_TRUE(finder_.find(beyond).empty());
}

}  // namespace
}  // namespace weft::fabric
