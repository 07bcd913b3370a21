#include "daemon/changes.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include <fmt/format.h>

namespace weft::daemon {

namespace {

struct Kinds {
  std::string_view group;
  std::string_view kinds;  ///< Each between blanks.
};

constexpr std::array<Kinds, 7> kGroups{{
    {"links",
     " link_new link_gone link_rate_changed port_state_changed link_flapped link_bad link_held link_released "
     "cables_moved trap_storm "},
    {"nodes",
     " node_new node_gone node_changed node_unreadable switch_rebooted fabric_up device_lost no_device "
     "own_link_down own_port_back discovery_failed m_key_violation "},
    {"LIDs", " lids_moved lid_conflict state_imported "},
    {"routes",
     " rerouted routing_engine engine_refused engine_changed tables_held_back tables_changed plan_failed "
     "block_not_written drift multicast "},
    {"configuration",
     " asked config_reloaded config_refused config_unmatched accepted drained undrained port_disabled "
     "port_enabled access_changed partitions_not_in_force levels_not_as_set policy_note pkeys_not_checked "},
    {"managers",
     " other_master became_master manager_came manager_gone manager_word manager_ignored master_lost "
     "handed_over "
     "hand_over_failed stood_still is_sm is_sm_lost shared_state "},
    {"other", ""},
}};

std::size_t place_of_group(std::string_view kind) {
  const std::string word = fmt::format(" {} ", kind);
  for (std::size_t i = 0; i + 1 < kGroups.size(); ++i)
    if (kGroups[i].kinds.find(word) != std::string_view::npos) return i;
  return kGroups.size() - 1;
}

/// A link or node by its words, and whether it has come or gone.
struct ComeOrGone {
  std::string subject;  ///< Empty: the event is of something else.
  bool there = false;
};

ComeOrGone presence_of(const Event& event) {
  const bool gone = event.kind == "link_gone" || event.kind == "node_gone";
  const bool come = event.kind == "link_new" || event.kind == "node_new";
  if (!gone && !come) return {};
  const std::size_t end = event.text.rfind(gone ? " is gone" : " is new");
  if (end == std::string::npos) return {};
  return {event.text.substr(0, end), come};
}

/// "4 s", "12 min", "3 h"
std::string span_text(WallTime::duration span) {
  using namespace std::chrono;
  const auto seconds = duration_cast<std::chrono::seconds>(span).count();
  if (seconds < 1) return "less than a second";
  if (seconds < 120) return fmt::format("{} s", seconds);
  if (seconds < 7200) return fmt::format("{} min", seconds / 60);
  return seconds < 48 * 3600 ? fmt::format("{} h", seconds / 3600) : fmt::format("{} d", seconds / 86400);
}

/// "for 4 s", or "3 times, for 20 s in all,"
std::string away_text(int times, WallTime::duration span) {
  if (times == 1) return "for " + span_text(span);
  return fmt::format("{} times, for {} in all,", times, span_text(span));
}

/// What came and went of one link or node.
struct Comings {
  int went = 0;
  bool was_there = false;  ///< Before the first event.
  std::string last_text;
  bool there = false;
  WallTime left{};            ///< When it went last.
  WallTime::duration away{};  ///< All times that it came back from.
};

std::string sentence_of(const std::string& subject, const Comings& one) {
  if (one.went == 0) return one.last_text;
  if (one.there && one.was_there)
    return fmt::format("{} was gone {} and is back", subject, away_text(one.went, one.away));
  const std::string times = one.went > 1 ? fmt::format(" {} times", one.went) : std::string();
  if (one.there) return fmt::format("{} is new; it was gone{} meanwhile", subject, times);
  return one.went > 1 ? fmt::format("{}; it went{}", one.last_text, times) : one.last_text;
}

/// What changes from one value to another: the state of a port, the rate of a link.
struct Passage {
  std::string_view subject;  ///< Empty: the event is of something else.
  std::string_view was;
  std::string_view is;
};

Passage passage_of(const Event& event) {
  if (event.kind != "port_state_changed" && event.kind != "link_rate_changed") return {};
  const std::string_view text = event.text;
  const std::size_t was = text.rfind(" was ");
  const std::size_t is = text.rfind(", is ");
  if (was == text.npos || is == text.npos || is < was) return {};
  return {text.substr(0, was), text.substr(was + 5, is - was - 5), text.substr(is + 5)};
}

/// How far a port is down; what is no state is none of it.
int depth_of(std::string_view value) {
  constexpr std::array<std::string_view, 4> kStates{"active", "armed", "init", "down"};
  return static_cast<int>(std::ranges::find(kStates, value) - kStates.begin()) % 4;
}

/// The values that one thing has had.
struct Values {
  std::string first;  ///< Before the first event.
  std::string now;
  std::string worst;  ///< Of those between.
  int left_first = 0;
  WallTime left{};
  WallTime::duration away{};

  void add(const Passage& one, WallTime time) {
    if (now.empty()) first = one.was;
    if (one.was == first && one.is != first) {
      ++left_first;
      left = time;
    }
    if (one.is == first && one.was != first) away += time - left;
    now = one.is;
    if (one.is != first && (worst.empty() || depth_of(one.is) > depth_of(worst))) worst = one.is;
  }
  std::string sentence(std::string_view subject) const {
    if (now == first)
      return fmt::format("{} was {} {}{} is {} again", subject, worst, away_text(left_first, away),
                         left_first == 1 ? ", and" : " and", now);
    const std::string times =
        left_first > 1 ? fmt::format("; it changed {} times", left_first) : std::string();
    return fmt::format("{} was {}, is {}{}", subject, first, now, times);
  }
};

}  // namespace

std::string_view group_of(std::string_view kind) { return kGroups[place_of_group(kind)].group; }

std::vector<Change> changes_of(std::span<const Event> events) {
  std::vector<Change> changes;
  std::map<std::pair<std::size_t, std::string>, std::size_t> known;  // group and subject or text
  std::map<std::size_t, Comings> comings;                            // by place in changes
  std::map<std::size_t, Values> values;                              // likewise
  for (const Event& event : events) {
    const ComeOrGone presence = presence_of(event);
    const Passage passage = passage_of(event);
    std::string subject = event.text;
    if (!presence.subject.empty()) subject = presence.subject;
    if (!passage.subject.empty()) subject = passage.subject;
    const auto [found, fresh] = known.emplace(std::pair(place_of_group(event.kind), subject), changes.size());
    if (fresh)
      changes.push_back({group_of(event.kind), event.text, event.severity, event.time, event.time, 0});
    Change& change = changes[found->second];
    ++change.times;
    change.last = event.time;
    change.severity = std::max(change.severity, event.severity);
    if (!passage.subject.empty()) {
      Values& one = values[found->second];
      one.add(passage, event.time);
      change.text = one.sentence(subject);
      change.times = 1;  // the sentence tells
    }
    if (presence.subject.empty()) continue;
    Comings& one = comings[found->second];
    if (fresh) one.was_there = !presence.there;
    if (!presence.there) {
      ++one.went;
      one.left = event.time;
    } else if (one.went > 0) {
      one.away += event.time - one.left;
    }
    one.there = presence.there;
    one.last_text = event.text;
    change.text = sentence_of(subject, one);
    change.times = 1;  // the sentence tells
  }
  std::vector<Change> by_group;
  for (const Kinds& group : kGroups)
    std::ranges::copy_if(changes, std::back_inserter(by_group),
                         [&](const Change& one) { return one.group == group.group; });
  return by_group;
}

}  // namespace weft::daemon
