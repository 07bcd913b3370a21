#pragma once
// Run: one discovery under way, full or local.

#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "discovery/discover.h"
#include "fabric/builder.h"
#include "fabric/path_tree.h"
#include "log/log.h"
#include "transport/concurrency.h"

namespace weft::discovery {

/// One run. Its coroutines borrow it; run() awaits them all.
class Run {
 public:
  Run(transport::SmpClient& client, mad::Shadow& shadow, DiscoverOptions options,
      asio::any_io_executor executor)
      : client_(client), shadow_(shadow), options_(std::move(options)), tasks_(executor) {}

  asio::awaitable<Result<Discovered>> run();
  /// Looks at the ports of these switches only, and at what lies behind those that have changed; all else is
  /// as it was. local.cpp
  asio::awaitable<Result<Discovered>> run_around(const Discovered& known, std::span<const Guid> places);

 private:
  struct Found {
    mad::DirectedRoute route;
    PortNum entry{};
  };
  /// For for_each over a switch's ports.
  struct ReadPort {
    Run* run;
    transport::Target target;
    asio::awaitable<void> operator()(PortNum port) const { return run->read_port(target, port, Guid{}); }
  };

  asio::awaitable<Result<mad::NodeInfo>> read_node_info(mad::DirectedRoute route);
  asio::awaitable<void> probe(fabric::Builder::End from, mad::DirectedRoute route);
  asio::awaitable<void> explore_switch(transport::Target target, Guid port_guid);
  asio::awaitable<void> explore_end_node(transport::Target target, mad::NodeInfo info);
  asio::awaitable<void> read_port(transport::Target target, PortNum port, Guid port_guid);
  asio::awaitable<void> read_description(transport::Target target);
  asio::awaitable<bool> read_switch_info(transport::Target target);
  asio::awaitable<void> read_manager(transport::Target target);

  void admit(const mad::NodeInfo& info, const mad::DirectedRoute& route);
  bool is_same_node(const mad::NodeInfo& info) const;
  std::string place(fabric::Builder::End from, const mad::DirectedRoute& route) const;
  std::string place_of(Guid guid);
  void join(fabric::Builder::End from, fabric::Builder::End to, const mad::DirectedRoute& route);
  void report(Finding::Kind kind, Guid node, std::string what);
  void probe_links_of(Guid guid);
  bool drop_unreadable();
  void note_boot(Guid guid, const mad::SwitchInfo& info);
  void note_boot(Guid guid, const mad::PortInfo& port0);
  void drop_tables(Guid guid);
  fabric::Fabric reachable();
  void keep_managers_once();
  Discovered finish();

  Found& found(Guid guid);
  void start_from(const Discovered& known, std::span<const Guid> places);
  asio::awaitable<void> look_at_places();
  bool leads_through(Guid place, const std::set<Guid>& others);
  void go_around_lost_links(std::set<Guid>& places);
  asio::awaitable<void> look_again(Guid place);
  asio::awaitable<std::vector<PortNum>> ports_to_read(transport::Target target);
  asio::awaitable<void> look_behind(mad::DirectedRoute route, mad::NodeInfo info);
  void compare_port(fabric::Builder::End here);
  asio::awaitable<void> look_at_lost_ends();
  void also_look(Guid place);
  asio::awaitable<void> look_across(fabric::Builder::End here, fabric::Builder::End peer);
  bool shows_change(Guid place) const;

  transport::SmpClient& client_;
  mad::Shadow& shadow_;
  DiscoverOptions options_;
  transport::Tasks tasks_;
  fabric::Builder builder_;
  std::unordered_map<Guid, Found> found_;  ///< In a local run only those that were met; see found().
  Guid own_node_{};
  PortNum own_port_{};
  struct Unanswered {
    fabric::Builder::End from;
    mad::DirectedRoute route;
    Guid heard{};
  };
  std::vector<Unanswered> unanswered_;
  Discovered result_;

  const Discovered* known_ = nullptr;            ///< Null in a full run.
  std::optional<fabric::PathTree> known_paths_;  ///< To what is known.
  struct Lost {
    fabric::Builder::End here;  ///< At a place, and down now.
    fabric::Builder::End peer;
  };
  std::vector<Lost> lost_;
  std::set<Guid> places_;     ///< Switches that a local run was told of: their links are joined anew.
  std::set<Guid> changed_;    ///< Switches that had PortStateChange set.
  std::set<Guid> looked_at_;  ///< Switches whose ports are all read anew.
  bool unclear_ = false;      ///< Something does not fit: only a full run can tell.
};

}  // namespace weft::discovery
