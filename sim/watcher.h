#pragma once
// Watcher: sees what a Network does: for recordings, triggers and statistics. It is called in the middle of
// things, so it must not send, attach or change the World; whoever wants to act asks the clock for a moment
// of his own.

#include "mad/mad.h"
#include "sim/forward.h"

namespace weft::sim {

enum class ClientId : std::uint32_t {};

class Watcher {
 public:
  Watcher() = default;
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  virtual ~Watcher() = default;

  /// A program's packet has left it; `drop` tells when it will not arrive. Its address is where it goes.
  virtual void sent(ClientId, const mad::Mad&, Drop) {}
  /// A program gets a packet; its address is the sender's.
  virtual void received(ClientId, const mad::Mad&) {}
  /// An agent has done what a request asked for, or refused it, and its answer is on the way.
  virtual void handled(NodeIndex, const mad::Header&) {}
};

}  // namespace weft::sim
