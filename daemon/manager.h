#pragma once
// Manager: one subnet through one port, for as long as the port is there. Decides when to sweep and of which
// kind, answers other managers, and says how things stand.

#include <deque>
#include <functional>
#include <set>

#include "config/settings.h"
#include "daemon/audit.h"
#include "daemon/causes.h"
#include "daemon/counter_poll.h"
#include "daemon/election.h"
#include "daemon/expected_check.h"
#include "daemon/heart.h"
#include "daemon/key_care.h"
#include "daemon/multicast.h"
#include "daemon/own_port.h"
#include "daemon/responder.h"
#include "daemon/sa_service.h"
#include "daemon/sweeper.h"
#include "daemon/trap_damper.h"
#include "daemon/upkeep.h"
#include "daemon/watch.h"
#include "transport/concurrency.h"
#include "transport/smp_client.h"

namespace weft::daemon {

class Manager {
 public:
  struct Parts {
    transport::Transport* transport = nullptr;
    Clock* clock = nullptr;
    Workers* workers = nullptr;
    EventLog* events = nullptr;
    Store* store = nullptr;         ///< May be null.
    SharedState* shared = nullptr;  ///< Likewise.
    asio::any_io_executor executor;
    std::function<std::int64_t()> seconds;  ///< Since 1970; null: by the system's clock.
  };
  Manager(Parts parts, std::shared_ptr<const config::Settings> settings, plan::Ledger ledger);
  ~Manager();
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  /// Sweeps until stop(), or until the transport is lost: then `unavailable` with the reason.
  asio::awaitable<Result<void>> run();
  /// One full sweep and its followers until clean, at most `tries`; the last report.
  asio::awaitable<SweepReport> run_once(int tries);
  void stop();
  /// After stop() or run_once(): waits for what still runs beside the sweeps.
  asio::awaitable<transport::Done> ended() {
    co_await background_.all();
    co_return transport::Done{};
  }

  /// Asks for a full sweep; the number it will have, as far as can be told now.
  std::uint64_t ask_for_sweep(std::string cause);
  /// Used from the next sweep on, which is asked for.
  void reconfigure(std::shared_ptr<const config::Settings> settings);
  /// What these settings would change on the live fabric; nothing is set. Errors: those of preview(),
  /// `unavailable` when we are not master, or nothing is known yet.
  /// Computed on `workers`: planning waits for none of it.
  asio::awaitable<Result<Preview>> preview(std::shared_ptr<const config::Settings> settings,
                                           Workers& workers);
  /// LIDs are used from the next sweep on. What became of the registrations; nothing: they wait until we are
  /// master, in memory only.
  std::optional<plan::TakenOver> import_ledger(plan::Ledger ledger);
  /// Takes the fabric as it is for whole; the number of the sweep that plans anew.
  std::uint64_t accept();
  /// Asks this standby, or the best one, to take over; to whom, for people. What comes of it is an event.
  /// Errors: `conflict` when we are not master, `not_found` when there is no such standby.
  Result<std::string> hand_over(std::optional<Guid> to);
  /// Takes an order for a link or a switch; what happens now. Errors: those of Upkeep::ask, and `conflict`
  /// when we are not master.
  Result<std::string> ask_upkeep(const UpkeepRequest& request);
  /// Every order and how far it is.
  std::vector<UpkeepRow> upkeep_rows() const;
  /// Called after every sweep.
  void on_sweep(std::function<void(const SweepReport&)> handler) { on_sweep_ = std::move(handler); }

  /// Fills in what the manager knows.
  void describe(Status& status) const;
  std::shared_ptr<const plan::View> view() const { return sweeper_.view(); }
  std::shared_ptr<const fabric::Fabric> whole() const { return sweeper_.whole(); }
  const std::deque<SweepReport>& sweeps() const { return reports_; }
  bool sweeping() const { return sweeping_; }
  /// With what clients have told the SA.
  plan::Ledger ledger() const {
    plan::Ledger ledger = sweeper_.ledger();
    ledger.sa = sa_.state();
    return ledger;
  }
  transport::SmpClient& client() { return client_; }
  const transport::SmpClient& client() const { return client_; }
  const SaService& sa() const { return sa_; }
  const Multicast& multicast() const { return multicast_; }
  const CounterPoll& counters() const { return counters_; }
  CounterPoll& counters() { return counters_; }
  const ExpectedCheck& expected() const { return expected_; }
  std::optional<Instant> own_link_down_since() const { return own_port_.down_since(); }

 private:
  Responder::Handlers responses();
  asio::awaitable<SweepReport> sweep(Cause cause);
  void follow(const Election::Decision& decision);
  void settle(const SweepReport& report);
  void plan_next(const SweepReport& report);
  void keep(const SweepReport& report);
  mad::SmInfo self();
  std::uint64_t m_key_of(Lid lid) const;
  bool is_our_m_key(std::uint64_t shown) const;
  Guid own_node() const;  ///< 0 until it is known.

  // manager_upkeep.cpp: bad links, and what is asked of links and switches
  Upkeep::Surroundings upkeep_surroundings();
  CounterPoll::Surroundings counter_surroundings();
  void bad_link(const LinkEnds& link, const std::string& why, bool may_hold);
  ExpectedCheck::Tell expected_tell();
  void note_slow_links(const plan::View& view);
  void watch_links();
  void note_errors(const mad::Notice& notice);
  void judge(const LinkEnds& link, LinkHealth::Sign sign, int times);
  std::vector<Problem> upkeep_problems() const;

  // manager_traps.cpp: what devices tell by themselves
  void on_trap(const mad::Notice& notice, Lid from);
  void look_at_switch(Guid place, std::string why, bool brief);
  void on_local_change(const mad::Notice& notice, fabric::PortRef source, Lid key, std::string text);
  void look_at_end_port(std::string why);
  void look_at_names(std::string why);
  asio::awaitable<SweepReport> read_names(std::string cause);
  void note_places(const SweepReport& report, std::span<const Guid> places);
  void tell_storms(const std::vector<TrapDamper::Storm>& storms);
  std::string who_has(Lid lid) const;

  // manager_election.cpp: among other managers
  std::optional<bool> told(Word word, const mad::SmInfo& speaker, std::optional<mad::DirectedRoute> back);
  void become(const Step& step, std::optional<discovery::Manager> other);
  void wait_for(const discovery::Manager& other);
  void lost_master(const discovery::Manager& whom, const std::string& why);
  void master_is_there(const mad::SmInfo& info);
  void stood_still(Duration how_long);
  void stop_serving();
  void lost_shared(const std::string& why);
  bool may_set();
  asio::awaitable<void> react(Step step, std::optional<discovery::Manager> other);
  asio::awaitable<void> announce(Lid to);
  void nudge_lower_masters();
  asio::awaitable<void> keep_is_sm();
  asio::awaitable<Result<mad::AttrData>> ask_to(Word word, const discovery::Manager& to, mad::SmInfo as);
  asio::awaitable<void> say(Word word, discovery::Manager to, mad::SmInfo as);
  asio::awaitable<void> hand_over_in_passing(discovery::Manager to);
  asio::awaitable<Result<void>> give_up_mastership(discovery::Manager to);
  void note_standing();
  std::vector<Problem> standing_problems() const;
  void tell(std::string kind, std::string text, Severity severity = Severity::warning);
  bool at_rest() const;
  void drifted(Guid node, const std::string& what);
  asio::awaitable<void> serve_sa();
  SaService::Surroundings sa_surroundings();
  std::vector<sa::OtherManager> sa_managers() const;
  Multicast::Surroundings multicast_surroundings();

  Parts parts_;
  std::shared_ptr<const config::Settings> settings_;
  transport::SmpClient client_;
  Election election_;
  Sweeper sweeper_;
  Causes causes_;
  transport::Tasks background_;
  SaService sa_;
  Multicast multicast_;
  Responder responder_;
  KeyCare key_care_;
  OwnPort own_port_;
  Audit audit_;
  TrapDamper damper_;
  std::set<Guid> renamed_;  ///< Nodes that told of another NodeDescription, which is not read yet.
  Instant names_due_{};     ///< Descriptions are read no sooner.
  Clock::TimerId names_timer_ = Clock::TimerId::none;
  LinkHealth health_;
  Upkeep upkeep_;
  CounterPoll counters_;
  ExpectedCheck expected_;
  std::vector<Problem> slow_links_;  ///< Below what both ends can do, after the last sweep.
  std::vector<std::pair<plan::Place, std::string>> disabled_by_others_;  ///< After the last sweep.
  Watch watch_;
  Heart heart_;
  std::optional<Guid> handing_to_;    ///< Has been told to take over, and has not answered yet.
  std::vector<Guid> told_strangers_;  ///< Managers without a say that were told of.
  int announced_ = 0;                 ///< Times the master was told of us since we wait for it.
  std::deque<SweepReport> reports_;   ///< The last 100.
  std::optional<SweepReport> last_full_;
  State state_ = State::discovering;
  std::string text_;
  std::uint32_t act_count_ = 0;
  int failures_in_a_row_ = 0;
  std::optional<Error> lost_;
  bool stopping_ = false;
  bool sweeping_ = false;
  std::uint64_t served_generation_ = 0;
  std::function<void(const SweepReport&)> on_sweep_;
};

/// What SmpClient is told by the settings.
transport::SmpSettings smp_settings(const config::Settings& settings);

}  // namespace weft::daemon
