// The umad transport under libumad2sim, the stand-in for libibumad that `ibsim-run` preloads.
//
// The stand-in attaches when a process starts and never again, so each test is a process of its own: without
// the preload this program starts an ibsim for every test and runs itself under the preload in a fresh
// folder, where the stand-in leaves its files.

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "tests/support/ibsim_process.h"
#include "tests/transport/contract.h"
#include "transport/ibsim/ibsim_transport.h"
#include "transport/real_clock.h"
#include "transport/run.h"
#include "transport/umad/umad_transport.h"

namespace weft::transport::tests {
namespace {

using namespace std::chrono_literals;

constexpr const char* kPreload = "/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so";
constexpr const char* kIbsimPid = "WEFT_TEST_IBSIM_PID";

class UmadBed final : public ContractBed {
 public:
  Clock& clock() override { return clock_; }
  asio::io_context& loop() override { return loop_; }
  Transport& transport() override { return *transport_; }
  bool attach() override {
    const auto ports = list_ports();
    if (!ports) return false;
    const auto port = choose_port(*ports, {});
    if (!port) return false;
    auto opened = UmadTransport::open(loop_, clock_, *port);
    EXPECT_TRUE(opened.has_value()) << opened.error().what;
    transport_ = opened ? std::move(*opened) : nullptr;
    return transport_ != nullptr;
  }
  asio::awaitable<Result<mad::Mad>> asked_by_neighbour() override {
    auto options = IbsimTransport::options_from_environment();
    options.node = "H2";
    auto connected = weft::transport::run(loop_, IbsimTransport::connect(loop_, clock_, options));
    neighbour_ = std::move(connected.value());
    return ask_next_door(*neighbour_);
  }
  void take_away() override { ::kill(std::atoi(std::getenv(kIbsimPid)), SIGKILL); }
  void bring_back() override {}
  bool can_come_back() const override { return false; }
  bool run_until(const std::function<bool()>& done) override {
    const Instant end = clock_.now() + 20s;
    while (!done()) {
      if (clock_.now() > end) return false;
      loop_.restart();
      loop_.run_one_for(10ms);
    }
    return true;
  }

 private:
  asio::io_context loop_;
  RealClock clock_{loop_};
  std::unique_ptr<UmadTransport> transport_;
  std::unique_ptr<IbsimTransport> neighbour_;
};

std::unique_ptr<ContractBed> make_umad_bed() { return std::make_unique<UmadBed>(); }

INSTANTIATE_TEST_SUITE_P(Umad, TransportContract, testing::Values(&make_umad_bed));

TEST(UmadPorts, ListTheSimulatedPort) {
  const auto ports = list_ports();
  ASSERT_TRUE(ports.has_value()) << ports.error().what;
  ASSERT_EQ(ports->size(), 1u);
  EXPECT_EQ(ports->front().device, "ibsim0");
  EXPECT_EQ(ports->front().number, PortNum{1});
  EXPECT_EQ(ports->front().guid, Guid{0x11});
  EXPECT_EQ(why_unusable(ports->front()), "");
}

TEST(UmadTransport, TellsThatTheSimulatorIsGone) {
  UmadBed bed;
  ASSERT_TRUE(bed.attach());
  int told = 0;
  bed.transport().on_lost([&told](const Error&) { ++told; });
  bed.take_away();
  for (int i = 0; i < 100 && told == 0; ++i) {  // the signal takes its time; until then packets still leave
    [[maybe_unused]] const auto answer = bed.run(bed.transport().exchange(mad::to_mad(mad::Smp{}), 50ms));
    bed.run_until([turns = 0]() mutable { return ++turns > 2; });
  }
  EXPECT_EQ(told, 1);
}

/// Runs one test of this program under the preload, against an ibsim of its own. Its exit code.
int run_preloaded(const std::string& name) {
  const weft::tests::TempDir folder;
  const weft::tests::IbsimProcess ibsim({.net = std::string(weft::tests::kSmallNet)});
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::setenv("LD_PRELOAD", kPreload, 1);
    ::setenv("SIM_HOST", "H1", 1);
    ::setenv("IBSIM_SOCKNAME", ibsim.socket_name().c_str(), 1);
    ::setenv(kIbsimPid, std::to_string(ibsim.pid()).c_str(), 1);
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    const std::string filter = "--gtest_filter=" + name;
    if (::chdir(folder.path().c_str()) == 0)
      ::execl(self.c_str(), self.c_str(), filter.c_str(), "--gtest_brief=1", static_cast<char*>(nullptr));
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// The stand-in reads beyond its own buffers, which sanitizers do not forgive.
constexpr bool sanitized() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return true;
#else
  return false;
#endif
#else
  return false;
#endif
}

int run_all_preloaded() {
  int failed = 0;
  const auto* all = ::testing::UnitTest::GetInstance();
  for (int i = 0; i < all->total_test_suite_count(); ++i) {
    const auto* suite = all->GetTestSuite(i);
    for (int k = 0; k < suite->total_test_count(); ++k) {
      const std::string name = std::string(suite->name()) + "." + suite->GetTestInfo(k)->name();
      const int code = run_preloaded(name);
      if (code == 0) continue;
      ++failed;
      fmt::print("FAILED {} exit code {}\n", name, code);
    }
  }
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace weft::transport::tests

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  using namespace weft::transport::tests;
  if (std::getenv(kIbsimPid) != nullptr) return RUN_ALL_TESTS();
  if (sanitized() || ::access(kPreload, R_OK) != 0) {
    fmt::print("skipped: cannot run under {} here\n", kPreload);
    return 0;
  }
  return run_all_preloaded();
}
