#pragma once
// Programmer: brings the fabric from what the Shadow knows to what the Plan says: our own port first, then
// port settings and LIDs together with the step to Armed, forwarding tables, and last the step to Active. Two
// Sets bring a port up. Sets that move a state are read back after silence before they are repeated.
//
// A Set that fails leaves its block unknown in the Shadow, is told, and is sent again at the next sweep.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/path_tree.h"
#include "mad/blocks.h"
#include "plan/plan.h"
#include "program/settled.h"
#include "transport/smp_client.h"

namespace weft::program {

struct Failure {
  Guid node{};
  std::string what;  ///< "LinearForwardingTable block 3"
  std::string why;
};

struct PhaseDone {
  std::string name;
  Duration took{};
  std::uint64_t smps = 0;
};

struct Programmed {
  std::vector<Failure> failed;  ///< By node GUID, then text.
  std::vector<PhaseDone> phases;
  /// Links that went down, or came up, while we were at work: a new sweep is needed.
  std::vector<std::string> restless;
  std::vector<Guid> booted;  ///< Nodes that lost what was written to them: they hold anything.
  /// Nodes where somebody else answers now: anybody may hold what was written to them.
  std::vector<Guid> elsewhere;
  /// PortInfo fields that a device answered with other values than set, by node GUID.
  std::map<Guid, std::uint32_t> unkept;
  std::map<Guid, std::uint64_t>
      lanes;  ///< Digests of the SL2VL tables written; plan::kLanesVoid where one may hold anything.
  std::map<Guid, std::uint64_t> keys;  ///< Of the P_Key tables; 0 where one may hold anything.
  std::string held_back;           ///< Why tables were not written, although they differ; empty otherwise.
  bool tables_stand = false;       ///< All forwarding tables and lanes are known to be as planned.
  std::uint64_t lft_blocks = 0;    ///< Blocks of the final forwarding tables that were written.
  std::uint64_t lft_switches = 0;  ///< Switches they belong to.
  std::vector<fabric::PortRef> closed;  ///< Links that were disabled, by the port.
  std::uint64_t links_waiting = 0;      ///< Live ports that keep an MTU or VL count other than planned.
};

struct Job {
  std::shared_ptr<const fabric::Fabric> fabric;
  std::shared_ptr<const plan::Plan> plan;
  fabric::PortRef own_port;
  std::shared_ptr<const plan::DeviceMap> devices;
  /// What the last job on this Shadow left, and what this one leaves; null: all is looked at.
  Settled* settled = nullptr;
  std::function<void(std::string_view phase, std::uint64_t done, std::uint64_t total)>
      progress;  ///< May be empty.
};

/// Sends what has to be sent; updates the Shadow with every confirmed answer.
asio::awaitable<Programmed> program(transport::SmpClient& client, mad::Shadow& shadow, Job job);

}  // namespace weft::program
