#include "daemon/link_health.h"

#include <gtest/gtest.h>

#include "fabric/without_links.h"
#include "tests/support/fabric_of.h"

namespace weft::daemon {
namespace {

using fabric::Fabric;
using fabric::PortRef;
using std::chrono::minutes;
using std::chrono::seconds;
using Sign = LinkHealth::Sign;

const LinkEnds kOne = link_ends({Guid{2}, PortNum{1}}, {Guid{1}, PortNum{7}});
const LinkEnds kOther = link_ends({Guid{1}, PortNum{8}}, {Guid{3}, PortNum{1}});

config::LinkHealthSettings settings() {
  config::LinkHealthSettings made;
  made.flaps = 3;
  made.errors = 5;
  made.window = minutes(10);
  return made;
}

TEST(LinkEnds, AreTheSameFromBothEnds) {
  EXPECT_EQ(kOne, link_ends({Guid{1}, PortNum{7}}, {Guid{2}, PortNum{1}}));
  EXPECT_EQ(kOne.a.node, Guid{1});
}

TEST(LinkHealth, CallsALinkBadThatGoesDownTooOften) {
  LinkHealth health(settings());
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(health.note(kOne, Sign::down, minutes(i)));
  const auto why = health.note(kOne, Sign::down, minutes(3));
  ASSERT_TRUE(why);
  EXPECT_EQ(*why, "it went down 4 times within 600s");
  EXPECT_EQ(health.bad(minutes(4)).count(kOne), 1u);
  EXPECT_TRUE(health.bad(minutes(14)).empty());
}

TEST(LinkHealth, CountsAnewAfterwards) {
  LinkHealth health(settings());
  for (int i = 0; i < 4; ++i) (void)health.note(kOne, Sign::down, seconds(i));
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(health.note(kOne, Sign::down, seconds(10 + i)));
  EXPECT_TRUE(health.note(kOne, Sign::down, seconds(20)));
}

TEST(LinkHealth, ForgetsWhatIsOld) {
  LinkHealth health(settings());
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(health.note(kOne, Sign::down, minutes(4 * i))) << i;
}

TEST(LinkHealth, KeepsLinksAndSignsApart) {
  LinkHealth health(settings());
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(health.note(kOne, Sign::down, seconds(i)));
    EXPECT_FALSE(health.note(kOther, Sign::down, seconds(i)));
    EXPECT_FALSE(health.note(kOne, Sign::error, seconds(i)));
  }
}

TEST(LinkHealth, TakesSeveralAtOnceAndNoneWhereTheLimitIsZero) {
  LinkHealth health(settings());
  EXPECT_TRUE(health.note(kOne, Sign::down, seconds(1), 1000));
  config::LinkHealthSettings off = settings();
  off.flaps = 0;
  health.set_settings(off);
  EXPECT_FALSE(health.note(kOther, Sign::down, seconds(1), 1000));
}

struct Drops {
  Fabric before = with_state(weft::test::fabric_of("fat-tree:radix=4"), PortState::active);
  PortRef link = between_switches();

  static Fabric with_state(const Fabric& fabric, PortState state) {
    std::vector<std::pair<PortRef, fabric::Port>> ports;
    for (std::size_t n = 0; n < fabric.node_count(); ++n)
      for (std::size_t p = 1; p < fabric.ports(static_cast<NodeId>(n)).size(); ++p) {
        fabric::Port port = fabric.ports(static_cast<NodeId>(n))[p];
        if (port.peer) port.state = state;
        ports.emplace_back(PortRef{static_cast<NodeId>(n), static_cast<PortNum>(p)}, port);
      }
    return fabric.with(ports);
  }
  PortRef between_switches() const {
    for (const NodeId id : before.switches())
      for (std::size_t p = 1; p < before.ports(id).size(); ++p)
        if (const auto& peer = before.ports(id)[p].peer; peer && before.is_switch(peer->node))
          return {id, static_cast<PortNum>(p)};
    return {};
  }
  Guid guid() const { return before.node(link.node).guid; }
};

TEST(DroppedLinks, AreThoseThatAreGone) {
  const Drops here;
  const PortRef gone[] = {here.link};
  const auto dropped = dropped_links(here.before, fabric::without_links(here.before, gone), {});
  ASSERT_EQ(dropped.size(), 1u);
  EXPECT_TRUE(dropped[0].a.node == here.guid() || dropped[0].b.node == here.guid());
  EXPECT_TRUE(dropped_links(here.before, here.before, {}).empty());
}

TEST(DroppedLinks, AreThoseThatStandInInitAgain) {
  const Drops here;
  fabric::Port port = here.before.port(here.link);
  port.state = PortState::init;
  const std::pair<PortRef, fabric::Port> changed[] = {{here.link, port}};
  const Fabric now = here.before.with(changed);
  EXPECT_EQ(dropped_links(here.before, now, {}).size(), 1u);
  EXPECT_TRUE(dropped_links(now, now, {}).empty()) << "told already";
}

TEST(DroppedLinks, DoNotCountAgainstSwitchesThatBootOrGo) {
  const Drops here;
  EXPECT_TRUE(dropped_links(here.before, weft::test::without_node(here.before, here.guid()), {}).empty());
  const PortRef gone[] = {here.link};
  EXPECT_TRUE(dropped_links(here.before, fabric::without_links(here.before, gone), {here.guid()}).empty());
}

TEST(DroppedLinks, CountForHostsThatGo) {
  const Drops here;
  for (const PortRef end : here.before.end_ports())
    if (!here.before.is_switch(end.node)) {
      const Guid host = here.before.node(end.node).guid;
      EXPECT_EQ(dropped_links(here.before, weft::test::without_node(here.before, host), {}).size(), 1u);
    }
}

}  // namespace
}  // namespace weft::daemon
