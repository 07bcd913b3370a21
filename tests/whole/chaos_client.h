#pragma once
// ChaosClient: a program on a host that joins and leaves groups, registers services and subscribes, in the
// middle of everything else: it asks until it is answered, as a kernel does, and registers again when its
// port is told to (ClientReregister), and only then. What it was answered OK for since must stand with
// whoever is master.

#include <deque>
#include <optional>
#include <set>

#include "mad/sa_records.h"
#include "plan/sa_state.h"
#include "sim/network.h"
#include "tests/whole/whole.h"

namespace weft::test {

class ChaosClient final : public sim::Endpoint {
 public:
  ChaosClient(Whole& whole, sim::NodeIndex host);
  ~ChaosClient() override;

  enum class Kind : std::uint8_t { group, service, subscription };
  struct Thing {
    Kind kind = Kind::group;
    std::uint32_t number = 0;  ///< Of a group or service; a trap.
    Pkey pkey{0xffff};         ///< Of a group: where it is.
    auto operator<=>(const Thing&) const = default;
  };
  /// Wants this from now on, or does not want it any longer.
  void want(Thing thing);
  void give_up(Thing thing);
  /// It is not in this partition any longer: what it had there is gone.
  void lost_partition(Pkey pkey);
  /// Its host has booted, or is another one: nothing is left of what it had asked for.
  void boot();

  sim::NodeIndex host() const { return host_; }
  sim::PortIndex port() const { return port_; }
  const std::set<Thing>& confirmed() const { return confirmed_; }
  bool wants(const Thing& thing) const { return confirmed_.contains(thing) || is_asked(thing); }
  /// Everything that it asked for has been answered.
  bool idle() const { return !asking_ && wishes_.empty(); }
  /// What it was answered OK for and the master does not know; empty: all is well.
  std::string lost(const plan::SaState& state) const;

  struct Toll {
    std::uint64_t confirmed = 0;
    std::uint64_t refused = 0;
    std::uint64_t asked_again = 0;  ///< Requests that were repeated.
    std::uint64_t registered = 0;   ///< Times that ClientReregister came.
  };
  const Toll& toll() const { return toll_; }
  std::string last_refusal;

  static Gid mgid(const Thing& thing);

 private:
  struct Wish {
    Thing thing;
    bool away = false;  ///< Leave, delete, unsubscribe.
  };
  void receive(const mad::Mad& mad) override;
  void device_lost(const Error&) override {}
  bool takes(const mad::Mad& mad, bool is_sm) const override;
  void register_again();
  bool is_asked(const Thing& thing) const;
  void drop_wishes(const Thing& thing);
  void next();
  void send();
  void finish(std::uint16_t status);
  mad::Mad request() const;
  void fill(std::span<std::uint8_t> data, mad::Header& header, mad::SaHeader& sa) const;

  Whole& whole_;
  sim::NodeIndex host_;
  sim::PortIndex port_;
  sim::Network::ClientId id_;
  std::deque<Wish> wishes_;
  std::optional<Wish> asking_;
  std::set<Thing> confirmed_;
  std::uint64_t tid_ = 0;
  int tries_ = 0;
  Clock::TimerId timer_ = Clock::TimerId::none;
  Toll toll_;
};

}  // namespace weft::test
