#include "plan/view.h"

#include "plan/find.h"

#include <array>
#include <memory>

#include <gtest/gtest.h>

#include "tests/plan/addressed.h"
#include "tests/support/fabric_of.h"

namespace weft::plan {
namespace {

/// A chain of three switches with a host each.
class ViewOfAChain : public testing::Test {
 protected:
  fabric::PortRef host(std::size_t i) const {
    return *view().fabric->find_port(host_ports(*view().fabric).at(i));
  }
  fabric::PortRef port0(std::uint32_t i) const { return {view().fabric->switches()[i], PortNum{0}}; }
  Lid lid(fabric::PortRef port) const {
    return lid_of(*view().fabric, view().plan->lids, view().fabric->port(port).guid);
  }
  const View& view() const { return published_.view; }
  std::string text(fabric::PortRef port) const { return std::to_string(raw(lid(port))); }

  /// The same view with one table entry changed.
  View with_entry(std::uint32_t at, Lid to, PortNum port) const {
    auto plan = std::make_shared<Plan>(*view().plan);
    auto& row = plan->routing.routes.lfts[at];
    row = std::make_shared<routing::Lft>(row->with(std::array{routing::Lft::Entry{raw(to), raw(port)}}));
    View changed = view();
    changed.plan = std::move(plan);
    return changed;
  }

  Published published_{test::fabric_of("chain:3:hosts=1")};
};
using Path = ViewOfAChain;
using FindEndPort = ViewOfAChain;

TEST_F(Path, LeadsFromHostToHostHopByHop) {
  const Result<std::vector<Hop>> hops = path(view(), host(0), lid(host(2)));
  ASSERT_TRUE(hops) << hops.error().what;
  ASSERT_EQ(hops->size(), 4U);
  EXPECT_EQ(hops->front().out, host(0));
  EXPECT_EQ(hops->back().in, host(2));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ((*hops)[i].in.node, (*hops)[i + 1].out.node);
    EXPECT_EQ(view().fabric->port((*hops)[i].out).peer, (*hops)[i].in);
  }
}

TEST_F(Path, LeadsToAndFromSwitches) {
  const Result<std::vector<Hop>> to = path(view(), host(0), lid(port0(0)));
  ASSERT_TRUE(to) << to.error().what;
  EXPECT_EQ(to->size(), 1U);
  const Result<std::vector<Hop>> from = path(view(), port0(0), lid(host(0)));
  ASSERT_TRUE(from) << from.error().what;
  EXPECT_EQ(from->size(), 1U);
  EXPECT_EQ(from->back().in, host(0));
}

TEST_F(Path, IsEmptyToOneself) {
  EXPECT_TRUE(path(view(), host(1), lid(host(1)))->empty());
  EXPECT_TRUE(path(view(), port0(1), lid(port0(1)))->empty());
}

TEST_F(Path, EndsAtALidNobodyHas) {
  EXPECT_EQ(path(view(), host(0), Lid{999}).error().code, Errc::not_found);
  EXPECT_EQ(path(view(), host(0), kLidNone).error().code, Errc::not_found);
  View unplanned = view();
  unplanned.plan = nullptr;
  EXPECT_EQ(path(unplanned, host(0), Lid{1}).error().code, Errc::not_found);
}

TEST_F(Path, SaysWhereTablesLeadNowhere) {
  const Lid to = lid(host(2));
  const std::string middle = fabric::describe(view().fabric->node(SwitchId{1}));
  for (const PortNum port : {kPortDrop, PortNum{0}, PortNum{200}}) {
    const Result<std::vector<Hop>> hops = path(with_entry(1, to, port), host(0), to);
    ASSERT_FALSE(hops);
    EXPECT_EQ(hops.error().code, Errc::unsafe);
    EXPECT_NE(hops.error().what.find(middle), std::string::npos) << hops.error().what;
  }
}

TEST_F(Path, SaysWhenItEndsAtTheWrongHost) {
  const Lid to = lid(host(2));
  const fabric::PortRef wrong = *view().fabric->port(host(1)).peer;
  EXPECT_EQ(path(with_entry(1, to, wrong.port), host(0), to).error().code, Errc::unsafe);
}

TEST_F(Path, SaysWhenItGoesRound) {
  const Lid to = lid(host(2));
  const Result<std::vector<Hop>> there = path(view(), host(0), to);
  const PortNum back = (*there)[1].in.port;  // of the middle switch, towards the first
  const Result<std::vector<Hop>> hops = path(with_entry(1, to, back), host(0), to);
  ASSERT_FALSE(hops);
  EXPECT_NE(hops.error().what.find("loop"), std::string::npos);
}

TEST(PathBackToBack, IsOneHop) {
  fabric::Builder builder;
  for (const Guid guid : {Guid{1}, Guid{2}}) {
    fabric::Node node;
    node.guid = guid;
    node.port_count = 1;
    ASSERT_TRUE(builder.add_node(node));
    fabric::Port port;
    port.guid = guid;
    ASSERT_TRUE(builder.set_port(guid, PortNum{1}, port));
  }
  ASSERT_TRUE(builder.connect({Guid{1}, PortNum{1}}, {Guid{2}, PortNum{1}}));
  const Published published(builder.build());
  const Result<std::vector<Hop>> hops = path(published.view, {NodeId{0}, PortNum{1}}, Lid{2});
  ASSERT_TRUE(hops);
  ASSERT_EQ(hops->size(), 1U);
  EXPECT_EQ(hops->front().in, (fabric::PortRef{NodeId{1}, PortNum{1}}));
}

TEST(PathWithLmc, ReachesEveryLidOfARange) {
  Config config;
  config.lids.lmc = 2;
  const Published published(test::fabric_of("fat-tree:radix=4,levels=2"), config);
  const View& view = published.view;
  for (const auto& [guid, range] : *view.ledger.lids)
    for (int i = 0; i < range.size(); ++i) {
      const Result<std::vector<Hop>> hops = path(view, view.sm_port, static_cast<Lid>(raw(range.base) + i));
      EXPECT_TRUE(hops) << hops.error().what;
    }
}

TEST_F(FindEndPort, TakesTheFirstWordOfAName) {
  const std::string name = view().fabric->node(host(1).node).description;
  ASSERT_NE(name.find(' '), std::string::npos) << name;
  const Result<fabric::PortRef> found = find_end_port(view(), name.substr(0, name.find(' ')));
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_EQ(*found, host(1));
}

TEST_F(FindEndPort, KnowsLidsGuidsAndNames) {
  const fabric::Node& node = view().fabric->node(host(1).node);
  for (const std::string& word :
       {text(host(1)), to_string(node.guid), to_string(view().fabric->port(host(1)).guid), node.description})
    EXPECT_EQ(find_end_port(view(), word).value(), host(1)) << word;
  const fabric::Node& leaf = view().fabric->node(SwitchId{2});
  for (const std::string& word : {text(port0(2)), to_string(leaf.guid), leaf.description})
    EXPECT_EQ(find_end_port(view(), word).value(), port0(2)) << word;
}

TEST_F(FindEndPort, TakesTheFirstLinkedPortOfANode) {
  fabric::Builder builder = test::builder_from(*view().fabric);
  fabric::Node node;
  node.guid = Guid{0x500};
  node.port_count = 2;
  node.description = "two ports";
  ASSERT_TRUE(builder.add_node(node));
  fabric::Port first;
  first.guid = Guid{0x500};  // adapters often give their first port the node's GUID
  ASSERT_TRUE(builder.set_port(node.guid, PortNum{1}, first));
  const fabric::PortRef leaf = *view().fabric->port(host(0)).peer;
  fabric::Builder rewired =
      test::builder_from(test::without_node(builder.build(), view().fabric->node(host(0).node).guid));
  ASSERT_TRUE(rewired.connect({node.guid, PortNum{2}}, {view().fabric->node(leaf.node).guid, leaf.port}));
  const Published published(rewired.build());
  const NodeId id = *published.view.fabric->find(node.guid);
  for (const char* word : {"two ports", "0x500"})
    EXPECT_EQ(find_end_port(published.view, word).value(), (fabric::PortRef{id, PortNum{2}})) << word;
}

TEST_F(FindEndPort, PrefersTheExactNameToTheCase) {
  fabric::Builder builder = test::builder_from(*view().fabric);
  const auto name = [&](std::size_t i, std::string text) {
    builder.set_description(view().fabric->node(host(i).node).guid, std::move(text));
  };
  name(0, "Node");
  name(1, "node");
  name(2, "other");
  const Published published(builder.build());
  EXPECT_EQ(find_end_port(published.view, "node").value(), host(1));
  EXPECT_EQ(find_end_port(published.view, "OTHER").value(), host(2));
  const Result<fabric::PortRef> unclear = find_end_port(published.view, "NODE");
  ASSERT_FALSE(unclear);
  EXPECT_EQ(unclear.error().code, Errc::ambiguous);
  EXPECT_NE(unclear.error().what.find(to_string(view().fabric->node(host(0).node).guid)), std::string::npos);
}

TEST_F(FindEndPort, SaysWhatItDoesNotKnow) {
  for (const char* word : {"999", "nobody", "0x77", "", "70000"})
    EXPECT_EQ(find_end_port(view(), word).error().code, Errc::not_found) << word;
}

}  // namespace
}  // namespace weft::plan
