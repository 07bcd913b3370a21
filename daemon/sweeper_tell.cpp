// What a Sweeper tells: events, problems, what is missing. Each thing is told once, when it comes.

#include <algorithm>
#include <set>

#include "base/words.h"
#include "daemon/changed_ways.h"
#include "daemon/sweeper.h"
#include "fabric/counterparts.h"
#include "partitions/changes.h"
#include "program/port_fields.h"
#include "program/render.h"

namespace weft::daemon {
namespace {

/// Of things of one kind in one sweep, so many are events of their own; one more says how many follow.
constexpr std::size_t kToldOneByOne = 20;

bool is_loss(const fabric::Difference& one) {
  return one.kind == fabric::DifferenceKind::node_gone || one.kind == fabric::DifferenceKind::link_gone;
}

/// "a; b; c; and 4 more"
std::string some_of(std::span<const std::string> texts) {
  constexpr std::size_t kNamed = 3;
  std::string all;
  for (std::size_t i = 0; i < std::min(texts.size(), kNamed); ++i) all += (i == 0 ? "" : "; ") + texts[i];
  if (texts.size() > kNamed) all += fmt::format("; and {} more", texts.size() - kNamed);
  return all;
}

}  // namespace

void Sweeper::event(Severity severity, std::string kind, std::string text, Guid node,
                    std::optional<PortNum> port) {
  Event one;
  one.severity = severity;
  one.kind = std::move(kind);
  one.node = node;
  one.port = port;
  one.text = std::move(text);
  around_.events->add(std::move(one));
}

void Sweeper::tell_failure(const Error& why) {
  if (told_failure_ == why.what) return;
  told_failure_ = why.what;
  const bool down = why.code == Errc::unavailable;
  event(Severity::error, down ? "own_link_down" : "discovery_failed", why.what);
}

/// Our own port can be used again, or the other manager gave way.
void Sweeper::tell_return() {
  if (!std::exchange(told_failure_, {}).empty())
    event(Severity::info, "own_port_back", "our own port can be used again");
  if (!std::exchange(yielded_to_, {}).empty())
    event(Severity::info, "became_master",
          "we are master now: no other manager that is or should be is found");
}

/// What a discovery shows that a comparison of programmed fabrics does not: links and switches that were
/// down and are back. A link that comes up starts in Init, and nothing else brings an Active one there.
void Sweeper::tell_restarts(const discovery::Discovered& found) {
  const fabric::Fabric& now = *found.fabric;
  for (const Guid guid : std::set<Guid>(found.booted.begin(), found.booted.end()))
    if (const auto node = now.find(guid))
      event(Severity::warning, "switch_rebooted",
            fmt::format("switch {} has booted: all that it held is written again",
                        fabric::describe(now.node(*node))),
            guid);
  if (!view_) return;
  const fabric::Fabric& before = *view_->fabric;
  const fabric::Counterparts counterparts(now, before);
  std::vector<std::string> more;
  for (std::size_t n = 0; n < now.node_count(); ++n) {
    const auto node = static_cast<NodeId>(n);
    const auto old_node = counterparts.at(node);
    if (!old_node) continue;
    const auto ports = now.ports(node);
    for (std::size_t p = 1; p < ports.size(); ++p) {
      const fabric::PortRef here{node, static_cast<PortNum>(p)};
      const auto& peer = ports[p].peer;
      if (!peer || *peer < here || p >= before.ports(*old_node).size()) continue;
      const fabric::Port& was = before.ports(*old_node)[p];
      const bool same_peer = was.peer && was.peer->port == peer->port &&
                             before.node(was.peer->node).guid == now.node(peer->node).guid;
      const bool was_active = was.state == PortState::active;
      const bool restarted = std::min(ports[p].state, now.port(*peer).state) == PortState::init;
      if (!same_peer || !was_active || !restarted) continue;
      const auto booted = [&](NodeId id) {
        return std::ranges::find(found.booted, now.node(id).guid) != found.booted.end();
      };
      if (booted(node) || booted(peer->node)) continue;
      std::string text = fmt::format("link {} to {} was down and is back", fabric::describe(now, here),
                                     fabric::describe(now, *peer));
      if (more.size() < kToldOneByOne)
        event(Severity::warning, "link_flapped", text, now.node(node).guid, here.port);
      more.push_back(std::move(text));
    }
  }
  if (more.size() > kToldOneByOne)
    event(Severity::warning, "link_flapped",
          fmt::format("{} more were down and are back", counted(more.size() - kToldOneByOne, "link")));
}

/// A sweep that fails is made again: what it saw counts once.
void Sweeper::note_drops(const discovery::Discovered& found) {
  if (last_seen_) {
    std::vector<LinkEnds> dropped = dropped_links(*last_seen_, *found.fabric, found.booted);
    dropped_.insert(dropped_.end(), dropped.begin(), dropped.end());
  }
  last_seen_ = found.fabric;
}

/// What the configuration names in vain.
void Sweeper::tell_unmatched(std::vector<std::string> now) {
  for (const std::string& text : now)
    if (std::ranges::find(unmatched_, text) == unmatched_.end())
      event(Severity::info, "config_unmatched", text);
  unmatched_ = std::move(now);
}

/// Blocks that a device did not take, each once.
void Sweeper::tell_failed(std::span<const program::Failure> failed, const fabric::Fabric& fabric) {
  std::vector<Dirty> now;
  for (const program::Failure& failure : failed) now.push_back({failure.node, failure.what, failure.why});
  std::size_t told = 0;
  const auto same = [](const Dirty& a, const Dirty& b) {
    return a.node == b.node && a.what == b.what && a.why == b.why;
  };
  for (const Dirty& one : now) {
    if (std::ranges::any_of(dirty_, [&](const Dirty& other) { return same(one, other); })) continue;
    if (++told > kToldOneByOne) continue;
    const auto node = fabric.find(one.node);
    event(Severity::warning, "block_not_written",
          fmt::format("{} of {} could not be written: {}; it is sent again", one.what,
                      node ? fabric::describe(fabric.node(*node)) : to_string(one.node), one.why),
          one.node);
  }
  if (told > kToldOneByOne)
    event(Severity::warning, "block_not_written",
          fmt::format("{} more could not be written", counted(told - kToldOneByOne, "block")));
  dirty_ = std::move(now);
}

/// Managers that answer no more are no longer there, and some have come.
void Sweeper::follow_managers(std::span<const discovery::Manager> answering) {
  for (const OtherManager& other : others_)
    if (std::ranges::none_of(answering, [&](const auto& one) { return one.info.guid == other.guid; }))
      event(
          Severity::info, "manager_gone",
          fmt::format("subnet manager {} on {} does not answer any more", to_string(other.guid), other.node));
  for (const discovery::Manager& one : answering)
    if (std::ranges::none_of(others_, [&](const auto& other) { return one.info.guid == other.guid; }))
      event(Severity::info, "manager_came", describe_manager(one, known_->fabric.get()) + " has come",
            one.node);
  auto known = std::make_shared<discovery::Discovered>(*known_);
  known->managers.assign(answering.begin(), answering.end());
  std::ranges::sort(known->managers, {}, [](const auto& one) { return one.info.guid; });
  note_managers(*known);
  around_.election->set_others(known->managers);
  known_ = std::move(known);
}

/// The operator takes the fabric as it is.
void Sweeper::tell_accepted() {
  event(Severity::info, "accepted",
        missing_.empty() ? std::string("the fabric is taken for whole as it is; nothing was missing")
                         : fmt::format("the fabric is taken for whole as it is; no longer waited for: {}",
                                       some_of(missing_)));
}

/// What is gone of `whole_`. A Fabric from which nothing is becomes the measure of the next ones.
void Sweeper::note_missing(std::span<const fabric::Difference> since_whole) {
  missing_.clear();
  for (const fabric::Difference& one : since_whole)
    if (is_loss(one)) missing_.push_back(one.what);
  if (missing_.empty()) whole_ = view_->fabric;
}

/// Why a policy is not wholly in force, and who gained or lost access.
void Sweeper::tell_policies(const plan::Plan& plan, const fabric::Fabric& fabric) {
  std::vector<std::string> now;
  const auto tell = [&](const std::vector<std::string>& texts, Severity severity, const char* kind) {
    for (const std::string& text : texts) {
      if (std::ranges::find(told_policies_, text) == told_policies_.end()) event(severity, kind, text);
      now.push_back(text);
    }
  };
  tell(plan.partitions.problems, Severity::error, "partitions_not_in_force");
  tell(plan.levels.problems, Severity::warning, "levels_not_as_set");
  for (const std::string& text : now)
    problems_.push_back({Guid{}, text, "Mend the configuration, then:", "systemctl reload weftd"});
  tell(plan.partitions.notes, Severity::warning, "policy_note");
  tell(plan.levels.notes, Severity::warning, "policy_note");
  told_policies_ = std::move(now);
  if (!view_ || !view_->plan) return;
  for (const std::string& text :
       partitions::access_changes({*view_->fabric, view_->plan->partitions}, {fabric, plan.partitions}))
    event(Severity::info, "access_changed", text);
}

/// Devices that have just shown that they do not keep the bits by which P_Keys are checked.
void Sweeper::tell_unchecked(const program::Programmed& done, const fabric::Fabric& fabric) {
  std::size_t nodes = 0;
  Guid first{};
  for (const auto& [node, fields] : done.unkept) {
    if ((fields & program::enforcement_field()) == 0) continue;
    if (nodes++ == 0) first = node;
  }
  const auto node = fabric.find(first);
  if (nodes == 0 || !node) return;
  event(Severity::warning, "pkeys_not_checked",
        fmt::format(
            "{} do not keep PartitionEnforcement when it is set, {} the first: P_Keys are not checked there",
            counted(nodes, "switch"), fabric::describe(fabric.node(*node))));
}

/// Ports that were there before and have another LID now: connections to them break.
void Sweeper::tell_moved_lids(const plan::Plan& plan, const fabric::Fabric& fabric) {
  if (!view_ || !view_->plan || view_->plan->lids.map == plan.lids.map) return;
  std::vector<std::string> moved;
  const std::span<const fabric::PortRef> ends = fabric.end_ports();
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const auto before = view_->plan->lids.map->find(fabric.port(ends[i]).guid);
    const Lid now = plan.lids.of_end_port[i].base;
    if (before == view_->plan->lids.map->end() || before->second.base == now) continue;
    const bool was_here = view_->fabric->find(fabric.node(ends[i].node).guid).has_value();
    if (was_here)
      moved.push_back(fmt::format("{} from {} to {}", fabric::describe(fabric, ends[i]),
                                  raw(before->second.base), raw(now)));
  }
  if (moved.empty()) return;
  event(Severity::warning, "lids_moved",
        fmt::format("{} another LID: {}",
                    moved.size() == 1 ? "a port has" : counted(moved.size(), "port") + " have",
                    some_of(moved)));
}

/// Traffic of hosts and switches that were there before takes other ways. New LIDs, and tables written again
/// into a switch that booted, are none.
void Sweeper::tell_rerouting(const plan::Plan& plan, const fabric::Fabric& fabric) {
  if (!view_ || !view_->plan) return;
  const ChangedWays ways = changed_ways({*view_->fabric, *view_->plan}, {fabric, plan});
  if (ways.entries == 0) return;
  event(Severity::info, "rerouted",
        fmt::format("traffic goes other ways: {} changed at {}", counted(ways.entries, "route"),
                    counted(ways.switches, "switch")));
}

void Sweeper::tell_differences(std::span<const fabric::Difference> differences) {
  for (const fabric::Difference& one : differences) {
    const bool of_node = one.kind == fabric::DifferenceKind::node_new ||
                         one.kind == fabric::DifferenceKind::node_gone ||
                         one.kind == fabric::DifferenceKind::node_changed;
    event(is_loss(one) ? Severity::warning : Severity::info, std::string(fabric::name(one.kind)), one.what,
          one.node, of_node ? std::nullopt : std::optional(one.port));
  }
}

void Sweeper::tell_findings(const std::vector<discovery::Finding>& findings) {
  problems_.clear();
  unreadable_ = static_cast<std::size_t>(std::ranges::count_if(findings, discovery::spoils));
  std::vector<std::string> now;
  for (const discovery::Finding& finding : findings) {
    const bool spoils = discovery::spoils(finding);
    problems_.push_back(
        {finding.node, finding.what,
         spoils ? "It is left out, and tried again at each sweep. Look at its power and cables, then:" : "",
         spoils ? "weftctl sweep" : ""});
    now.push_back(finding.what);
    if (std::ranges::find(told_, finding.what) != told_.end()) continue;
    event(Severity::warning, "node_unreadable", finding.what, finding.node);
  }
  told_ = std::move(now);
}

}  // namespace weft::daemon
