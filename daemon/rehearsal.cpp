#include "daemon/rehearsal.h"

#include <string>

#include "mad/port_info.h"
#include "mad/smp.h"
#include "transport/concurrency.h"

namespace weft::daemon {

/// What a device would hold after the Sets so far is answered here; all else by the device.
class Rehearsal::StandIn final : public transport::Transport {
 public:
  StandIn(transport::Transport& real, Clock& clock, asio::any_io_executor executor)
      : Transport(clock), real_(real), tasks_(executor) {}

  Result<void> send(const mad::Mad&) override { return {}; }
  const transport::LocalPort& local_port() const override { return real_.local_port(); }
  Result<void> set_is_sm(bool) override { return {}; }
  asio::awaitable<void> all_asked() { co_await tasks_.all(); }

  std::map<mad::AttrId, std::uint64_t> sets;

 private:
  Result<void> submit(const mad::Mad& request, Duration timeout) override {
    Result<mad::Smp> smp = mad::to_smp(request);
    if (!smp) return fail(smp.error());
    const std::string key = key_of(*smp);
    if (smp->method == mad::Method::set) {
      ++sets[smp->attribute];
      tasks_.start(take(*smp, key, timeout));
      return {};
    }
    if (const auto held = held_.find(key); held != held_.end()) {
      answer(*smp, held->second);
      return {};
    }
    tasks_.start(ask(*smp, timeout));
    return {};
  }

  /// Sets of PortInfo say "no change" of the state: the answer tells what it is.
  asio::awaitable<void> take(mad::Smp request, std::string key, Duration timeout) {
    mad::AttrData data = request.data;
    if (request.attribute == mad::AttrId::port_info) {
      auto info = mad::decode<mad::PortInfo>(data);
      if (info.state == PortState::no_change || info.phys == PhysState::no_change) {
        if (!held_.contains(key)) {
          mad::Smp get = request;
          get.method = mad::Method::get;
          const Result<mad::AttrData> now = co_await real_answer(get, timeout);
          if (now) held_[key] = *now;
        }
        const auto before = mad::decode<mad::PortInfo>(held_[key]);
        if (info.state == PortState::no_change) info.state = before.state;
        if (info.phys == PhysState::no_change) info.phys = before.phys;
        mad::encode_into(std::span<std::uint8_t>(data), info);
      }
    }
    held_[key] = data;
    answer(request, data);
  }

  asio::awaitable<void> ask(mad::Smp request, Duration timeout) {
    const Result<mad::AttrData> held = co_await real_answer(request, timeout);
    if (held) answer(request, *held);
  }

  asio::awaitable<Result<mad::AttrData>> real_answer(mad::Smp request, Duration timeout) {
    const mad::Mad packet = mad::to_mad(request);
    Result<mad::Mad> answer = co_await real_.exchange(packet, timeout);
    if (!answer) co_return fail(answer.error());
    Result<mad::Smp> smp = mad::to_smp(*answer);
    if (!smp) co_return fail(smp.error());
    if (smp->status != 0) co_return fail(Errc::bad_status, "{}", mad::describe_status(smp->status));
    co_return smp->data;
  }

  void answer(mad::Smp request, const mad::AttrData& data) {
    request.method = mad::Method::get_resp;
    request.returning = true;
    request.status = 0;
    request.data = data;
    const mad::Mad packet = mad::to_mad(request);
    clock().after(Duration::zero(), [this, packet] { deliver(packet); });
  }

  static std::string key_of(const mad::Smp& smp) {
    return fmt::format("{} {} {}", raw(smp.attribute), smp.modifier, mad::to_string(*smp.route));
  }

  transport::Transport& real_;
  transport::Tasks tasks_;
  std::map<std::string, mad::AttrData> held_;
};

Rehearsal::Rehearsal(transport::SmpClient& real, Clock& clock, asio::any_io_executor executor)
    : stand_in_(std::make_unique<StandIn>(real.transport(), clock, executor)),
      client_(std::make_unique<transport::SmpClient>(*stand_in_, clock, real.settings())) {}

Rehearsal::~Rehearsal() = default;

transport::SmpClient& Rehearsal::client() { return *client_; }

const std::map<mad::AttrId, std::uint64_t>& Rehearsal::sets() const { return stand_in_->sets; }

asio::awaitable<void> Rehearsal::ended() { return stand_in_->all_asked(); }

}  // namespace weft::daemon
