#pragma once
// Subnets: those that one weftd manages. Each has a thread with a loop, a clock, workers and an App of its
// own, so that none waits for another, and one that fails leaves the others as they are. Here they are
// started, told of signals, counted as alive, and started again when one has ended by itself. When another
// process has the state of each of them, that is a second weftd on one state directory: all end.

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "daemon/app.h"
#include "daemon/rails.h"

namespace weft::daemon {

class Subnets {
 public:
  struct Parts {
    /// The way to one subnet's fabric, on its loop. Errors: `malformed` for settings that cannot be.
    std::function<Result<OpenTransport>(asio::io_context& loop, Clock& clock, const config::Settings&)> open;
    /// Reads the configuration anew, whole; any thread.
    std::function<Result<config::Loaded>()> read_config;
    /// Reads a text as the configuration file's, whole; likewise.
    std::function<Result<config::Loaded>(const std::string&)> read_text;
    std::string config_file;
    /// Told in a sentence how things stand, whenever that changes, when each subnet has said something once.
    std::function<void(const std::string&)> notify;
  };

  /// Makes each ready to run. Errors: those of `open`, with the subnet's name.
  static Result<std::unique_ptr<Subnets>> make(Parts parts, const config::Loaded& config, bool once);
  ~Subnets();
  Subnets(const Subnets&) = delete;
  Subnets& operator=(const Subnets&) = delete;

  /// Starts them all; `ended` is called, on some thread, when the last has ended.
  void start(std::function<void()> ended);
  /// Any thread.
  void stop();
  void reload();
  /// Whether every loop still turns: each has done so within this time.
  bool alive(Duration within) const;
  /// When all have ended: 0, or the code of the first that ended otherwise.
  int exit_code() const;

 private:
  struct Engine;
  struct One;
  explicit Subnets(Parts parts);
  Result<std::unique_ptr<Engine>> make_engine(const config::Settings& settings) const;
  void run(One& one);
  int run_guarded(One& one);
  int run_app(One& one);
  bool made_again(One& one);
  bool all_are_held() const;
  void for_each_app(void (*act)(App&));
  void turn(One& one);
  void note(One& one, const Status& status);

  Parts parts_;
  std::vector<std::unique_ptr<One>> all_;
  Rails rails_;
  bool once_ = false;
  std::function<void()> ended_;
  mutable std::mutex mutex_;
  std::condition_variable stopped_;
  bool stopping_ = false;
  std::size_t running_ = 0;
};

/// The configuration of one subnet, or of the only one (""). Errors: `not_found` when it has none of that
/// name, or has several where there was one: that needs a restart.
Result<config::Loaded> config_of(config::Loaded whole, const std::string& subnet);

}  // namespace weft::daemon
