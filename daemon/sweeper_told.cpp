// The Sweeper and what devices tell of themselves while the fabric stands as it is: other names, other
// capabilities. Neither costs a look at anybody else, nor a route.

#include "daemon/log.h"
#include "daemon/sweeper.h"
#include "discovery/told.h"
#include "mad/port_info.h"
#include "plan/renamed.h"

namespace weft::daemon {
namespace {

/// The same, and nothing of what only the look it came from has seen.
std::shared_ptr<discovery::Discovered> copied(const discovery::Discovered& known) {
  auto copy = std::make_shared<discovery::Discovered>(known);
  copy->booted.clear();
  copy->state_changed.clear();
  return copy;
}

}  // namespace

/// A View of the same plan on a Fabric that differs in what no plan is made of.
void Sweeper::publish_as_planned(const discovery::Discovered& found) {
  plan::Planned as_it_is{view_->plan, ledger_};
  found_served_.clear();  // told with the View of the sweep that found them
  found_strangers_.clear();
  publish(found, as_it_is);
}

asio::awaitable<SweepReport> Sweeper::names(std::string cause, std::vector<Guid> nodes,
                                            std::vector<Guid>& silent) {
  SweepReport report = begin(SweepKind::light, std::move(cause));
  std::erase_if(nodes, [this](Guid node) { return settings_->plan.names.contains(node); });
  const auto known = known_;
  discovery::Descriptions told =
      co_await discovery::read_descriptions(*around_.client, known, std::move(nodes));
  report.phases.push_back(
      {"descriptions", around_.clock->now() - began_, around_.client->sent() - sent_before_});
  report.clean = dirty_.empty() && unreadable_ == 0;
  // Settings that are not in force yet, since nothing could be planned with them, come with a full sweep.
  const bool rename_now = !cut_short() && !told.changed.empty() && published_with_ == settings_;
  if (rename_now) co_await rename(std::move(told.changed), report);
  silent = std::move(told.silent);
  if (cut_short()) report.error = why_cut_short();
  finish(report);
  co_return report;
}

/// Who is meant by name may be somebody else now: keys and levels follow, and where routing is told of
/// switches by name, all of the plan.
asio::awaitable<void> Sweeper::rename(std::vector<std::pair<NodeId, std::string>> told, SweepReport& report) {
  const auto found = copied(*known_);
  planned_with_ = published_with_;
  auto compute = [known = known_, told, settings = published_with_, ledger = ledger_, before = view_->plan,
                  keys = found_keys_] {
    auto now = std::make_shared<const fabric::Fabric>(discovery::renamed(*known->fabric, told));
    auto planned = plan::plan_renamed(*now, settings->plan, ledger, known->own_port, *before);
    if (planned && *planned && keys) **planned = plan::checking_as_found(*now, std::move(**planned), *keys);
    return std::pair(std::move(now), std::move(planned));
  };
  auto [now, planned] = co_await compute_on(*around_.workers, std::move(compute));
  if (cut_short()) co_return;
  found->fabric = std::move(now);
  if (!planned) {
    report.error = planned.error().what;
    report.clean = false;
    event(Severity::error, "plan_failed", report.error);
    co_return;
  }
  if (!*planned) {
    publish_as_planned(*found);
    co_return;
  }
  const bool well_known = well_known_;
  report.kind = SweepKind::local;
  co_await put_in_force(*found, **planned, report);
  well_known_ = well_known && report.clean && !cut_short();
}

/// What end ports that told of a change say of themselves now. Whose state or LID is another one is looked at
/// by the sweep that follows.
void Sweeper::learn_told(const std::vector<discovery::LightSweep::Told>& told) {
  std::vector<std::pair<fabric::PortRef, fabric::Port>> changed;
  for (const discovery::LightSweep::Told& one : told) {
    const fabric::Node& node = known_->fabric->node(one.port.node);
    const mad::AttrData* held = shadow_.find(node.guid, mad::AttrId::port_info, raw(one.port.port));
    if (held == nullptr) continue;
    const auto before = mad::decode<mad::PortInfo>(*held);
    const auto now = mad::decode<mad::PortInfo>(one.data);
    if (before.state != now.state || before.lid != now.lid || before.sm_lid != now.sm_lid) continue;
    shadow_.set(node.guid, mad::AttrId::port_info, raw(one.port.port), one.data);
    fabric::Port port = known_->fabric->port(one.port);
    if (port.capabilities == now.capabilities) continue;
    event(Severity::info, "capabilities_changed",
          fmt::format("{}: CapabilityMask is 0x{:08x}, and was 0x{:08x}",
                      fabric::describe(*known_->fabric, one.port), now.capabilities, port.capabilities),
          node.guid, one.port.port);
    port.capabilities = now.capabilities;
    changed.emplace_back(one.port, port);
  }
  if (changed.empty()) return;
  const auto found = copied(*known_);
  found->fabric = std::make_shared<const fabric::Fabric>(known_->fabric->with(changed));
  publish_as_planned(*found);
}

}  // namespace weft::daemon
