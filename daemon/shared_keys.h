#pragma once
// The keys in etcd beside the rows of SharedRows, all below one prefix:
//
//   owner            who is master, in etcd's eyes: hangs on his lease, and every write asks for it
//   marker           how far the rows are: a number that rises with every change, and whether they are whole
//   managers/ID      a manager that is there, and the digests of its configuration: hangs on its lease
//   rows/KEY         see shared_rows.h

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"

namespace weft::daemon {

struct Marker {
  std::int64_t version = 0;  ///< Of the state file's schema, by which the rows are to be read.
  std::int64_t seq = 0;
  std::string writer;         ///< Id of who wrote last.
  bool whole = true;          ///< False: a change of several transactions is under way.
  std::int64_t whole_at = 0;  ///< Then: etcd's revision when they were whole last; 0: they never were.
  bool operator==(const Marker&) const = default;
};
std::string to_json(const Marker& marker);
/// Errors: `malformed`.
Result<Marker> marker_from_json(std::string_view text);

/// A manager as others see it.
struct Presence {
  std::string id;  ///< Of its state directory and port.
  Guid port{};
  std::string host;
  std::map<std::string, std::string> digests;  ///< By section of the configuration; may be empty.
  bool operator==(const Presence&) const = default;
};
std::string to_json(const Presence& presence);
/// Errors: `malformed`.
Result<Presence> presence_from_json(std::string_view text);
/// "0x0002c90300000001 on sm-1"
std::string describe(const Presence& presence);

}  // namespace weft::daemon
