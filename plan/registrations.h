#pragma once
// What clients had told another subnet administration, taken over into ours: its groups with their MLIDs and
// members, services, subscriptions and alias GUIDs. Pure.

#include <cstddef>
#include <string>
#include <vector>

#include "plan/sa_state.h"

namespace weft::plan {

/// How much of each a state holds, or was taken over.
struct RegistrationCounts {
  std::size_t groups = 0;
  std::size_t members = 0;
  std::size_t services = 0;
  std::size_t subscriptions = 0;
  std::size_t aliases = 0;
  bool operator==(const RegistrationCounts&) const = default;
};
RegistrationCounts counts_of(const SaState& state);
/// "2 groups with 5 members, 1 service and 1 subscription"; "no registrations".
std::string to_string(const RegistrationCounts& counts);

/// More of one port are refused, by the SA, too: more than any host needs, and a bound to what a wild client
/// can make us remember.
inline constexpr std::size_t kMostSubscriptionsOfAPort = 256;

/// Why no subnet administration holds such a record; empty: it may. For whoever reads them from a file.
std::string why_not(const McGroup& group);  ///< Its members aside.
std::string why_not(Guid port, const McMember& member);
std::string why_not(Guid alias, const AliasGuid& place);

/// A state with registrations of another one.
struct TakenOver {
  SaState state;
  RegistrationCounts taken;           ///< What it did not have before.
  std::vector<std::string> left_out;  ///< Why, a sentence each; at most 20, and how many more there are.
};

/// The state with what `told` has and it lacks. What both say something of stays as it is here: a group keeps
/// its MLID and parameters and only gets members. Left out are a new group whose MLID one of ours has, an
/// alias whose GUID or place is taken, and subscriptions beyond kMostSubscriptionsOfAPort.
TakenOver with_registrations(const SaState& state, const SaState& told);

}  // namespace weft::plan
