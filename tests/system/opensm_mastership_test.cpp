// weftd and OpenSM as managers of one fabric, on weftsim and on stock ibsim: hand-over by priority, take-over
// from the dead and from the frozen, both ways. Never two masters at rest, and no LID changes.

#include <csignal>
#include <memory>
#include <regex>

#include <gtest/gtest.h>

#include "tests/support/ibsim_process.h"
#include "tests/system/programs.h"
#include "tests/system/simulator.h"
#include "topology/ibsim_file.h"
#include "topology/load.h"

namespace weft::system_test {
namespace {

using std::chrono::seconds;
using tests::IbsimProcess;

constexpr const char* kFabric = "fat-tree:radix=8";
constexpr const char* kWeftHost = "h00000";
constexpr const char* kOpenSmHost = "h00007";

enum class On { weftsim, ibsim };

/// A fabric with weftd at one host and OpenSM at another, each started and stopped as a test likes.
class Managers {
 public:
  explicit Managers(On on) : on_(on) {
    if (on == On::weftsim) {
      weftsim_ = std::make_unique<Simulator>(kFabric);
      socket_ = weftsim_->socket();
    } else {
      ibsim_ = std::make_unique<IbsimProcess>(
          IbsimProcess::Options{.net = topology::write_ibsim(*topology::load(kFabric)),
                                .net_file = {},
                                .socket_name = {},
                                .arguments = {"-L", "49152", "-N", "4096", "-S", "1024", "-P", "65536"},
                                .patience = seconds(60)});
      socket_ = ibsim_->socket_name();
    }
    std::filesystem::create_directory(path("state"));
    write_file(path("weft.yaml"),
               "transport: { kind: ibsim, ibsim: { socket: " + socket_ + ", host: " + kWeftHost + " } }\n" +
                   "control: { socket: " + path("sock") + " }\nstate_dir: " + path("state") +
                   "\nmanager: { poll_interval: 500ms, poll_misses: 2 }\nsweep: { interval: 2s }\n");
  }

  std::string path(const std::string& name) const { return (directory_.path() / name).string(); }
  void start_weftd() {
    weftd_ = std::make_unique<Background>(program("weftd") + " --config " + path("weft.yaml"), Environment{},
                                          directory_.path(), path("weftd.log"));
  }
  void start_opensm(int priority) {
    opensm_ =
        std::make_unique<OpenSm>(environment(kOpenSmHost), path(""), "-p " + std::to_string(priority),
                                 "sminfo_polling_timeout 500\npolling_retry_number 1\nsweep_interval 2\n");
  }
  void stop_weftd() { weftd_.reset(); }
  void stop_opensm() { opensm_.reset(); }
  Background& weftd() { return *weftd_; }
  Background& opensm() { return opensm_->process(); }

  /// Waits until one of the two says that it is master and the other one does not. Ports of stock ibsim keep
  /// telling of the master they had, so it is not they who are asked.
  bool only_master_is(const std::string& host, const std::string& other) const {
    return eventually([&] { return !says_master(other) && says_master(host); }, seconds(30));
  }
  bool weftd_is_master() const { return weftd_says(": master,") && only_master_is(kWeftHost, kOpenSmHost); }
  bool opensm_is_master() const { return only_master_is(kOpenSmHost, kWeftHost); }
  bool weftd_says(const std::string& words) const {
    return eventually([&] { return status().find(words) != std::string::npos; }, seconds(30));
  }
  std::string status() const {
    return run(program("weftctl") + " --socket " + path("sock") + " status").text;
  }
  /// The last state that OpenSM says it has entered.
  bool opensm_says(const std::string& state) const {
    const std::regex entering("Entering ([A-Z-]+) state");
    return eventually(
        [&] {
          const std::string log = opensm_->log();
          std::string last;
          for (std::sregex_iterator at(log.begin(), log.end(), entering), end; at != end; ++at)
            last = (*at)[1];
          return last == state;
        },
        seconds(30));
  }
  std::string opensm_log() const { return opensm_->log(); }
  /// All that ibnetdiscover sees, LIDs included, but for its date.
  std::string fabric() const {
    const std::string text = tool("ibnetdiscover").text;
    return std::regex_replace(text, std::regex("# Topology file: generated on [^\n]*\n"), "");
  }

 private:
  bool says_master(const std::string& host) const {
    std::smatch lid;
    const std::string seen = tool("ibnetdiscover").text;
    if (!std::regex_search(seen, lid, std::regex("\"" + host + " [^\"]*\" lid ([0-9]+)"))) return false;
    return tool("sminfo " + lid[1].str()).text.find("SMINFO_MASTER") != std::string::npos;
  }
  Output tool(const std::string& command) const {
    return run(command, environment("h00031"), directory_.path());
  }
  Environment environment(const std::string& host) const {
    Environment environment = under_ibsim(socket_, host);
    if (on_ == On::weftsim) environment["LD_PRELOAD"] = program("libweftsim_run.so");
    environment["OSM_TMP_DIR"] = environment["OSM_CACHE_DIR"] = directory_.path().string();
    return environment;
  }

  On on_;
  tests::TempDir directory_;
  std::string socket_;
  std::unique_ptr<Simulator> weftsim_;
  std::unique_ptr<IbsimProcess> ibsim_;
  std::unique_ptr<Background> weftd_;
  std::unique_ptr<OpenSm> opensm_;
};

class BesideOpenSm : public testing::TestWithParam<On> {};
INSTANTIATE_TEST_SUITE_P(Both, BesideOpenSm, testing::Values(On::weftsim, On::ibsim), [](const auto& one) {
  return one.param == On::weftsim ? std::string("Weftsim") : std::string("Ibsim");
});

TEST_P(BesideOpenSm, MastershipPassesBothWaysByDeathAndByFreezing) {
  Managers managers(GetParam());
  managers.start_weftd();
  ASSERT_TRUE(managers.weftd_is_master()) << managers.status();
  const std::string fabric = managers.fabric();
  managers.start_opensm(5);
  ASSERT_TRUE(managers.opensm_says("STANDBY"));

  managers.weftd().signal(SIGKILL);
  managers.stop_weftd();
  ASSERT_TRUE(managers.opensm_is_master()) << managers.opensm_log();
  EXPECT_EQ(managers.fabric(), fabric);

  managers.start_weftd();  // ranks above OpenSM, which is to hand over
  ASSERT_TRUE(managers.weftd_is_master()) << managers.status();
  EXPECT_TRUE(managers.opensm_says("STANDBY"));
  EXPECT_EQ(managers.fabric(), fabric);

  if (GetParam() == On::ibsim)
    return;  // it stands still when ten packets wait for a program that was stopped
  managers.weftd().signal(SIGSTOP);
  ASSERT_TRUE(managers.opensm_is_master()) << managers.opensm_log();
  managers.weftd().signal(SIGCONT);
  ASSERT_TRUE(managers.weftd_is_master()) << managers.status();
  EXPECT_TRUE(managers.opensm_says("STANDBY"));
  EXPECT_EQ(managers.fabric(), fabric);
}

TEST_P(BesideOpenSm, AHigherPriorityOfItsIsObeyedAndItsDeathOrFreezingNoticed) {
  Managers managers(GetParam());
  managers.start_weftd();
  ASSERT_TRUE(managers.weftd_is_master()) << managers.status();
  const std::string fabric = managers.fabric();
  managers.start_opensm(15);
  ASSERT_TRUE(managers.opensm_is_master()) << managers.status();
  EXPECT_TRUE(managers.weftd_says(": standby,")) << managers.status();
  EXPECT_EQ(managers.fabric(), fabric);

  managers.opensm().signal(SIGSTOP);
  ASSERT_TRUE(managers.weftd_is_master()) << managers.status();
  managers.opensm().signal(SIGCONT);
  ASSERT_TRUE(managers.opensm_is_master()) << managers.status();
  EXPECT_TRUE(managers.weftd_says(": standby,")) << managers.status();
  EXPECT_EQ(managers.fabric(), fabric);

  managers.opensm().signal(SIGKILL);
  managers.stop_opensm();
  ASSERT_TRUE(managers.weftd_is_master()) << managers.status();
  EXPECT_EQ(managers.fabric(), fabric);
}

}  // namespace
}  // namespace weft::system_test
