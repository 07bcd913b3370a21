// weftsim under programs that we did not write, by both ways: the field's tools on a fabric that weftd
// manages, OpenSM, osmtest and ibdiagnet.
#include <algorithm>
#include <csignal>
#include <map>
#include <regex>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/system/simulator.h"
#include "tests/system/two_daemons.h"
#include "topology/ibsim_file.h"
#include "topology/load.h"

namespace weft::system_test {
namespace {

using tests::IbsimProcess;

class OnWeftsim : public testing::TestWithParam<Under> {};

std::string way_name(const testing::TestParamInfo<Under>& info) {
  return info.param == Under::ibsim_run ? "IbsimRun" : "WeftsimRun";
}

INSTANTIATE_TEST_SUITE_P(Both, OnWeftsim, testing::Values(Under::ibsim_run, Under::weftsim_run), way_name);

TEST_P(OnWeftsim, ToolsOfTheFieldRunOnAFabricThatWeftdManages) {
  Simulator sim("fat-tree:radix=8");
  write_file(sim.path("weft.yaml"), "transport: { kind: ibsim, ibsim: { socket: " + sim.socket() +
                                        ", host: h00000 } }\ncontrol: { socket: " + sim.path("sock") +
                                        " }\nstate_dir: " + sim.path("state") + "\n");
  std::filesystem::create_directory(sim.path("state"));
  Background daemon(program("weftd") + " --config " + sim.path("weft.yaml"), {}, sim.path(""),
                    sim.path("weftd.log"));
  ASSERT_TRUE(eventually(
      [&] { return sim.ctl("status").text.find("init=0 armed=0 active=128") != std::string::npos; },
      std::chrono::seconds(60)))
      << daemon.log() << sim.ctl("status").text;
  const std::string other = "h00001";
  const auto lid_of = [&](const std::string& node) {
    const std::string listing = sim.tool("smpquery -D portinfo 0", GetParam(), node).text;
    const std::size_t at = listing.find("\nLid:");
    return listing.substr(listing.find_first_of("0123456789", at), 6).substr(0, 5);
  };
  const std::string a = std::to_string(std::atoi(lid_of("h00000").c_str()));
  const std::string b = std::to_string(std::atoi(lid_of("h00031").c_str()));
  for (const std::string command :
       {"ibnetdiscover", "iblinkinfo", "sminfo", "ibhosts", "ibswitches", "smpquery nodeinfo ",
        "smpquery nodedesc ", "smpquery portinfo ", "smpquery pkeys ", "smpquery sl2vl ", "smpquery vlarb ",
        "smpquery guidinfo "}) {
    const Output output = sim.tool(command + (command.ends_with(' ') ? b : ""), GetParam(), other);
    EXPECT_EQ(output.status, 0) << command << "\n" << output.text;
  }
  for (const std::string command :
       {"smpquery switchinfo -D 0,1", "smpquery mepi -D 0,1 1", "smpquery portinfoextended -D 0,1 1",
        "perfquery", "perfquery -x", "perfquery --vloppackets", "perfquery --vlopdata",
        "perfquery --vlxmitflowctlerrors", "perfquery --vlxmitcounters", "perfquery --rcverr",
        "perfquery --xmtdisc", "perfquery --oprcvcounters", "perfquery --flowctlcounters"}) {
    const Output output = sim.tool(command, GetParam(), other);
    EXPECT_EQ(output.status, 0) << command << "\n" << output.text;
  }
  const Output trace = sim.tool("ibtracert " + a + " " + b, GetParam(), other);
  EXPECT_EQ(trace.status, 0) << trace.text;
  EXPECT_EQ(count_of(trace.text, "\n["), 4u) << trace.text;
}

TEST_P(OnWeftsim, OpenSmBringsUpATreeWithoutErrorsThatIbsimDoesNotGiveToo) {
  const std::string fabric = "fat-tree:radix=36";
  IbsimProcess ibsim({.net = topology::write_ibsim(*topology::load(fabric)),
                      .net_file = {},
                      .socket_name = {},
                      .arguments = {"-L", "49152", "-N", "4096", "-S", "1024", "-P", "65536"},
                      .patience = std::chrono::seconds(60)});
  std::vector<std::string> known;
  {
    const tests::TempDir directory;
    Environment environment = under_ibsim(ibsim.socket_name(), "h00000");
    environment["OSM_TMP_DIR"] = environment["OSM_CACHE_DIR"] = directory.path().string();
    const OpenSm judge(environment, directory.path().string());
    ASSERT_TRUE(judge.is_up()) << judge.log();
    known = judge.errors();
  }
  Simulator sim(fabric);
  const OpenSm opensm(sim.environment(GetParam(), "h00000"), sim.path(""));
  ASSERT_TRUE(opensm.is_up()) << opensm.log();
  for (const std::string& error : opensm.errors())
    EXPECT_TRUE(std::ranges::binary_search(known, error)) << error << "\n" << opensm.log().substr(0, 4000);
  EXPECT_NE(sim.ctl("status").text.find("down=0 init=0 armed=0"), std::string::npos)
      << sim.ctl("status").text;
}

TEST_P(OnWeftsim, OpenSmBringsUpADragonfly) {
  Simulator sim("dragonfly:p=4,a=8,h=1");
  const OpenSm opensm(sim.environment(GetParam(), "h00000"), sim.path(""));
  ASSERT_TRUE(opensm.is_up()) << opensm.log();
  EXPECT_EQ(opensm.errors(), std::vector<std::string>{}) << opensm.log().substr(0, 4000);
  EXPECT_NE(sim.ctl("status").text.find("down=0 init=0 armed=0"), std::string::npos)
      << sim.ctl("status").text;
}

TEST_P(OnWeftsim, AKilledManagerLeavesNoIsSmBehind) {
  Simulator sim("fat-tree:radix=4");
  {
    const OpenSm opensm(sim.environment(GetParam(), "h00000"), sim.path(""));
    ASSERT_TRUE(opensm.is_up()) << opensm.log();
    EXPECT_NE(sim.ctl("clients").text.find("is_sm=true"), std::string::npos) << sim.ctl("clients").text;
  }  // killed
  EXPECT_TRUE(eventually([&] { return sim.ctl("clients").text.empty(); }, std::chrono::seconds(10)))
      << sim.ctl("clients").text;
}

/// What the stock library cannot carry.
struct Served {
  Simulator sim{WEFT_SOURCE_DIR "/tests/fabrics/tree-12.net"};
  OpenSm opensm{sim.environment(Under::weftsim_run, "h00000"), sim.path("")};
  Output tool(const std::string& command) const {
    return sim.tool(command, Under::weftsim_run, "h00004", std::chrono::seconds(120));
  }
};

TEST_P(OnWeftsim, ToolsSeeTheSpeedsOfTheCables) {
  const Simulator sim("fat-tree:radix=4,levels=2");
  const std::string listing = sim.tool("ibnetdiscover", GetParam()).text;
  EXPECT_NE(listing.find("4xHDR"), std::string::npos) << listing;
  EXPECT_EQ(listing.find("4xQDR"), std::string::npos) << listing;
}

/// weftd with a configuration of its own on a weftsim.
struct Configured {
  explicit Configured(const std::string& policy) : daemon(sim, "h00000", policy) {}
  Output weftctl(const std::string& command) const {
    return run(program("weftctl") + " --socket " + daemon.socket() + " " + command);
  }
  Simulator sim{"fat-tree:radix=4,levels=2"};
  WeftDaemon daemon;
};

TEST(Policies, AreWhatTheToolsOfTheFieldSee) {
  const Configured at(R"(
partitions:
  define:
    storage: { key: 0x0010, members: [ { h00001: full }, h00002 ], ipoib: true }
qos:
  levels: { bulk: { sl: 0 }, fast: { sl: 3, priority: strict } }
  rules: [ { level: fast, partition: storage } ]
)");
  ASSERT_TRUE(at.daemon.is_up()) << at.daemon.log();
  const auto tool = [&](const std::string& command, const std::string& host) {
    return at.sim.tool(command, Under::weftsim_run, host).text;
  };
  const auto lid_of = [&](const std::string& host) {
    const std::string listing = tool("smpquery -D portinfo 0", host);
    return std::to_string(
        std::atoi(listing.c_str() + listing.find_first_of("123456789", listing.find("\nLid:"))));
  };
  const std::string full = lid_of("h00001");
  const std::string limited = lid_of("h00002");
  const std::string keys = tool("smpquery pkeys " + full, "h00000");
  EXPECT_NE(keys.find("0x7fff 0x8010"), std::string::npos) << keys;
  const std::string sl2vl = tool("smpquery sl2vl " + full, "h00000");
  EXPECT_NE(sl2vl.find("| 0| 0| 0| 1| 0|"), std::string::npos) << sl2vl;
  const std::string records = tool("saquery --smkey 1 PKTR " + limited, "h00000");
  EXPECT_NE(records.find("0x0010"), std::string::npos) << records;
  const std::string path = tool("saquery -p --src-to-dst " + limited + ":" + full, "h00002");
  EXPECT_NE(path.find("pkey....................0x10"), std::string::npos) << path;
  const std::string mapped = tool("saquery SL2VL " + full, "h00000");
  EXPECT_NE(mapped.find("VL: 0| 0| 0| 1| 0|"), std::string::npos) << mapped;
  const std::string shares = tool("saquery VLAR " + full, "h00000");
  EXPECT_NE(shares.find("VL    : 1| 1| 1| 1| 1| 1| 1| 1|"), std::string::npos) << shares;
  const std::string groups = tool("saquery -g", "h00001");
  EXPECT_NE(groups.find("8010"), std::string::npos) << groups;
  const std::string explained = at.weftctl("explain qos h00002 h00001 --pkey 0x10").text;
  EXPECT_NE(explained.find("level fast, SL 3, by rule 1"), std::string::npos) << explained;
}

TEST(LostDevice, IsWaitedForWhateverTheSimulatorSaysMeanwhile) {
  const Configured at("");
  ASSERT_TRUE(at.daemon.is_up()) << at.daemon.log();
  ASSERT_EQ(at.sim.ctl("'lose-device h00000[1] away=2s'").status, 0);
  EXPECT_EQ(at.weftctl("sweep --no-wait").status, 0);  // finds it out
  const auto logged = [&](std::string_view text) { return at.daemon.log().find(text) != std::string::npos; };
  ASSERT_TRUE(eventually([&] { return logged("kind=device_lost"); }, std::chrono::seconds(10)))
      << at.daemon.log();
  ASSERT_TRUE(eventually([&] { return logged("kind=no_device"); }, std::chrono::seconds(10)))
      << at.daemon.log();
  EXPECT_TRUE(eventually([&] { return at.weftctl("status").text.find("as planned") != std::string::npos; },
                         std::chrono::seconds(30)))
      << at.daemon.log();
}

/// Its own port tells nothing by packets that do not show the key, and the lease does not end.
TEST(Restart, AtAPortThatTellsNothingWithoutItsMKey) {
  const Simulator sim("fat-tree:radix=4,levels=2");
  const std::string file = sim.path("m_keys");
  write_file(file, "0x6d0f2b5c91a7e843\n");
  std::filesystem::permissions(file,
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  const std::string settings = "m_key: { file: " + file + ", protect: 2 }\n";
  WeftDaemon first(sim, "h00000", settings);
  ASSERT_TRUE(first.is_up()) << first.log();
  const std::size_t clean = count_of(first.log(), "clean=true");
  first.process().signal(SIGKILL);
  EXPECT_EQ(first.process().wait(std::chrono::seconds(5)), -1);
  const WeftDaemon second(sim, "h00000", settings);  // goes on in the same log
  EXPECT_TRUE(
      eventually([&] { return count_of(second.log(), "clean=true") > clean; }, std::chrono::seconds(30)))
      << second.log();
}

TEST(TwoDaemonsAtAPort, OneManages) {
  const Simulator sim("fat-tree:radix=8");
  const tests::TempDir directory;
  only_one_of_two_at_a_port_manages(sim.socket(), directory.path());
}

TEST(WeftsimRun, CarriesTablesOfThousandsOfRecords) {
  Simulator sim("fat-tree:radix=36");
  const OpenSm opensm(sim.environment(Under::weftsim_run, "h00000"), sim.path(""));
  ASSERT_TRUE(opensm.is_up()) << opensm.log();
  const Output nodes = sim.tool("saquery NR", Under::weftsim_run, "h00007");
  EXPECT_EQ(nodes.status, 0);
  EXPECT_EQ(count_of(nodes.text, "dump:"), 648u + 54u) << nodes.text.substr(0, 500);
  const Output ports = sim.tool("saquery PIR", Under::weftsim_run, "h00007");
  EXPECT_EQ(ports.status, 0);
  EXPECT_GE(count_of(ports.text, "dump:"), 2500u);
}

TEST(WeftsimRun, KillsNobodyByAClassThatHeIsNotReadyFor) {
  Served served;
  ASSERT_TRUE(served.opensm.is_up()) << served.opensm.log();
  const std::string lid = "1";
  for (const std::string command :
       {"ibping -c 1 -t 300 ", "ibccquery -t 300 CongestionInfo ", "vendstat -t 300 -w "}) {
    const Output output = served.tool(command + lid);
    EXPECT_NE(output.status, -1) << command << output.text;  // refused or not answered, but alive
  }
  const Output vendor = served.tool("vendstat -N " + lid);
  EXPECT_EQ(vendor.status, 0) << vendor.text;
  EXPECT_NE(vendor.text.find("WEFTSIM"), std::string::npos) << vendor.text;
  const Output alive = served.tool("sminfo");
  EXPECT_NE(alive.text.find("SMINFO_MASTER"), std::string::npos) << alive.text;
}

/// Errors by stage, as ibdiagnet's last table has them.
std::map<std::string, int> stage_errors(const std::string& text) {
  std::map<std::string, int> errors;
  const std::regex line(R"(\n +([A-Z][A-Za-z/ ]+ (?:Check|Report)) +(\d+) +(\d+))");
  for (std::sregex_iterator at(text.begin(), text.end(), line), end; at != end; ++at)
    errors[(*at)[1]] = std::stoi((*at)[2]);
  return errors;
}

TEST(WeftsimRun, IbdiagnetRunsThroughWithoutErrors) {
  Served served;
  ASSERT_TRUE(served.opensm.is_up()) << served.opensm.log();
  const Output output = served.tool("ibdiagnet -o " + served.sim.path(""));
  EXPECT_EQ(output.status, 0) << output.text;
  const std::map<std::string, int> clean{
      {"Bad GUIDs/LIDs Check", 0},        {"Link State Active Check", 0}, {"General Devices Info Report", 0},
      {"Performance Counters Report", 0}, {"Partitions Check", 0},        {"IPoIB Subnets Check", 0}};
  EXPECT_EQ(stage_errors(output.text), clean) << output.text;
}

/// Debian's ibutils end themselves behind this, with or without a simulator (docs/simulator.md).
TEST(WeftsimRun, IbdiagnetReportsTheQualityOfRoutesUpToItsOwnFault) {
  Served served;
  ASSERT_TRUE(served.opensm.is_up()) << served.opensm.log();
  const Output output = served.tool("ibdiagnet -r -o " + served.sim.path(""));
  EXPECT_NE(output.text.find("-I- Scanned:132 CA to CA paths"), std::string::npos) << output.text;
  EXPECT_NE(output.text.find("Checking credit loops"), std::string::npos) << output.text;
}

TEST(WeftsimRun, IsLibibumadToAProgram) {
  Simulator sim(WEFT_SOURCE_DIR "/tests/fabrics/two-ports.net");
  const Output output = sim.tool(program("umad_program"), Under::weftsim_run, "h1");
  EXPECT_EQ(output.status, 0) << output.text;
  EXPECT_NE(output.text.find("[  PASSED  ] 11 tests"), std::string::npos) << output.text;
}

TEST(WeftsimRun, ExportsAllThatLibibumadExports) {
  const auto exported = [](const std::string& library) {
    return run("sh -c 'nm -D --defined-only " + library +
               R"( | sed -n "s/.* T \([a-z_0-9]*\).*/\1/p" | sort')")
        .text;
  };
  std::istringstream theirs(exported("/usr/lib/*/libibumad.so.3"));
  const std::string ours = "\n" + exported(program("libweftsim_run.so"));
  std::size_t count = 0;
  for (std::string name; std::getline(theirs, name); ++count)
    EXPECT_NE(ours.find("\n" + name + "\n"), std::string::npos) << name;
  EXPECT_GE(count, 35u);
}

TEST(WeftsimRun, SaysWhatIsMissingWhenThereIsNoDevice) {
  Simulator sim("ring:4");
  const auto said = [&](const std::string& socket, const std::string& host) {
    return run(program("weftsim-run") + " ibstat -l", {{"IBSIM_SOCKNAME", socket}, {"SIM_HOST", host}},
               sim.path(""))
        .text;
  };
  EXPECT_NE(said("weft-nobody", "")
                .find("weftsim-run: no simulator runs as \"weft-nobody\" (IBSIM_SOCKNAME): "
                      "start one with weftsim --fabric FILE --socket weft-nobody"),
            std::string::npos);
  EXPECT_NE(said(sim.socket(), "h9")
                .find("weftsim-run: the fabric at \"" + sim.socket() + "\" has no node \"h9\" (SIM_HOST)"),
            std::string::npos);
  EXPECT_NE(said(sim.socket(), std::string(40, 'x')).find("longer than 31 characters"), std::string::npos);
  EXPECT_EQ(said(sim.socket(), "").find("weftsim-run:"), std::string::npos);
  const IbsimProcess ibsim({.net = std::string(tests::kSmallNet)});
  const std::string at_ibsim = said(ibsim.socket_name(), "");
  EXPECT_NE(at_ibsim.find("run the program under ibsim-run"), std::string::npos) << at_ibsim;
}

TEST(WeftsimRun, OsmtestPasses) {
  Served served;
  ASSERT_TRUE(served.opensm.is_up()) << served.opensm.log();
  for (const std::string flow : {"-f c", "-f q", "-f v", "-f m -M 1"}) {
    const Output output = served.sim.tool(
        "osmtest " + flow + " -i " + served.sim.path("osmtest.dat") + " -l " + served.sim.path("osmtest.log"),
        Under::weftsim_run);
    EXPECT_EQ(output.status, 0) << flow << "\n" << output.text;
  }
}

TEST(Weftsim, RefusesAFileWithAnErrorAndNamesTheLine) {
  const tests::TempDir directory;
  const std::string file = (directory.path() / "bad.net").string();
  write_file(file, "Switch 8 \"S1\"\n[1] \"S2\"[1]\n\nSwitch 8 \"S2\"\n[2] \"S1\"[1]\n");
  const Output output = run(program("weftsim") + " --fabric " + file + " --socket weft-never");
  EXPECT_EQ(output.status, 2) << output.text;
  EXPECT_NE(output.text.find("bad.net:"), std::string::npos) << output.text;
}

TEST(Weftsim, EndsCleanlyAndPrintsItsCounts) {
  Simulator sim("ring:4");
  sim.tool("ibnetdiscover", Under::weftsim_run);
  sim.process().signal(SIGTERM);
  EXPECT_EQ(sim.process().wait(std::chrono::seconds(5)), 0);
  EXPECT_NE(sim.process().log().find("NodeInfo"), std::string::npos) << sim.process().log();
}

TEST(Weftsim, RecordsWhatCanBePlayedAgain) {
  const tests::TempDir directory;
  const std::string file = (directory.path() / "one.pcapng").string();
  {
    Simulator sim("ring:4", "--record " + file);
    EXPECT_EQ(sim.tool("ibnetdiscover", Under::weftsim_run).status, 0);
    sim.process().signal(SIGTERM);
    EXPECT_EQ(sim.process().wait(std::chrono::seconds(5)), 0);
  }
  // Program 0 only looks for its own port; program 1 walks the fabric.
  const Output same = run(program("weftsim") + " --fabric ring:4 --program 1 --replay " + file);
  EXPECT_EQ(same.status, 0) << same.text;
  const Output other = run(program("weftsim") + " --fabric ring:5 --program 1 --replay " + file);
  EXPECT_EQ(other.status, 1) << "another fabric answers otherwise: " << other.text;
}

TEST(Weftsim, SaysThatARecordingIsNotComplete) {
  Simulator sim("ring:4", "--record /dev/full");
  EXPECT_EQ(sim.tool("ibnetdiscover", Under::weftsim_run).status, 0);
  sim.process().signal(SIGTERM);
  EXPECT_EQ(sim.process().wait(std::chrono::seconds(5)), 1);
  EXPECT_NE(sim.process().log().find("the recording /dev/full is not complete"), std::string::npos)
      << sim.process().log();
}

TEST(Weftsim, TakesFaultsWhileItRuns) {
  Simulator sim("ring:4");
  EXPECT_EQ(sim.ctl("reboot '@switches' away=10ms").status, 0);
  EXPECT_EQ(sim.ctl("'reboot @switches away=10ms'").status, 0) << "one word is a whole line";
  EXPECT_EQ(sim.ctl("cut nobody[1]").status, 1);
  EXPECT_EQ(sim.ctl("quit").status, 0);
  EXPECT_EQ(sim.process().wait(std::chrono::seconds(5)), 0);
}

}  // namespace
}  // namespace weft::system_test
