#pragma once
// Simulator: a weftsim for the length of a test, and the two ways to run unchanged programs on it.

#include <memory>
#include <vector>

#include "tests/support/ibsim_process.h"
#include "tests/system/programs.h"

namespace weft::system_test {

/// Under ibsim's preload library, or under our own stand-in for libibumad.
enum class Under { ibsim_run, weftsim_run };

class Simulator {
 public:
  /// `fabric`: as --fabric takes it. Fails the test when it does not come up.
  explicit Simulator(const std::string& fabric, const std::string& options = "");

  const std::string& socket() const { return socket_; }
  std::string path(const std::string& name) const { return (directory_.path() / name).string(); }
  Environment environment(Under under, const std::string& host = "") const;
  /// Runs a program at `host` to its end, in a folder of its own.
  Output tool(const std::string& command, Under under, const std::string& host = "",
              std::chrono::seconds limit = std::chrono::seconds(60)) const;
  /// A command of `weftsim ctl`.
  Output ctl(const std::string& command) const;
  Background& process() { return *process_; }

 private:
  tests::TempDir directory_;
  std::string socket_;
  std::unique_ptr<Background> process_;
};

/// weftd on a simulator, through its native client.
class WeftDaemon {
 public:
  WeftDaemon(const Simulator& simulator, const std::string& host, const std::string& options = "");
  /// False when no clean sweep has ended in time.
  bool is_up(std::chrono::seconds limit = std::chrono::seconds(60)) const;
  std::string log() const { return process_->log(); }
  const std::string& socket() const { return socket_; }
  Background& process() { return *process_; }

 private:
  std::string socket_;
  std::unique_ptr<Background> process_;
};

/// OpenSM on some simulator, from its start to SUBNET UP.
class OpenSm {
 public:
  /// `options`: of its command line; `settings`: lines of its options file.
  OpenSm(const Environment& environment, const std::string& directory, const std::string& options = "",
         const std::string& settings = "");
  /// False when it is not up in time.
  bool is_up(std::chrono::seconds limit = std::chrono::seconds(120)) const;
  std::string log() const { return read_file(log_); }
  /// Numbers of the errors in its log, sorted, each once.
  std::vector<std::string> errors() const;
  Background& process() { return *process_; }

 private:
  std::string log_;
  std::unique_ptr<Background> process_;
};

}  // namespace weft::system_test
