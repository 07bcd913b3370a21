#pragma once
// Election: who is master, as far as we can tell: what discovery found of other managers and what they say to
// us goes in; what we are and whether we may write comes out. Decides by the table of mastership.h; sends
// nothing and waits for nothing.

#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"
#include "daemon/mastership.h"
#include "discovery/discover.h"

namespace weft::daemon {

class Election {
 public:
  explicit Election(config::ManagerSettings settings) : settings_(std::move(settings)) {}

  void set_settings(config::ManagerSettings settings) { settings_ = std::move(settings); }
  void set_own_guid(Guid guid) { own_guid_ = guid; }

  mad::SmState state() const { return state_; }
  bool is_master() const { return state_ == mad::SmState::master; }
  /// As told to others: higher while we are master, so that nobody takes over without need.
  std::uint8_t priority() const;
  Guid own_guid() const { return own_guid_; }

  struct Decision {
    bool may_write = false;
    /// Who is in the way, in a sentence; empty when we may write.
    std::string why;
    Reaction reaction = Reaction::none;
    /// Whom to wait for, hand over to or give way to.
    std::optional<discovery::Manager> other;
  };
  /// A discovery has ended. `where` of a manager: for people.
  Decision decide(const discovery::Discovered& found);
  /// A look at known managers: whether a discovery should decide anew.
  bool wants_look(const mad::SmInfo& other) const;

  /// A master that should hand over to us.
  bool is_below(const mad::SmInfo& master) const;

  /// Somebody said this to us. Nothing: a manager that has no say; it gets no answer.
  std::optional<Step> told(Word word, const mad::SmInfo& speaker);
  /// Whom we wait for has died, as far as we can tell: it is not waited for again until it is heard of.
  Step lost_master(const discovery::Manager& whom);
  /// To whom we handed over has accepted.
  Step handed_over() { return apply(Happening::handed_over); }
  /// It did not take over: it is not asked again until its rank changes.
  void refused(const mad::SmInfo& by) { refused_.push_back(by); }
  /// Our own link was down, or this process stood still.
  Step cut_off() { return apply(Happening::cut_off); }

  /// The best standby that may be master; nothing when there is none.
  std::optional<discovery::Manager> best_standby() const;
  /// Of those found last, the one on this port; null when none is.
  const discovery::Manager* find(Guid port) const;
  /// Those found last. By GUID.
  const std::vector<discovery::Manager>& others() const { return others_; }
  void set_others(std::vector<discovery::Manager> others) { others_ = std::move(others); }
  /// Shows our key, or none, where it was not asked to.
  bool knows_key(const mad::SmInfo& manager) const;
  /// A port GUID of the list of managers that may be master, or any when there is no list.
  bool is_allowed(Guid guid) const;

 private:
  Step apply(Happening what);
  bool outranks(const mad::SmInfo& other) const;
  bool may_manage(const mad::SmInfo& manager) const;
  bool has_died(const discovery::Manager& manager) const;
  const discovery::Manager* obeyed(const std::vector<discovery::Manager>& found) const;
  const discovery::Manager* better(const std::vector<discovery::Manager>& found) const;

  config::ManagerSettings settings_;
  Guid own_guid_{};
  mad::SmState state_ = mad::SmState::discovering;
  std::vector<discovery::Manager> others_;
  std::optional<discovery::Manager> lost_;  ///< Whom we have stopped waiting for.
  std::vector<mad::SmInfo> refused_;        ///< Better ones that did not take over.
  Guid granted_by_{};                       ///< Handed over to us: is still master for a moment.
  int silent_sweeps_ = 0;                   ///< In a row, with somebody who has IsSM set and does not answer.
};

/// The node that it runs on: GUID and description, where the Fabric knows it.
std::string place_of(const discovery::Manager& manager, const fabric::Fabric* fabric);
/// "subnet manager 0x... (priority 5, master) on sm-2, by 0,1,19"
std::string describe_manager(const discovery::Manager& manager, const fabric::Fabric* fabric);

}  // namespace weft::daemon
