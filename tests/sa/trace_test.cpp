// GetTraceTable: conformance case A11, and what a trace tells.

#include <gtest/gtest.h>

#include "tests/sa/desk.h"

namespace weft::sa {
namespace {

using mad::Method;
using mad::SaAttr;
using mad::TraceRecord;

Answer trace(Desk& desk, std::uint64_t mask, const mad::PathRecord& asked) {
  return desk.ask(Method::get_trace_table, SaAttr::path_record, mask, asked);
}

TEST(A11, ATraceNamesEveryNodeOfThePath) {
  Desk desk;
  mad::PathRecord asked;
  asked.sgid = desk.gid_of("HcaB");
  asked.dgid = desk.gid_of("HcaC");
  const Answer found = trace(desk, bits({2, 3}), asked);
  ASSERT_EQ(found.status, 0);
  EXPECT_EQ(found.method, Method::get_table_resp);
  EXPECT_EQ(found.attribute, SaAttr::trace_record);
  EXPECT_TRUE(found.table);
  EXPECT_EQ(found.offset, 6);
  ASSERT_EQ(count(found), 4u) << "B, its switch, C's switch, C";
  const auto first = record<TraceRecord>(found, 0);
  EXPECT_EQ(first.exit_guid, desk.guid_of("HcaB"));
  EXPECT_EQ(first.node_type, NodeType::hca);
  EXPECT_EQ(first.entry_port, PortNum{0});
  EXPECT_EQ(first.exit_port, PortNum{1});
  const auto second = record<TraceRecord>(found, 1);
  EXPECT_EQ(second.node, desk.guid_of("S1"));
  EXPECT_EQ(second.node_type, NodeType::switch_);
  EXPECT_EQ(second.entry_port, PortNum{2});
  EXPECT_GE(raw(second.exit_port), 7);
  EXPECT_EQ(record<TraceRecord>(found, 2).entry_port, second.exit_port) << "cabled straight";
  const auto last = record<TraceRecord>(found, 3);
  EXPECT_EQ(last.entry_guid, desk.guid_of("HcaC"));
  EXPECT_EQ(last.exit_port, PortNum{0});
}

TEST(A11, ATraceNeedsBothEndsAndAPath) {
  Desk desk;
  mad::PathRecord asked;
  asked.sgid = desk.gid_of("HcaB");
  asked.dgid = {kLinkLocalPrefix, 0xdead};
  EXPECT_EQ(trace(desk, bit(3), asked).status, 0x0600);
  const Answer none = trace(desk, bits({2, 3}), asked);
  EXPECT_EQ(none.status, 0);
  EXPECT_EQ(none.offset, 0);
  asked.dgid = asked.sgid;
  EXPECT_EQ(count(trace(desk, bits({2, 3}), asked)), 1u) << "to itself";
}

TEST(A11, NodesOfOtherPartitionsHaveNoNames) {
  Desk desk(two_switches(), {}, [](const fabric::Fabric& fabric, plan::Plan& plan) {
    for (const fabric::PortRef end : fabric.end_ports())
      if (!fabric.is_switch(end.node))
        plan.partitions.tables.set(fabric.node(end.node).first_port + raw(end.port), {Pkey{0x8011}});
  });
  mad::PathRecord asked;
  asked.sgid = desk.gid_of("HcaB");
  asked.dgid = desk.gid_of("HcaC");
  const Answer found = trace(desk, bits({2, 3}), asked);
  ASSERT_EQ(count(found), 4u);
  EXPECT_EQ(record<TraceRecord>(found, 1).node, Guid{});
  EXPECT_NE(record<TraceRecord>(found, 1).exit_port, PortNum{0});
  EXPECT_NE(record<TraceRecord>(found, 3).node, Guid{});
}

}  // namespace
}  // namespace weft::sa
