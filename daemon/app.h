#pragma once
// App: weftd as a whole, apart from the command line: the state file, the control socket, the device that is
// waited for, the Manager while there is one, reload and end. Tests and the demo run it in process.

#include <functional>
#include <memory>

#include "base/clock.h"
#include "config/read.h"
#include "daemon/api_source.h"
#include "daemon/config_keeper.h"
#include "daemon/event_log.h"
#include "daemon/http_server.h"
#include "daemon/manager.h"
#include "daemon/news.h"
#include "daemon/rails.h"
#include "daemon/replica.h"
#include "daemon/store_sqlite.h"
#include "daemon/tallies.h"
#include "daemon/workers.h"

namespace weft::daemon {

/// Opens the way to the fabric that the settings name. Errors: `unavailable`: it may still come and is waited
/// for; `conflict`: another program is the manager of this port, which is waited for likewise; `ambiguous`
/// and `invalid`: a person must choose; `malformed`: the settings name what cannot be.
using OpenTransport = std::function<asio::awaitable<Result<std::unique_ptr<transport::Transport>>>(
    std::shared_ptr<const config::Settings>)>;

enum ExitCode { kDone = 0, kFailed = 1, kBadUsage = 2, kNoDevice = 3 };

class App {
 public:
  struct Parts {
    asio::io_context* loop = nullptr;
    Clock* clock = nullptr;
    Workers* workers = nullptr;
    OpenTransport open;
    /// Reads the configuration anew; runs on the workers.
    std::function<Result<config::Loaded>()> read_config;
    /// Reads a text as if it were the configuration file's; likewise. May be empty: none is taken then.
    std::function<Result<config::Loaded>(const std::string&)> read_text;
    std::string config_file;  ///< Its path; empty without one.
    /// Told when the control socket listens, and at every change of state; may be empty.
    std::function<void(const Status&)> notify;
    Rails* rails = nullptr;  ///< What the other subnets of this daemon have found; may be null.
  };
  App(Parts parts, std::shared_ptr<const config::Loaded> config, bool once);
  ~App();
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  /// Runs to the end; the exit code.
  asio::awaitable<int> run();
  void stop();
  /// All or nothing: a bad file changes nothing and is told.
  void reload();

  /// After run(): it ended since another process has the state file open.
  bool state_is_held() const { return state_is_held_; }

  Status status() const;
  Manager* manager() { return manager_.get(); }
  EventLog& events() { return *events_; }

 private:
  Result<void> open_store();
  Result<void> open_replica();
  Result<void> open_socket();
  asio::awaitable<int> serve();
  // app_failover.cpp
  std::vector<config::PortChoice> ports() const;  ///< The one we manage from, and those instead of it.
  asio::awaitable<Result<std::unique_ptr<transport::Transport>>> open_port(std::size_t which);
  asio::awaitable<Result<std::unique_ptr<transport::Transport>>> open_any_port();
  void watch_port();
  asio::awaitable<void> leave_port();
  Result<std::unique_ptr<transport::Transport>> claimed(std::unique_ptr<transport::Transport> transport);
  asio::awaitable<int> serve_once(std::unique_ptr<transport::Transport> transport);
  asio::awaitable<Result<void>> manage(std::unique_ptr<transport::Transport> transport);
  void tell_rails();
  void make_manager(transport::Transport& transport);
  asio::awaitable<void> reload_now();
  void use_config(config::Loaded loaded);
  void keep_configs();
  void preview(std::shared_ptr<const config::Settings> settings,
               std::function<void(const Result<Preview>&)> done);
  asio::awaitable<void> preview_now(std::shared_ptr<const config::Settings> settings,
                                    std::function<void(const Result<Preview>&)> done);
  ApiSource api_source();
  void swept(const SweepReport& report);
  std::shared_ptr<const config::Settings> settings() const;
  void set_state(State state, std::string text);
  void tell(Severity severity, std::string kind, std::string text);

  Parts parts_;
  std::shared_ptr<const config::Loaded> config_;
  bool once_;
  std::unique_ptr<Replica> replica_;  ///< Null without etcd.
  std::unique_ptr<Store> store_;
  plan::Ledger ledger_;
  std::unique_ptr<EventLog> events_;
  std::shared_ptr<News> news_ = std::make_shared<News>();
  Tallies tallies_;
  int previews_ = 0;       ///< Files that are being read, or compared with what is in force: one at a time.
  PoolWorkers overviews_;  ///< For what the control API computes: planning waits for none of it.
  std::unique_ptr<ConfigKeeper> configs_;  ///< Null where no other configuration is taken.
  std::unique_ptr<HttpServer> server_;
  std::unique_ptr<Manager> manager_;
  std::string device_;
  std::size_t port_ = 0;  ///< Of ports(): the one we manage from.
  Clock::TimerId port_timer_ = Clock::TimerId::none;
  std::shared_ptr<const fabric::Fabric> told_rails_;  ///< What the other subnets know of ours.
  State state_ = State::waiting_for_device;
  std::string text_;
  WallTime started_ = std::chrono::system_clock::now();
  transport::Completion<transport::Done> waiter_;
  bool stopping_ = false;
  bool state_is_held_ = false;
};

}  // namespace weft::daemon
