#pragma once
// Every option of OpenSM 3.3.23, once: its built-in value, and the key of ours that stands for it or why
// there is none.

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace weft::config {

struct OpensmOption {
  std::string_view name;
  std::string_view built_in;  ///< What OpenSM takes without the option; empty: nothing, "(null)".
  std::string_view key;       ///< Ours; empty: none.
  /// The key's value as the file takes it; nothing where it has none for this one. Null with a key: as it is.
  std::optional<std::string> (*value)(std::string_view) = nullptr;
  std::string_view why;     ///< Without a counterpart: why; also beside the built-in value.
  bool ours = false;        ///< OpenSM's built-in value is not taken over: Weft has one of its own.
  std::string_view does{};  ///< Without a key of ours: the value that says what Weft always does.
  bool secret = false;      ///< Its value is never shown.
};

/// In OpenSM's order; qos_* options, which opensm_options.h reads, are not among them.
std::span<const OpensmOption> opensm_table();
/// Null for an option that OpenSM does not know.
const OpensmOption* find_opensm_option(std::string_view name);

/// The same value, however it is written: numbers of any base, upper and lower case, "(null)" and nothing.
bool same_opensm_value(std::string_view a, std::string_view b);
/// A number, decimal or after 0x.
std::optional<std::uint64_t> opensm_number(std::string_view text);

/// `routing_engine`: our engines, as a list for routing.engine; empty: none of ours is like it. `last`:
/// no_fallback stands there.
struct OpensmEngines {
  std::string ours;
  std::string without;  ///< Engines that have no counterpart, with commas.
  bool last = false;
};
OpensmEngines opensm_engines(std::string_view value);

}  // namespace weft::config
