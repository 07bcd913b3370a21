// The Manager and the state of links: which ones are bad, and what is asked of links and switches.

#include <algorithm>

#include <fmt/ranges.h>

#include "base/words.h"
#include "daemon/api_json.h"
#include "daemon/manager.h"
#include "fabric/slow_link.h"

namespace weft::daemon {
namespace {

/// Ports and links of one kind: so many are problems of their own.
constexpr std::size_t kLinksTold = 20;

}  // namespace

Upkeep::Surroundings Manager::upkeep_surroundings() {
  Upkeep::Surroundings around;
  around.clock = parts_.clock;
  around.now = parts_.seconds;
  around.changed = [this](std::shared_ptr<const plan::Orders> orders, std::string cause) {
    sweeper_.set_orders(std::move(orders), cause.empty());
    if (!cause.empty()) causes_.add({SweepKind::full, std::move(cause)});
  };
  around.tell = [this](std::string kind, std::string text) { tell(std::move(kind), std::move(text)); };
  return around;
}

ExpectedCheck::Tell Manager::expected_tell() {
  return [this](Severity severity, std::string text, plan::Plug place) {
    Event event;
    event.severity = severity;
    event.kind = "not_as_expected";
    event.node = place.node;
    if (raw(place.port) != 0) event.port = place.port;
    event.text = std::move(text);
    parts_.events->add(std::move(event));
  };
}

/// After a sweep: links that were down meanwhile, and orders that are carried out.
void Manager::watch_links() {
  const std::vector<LinkEnds> dropped = sweeper_.take_dropped();
  const auto view = sweeper_.view();
  if (!view || !election_.is_master()) return expected_.follow(nullptr, nullptr);
  for (const LinkEnds& link : dropped) {
    counters_.saw_down(link);
    judge(link, LinkHealth::Sign::down, 1);
  }
  note_slow_links(*view);
  expected_.follow(view, settings_->expected);
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
  if (why) bad_link(link, *why, true);
}

void Manager::bad_link(const LinkEnds& link, const std::string& why, bool may_hold) {
  const auto view = sweeper_.view();
  if (!view || upkeep_.concerns(link)) return;
  const Duration time = may_hold ? settings_->link_health.hold : Duration{};
  upkeep_.link_is_bad(*view, link, why, time, settings_->link_health.hosts);
  if (upkeep_.concerns(link)) health_.forget(link);
}

CounterPoll::Surroundings Manager::counter_surroundings() {
  CounterPoll::Surroundings around;
  around.transport = parts_.transport;
  around.clock = parts_.clock;
  around.tasks = &background_;
  around.view = [this] { return election_.is_master() ? sweeper_.view() : nullptr; };
  around.went_down = [this](const LinkEnds& link, int times) { judge(link, LinkHealth::Sign::down, times); };
  around.too_many_errors = [this](const LinkEnds& link, plan::Place port, std::uint64_t errors) {
    bad_link(link,
             fmt::format("port {} of {} counted {} SymbolErrors in an hour", raw(port.port),
                         to_string(port.node), errors),
             settings_->link_health.hold_by_counters);
  };
  return around;
}

constexpr std::string_view kSlowTodo =
    "Reseat or change the cable; dirt and a lane that failed are the usual causes. All of them:";
constexpr std::string_view kSlowCommand = "weftctl links --below-best";

/// Links that run slower or narrower than both their ends can.
void Manager::note_slow_links(const plan::View& view) {
  slow_links_.clear();
  const fabric::Fabric& fabric = *view.fabric;
  std::size_t more = 0;
  for (std::size_t n = 0; n < fabric.node_count(); ++n) {
    const auto node = static_cast<NodeId>(n);
    for (std::size_t p = 1; p < fabric.ports(node).size(); ++p) {
      const fabric::PortRef port{node, static_cast<PortNum>(p)};
      const auto& peer = fabric.port(port).peer;
      if (!peer || *peer < port || !fabric.port(port).known || !fabric.port(*peer).known) continue;
      const std::vector<std::string> below = below_best(fabric, port);
      if (below.empty()) continue;
      if (slow_links_.size() >= kLinksTold) {
        ++more;
        continue;
      }
      slow_links_.push_back(
          {fabric.node(node).guid,
           fmt::format("link {} to {} is below what both its ends can: {}", fabric::describe(fabric, port),
                       fabric::describe(fabric, *peer), fmt::join(below, ", ")),
           std::string(kSlowTodo), std::string(kSlowCommand), Severity::warning});
    }
  }
  if (more > 0)
    slow_links_.push_back({{},
                           fmt::format("{} more run below what both ends can: `weftctl links --below-best`",
                                       counted(more, "link")),
                           std::string(kSlowTodo),
                           std::string(kSlowCommand),
                           Severity::warning});
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
  const auto view = sweeper_.view();
  for (const UpkeepRow& row : upkeep_rows()) {
    std::string text = fmt::format("{} is {}: {}", row.where, plan::name(row.order.kind), row.state);
    if (!row.order.why.empty()) text += fmt::format(" ({})", row.order.why);
    const bool drained = row.order.kind == plan::Order::Kind::drained;
    problems.push_back(
        {row.place.node, std::move(text),
         drained ? "Give it back when the work is done:" : "To enable it again:",
         fmt::format("weftctl {} {}", drained ? "undrain" : "port enable", place_word(*view, row.place)),
         drained ? Severity::info : Severity::warning});
  }
  const std::vector<std::pair<plan::Place, std::string>>& others = disabled_by_others_;
  for (std::size_t i = 0; i < std::min(others.size(), kLinksTold); ++i)
    problems.push_back(
        {others[i].first.node,
         others[i].second +
             " is disabled, and not by an order that this manager knows; `weftctl port enable` enables it",
         "Find out who disabled it. To enable it:",
         fmt::format("weftctl port enable {}",
                     view ? place_word(*view, others[i].first) : to_string(others[i].first.node)),
         Severity::warning});
  if (others.size() > kLinksTold)
    problems.push_back(
        {{},
         fmt::format("{} more are disabled likewise", counted(others.size() - kLinksTold, "port")),
         {},
         {},
         Severity::warning});
  if (view)
    for (const auto& [link, why] : health_.bad(parts_.clock->now()))
      if (!upkeep_.concerns(link))
        problems.push_back(
            {link.a.node,
             fmt::format("link {} to {} is bad: {}; it is not held", place_text(*view->fabric, link.a),
                         place_text(*view->fabric, link.b), why),
             "Reseat or change the cable; meanwhile:",
             fmt::format("weftctl port hold {}", place_word(*view, link.a))});
  for (const auto& [node, text] : counters_.problems())
    problems.push_back({node, text, "Reseat or change the cable; the counters:", "weftctl counters"});
  problems.insert(problems.end(), slow_links_.begin(), slow_links_.end());
  return problems;
}

}  // namespace weft::daemon
