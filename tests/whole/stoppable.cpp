#include "tests/whole/stoppable.h"

#include <stdexcept>

namespace weft::test {
namespace {

constexpr std::size_t kKernelQueue = 1000;

sim::PortIndex port_at(const sim::World& world, std::string_view node) {
  const auto found = world.find(node);
  if (!found) throw std::invalid_argument("no such host");
  return world.port_of(*found, PortNum{1});
}

}  // namespace

StoppableClock::~StoppableClock() {
  for (const auto& [id, one] : waiting_) inner_.cancel(one.inner);
}

Clock::TimerId StoppableClock::at(Instant when, std::function<void()> action) {
  const auto id = static_cast<TimerId>(++last_);
  waiting_[id] = {inner_.at(when, [this, id] { fire(id); }), std::move(action)};
  return id;
}

void StoppableClock::cancel(TimerId id) {
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) return;
  inner_.cancel(found->second.inner);
  waiting_.erase(found);
}

void StoppableClock::fire(TimerId id) {
  if (stopped_) return due_.push_back(id);
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) return;
  const std::function<void()> action = std::move(found->second.action);
  waiting_.erase(found);
  action();
}

void StoppableClock::go_on() {
  stopped_ = false;
  for (const TimerId id : std::exchange(due_, {})) fire(id);
}

StoppableTransport::StoppableTransport(sim::Network& network, std::string_view node, Clock& clock)
    : Transport(clock),
      network_(network),
      local_{"sim", PortNum{1}, network.world().port(port_at(network.world(), node)).guid},
      client_(network.attach(port_at(network.world(), node), *this)) {}

StoppableTransport::~StoppableTransport() {
  if (attached_) network_.detach(client_);
}

Result<void> StoppableTransport::send(const mad::Mad& mad) {
  if (!attached_) return fail(Errc::unavailable, "not attached to the simulated fabric");
  network_.send(client_, mad);
  return {};
}

Result<void> StoppableTransport::set_is_sm(bool on) {
  if (attached_) network_.set_is_sm(client_, on);
  return {};
}

void StoppableTransport::close() {
  if (attached_) network_.detach(client_);
  attached_ = false;
  Transport::close();
}

void StoppableTransport::receive(const mad::Mad& mad) {
  if (!stopped_) return deliver(mad);
  if (queued_.size() < kKernelQueue) queued_.push_back(mad);
}

void StoppableTransport::device_lost(const Error& why) {
  attached_ = false;
  lose(why);
}

void StoppableTransport::go_on() {
  stopped_ = false;
  for (const mad::Mad& mad : std::exchange(queued_, {})) deliver(mad);
}

}  // namespace weft::test
