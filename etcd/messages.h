#pragma once
// What is said to etcd and what it answers, as values, and their JSON. Source: etcd v3.4, rpc.proto and the
// JSON gateway made of it: keys and values in base64, 64-bit numbers as strings, fields with the default
// value left out.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace weft::etcd {

struct KeyValue {
  std::string key;
  std::string value;
  std::int64_t create_revision = 0;
  std::int64_t mod_revision = 0;  ///< Of the last change.
  std::int64_t lease = 0;         ///< 0: none.
  bool operator==(const KeyValue&) const = default;
};

/// What every answer begins with.
struct Header {
  std::uint64_t cluster = 0;
  std::int64_t revision = 0;  ///< Of the store as a whole; rises with every change.
};

struct RangeRequest {
  std::string key;
  std::string end;            ///< First key that is not meant; empty: `key` alone.
  std::int64_t revision = 0;  ///< As it was then; 0: now.
  std::int64_t limit = 0;     ///< Most entries; 0: all.
};
struct Range {
  Header header;
  std::vector<KeyValue> entries;  ///< By key.
  bool more = false;              ///< There are more than the limit.
};

/// A condition on a key: its last change was at this revision; 0: it is not there.
struct Compare {
  std::string key;
  std::int64_t mod_revision = 0;
};
struct Op {
  enum class Kind { put, erase, get };
  Kind kind = Kind::put;
  std::string key;
  std::string value;       ///< Of a put.
  std::int64_t lease = 0;  ///< Of a put: gone with this lease; 0: stays.
};
inline Op put(std::string key, std::string value, std::int64_t lease = 0) {
  return {Op::Kind::put, std::move(key), std::move(value), lease};
}
inline Op erase(std::string key) { return {Op::Kind::erase, std::move(key), {}, 0}; }
inline Op get(std::string key) { return {Op::Kind::get, std::move(key), {}, 0}; }

/// All or nothing: `then` when every condition holds, else `otherwise`. etcd takes 128 operations at most.
struct Transaction {
  std::vector<Compare> when;
  std::vector<Op> then;
  std::vector<Op> otherwise;
};
struct Committed {
  Header header;
  bool held = false;  ///< The conditions did.
  std::vector<KeyValue>
      found;  ///< What the gets found, in their order; those that found nothing are left out.
};

struct Lease {
  std::int64_t id = 0;
  std::int64_t seconds = 0;  ///< As granted, or left; 0 or less: it has ended.
};

struct WatchEvent {
  bool erased = false;
  KeyValue entry;  ///< Of one that was erased: key and mod_revision.
};
struct WatchNews {
  Header header;
  std::vector<WatchEvent> events;  ///< In the order in which it happened; of one revision together.
  bool ended = false;              ///< The server has ended it,
  std::int64_t compact_revision =
      0;  ///< for what was asked for is gone up to this one; 0: for another reason.
};

/// The first key behind all that begin with this prefix.
std::string end_of_prefix(std::string_view prefix);

std::string to_json(const RangeRequest& request);
std::string to_json(const Transaction& transaction);
/// Asks for what happens to this prefix from this revision on.
std::string watch_json(std::string_view prefix, std::int64_t revision);

/// Errors of all: `malformed` for what is no such answer.
Result<Range> range_from_json(std::string_view text);
Result<Committed> committed_from_json(std::string_view text);
/// Of a grant, or of a keep-alive.
Result<Lease> lease_from_json(std::string_view text);
/// Errors: what etcd says of it, too.
Result<WatchNews> watch_from_json(std::string_view line);
/// Of an authentication.
Result<std::string> token_from_json(std::string_view text);
/// What etcd says in refusing; the text itself where it is none of its words.
std::string error_from_json(std::string_view text);

}  // namespace weft::etcd
