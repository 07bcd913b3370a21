#include "daemon/watch.h"

#include "base/words.h"

namespace weft::daemon {
namespace {

/// Who discovers a large fabric takes longer to become master than to answer.
constexpr int kPatienceWithTheNew = 5;

}  // namespace

void Watch::start(discovery::Manager whom, Duration interval, int misses) {
  stop();
  whom_ = std::move(whom);
  interval_ = interval;
  patience_ = misses;
  missed_ = not_master_ = 0;
  asked_ = around_.clock->now();
  ask_later();
}

void Watch::stop() {
  around_.clock->cancel(timer_);
  timer_ = Clock::TimerId::none;
  whom_.reset();
  ++round_;
}

/// The questions keep their pace: time spent on waiting for an answer counts.
void Watch::ask_later() {
  timer_ =
      around_.clock->at(asked_ + interval_, [this, round = round_] { around_.tasks->start(ask(round)); });
}

asio::awaitable<void> Watch::ask(std::uint64_t round) {
  if (round != round_) co_return;
  asked_ = around_.clock->now();
  transport::Target target;  // without its GUID: a silent manager does not make its node a mute one
  target.route = whom_->route;
  Result<mad::AttrData> answer = co_await around_.client->get(target, mad::AttrId::sm_info, 0);
  if (round != round_) co_return;
  const Result<mad::SmInfo> info = transport::decoded<mad::SmInfo>(answer);
  if (info)
    answered(*info);
  else if (info.error().code != Errc::cancelled)
    missed("it does not answer");
}

void Watch::answered(const mad::SmInfo& info) {
  if (info.guid != whom_->info.guid) return missed("another port answers in its place");
  const mad::SmInfo before = std::exchange(whom_->info, info);
  if (info.act_count == before.act_count) return missed("its ActCount stands still");
  const bool is_master = info.state == mad::SmState::master;
  if (before.state == mad::SmState::master && !is_master)
    return give_up(fmt::format("it is {} now", mad::name(info.state)));
  not_master_ = is_master ? 0 : not_master_ + 1;
  if (not_master_ > kPatienceWithTheNew * patience_)
    return give_up(fmt::format("it is {} still", mad::name(info.state)));
  missed_ = 0;
  ask_later();
  around_.there(info);
}

void Watch::missed(std::string why) {
  if (++missed_ < patience_) return ask_later();
  give_up(fmt::format("{}, asked {}", why, counted(static_cast<std::uint64_t>(missed_), "time")));
}

void Watch::give_up(std::string why) {
  const discovery::Manager whom = *whom_;
  stop();
  around_.lost(whom, std::move(why));
}

}  // namespace weft::daemon
