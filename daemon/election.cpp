#include "daemon/election.h"

#include <algorithm>

#include <fmt/format.h>

namespace weft::daemon {
namespace {

using mad::SmState;

/// A manager that shows IsSM and is silent may be master for so many of our sweeps; then it is taken for one
/// that has died.
constexpr int kSweepsForTheSilent = 3;

bool ranks_above(const mad::SmInfo& one, std::uint8_t priority, Guid guid) {
  return one.priority > priority || (one.priority == priority && one.guid < guid);
}

Happening heard(Word word) {
  switch (word) {
    case Word::hand_over:
      return Happening::told_hand_over;
    case Word::acknowledge:
      return Happening::told_acknowledge;
    case Word::disable:
      return Happening::told_disable;
    case Word::standby:
      return Happening::told_standby;
    case Word::discover:
      return Happening::told_discover;
  }
  return Happening::told_acknowledge;
}

}  // namespace

std::string place_of(const discovery::Manager& manager, const fabric::Fabric* fabric) {
  const auto node = fabric == nullptr ? std::nullopt : fabric->find(manager.node);
  return node ? fabric::describe(fabric->node(*node)) : to_string(manager.node);
}

std::string describe_manager(const discovery::Manager& manager, const fabric::Fabric* fabric) {
  return fmt::format("subnet manager {} (priority {}, {}) on {}, by {}", to_string(manager.info.guid),
                     manager.info.priority, mad::name(manager.info.state), place_of(manager, fabric),
                     mad::to_string(manager.route));
}

std::uint8_t Election::priority() const {
  return is_master() ? std::max(settings_.priority, settings_.master_priority) : settings_.priority;
}

bool Election::outranks(const mad::SmInfo& other) const { return ranks_above(other, priority(), own_guid_); }

bool Election::is_allowed(Guid guid) const {
  return settings_.allowed.empty() || std::ranges::find(settings_.allowed, guid) != settings_.allowed.end();
}

bool Election::knows_key(const mad::SmInfo& manager) const {
  return settings_.sm_key == 0 || manager.sm_key == 0 || manager.sm_key == settings_.sm_key;
}

Step Election::apply(Happening what) {
  const Step next = step(state_, what);
  if (next.legal) state_ = next.next;
  if (!is_master()) refused_.clear();
  return next;
}

Step Election::lost_master(const discovery::Manager& whom) {
  lost_ = whom;
  return apply(Happening::lost_master);
}

/// Somebody may still answer in its name: a simulator, a port that another program has taken.
bool Election::has_died(const discovery::Manager& manager) const {
  return lost_ && manager.info.guid == lost_->info.guid && manager.info.act_count == lost_->info.act_count;
}

/// May get mastership from us.
bool Election::may_manage(const mad::SmInfo& manager) const {
  return is_allowed(manager.guid) && knows_key(manager);
}

/// A master whom we obey. While we are none, any; while we are one, only one that ranks above us, or both
/// would give way.
const discovery::Manager* Election::obeyed(const std::vector<discovery::Manager>& found) const {
  const discovery::Manager* best = nullptr;
  for (const discovery::Manager& one : found) {
    if (one.info.state != SmState::master || one.info.guid == granted_by_ || has_died(one)) continue;
    if (is_master() && (!outranks(one.info) || !may_manage(one.info))) continue;
    if (best == nullptr || ranks_above(one.info, best->info.priority, best->info.guid)) best = &one;
  }
  return best;
}

/// Before we are master, only those that look around at the same time count: a standby waits for somebody.
const discovery::Manager* Election::better(const std::vector<discovery::Manager>& found) const {
  const discovery::Manager* best = nullptr;
  for (const discovery::Manager& one : found) {
    const bool counts = one.info.state == SmState::discovering
                            ? !is_master()
                            : one.info.state == SmState::standby && is_master();
    const bool has_refused = std::ranges::any_of(refused_, [&](const mad::SmInfo& by) {
      return by.guid == one.info.guid && by.priority == one.info.priority;
    });
    if (!counts || has_refused || has_died(one) || !outranks(one.info) || !may_manage(one.info)) continue;
    if (best == nullptr || ranks_above(one.info, best->info.priority, best->info.guid)) best = &one;
  }
  return best;
}

Election::Decision Election::decide(const discovery::Discovered& found) {
  others_ = found.managers;
  Decision decision;
  const auto other = [&](const discovery::Manager& manager, Happening what) {
    decision.other = manager;
    const Step next = apply(what);
    decision.reaction = next.reaction;
    decision.may_write = is_master();
    if (!decision.may_write)
      decision.why = "another manager is master: " + describe_manager(manager, found.fabric.get());
  };
  const discovery::Manager* master = obeyed(found.managers);
  granted_by_ = {};
  if (master != nullptr) {
    other(*master, Happening::found_master);
    return decision;
  }
  if (const discovery::Manager* one = better(found.managers)) {
    other(*one, Happening::found_better);
    return decision;
  }
  // Who is master already has asked before.
  const auto silent = std::ranges::find_if(found.silent, [this](const discovery::Manager& one) {
    return !lost_ || one.node != lost_->node;  // that one has been asked often enough
  });
  silent_sweeps_ = silent == found.silent.end() ? 0 : silent_sweeps_ + 1;
  if (!is_master() && silent_sweeps_ > 0 && silent_sweeps_ < kSweepsForTheSilent) {
    decision.why = fmt::format(
        "{} has IsSM set, but its subnet manager does not answer; it is asked in {} sweeps before anything "
        "is written",
        to_string(silent->node), kSweepsForTheSilent);
    return decision;
  }
  decision.reaction = apply(Happening::found_nobody).reaction;
  decision.may_write = is_master();
  if (decision.may_write) lost_.reset();
  return decision;
}

bool Election::wants_look(const mad::SmInfo& other) const {
  const std::vector<discovery::Manager> one{{other, {}, {}}};
  return obeyed(one) != nullptr || better(one) != nullptr;
}

bool Election::is_below(const mad::SmInfo& master) const {
  return state_ == SmState::standby && !outranks(master) && master.guid != own_guid_;
}

std::optional<Step> Election::told(Word word, const mad::SmInfo& speaker) {
  if (!is_allowed(speaker.guid) || (settings_.sm_key != 0 && speaker.sm_key != settings_.sm_key) ||
      speaker.guid == own_guid_)
    return std::nullopt;
  if (speaker.state != speaker_of(word)) return Step{state_, Reaction::none, false};
  const Step next = apply(heard(word));
  if (next.legal && word == Word::hand_over) granted_by_ = speaker.guid;
  return next;
}

const discovery::Manager* Election::find(Guid port) const {
  const auto found = std::ranges::find(others_, port, [](const auto& one) { return one.info.guid; });
  return found == others_.end() ? nullptr : &*found;
}

std::optional<discovery::Manager> Election::best_standby() const {
  std::optional<discovery::Manager> best;
  for (const discovery::Manager& one : others_) {
    if (one.info.state != SmState::standby || !may_manage(one.info)) continue;
    if (!best || ranks_above(one.info, best->info.priority, best->info.guid)) best = one;
  }
  return best;
}

}  // namespace weft::daemon
