// Packets and answers: late, lost, doubled, out of order, refused, forged; traps without end.
#include <algorithm>
#include <array>

#include "base/units.h"
#include "base/words.h"
#include "sim/faults/verbs.h"
#include "sim/notices.h"

namespace weft::sim {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

Action make_delay(Reading& in) {
  const Nodes nodes = in.nodes();
  const Duration by = in.duration("by", milliseconds(1));
  return [=](Faults& faults) {
    Conditions& conditions = faults.network().conditions();
    for (const NodeIndex n : nodes.chosen(faults.world().random())) {
      const AgentCondition* held = conditions.agent(n);
      AgentCondition changed = held == nullptr ? AgentCondition{} : *held;
      changed.delay = by;
      conditions.set_agent(n, changed);
    }
  };
}

Action make_lose(Reading& in) {
  constexpr std::array<std::string_view, 3> kWhat = {"any", "request", "answer"};
  const Nodes nodes = in.nodes();
  const double rate = in.rate("rate", 1);
  const std::size_t what = in.word("what", kWhat, 0);
  return [=](Faults& faults) {
    Conditions& conditions = faults.network().conditions();
    for (const NodeIndex n : nodes.chosen(faults.world().random())) {
      const AgentCondition* held = conditions.agent(n);
      AgentCondition changed = held == nullptr ? AgentCondition{} : *held;
      if (what != 2) changed.request_loss = rate;
      if (what != 1) changed.answer_loss = rate;
      conditions.set_agent(n, changed);
    }
  };
}

Action make_link(Reading& in) {
  const Ports cables = in.cables();
  const LinkCondition condition{in.duration("delay"), in.rate("loss", 0)};
  return [=](Faults& faults) {
    for (const PortIndex p : cables.chosen(faults.world().random()))
      faults.network().conditions().set_link(faults.world(), p, condition);
  };
}

Action make_everywhere(Reading& in) {
  const double loss = in.rate("loss", 0);
  const double exchanges = in.rate("exchange-loss", 0);
  const double duplicates = in.rate("duplicates", 0);
  const double reordered = in.rate("reordered", 0);
  const Duration by = in.duration("by", microseconds(100));
  return [=](Faults& faults) {
    NetworkSettings& settings = faults.network().settings();
    settings.link_loss = loss;
    settings.exchange_loss = exchanges;
    settings.duplicates = duplicates;
    settings.reordered = reordered;
    settings.reorder_by = by;
  };
}

Action make_refuse(Reading& in) {
  const Nodes nodes = in.nodes();
  Refusal refusal;
  if (const auto attribute = in.attribute("attribute"))
    refusal.attribute = *attribute;
  else
    in.wrong(Errc::invalid, "attribute is missing");
  refusal.method = in.method("method", mad::Method::set);
  refusal.status = static_cast<mad::Status>(in.number("status", raw(mad::Status::bad_value), 0x7fff));
  if (in.given("times")) refusal.times = in.count("times", 1, 1'000'000);
  return [=](Faults& faults) {
    for (const NodeIndex n : nodes.chosen(faults.world().random()))
      faults.network().conditions().refuse(n, refusal);
  };
}

Action make_forge(Reading& in) {
  const Nodes nodes = in.nodes();
  const std::optional<mad::AttrId> attribute = in.attribute("attribute");
  const std::string field = in.text("field");
  if (!attribute) {
    in.wrong(Errc::invalid, "attribute is missing");
    return {};
  }
  const std::optional<std::uint64_t> largest = largest_value(*attribute, field);
  const std::uint64_t value = in.number("value", 0, largest.value_or(~std::uint64_t{0}));
  if (!largest) {
    const std::vector<std::string> names = field_names(*attribute);
    const std::string_view near = nearest(field, names);
    in.wrong(Errc::invalid,
             fmt::format("{} has no field {}{}", name(*attribute), in_quotes(field),
                         near.empty() ? std::string() : fmt::format(" (did you mean {}?)", near)));
  }
  return [=](Faults& faults) {
    for (const NodeIndex n : nodes.chosen(faults.world().random()))
      faults.world().forge(
          n, *attribute, [=](mad::Smp& answer) { return set_field(*attribute, answer.data, field, value); });
  };
}

Action make_heal(Reading& in) {
  const Nodes nodes = in.nodes();
  return [=](Faults& faults) {
    World& world = faults.world();
    Conditions& conditions = faults.network().conditions();
    for (const NodeIndex n : nodes.all) {
      conditions.set_agent(n, {});
      conditions.end_refusals(n);
      world.end_forging(n);
      world.set_mute(n, Mute::none);
      for (unsigned number = 1; number <= world.node(n).port_count; ++number)
        conditions.set_link(world, world.port_of(n, static_cast<PortNum>(number)), {});
    }
  };
}

/// The notice that a node would send of this trap, about `port`; its details name nobody else.
mad::Notice notice_about(const World& world, mad::TrapNumber trap, PortIndex port) {
  const KeyViolation nobody{
      .from = world.port(port).info.lid, .to = world.port(port).info.lid, .key = 0x7fff};
  switch (trap) {
    case mad::TrapNumber::capability_changed:
      return change_notice(world, port);
    case mad::TrapNumber::system_guid_changed:
      return system_guid_notice(world, port);
    case mad::TrapNumber::bad_m_key:
      return bad_m_key_notice(world, port, mad::Smp{}, nobody.from, {});
    case mad::TrapNumber::bad_pkey:
    case mad::TrapNumber::bad_qkey:
      return bad_key_notice(world, port, trap, nobody);
    case mad::TrapNumber::bad_pkey_at_switch:
      return bad_pkey_at_switch_notice(world, port, nobody);
    default:
      return port_error_notice(world, port, trap);
  }
}

constexpr std::array kTraps = {
    mad::TrapNumber::link_state_changed, mad::TrapNumber::link_integrity,
    mad::TrapNumber::buffer_overrun,     mad::TrapNumber::flow_control_watchdog,
    mad::TrapNumber::capability_changed, mad::TrapNumber::system_guid_changed,
    mad::TrapNumber::bad_m_key,          mad::TrapNumber::bad_pkey,
    mad::TrapNumber::bad_qkey,           mad::TrapNumber::bad_pkey_at_switch,
};
bool by_switches_only(mad::TrapNumber trap) {
  return trap == mad::TrapNumber::link_state_changed || trap == mad::TrapNumber::bad_pkey_at_switch;
}

mad::TrapNumber read_trap(Reading& in) {
  const auto number = in.number("trap", raw(mad::TrapNumber::link_state_changed), 0xffff);
  const auto trap = static_cast<mad::TrapNumber>(number);
  if (!std::ranges::count(kTraps, trap))
    in.wrong(Errc::invalid,
             fmt::format("devices send traps 128 to 131, 144, 145 and 256 to 259, not {}", number));
  return trap;
}

/// Link changes are merged and repressed as real ones are; the others come whatever anybody says.
void storm_once(Network& network, NodeIndex n, mad::TrapNumber trap) {
  if (trap == mad::TrapNumber::link_state_changed) return network.traps().link_changed(n);
  const World& world = network.world();
  const PortIndex about = world.port_of(n, PortNum{1});
  if (about == kNoPort) return;
  network.traps().storm(notifier(world, about), notice_about(world, trap, about), 1, {});
}

Action make_storm(Reading& in) {
  const Nodes nodes = in.nodes();
  const mad::TrapNumber trap = read_trap(in);
  const auto times = in.count("times", 1000, 10'000'000);
  const Duration every = in.duration("every", milliseconds(1));
  if (every <= Duration{}) in.wrong(Errc::invalid, "every takes a time above 0");
  for (const NodeIndex n : nodes.all)
    if (by_switches_only(trap) && !in.world().is_switch(n))
      in.wrong(Errc::invalid, fmt::format("only switches send trap {}", raw(trap)));
  return [=](Faults& faults) {
    const std::vector<NodeIndex> chosen = nodes.chosen(faults.world().random());
    faults.at({.period = every, .times = times}, [chosen, trap](Faults& each) {
      for (const NodeIndex n : chosen) storm_once(each.network(), n, trap);
    });
  };
}

constexpr std::array kPacketVerbs = {
    Verb{"delay", "NODES [pick=N|N%] by=TIME", "its agents are so slow; 0s ends it", make_delay},
    Verb{"lose", "NODES [pick=] [rate=100%] [what=any|request|answer]",
         "loses what its agents are asked, or answer", make_lose},
    Verb{"link", "CABLES [pick=] [delay=TIME] [loss=SHARE]",
         "slow or lossy cables; without arguments good again", make_link},
    Verb{"everywhere", "[loss=SHARE] [exchange-loss=] [duplicates=] [reordered=] [by=100us]",
         "the whole fabric; what is not named is off", make_everywhere},
    Verb{"refuse", "NODES attribute=NAME [method=Set] [status=0x1c] [times=N]", "refuses such requests",
         make_refuse},
    Verb{"forge", "NODES attribute=NAME field=NAME value=N", "lies about one field", make_forge},
    Verb{"heal", "NODES", "ends delay, loss, refusals, forging and silence of nodes and their cables",
         make_heal},
    Verb{"storm", "NODES [pick=] [trap=128] [times=1000] [every=1ms]",
         "traps without a cause: 128 to 131, 144, 145, 256 to 259", make_storm},
};

}  // namespace

std::span<const Verb> packet_verbs() { return kPacketVerbs; }

}  // namespace weft::sim
