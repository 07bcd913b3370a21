// OpenSM's qos_* options, brought over by weftctl import: weftd writes the tables that OpenSM writes.
#include <gtest/gtest.h>

#include "tests/system/simulator.h"

namespace weft::system_test {
namespace {

constexpr const char* kFabric = WEFT_SOURCE_DIR "/tests/fabrics/tree-12.net";
constexpr const char* kOptions =
    "qos TRUE\n"
    "qos_max_vls 4\n"
    "qos_high_limit 2\n"
    "qos_vlarb_high 0:4,1:2\n"
    "qos_vlarb_low 0:0,1:4,2:8,3:16\n"
    "qos_sl2vl 0,1,2,3,0,1,2,3,4,5,6,7,8,9,14,7\n"
    "qos_ca_sl2vl 7,6,5,4,3,2,1,0,0,0,0,0,0,0,0,7\n"
    "qos_ca_high_limit 5\n"
    "qos_swe_vlarb_low 3:1,2:2\n";

/// A leaf of tree-12 has hosts on ports 1 to 3 and ways up on 4 to 6.
constexpr int kHosts = 3;
constexpr int kPorts = 6;

/// The line of a listing that begins so, without the blanks in it.
std::string line_of(const std::string& listing, const std::string& begin) {
  std::string line;
  const std::size_t at = listing.find(begin);
  if (at == listing.npos) return "no " + begin + " in " + listing;
  for (const char c : listing.substr(at, listing.find('\n', at) - at))
    if (c != ' ') line += c;
  return line + "\n";
}

/// What a host and its leaf hold, as smpquery prints it: rows of SL2VL that packets can take, both
/// arbitration tables, and VLHighLimit.
std::string tables_on(const Simulator& sim) {
  const auto ask = [&sim](const std::string& what) {
    const Output output = sim.tool("smpquery -D " + what, Under::weftsim_run, "h00004");
    EXPECT_EQ(output.status, 0) << what << "\n" << output.text;
    return output.text;
  };
  std::string text = ask("sl2vl 0") + ask("vlarb 0") + line_of(ask("portinfo 0"), "VLHighLimit");
  for (int out = 1; out <= kPorts; ++out) {
    const std::string port = std::to_string(out);
    text += ask("vlarb 0,1 " + port) + line_of(ask("portinfo 0,1 " + port), "VLHighLimit");
    const std::string rows = ask("sl2vl 0,1 " + port);
    for (int in = 0; in <= (out <= kHosts ? kPorts : kHosts); ++in)
      if (in != out) text += line_of(rows, "ports: in  " + std::to_string(in) + ", out  " + port);
  }
  return text;
}

TEST(OpensmOptions, LeadToTheTablesThatOpensmWrites) {
  const Simulator theirs(kFabric);
  {
    const OpenSm opensm(theirs.environment(Under::weftsim_run, "h00000"), theirs.path(""), "", kOptions);
    ASSERT_TRUE(opensm.is_up()) << opensm.log();
  }
  const Simulator ours(kFabric);
  write_file(ours.path("opensm.conf"), kOptions);
  const Output imported = run(program("weftctl") + " import opensm --options " + ours.path("opensm.conf"));
  ASSERT_EQ(imported.status, 0) << imported.text;
  const WeftDaemon weftd(ours, "h00000", imported.text);
  ASSERT_TRUE(weftd.is_up()) << weftd.log();
  const std::string expected = tables_on(theirs);
  EXPECT_EQ(expected.find("no ports"), expected.npos) << expected;
  EXPECT_EQ(tables_on(ours), expected);
}

}  // namespace
}  // namespace weft::system_test
