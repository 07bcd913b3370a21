#pragma once
// Traps: the notices that devices have raised and nobody has repressed yet. Each is sent to the port's
// MasterSMLID and repeated until TrapRepress comes with its transaction id. Source: IBTA vol. 1, 13.4.9
// and 14.3.

#include <functional>
#include <map>

#include "mad/notice.h"
#include "sim/world.h"

namespace weft::sim {

struct TrapSettings {
  Duration first =
      std::chrono::microseconds(10);  ///< From cause to packet; what happens meanwhile is one trap.
  Duration repeat = std::chrono::seconds(1);
  int sends = 60;  ///< Given up after so many; without an end, virtual time would never run out.
};

class Traps {
 public:
  /// Puts a packet on the wire at a port; its address is where it goes.
  using Send = std::function<void(PortIndex from, const mad::Mad&)>;

  Traps(World& world, Send send) : world_(world), send_(std::move(send)), agenda_(world.clock()) {}

  /// Trap 128, by a switch.
  void link_changed(NodeIndex sw);
  /// Trap 144, by the port of an HCA or a switch's port 0.
  void capability_changed(PortIndex port);
  /// Any notice (sim/notices.h), sent until it is repressed. A later one of the same kind about the same port
  /// takes the place of one that is still pending. Nothing is sent while the port or its SM has no LID.
  void raise(PortIndex from, mad::Notice notice);
  /// A trap storm: `count` traps, one each `every`, whatever anybody represses.
  void storm(PortIndex from, const mad::Notice& notice, int count, Duration every);
  void repress(NodeIndex node, std::uint64_t tid);
  std::size_t pending() const { return pending_.size(); }
  TrapSettings& settings() { return settings_; }

 private:
  struct Key {
    PortIndex port;
    mad::TrapNumber trap;
    std::uint8_t about;  // port number, of traps that are about one port of a switch
    auto operator<=>(const Key&) const = default;
  };
  struct Pending {
    mad::Notice notice;
    std::uint64_t tid = 0;
    int sends_left = 0;
    Clock::TimerId timer = Clock::TimerId::none;
  };
  void send_trap(PortIndex from, const mad::Notice& notice, std::uint64_t tid);
  void fire(Key key);

  World& world_;
  Send send_;
  TrapSettings settings_;
  std::map<Key, Pending> pending_;
  std::uint32_t last_tid_ = 0;
  Agenda agenda_;
};

}  // namespace weft::sim
