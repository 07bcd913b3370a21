#pragma once
// SaService: the SA on the wire. Admits requests (SM_Key, mastership, duplicates), has them decided by sa/,
// keeps what they change, and sends answers: one MAD, or RMPP where it must be a table. Reports notices to
// those who have subscribed, and repeats each until it is confirmed.

#include <deque>
#include <functional>
#include <memory>
#include <set>

#include "mad/notice.h"
#include "sa/request.h"
#include "transport/rmpp.h"

namespace weft::daemon {

struct SaSettings {
  std::uint64_t sm_key = 0;  ///< 0: nobody is trusted.
  Duration report_timeout = std::chrono::milliseconds(500);
  int report_attempts = 5;
  std::size_t report_window = 64;  ///< Reports awaiting their confirmation at a time.
};

struct SaCounts {
  std::uint64_t requests = 0;
  std::uint64_t answered = 0;
  std::uint64_t refused = 0;     ///< Answered with a status that is not 0.
  std::uint64_t unadmitted = 0;  ///< Left unanswered: not master, foreign SM_Key, no room.
  std::uint64_t reports = 0;
  std::uint64_t unconfirmed = 0;  ///< Reports nobody confirmed.
};

class SaService {
 public:
  /// What the manager tells, asked for each request.
  struct Surroundings {
    transport::Transport* transport = nullptr;
    Clock* clock = nullptr;
    asio::any_io_executor executor;  ///< The loop's.
    std::function<mad::SmInfo()> self;
    std::function<std::vector<sa::OtherManager>()> others;
    /// Keeps the state; `done` is called when it is safe, or with why it is not.
    std::function<void(const plan::SaState&, std::function<void(Result<void>)> done)> keep;
    /// Seconds since 1970.
    std::function<std::int64_t()> now;
  };

  SaService(Surroundings around, plan::SaState state, SaSettings settings = {});
  ~SaService();
  SaService(const SaService&) = delete;
  SaService& operator=(const SaService&) = delete;

  /// A View was published: from now on it is answered from. Ports that came or went are reported.
  void publish(std::shared_ptr<const plan::View> view);
  /// We are not master (any more): everything goes unanswered until the next publish().
  void silence() { index_.reset(); }

  /// Takes what came in of class SA.
  void handle(const mad::Mad& mad);
  /// A trap of somebody's, to be forwarded to those who want to hear of it.
  void forward(const mad::Notice& notice, Lid from);

  const plan::SaState& state() const { return state_; }
  const SaCounts& counts() const { return counts_; }
  std::size_t transfers() const { return rmpp_.transfers(); }

 private:
  void decide(const mad::Mad& request, std::span<const std::uint8_t> data);
  void reply(const mad::Mad& request, const sa::Answer& answer);
  void report(const sa::Event& event);
  void report(const plan::Subscription& to, std::span<const std::uint8_t> notice);
  void send_reports();
  Gid sm_gid() const;
  void change(plan::SaState next, std::function<void()> then);

  Surroundings around_;
  SaSettings settings_;
  plan::SaState state_;
  std::unique_ptr<const sa::Index> index_;
  transport::Rmpp rmpp_;
  std::set<Guid> present_;  // end ports of the last View
  bool seen_a_view_ = false;
  std::deque<mad::Mad> reports_;
  std::size_t reports_under_way_ = 0;
  SaCounts counts_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace weft::daemon
