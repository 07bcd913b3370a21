#pragma once
// Responder: what we answer to others: SMInfo to whoever asks, TrapRepress to every trap. Traps become
// causes; what is for the SA is handed to it.

#include <functional>

#include "daemon/causes.h"
#include "mad/notice.h"
#include "mad/sm_info.h"
#include "transport/transport.h"

namespace weft::daemon {

class Responder {
 public:
  /// `self` tells what we say of ourselves. `trap` gets every trap after it was repressed.
  Responder(transport::Transport& transport, std::uint64_t m_key, std::function<mad::SmInfo()> self,
            std::function<void(const mad::Notice&, Lid from)> trap,
            std::function<void(const mad::Mad&)> administration)
      : transport_(transport),
        m_key_(m_key),
        self_(std::move(self)),
        trap_(std::move(trap)),
        administration_(std::move(administration)) {}

  void handle(const mad::Mad& mad);
  std::uint64_t dropped() const { return dropped_; }

 private:
  void answer_sm_info(const mad::Mad& request);
  void repress(const mad::Mad& trap);

  transport::Transport& transport_;
  std::uint64_t m_key_;
  std::function<mad::SmInfo()> self_;
  std::function<void(const mad::Notice&, Lid)> trap_;
  std::function<void(const mad::Mad&)> administration_;
  std::uint64_t dropped_ = 0;
};

}  // namespace weft::daemon
