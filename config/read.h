#pragma once
// Reads the configuration: one file, the options of the command line over it, the defaults under it. All or
// nothing: either everything is right, or all that is wrong is told at once and nothing is used.

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/settings.h"
#include "config/value.h"

namespace weft::config {

/// Where a value comes from.
struct Origin {
  enum class Kind { default_, file, command_line };
  Kind kind = Kind::default_;
  std::string file;  ///< Of kind file.
  Place place;       ///< Of kind file.
  bool operator==(const Origin&) const = default;
};

/// An option of the command line that stands for a key: {"transport.kind", "sim"}.
struct Override {
  std::string key;
  std::string value;  ///< As in the file; quotes are not needed.
};

struct Loaded {
  Settings settings;                                   ///< With `subnets`: what they have in common.
  std::map<std::string, Origin, std::less<>> origins;  ///< By key; keys without one have their default.
  std::vector<std::string> notes;  ///< Nothing wrong, but worth a line in the log: "weft.yaml:3:7: why".
  std::vector<Loaded> subnets;     ///< Of several subnets, by name: each with all its settings.
  std::string text;                ///< As it was read, without what stands in files beside it.
};

/// The origin of a key's value.
Origin origin_of(const Loaded& loaded, std::string_view key);
/// "default", "/etc/weft/weft.yaml:12", "command line".
std::string to_string(const Origin& origin);

/// Reads a text; looks at no file, so `names_file` is only noted. An empty text is all defaults. Never
/// throws. Errors: `invalid`, with one line "file:line:column: why" for each problem (the first 100).
Result<Loaded> read_text(std::string_view yaml, std::string_view file_name,
                         std::span<const Override> command_line = {});

/// Reads a text as if it stood in that file: with the files beside it. Errors: as read_text.
Result<Loaded> read_as(const std::string& path, std::string_view yaml,
                       std::span<const Override> command_line = {});

/// Reads a file and the names file it points to. Never throws.
/// Errors: as read_text; `unavailable` when the file cannot be read.
Result<Loaded> read_file(const std::string& path, std::span<const Override> command_line = {});

}  // namespace weft::config
