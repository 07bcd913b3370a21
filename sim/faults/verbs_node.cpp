// Nodes: silent, without power, rebooted, exchanged, changed behind the manager's back.
#include <array>

#include "base/units.h"
#include "sim/faults/verbs.h"

namespace weft::sim {
namespace {

Action each_node(Reading& in, void (*act)(World&, NodeIndex)) {
  const Nodes nodes = in.nodes();
  return [=](Faults& faults) {
    for (const NodeIndex n : nodes.chosen(faults.world().random())) act(faults.world(), n);
  };
}

Action make_mute(Reading& in) {
  constexpr std::array<std::string_view, 2> kModes = {"agent", "smi"};
  const Nodes nodes = in.nodes();
  const Mute mode = in.word("mode", kModes, 0) == 0 ? Mute::agent : Mute::smi;
  const Duration away = in.duration("for");
  return [=](Faults& faults) {
    const std::vector<NodeIndex> chosen = nodes.chosen(faults.world().random());
    for (const NodeIndex n : chosen) faults.world().set_mute(n, mode);
    if (away == Duration{}) return;
    faults.at({.first = away}, [chosen](Faults& later) {
      for (const NodeIndex n : chosen) later.world().set_mute(n, Mute::none);
    });
  };
}

Action make_unmute(Reading& in) {
  return each_node(in, [](World& world, NodeIndex n) { world.set_mute(n, Mute::none); });
}
Action make_off(Reading& in) {
  return each_node(in, [](World& world, NodeIndex n) { world.power_off(n); });
}
Action make_on(Reading& in) {
  return each_node(in, [](World& world, NodeIndex n) { world.power_on(n); });
}

Action make_reboot(Reading& in) {
  const Nodes nodes = in.nodes();
  const Duration away = in.duration("away");
  return [=](Faults& faults) {
    for (const NodeIndex n : nodes.chosen(faults.world().random())) faults.world().reboot(n, away);
  };
}

Action make_rename(Reading& in) {
  const NodeIndex n = in.node({});
  const std::string to = in.text("to");
  if (to.size() > 63) in.wrong(Errc::invalid, "a NodeDescription has at most 63 bytes");
  return [=](Faults& faults) { faults.world().rename(n, to); };
}

Action make_guid(Reading& in) {
  const NodeIndex n = in.node({});
  const std::string text = in.text("to");
  const std::optional<Guid> guid = guid_from(text);
  if (!guid)
    in.wrong(Errc::invalid,
             fmt::format("to takes a GUID such as 0x0002c90300a1b2c3, not {}", in_quotes(text)));
  return [n, guid = guid.value_or(Guid{})](Faults& faults) { faults.world().set_guid(n, guid); };
}

Action make_swap(Reading& in) {
  const NodeIndex a = in.node({});
  const NodeIndex b = in.node("with");
  return [=](Faults& faults) { faults.world().swap_places(a, b); };
}

Action make_lid(Reading& in) {
  const PortIndex p = in.port({});
  const auto lid = static_cast<Lid>(in.number("to", 0, 0xffff));
  const auto lmc = static_cast<std::uint8_t>(in.number("lmc", 0, 7));
  if (raw(lid) + (1u << lmc) > 0x10000u) in.wrong(Errc::invalid, "the LIDs go beyond 0xffff");
  return [=](Faults& faults) {
    faults.world().set_lid(p, lid, lmc);
    faults.world().hint_change(p);
  };
}

Action make_clear_lids(Reading& in) {
  return each_node(in, [](World& world, NodeIndex n) {
    for (unsigned number = 0; number <= world.node(n).port_count; ++number)
      if (const PortIndex p = world.port_of(n, static_cast<PortNum>(number)); p != kNoPort) {
        world.set_lid(p, kLidNone);
        world.hint_change(p);
      }
  });
}

Action make_lower(Reading& in) {
  const Nodes nodes = in.nodes();
  const auto lft = static_cast<std::uint16_t>(in.number("lft", 0, 0xc000));
  const auto mft = static_cast<std::uint16_t>(in.number("mft", 0, 0x4000));
  const auto mtu = mtu_from_bytes(static_cast<int>(in.number("mtu", 4096, 4096)));
  const auto vls = in.number("vls", 15, 15);
  const bool mtu_given = in.given("mtu");
  const bool vls_given = in.given("vls");
  constexpr std::array<std::uint64_t, 5> kLanes = {1, 2, 4, 8, 15};
  const auto lanes = std::ranges::find(kLanes, vls);
  if (!mtu) in.wrong(Errc::invalid, "mtu takes 256, 512, 1024, 2048 or 4096");
  if (lanes == kLanes.end()) in.wrong(Errc::invalid, "vls takes 1, 2, 4, 8 or 15");
  const auto vl_code = static_cast<VlCount>(lanes - kLanes.begin() + 1);
  return [=](Faults& faults) {
    World& world = faults.world();
    for (const NodeIndex n : nodes.chosen(world.random())) {
      if (world.is_switch(n) && lft > 0) world.switch_of(n).info.lft_capacity = lft;
      if (world.is_switch(n) && mft > 0) world.switch_of(n).info.mft_capacity = mft;
      for (unsigned number = 1; number <= world.node(n).port_count; ++number)
        world.edit_port(world.port_of(n, static_cast<PortNum>(number)), [&](mad::PortInfo& info) {
          if (mtu_given) info.mtu_cap = *mtu;
          if (mtu_given) info.neighbor_mtu = std::min(info.neighbor_mtu, *mtu);
          if (vls_given) info.vl_cap = vl_code;
          if (vls_given) info.operational_vls = std::min(info.operational_vls, vl_code);
        });
    }
  };
}

Action make_lose_device(Reading& in) {
  const PortIndex p = in.port({});
  const Duration away = in.duration("away", std::chrono::seconds(1));
  return [=](Faults& faults) { faults.network().lose_device(p, away); };
}

constexpr std::array kNodeVerbs = {
    Verb{"mute", "NODES [pick=N|N%] [mode=agent|smi] [for=TIME]",
         "answers nothing; with smi passes no directed routes on either", make_mute},
    Verb{"unmute", "NODES", "answers again", make_unmute},
    Verb{"power-off", "NODES [pick=]", "every link down, no answer", make_off},
    Verb{"power-on", "NODES [pick=]", "back as a blank device", make_on},
    Verb{"reboot", "NODES [pick=] [away=TIME]", "off, and on again as a blank device", make_reboot},
    Verb{"rename", "NODE to=TEXT", "another NodeDescription", make_rename},
    Verb{"guid", "NODE to=GUID", "another node GUID, its port GUIDs with it; doubles are allowed", make_guid},
    Verb{"swap", "NODE with=NODE", "the two change places, cables and all", make_swap},
    Verb{"lid", "PORT to=LID [lmc=N]", "another LID behind the manager's back; PortStateChange hints at it",
         make_lid},
    Verb{"clear-lids", "NODES [pick=]", "the ports have no LID any more", make_clear_lids},
    Verb{"lower", "NODES [pick=] [lft=N] [mft=N] [mtu=BYTES] [vls=N]", "can do less than before", make_lower},
    Verb{"lose-device", "PORT [away=1s]", "takes the device from the programs attached to it",
         make_lose_device},
};

}  // namespace

std::span<const Verb> node_verbs() { return kNodeVerbs; }

}  // namespace weft::sim
