#pragma once
// TrapDamper: how much is done for whose traps. Who sends few has them acted on at once. Who sends more of a
// kind than the limit within the window has a storm: it is acted on briefly (a question or two that tell
// whether anything has changed), after a pause, and what does change there is taken up once an interval. The
// last trap of a storm is always acted on, and a window that passes with fewer traps ends it. When very many
// sources send at once, all of them are acted on briefly.

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "base/clock.h"
#include "config/settings.h"
#include "mad/notice.h"

namespace weft::daemon {

class TrapDamper {
 public:
  /// What is to be done for a trap; `brief`: with as little as will tell.
  using Act = std::function<void(bool brief)>;
  /// A source that had a storm within the last minute.
  struct Storm {
    Lid source{};  ///< 0: senders whom nobody knows, taken together.
    mad::TrapNumber trap{};
    std::uint64_t traps = 0;  ///< In that minute.
  };
  using Told = std::function<void(const std::vector<Storm>&)>;

  /// `told` gets the storms of each minute that had one, loudest first.
  TrapDamper(Clock& clock, config::TrapSettings settings, Told told);
  ~TrapDamper();
  TrapDamper(const TrapDamper&) = delete;
  TrapDamper& operator=(const TrapDamper&) = delete;

  void set_settings(config::TrapSettings settings) { settings_ = settings; }
  /// A trap has come. Calls `act` now or, in a storm, later: once for all traps that come until then. May be
  /// empty where only the number counts. Cost: O(log sources).
  void heard(Lid source, mad::TrapNumber trap, Act act);
  /// What this source's traps told of was so: in a storm, the next look waits for an interval.
  void was_so(Lid source, mad::TrapNumber trap);
  std::size_t sources() const { return sources_.size(); }

 private:
  using Key = std::pair<Lid, mad::TrapNumber>;
  struct Source {
    Instant window{};  ///< Its beginning.
    int in_window = 0;
    bool storm = false;
    bool had_storm = false;  ///< In this minute.
    std::uint64_t in_minute = 0;
    Instant not_before{};  ///< Of the next look in a storm.
    Clock::TimerId timer = Clock::TimerId::none;
    Act act;  ///< What the timer will do.
  };
  void count(Source& source);
  bool too_many_in_all();
  void act_on(Source& source, const Act& act, bool brief);
  void act_later(Source& source);
  void end_minute();

  Clock& clock_;
  config::TrapSettings settings_;
  Told told_;
  std::map<Key, Source> sources_;
  Instant second_{};
  int in_second_ = 0;
  Clock::TimerId minute_ = Clock::TimerId::none;
};

}  // namespace weft::daemon
