// The part of SaService that is about ports: which there are, what of theirs is remembered and for how long,
// and what is written to them.

#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "daemon/log.h"
#include "daemon/sa_service.h"
#include "plan/registrations.h"
#include "sa/aliases.h"
#include "sa/group_care.h"
#include "sa/inform.h"
#include "sa/services.h"

namespace weft::daemon {
namespace {

constexpr Duration kTellAgain = std::chrono::seconds(5);
constexpr std::int64_t kMostExpiryWait = 60;

}  // namespace

SaService::Built SaService::build(std::shared_ptr<const plan::View> view) {
  Built built{std::make_shared<const sa::Index>(std::move(view)), {}};
  built.present.reserve(built.index->ends().size());
  for (const sa::End& end : built.index->ends()) built.present.push_back(end.guid);
  std::ranges::sort(built.present);
  return built;
}

asio::awaitable<void> SaService::publish(std::shared_ptr<const plan::View> view,
                                         std::vector<Guid> were_served, std::vector<Guid> strangers) {
  if (!view || !view->plan) co_return;
  auto compute = [view] { return build(view); };
  Built built = co_await compute_on(*around_.workers, std::move(compute));
  install(std::move(built), were_served, strangers);
}

void SaService::silence() {
  if (index_ || paused_) stale_ = true;
  pause();
  paused_ = false;
}

void SaService::adopt(plan::SaState state) {
  stale_ = paused_ = false;
  knows_all_ = true;
  met_.reset();
  change(std::move(state), {});
}

void SaService::pause() {
  if (index_) paused_ = true;
  index_.reset();
  queue_.clear();
}

bool SaService::is_present(Guid port) const { return std::ranges::binary_search(present_, port); }

void SaService::install(Built built, const std::vector<Guid>& were_served,
                        const std::vector<Guid>& strangers) {
  const std::shared_ptr<const sa::Index> old = std::exchange(index_, std::move(built.index));
  tables_.forget();
  const std::vector<Guid> before = std::exchange(present_, std::move(built.present));
  if (std::exchange(stale_, false))
    forget_all(were_served);
  else if (!knows_all_)
    ask_latecomers(were_served, strangers);
  (void)take_handed_in();
  if (auto next = sa::with_present_lids(state_, *index_)) change(std::move(*next), {});
  care_for_groups();
  if (std::exchange(seen_a_view_, true)) report_changes(old.get(), before, present_);
  note_absent();
  write_aliases_of_new(before);
  tell_forgotten();
  wake();
}

/// Our own groups are as set, and all have the members and rates that the new View allows.
void SaService::care_for_groups() {
  std::vector<sa::Event> events;
  const partitions::PlannedKeys& partitions = index_->view().plan->partitions;
  if (auto next = sa::with_own_groups(state_, settings_.options, partitions, events))
    change(std::move(*next), {});
  if (auto next = sa::as_planned(context({}), events)) change(std::move(*next), {});
  for (const sa::Event& event : events) report(event);
}

/// `old`: where those stood that are gone; null when nobody knows.
void SaService::report_changes(const sa::Index* old, const std::vector<Guid>& before,
                               const std::vector<Guid>& now) {
  const auto tell = [this](const std::vector<Guid>& changed, mad::TrapNumber trap, const sa::Index* where) {
    for (const Guid guid : changed) {
      const sa::End* end = where == nullptr ? nullptr : where->find(guid);
      if (end == nullptr) continue;
      const std::span<const Pkey> keys = end->keys;
      report({raw(trap), {settings_.prefix, raw(guid)}, {keys.begin(), keys.end()}});
    }
  };
  std::vector<Guid> changed;
  std::ranges::set_difference(before, now, std::back_inserter(changed));
  tell(changed, mad::TrapNumber::gid_out_of_service, old);
  changed.clear();
  std::ranges::set_difference(now, before, std::back_inserter(changed));
  tell(changed, mad::TrapNumber::gid_in_service, index_.get());
}

/// Nothing is known of what clients have registered, or it is out of date: all are to do it again. Services
/// have leases, and aliases are ours to keep.
void SaService::forget_all(const std::vector<Guid>& were_served) {
  plan::SaState next = state_;
  next.groups = {};
  next.subscriptions = {};
  std::size_t ports = 0;
  for (const Guid guid : were_served) {
    const sa::End* end = index_->find(guid);
    if (end == nullptr || end->is_switch) continue;
    next.forgotten.set(guid, true);
    ++ports;
  }
  sa_log().info("registrations unknown ports={} asked=register-again", ports);
  change(std::move(next), {});
  knows_all_ = false;
  met_.emplace(were_served.begin(), were_served.end());
  met_->insert(present_.begin(), present_.end());  // who comes up with us registers by itself
}

std::optional<plan::TakenOver> SaService::hand_in(plan::SaState told) {
  if (handed_in_) {
    plan::TakenOver both = plan::with_registrations(*handed_in_, told);
    if (around_.note && !both.left_out.empty())
      around_.note("state_imported", fmt::format("left out of an imported state, beside another one: {}",
                                                 fmt::join(both.left_out, "; ")));
    told = std::move(both.state);
  }
  handed_in_ = std::move(told);
  if (!index_) return std::nullopt;
  std::optional<plan::TakenOver> taken = take_handed_in();
  care_for_groups();
  note_absent();
  return taken;
}

std::optional<plan::TakenOver> SaService::take_handed_in() {
  if (!handed_in_) return std::nullopt;
  const plan::SaState told = std::move(*std::exchange(handed_in_, std::nullopt));
  plan::TakenOver taken = plan::with_registrations(state_, told);
  const std::string text = plan::to_string(taken.taken);
  sa_log().info("registrations handed in {} left_out={}", text, taken.left_out.size());
  if (around_.note)
    around_.note("state_imported",
                 fmt::format("{} taken over from an imported state{}{}", text,
                             taken.left_out.empty() ? "" : "; left out: ", fmt::join(taken.left_out, "; ")));
  change(taken.state, {});
  told.port_guids.each([this](Guid port, const plan::SaState::PortGuids&) { write_aliases(port); });
  return taken;
}

/// Ports that were away when all was forgotten, and have not booted since, as they have a LID; and ports that
/// another master has had meanwhile, in a part of the fabric that was cut off.
void SaService::ask_latecomers(const std::vector<Guid>& were_served, const std::vector<Guid>& strangers) {
  std::set<Guid> ask(strangers.begin(), strangers.end());
  if (met_) {
    std::ranges::copy_if(were_served, std::inserter(ask, ask.end()),
                         [this](Guid guid) { return !met_->contains(guid); });
    met_->insert(present_.begin(), present_.end());
  }
  plan::SaState next = state_;
  std::size_t ports = 0;
  for (const Guid guid : ask) {
    const sa::End* end = index_->find(guid);
    if (end == nullptr || end->is_switch) continue;
    next.forgotten.set(guid, true);
    ++ports;
  }
  if (ports == 0) return;
  sa_log().info("registrations unknown ports={} asked=register-again", ports);
  change(std::move(next), {});
}

/// Starts the time of grace of registered ports that are not there.
void SaService::note_absent() {
  std::unordered_map<Guid, Instant> absent;
  const Instant now = around_.clock->now();
  for (const Guid port : plan::registered_ports(state_)) {
    if (is_present(port)) continue;
    const auto since = absent_since_.find(port);
    absent.emplace(port, since == absent_since_.end() ? now : since->second);
  }
  absent_since_ = std::move(absent);
  around_.clock->cancel(absent_timer_);
  if (absent_since_.empty()) return;
  const auto first =
      std::ranges::min_element(absent_since_, {}, [](const auto& entry) { return entry.second; });
  absent_timer_ = around_.clock->at(first->second + settings_.grace, [this] { forget_absent(); });
}

void SaService::forget_absent() {
  if (!index_) return;
  const Instant now = around_.clock->now();
  std::vector<Guid> gone;
  for (const auto& [port, since] : absent_since_)
    if (now - since >= settings_.grace) gone.push_back(port);
  std::ranges::sort(gone);
  plan::SaState next = state_;
  std::vector<sa::Event> events;
  std::vector<Guid> names = gone;  // members go by alias, too
  for (const Guid port : gone)
    if (const plan::SaState::PortGuids* guids = state_.port_guids.find(port))
      std::ranges::copy_if(**guids, std::back_inserter(names), [](Guid guid) { return guid != Guid{}; });
  if (auto without = sa::without_ports(next, names, events)) next = std::move(*without);
  for (const Guid port : gone) {
    next.subscriptions.erase(port);
    next.forgotten.set(port, true);
    absent_since_.erase(port);
  }
  sa_log().info("registrations dropped ports={} groups_ended={}", gone.size(), events.size());
  change(std::move(next), [this, events = std::move(events)] {
    for (const sa::Event& event : events) report(event);
  });
  note_absent();
}

/// Ports that must register again and are there are told so until they confirm it.
void SaService::tell_forgotten() {
  if (telling_ || !index_) return;
  std::vector<fabric::PortRef> ports;
  state_.forgotten.each([&](Guid guid, bool) {
    const sa::End* end = index_->find(guid);
    if (end == nullptr || end->is_switch) return;
    if (index_->fabric().port(end->port).state == PortState::active) ports.push_back(end->port);
  });
  if (ports.empty()) return;
  telling_ = true;
  const std::size_t asked = ports.size();
  writer_.reregister(index_->shared_view(), std::move(ports), [this, asked](std::vector<Guid> told) {
    telling_ = false;
    plan::SaState next = state_;
    for (const Guid guid : told) next.forgotten.erase(guid);
    if (!told.empty()) change(std::move(next), {});
    if (told.size() == asked) return;
    around_.clock->cancel(tell_timer_);
    tell_timer_ = around_.clock->after(kTellAgain, [this] { tell_forgotten(); });
  });
}

void SaService::write_aliases(Guid port) {
  const sa::End* end = index_ ? index_->find(port) : nullptr;
  if (end == nullptr) return;
  const std::uint32_t blocks = sa::guid_blocks(context({}), *end);
  for (std::uint32_t block = 0; block < blocks; ++block)
    writer_.write_guids(index_->shared_view(), end->port, block,
                        mad::encode(sa::guid_block(state_, port, block)));
}

/// A port that was away may have lost its aliases.
void SaService::write_aliases_of_new(const std::vector<Guid>& before) {
  state_.port_guids.each([&](Guid port, const plan::SaState::PortGuids&) {
    if (is_present(port) && !std::ranges::binary_search(before, port)) write_aliases(port);
  });
}

/// Services that have expired are hidden at once and taken away a little later.
void SaService::arm_expiry() {
  if (expiry_timer_ != Clock::TimerId::none) return;
  const std::optional<std::int64_t> next = leases_.next();
  if (!next) return;
  const std::int64_t wait = std::clamp<std::int64_t>(*next - around_.now() + 1, 1, kMostExpiryWait);
  expiry_timer_ = around_.clock->after(std::chrono::seconds(wait), [this] {
    expiry_timer_ = Clock::TimerId::none;
    plan::SaState left = leases_.without_ended(state_, around_.now());
    if (left.services.size() != state_.services.size()) change(std::move(left), {});
    arm_expiry();
  });
}

}  // namespace weft::daemon
