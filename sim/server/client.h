#pragma once
// Client: a program at a port of the fabric, as the server sees it: what it waits for, what it takes of what
// others ask, and the datagrams that are to go to it. No sockets.
//
// Two kinds: those of ibsim, and those of our own protocol (wire.h). ibsim's have no time-outs and ask for no
// classes, so a request of theirs that is not answered comes back to them with status 110, and of what others
// ask they get what the SM classes and subnet administration carry, while they have IsSM set.

#include <map>
#include <unordered_map>

#include "sim/network.h"
#include "sim/server/fifo.h"
#include "sim/server/message.h"

namespace weft::sim {

class Desk;

/// Requests that nobody has answered yet, in the order of their time-outs, which are all as long.
class Unanswered {
 public:
  void add(std::uint64_t tid, Instant until, const Datagram& request);
  void answered(std::uint64_t tid);
  /// Takes the next request that was to be answered until `now`.
  std::optional<Datagram> take_expired(Instant now);
  std::optional<Instant> next() const;

 private:
  struct Entry {
    std::uint64_t tid = 0;
    Instant until{};
    bool open = true;
    Datagram request;
  };
  void trim();
  Fifo<Entry> entries_;
  std::unordered_map<std::uint64_t, std::uint64_t> by_tid_;  // sequence numbers of entries
};

/// What an agent of one of our own clients takes.
struct AgentFilter {
  std::uint8_t mgmt_class = 0;
  std::uint8_t class_version = 0;
  std::uint32_t oui = 0;
  std::array<std::uint64_t, 2> methods{};

  bool takes(const mad::Mad& mad) const;
  /// Some request would be for both.
  bool conflicts(const AgentFilter& other) const;
};

class Client final : public Endpoint {
 public:
  enum class Kind : std::uint8_t { stock, wide };
  struct Stats {
    std::uint64_t received = 0;  ///< Datagrams from it.
    std::uint64_t sent = 0;
    std::uint64_t dropped = 0;    ///< Not sent, since it does not read.
    std::uint64_t malformed = 0;  ///< Of a size that is no MAD's.
    std::uint64_t returned = 0;   ///< Requests told to be lost.
  };
  /// Datagrams that wait at most for a client that does not read.
  static constexpr std::size_t kQueue = 8192;

  Client(Desk& desk, Kind kind, PortIndex port, bool silent_loss);

  void receive(const mad::Mad& mad) override;
  bool takes(const mad::Mad& mad, bool is_sm) const override;
  void device_lost(const Error& why) override;

  Kind kind() const { return kind_; }
  PortIndex port() const { return port_; }
  Network::ClientId id() const { return id_; }
  bool is_sm() const { return is_sm_; }
  bool lost() const { return lost_; }
  const World& world() const;
  const Stats& stats() const { return stats_; }

  /// Place for one more to send; null, and counted, when too many wait.
  Datagram* next_outgoing();
  /// What waits to be sent, in order.
  Fifo<Datagram>& outgoing() { return outgoing_; }
  const Fifo<Datagram>& outgoing() const { return outgoing_; }
  void sent(std::size_t datagrams) {
    stats_.sent += datagrams;
    outgoing_.pop(datagrams);
  }

 private:
  friend class Desk;
  std::uint32_t agent_for(const mad::Mad& mad) const;
  void return_lost(Instant now);

  Desk& desk_;
  Kind kind_;
  PortIndex port_;
  bool silent_loss_;
  bool is_sm_ = false;
  bool lost_ = false;
  bool dirty_ = false;  // on the desk's list of those with something to send
  Network::ClientId id_{};
  std::map<std::uint32_t, AgentFilter> agents_;
  Fifo<Datagram> outgoing_;
  std::array<Unanswered, 2> unanswered_;  // subnet management, the rest
  Stats stats_;
};

}  // namespace weft::sim
