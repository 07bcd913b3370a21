// weftd on a real ibsim, through the native client and through libibumad; the field's own tools are the
// judges.

#include <csignal>
#include <random>
#include <regex>

#include <gtest/gtest.h>

#include "tests/support/ibsim_process.h"
#include "tests/system/programs.h"
#include "tests/system/two_daemons.h"
#include "topology/ibsim_file.h"
#include "topology/load.h"

namespace weft::system_test {
namespace {

using tests::IbsimProcess;
using tests::TempDir;

enum class Way { native, umad };

struct Scene {
  Scene(const std::string& fabric, Way way)
      : topology(*topology::load(fabric)),
        ibsim({.net = topology::write_ibsim(topology),
               .net_file = {},
               .socket_name = {},
               .arguments = {"-L", "49152", "-N", "4096", "-S", "1024", "-P", "65536"},
               .patience = std::chrono::seconds(60)}),
        way_of_daemon(way) {
    write_config("");
  }

  void write_config(const std::string& more) const {
    const std::string transport =
        way_of_daemon == Way::umad
            ? "transport: { kind: umad }\n"
            : "transport: { kind: ibsim, ibsim: { socket: " + ibsim.socket_name() + " } }\n";
    write_file(path("weft.yaml"), transport + "control: { socket: " + path("sock") +
                                      " }\nstate_dir: " + path("state") + "\n" + more);
    std::filesystem::create_directory(path("state"));
  }
  std::string path(const std::string& name) const { return (directory.path() / name).string(); }
  Environment environment() const {
    return way_of_daemon == Way::umad ? under_ibsim(ibsim.socket_name()) : Environment{};
  }
  std::string command(const std::string& arguments = "") const {
    return program("weftd") + " --config " + path("weft.yaml") + " " + arguments;
  }
  Output once() const { return run(command("--once"), environment(), directory.path()); }
  Output ctl(const std::string& arguments) const {
    return run(program("weftctl") + " --socket " + path("sock") + " " + arguments);
  }
  /// A tool of infiniband-diags, at the last host of the fabric.
  Output tool(const std::string& command_line) const {
    std::string last;
    for (const topology::Node& node : topology.nodes)
      if (node.type == NodeType::hca) last = node.id;
    return run(command_line, under_ibsim(ibsim.socket_name(), last), directory.path());
  }
  bool is_up() const {
    const Output status = ctl("status --json");
    return status.text.find("\"state\":\"master\"") != std::string::npos &&
           status.text.find("\"clean\":true") != std::string::npos;
  }
  std::vector<const topology::Node*> of(NodeType type) const {
    std::vector<const topology::Node*> nodes;
    for (const topology::Node& node : topology.nodes)
      if (node.type == type) nodes.push_back(&node);
    return nodes;
  }

  topology::Topology topology;
  TempDir directory;
  IbsimProcess ibsim;
  Way way_of_daemon;
};

/// From the lines `[1](guid) "S-..."[7]  # lid 12 lmc 0 ...` of an ibnetdiscover listing.
std::vector<std::string> host_lids(const std::string& listing) {
  std::vector<std::string> lids;
  const std::regex port(R"(\n\[1\]\([0-9a-f]+\)[^\n]*# lid (\d+) lmc)");
  for (std::sregex_iterator at(listing.begin(), listing.end(), port), end; at != end; ++at)
    lids.push_back((*at)[1]);
  return lids;
}

class OnIbsim : public testing::TestWithParam<std::tuple<const char*, Way>> {};

TEST_P(OnIbsim, ToolsOfTheFieldAgreeThatTheFabricIsUp) {
  const auto [fabric, way] = GetParam();
  Scene scene(fabric, way);
  Background daemon(scene.command(), scene.environment(), scene.directory.path(), scene.path("log"));
  ASSERT_TRUE(eventually([&] { return scene.is_up(); }, std::chrono::seconds(60))) << daemon.log();

  const Output links = scene.tool("iblinkinfo");
  EXPECT_EQ(count_of(links.text, "Initialize/"), 0u);
  EXPECT_EQ(count_of(links.text, "Armed/"), 0u);
  std::size_t switch_ends = 0;
  for (const topology::Cable& cable : scene.topology.cables)
    for (const topology::End end : {cable.a, cable.b})
      if (scene.topology.nodes[end.node].type == NodeType::switch_) ++switch_ends;
  EXPECT_EQ(count_of(links.text, "Active/"), switch_ends + scene.of(NodeType::hca).size())
      << links.text.substr(0, 2000);

  const Output listing = scene.tool("ibnetdiscover");
  EXPECT_EQ(count_of(listing.text, "\nSwitch\t"), scene.of(NodeType::switch_).size());
  EXPECT_EQ(count_of(listing.text, "\nCa\t"), scene.of(NodeType::hca).size());

  const Output master = scene.tool("sminfo");
  EXPECT_NE(master.text.find("SMINFO_MASTER"), std::string::npos) << master.text;

  std::mt19937 random(7);
  const std::vector<std::string> lids = host_lids(listing.text);
  ASSERT_EQ(lids.size(), scene.of(NodeType::hca).size());
  for (int i = 0; i < 8; ++i) {
    const std::string& a = lids[random() % lids.size()];
    const std::string& b = lids[random() % lids.size()];
    if (a == b) continue;
    const Output trace = scene.tool("ibtracert " + a + " " + b);
    EXPECT_EQ(trace.status, 0) << trace.text;
  }

  const Output dump = scene.ctl("dump --opensm " + scene.path("dump"));
  EXPECT_EQ(dump.status, 0) << dump.text;
  write_file(scene.path("dump/opensm.mcfdbs"), read_file(scene.path("dump/opensm.mcfdbs")));
  const Output judged =
      run("ibdmchk -s opensm-subnet.lst -f opensm.fdbs -m opensm.mcfdbs -c opensm.psl -d opensm.slvl", {},
          scene.path("dump"));
  EXPECT_NE(judged.text.find("no credit loops found"), std::string::npos) << judged.text;
  EXPECT_EQ(judged.text.find("-E-"), std::string::npos) << judged.text;

  daemon.signal(SIGTERM);
  EXPECT_EQ(daemon.wait(std::chrono::seconds(5)), 0) << daemon.log();
}

TEST_P(OnIbsim, StartingAgainSendsNoSet) {
  const auto [fabric, way] = GetParam();
  Scene scene(fabric, way);
  const Output first = scene.once();
  ASSERT_EQ(first.status, 0) << first.text;
  const Output second = scene.once();
  EXPECT_EQ(second.status, 0) << second.text;
  EXPECT_NE(second.text.find(" sets=0 "), std::string::npos) << second.text;
}

INSTANTIATE_TEST_SUITE_P(Fabrics, OnIbsim,
                         testing::Combine(testing::Values("fat-tree:radix=36", "fat-tree:radix=12,levels=3",
                                                          "dragonfly:p=4,a=8,h=1",
                                                          WEFT_SOURCE_DIR "/tests/fabrics/tree-12.lst"),
                                          testing::Values(Way::native, Way::umad)));

TEST(Killed, AtFiftyRandomMomentsItComesUpAgainWithTheSameLids) {
  Scene scene("fat-tree:radix=8,levels=3", Way::native);
  const std::string nodes_wanted = [&] {
    Background daemon(scene.command(), {}, scene.directory.path(), scene.path("log"));
    EXPECT_TRUE(eventually([&] { return scene.is_up(); }, std::chrono::seconds(30))) << daemon.log();
    return scene.ctl("nodes --json").text;
  }();
  std::mt19937 random(11);
  for (int round = 0; round < 50; ++round) {
    scene.ibsim.restart();
    std::filesystem::remove_all(scene.path("state"));
    scene.write_config("");
    {
      Background daemon(scene.command(), {}, scene.directory.path(), scene.path("log"));
      daemon.wait(std::chrono::milliseconds(random() % 200));
      daemon.signal(SIGKILL);
      daemon.wait(std::chrono::seconds(5));
    }
    Background daemon(scene.command(), {}, scene.directory.path(), scene.path("log"));
    ASSERT_TRUE(eventually([&] { return scene.is_up(); }, std::chrono::seconds(30))) << round << daemon.log();
    ASSERT_EQ(scene.ctl("nodes --json").text, nodes_wanted) << round;
  }
}

TEST(BesideOpenSm, ItWritesNothingAndSaysSo) {
  Scene scene("fat-tree:radix=8", Way::native);
  Environment environment = under_ibsim(scene.ibsim.socket_name(), "h00003");
  environment["OSM_CACHE_DIR"] = environment["OSM_TMP_DIR"] = scene.directory.path().string();
  write_file(scene.path("opensm.conf"), "force_log_flush TRUE\n");
  Background opensm("opensm -F " + scene.path("opensm.conf") + " -f " + scene.path("osm.log"), environment,
                    scene.directory.path(), scene.path("opensm"));
  ASSERT_TRUE(
      eventually([&] { return read_file(scene.path("osm.log")).find("SUBNET UP") != std::string::npos; },
                 std::chrono::seconds(60)))
      << read_file(scene.path("opensm")) << read_file(scene.path("osm.log"));
  const Output once = scene.once();
  EXPECT_EQ(once.status, 1) << once.text;
  EXPECT_NE(once.text.find("another manager is master"), std::string::npos) << once.text;
  EXPECT_NE(once.text.find(" sets=0 "), std::string::npos) << once.text;
}

TEST(TwoDaemonsAtAPort, OneManages) {
  Scene scene("fat-tree:radix=8", Way::native);
  only_one_of_two_at_a_port_manages(scene.ibsim.socket_name(), scene.directory.path());
}

/// ibsim refuses to set a port of an HCA through another one.
TEST(Bringup, TakesBothPortsOfAnHca) {
  for (const Way way : {Way::native, Way::umad}) {
    Scene scene(WEFT_SOURCE_DIR "/tests/fabrics/two-port.net", way);
    const Output once = scene.once();
    EXPECT_EQ(once.status, 0) << once.text;
  }
}

TEST(Service, EndsCleanlyAndReloadsAllOrNothing) {
  Scene scene("fat-tree:radix=4", Way::native);
  Background daemon(scene.command(), {}, scene.directory.path(), scene.path("log"));
  ASSERT_TRUE(eventually([&] { return scene.is_up(); }, std::chrono::seconds(30))) << daemon.log();
  scene.write_config("sweep: { intervall: 3s }\n");
  daemon.signal(SIGHUP);
  EXPECT_TRUE(eventually([&] { return daemon.log().find("not reloaded") != std::string::npos; },
                         std::chrono::seconds(10)));
  EXPECT_NE(daemon.log().find("interval"), std::string::npos);
  scene.write_config("sweep: { interval: 3s }\n");
  daemon.signal(SIGHUP);
  EXPECT_TRUE(eventually([&] { return daemon.log().find("configuration reloaded") != std::string::npos; },
                         std::chrono::seconds(10)))
      << daemon.log();
  daemon.signal(SIGTERM);
  EXPECT_EQ(daemon.wait(std::chrono::seconds(5)), 0);
}

TEST(Service, WaitsForAServerThatIsLate) {
  TempDir directory;
  const std::string config = (directory.path() / "weft.yaml").string();
  const std::string socket = (directory.path() / "sock").string();
  write_file(config, "transport: { kind: ibsim, ibsim: { socket: weft-nobody } }\ncontrol: { socket: " +
                         socket + " }\nstate_dir: " + directory.path().string() + "\n");
  Background daemon(program("weftd") + " --config " + config, {}, directory.path(), directory.path() / "log");
  EXPECT_TRUE(eventually(
      [&] {
        const Output status = run(program("weftctl") + " --socket " + socket + " status --json");
        return status.text.find("waiting for device") != std::string::npos;
      },
      std::chrono::seconds(10)))
      << daemon.log();
  daemon.signal(SIGTERM);
  EXPECT_EQ(daemon.wait(std::chrono::seconds(5)), 0);
}

TEST(Usage, NamesACommandThatIsMisspelt) {
  for (const auto& [words, meant] : {std::pair("stauts", "weftctl status"),
                                     {"--socket x config shwo", "weftctl config show"},
                                     {"state imprt /tmp/x", "weftctl state import"}}) {
    const Output output = run(program("weftctl") + " " + words);
    EXPECT_EQ(output.status, 2);
    EXPECT_NE(output.text.find(meant), std::string::npos) << output.text;
  }
  EXPECT_EQ(run(program("weftctl") + " --version").status, 0);
  EXPECT_EQ(run(program("weftctl") + " config --help").status, 0);
}

TEST(Usage, ABadFabricIsToldBeforeAnythingIsMade) {
  TempDir directory;
  const std::string state = (directory.path() / "state").string();
  const Output output =
      run(program("weftd") + " --transport sim --fabric fat-treee:radix=8 --once --state-dir " + state);
  EXPECT_EQ(output.status, 2) << output.text;
  EXPECT_FALSE(std::filesystem::exists(state));
}

TEST(Usage, APortThatASimulatorHasNotEndsWithThree) {
  TempDir directory;
  const std::string base = directory.path().string();
  const IbsimProcess ibsim({.net = std::string(tests::kSmallNet)});
  const auto once = [&](const std::string& transport, const std::string& port) {
    write_file(base + "/weft.yaml", "transport: { " + transport + " }\nport: { " + port +
                                        " }\ncontrol: { socket: " + base + "/sock }\nstate_dir: " + base +
                                        "\n");
    return run(program("weftd") + " --once --config " + base + "/weft.yaml");
  };
  const std::string sim = "kind: sim, sim: { fabric: \"fat-tree:radix=4\" }";
  const std::string at_ibsim = "kind: ibsim, ibsim: { socket: " + ibsim.socket_name() + ", host: H2 }";
  for (const std::string port : {"device: mlx5_0, port: 1", "port: 7", "guid: 0x1234"}) {
    for (const std::string& transport : {sim, at_ibsim}) {
      const Output refused = once(transport, port);
      EXPECT_EQ(refused.status, 3) << transport << " " << port << "\n" << refused.text;
      EXPECT_EQ(refused.text.find("sweep done"), std::string::npos) << refused.text;
    }
  }
  EXPECT_EQ(once(at_ibsim, "guid: 0x21").status, 0);
  EXPECT_EQ(once(at_ibsim, "port: 1").status, 0);
  EXPECT_EQ(once(sim, "device: sim, port: 1").status, 0);
}

TEST(PoliciesOnIbsim, AreWhatTheToolsOfTheFieldSee) {
  Scene scene("fat-tree:radix=4,levels=2", Way::native);
  scene.write_config(R"(
partitions:
  define:
    storage: { key: 0x0010, members: [ { h00001: full }, h00002 ] }
qos:
  levels: { bulk: { sl: 0 }, fast: { sl: 3, priority: strict }, slow: { sl: 5, weight: 3 } }
)");
  Background daemon(scene.command(), scene.environment(), scene.directory.path(), scene.path("log"));
  ASSERT_TRUE(eventually([&] { return scene.is_up(); }, std::chrono::seconds(60))) << daemon.log();
  const auto lid_of = [&scene](const std::string& host) {
    const std::string text = scene.ctl("nodes --json --name " + host).text;
    std::smatch found;
    return std::regex_search(text, found, std::regex(R"("lid":(\d+))")) ? found[1].str() : text;
  };
  const std::string full = lid_of("h00001");
  const std::string limited = lid_of("h00002");
  const auto shows = [&scene](const std::string& command, const std::string& text) {
    const Output output = scene.tool(command);
    EXPECT_NE(output.text.find(text), std::string::npos) << command << "\n" << output.text;
  };
  shows("smpquery pkeys " + full, "0x7fff 0x8010 0x0000");
  shows("smpquery pkeys " + limited, "0x7fff 0x0010 0x0000");
  shows("smpquery sl2vl " + full, "| 0| 0| 0| 1| 0| 2| 0|");
  shows("smpquery vlarb " + full, "VL    : |0x1 |");
  shows("saquery --smkey 1 PKTR " + limited, "0x0010");
  shows("saquery --smkey 1 SL2VL " + full, "VL: 0| 0| 0| 1| 0| 2| 0|");
  shows("saquery --smkey 1 VLAR " + full, "VL    : 2| 0| 2| 2| 2| 0| 2| 2| 0|");
}

TEST(Usage, AFabricImpliesTheSimulatorAndNoOtherTransport) {
  TempDir directory;
  const std::string rest =
      " --once --state-dir " + directory.path().string() + " --socket " + directory.path().string() + "/sock";
  EXPECT_EQ(run(program("weftd") + " --fabric ring:4" + rest).status, 0);
  const Output refused = run(program("weftd") + " --transport umad --fabric ring:4" + rest);
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.text.find("--fabric is for --transport sim only"), std::string::npos) << refused.text;
}

TEST(Usage, CheckConfigReadsTheFabricToo) {
  TempDir directory;
  const std::string config = (directory.path() / "weft.yaml").string();
  write_file(config, "transport: { kind: sim, sim: { fabric: \"fat-treee:radix=8\" } }\n");
  const Output checked = run(program("weftd") + " --check-config --config " + config);
  EXPECT_EQ(checked.status, 2);
  EXPECT_NE(checked.text.find("transport.sim.fabric: "), std::string::npos) << checked.text;
}

TEST(Usage, BadOptionsAndFilesEndWithTwo) {
  EXPECT_EQ(run(program("weftd") + " --nonsense").status, 2);
  TempDir directory;
  const std::string config = (directory.path() / "weft.yaml").string();
  write_file(config, "lids: { lmc: 9 }\n");
  const Output checked = run(program("weftd") + " --check-config --config " + config);
  EXPECT_EQ(checked.status, 2);
  EXPECT_NE(checked.text.find("weft.yaml:1:"), std::string::npos) << checked.text;
}

TEST(Demo, EndsByItselfWithAFabricThatIsUp) {
  const Output demo = run(program("weft-demo") + " --once");
  EXPECT_EQ(demo.status, 0) << demo.text;
}

}  // namespace
}  // namespace weft::system_test
