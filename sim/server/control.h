#pragma once
// Control: the socket by which a running simulator takes commands. A stream socket with the abstract name
// BASE:console; a line in, its output back, and after it a line "ok" or "error: why".

#include <string>

#include "sim/server/console.h"
#include "sim/server/loop.h"

namespace weft::sim {

class Control {
 public:
  Control(Loop& loop, Console& console, std::string name);
  ~Control();
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;
  /// Errors: `conflict`, `system`.
  Result<void> open();

 private:
  struct Visitor {
    transport::ibsim::Descriptor fd;
    std::string in;
    std::string out;
    bool ended = false;
  };
  void accept_all();
  void run_lines(Visitor& visitor);
  void serve(int fd, std::uint32_t events);
  void close(int fd);

  Loop& loop_;
  Console& console_;
  std::string name_;
  transport::ibsim::Descriptor listener_;
  std::unordered_map<int, Visitor> visitors_;
};

/// Sends one command to the simulator `name` and returns what it printed. Errors: `unavailable` when none
/// runs under that name; `invalid` when it refused, with its words.
Result<std::string> send_command(const std::string& name, const std::string& line);

}  // namespace weft::sim
