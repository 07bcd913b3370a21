#pragma once
// Responder: what we answer to others: SMInfo to whoever asks, TrapRepress to every trap. Traps become
// causes; what other managers tell us is for the election; what is for the SA is handed to it.

#include <functional>

#include <optional>

#include "daemon/mastership.h"
#include "mad/directed_route.h"
#include "mad/notice.h"
#include "mad/sm_info.h"
#include "transport/transport.h"

namespace weft::daemon {

class Responder {
 public:
  struct Handlers {
    std::function<mad::SmInfo()> self;  ///< What we say of ourselves.
    /// Another manager told us this in a Set(SMInfo); `back` is the way to it, where the packet shows one.
    /// Whether that was legal; nothing: no answer. What follows from it must wait until the answer is out.
    std::function<std::optional<bool>(Word, const mad::SmInfo& speaker,
                                      std::optional<mad::DirectedRoute> back)>
        told;
    /// The M_Key of who sent a trap, and whether one that somebody shows is ours.
    std::function<std::uint64_t(Lid)> m_key_of;
    std::function<bool(std::uint64_t)> is_our_m_key;
    std::function<void(const mad::Notice&, Lid from)> trap;  ///< Gets every trap after it was repressed.
    std::function<void(const mad::Mad&)> administration;
  };
  Responder(transport::Transport& transport, Handlers handlers)
      : transport_(transport), on_(std::move(handlers)) {}

  void handle(const mad::Mad& mad);
  std::uint64_t dropped() const { return dropped_; }

 private:
  void answer_sm_info(const mad::Mad& request);
  void repress(const mad::Mad& trap);

  transport::Transport& transport_;
  Handlers on_;
  std::uint64_t dropped_ = 0;
};

}  // namespace weft::daemon
