// The simulator in process, under virtual time, against the contract of all transports.

#include "sim/sim_transport.h"

#include "tests/sim/fabrics.h"
#include "tests/transport/contract.h"
#include "transport/run.h"

namespace weft::transport::tests {
namespace {

using namespace std::chrono_literals;

topology::Topology small_fabric() {
  sim::Cabling cabling;
  const auto left = cabling.add_switch(8);
  const auto right = cabling.add_switch(8);
  cabling.host_at(left, 1);
  cabling.host_at(left, 2);
  cabling.host_at(right, 1);
  cabling.cable(left, 8, right, 8);
  return cabling.topology;
}

class SimBed final : public ContractBed {
 public:
  Clock& clock() override { return lab_.clock; }
  asio::io_context& loop() override { return loop_; }
  Transport& transport() override { return *transport_; }
  bool attach() override {
    transport_ = attach_to("h0");
    return transport_ != nullptr;
  }
  asio::awaitable<Result<mad::Mad>> asked_by_neighbour() override {
    neighbour_ = attach_to("h1");
    return ask_next_door(*neighbour_);
  }
  void take_away() override { lab_.network.lose_device(lab_.port("h0", 1), 1s); }
  void bring_back() override { lab_.clock.run_until(lab_.clock.now() + 1s); }
  bool run_until(const std::function<bool()>& done) override { return run_virtual(loop_, lab_.clock, done); }

 private:
  std::unique_ptr<sim::SimTransport> attach_to(std::string_view node) {
    auto opened = sim::SimTransport::open(lab_.network, node, PortNum{1});
    return opened ? std::move(*opened) : nullptr;
  }
  asio::io_context loop_;
  sim::Lab lab_{small_fabric()};
  std::unique_ptr<sim::SimTransport> transport_;
  std::unique_ptr<sim::SimTransport> neighbour_;
};

std::unique_ptr<ContractBed> make_sim_bed() { return std::make_unique<SimBed>(); }

INSTANTIATE_TEST_SUITE_P(Sim, TransportContract, testing::Values(&make_sim_bed));

}  // namespace
}  // namespace weft::transport::tests
