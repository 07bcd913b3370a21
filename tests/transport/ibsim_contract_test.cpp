// The ibsim transport against a real ibsim, and what is particular to the two.

#include "transport/ibsim/ibsim_transport.h"

#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/ibsim_process.h"
#include "tests/transport/contract.h"
#include "transport/real_clock.h"
#include "transport/run.h"

namespace weft::transport::tests {
namespace {

using namespace std::chrono_literals;
using weft::tests::IbsimProcess;
using weft::tests::kSmallNet;

class IbsimBed final : public ContractBed {
 public:
  Clock& clock() override { return clock_; }
  asio::io_context& loop() override { return loop_; }
  Transport& transport() override { return *transport_; }
  bool attach() override {
    transport_ = attach_to("H1");
    return transport_ != nullptr;
  }
  asio::awaitable<Result<mad::Mad>> asked_by_neighbour() override {
    neighbour_ = attach_to("H2");
    return ask_next_door(*neighbour_);
  }
  void take_away() override { ibsim_.kill(); }
  void bring_back() override { ibsim_.restart(); }
  bool run_until(const std::function<bool()>& done) override {
    const Instant end = clock_.now() + 20s;
    while (!done()) {
      if (clock_.now() > end) return false;
      loop_.restart();
      loop_.run_one_for(10ms);
    }
    return true;
  }
  std::unique_ptr<IbsimTransport> attach_to(const std::string& node) {
    auto connected = connect(node, false);
    return connected ? std::move(*connected) : nullptr;
  }
  Result<std::unique_ptr<IbsimTransport>> connect(const std::string& node, bool is_sm) {
    IbsimTransport::Options options;
    options.server.name = ibsim_.socket_name();
    options.node = node;
    options.is_sm = is_sm;
    return weft::transport::run(loop_, IbsimTransport::connect(loop_, clock_, options));
  }
  IbsimProcess& ibsim() { return ibsim_; }

 private:
  IbsimProcess ibsim_{{.net = std::string(kSmallNet)}};
  asio::io_context loop_{1};
  RealClock clock_{loop_};
  std::unique_ptr<IbsimTransport> transport_;
  std::unique_ptr<IbsimTransport> neighbour_;
};

std::unique_ptr<ContractBed> make_ibsim_bed() { return std::make_unique<IbsimBed>(); }

INSTANTIATE_TEST_SUITE_P(Ibsim, TransportContract, testing::Values(&make_ibsim_bed));

mad::Mad get_by(std::vector<PortNum> ports, mad::AttrId attribute, std::uint32_t modifier = 0) {
  mad::Smp smp;
  smp.attribute = attribute;
  smp.modifier = modifier;
  smp.route = mad::DirectedRoute(ports);
  return mad::to_mad(smp);
}

TEST(IbsimTransport, RefusalsAndAbsenceAreToldApart) {
  IbsimBed bed;
  IbsimTransport::Options options;
  options.server.name = bed.ibsim().socket_name();
  options.node = "nobody";
  const auto refused = run(bed.loop(), IbsimTransport::connect(bed.loop(), bed.clock(), options));
  EXPECT_EQ(refused.error().code, Errc::invalid);
  EXPECT_NE(refused.error().what.find("has no node nobody"), std::string::npos) << refused.error().what;
  options.server.name = "weft-test-nobody-listens";
  const auto absent = run(bed.loop(), IbsimTransport::connect(bed.loop(), bed.clock(), options));
  EXPECT_EQ(absent.error().code, Errc::unavailable);
}

TEST(IbsimTransport, AFullServerIsWaitedFor) {
  IbsimBed bed;
  std::vector<std::unique_ptr<IbsimTransport>> clients;
  for (int i = 0; i < 10; ++i) {
    clients.push_back(bed.attach_to("H2"));
    ASSERT_NE(clients.back(), nullptr);
  }
  const auto refused = bed.connect("H1", true);
  EXPECT_EQ(refused.error().code, Errc::unavailable);
  EXPECT_NE(refused.error().what.find("no room"), std::string::npos) << refused.error().what;
}

TEST(IbsimTransport, OneManagerAPort) {
  IbsimBed bed;
  auto first = bed.connect("H1", true);
  ASSERT_TRUE(first.has_value()) << first.error().what;
  const auto second = bed.connect("H1", true);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, Errc::conflict);
  EXPECT_NE(second.error().what.find("it does not answer"), std::string::npos) << second.error().what;
  const auto elsewhere = bed.connect("H2", true);
  EXPECT_TRUE(elsewhere.has_value());
  first->reset();
  const auto third = bed.connect("H1", true);
  EXPECT_TRUE(third.has_value());
}

TEST(IbsimTransport, AManagerThatSetIsSmLaterIsSeenToo) {
  IbsimBed bed;
  const auto first = bed.attach_to("H1");  // as libumad2sim does it: IsSM when the issm device is opened
  ASSERT_TRUE(first->set_is_sm(true).has_value());
  EXPECT_EQ(bed.connect("H1", true).error().code, Errc::conflict);
}

TEST(IbsimTransport, AManagerThatWasKilledDoesNotKeepItsPlace) {
  IbsimBed bed;
  const pid_t child = ::fork();
  if (child == 0) {
    IbsimTransport::Options options;
    options.server.name = bed.ibsim().socket_name();
    options.node = "H1";
    options.is_sm = true;
    asio::io_context loop(1);
    RealClock clock(loop);
    auto connected = weft::transport::run(loop, IbsimTransport::connect(loop, clock, options));
    ::_exit(connected ? 0 : 1);  // without a word to ibsim
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  const auto next = bed.connect("H1", true);
  EXPECT_TRUE(next.has_value()) << next.error().what;
}

TEST(IbsimTransport, LeavesNoTraceWhenItGoes) {
  IbsimBed bed;
  for (int i = 0; i < 30; ++i) {  // ibsim has room for ten
    auto transport = bed.attach_to("H1");
    ASSERT_NE(transport, nullptr);
    ASSERT_TRUE(transport->set_is_sm(true).has_value());
  }
  auto other = bed.attach_to("H2");
  ASSERT_NE(other, nullptr);
  const auto info =
      run(bed.loop(), other->exchange(get_by({PortNum{1}, PortNum{1}}, mad::AttrId::port_info, 1), 5s));
  ASSERT_TRUE(info.has_value());
  EXPECT_EQ(get_bits(mad::to_smp(*info)->data, 160, 32) & 2u, 0u);
}

TEST(IbsimTransport, SeesWhatTheConsoleDid) {
  IbsimBed bed;
  ASSERT_TRUE(bed.attach());
  const mad::Mad request = get_by({PortNum{1}, PortNum{2}}, mad::AttrId::node_info);
  EXPECT_TRUE(run(bed.loop(), bed.transport().exchange(request, 5s)).has_value());
  bed.ibsim().command(R"(Unlink "H2"[1])");
  EXPECT_EQ(run(bed.loop(), bed.transport().exchange(request, 5s)).error().code, Errc::timeout);
  bed.ibsim().command(R"(ReLink "H2"[1])");
  EXPECT_TRUE(run(bed.loop(), bed.transport().exchange(request, 5s)).has_value());
}

TEST(IbsimTransport, AttachesToASwitchAsItsPortZero) {
  IbsimBed bed;
  const auto transport = bed.attach_to("S1");
  ASSERT_NE(transport, nullptr);
  EXPECT_EQ(transport->local_port().number, PortNum{0});
  EXPECT_EQ(transport->local_port().guid, Guid{0x200000});
}

}  // namespace
}  // namespace weft::transport::tests
