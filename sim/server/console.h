#pragma once
// Console: the commands that a running simulator takes, in one table from names to functions. Text in, text
// out; the socket they come by is in control.h.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/faults/faults.h"
#include "sim/server/desk.h"

namespace weft::sim {

using Words = std::vector<std::string>;

/// Words are parted by blanks; "..." holds blanks together. Errors: `malformed` for a quote that does not
/// end.
Result<Words> words_of(std::string_view line);

class Console {
 public:
  struct Command {
    std::string arguments;  ///< "LINK", "[NODE]": for the help text.
    std::string help;
    std::size_t least = 0;  ///< Arguments it needs ...
    std::size_t most = 0;   ///< ... and takes.
    /// Gets the arguments; returns what to print.
    std::function<Result<std::string>(const Words&)> run;
  };
  static constexpr std::size_t kAny = 1000;

  Console();
  void add(std::string name, Command command) { commands_[std::move(name)] = std::move(command); }
  /// Errors: `not_found` for an unknown command, `invalid` for a wrong number of arguments, those of the
  /// command.
  Result<std::string> run(std::string_view line);

 private:
  std::map<std::string, Command> commands_;
};

/// By id, description or GUID. Errors: `not_found`.
Result<NodeIndex> node_called(const World& world, std::string_view text);

/// What can be asked of the fabric: status, counts, path, judge.
void add_fabric_commands(Console& console, Network& network);
/// What can be done to it: every verb of sim/faults/action.h.
void add_fault_commands(Console& console, Faults& faults);
/// What concerns the programs attached: clients, drop.
void add_client_commands(Console& console, Desk& desk, std::function<bool(std::uint32_t)> drop);

/// MADs by class, method and attribute, as a table of text; of one node or of all.
std::string counts_table(const World& world, std::optional<NodeIndex> node = std::nullopt);

}  // namespace weft::sim
