// The systemd unit and the udev rule agree with the programs and with what systemd itself says about them.

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace weft::config {
namespace {

const std::string kEtc = std::string(WEFT_SOURCE_DIR) + "/etc/";

std::string text_of(const std::string& file) {
  std::ifstream stream(kEtc + file);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// What a command prints, both streams.
std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (!pipe) return text;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
  ::pclose(pipe);
  return text;
}

bool have_systemd_analyze() { return !output_of("command -v systemd-analyze").empty(); }

TEST(ServiceUnit, NamesTheFoldersAndExitCodesOfTheProgram) {
  const std::string unit = text_of("weftd.service");
  for (const char* line : {"Type=notify\n", "User=weft\n", "StateDirectory=weft\n", "RuntimeDirectory=weft\n",
                           "ConfigurationDirectory=weft\n", "RestartPreventExitStatus=2 3\n",
                           "DeviceAllow=char-infiniband_mad rw\n"}) {
    EXPECT_NE(unit.find(line), unit.npos) << line;
  }
  EXPECT_EQ(unit.find("rdma.service"), unit.npos)
      << "distributions come and go; the daemon waits for its device";
}

TEST(ServiceUnit, IsSandboxedAsSystemdSeesIt) {
  if (!have_systemd_analyze()) GTEST_SKIP() << "no systemd-analyze here";
  const std::string said = output_of("systemd-analyze security --offline=true --threshold=20 --no-pager " +
                                     kEtc + "weftd.service; echo exit=$?");
  EXPECT_NE(said.find("exit=0"), said.npos) << said;
}

TEST(ServiceUnit, HasNothingThatSystemdDoesNotKnow) {
  if (!have_systemd_analyze()) GTEST_SKIP() << "no systemd-analyze here";
  std::istringstream lines(output_of("systemd-analyze verify --man=no " + kEtc + "weftd.service"));
  for (std::string line; std::getline(lines, line);) {
    const bool about_us = line.find("weftd.service") != line.npos;
    const bool not_installed = line.find("is not executable") != line.npos;
    EXPECT_TRUE(!about_us || not_installed) << line;
  }
}

TEST(ServiceUnit, WithTheDropInForEtcdHasNothingThatSystemdDoesNotKnow) {
  if (!have_systemd_analyze()) GTEST_SKIP() << "no systemd-analyze here";
  const std::string script = "d=$(mktemp -d) && mkdir $d/weftd.service.d && cp " + kEtc +
                             "weftd.service $d && cp " + kEtc +
                             "weftd-etcd.conf $d/weftd.service.d/etcd.conf && systemd-analyze verify " +
                             "--man=no $d/weftd.service; rm -r $d";
  std::istringstream lines(output_of("(" + script + ")"));
  for (std::string line; std::getline(lines, line);) {
    const bool about_us = line.find("weftd.service") != line.npos;
    EXPECT_TRUE(!about_us || line.find("is not executable") != line.npos) << line;
  }
}

TEST(UdevRule, GivesTheDaemonItsDevices) {
  const std::string rule = text_of("90-weft.rules");
  EXPECT_NE(rule.find("SUBSYSTEM==\"infiniband_mad\""), rule.npos);
  EXPECT_NE(rule.find("umad*|issm*"), rule.npos);
}

}  // namespace
}  // namespace weft::config
