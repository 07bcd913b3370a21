#include "daemon/advice.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/words.h"

namespace weft::daemon {
namespace {

using fabric::PortRef;

class Adviser {
 public:
  Adviser(const Status& status, const plan::View* view) : status_(status), view_(view) {}

  std::vector<Advice> all() && {
    of_daemon();
    if (view_ != nullptr && view_->plan) of_routing(view_->plan->routing, view_->plan->partitions.refused);
    of_problems();
    of_missing();
    of_dirty();
    if (view_ != nullptr && view_->fabric) of_links(*view_->fabric);
    for (const std::string& text : status_.unmatched)
      say(Severity::info, text,
          "Correct the name in the configuration, or leave it while the device is away:",
          "weftctl config show");
    std::vector<Advice> sorted;  // each kind in its order
    for (const Severity severity : {Severity::error, Severity::warning, Severity::info})
      std::ranges::copy_if(list_, std::back_inserter(sorted),
                           [severity](const Advice& one) { return one.severity == severity; });
    return sorted;
  }

 private:
  void say(Severity severity, std::string text, std::string todo, std::string command = {}, Guid node = {}) {
    list_.push_back({severity, std::move(text), std::move(todo), std::move(command), node});
  }

  void of_state() {
    switch (status_.state) {
      case State::master:
      case State::stopping:
        return;
      case State::standby:
        return say(Severity::info, "this manager is standby",
                   "Another one is master. To let this one take over, there:", "weftctl hand-over");
      case State::disabled:
        return say(Severity::error, "this manager is disabled by a master's order",
                   "That master alone can take it back; or restart this one:", "systemctl restart weftd");
      case State::waiting_for_device:
        return say(Severity::error, "there is no usable port",
                   status_.text.empty() ? "weftd goes on by itself as soon as one is there." : status_.text);
      case State::discovering:
        return say(Severity::info, "the first sweep has not ended yet",
                   "It goes on by itself:", "weftctl status");
      case State::failed:
        return say(Severity::error, "the fabric could not be brought up",
                   "It is tried again by itself; why:", "weftctl explain sweep");
    }
  }

  void of_daemon() {
    of_state();
    if (status_.last_sweep && !status_.last_sweep->error.empty())
      say(Severity::error,
          fmt::format("sweep {} ended early: {}", status_.last_sweep->number, status_.last_sweep->error),
          "It is tried again by itself; what it did:", "weftctl explain sweep");
    if (!status_.store.empty() && status_.store != "ok")
      say(Severity::error, fmt::format("state file: {}", status_.store),
          "LIDs and registrations are not kept over a restart until this is mended:", "journalctl -u weftd");
    using Shared = SharedStatus::State;
    if (status_.shared.state == Shared::unreachable || status_.shared.state == Shared::not_replicated)
      say(Severity::warning, fmt::format("shared state: {}", sentence_of(status_.shared)),
          "Mend etcd: a take-over by another manager would lose what etcd has not got.");
  }

  void of_routing(const routing::ChainResult& chain, bool partitions_refused) {
    if (partitions_refused)
      say(Severity::error, "the partitions of the configuration are not in force",
          "The last good ones stay. Mend what the problems name, then:", "systemctl reload weftd");
    const std::string& engine = chain.routes.engine;
    if (chain.report.lost > 0)
      say(Severity::error,
          fmt::format("{} of ports do not reach each other", counted(chain.report.lost, "pair")),
          chain.kept_last ? "No engine gave safe tables, and routing.on_failure keeps the last ones:"
                          : "The fabric is in parts: look for what is missing.",
          chain.kept_last ? "weftctl explain engine" : "");
    for (const routing::Refusal& one : chain.refusals)
      say(Severity::warning, fmt::format("routing engine {} refused: {}", one.engine, one.reason),
          fmt::format("{} is in use instead. Mend the cabling, or name another engine:", engine),
          "weftctl explain engine");
  }

  void of_problems() {
    each(status_.problems, Severity::error, [this](const Problem& one) {
      const bool told = !one.todo.empty() || !one.command.empty();
      const bool of_node = one.node != Guid{};
      return Advice{one.severity, of_node ? with_node(one) : one.what,
                    told      ? one.todo
                    : of_node ? "It is looked at again at every sweep; to do that now:"
                              : "It is looked at again at every sweep.",
                    told      ? one.command
                    : of_node ? "weftctl sweep"
                              : "",
                    one.node};
    });
  }

  std::string named(Guid node) const {
    const auto id = view_ != nullptr && view_->fabric ? view_->fabric->find(node) : std::nullopt;
    return id ? fabric::describe(view_->fabric->node(*id)) : to_string(node);
  }
  std::string with_node(const Problem& one) const {
    if (one.what.find(to_string(one.node)) != std::string::npos) return one.what;
    return fmt::format("{}: {}", named(one.node), one.what);
  }

  void of_missing() {
    each(status_.missing, Severity::error, [](const std::string& text) {
      return Advice{Severity::error,
                    text,
                    text.starts_with("link")
                        ? "Check the cable and both its plugs. If it was taken out for good:"
                        : "Check its power and cables. If it was taken out for good:",
                    "weftctl accept",
                    {}};
    });
  }

  void of_dirty() {
    each(status_.dirty, Severity::warning, [this](const Dirty& block) {
      return Advice{Severity::warning,
                    fmt::format("{}: {} not written: {}", named(block.node), block.what, block.why),
                    "It is sent again at the next sweep; to do that now:", "weftctl sweep", block.node};
    });
  }

  template <typename Items, typename ToAdvice>
  void each(const Items& items, Severity severity, ToAdvice to_advice) {
    const std::size_t shown = std::min(items.size(), kAdviceOfAKind);
    for (std::size_t i = 0; i < shown; ++i) list_.push_back(to_advice(items[i]));
    if (items.size() > shown)
      say(severity, fmt::format("and {} more like the {} before", items.size() - shown, shown),
          "All of them:", "weftctl --json status");
  }

  /// Links that are there and have not come up; those that are missing are told by name.
  void of_links(const fabric::Fabric& fabric) {
    constexpr std::size_t kNamed = 3;
    std::size_t count = 0;
    std::string named;
    Guid first{};
    for (std::uint32_t n = 0; n < fabric.node_count(); ++n) {
      const auto id = static_cast<NodeId>(n);
      const auto ports = fabric.ports(id);
      for (std::size_t p = 1; p < ports.size(); ++p) {
        const PortRef here{id, static_cast<PortNum>(p)};
        if (!ports[p].peer || *ports[p].peer < here) continue;
        const PortState state = std::min(ports[p].state, fabric.port(*ports[p].peer).state);
        if (state == PortState::active || state == PortState::down) continue;
        if (count == 0) first = fabric.node(id).guid;
        if (++count <= kNamed)
          named += fmt::format("{}link {} to {}", count == 1 ? "" : ", ", fabric::describe(fabric, here),
                               fabric::describe(fabric, *ports[p].peer));
      }
    }
    if (count == 0) return;
    const std::string more = count > kNamed ? fmt::format(" and {} more", count - kNamed) : "";
    say(status_.state == State::master ? Severity::error : Severity::info,
        fmt::format("{} not active: {}{}", count == 1 ? "a link is" : counted(count, "link") + " are", named,
                    more),
        "They come up with the next sweep, or it says why not:", "weftctl sweep", first);
  }

  const Status& status_;
  const plan::View* view_;
  std::vector<Advice> list_;
};

}  // namespace

std::vector<Advice> advice_of(const Status& status, const plan::View* view) {
  return Adviser(status, view).all();
}

}  // namespace weft::daemon
