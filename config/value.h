#pragma once
// Value: what a configuration file says, as a tree with the place of everything. Texts stay texts: what they
// mean is decided by the type of the key (config/types.h), so `off`, `0x10` and `1e3` are never guessed at.

#include <string>
#include <string_view>
#include <vector>

namespace weft::config {

/// Counted from 1; 0 when not known.
struct Place {
  int line = 0;
  int column = 0;
  bool operator==(const Place&) const = default;
};

struct Value {
  enum class Kind { null, text, list, map };
  Kind kind = Kind::null;
  Place place;
  std::string text;             ///< Of a text.
  std::vector<Value> children;  ///< Items of a list; of a map, key and value in turn.
};

/// "a list", "a map", "nothing", or the text itself in quotes, shortened.
std::string describe(const Value& value);

/// Something wrong in a file, or worth saying about it.
struct Remark {
  Place place;
  std::string text;
  bool operator==(const Remark&) const = default;
};
using Remarks = std::vector<Remark>;

/// "weft.yaml:3:7: text", without the numbers that are not known.
std::string to_string(const Remark& remark, std::string_view file_name);

}  // namespace weft::config
