#pragma once
// SaReports: sends notices to those who have subscribed to them, each again until it is confirmed, a bounded
// number at a time.

#include <deque>
#include <memory>

#include "daemon/sa_counts.h"
#include "mad/notice.h"
#include "sa/request.h"
#include "transport/concurrency.h"
#include "transport/transport.h"

namespace weft::daemon {

struct ReportSettings {
  Duration timeout = std::chrono::milliseconds(500);
  int attempts = 5;
  std::size_t window = 64;  ///< Awaiting their confirmation at a time.
};

class SaReports {
 public:
  /// `tasks` runs the sending, and must have ended before this does.
  SaReports(transport::Transport& transport, transport::Tasks& tasks, ReportSettings settings,
            SaCounts& counts)
      : transport_(transport), tasks_(tasks), settings_(settings), counts_(counts) {}

  /// To all who want it and share one of `keys`, the P_Keys of what it is about. `notice` is 80 bytes,
  /// `issuer` the GID at its end.
  void send(const sa::Index& index, const plan::SaState& state, std::span<const std::uint8_t> notice,
            const Gid& issuer, std::span<const Pkey> keys);

 private:
  void queue(const plan::Subscription& to, std::span<const std::uint8_t> notice);
  void pump();
  static asio::awaitable<void> deliver(SaReports& self, mad::Mad report);

  transport::Transport& transport_;
  transport::Tasks& tasks_;
  ReportSettings settings_;
  SaCounts& counts_;
  std::deque<mad::Mad> waiting_;
  std::size_t under_way_ = 0;
};

}  // namespace weft::daemon
