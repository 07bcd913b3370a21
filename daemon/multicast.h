#pragma once
// Multicast: keeps the switches' multicast tables as the members of groups ask for. What is joined and left
// in a short time becomes one change; a new View has all trees made anew, after its unicast tables are in the
// switches. Only blocks that differ from what a switch is known to hold are written. Digests of what was
// confirmed outlive a restart: a block that is planned as it was is not even read; others are read first. The
// digests on disk are void while tables are being written.

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "daemon/workers.h"
#include "mad/blocks.h"
#include "plan/multicast.h"
#include "transport/concurrency.h"
#include "transport/smp_client.h"

namespace weft::daemon {

struct MulticastCounts {
  std::uint64_t updates = 0;  ///< Changes of trees, of one MLID or many.
  std::uint64_t blocks_written = 0;
  std::uint64_t blocks_read = 0;
  std::uint64_t failed = 0;
};

class Multicast {
 public:
  /// All must outlive it; `tasks` must have ended before it does.
  struct Surroundings {
    transport::SmpClient* client = nullptr;
    Clock* clock = nullptr;
    Workers* workers = nullptr;
    transport::Tasks* tasks = nullptr;
    mad::Shadow* devices = nullptr;  ///< What switches hold: learned here as MFT blocks are read and written.
    std::function<const plan::SaState&()> state;
    /// Keeps the digests over a restart; may be empty.
    std::function<void(std::shared_ptr<const plan::MftDigestMap>, std::function<void(Result<void>)> done)>
        keep;
    std::function<void(std::string problem)> tell;  ///< Each once, until it is gone; may be empty.
  };
  /// `digests`: as they were kept.
  Multicast(Surroundings around, std::shared_ptr<const plan::MftDigestMap> digests, Duration interval)
      : around_(std::move(around)), interval_(interval), known_(*digests), kept_(std::move(digests)) {}
  ~Multicast();
  Multicast(const Multicast&) = delete;
  Multicast& operator=(const Multicast&) = delete;

  /// A View was published: its trees are made and written soon.
  void publish(std::shared_ptr<const plan::View> view);
  /// Groups have other members.
  void changed() { wake(); }
  /// These switches may hold anything.
  void forget(std::span<const Guid> switches);
  /// Nothing more is written until the next publish().
  void silence();
  void set_interval(Duration interval) { interval_ = interval; }

  /// As planned; null before the first plan.
  std::shared_ptr<const plan::MulticastPlan> plan() const { return plan_; }
  const MulticastCounts& counts() const { return counts_; }
  /// What members do not get, and why: trees that have no room, tables that were not written.
  std::vector<std::string> problems() const;
  /// Everything planned is written.
  bool settled() const { return !dirty_ && !running_; }

 private:
  void wake();
  void start();
  asio::awaitable<void> update();
  asio::awaitable<void> apply(std::shared_ptr<const plan::MulticastPlan> plan);
  void tell_problems();
  asio::awaitable<void> void_kept();
  void keep_soon();
  void keep_now();
  /// What is on disk vouches for tables.
  bool vouched() const { return kept_ && !kept_->empty(); }

  Surroundings around_;
  Duration interval_;
  std::shared_ptr<const plan::View> view_;
  std::shared_ptr<const plan::MulticastPlan> plan_;
  MulticastCounts counts_;
  Clock::TimerId timer_ = Clock::TimerId::none;
  Instant last_ = Instant::min();
  bool dirty_ = false;
  bool running_ = false;
  bool redo_ = false;                ///< Some switch did not take its blocks: all are looked at again.
  std::set<std::uint32_t> touched_;  ///< Blocks that had entries at some time of this process.
  std::vector<std::string> told_;
  std::vector<std::string> not_written_;            ///< A sentence a switch.
  plan::MftDigestMap known_;                        ///< Of the last process: what is still believed of it.
  std::shared_ptr<const plan::MftDigestMap> kept_;  ///< On disk; empty or null: void.
  Clock::TimerId keep_timer_ = Clock::TimerId::none;
};

}  // namespace weft::daemon
