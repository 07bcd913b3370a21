#pragma once
// Find: what people call a node or a port, in one rule for every command and query:
//
//   17                     a LID: the end port that has it
//   0x0002c90300fe1234     the GUID of a node or of a port, in all forms that guid_from reads
//   leaf-3                 a node's name, in any case; of "leaf-3 rack 7" the first word will do
//   leaf-3/7, leaf-3:7, leaf-3/P7    one port of any of these
//
// A name that is exactly so comes before one that differs by case, and that before a first word. Where paths
// begin and end, find_end_port (view.h) takes the same words: of a node its first port with a link; `invalid`
// for a switch's port that has a cable. Pure.

#include <optional>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "plan/view.h"

namespace weft::plan {

/// What a word means.
struct Named {
  NodeId node{};
  /// The one that was asked for, or whose LID or GUID it was; nothing for a node as a whole. 0 is a switch's
  /// own, only ever when it was written.
  std::optional<PortNum> port;
  bool port_written = false;  ///< "/7" stood there.
};

/// Errors: `not_found`, with the name that was probably meant; `ambiguous` with all that it may be;
/// `not_found` for a port that the node has not got. Cost: O(nodes).
Result<Named> find_named(const View& view, std::string_view text);

/// One port of a cable, or a switch's port 0 where that is written; of a host with one port only the host is
/// enough. Errors: those above; `ambiguous` where no port is told.
Result<fabric::PortRef> find_port(const View& view, std::string_view text);

/// Whether two names differ by the case of letters at most.
bool same_name(std::string_view a, std::string_view b);

/// "leaf-3" and 7 of "leaf-3/7", "leaf-3:7" or "leaf-3/P7"; nothing where no port stands.
std::optional<std::pair<std::string_view, unsigned>> split_port(std::string_view text);

/// What to do about such an error, where there is more to say than it says.
std::string_view hint_on(const Error& error);

}  // namespace weft::plan
