#include "daemon/sweeper.h"

#include <algorithm>

#include "base/words.h"
#include "daemon/log.h"
#include "daemon/store.h"
#include "daemon/usable.h"
#include "discovery/leave_out.h"
#include "discovery/local.h"
#include "discovery/locked.h"
#include "discovery/mute.h"
#include "discovery/read_back.h"
#include "fabric/path_tree.h"
#include "fabric/summary.h"
#include "fabric/without_links.h"
#include "mad/port_info.h"
#include "plan/unmatched.h"
#include "program/digests.h"
#include "program/render.h"
#include "transport/target.h"

namespace weft::daemon {
/// Times one phase of a sweep and counts its packets.
class Sweeper::Phase {
 public:
  Phase(Sweeper& sweeper, SweepReport& report, std::string name)
      : sweeper_(sweeper),
        report_(report),
        name_(std::move(name)),
        began_(sweeper.around_.clock->now()),
        sent_(sweeper.around_.client->sent()) {
    sweeper_.progress_ = Progress{name_, 0, 0};
  }
  ~Phase() {
    report_.phases.push_back(
        {name_, sweeper_.around_.clock->now() - began_, sweeper_.around_.client->sent() - sent_});
    sweeper_.progress_.reset();
  }
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;

 private:
  Sweeper& sweeper_;
  SweepReport& report_;
  std::string name_;
  Instant began_;
  std::uint64_t sent_;
};

Sweeper::Sweeper(Surroundings around, std::shared_ptr<const config::Settings> settings, plan::Ledger ledger)
    : around_(around), settings_(std::move(settings)), ledger_(std::move(ledger)), orders_(ledger_.orders) {}

plan::Ledger Sweeper::ledger() const {
  plan::Ledger ledger = ledger_;
  if (taken_lids_) ledger.lids = taken_lids_;
  return ledger;
}

Lid Sweeper::own_lid() const { return view_ && view_->plan ? view_->plan->sm_lid : Lid{}; }

SweepReport Sweeper::begin(SweepKind kind, std::string cause) {
  SweepReport report;
  interrupted_ = false;
  report.number = ++number_;
  report.kind = kind;
  report.cause = std::move(cause);
  report.started = std::chrono::system_clock::now();
  began_ = around_.clock->now();
  sent_before_ = around_.client->sent();
  sets_before_ = around_.client->sets_sent();
  timeouts_before_ = around_.client->timeouts();
  return report;
}

void Sweeper::finish(SweepReport& report) {
  progress_.reset();
  report.took = around_.clock->now() - began_;
  report.smps = around_.client->sent() - sent_before_;
  report.sets = around_.client->sets_sent() - sets_before_;
  report.timeouts = around_.client->timeouts() - timeouts_before_;
}

asio::awaitable<SweepReport> Sweeper::full(std::string cause) {
  SweepReport report = begin(SweepKind::full, std::move(cause));
  asked_.clear();
  brief_.clear();
  std::vector<Guid> no_places;
  SweepReport done = co_await sweep(std::move(report), std::move(no_places));
  co_return done;
}

asio::awaitable<SweepReport> Sweeper::local(std::string cause, std::vector<Guid> places,
                                            std::vector<Guid> brief) {
  SweepReport report = begin(SweepKind::local, std::move(cause));
  brief_ = std::set<Guid>(brief.begin(), brief.end());
  for (const Guid place : places) brief_.erase(place);
  places.insert(places.end(), brief_.begin(), brief_.end());
  SweepReport done = co_await sweep(std::move(report), std::move(places));
  co_return done;
}

asio::awaitable<SweepReport> Sweeper::sweep(SweepReport report, std::vector<Guid> places) {
  well_known_ = false;
  const std::vector<Guid> looked_at = places;
  Result<discovery::Discovered> found = co_await discover(report, std::move(places));
  if (cut_short() || !found) {
    report.error = cut_short() ? why_cut_short() : found.error().what;
    if (!cut_short()) tell_failure(found.error());
    if (!cut_short() && found.error().code == Errc::unavailable) around_.election->cut_off();
    finish(report);
    co_return report;
  }
  note_managers(*found);
  // Who was handed mastership is master before he has taken over anything.
  const bool was_master = managing_ && around_.election->is_master();
  const Election::Decision decision = around_.election->decide(*found);
  around_.decided(decision);
  if (!decision.may_write) {
    managing_ = false;
    yield(decision.why);
    report.error = decision.why;
    finish(report);
    co_return report;
  }
  if (report.kind == SweepKind::local && was_master && is_as_planned(*found, looked_at)) {
    well_known_ = report.clean = report.unchanged = true;
    finish(report);
    co_return report;
  }
  if (!was_master) {
    Result<bool> registrations_known = co_await take_shared();
    if (cut_short() || !registrations_known) {
      report.error = cut_short() ? why_cut_short() : registrations_known.error().what;
      if (!cut_short()) {
        around_.election->cut_off();
        yield(report.error);
      }
      finish(report);
      co_return report;
    }
    take_over(*found);
    managing_ = true;
    if (*registrations_known) follows_another_ = false;
    keys_are_anothers_ = follows_another_ || (!*registrations_known && !ledger_.partitions);
    found_keys_ = nullptr;
  }
  const std::string locked_out = co_await leave_out_locked(*found);
  if (!locked_out.empty()) {
    tell_failure({Errc::unavailable, locked_out});
    report.error = locked_out;
    finish(report);
    co_return report;
  }
  tell_return();
  tell_restarts(*found);
  note_drops(*found);
  note_served(*found);
  {
    const Phase phase(*this, report, "read-back");
    co_await read_tables(*found, report);
  }
  if (!cut_short()) co_await plan_and_apply(*found, report);
  if (cut_short()) report.error = why_cut_short();
  finish(report);
  co_return report;
}

/// Nodes with a foreign M_Key are not part of what we plan. Returns why nothing can be done, if our own is
/// one.
asio::awaitable<std::string> Sweeper::leave_out_locked(discovery::Discovered& found) {
  if (around_.client->foreign().empty()) co_return std::string();
  const std::vector<Guid> once = plan::devices_of(ledger_);
  std::vector<discovery::Finding> locked =
      co_await discovery::find_locked(*around_.client, shadow_, found, once);
  const Guid own = found.fabric->node(found.own_port.node).guid;
  for (const discovery::Finding& one : locked)
    if (one.node == own) co_return one.what;
  if (!locked.empty()) found = discovery::leave_out(found, locked);
  co_return std::string();
}

/// The lock on what managers share, and what another master has left there; true when nothing that clients
/// have told is missing from what we know then. Errors: `conflict` when another manager holds the lock.
asio::awaitable<Result<bool>> Sweeper::take_shared() {
  if (around_.shared == nullptr) co_return false;
  auto start = [shared = around_.shared,
                port = around_.election->own_guid()](transport::Completion<Result<SharedState::Taken>> done) {
    auto wake = std::make_shared<transport::Completion<Result<SharedState::Taken>>>(std::move(done));
    shared->take(port, [wake](Result<SharedState::Taken> taken) { (*wake)(std::move(taken)); });
  };
  Result<SharedState::Taken> taken =
      co_await transport::suspend<Result<SharedState::Taken>>(std::move(start));
  if (!taken) co_return fail(taken.error());
  if (cut_short()) co_return false;
  std::optional<plan::SaState> registrations;
  if (taken->ledger) {
    plan::Ledger& theirs = *taken->ledger;
    ledger_.lids = theirs.lids;
    ledger_.design = theirs.design;
    ledger_.partitions = theirs.partitions;
    ledger_.sls = theirs.sls;
    set_orders(theirs.orders, false);
    around_.orders_taken(theirs.orders);
    registrations = std::move(theirs.sa);
    if (around_.store != nullptr) around_.store->save(ledger_, {});
  }
  if (taken->current) around_.registrations_known(std::move(registrations));
  co_return taken->current;
}

asio::awaitable<void> Sweeper::plan_and_apply(discovery::Discovered& found, SweepReport& report) {
  Result<plan::Planned> planned = co_await make_plan(found, report);
  if (cut_short()) co_return;
  const bool refused = planned && planned->plan->partitions.refused;
  if (refused && keys_are_anothers_ && !found_keys_) {
    co_await read_found_keys(found);
    if (cut_short()) co_return;
    planned = co_await make_plan(found, report);
    if (cut_short()) co_return;
  }
  if (!planned) {
    report.error = planned.error().what;
    event(Severity::error, "plan_failed", report.error);
    tell_findings(found.findings);
    co_return;
  }
  co_await put_in_force(found, *planned, report);
}

asio::awaitable<void> Sweeper::put_in_force(const discovery::Discovered& found, plan::Planned& planned,
                                            SweepReport& report) {
  if (!planned.plan->partitions.refused) {
    keys_are_anothers_ = false;
    found_keys_ = nullptr;
  }
  co_await begin_at_held(found, planned);
  if (cut_short()) co_return;
  planned.ledger.devices = ledger_.devices;  // no plan changes them; what is known of them may have
  Result<void> safe = co_await commit(planned.ledger);
  if (!safe) {
    // The fabric matters more than the file: it comes up, and status says that nothing is kept.
    report.notes.push_back("state not saved: " + safe.error().what);
    event(Severity::error, "state_not_saved", safe.error().what);
  }
  if (!cut_short()) co_await apply(found, planned, report);
}

asio::awaitable<Result<discovery::Discovered>> Sweeper::discover(SweepReport& report,
                                                                 std::vector<Guid> places) {
  const Phase phase(*this, report, "discovery");
  discovery::DiscoverOptions options;
  options.may_write = around_.election->is_master();
  options.brief = brief_;
  options.names = settings_->plan.names;
  options.progress = [this](std::size_t nodes) {
    if (progress_) progress_->done = nodes;
  };
  options.booted = [this](Guid guid) { booted_.insert(guid); };
  Result<discovery::Discovered> found = fail(Errc::unsafe, "not looked yet");
  if (report.kind == SweepKind::local) {
    found = co_await discovery::discover_around(*around_.client, shadow_, options, known_, std::move(places));
    if (!found && !cut_short()) {
      report.notes.push_back(found.error().what + ": all is discovered");
      report.kind = SweepKind::full;
    }
  }
  if (report.kind == SweepKind::full) found = co_await discovery::discover(*around_.client, shadow_, options);
  if (found) around_.election->set_own_guid(found->fabric->port(found->own_port).guid);
  if (found) {
    const std::set<Guid> booted = std::exchange(booted_, {});
    found->booted.assign(booted.begin(), booted.end());
  }
  if (found && whole_) found->findings = discovery::name_mute(std::move(found->findings), *whole_);
  co_return found;
}

/// Who else is there, for people.
void Sweeper::note_managers(const discovery::Discovered& found) {
  others_.clear();
  for (const discovery::Manager& manager : found.managers) {
    others_.push_back({manager.info.guid, manager.info.priority, std::string(mad::name(manager.info.state)),
                       mad::to_string(manager.route), place_of(manager, found.fabric.get())});
  }
}

/// Another manager writes from now on, or may do so: what we know of tables is worth nothing.
void Sweeper::yield(const std::string& why) {
  if (yielded_to_ != why) event(Severity::warning, "other_master", why);
  yielded_to_ = why;
  forget_all_tables();
}

/// Plans for what was found. Switches whose table is too small are left out of that: with them, nobody would
/// get tables.
asio::awaitable<Result<plan::Planned>> Sweeper::make_plan(discovery::Discovered& found, SweepReport& report) {
  if (std::exchange(take_for_whole_, false)) {
    tell_accepted();
    ledger_.design = nullptr;
    whole_ = nullptr;
  }
  if (taken_lids_) {
    ledger_.lids = std::exchange(taken_lids_, nullptr);
    event(Severity::info, "state_imported",
          fmt::format("{} taken over from an imported state", counted(ledger_.lids->size(), "LID range")));
  }
  const Phase phase(*this, report, "planning");
  const bool as_before = published_with_ == settings_;
  planned_with_ = settings_;
  planned_orders_ = ledger_.orders;
  auto compute = [found, settings = settings_, ledger = ledger_, before = view_, as_before,
                  keys = found_keys_] {
    const plan::Plan* previous = before ? before->plan.get() : nullptr;
    const fabric::Fabric* in_force = before && as_before ? before->fabric.get() : nullptr;
    discovery::Discovered usable = without_too_small(found, settings->plan.lids, ledger);
    Result<plan::Planned> planned =
        plan::make_plan(*usable.fabric, settings->plan, ledger, usable.own_port, previous, in_force);
    if (planned && keys) planned = plan::checking_as_found(*usable.fabric, std::move(*planned), *keys);
    return std::pair(std::move(usable), std::move(planned));
  };
  auto [usable, planned] = co_await compute_on(*around_.workers, std::move(compute));
  found = std::move(usable);
  co_return std::move(planned);
}

/// LIDs are safe on disk before the first of them is used.
asio::awaitable<Result<void>> Sweeper::commit(plan::Ledger ledger) {
  ledger.orders = orders_;  // they may have changed while we planned
  const bool changed = ledger.lids != ledger_.lids || ledger.devices != ledger_.devices ||
                       ledger.design != ledger_.design || ledger.partitions != ledger_.partitions ||
                       ledger.sls != ledger_.sls;
  ledger_ = ledger;
  if (!changed || around_.store == nullptr) co_return Result<void>{};
  auto start = [store = around_.store, ledger](transport::Completion<Result<void>> done) {
    auto wake = std::make_shared<transport::Completion<Result<void>>>(std::move(done));
    store->save(ledger, [wake](Result<void> saved) { (*wake)(std::move(saved)); });
  };
  Result<void> saved = co_await transport::suspend<Result<void>>(std::move(start));
  co_return saved;
}

asio::awaitable<void> Sweeper::apply(const discovery::Discovered& found, const plan::Planned& planned,
                                     SweepReport& report) {
  program::adopt_digests(*found.fabric, *planned.plan, *ledger_.devices, shadow_);
  const std::shared_ptr<const plan::DeviceMap> held = ledger_.devices;
  co_await void_digests_of_changes(found, planned);
  if (cut_short()) co_return;
  program::Job job;
  job.fabric = found.fabric;
  job.plan = planned.plan;
  job.own_port = found.own_port;
  job.devices = held;  // on disk it is void; we know it still
  job.settled = &settled_;
  job.progress = [this](std::string_view phase, std::uint64_t done, std::uint64_t total) {
    progress_ = Progress{std::string(phase), done, total};
  };
  as_viewed_ = false;
  program::Programmed done = co_await program::program(*around_.client, shadow_, job);
  for (const program::PhaseDone& phase : done.phases)
    report.phases.push_back({phase.name, phase.took, phase.smps});
  forget_tables(done.booted);
  if (!done.elsewhere.empty()) {
    forget_all_tables();
    const auto node = found.fabric->find(done.elsewhere.front());
    done.restless.push_back(
        fmt::format("somebody else is where {} was: cables moved while the fabric was programmed, and what "
                    "was written may "
                    "have gone to anybody, so that all tables are read back",
                    fabric::describe(found.fabric->node(*node))));
    event(Severity::warning, "cables_moved", done.restless.back());
  }
  if (!cut_short()) co_await look_at_down_ports(found, done.restless);
  // What came of it is not known: the digests of what was to change are void, so the next start reads it
  // back.
  if (cut_short()) {
    settled_ = {};
    co_return;
  }

  tell_unmatched(plan::unmatched(*found.fabric, settings_->plan));
  tell_moved_lids(*planned.plan, *found.fabric);
  if (done.lft_blocks > 0) tell_rerouting(*planned.plan, *found.fabric);
  tell_failed(done.failed, *found.fabric);
  tell_findings(found.findings);
  tell_engine(*planned.plan, *found.fabric);
  tell_policies(*planned.plan, *found.fabric);
  tell_unchecked(done, *found.fabric);
  for (const std::string& text : done.restless) report.notes.push_back(text);
  if (done.links_waiting > 0)
    report.notes.push_back(fmt::format(
        "{} live ports keep their MTU or VL count until their link next comes up", done.links_waiting));
  if (!done.held_back.empty()) {
    report.notes.push_back(done.held_back);
    event(Severity::error, "tables_held_back", done.held_back);
  }
  report.failed = done.failed.size();
  report.restless = done.restless.size();
  report.clean = done.failed.empty() && done.restless.empty() && unreadable_ == 0;

  plan::Planned kept = planned;
  kept.ledger.devices =
      program::updated_devices(*found.fabric, shadow_, ledger_.devices, done.unkept, done.lanes, done.keys);
  kept.ledger.orders = orders_;
  if (kept.ledger.devices != ledger_.devices && around_.store != nullptr)
    around_.store->save(kept.ledger, {});
  ledger_ = kept.ledger;
  discovery::Discovered seen = found;
  leave_out_closed(seen, done.closed, report);
  publish(seen, kept);
  published_with_ = planned_with_;
  as_viewed_ = done.tables_stand;
}

void Sweeper::set_orders(std::shared_ptr<const plan::Orders> orders, bool carried_out) {
  if (carried_out && planned_orders_ == orders_) planned_orders_ = orders;
  orders_ = std::move(orders);
  ledger_.orders = orders_;
  if (around_.store != nullptr) around_.store->save(ledger_, {});
}

/// Links that we have closed ourselves are no news. Who hung on one of them alone goes with the next
/// discovery, since the plan still counts them.
void Sweeper::leave_out_closed(discovery::Discovered& found, std::span<const fabric::PortRef> closed,
                               SweepReport& report) {
  closed_at_.clear();
  std::vector<fabric::PortRef> links;
  for (const fabric::PortRef port : closed) {
    closed_at_.push_back(found.fabric->node(port.node).guid);
    const NodeId peer = found.fabric->port(port).peer->node;
    if (found.fabric->is_switch(port.node) && found.fabric->is_switch(peer)) links.push_back(port);
  }
  const bool all =
      links.size() == closed.size() && plan::cut_off(*found.fabric, found.own_port, links).empty();
  if (!all)
    report.notes.push_back("somebody is cut off by a port that was disabled: all is discovered again");
  well_known_ = report.clean = report.clean && all;
  if (all && !links.empty())
    found.fabric = std::make_shared<const fabric::Fabric>(fabric::without_links(*found.fabric, links));
}

/// PortStateChange was cleared after the ports had been read: a port that came up in between would be missed.
asio::awaitable<void> Sweeper::look_at_down_ports(const discovery::Discovered& found,
                                                  std::vector<std::string>& restless) {
  if (found.state_changed.empty()) co_return;
  const fabric::PathTree paths(*found.fabric, found.own_port);
  std::vector<discovery::BlockToRead> blocks;
  for (const Guid guid : found.state_changed) {
    const auto node = found.fabric->find(guid);
    if (!node) continue;
    const auto target = transport::target_by(guid, paths.ports_to(*node));
    if (!target) continue;
    const auto ports = found.fabric->ports(*node);
    for (std::size_t p = 1; p < ports.size(); ++p)
      if (ports[p].known && ports[p].state == PortState::down)
        blocks.push_back({*target, mad::AttrId::port_info, mad::port_info_modifier(static_cast<PortNum>(p))});
  }
  mad::Shadow now;
  const std::span<const discovery::BlockToRead> all(blocks);
  co_await discovery::read_back(*around_.client, now, all);
  for (const discovery::BlockToRead& block : blocks) {
    const mad::AttrData* held = now.find(block.target.node, block.attribute, block.modifier);
    if (held != nullptr && mad::decode<mad::PortInfo>(*held).state >= PortState::init)
      restless.push_back(
          fmt::format("{} port {} came up", to_string(block.target.node), block.modifier & 0xff));
  }
}

/// The Fabric as it is after programming: port states and LIDs as the devices confirmed them.
void Sweeper::publish(const discovery::Discovered& found, const plan::Planned& planned) {
  std::vector<std::pair<fabric::PortRef, fabric::Port>> changed;
  for (std::size_t n = 0; n < found.fabric->node_count(); ++n) {
    const auto node = static_cast<NodeId>(n);
    const auto ports = found.fabric->ports(node);
    const mad::DeviceBlocks* device = shadow_.find_device(found.fabric->node(node).guid);
    if (device == nullptr) continue;
    for (std::size_t p = 0; p < ports.size(); ++p) {
      const auto held =
          mad::held<mad::PortInfo>(*device, mad::AttrId::port_info, static_cast<std::uint32_t>(p));
      if (!held || !ports[p].known) continue;
      fabric::Port port = ports[p];
      port.state = held->state;
      port.phys = held->phys;
      port.lid = held->lid;
      port.lmc = held->lmc;
      port.sm_lid = held->sm_lid;
      port.neighbor_mtu = held->neighbor_mtu;
      port.operational_vls = held->operational_vls;
      if (!(port == ports[p])) changed.emplace_back(fabric::PortRef{node, static_cast<PortNum>(p)}, port);
    }
  }
  auto view = std::make_shared<plan::View>();
  view->generation = ++generation_;
  view->fabric =
      changed.empty() ? found.fabric : std::make_shared<const fabric::Fabric>(found.fabric->with(changed));
  view->plan = planned.plan;
  view->ledger = planned.ledger;
  view->sm_port = found.own_port;
  std::vector<fabric::Difference> changes;
  if (view_) {
    changes = fabric::compare(*view_->fabric, *view->fabric);
    tell_differences(changes);
    if (!whole_) changes.clear();
    if (whole_ && whole_ != view_->fabric) changes = fabric::compare(*whole_, *view->fabric);
  } else {
    event(Severity::info, "fabric_up", fabric::to_string(fabric::summarize(*view->fabric)));
  }
  auto known = std::make_shared<discovery::Discovered>(found);
  known->fabric = view->fabric;
  known_ = std::move(known);
  view_ = std::move(view);
  last_seen_ = view_->fabric;
  note_missing(changes);
}

/// End ports that told of a change since the last look.
std::vector<fabric::PortRef> Sweeper::asked_ports() {
  std::vector<fabric::PortRef> ports;
  for (const Guid guid : std::exchange(asked_, {}))
    if (const auto port = known_->fabric->find_port(guid)) ports.push_back(*port);
  return ports;
}

asio::awaitable<SweepReport> Sweeper::light(std::string cause, Seen& seen,
                                            std::optional<std::vector<Guid>> only) {
  SweepReport report = begin(SweepKind::light, std::move(cause));
  discovery::LightSweep look;
  {
    const Phase phase(*this, report, "discovery");
    std::vector<fabric::PortRef> asked = asked_ports();
    look =
        co_await discovery::light_sweep(*around_.client, shadow_, known_, std::move(asked), std::move(only));
  }
  seen = {};
  if (cut_short()) look = {};
  for (const std::string& change : look.changes) {
    if (report.notes.size() < 20) report.notes.push_back(change);
    if (seen.what.empty()) seen.what = change;
  }
  if (look.changes.size() > 1) seen.what += fmt::format("; and {} more", look.changes.size() - 1);
  if (look.changes.size() == look.restless.size()) seen.places = look.restless;
  if (!cut_short()) follow_managers(look.managers);
  if (!cut_short()) learn_told(look.told);
  for (const discovery::Manager& manager : look.managers)
    if (around_.election->wants_look(manager.info)) {
      seen.places.clear();
      seen.what = describe_manager(manager, known_->fabric.get());
    }
  report.clean = look.changes.empty() && dirty_.empty() && unreadable_ == 0;
  finish(report);
  co_return report;
}

}  // namespace weft::daemon
