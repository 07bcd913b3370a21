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

/// What came and went of one link or node.
struct Comings {
  int went = 0;
  bool was_there = false;  ///< Before the first event.
  std::string last_text;
  bool there = false;
};

std::string sentence_of(const std::string& subject, const Comings& one) {
  if (one.went == 0) return one.last_text;
  const std::string times = one.went > 1 ? fmt::format(" {} times", one.went) : std::string();
  if (one.there && one.was_there) return fmt::format("{} was gone{} and is back", subject, times);
  if (one.there) return fmt::format("{} is new; it was gone{} meanwhile", subject, times);
  return one.went > 1 ? fmt::format("{}; it went{}", one.last_text, times) : one.last_text;
}

}  // namespace

std::string_view group_of(std::string_view kind) { return kGroups[place_of_group(kind)].group; }

std::vector<Change> changes_of(std::span<const Event> events) {
  std::vector<Change> changes;
  std::map<std::pair<std::size_t, std::string>, std::size_t> known;  // group and subject or text
  std::map<std::size_t, Comings> comings;                            // by place in changes
  for (const Event& event : events) {
    const ComeOrGone presence = presence_of(event);
    const std::string& subject = presence.subject.empty() ? event.text : presence.subject;
    const auto [found, fresh] = known.emplace(std::pair(place_of_group(event.kind), subject), changes.size());
    if (fresh)
      changes.push_back({group_of(event.kind), event.text, event.severity, event.time, event.time, 0});
    Change& change = changes[found->second];
    ++change.times;
    change.last = event.time;
    change.severity = std::max(change.severity, event.severity);
    if (presence.subject.empty()) continue;
    Comings& one = comings[found->second];
    if (fresh) one.was_there = !presence.there;
    one.went += presence.there ? 0 : 1;
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
