#include "daemon/own_port.h"

#include <fmt/format.h>

#include "mad/smp.h"

namespace weft::daemon {
namespace {

constexpr Duration kInterval = std::chrono::seconds(1);
constexpr Duration kPatience = std::chrono::milliseconds(500);

}  // namespace

void OwnPort::start() {
  if (timer_ != Clock::TimerId::none) return;
  timer_ = around_.clock->after(kInterval, [this] {
    timer_ = Clock::TimerId::none;
    start();
    around_.tasks->start(look());
  });
}

void OwnPort::stop() {
  around_.clock->cancel(std::exchange(timer_, Clock::TimerId::none));
  seen_.reset();
  down_since_.reset();
}

asio::awaitable<void> OwnPort::look() {
  mad::Smp request;
  request.method = mad::Method::get;
  request.attribute = mad::AttrId::port_info;
  request.m_key = around_.m_key();
  request.route = mad::DirectedRoute{};
  const mad::Mad packet = mad::to_mad(request);
  Result<mad::Mad> answer = co_await around_.transport->exchange(packet, kPatience);
  if (!answer || timer_ == Clock::TimerId::none) co_return;
  const Result<mad::Smp> smp = mad::to_smp(*answer);
  if (smp && smp->status == 0) compare(mad::decode<mad::PortInfo>(smp->data));
}

/// While we program, the port climbs to Active: that is our own doing.
void OwnPort::compare(const mad::PortInfo& now) {
  const std::optional<PortState> before = std::exchange(seen_, now.state);
  if (now.state != PortState::down)
    down_since_.reset();
  else if (!down_since_)
    down_since_ = around_.clock->now();
  if (now.state == PortState::active || before == now.state) return;
  const bool fell = before ? *before == PortState::active || *before == PortState::down : around_.settled();
  if (fell) around_.changed(fmt::format("our own port is {}", name(now.state)));
}

}  // namespace weft::daemon
