// The App and the ports of this host that lead to one subnet: which of them is managed from.

#include "config/subnet_types.h"
#include "daemon/app.h"
#include "daemon/log.h"
#include "mad/port_info.h"
#include "mad/smp.h"

namespace weft::daemon {
namespace {

using Opened = Result<std::unique_ptr<transport::Transport>>;

constexpr Duration kPatience = std::chrono::milliseconds(500);

/// Whether the port has a link; also when that cannot be told, as with an M_Key that hides it.
asio::awaitable<bool> has_link(transport::Transport& transport) {
  mad::Smp request;
  request.method = mad::Method::get;
  request.attribute = mad::AttrId::port_info;
  request.route = mad::DirectedRoute{};
  const mad::Mad packet = mad::to_mad(request);
  Result<mad::Mad> answer = co_await transport.exchange(packet, kPatience);
  if (!answer) co_return true;
  const Result<mad::Smp> smp = mad::to_smp(*answer);
  if (!smp || smp->status != 0) co_return true;
  co_return mad::decode<mad::PortInfo>(smp->data).state != PortState::down;
}

std::string called(const config::PortChoice& port) {
  const std::string text = config::to_string(port);
  return text.empty() ? "the only usable port" : "port " + text;
}

}  // namespace

std::vector<config::PortChoice> App::ports() const {
  const config::TransportSettings& transport = settings()->transport;
  std::vector<config::PortChoice> ports{transport.port};
  ports.insert(ports.end(), transport.failover.begin(), transport.failover.end());
  return ports;
}

asio::awaitable<Opened> App::open_port(std::size_t which) {
  auto settings = std::make_shared<config::Settings>(*this->settings());
  settings->transport.port = ports()[which];
  std::shared_ptr<const config::Settings> given = std::move(settings);
  Opened opened = co_await parts_.open(std::move(given));
  co_return opened;
}

/// The first that has a link, beginning with the one of last time; without any, the first that is there.
asio::awaitable<Opened> App::open_any_port() {
  const std::size_t count = ports().size();
  if (port_ >= count) port_ = 0;
  const std::size_t first = port_;
  Opened best = co_await open_port(first);
  if (count == 1) co_return best;
  for (std::size_t step = 0; step < count; ++step) {
    const std::size_t which = (first + step) % count;
    Opened next = fail(Errc::unavailable, "not tried");
    if (step == 0)
      next = std::move(best);
    else
      next = co_await open_port(which);
    bool linked = false;
    if (next) linked = co_await has_link(**next);
    if (linked) {
      if (which != port_)
        tell(Severity::warning, "port_failover",
             fmt::format("{} has no link or is not there: managing through {}", called(ports()[port_]),
                         called(ports()[which])));
      port_ = which;
      co_return next;
    }
    if (step == 0 || (!best && next)) best = std::move(next);
  }
  co_return best;
}

/// Ends the manager when its port has had no link for a while and another one has.
void App::watch_port() {
  if (ports().size() < 2) return;
  port_timer_ = parts_.clock->after(std::chrono::seconds(1), [this] {
    port_timer_ = Clock::TimerId::none;
    if (!manager_ || stopping_) return;
    const auto down = manager_->own_link_down_since();
    const bool long_enough = down && parts_.clock->now() - *down >= settings()->transport.failover_after;
    if (!long_enough) return watch_port();
    asio::co_spawn(*parts_.loop, leave_port(), asio::detached);
  });
}

asio::awaitable<void> App::leave_port() {
  const Manager* const manager = manager_.get();
  const std::size_t count = ports().size();
  for (std::size_t step = 1; step < count; ++step) {
    const std::size_t which = (port_ + step) % count;
    Opened other = co_await open_port(which);
    bool linked = false;
    if (other) linked = co_await has_link(**other);
    if (!linked) continue;
    if (manager_.get() == manager && !stopping_) manager_->stop();
    co_return;
  }
  if (manager_.get() == manager && !stopping_) watch_port();
}

}  // namespace weft::daemon
