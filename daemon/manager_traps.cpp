// The Manager and what devices tell by themselves: which trap makes it look where, and how much of it.

#include "base/words.h"
#include "daemon/log.h"
#include "daemon/manager.h"

namespace weft::daemon {
namespace {

using mad::TrapNumber;

/// Storms of one minute that are events of their own; one more says how many follow.
constexpr std::size_t kStormsTold = 20;

/// Of trap 144: NodeDescription has changed. Source, of these three: IBTA vol. 1, 14.2.5.1, table of trap
/// 144; offsets count from the Notice, and DataDetails begin at byte 10.
constexpr std::uint16_t kDescription = 0x01;

/// What has changed beside CapabilityMask, a bit each (bytes 20, 21); valid with OtherLocalChanges (byte 15).
std::uint16_t local_changes(const mad::Notice& notice) {
  if ((notice.details[15 - 10] & 1) == 0) return 0;
  return static_cast<std::uint16_t>(get_bits(notice.details, (20 - 10) * 8, 16));
}

std::uint32_t capabilities_told(const mad::Notice& notice) {
  return static_cast<std::uint32_t>(get_bits(notice.details, (16 - 10) * 8, 32));
}

std::string_view meaning(TrapNumber trap) {
  switch (trap) {
    case TrapNumber::link_state_changed:
      return "a port changed state";
    case TrapNumber::link_integrity:
      return "link integrity errors";
    case TrapNumber::buffer_overrun:
      return "buffer overruns";
    case TrapNumber::flow_control_watchdog:
      return "flow control updates do not come";
    case TrapNumber::capability_changed:
      return "capabilities changed";
    case TrapNumber::system_guid_changed:
      return "system image GUID changed";
    case TrapNumber::bad_m_key:
      return "wrong M_Key";
    case TrapNumber::bad_pkey:
    case TrapNumber::bad_pkey_at_switch:
      return "wrong P_Key";
    case TrapNumber::bad_qkey:
      return "wrong Q_Key";
    default:
      return "of a meaning that is not known here";
  }
}

}  // namespace

/// "0x... (leaf-3)", or the LID alone.
std::string Manager::who_has(Lid lid) const {
  const auto view = sweeper_.view();
  const auto port = view && lid != kLidNone ? plan::end_port_of(*view, lid) : std::nullopt;
  if (port) return fabric::describe(view->fabric->node(port->node));
  return lid == kLidNone ? std::string("senders that are not known") : fmt::format("LID {}", raw(lid));
}

void Manager::on_trap(const mad::Notice& notice, Lid from) {
  const int number = raw(notice.trap);
  daemon_log().debug("trap number={} from={}", number, raw(from));
  sa_.forward(without_m_key(notice), from);
  if (notice.generic && notice.trap == TrapNumber::bad_m_key && election_.is_master())
    key_care_.violated(notice);
  const auto view = sweeper_.view();
  const auto source = view ? plan::end_port_of(*view, from) : std::nullopt;
  const Lid key = source ? from : kLidNone;
  if (notice.generic && raw(mad::port_of_subject(notice)) != 0) note_errors(notice);
  const bool state = notice.generic && notice.trap == TrapNumber::link_state_changed;
  const bool capabilities = notice.generic && notice.trap == TrapNumber::capability_changed;
  if (!state && !capabilities) return damper_.heard(key, notice.trap, {});
  std::string text =
      fmt::format("trap {} from {}", number, source ? who_has(from) : fmt::format("LID {}", raw(from)));
  const auto subject = view && state ? plan::end_port_of(*view, mad::subject_of(notice)) : std::nullopt;
  if (subject && view->fabric->is_switch(subject->node)) {
    const Guid place = view->fabric->node(subject->node).guid;
    return damper_.heard(key, notice.trap, [this, place, text = std::move(text)](bool brief) {
      look_at_switch(place, text, brief);
    });
  }
  if (capabilities && source) return on_local_change(notice, *source, key, std::move(text));
  damper_.heard(key, notice.trap, [this, key, trap = notice.trap, text = std::move(text)](bool) {
    causes_.add({SweepKind::light, text});
    damper_.was_so(key, trap);  // a look at all switches is no small one
  });
}

/// Briefly: it is asked whether PortStateChange is set, and its ports are read when it is.
void Manager::look_at_switch(Guid place, std::string why, bool brief) {
  causes_.add({brief ? SweepKind::light : SweepKind::local, std::move(why), {place}, {}, brief});
}

/// Trap 144. What is to be read is noted at once, so that no storm hides one change behind another.
void Manager::on_local_change(const mad::Notice& notice, fabric::PortRef source, Lid key, std::string text) {
  const fabric::Fabric& fabric = *sweeper_.view()->fabric;
  const std::uint16_t changes = local_changes(notice);
  const bool named = (changes & kDescription) != 0;
  const bool same_mask = capabilities_told(notice) == fabric.port(source).capabilities;
  const bool more = changes != kDescription || !same_mask;
  if (named && election_.is_master()) renamed_.insert(fabric.node(source.node).guid);
  if (more) sweeper_.ask_port(fabric.port(source).guid);
  damper_.heard(key, notice.trap, [this, text = std::move(text)](bool) {
    if (sweeper_.is_port_asked()) look_at_end_port(text);
    if (!renamed_.empty()) look_at_names(text);
  });
}

void Manager::look_at_end_port(std::string why) {
  causes_.add({SweepKind::light, std::move(why), {}, {}, true});
}

/// At once, and then once an interval: hosts that boot together are given their names together.
void Manager::look_at_names(std::string why) {
  if (names_timer_ != Clock::TimerId::none) return;
  const Instant now = parts_.clock->now();
  const Instant when = std::max(now, names_due_);
  names_due_ = when + settings_->traps.interval;
  Cause cause{.kind = SweepKind::light, .text = std::move(why), .names = true, .only_names = true};
  if (when == now) return causes_.add(std::move(cause));
  names_timer_ = parts_.clock->at(when, [this, cause = std::move(cause)] {
    names_timer_ = Clock::TimerId::none;
    causes_.add(cause);
  });
}

/// Who is silent is asked again with the next look at all.
asio::awaitable<SweepReport> Manager::read_names(std::string cause) {
  const std::set<Guid> told = std::exchange(renamed_, {});
  std::vector<Guid> nodes(told.begin(), told.end());
  std::vector<Guid> silent;
  SweepReport report = co_await sweeper_.names(std::move(cause), std::move(nodes), silent);
  renamed_.insert(silent.begin(), silent.end());
  if (!report.error.empty()) renamed_.insert(told.begin(), told.end());
  co_return report;
}

/// Where a local sweep was made for a change.
void Manager::note_places(const SweepReport& report, std::span<const Guid> places) {
  const auto view = sweeper_.view();
  if (!view || report.unchanged) return;
  for (const Guid place : places)
    if (const auto node = view->fabric->find(place))
      damper_.was_so(view->fabric->port({*node, PortNum{0}}).lid, TrapNumber::link_state_changed);
}

void Manager::tell_storms(const std::vector<TrapDamper::Storm>& storms) {
  std::uint64_t others = 0;
  for (std::size_t i = 0; i < storms.size(); ++i) {
    const TrapDamper::Storm& one = storms[i];
    if (i >= kStormsTold) {
      others += one.traps;
      continue;
    }
    tell("trap_storm",
         fmt::format("{} sent {} traps {} ({}) in the last minute; it is looked at briefly until "
                     "that ends",
                     who_has(one.source), one.traps, raw(one.trap), meaning(one.trap)));
  }
  if (others > 0)
    tell("trap_storm", fmt::format("{} more sent {} in the last minute",
                                   counted(storms.size() - kStormsTold, "source"), counted(others, "trap")));
}

}  // namespace weft::daemon
