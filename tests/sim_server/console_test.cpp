// The commands of a running simulator.
#include "sim/server/console.h"

#include "mad/mlnx_device_info.h"

#include <gtest/gtest.h>

#include "tests/sim_server/counter.h"

namespace weft::sim {
namespace {

struct Bench {
  Counter counter;
  Faults faults{counter.lab.network};
  Console console;
  std::vector<std::uint32_t> dropped;
  Bench() {
    add_fabric_commands(console, counter.lab.network);
    add_fault_commands(console, faults);
    add_client_commands(console, counter.desk, [this](std::uint32_t number) {
      dropped.push_back(number);
      return number < 10;
    });
  }
};

TEST(Console, PartsWordsAndKeepsQuotedOnesTogether) {
  EXPECT_EQ(*words_of("  path \"a b\" c\t\"\" "), (Words{"path", "a b", "c", ""}));
  EXPECT_EQ(words_of("path \"a").error().code, Errc::malformed);
}

TEST(Console, RefusesWhatItDoesNotKnow) {
  Bench bench;
  EXPECT_EQ(bench.console.run("dance").error().code, Errc::not_found);
  EXPECT_EQ(bench.console.run("path h0").error().code, Errc::invalid);
  EXPECT_EQ(bench.console.run("counts nobody").error().code, Errc::not_found);
  EXPECT_EQ(bench.console.run("drop 11").error().code, Errc::not_found);
  EXPECT_EQ(*bench.console.run(""), "");
}

TEST(Console, HelpNamesEveryCommandAndVerb) {
  Bench bench;
  const std::string help = *bench.console.run("help");
  for (const char* name :
       {"status", "counts", "path", "clients", "drop", "cut", "mend", "reboot", "everywhere"})
    EXPECT_NE(help.find(std::string("\n") + name), std::string::npos) << name;
}

TEST(Console, DoesTheVerbsOfScripts) {
  Bench bench;
  ASSERT_TRUE(bench.console.run("cut s0[2]").has_value());
  EXPECT_FALSE(bench.counter.lab.world.link_up(bench.counter.lab.port("s0", 2)));
  ASSERT_TRUE(bench.console.run("mend s0[2]").has_value());
  EXPECT_TRUE(bench.counter.lab.world.link_up(bench.counter.lab.port("s0", 2)));
  EXPECT_FALSE(bench.console.run("cut s0[77]").has_value());
  ASSERT_TRUE(bench.console.run("rename \"h0 of the test\" to=\"a b\"").has_value());
  EXPECT_EQ(bench.counter.lab.world.node(bench.counter.lab.node("h0")).description, "a b");
}

TEST(Console, CountsByNode) {
  Bench bench;
  Client& client = bench.counter.attach(Client::Kind::wide, "h0");
  bench.counter.desk.take(client, wide_datagram(mad::to_mad(get(mad::AttrId::node_info, 0, {1})), 1));
  bench.counter.settle();
  EXPECT_NE(bench.console.run("counts s0")->find("NodeInfo"), std::string::npos);
  EXPECT_EQ(bench.console.run("counts s1")->find("NodeInfo"), std::string::npos);
}

TEST(Console, NamesAttributesByTheirClass) {
  Bench bench;
  sim::Lab& lab = bench.counter.lab;
  const NodeIndex node = lab.node("h0");
  lab.world.counters().add(node, mad::MgmtClass::perf, mad::Method::get, static_cast<mad::AttrId>(0x12));
  lab.world.counters().add(node, mad::MgmtClass::perf, mad::Method::get, static_cast<mad::AttrId>(0x15));
  lab.world.counters().add(node, mad::kMlnxClass, mad::Method::get, static_cast<mad::AttrId>(0x12));
  const std::string table = *bench.console.run("counts");
  EXPECT_NE(table.find("PortCounters "), std::string::npos) << table;
  EXPECT_NE(table.find("PortRcvErrorDetails"), std::string::npos) << table;
  EXPECT_NE(table.find("0x0012"), std::string::npos) << table;
  EXPECT_EQ(table.find("SwitchInfo"), std::string::npos) << table;
  EXPECT_EQ(table.find("PortInfo"), std::string::npos) << table;
}

TEST(Console, NamesTheClientsAndDropsThem) {
  Bench bench;
  bench.counter.attach(Client::Kind::stock, "h1");
  EXPECT_NE(bench.console.run("clients")->find("client=0 port=h1[1] kind=ibsim"), std::string::npos);
  EXPECT_TRUE(bench.console.run("drop 0").has_value());
  EXPECT_EQ(bench.dropped, std::vector<std::uint32_t>{0});
}

TEST(Console, TellsThePathAndWhereItEnds) {
  Bench bench;
  bench.counter.lab.make_active();
  EXPECT_NE(bench.console.run("path h0 h2")->find("h0[1]"), std::string::npos);
}

}  // namespace
}  // namespace weft::sim
