#pragma once
// Network: gives the World's packets time, loses some of them by seed, and hands the others to agents or to
// the programs attached to ports. One heap of packets under way and one timer of the clock, however many
// there are.
//
// Nothing is delivered inside send(). Who is attached to a port shares its LID and gets: answers to what it
// sent (found by the upper 16 bits of the transaction id, which are stamped here as kernels and ibsim do),
// and what others ask, if it takes it.

#include <array>
#include <deque>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "mad/mad.h"
#include "sim/conditions.h"
#include "sim/forward.h"
#include "sim/traps.h"
#include "sim/watcher.h"
#include "sim/world.h"

namespace weft::sim {

struct NetworkSettings {
  Duration hop = std::chrono::microseconds(1);     ///< A link, and the switch behind it.
  Duration agent = std::chrono::microseconds(10);  ///< An agent's work on one packet.
  double exchange_loss = 0;  ///< Of a Get or Set of a program: half of the lost have been executed.
  double link_loss = 0;      ///< Of any packet, at each link it crosses.
  double duplicates = 0;     ///< Of any packet: it arrives twice.
  double reordered = 0;      ///< Of any packet: it is held up for up to `reorder_by`, so others overtake it.
  Duration reorder_by = std::chrono::microseconds(100);
};

/// A program attached to a port.
class Endpoint {
 public:
  Endpoint() = default;
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;
  virtual ~Endpoint() = default;
  /// address is the sender's. Never called inside Network::send.
  virtual void receive(const mad::Mad& mad) = 0;
  /// Whether it wants what others ask. An SM is offered it before the others at the port.
  virtual bool takes(const mad::Mad& mad, bool is_sm) const;
  /// The device is gone.
  virtual void device_lost(const Error& why) = 0;
};

class Network {
 public:
  using ClientId = sim::ClientId;
  static constexpr std::size_t kFreshClients = 1000;

  /// The World must not be given to two networks; both must outlive what is attached.
  explicit Network(World& world, NetworkSettings settings = {});
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  World& world() { return world_; }
  NetworkSettings& settings() { return settings_; }
  Traps& traps() { return traps_; }
  Conditions& conditions() { return conditions_; }

  /// Told of everything from now on; it must stay until unwatched.
  void watch(Watcher& watcher) { watchers_.push_back(&watcher); }
  void unwatch(Watcher& watcher) { std::erase(watchers_, &watcher); }

  /// Attaches to an HCA port or a switch's port 0. The number of a client that left is given again only when
  /// kFreshClients others have left since, so that late answers reach nobody.
  ClientId attach(PortIndex port, Endpoint& endpoint);
  void detach(ClientId client);
  /// Sends from the client's port; address is where it goes.
  void send(ClientId client, const mad::Mad& mad);
  /// Sets or clears IsSM of the client's port, which raises trap 144. While set, the client gets what is for
  /// an SM.
  void set_is_sm(ClientId client, bool on);

  /// The device appears at `when` only; until then it cannot be opened.
  void set_available_from(PortIndex port, Instant when) { available_from_[raw(port)] = when; }
  bool available(PortIndex port) const;
  /// Takes the device from its programs; they can come back after `away`.
  void lose_device(PortIndex port, Duration away = {});

  /// Packets that ended early, by reason.
  std::uint64_t drops(Drop reason) const { return drops_[static_cast<std::size_t>(reason)]; }
  std::size_t in_flight() const { return heap_.size(); }
  PortIndex port_of(ClientId client) const { return clients_[raw(client)].port; }

 private:
  struct Packet {
    mad::Header header;           // as it stands in the bytes: decoded once
    mad::Mad mad;                 // address: where it goes
    PortIndex from = kNoPort;     // HCA port or port 0 it left
    PortIndex arrival = kNoPort;  // port it comes in by
    Lid source{};
    Pkey pkey{};  // of what goes as data does
    bool lose_answer = false;
  };
  struct Due {
    Instant when;
    std::uint64_t order;
    std::uint32_t slot;
    bool operator<(const Due& other) const {  // std heaps put the greatest first
      return when != other.when ? when > other.when : order > other.order;
    }
  };
  struct Client {
    PortIndex port = kNoPort;
    Endpoint* endpoint = nullptr;
    bool is_sm = false;
  };

  std::uint32_t take_slot();
  Drop launch(std::uint32_t slot);
  std::optional<Duration> time_on(const Way& way);
  Way way_of(Packet& packet);
  Way directed_way(Packet& packet);
  Way data_way(Packet& packet);
  void drop(std::uint32_t slot, Drop reason);
  Drop dropped(std::uint32_t slot, Drop reason);
  void schedule(std::uint32_t slot, Duration wait);
  void arm();
  void fire();
  void arrive(std::uint32_t slot);
  void hand_over(std::uint32_t slot, const Client* client);
  void ask_agent(std::uint32_t slot);
  void send_back(std::uint32_t slot);
  PortIndex own_port(PortIndex arrival) const;
  bool for_agent(const Packet& packet) const;
  const Client* client_for(const Packet& packet, PortIndex port) const;
  const Client* taker(const mad::Mad& mad, PortIndex port) const;
  bool has_sm(PortIndex port) const;

  World& world_;
  NetworkSettings settings_;
  Traps traps_;
  Conditions conditions_;
  std::vector<Watcher*> watchers_;
  std::vector<Client> clients_;
  std::deque<std::uint32_t> left_;  // numbers of clients that are gone, the longest gone first
  std::deque<Packet> packets_;      // addresses stay good while more are sent
  std::vector<std::uint32_t> free_;
  std::vector<Due> heap_;
  std::uint64_t order_ = 0;
  Clock::TimerId timer_ = Clock::TimerId::none;
  Instant armed_ = Instant::max();
  std::array<std::uint64_t, kDropKinds> drops_{};
  std::unordered_map<std::uint32_t, Instant> available_from_;
};

}  // namespace weft::sim
