// The Manager and what devices tell by themselves: which trap makes it look where, and how much of it.

#include "base/words.h"
#include "daemon/log.h"
#include "daemon/manager.h"

namespace weft::daemon {
namespace {

using mad::TrapNumber;

/// Storms of one minute that are events of their own; one more says how many follow.
constexpr std::size_t kStormsTold = 20;

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
  if (capabilities && source) {
    const Guid port = view->fabric->port(*source).guid;
    return damper_.heard(key, notice.trap,
                         [this, port, text = std::move(text)](bool) { look_at_end_port(port, text); });
  }
  damper_.heard(key, notice.trap, [this, key, trap = notice.trap, text = std::move(text)](bool) {
    causes_.add({SweepKind::light, text});
    damper_.was_so(key, trap);  // a look at all switches is no small one
  });
}

/// Briefly: it is asked whether PortStateChange is set, and its ports are read when it is.
void Manager::look_at_switch(Guid place, std::string why, bool brief) {
  causes_.add({brief ? SweepKind::light : SweepKind::local, std::move(why), {place}, {}, brief});
}

void Manager::look_at_end_port(Guid port, std::string why) {
  sweeper_.ask_port(port);
  causes_.add({SweepKind::light, std::move(why), {}, {}, true});
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
