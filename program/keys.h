#pragma once
// P_Key tables of end ports and of the switch ports that check them: what the plan gives each device, and
// sending it. A key that some ports lose and others get is taken away first, everywhere: who had it and who
// is to have it never meet. Then tables grow before they shrink: every new key is added beside the old ones,
// and when ports and switches are as planned, the old ones go. So no member that stays is ever without its
// key. A port that is not up yet is written once.
//
// What a port holds is read before it is written, unless the Shadow knows it or the digest on record is that
// of the plan. Source: IBTA vol. 1, 14.2.5.7.

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fabric/path_tree.h"
#include "mad/blocks.h"
#include "plan/plan.h"
#include "program/lane_rows.h"
#include "transport/smp_client.h"

namespace weft::program {

/// Whether nobody uses the port's keys yet: it has not been up in this subnet.
bool is_fresh(const fabric::Fabric& fabric, fabric::PortRef port);

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

  /// Reads what the ports hold, where that is not known.
  asio::awaitable<void> look(std::span<const KeyWork> work);
  /// The entries that a port holds, where all are known.
  std::optional<partitions::Keys> known(const PortKeys& port) const;
  /// Takes away the keys that others are to get. What could not be taken from a port, nor from the switch
  /// port that checks it, is given to nobody in this run (see withheld()).
  asio::awaitable<void> revoke(std::span<const KeyWork> work);
  /// Adds what is new. `step` is called for each port that is done.
  asio::awaitable<void> grow(std::span<const KeyWork> work, std::function<void()> step);
  /// Takes away what is no longer planned.
  asio::awaitable<void> shrink(std::span<const KeyWork> work, std::function<void()> step);

  /// Ports whose table is not known to hold what it should.
  const std::set<fabric::PortRef>& unsure() const { return unsure_; }
  /// Ports that have to wait for a key, since somebody could not be made to give it up.
  const std::set<fabric::PortRef>& withheld() const { return withheld_; }
  std::vector<Failed> take_failed() { return std::move(failed_); }

 private:
  enum class Stage { look, revoke, grow, shrink };
  struct Task {
    const PortKeys* port;
  };
  struct Settle {
    KeyWriter* writer;
    Stage stage;
    asio::awaitable<void> operator()(const Task& task) const { return writer->settle(*task.port, stage); }
  };

  std::vector<Task> tasks_of(std::span<const KeyWork> work) const;
  asio::awaitable<void> each_port(std::vector<Task> tasks, Stage stage);
  asio::awaitable<void> settle(const PortKeys& port, Stage stage);
  partitions::Keys table_at(Stage stage, const PortKeys& port, const partitions::Keys& before);
  std::set<std::uint16_t> moving(std::span<const Task> tasks);
  bool gives_up(const PortKeys& port);
  bool is_checked_without(fabric::PortRef port) const;
  void withhold();
  void withhold_from_unread(std::span<const KeyWork> work);
  asio::awaitable<Result<partitions::Keys>> held(const transport::Target& way, const PortKeys& port);
  asio::awaitable<Result<void>> write(const transport::Target& way, const PortKeys& port,
                                      partitions::Keys before, partitions::Keys after);

  transport::SmpClient& client_;
  mad::Shadow& shadow_;
  const fabric::Fabric& fabric_;
  const fabric::PathTree& paths_;
  std::function<void()> step_;
  std::set<std::uint16_t> moving_;  ///< Partitions, as 15 bits, that some lose and others get.
  std::map<fabric::PortRef, std::set<std::uint16_t>> given_up_;  ///< What each end port is to lose of them.
  std::set<std::uint16_t> given_;                                ///< Those that some get.
  std::set<std::uint16_t> stuck_;  ///< Those of them that somebody may still have.
  std::set<fabric::PortRef> unsure_;
  std::set<fabric::PortRef> withheld_;
  std::vector<Failed> failed_;
};

}  // namespace weft::program
