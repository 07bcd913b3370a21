#pragma once
// Mastership: what a subnet manager is, what may happen to it, and what it does and is then, as one table. No
// time, no packets, no fabric: the Election says what happened, the Manager does what is told here.
//
// Source: IBTA vol. 1, 14.4.1 (states of a subnet manager and their transitions). Two things are ours: a
// master that meets a better one stops writing at once, and one that was cut off looks around before it
// writes.

#include <cstdint>
#include <string_view>

#include "mad/sm_info.h"

namespace weft::daemon {

/// What managers tell each other: AttributeModifier of a Set(SMInfo). Source: IBTA vol. 1, 14.4.1.
enum class Word : std::uint32_t { hand_over = 1, acknowledge = 2, disable = 3, standby = 4, discover = 5 };

enum class Happening {
  told_hand_over,
  told_acknowledge,
  told_disable,
  told_standby,
  told_discover,
  found_nobody,  ///< A discovery ended: there is nobody whom we obey.
  found_master,  ///< It found a master whom we obey.
  found_better,  ///< One that ranks above us and is not master: of those that are still looking around, or,
                 ///< when we are master ourselves, any.
  lost_master,   ///< Whom we wait for is silent, or is not what it was.
  handed_over,   ///< To whom we handed over has accepted.
  cut_off,       ///< Our own link was down, or this process stood still: others may have taken over.
};
inline constexpr int kHappenings = static_cast<int>(Happening::cut_off) + 1;

enum class Reaction {
  none,
  look,         ///< A full discovery, which decides.
  manage,       ///< Go on and write.
  acknowledge,  ///< Say so to who handed over, and look.
  wait,         ///< Ask the other one from time to time whether it is there.
  hand_over,    ///< Say so to the better one; nothing changes until it accepts.
  yield,        ///< Say so to the other master, and wait.
  rest,         ///< Answer what we are, and nothing else.
};

struct Step {
  mad::SmState next{};
  Reaction reaction = Reaction::none;
  /// False: told what may not be told in this state; the Set is refused and nothing changes.
  bool legal = true;
  bool operator==(const Step&) const = default;
};

Step step(mad::SmState now, Happening what);

/// The states in which who says this word must be. Source: IBTA vol. 1, 14.4.1.
constexpr mad::SmState speaker_of(Word word) {
  return word == Word::acknowledge ? mad::SmState::standby : mad::SmState::master;
}

}  // namespace weft::daemon
