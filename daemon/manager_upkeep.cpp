// The Manager and the state of links: which ones are bad, and what is asked of links and switches.

#include <algorithm>

#include "base/words.h"
#include "daemon/manager.h"

namespace weft::daemon {
namespace {

/// Ports that others have disabled: so many are problems of their own.
constexpr std::size_t kToldOfOthers = 20;

}  // namespace

Upkeep::Surroundings Manager::upkeep_surroundings() {
  Upkeep::Surroundings around;
  around.clock = parts_.clock;
  around.now = [] {
    return std::chrono::duration_cast<std::chrono::seconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  };
  around.changed = [this](std::shared_ptr<const plan::Orders> orders, std::string cause) {
    sweeper_.set_orders(std::move(orders), cause.empty());
    if (!cause.empty()) causes_.add({SweepKind::full, std::move(cause)});
  };
  around.tell = [this](std::string kind, std::string text) { tell(std::move(kind), std::move(text)); };
  return around;
}

/// After a sweep: links that were down meanwhile, and orders that are carried out.
void Manager::watch_links() {
  const std::vector<LinkEnds> dropped = sweeper_.take_dropped();
  const auto view = sweeper_.view();
  if (!view || !election_.is_master()) return;
  for (const LinkEnds& link : dropped) judge(link, LinkHealth::Sign::down, 1);
  upkeep_.follow(*view);
  disabled_by_others_ = disabled_by_others(*view, upkeep_.orders());
}

/// Traps 129 to 131: a port has trouble with its link.
void Manager::note_errors(const mad::Notice& notice) {
  const auto view = sweeper_.view();
  const auto end = view ? plan::end_port_of(*view, mad::subject_of(notice)) : std::nullopt;
  if (!end || raw(mad::port_of_subject(notice)) > view->fabric->node(end->node).port_count) return;
  const fabric::PortRef port{end->node, mad::port_of_subject(notice)};
  const auto& peer = view->fabric->port(port).peer;
  if (!peer) return;
  const auto place = [&](fabric::PortRef one) {
    return plan::Place{view->fabric->node(one.node).guid, one.port};
  };
  judge(link_ends(place(port), place(*peer)), LinkHealth::Sign::error, 1);
}

void Manager::judge(const LinkEnds& link, LinkHealth::Sign sign, int times) {
  if (upkeep_.concerns(link)) return;  // it is closed, or about to open
  const auto why = health_.note(link, sign, parts_.clock->now(), times);
  const auto view = sweeper_.view();
  if (!why || !view) return;
  upkeep_.link_is_bad(*view, link, *why, settings_->link_health.hold, settings_->link_health.hosts);
}

Result<std::string> Manager::ask_upkeep(const UpkeepRequest& request) {
  if (!election_.is_master())
    return fail(Errc::conflict, "we are {}, not master: ask the manager that is",
                mad::name(election_.state()));
  const auto view = sweeper_.view();
  if (!view || !view->plan) return fail(Errc::unavailable, "the first sweep has not ended yet");
  return upkeep_.ask(*view, request);
}

std::vector<UpkeepRow> Manager::upkeep_rows() const {
  const auto view = sweeper_.view();
  if (!view || !view->plan) return {};
  const bool settled = !sweeping_ && last_full_ && last_full_->clean && sweeper_.dirty().empty() &&
                       sweeper_.orders_planned() && multicast_.settled();
  const auto trees = multicast_.plan();
  return upkeep_.rows(*view, settled, trees && trees->view == view ? trees->tables.get() : nullptr);
}

/// Orders, so that nobody forgets them, and bad links that are not held.
std::vector<Problem> Manager::upkeep_problems() const {
  std::vector<Problem> problems;
  for (const UpkeepRow& row : upkeep_rows()) {
    std::string text = fmt::format("{} is {}: {}", row.where, plan::name(row.order.kind), row.state);
    if (!row.order.why.empty()) text += fmt::format(" ({})", row.order.why);
    problems.push_back({row.place.node, std::move(text)});
  }
  const std::vector<std::pair<Guid, std::string>>& others = disabled_by_others_;
  for (std::size_t i = 0; i < std::min(others.size(), kToldOfOthers); ++i)
    problems.push_back(
        {others[i].first,
         others[i].second +
             " is disabled, and not by an order that this manager knows; `weftctl port enable` enables it"});
  if (others.size() > kToldOfOthers)
    problems.push_back(
        {{}, fmt::format("{} more are disabled likewise", counted(others.size() - kToldOfOthers, "port"))});
  return problems;
}

}  // namespace weft::daemon
