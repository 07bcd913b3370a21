#include "daemon/advice.h"

#include <gtest/gtest.h>

#include "canned.h"

namespace weft::daemon {
namespace {

Status well() {
  Status status;
  status.state = State::master;
  status.store = "ok";
  return status;
}

/// "severity: text -> todo command" of each.
std::vector<std::string> told(const Status& status, const plan::View* view = nullptr) {
  std::vector<std::string> lines;
  for (const Advice& one : advice_of(status, view))
    lines.push_back(fmt::format("{}: {} -> {} {}", name(one.severity), one.text, one.todo, one.command));
  return lines;
}

bool has(const std::string& line, std::string_view part) { return line.find(part) != std::string::npos; }

TEST(Advice, IsNoneWhereNothingIsWrong) { EXPECT_TRUE(told(well(), test::planned_view().get()).empty()); }

TEST(Advice, TellsAtEachProblemWhatToDo) {
  Status status = well();
  status.problems.push_back({Guid{0x2000}, "PortInfo of port 7: no answer"});
  status.problems.push_back({Guid{}, "levels are not as set", "Mend them, then:", "systemctl reload weftd"});
  status.missing.push_back("link 0x1 (a) port 1 to 0x2 (b) port 2 was there before");
  status.missing.push_back("hca 0x3 (h) was there before");
  status.dirty.push_back({Guid{0x2001}, "LinearForwardingTable block 3", "timeout"});
  const auto view = test::planned_view();
  const auto lines = told(status, view.get());
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_TRUE(has(lines[0], "error: 0x0000000000002000 (leaf-0): PortInfo of port 7: no answer -> "))
      << lines[0];
  EXPECT_TRUE(has(lines[0], "weftctl sweep"));
  EXPECT_EQ(lines[1], "error: levels are not as set -> Mend them, then: systemctl reload weftd");
  EXPECT_TRUE(has(lines[2], "Check the cable and both its plugs") && has(lines[2], "weftctl accept"))
      << lines[2];
  EXPECT_TRUE(has(lines[3], "Check its power and cables")) << lines[3];
  EXPECT_TRUE(has(lines[4],
                  "warning: 0x0000000000002001 (leaf-1): LinearForwardingTable block 3 not written: timeout"))
      << lines[4];
}

TEST(Advice, BeginsWithTheWorst) {
  Status status = well();
  status.unmatched.push_back("root x is not in the fabric");
  status.problems.push_back({Guid{1}, "is drained", "Give it back:", "weftctl undrain x", Severity::info});
  status.problems.push_back({Guid{2}, "is slow", "Reseat it.", "", Severity::warning});
  status.store = "disk is full";
  const auto lines = told(status);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_TRUE(has(lines[0], "error: state file: disk is full"));
  EXPECT_TRUE(has(lines[1], "warning: "));
  EXPECT_TRUE(has(lines[2], "weftctl undrain x"));
  EXPECT_TRUE(has(lines[3], "weftctl config show"));
}

TEST(Advice, FitsTheState) {
  Status status = well();
  status.state = State::standby;
  EXPECT_TRUE(has(told(status).at(0), "info: this manager is standby"));
  EXPECT_TRUE(has(told(status).at(0), "weftctl hand-over"));
  status.state = State::waiting_for_device;
  status.text = "load ib_umad";
  EXPECT_EQ(told(status).at(0), "error: there is no usable port -> load ib_umad ");
  status.state = State::failed;
  EXPECT_TRUE(has(told(status).at(0), "weftctl explain sweep"));
}

TEST(Advice, NamesLinksThatAreNotActive) {
  auto view = std::make_shared<plan::View>(*test::planned_view());
  const NodeId leaf = *view->fabric->find(Guid{0x2000});
  std::vector<std::pair<fabric::PortRef, fabric::Port>> changed;
  for (const int number : {1, 2, 3, 4}) {
    const fabric::PortRef ref{leaf, static_cast<PortNum>(number)};
    fabric::Port port = view->fabric->port(ref);
    port.state = PortState::init;
    changed.emplace_back(ref, port);
  }
  view->fabric = std::make_shared<const fabric::Fabric>(view->fabric->with(changed));
  const auto lines = told(well(), view.get());
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(has(lines[0], "error: 4 links are not active: link 0x")) << lines[0];
  EXPECT_TRUE(has(lines[0], " and 1 more -> ")) << lines[0];
}

TEST(Advice, CountsWhatIsTooMuchToTell) {
  Status status = well();
  for (int i = 0; i < 250; ++i) status.missing.push_back(fmt::format("hca 0x{:x} (h) was there before", i));
  const auto lines = told(status);
  ASSERT_EQ(lines.size(), kAdviceOfAKind + 1);
  EXPECT_TRUE(has(lines.back(), "and 150 more like the 100 before")) << lines.back();
}

}  // namespace
}  // namespace weft::daemon
