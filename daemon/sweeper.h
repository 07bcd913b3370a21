#pragma once
// Sweeper: one sweep from its cause to its report: discover, plan, check, program, verify, publish. Holds
// what lives between sweeps: the Shadow, the Ledger, the last View. When to sweep is the Manager's business.

#include <functional>
#include <memory>
#include <set>
#include <span>

#include "config/settings.h"
#include "daemon/election.h"
#include "daemon/event_log.h"
#include "daemon/link_health.h"
#include "daemon/preview.h"
#include "daemon/shared_state.h"
#include "daemon/status.h"
#include "daemon/workers.h"
#include "discovery/discover.h"
#include "discovery/light_sweep.h"
#include "fabric/compare.h"
#include "mad/blocks.h"
#include "plan/found_keys.h"
#include "plan/view.h"
#include "program/programmer.h"
#include "transport/smp_client.h"

namespace weft::daemon {

/// What a Sweeper needs around it; all must outlive it.
struct Surroundings {
  transport::SmpClient* client = nullptr;
  Clock* clock = nullptr;
  Workers* workers = nullptr;
  EventLog* events = nullptr;
  Store* store = nullptr;  ///< May be null: nothing survives then.
  Election* election = nullptr;
  /// Called in a full sweep when it is decided who manages, before anything is written.
  std::function<void(const Election::Decision&)> decided;
  /// Called when nothing is known any longer of these switches' tables; may be empty.
  std::function<void(std::span<const Guid>)> tables_forgotten;
  SharedState* shared = nullptr;  ///< May be null.
  /// Called when what clients have told another master was taken over, or, with nothing, when what we know of
  /// that is right as it is.
  std::function<void(std::optional<plan::SaState>)> registrations_known;
  /// Called when the orders of another master were taken over.
  std::function<void(std::shared_ptr<const plan::Orders>)> orders_taken;
};

class Sweeper {
 public:
  Sweeper(Surroundings around, std::shared_ptr<const config::Settings> settings, plan::Ledger ledger);

  /// Discovers all, plans, and programs what differs.
  asio::awaitable<SweepReport> full(std::string cause);
  /// Looks at the ports of these switches (of the brief ones: when they say they have changed) and what lies
  /// behind them only, plans, and programs what differs.
  /// Discovers all where that does not fit with what was known.
  asio::awaitable<SweepReport> local(std::string cause, std::vector<Guid> places, std::vector<Guid> brief);
  /// What a light sweep has seen.
  struct Seen {
    std::string what;          ///< Empty: nothing has changed.
    std::vector<Guid> places;  ///< Where a local sweep is enough: the switches concerned.
  };
  /// Looks whether anything changed. `only`: at these switches, and at ports that told of a change, alone.
  asio::awaitable<SweepReport> light(std::string cause, Seen& seen, std::optional<std::vector<Guid>> only);
  /// Reads the NodeDescriptions of these nodes, one SMP each, and nothing else. Where a policy means somebody
  /// by name, keys and levels are planned again and written: the report is of a local sweep then. `silent`:
  /// who did not answer.
  asio::awaitable<SweepReport> names(std::string cause, std::vector<Guid> nodes, std::vector<Guid>& silent);

  void set_settings(std::shared_ptr<const config::Settings> settings) { settings_ = std::move(settings); }
  /// Takes over these LIDs, from the next plan on. One that is being made or written meanwhile ends with its
  /// own.
  void take_lids(std::shared_ptr<const plan::LidMap> lids) { taken_lids_ = std::move(lids); }
  /// What is missing is not waited for any longer: neither told, nor kept a place for in the tables, from the
  /// next sweep on.
  void take_for_whole() { take_for_whole_ = true; }
  /// What is asked of links and nodes from now on; kept at once. `carried_out`: less than before, and what
  /// has gone needs no plan.
  void set_orders(std::shared_ptr<const plan::Orders> orders, bool carried_out);
  /// The last plan was made for what is asked now.
  bool orders_planned() const { return orders_ == planned_orders_; }
  /// Links that were down since the last look; told once.
  std::vector<LinkEnds> take_dropped() { return std::exchange(dropped_, {}); }
  /// Switches of which a port was disabled in the last sweep.
  const std::vector<Guid>& closed_at() const { return closed_at_; }
  /// The transport is closed: the sweep under way ends at its next step, and tells and saves nothing more.
  void stop() { stopping_ = true; }
  /// We are not master any longer, or not sure of it: the sweep under way ends likewise, and the next one
  /// begins anew.
  void interrupt(std::string why) {
    interrupted_ = true;
    managing_ = false;
    interruption_ = std::move(why);
  }
  /// This device may hold anything: the next full sweep writes all of it.
  void distrust(Guid node) {
    const std::vector<Guid> nodes{node};
    forget_tables(nodes);
  }
  /// Likewise all of them.
  void distrust_all() { forget_all_tables(); }
  /// The next light sweep looks at this end port, too.
  void ask_port(Guid port) { asked_.insert(port); }
  bool is_port_asked() const { return !asked_.empty(); }
  /// Whether the last take-over was from another manager, whom clients have told things; said once.
  bool took_over_from_another() { return std::exchange(follows_another_, false); }
  /// A light sweep needs a discovery to compare with.
  bool can_look() const { return known_ != nullptr; }
  /// A local one needs a discovery in which nothing was wrong.
  bool can_look_around() const { return well_known_ && known_->findings.empty() && known_->dangling.empty(); }
  std::uint64_t sweeps() const { return number_; }

  std::shared_ptr<const plan::View> view() const { return view_; }
  /// The last Fabric from which nothing was missing; null before there was one.
  std::shared_ptr<const fabric::Fabric> whole() const { return whole_; }
  /// The Fabric of the last View; null before the first.
  const fabric::Fabric* fabric() const { return view_ ? view_->fabric.get() : nullptr; }
  /// What another configuration would be planned for; nothing before the first good sweep.
  std::optional<PreviewInput> preview_input() const {
    if (!known_ || !view_ || !view_->plan) return std::nullopt;
    return PreviewInput{settings_, known_, view_, ledger(), {}, shadow_};
  }
  /// What the next plan starts from.
  plan::Ledger ledger() const;
  mad::Shadow& shadow() { return shadow_; }
  /// End ports that had a LID before the last sweep wrote anything: clients there may have registered with
  /// somebody already.
  const std::vector<Guid>& found_served() const { return found_served_; }
  /// Those of them that obeyed another master than us.
  const std::vector<Guid>& found_strangers() const { return found_strangers_; }
  std::optional<Progress> progress() const { return progress_; }
  const std::vector<OtherManager>& other_managers() const { return others_; }
  const std::vector<Problem>& problems() const { return problems_; }
  std::size_t unreadable() const { return unreadable_; }
  const std::vector<Dirty>& dirty() const { return dirty_; }
  /// Nodes and links that were there before and are gone, a sentence each.
  const std::vector<std::string>& missing() const { return missing_; }
  const std::vector<std::string>& unmatched() const { return unmatched_; }
  Lid own_lid() const;

 private:
  class Phase;

  asio::awaitable<SweepReport> sweep(SweepReport report, std::vector<Guid> places);
  asio::awaitable<Result<discovery::Discovered>> discover(SweepReport& report, std::vector<Guid> places);
  bool is_as_planned(const discovery::Discovered& found, std::span<const Guid> places) const;
  asio::awaitable<void> plan_and_apply(discovery::Discovered& found, SweepReport& report);
  /// On record, from what switches hold, and then on the wire.
  asio::awaitable<void> put_in_force(const discovery::Discovered& found, plan::Planned& planned,
                                     SweepReport& report);
  asio::awaitable<void> read_tables(const discovery::Discovered& found, SweepReport& report);
  asio::awaitable<bool> digests_hold(const discovery::Discovered& found);
  asio::awaitable<Result<plan::Planned>> make_plan(discovery::Discovered& found, SweepReport& report);
  asio::awaitable<Result<void>> commit(plan::Ledger ledger);
  asio::awaitable<void> apply(const discovery::Discovered& found, const plan::Planned& planned,
                              SweepReport& report);
  asio::awaitable<void> begin_at_held(const discovery::Discovered& found, plan::Planned& planned);
  asio::awaitable<bool> lanes_move(const discovery::Discovered& found, const plan::Plan& plan);
  asio::awaitable<std::string> leave_out_locked(discovery::Discovered& found);
  asio::awaitable<void> look_at_down_ports(const discovery::Discovered& found,
                                           std::vector<std::string>& restless);

  void note_served(const discovery::Discovered& found);
  asio::awaitable<void> void_digests_of_changes(const discovery::Discovered& found,
                                                const plan::Planned& planned);
  void forget_tables(std::span<const Guid> nodes);
  void forget_all_tables();
  void forget_changed(const discovery::Discovered& found);
  void note_managers(const discovery::Discovered& found);
  void yield(const std::string& why);
  void take_over(const discovery::Discovered& found);
  asio::awaitable<Result<bool>> take_shared();
  std::vector<fabric::PortRef> asked_ports();
  bool cut_short() const { return stopping_ || interrupted_; }
  std::string why_cut_short() const { return stopping_ ? "stopped" : interruption_; }
  void note_drops(const discovery::Discovered& found);
  void leave_out_closed(discovery::Discovered& found, std::span<const fabric::PortRef> closed,
                        SweepReport& report);
  void publish(const discovery::Discovered& found, const plan::Planned& planned);
  asio::awaitable<void> read_found_keys(const discovery::Discovered& found);  // sweeper_keys.cpp
  // sweeper_told.cpp
  void publish_as_planned(const discovery::Discovered& found);
  asio::awaitable<void> rename(std::vector<std::pair<NodeId, std::string>> told, SweepReport& report);
  void learn_told(const std::vector<discovery::LightSweep::Told>& told);
  void tell_differences(std::span<const fabric::Difference> differences);
  void tell_policies(const plan::Plan& plan, const fabric::Fabric& fabric);
  void tell_unchecked(const program::Programmed& done, const fabric::Fabric& fabric);
  void tell_moved_lids(const plan::Plan& plan, const fabric::Fabric& fabric);
  void tell_rerouting(const plan::Plan& plan, const fabric::Fabric& fabric);
  void tell_engine(const plan::Plan& plan, const fabric::Fabric& fabric);
  void tell_failure(const Error& why);
  void tell_return();
  void tell_restarts(const discovery::Discovered& found);
  void tell_unmatched(std::vector<std::string> now);
  void tell_failed(std::span<const program::Failure> failed, const fabric::Fabric& fabric);
  void tell_accepted();
  void follow_managers(std::span<const discovery::Manager> answering);
  void note_missing(std::span<const fabric::Difference> since_whole);
  void tell_findings(const std::vector<discovery::Finding>& findings);
  void event(Severity severity, std::string kind, std::string text, Guid node = {},
             std::optional<PortNum> port = {});
  SweepReport begin(SweepKind kind, std::string cause);
  void finish(SweepReport& report);

  Surroundings around_;
  std::shared_ptr<const config::Settings> settings_;
  std::shared_ptr<const config::Settings> planned_with_;    ///< Those of the last plan,
  std::shared_ptr<const config::Settings> published_with_;  ///< and of the last View.
  plan::Ledger ledger_;
  mad::Shadow shadow_;
  program::Settled settled_;  ///< Of `shadow_`.
  std::shared_ptr<const discovery::Discovered> known_;
  std::shared_ptr<const plan::View> view_;
  std::optional<Progress> progress_;
  std::vector<OtherManager> others_;
  std::vector<Problem> problems_;
  std::vector<Dirty> dirty_;
  std::vector<Guid> found_served_;
  std::vector<Guid> found_strangers_;
  std::shared_ptr<const fabric::Fabric> whole_;  ///< The last Fabric from which nothing was missing.
  std::vector<std::string> missing_;
  bool take_for_whole_ = false;
  std::shared_ptr<const plan::LidMap> taken_lids_;  ///< Null: none.
  std::vector<std::string> told_;           ///< Findings of the last sweep, so that each is an event once.
  std::string told_engine_;                 ///< What was last told of the routing engine.
  std::vector<std::string> told_policies_;  ///< Likewise of partitions and levels.
  std::vector<std::string> unmatched_;      ///< Plan::unmatched, likewise.
  std::shared_ptr<const plan::Orders> orders_;
  std::shared_ptr<const plan::Orders> planned_orders_;  ///< Those of the last plan.
  std::shared_ptr<const fabric::Fabric> last_seen_;     ///< What links are compared with to tell drops.
  std::vector<LinkEnds> dropped_;
  std::vector<Guid> closed_at_;
  std::string told_failure_;    ///< Why the last discovery failed; empty: it did not.
  std::string yielded_to_;      ///< Whom we wait for; empty: nobody.
  std::vector<Guid> doubles_;   ///< GUIDs that answered at two places in the last sweep.
  std::size_t unreadable_ = 0;  ///< Findings for which the last sweep was not clean.
  bool stopping_ = false;
  bool interrupted_ = false;
  std::string interruption_;
  bool managing_ = false;  ///< We are master, and have taken over what there was.
  bool follows_another_ = false;
  /// Our record of P_Keys is not of the last policy in force: another manager had one meanwhile.
  bool keys_are_anothers_ = false;
  std::shared_ptr<const plan::FoundKeys> found_keys_;  ///< Kept while our policy is refused; else null.
  bool as_viewed_ = false;   ///< Switches are known to hold the tables that the last View plans.
  bool well_known_ = false;  ///< The last sweep went to its end, and nothing was left to do.
  std::set<Guid> booted_;    ///< Switches that have shown a boot since the last good discovery.
  std::set<Guid> brief_;     ///< Of the places of a local sweep: DiscoverOptions::brief.
  std::set<Guid> asked_;     ///< End ports that told of a change since the last look.
  std::uint64_t number_ = 0;
  std::uint64_t generation_ = 0;
  Instant began_{};
  std::uint64_t sent_before_ = 0;
  std::uint64_t sets_before_ = 0;
  std::uint64_t timeouts_before_ = 0;
};

}  // namespace weft::daemon
