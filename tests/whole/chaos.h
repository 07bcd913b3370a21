#pragma once
// Chaos: three managers and some clients of theirs on a fabric where everything happens, by seed, also in the
// middle of sweeps. What happens is in chaos_events.cpp and chaos_people.cpp, what must hold after every
// quiet period in chaos_checks.cpp.

#include <map>
#include <random>

#include "tests/whole/chaos_access.h"
#include "tests/whole/chaos_client.h"
#include "tests/whole/shared_memory.h"

namespace weft::test {

/// One of the managers: its process comes and goes, its disk stays.
struct Process {
  std::string host;
  sim::NodeIndex node{};
  std::unique_ptr<MemoryShared> shared;  ///< Null: it shares its state with nobody.
  std::unique_ptr<Rival> rival;
  plan::Ledger disk;
  config::Settings settings;
  bool frozen = false;
  bool had_lock = false;  ///< When it was frozen.
  std::uint64_t freezes = 0;

  bool is_master() const { return rival && rival->status().state == daemon::State::master; }
};

/// How a Chaos is set up.
struct ChaosSettings {
  bool shares = false;  ///< The managers have one state, as in etcd.
  int m_keys = 0;       ///< 0: none; 1: one for all devices; 2: one for each.
  bool counts = false;  ///< They read error counters, and hold bad links for them.

  /// Every combination comes up as seeds go on.
  static ChaosSettings of(std::uint64_t number) {
    return {
        .shares = number % 2 == 1, .m_keys = static_cast<int>(number / 2 % 3), .counts = number / 2 % 2 == 1};
  }
};

class Chaos {
 public:
  Chaos(std::string_view fabric, std::uint64_t seed, ChaosSettings settings);
  ~Chaos();

  /// All have been master once, so they know all LIDs; of those that share them, two. Empty, or what went
  /// wrong.
  std::string warm_up();
  /// So many events, with a quiet period after every eighth. Empty, or what went wrong and all that had
  /// happened since the last quiet period.
  std::string run_events(std::uint64_t count);

  /// Nothing happens.
  void rest(Duration time) { run(time); }
  /// What came of it all, in a line.
  std::string summary() const;
  double virtual_days() const;

 private:
  struct Kind {
    const char* what;
    int weight;
    std::string (Chaos::*happen)();
  };
  static const std::vector<Kind>& kinds();

  // chaos.cpp
  std::uint64_t one_of(std::uint64_t many) { return random_() % many; }
  bool one_in(std::uint64_t many) { return one_of(many) == 0; }
  sim::NodeIndex any(const std::vector<sim::NodeIndex>& of) { return of[one_of(of.size())]; }
  Process& any_process() { return processes_[one_of(processes_.size())]; }
  Process* master();
  const Process* master() const { return const_cast<Chaos*>(this)->master(); }
  bool is_managers(sim::NodeIndex node) const;
  void run(Duration time) { whole_.run_for(time); }
  std::string id(sim::NodeIndex node) const { return whole_.world->node(node).id; }
  sim::PortIndex first_port(sim::NodeIndex host) const { return whole_.world->port_of(host, PortNum{1}); }
  ChaosClient* client_at(sim::NodeIndex host);
  void start(Process& process);
  void kill(Process& process);
  void freeze(Process& process);
  void thaw(Process& process);
  void reconfigure(Process& process);
  void hold_back(sim::NodeIndex late);
  void choose_latecomer();
  void wait_for_the_next();
  std::string be_quiet();
  void heal();
  void undrain();
  void enable_ports();
  std::optional<std::string> settles();

  // chaos_events.cpp, chaos_people.cpp
  std::string happen();
  std::string cut();
  std::string mend();
  std::string cut_and_mend();
  std::string split();
  std::string reboot_switch();
  std::string reboot_host();
  std::string power_off();
  std::string rename();
  std::string swap();
  std::string exchange_hca();
  std::string exchange_switch();
  std::string mute();
  std::string kill_one();
  std::string start_one();
  std::string freeze_one();
  std::string thaw_one();
  std::string prioritize();
  std::string drain();
  std::string hold();
  std::string order(std::string_view verb, daemon::UpkeepVerb what);
  std::string lose_packets();
  std::string slow_link();
  std::string slow_agent();
  std::string end_loss();
  std::string degrade();
  std::string count_errors();
  std::string reload();
  std::string reload_badly();
  std::string late_switch();
  std::string join();
  std::string leave();
  void exchange(sim::NodeIndex node);
  std::vector<sim::NodeIndex> half_of_the_switches();
  void disconnect(sim::NodeIndex node, PortNum port);
  ChaosClient::Thing any_thing(const ChaosClient& client);

  // chaos_checks.cpp: each empty, or what is wrong
  std::string wrong() const;
  std::string wrong_mastership() const;
  std::string still_held(const Process& process) const;
  std::string wrong_lids() const;
  std::string wrong_keys(const Process& process) const;
  std::string wrong_m_keys() const;
  std::string wrong_lanes(const plan::View& view) const;
  std::string wrong_members(const Process& process) const;
  std::string lost_registration(const Process& process) const;
  std::string credit_loop() const;
  std::string credit_loop_without_groups();
  std::string not_silent();
  std::map<Guid, Lid> lids() const;
  std::uint64_t asked_of_devices(mad::Method method) const;
  static std::string state(const Process& process);

  Whole whole_;
  std::mt19937_64 random_;
  ChaosSettings settings_;
  SharedMemory memory_;
  std::vector<sim::NodeIndex> switches_;
  std::vector<sim::NodeIndex> hosts_;
  std::vector<Process> processes_;
  std::vector<std::unique_ptr<ChaosClient>> clients_;
  Access access_;
  std::vector<std::pair<sim::NodeIndex, PortNum>> cut_;
  std::vector<std::pair<sim::NodeIndex, PortNum>> late_;  ///< Cables of a switch that is still to come.
  std::vector<sim::PortIndex> slow_links_;
  std::vector<sim::NodeIndex> slow_agents_;
  std::vector<std::pair<sim::PortIndex, mad::PortInfo>> degraded_;  ///< And what they were.
  std::map<Guid, Lid> lids_;
  bool unjudged_ = false;  ///< Until the next quiet, tables may be mixed in ways that no manager can help.
  bool reloads_ = true;    ///< False: somebody has to reload for all to be as the policy says.
  std::uint64_t next_guid_ = 0x0002c90300000000;
  std::uint64_t events_ = 0;
  std::uint64_t in_a_sweep_ = 0;   ///< Events in the middle of one.
  std::uint64_t group_loops_ = 0;  ///< Instants at which the old tree of a group closed one with new tables.
  std::uint64_t ordered_ = 0;
  std::uint64_t held_ = 0;  ///< Ports that were disabled when all was mended.
  std::map<std::string, std::uint64_t> happened_;
  std::string log_;  ///< What happened since the last quiet period.
};

}  // namespace weft::test
