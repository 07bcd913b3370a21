#pragma once
// SaService: the SA on the wire. Admits requests (SM_Key, mastership, quotas, duplicates), has them decided
// by sa/, keeps what they change, and sends answers: one MAD, or RMPP where it must be a table. Knows which
// ports have come and gone: reports it, forgets after a time of grace what was registered for a port that is
// gone, and has a port register again when what it had registered is lost.

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>

#include "config/settings.h"
#include "daemon/port_writer.h"
#include "daemon/sa_counts.h"
#include "daemon/sa_queue.h"
#include "daemon/sa_reports.h"
#include "daemon/sa_tables.h"
#include "daemon/workers.h"
#include "plan/registrations.h"
#include "sa/request.h"
#include "sa/services.h"
#include "transport/rmpp.h"

namespace weft::daemon {

struct SaSettings : config::SaSettings {
  std::uint64_t prefix = kLinkLocalPrefix;
  ReportSettings reports;
};

class SaService {
 public:
  /// What it needs around it; all must outlive it.
  struct Surroundings {
    transport::Transport* transport = nullptr;
    Clock* clock = nullptr;
    Workers* workers = nullptr;
    asio::any_io_executor executor;          ///< The loop's.
    transport::SmpClient* client = nullptr;  ///< For tables that are asked for, and what is written to ports.
    transport::Tasks* tasks = nullptr;       ///< What runs beside; must have ended before the service does.
    const mad::Shadow* devices = nullptr;    ///< As swept; may be null.
    std::function<mad::SmInfo()> self;
    std::function<std::vector<sa::OtherManager>()> others;  ///< May be empty.
    /// Keeps the state; `done` is called when it is safe, or with why it is not. May be empty.
    std::function<void(const plan::SaState&, std::function<void(Result<void>)> done)> keep;
    std::function<std::int64_t()> now;     ///< Seconds since 1970.
    std::function<void()> groups_changed;  ///< Members, or groups; may be empty.
    /// Switches' multicast tables as planned, null before there are any; may be empty.
    std::function<std::shared_ptr<const plan::MulticastTables>()> multicast;
    std::function<void(std::string kind, std::string)> tell;  ///< What a person should know; may be empty.
    std::function<void(std::string kind, std::string)> note;  ///< What he may want to know; may be empty.
  };

  /// `state`: as kept; without groups nothing was kept, and ports that were Active already are told to
  /// register again.
  SaService(Surroundings around, plan::SaState state, SaSettings settings);
  ~SaService();
  SaService(const SaService&) = delete;
  SaService& operator=(const SaService&) = delete;

  /// A View was published: from the end of this on it is answered from. Ports that came or went are reported.
  /// `were_served`: ports that had a LID already, where clients may have registered before we came.
  /// `strangers`: those of them that obeyed another master.
  asio::awaitable<void> publish(std::shared_ptr<const plan::View> view, std::vector<Guid> were_served,
                                std::vector<Guid> strangers = {});
  /// We are not master (any more): everything goes unanswered until the next publish(), and what clients had
  /// told us is no longer true by then.
  void silence();
  /// The same while it is not known whether we are master still: if we are, what was registered holds.
  void pause();
  /// What clients have told whoever was master before us, and nothing is missing.
  void adopt(plan::SaState state);
  /// What clients have told another manager, as its own file has it: taken over beside what we know
  /// (plan/registrations.h), while nothing is answered at the next publish(). Who registers again all the
  /// same changes nothing by that. Nothing: it waits for the next publish(), in memory only, beside what
  /// waits already.
  std::optional<plan::TakenOver> hand_in(plan::SaState told);
  /// Another manager was master before the next publish().
  void distrust() { stale_ = true; }
  /// Used from the next request on.
  void set_settings(SaSettings settings) { settings_ = std::move(settings); }

  /// Takes what came in of class SA.
  void handle(const mad::Mad& mad);
  /// A trap of somebody's, to be forwarded to those who want to hear of it.
  void forward(const mad::Notice& notice, Lid from);

  /// What would be answered, without any change; nothing while we do not answer.
  std::optional<sa::Answer> ask(const sa::Request& request) const;

  const plan::SaState& state() const { return state_; }
  /// Null while nothing is answered.
  std::shared_ptr<const sa::Index> index() const { return index_; }
  const SaCounts& counts() const { return counts_; }
  std::size_t transfers() const { return rmpp_.transfers(); }
  std::uint64_t reregistered() const { return writer_.reregistered(); }

 private:
  /// A request on its way; `data` of one that came in segments is longer than a MAD.
  struct Asked {
    mad::Mad mad;
    std::vector<std::uint8_t> data;
    Instant since{};
    std::span<const std::uint8_t> body() const {
      return data.empty() ? std::span<const std::uint8_t>(mad.bytes).subspan(mad::kSaDataAt) : data;
    }
  };
  struct Built {
    std::shared_ptr<const sa::Index> index;
    std::vector<Guid> present;  // sorted
  };
  static Built build(std::shared_ptr<const plan::View> view);
  void install(Built built, const std::vector<Guid>& were_served, const std::vector<Guid>& strangers);
  void report_changes(const sa::Index* old, const std::vector<Guid>& before, const std::vector<Guid>& now);
  void care_for_groups();
  void forget_all(const std::vector<Guid>& were_served);
  std::optional<plan::TakenOver> take_handed_in();
  void ask_latecomers(const std::vector<Guid>& were_served, const std::vector<Guid>& strangers);
  void note_absent();
  void forget_absent();
  void tell_forgotten();
  void write_aliases(Guid port);
  void write_aliases_of_new(const std::vector<Guid>& before);
  void arm_expiry();

  void wake();
  void pump();
  void decide(Asked asked, int reads_left = 2);
  bool read_tables(const Asked& asked, const sa::Request& request, const sa::Context& known, int reads_left);
  sa::Request request_of(const Asked& asked) const;
  sa::Context context(std::span<const sa::OtherManager> others) const;
  void finish(const Asked& asked, const sa::Answer& answer);
  void note_refusal(const sa::Request& request, const sa::Answer& answer);
  void reply(const Asked& asked, const sa::Answer& answer);
  SaAttributeCounts& counts_of(const mad::Mad& mad);
  void report(const sa::Event& event);
  Gid sm_gid() const;
  void change(plan::SaState next, std::function<void()> then);
  bool is_present(Guid port) const;

  Surroundings around_;
  SaSettings settings_;
  plan::SaState state_;
  sa::Leases leases_;
  std::shared_ptr<const sa::Index> index_;
  SaCounts counts_;
  SaQueue queue_;
  bool awake_ = false;
  transport::Rmpp rmpp_;
  ViewPaths paths_;
  SaTables tables_;
  SaReports reports_;
  PortWriter writer_;
  std::vector<Guid> present_;  // end ports of the last View, sorted
  bool seen_a_view_ = false;
  bool paused_ = false;     // not answering, and not known to be out of date
  bool stale_ = false;      // another manager has been master since
  bool knows_all_ = false;  // whatever others were told is in the state, too
  std::optional<plan::SaState> handed_in_;
  std::optional<std::set<Guid>> met_;  // ports that were here since all was forgotten; nothing: it never was
  std::unordered_map<Guid, Instant> absent_since_;  // registered, and not in the last View
  struct RefusalsTold {
    Instant since{};
    std::vector<std::string> texts;
  };
  std::unordered_map<Lid, RefusalsTold> refusals_told_;
  bool telling_ = false;
  int saves_under_way_ = 0;
  bool save_failed_ = false;
  Clock::TimerId absent_timer_ = Clock::TimerId::none;
  Clock::TimerId expiry_timer_ = Clock::TimerId::none;
  Clock::TimerId tell_timer_ = Clock::TimerId::none;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace weft::daemon
