// The SA of weftd under programs that we did not write: osmtest, saquery and ibdiagnet on weftsim, which
// carries long answers, and what stock ibsim can carry there.
#include <csignal>
#include <regex>

#include <gtest/gtest.h>

#include "tests/support/ibsim_process.h"
#include "tests/system/simulator.h"

namespace weft::system_test {
namespace {

struct Served {
  Simulator sim{WEFT_SOURCE_DIR "/tests/fabrics/tree-12.net"};
  WeftDaemon weftd{sim, "h00000"};
  Output tool(const std::string& command) const {
    return sim.tool(command, Under::weftsim_run, "h00004", std::chrono::seconds(120));
  }
  Output osmtest(const std::string& flow) const {
    return tool("osmtest " + flow + " -i " + sim.path("osmtest.dat") + " -l " + sim.path("osmtest.log"));
  }
};

TEST(A22, OsmtestPassesItsQuickFlowsAlsoWithAGrh) {
  Served served;
  ASSERT_TRUE(served.weftd.is_up()) << served.weftd.log();
  for (const std::string flow : {"-f c", "-f v", "-f q", "-f a", "-f v -G", "-f m -M 1", "-f m -M 2"}) {
    const Output output = served.osmtest(flow);
    EXPECT_EQ(output.status, 0) << flow << "\n"
                                << output.text.substr(output.text.size() -
                                                      std::min<std::size_t>(4000, output.text.size()));
  }
}

TEST(X13, SaqueryReadsEveryRecord) {
  Served served;
  ASSERT_TRUE(served.weftd.is_up()) << served.weftd.log();
  for (const std::string record :
       {"NR",   "PIR",  "SL2VL",          "VLAR", "IIR", "LR", "SR", "PR", "MCMR", "LFTR", "MFTR", "GIR",
        "SWIR", "SMIR", "--smkey 1 PKTR", "-c",   "-s",  "-g", "-m", "-x", "-S",   "-I",   "-D"}) {
    const Output output = served.tool("saquery " + record);
    EXPECT_EQ(output.status, 0) << record << "\n" << output.text;
  }
  EXPECT_EQ(served.tool("saquery PKTR").status, 5) << "not without the key";
  const std::size_t nodes = count_of(served.tool("saquery NR").text, "dump:");
  EXPECT_NE(served.sim.ctl("status").text.find("nodes=" + std::to_string(nodes) + " "), std::string::npos)
      << nodes;
  EXPECT_GT(count_of(served.tool("saquery --smkey 1 PKTR").text, "dump:"), 0u);
  EXPECT_GT(count_of(served.tool("saquery SL2VL").text, "dump:"), 0u);
}

/// Stock ibsim cuts answers after 224 bytes, knows no RMPP and no time-outs: these are the flows that OpenSM
/// passes there, each a program of its own that counts its transactions from 1.
TEST(A28, OsmtestPassesOnStockIbsimAllThatItCarriesAHundredThousandQuestionsToo) {
  tests::IbsimProcess ibsim({.net = {},
                             .net_file = "/usr/share/doc/ibsim-utils/net-examples/net.2sw2path4hca",
                             .socket_name = {},
                             .arguments = {},
                             .patience = std::chrono::seconds(20)});
  const tests::TempDir directory;
  const auto path = [&](const std::string& name) { return (directory.path() / name).string(); };
  write_file(path("weft.yaml"), "transport: { kind: ibsim, ibsim: { socket: " + ibsim.socket_name() +
                                    ", host: Hca1 } }\ncontrol: { socket: " + path("sock") +
                                    " }\nstate_dir: " + path("state") + "\n");
  std::filesystem::create_directory(path("state"));
  Background daemon(program("weftd") + " --config " + path("weft.yaml"), {}, directory.path(),
                    path("weftd.log"));
  ASSERT_TRUE(eventually([&] { return daemon.log().find("clean=true") != std::string::npos; },
                         std::chrono::seconds(60)))
      << daemon.log();
  Environment client = under_ibsim(ibsim.socket_name(), "Hca2");
  client["OSM_TMP_DIR"] = client["OSM_CACHE_DIR"] = directory.path().string();
  for (const std::string flow : {"-f c", "-f e", "-f t", "-f q", "-f m -M 2", "-f m -M 3", "-f m -M 4",
                                 "-f f -s 1", "-f f -s 2", "-f f -s 3", "-f f -s 4"}) {
    const Output output = run("osmtest " + flow + " -i osmtest.dat -l osmtest.log", client, directory.path(),
                              std::chrono::seconds(200));
    EXPECT_EQ(output.status, 0) << flow << "\n"
                                << output.text.substr(output.text.size() -
                                                      std::min<std::size_t>(3000, output.text.size()));
  }
}

}  // namespace
}  // namespace weft::system_test
