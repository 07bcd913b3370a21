#pragma once
// P_Key tables of end ports and of the switch ports that check them: what the plan gives each device, and
// sending it. Tables grow before they shrink: first every new key is added beside the old ones, everywhere;
// when ports and switches are as planned, the old ones go. So no member that stays is ever without its key. A
// port that is not up yet is written once.
//
// What a port holds is read before it is written, unless the Shadow knows it or the digest on record is that
// of the plan. Source: IBTA vol. 1, 14.2.5.7.

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "fabric/path_tree.h"
#include "mad/blocks.h"
#include "plan/plan.h"
#include "program/lane_rows.h"
#include "transport/smp_client.h"

namespace weft::program {

/// The table that one port is to hold.
struct PortKeys {
  fabric::PortRef port;
  partitions::Keys keys;
  std::uint16_t capacity = 0;  ///< Entries that the port has.
};

/// Of the ports of one node that the plan gives a table: end ports, and switch ports that check.
std::vector<PortKeys> planned_keys(const fabric::Fabric& fabric, const partitions::PlannedKeys& plan,
                                   NodeId node);

/// The blocks of one port's table.
std::vector<TableSet> key_blocks(const fabric::Fabric& fabric, const PortKeys& port);

/// Hash of what a node's ports are to hold; never 0, which stands for "not known".
std::uint64_t keys_digest(std::span<const PortKeys> ports);

/// What one node needs.
struct KeyWork {
  NodeId node{};
  std::vector<PortKeys> ports;
  std::uint64_t digest = 0;
};

/// Of all nodes that are not on record to hold what is planned.
std::vector<KeyWork> key_work(const fabric::Fabric& fabric, const partitions::PlannedKeys& plan,
                              const plan::DeviceMap& devices);

/// Forgets what a device's P_Key tables hold.
void forget_keys(mad::Shadow& shadow, Guid node);

/// Sends P_Key tables. All that it is made with must stay alive.
class KeyWriter {
 public:
  struct Failed {
    Guid node{};
    std::string what;
    std::string why;
  };

  KeyWriter(transport::SmpClient& client, mad::Shadow& shadow, const fabric::Fabric& fabric,
            const fabric::PathTree& paths)
      : client_(client), shadow_(shadow), fabric_(fabric), paths_(paths) {}

  /// Adds what is new. `step` is called for each port that is done.
  asio::awaitable<void> grow(std::span<const KeyWork> work, std::function<void()> step);
  /// Takes away what is no longer planned.
  asio::awaitable<void> shrink(std::span<const KeyWork> work, std::function<void()> step);

  /// Ports whose table is not known to hold what it should.
  const std::set<fabric::PortRef>& unsure() const { return unsure_; }
  std::vector<Failed> take_failed() { return std::move(failed_); }

 private:
  struct Task {
    const PortKeys* port;
  };
  struct Settle {
    KeyWriter* writer;
    bool shrinks;
    asio::awaitable<void> operator()(const Task& task) const { return writer->settle(*task.port, shrinks); }
  };

  asio::awaitable<void> each_port(std::span<const KeyWork> work, bool shrinks, std::function<void()> step);
  asio::awaitable<void> settle(const PortKeys& port, bool shrinks);
  asio::awaitable<Result<partitions::Keys>> held(const transport::Target& way, const PortKeys& port);
  asio::awaitable<Result<void>> write(const transport::Target& way, const PortKeys& port,
                                      partitions::Keys before, partitions::Keys after);

  transport::SmpClient& client_;
  mad::Shadow& shadow_;
  const fabric::Fabric& fabric_;
  const fabric::PathTree& paths_;
  std::function<void()> step_;
  std::set<fabric::PortRef> unsure_;
  std::vector<Failed> failed_;
};

}  // namespace weft::program
