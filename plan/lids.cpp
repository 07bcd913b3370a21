#include "plan/lids.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "plan/lid_order.h"
#include "plan/lid_space.h"

namespace weft::plan {
namespace {

constexpr std::size_t kNotesOfAKind = 20;

/// A port that wants or holds LIDs.
struct Owner {
  Guid guid{};  ///< 0: has no GUID of its own, so the ledger cannot remember it.
  fabric::PortRef port{};
  bool present = false;
  bool fixed = false;
  bool told = false;     ///< Stands in a note as the loser of a conflict.
  std::uint8_t lmc = 0;  ///< Wanted.
  Lid found{};           ///< Carried now by a live port; 0 elsewhere.
  std::optional<LidRange> recorded;
  LidRange given;
};

class Assignment {
 public:
  Assignment(const fabric::Fabric& fabric, const LidOptions& options, const Ledger& ledger)
      : fabric_(fabric), options_(options), ledger_(ledger), space_(find_ceiling()) {
    list_owners();
  }
  Lids run() &&;

 private:
  using Id = LidSpace::Owner;
  struct Conflict {
    Lid lid{};
    Id keeper = 0;
    Id loser = 0;
  };

  std::uint8_t wanted_lmc(fabric::PortRef end) const;
  Lid find_ceiling();
  void list_owners();
  Owner make_owner(fabric::PortRef end) const;
  void read_record();
  void take_fixed();
  void take_recorded();
  void take_found();
  void number_new();
  void number(Id id);
  bool claim(Id id, LidRange range);
  bool make_room(std::uint8_t lmc);
  std::shared_ptr<const LidMap> new_map() const;
  void write_notes();
  void write_conflicts();
  void note_most(const std::vector<std::string>& lines, std::string_view what);
  std::string who(Id id) const;
  bool may_keep(LidRange range) const {
    return is_legal(range) && raw(range.base) + range.size() - 1 <= raw(space_.ceiling());
  }

  const fabric::Fabric& fabric_;
  const LidOptions& options_;
  const Ledger& ledger_;
  std::vector<std::string> notes_;
  std::optional<SwitchId> smallest_;  // the switch that sets the ceiling
  LidSpace space_;
  bool looks_above_hosts_ = false;  // space_ looks for free LIDs above those of the hosts only
  std::vector<Owner> owners_;       // end ports by their index, then the absent
  std::vector<Id> by_guid_;         // rising; those without a GUID last, by index
  std::size_t with_guid_ = 0;       // length of the first part
  std::vector<Id> absent_;          // rising GUID
  std::array<std::size_t, kMaxLmc + 1>
      passed_{};  // by LMC: how many of `absent_`, from its end, cannot make room
  std::vector<Conflict> conflicts_;
  std::vector<std::string> faults_;  // in the record and in the fixed LIDs
  std::vector<Id> evicted_;
  std::vector<Id> too_high_;
  std::vector<Id> without_;
};

std::uint8_t Assignment::wanted_lmc(fabric::PortRef end) const {
  const std::uint8_t lmc = std::min(options_.lmc, kMaxLmc);
  if (!fabric_.is_switch(end.node)) return lmc;
  return options_.lmc_enhanced_port0 && fabric_.node(end.node).switch_facts.enhanced_port0 ? lmc
                                                                                           : std::uint8_t{0};
}

/// The highest LID that every switch can forward to, as long as the LIDs needed fit below it.
Lid Assignment::find_ceiling() {
  std::uint32_t ceiling = raw(kLidLastUnicast);
  for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
    const std::uint32_t capacity = fabric_.node(static_cast<SwitchId>(s)).switch_facts.lft_capacity;
    if (capacity == 0 || capacity - 1 >= ceiling) continue;
    ceiling = capacity - 1;
    smallest_ = static_cast<SwitchId>(s);
  }
  std::size_t needed = 0;
  for (const fabric::PortRef end : fabric_.end_ports()) needed += std::size_t{1} << wanted_lmc(end);
  if (!smallest_ || needed <= ceiling) return static_cast<Lid>(ceiling);
  notes_.push_back(
      fmt::format("{} LIDs are needed, but {} can forward to no LID above {}; LIDs go beyond that", needed,
                  describe(fabric_.node(*smallest_)), ceiling));
  smallest_.reset();
  return kLidLastUnicast;
}

Owner Assignment::make_owner(fabric::PortRef end) const {
  const fabric::Port& port = fabric_.port(end);
  const bool is_switch = fabric_.is_switch(end.node);
  Owner owner;
  owner.guid = is_switch && port.guid == Guid{} ? fabric_.node(end.node).guid : port.guid;
  owner.port = end;
  owner.present = true;
  owner.lmc = wanted_lmc(end);
  // A switch that answers is alive whatever the state of its port 0, which has no link.
  const bool live = is_switch || port.state == PortState::active || port.state == PortState::armed;
  if (live) owner.found = port.lid;
  return owner;
}

void Assignment::list_owners() {
  for (const fabric::PortRef end : fabric_.end_ports()) {
    by_guid_.push_back(static_cast<Id>(owners_.size()));
    owners_.push_back(make_owner(end));
  }
  std::ranges::sort(by_guid_, {}, [this](Id id) { return std::pair(owners_[id].guid, id); });
  std::vector<Id> nameless;
  for (const Id id : by_guid_) {
    const Guid guid = owners_[id].guid;
    if (guid == Guid{}) {
      nameless.push_back(id);
    } else if (with_guid_ > 0 && owners_[by_guid_[with_guid_ - 1]].guid == guid) {
      notes_.push_back(
          fmt::format("port GUID {} is claimed by {} and by {}; the second gets LIDs that are not recorded",
                      to_string(guid), who(by_guid_[with_guid_ - 1]), who(id)));
      nameless.push_back(id);
    } else {
      by_guid_[with_guid_++] = id;
    }
  }
  std::ranges::sort(nameless);
  by_guid_.resize(with_guid_);
  read_record();
  by_guid_.insert(by_guid_.end(), nameless.begin(), nameless.end());
  for (const Id id : nameless) owners_[id].guid = Guid{};
}

/// Joins the ledger to the owners and adds those that are away.
void Assignment::read_record() {
  std::vector<Id> merged;
  auto here = by_guid_.begin();
  for (const auto& [guid, range] : *ledger_.lids) {
    while (here != by_guid_.end() && owners_[*here].guid < guid) merged.push_back(*here++);
    if (here != by_guid_.end() && owners_[*here].guid == guid) {
      owners_[*here].recorded = range;
      continue;
    }
    const auto id = static_cast<Id>(owners_.size());
    Owner& owner = owners_.emplace_back();
    owner.guid = guid;
    owner.lmc = std::min(range.lmc, kMaxLmc);
    owner.recorded = range;
    absent_.push_back(id);
    merged.push_back(id);
  }
  merged.insert(merged.end(), here, by_guid_.end());
  by_guid_ = std::move(merged);
  with_guid_ = by_guid_.size();
}

/// Whether the owner got the range; the conflict is noted otherwise.
bool Assignment::claim(Id id, LidRange range) {
  Owner& owner = owners_[id];
  if (const Id keeper = space_.holder(range); keeper != LidSpace::kFree) {
    if (!owner.told) conflicts_.push_back({range.base, keeper, id});
    owner.told = true;
    return false;
  }
  space_.give(range, id);
  owner.given = range;
  return true;
}

void Assignment::take_fixed() {
  const auto recorded_end = by_guid_.begin() + static_cast<std::ptrdiff_t>(with_guid_);
  const auto guid_of = [this](Id id) { return owners_[id].guid; };
  for (const auto& [guid, lid] : options_.fixed) {
    const auto at = std::ranges::lower_bound(by_guid_.begin(), recorded_end, guid, {}, guid_of);
    Id id = static_cast<Id>(owners_.size());
    if (at != recorded_end && owners_[*at].guid == guid) {
      id = *at;
    } else {
      Owner& owner = owners_.emplace_back();  // never seen: its LID is held for it all the same
      owner.guid = guid;
      owner.lmc = is_legal({lid, std::min(options_.lmc, kMaxLmc)}) ? std::min(options_.lmc, kMaxLmc)
                                                                   : std::uint8_t{0};
    }
    Owner& owner = owners_[id];
    const LidRange range{lid, owner.lmc};
    if (!is_legal(range)) {
      faults_.push_back(fmt::format("fixed LID {} of {} is not taken: {}", raw(lid), who(id),
                                    is_legal({lid, 0}) ? fmt::format("it is no multiple of {}", range.size())
                                                       : "it is no unicast LID"));
    } else if (!may_keep(range)) {
      faults_.push_back(fmt::format("fixed LID {} of {} is not taken: {} can forward to no LID above {}",
                                    raw(lid), who(id), describe(fabric_.node(*smallest_)),
                                    raw(space_.ceiling())));
    } else if (const Id keeper = space_.holder(range); keeper != LidSpace::kFree) {
      faults_.push_back(fmt::format("fixed LID {} of {} is not taken: it is fixed for {}, too", raw(lid),
                                    who(id), who(keeper)));
    } else {
      space_.give(range, id);
      owner.given = range;
      owner.fixed = true;
    }
  }
}

/// The record holds. Where it contradicts itself, a port that carries what it says comes first, then the
/// present ones, then the absent. Ranges that have become too narrow are widened in place where that takes
/// nothing from anyone.
void Assignment::take_recorded() {
  enum Turn { carried, present, away, to_widen, kTurns };
  std::array<std::vector<Id>, kTurns> turns;
  for (std::size_t i = 0; i < with_guid_; ++i) {
    Owner& owner = owners_[by_guid_[i]];
    if (!owner.recorded || owner.fixed) continue;
    const LidRange recorded = *owner.recorded;
    if (!is_legal(recorded)) {
      faults_.push_back(fmt::format("the record of LID {}, LMC {} for {} is no valid range and is dropped",
                                    raw(recorded.base), recorded.lmc, who(by_guid_[i])));
    } else if (!owner.present) {
      turns[away].push_back(by_guid_[i]);
    } else if (!is_legal({recorded.base, owner.lmc})) {
      continue;  // no longer aligned
    } else if (!may_keep({recorded.base, owner.lmc})) {
      too_high_.push_back(by_guid_[i]);
    } else {
      const Turn turn = recorded.lmc < owner.lmc       ? to_widen
                        : owner.found == recorded.base ? carried
                                                       : present;
      turns[turn].push_back(by_guid_[i]);
    }
  }
  for (const Turn turn : {carried, present, away}) {
    for (const Id id : turns[turn]) claim(id, {owners_[id].recorded->base, owners_[id].lmc});
  }
  for (const Id id : turns[to_widen]) {
    const LidRange wide{owners_[id].recorded->base, owners_[id].lmc};
    if (space_.holder(wide) == LidSpace::kFree) claim(id, wide);
  }
}

void Assignment::take_found() {
  for (const Id id : by_guid_) {
    Owner& owner = owners_[id];
    if (!owner.present || owner.given.base != kLidNone || owner.found == kLidNone) continue;
    if (owner.recorded && owner.recorded->base == owner.found) continue;  // has been tried
    const LidRange range{owner.found, owner.lmc};
    if (!is_legal(range)) continue;
    if (may_keep(range))
      claim(id, range);
    else
      too_high_.push_back(id);
  }
}

/// Frees an aligned range that only absent ports hold, of the highest GUID that helps.
bool Assignment::make_room(std::uint8_t lmc) {
  const std::uint32_t size = std::uint32_t{1} << lmc;
  const auto movable = [this](Id id) {
    return id == LidSpace::kFree || (!owners_[id].present && !owners_[id].fixed);
  };
  for (std::size_t& passed = passed_[lmc]; passed < absent_.size(); ++passed) {
    const LidRange held = owners_[absent_[absent_.size() - 1 - passed]].given;
    if (held.base == kLidNone) continue;  // has none
    const LidRange slot{static_cast<Lid>(raw(held.base) / size * size), lmc};
    if (!may_keep(slot)) continue;
    bool free = true;
    for (std::uint32_t lid = raw(slot.base); lid < raw(slot.base) + size; ++lid)
      free = free && movable(space_.holder(static_cast<Lid>(lid)));
    if (!free) continue;
    while (space_.holder(slot) != LidSpace::kFree) {
      const Id id = space_.holder(slot);
      space_.release(owners_[id].given);
      owners_[id].given = {};
      evicted_.push_back(id);
    }
    return true;
  }
  return false;
}

void Assignment::number(Id id) {
  Owner& owner = owners_[id];
  if (owner.given.base != kLidNone) return;
  std::optional<LidRange> range = space_.first_free(owner.lmc);
  if (!range && std::exchange(looks_above_hosts_, false)) {
    space_.look_from(kLidFirst);
    range = space_.first_free(owner.lmc);
  }
  if (!range && make_room(owner.lmc)) range = space_.first_free(owner.lmc);
  if (!range) {
    without_.push_back(id);
    return;
  }
  space_.give(*range, id);
  owner.given = *range;
}

/// Hosts first, then switches; in a new fabric the switches stand apart, above all hosts.
void Assignment::number_new() {
  const auto lacks = [](const Owner& owner) { return owner.present && owner.given.base == kLidNone; };
  if (std::ranges::none_of(owners_, lacks)) return;
  const bool is_new = ledger_.lids->empty() && std::ranges::all_of(owners_, [](const Owner& owner) {
                        return !owner.present || owner.fixed || owner.given.base == kLidNone;
                      });
  const LidOrder order = lid_order(fabric_);
  std::uint32_t end = raw(kLidFirst);
  for (const std::uint32_t id : order.hosts) {
    number(id);
    const LidRange given = owners_[id].given;
    if (!owners_[id].fixed) end = std::max<std::uint32_t>(end, raw(given.base) + given.size());
  }
  looks_above_hosts_ = is_new && end <= raw(space_.ceiling());
  if (looks_above_hosts_) space_.look_from(static_cast<Lid>(end));
  for (const std::uint32_t id : order.switches) number(id);
}

/// The ledger's map, changed where it must be; the same one when nothing changes.
std::shared_ptr<const LidMap> Assignment::new_map() const {
  std::shared_ptr<LidMap> changed;
  const auto map = [&]() -> LidMap& {
    if (!changed) changed = std::make_shared<LidMap>(*ledger_.lids);
    return *changed;
  };
  for (std::size_t i = 0; i < with_guid_; ++i) {
    const Owner& owner = owners_[by_guid_[i]];
    if (owner.given.base == kLidNone) {
      if (owner.recorded) map().erase(owner.guid);
    } else if (!owner.recorded || *owner.recorded != owner.given) {
      LidMap& lids = map();
      lids.insert_or_assign(lids.lower_bound(owner.guid), owner.guid, owner.given);
    }
  }
  if (changed) return changed;
  return ledger_.lids;
}

std::string Assignment::who(Id id) const {
  const Owner& owner = owners_[id];
  return owner.present ? describe(fabric_, owner.port) : fmt::format("{} (away)", to_string(owner.guid));
}

void Assignment::note_most(const std::vector<std::string>& lines, std::string_view what) {
  const std::size_t shown = std::min(lines.size(), kNotesOfAKind);
  notes_.insert(notes_.end(), lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(shown));
  if (shown < lines.size()) notes_.push_back(fmt::format("and {} more {}", lines.size() - shown, what));
}

void Assignment::write_conflicts() {
  std::vector<std::string> lines;
  for (const Conflict& conflict : conflicts_) {
    const Lid lid = owners_[conflict.loser].given.base;
    const std::string_view has = owners_[conflict.keeper].fixed ? "is fixed for" : "belongs to";
    const std::string gets = lid == kLidNone ? std::string("none") : fmt::format("LID {}", raw(lid));
    lines.push_back(fmt::format("LID {} {} {}; {} claims it, too, and gets {}", raw(conflict.lid), has,
                                who(conflict.keeper), who(conflict.loser), gets));
  }
  note_most(lines, "conflicts of LIDs");
}

void Assignment::write_notes() {
  note_most(faults_, "faults in fixed or recorded LIDs");
  write_conflicts();
  std::size_t resized = 0;
  std::size_t moved = 0;
  std::size_t other = 0;
  for (const Owner& owner : owners_) {
    if (!owner.present || !owner.recorded || owner.fixed || owner.given.base == kLidNone) continue;
    const bool same_base = owner.recorded->base == owner.given.base;
    if (is_legal(*owner.recorded) && owner.recorded->lmc != owner.lmc) ++(same_base ? resized : moved);
    if (same_base && owner.found != kLidNone && owner.found != owner.given.base) ++other;
  }
  if (resized + moved > 0)
    notes_.push_back(fmt::format(
        "the LMC has changed: {} ports keep their LID with another range, {} get a new LID", resized, moved));
  if (other > 0)
    notes_.push_back(
        other == 1
            ? std::string("1 port carries another LID than the one recorded for it and gets its own back")
            : fmt::format("{} ports carry another LID than the one recorded for them and get theirs back",
                          other));
  if (!too_high_.empty())
    notes_.push_back(fmt::format(
        "{} ports, first {}, had LIDs above {}, the highest {} can forward to, and get others",
        too_high_.size(), who(too_high_.front()), raw(space_.ceiling()), describe(fabric_.node(*smallest_))));
  if (!evicted_.empty())
    notes_.push_back(fmt::format("no other LIDs were left: {} absent ports, first {}, have lost theirs",
                                 evicted_.size(), who(evicted_.front())));
  if (!without_.empty())
    notes_.push_back(fmt::format(
        "the LID space is exhausted: {} of {} end ports, first {}, get no LID; {}", without_.size(),
        fabric_.end_ports().size(), who(without_.front()),
        options_.lmc > 0 ? fmt::format("lower the LMC, each host port takes {} LIDs now",
                                       1 << std::min(options_.lmc, kMaxLmc))
                         : fmt::format("a subnet has room for {}: divide it", raw(space_.ceiling()))));
}

Lids Assignment::run() && {
  take_fixed();
  take_recorded();
  take_found();
  number_new();
  write_notes();
  Lids lids;
  for (std::size_t i = 0; i < fabric_.end_ports().size(); ++i) {
    const LidRange given = owners_[i].given;
    lids.of_end_port.push_back(given);
    if (given.base == kLidNone)
      lids.without.push_back(i);
    else
      lids.top = std::max(lids.top, static_cast<Lid>(raw(given.base) + given.size() - 1));
  }
  lids.map = new_map();
  lids.notes = std::move(notes_);
  return lids;
}

}  // namespace

Lids assign_lids(const fabric::Fabric& fabric, const LidOptions& options, const Ledger& ledger) {
  assert(ledger.lids);
  return Assignment(fabric, options, ledger).run();
}

}  // namespace weft::plan
