// Cables: cut, mended, flapping, moved.
#include <array>

#include "sim/faults/verbs.h"

namespace weft::sim {
namespace {

using std::chrono::milliseconds;

void cut(World& world, PortIndex p) { world.cut_link(world.port(p).node, world.port(p).number); }
void mend(World& world, PortIndex p) { world.mend_link(world.port(p).node, world.port(p).number); }

Action make_cut(Reading& in) {
  const Ports cables = in.cables();
  const Duration away = in.duration("for");
  return [=](Faults& faults) {
    const std::vector<PortIndex> chosen = cables.chosen(faults.world().random());
    for (const PortIndex p : chosen) cut(faults.world(), p);
    if (away == Duration{}) return;
    faults.at({.first = away}, [chosen](Faults& later) {
      for (const PortIndex p : chosen) mend(later.world(), p);
    });
  };
}

Action make_mend(Reading& in) {
  const Ports cables = in.cables();
  return [=](Faults& faults) {
    for (const PortIndex p : cables.chosen(faults.world().random())) mend(faults.world(), p);
  };
}

Action make_flap(Reading& in) {
  const Ports cables = in.cables();
  const Duration period = in.duration("period", milliseconds(100));
  const Duration down = in.duration("down", period / 2);
  const auto times = in.count("times", 10, 1'000'000);
  if (down >= period) in.wrong(Errc::invalid, "down must be shorter than period");
  return [=](Faults& faults) {
    const std::vector<PortIndex> chosen = cables.chosen(faults.world().random());
    faults.at({.period = period, .times = times}, [chosen, down](Faults& each) {
      for (const PortIndex p : chosen) cut(each.world(), p);
      each.at({.first = down}, [chosen](Faults& later) {
        for (const PortIndex p : chosen) mend(later.world(), p);
      });
    });
  };
}

Action make_move(Reading& in) {
  const PortIndex from = in.port({});
  const PortIndex to = in.port("to");
  if (from != kNoPort && in.world().port(from).number == PortNum{0})
    in.wrong(Errc::invalid, "port 0 has no cable");
  if (to != kNoPort && in.world().port(to).number == PortNum{0})
    in.wrong(Errc::invalid, "port 0 takes no cable");
  return [=](Faults& faults) {
    World& world = faults.world();
    const PortIndex peer = world.port(from).peer;
    if (peer == kNoPort || world.port(to).peer != kNoPort) return;
    const bool cut = world.port(from).cut;
    world.unplug(from);
    world.plug(to, peer, cut);
  };
}

Action make_unplug(Reading& in) {
  const Ports cables = in.cables();
  return [=](Faults& faults) {
    for (const PortIndex p : cables.chosen(faults.world().random())) faults.world().unplug(p);
  };
}

Action make_plug(Reading& in) {
  const PortIndex a = in.port({});
  const PortIndex b = in.port("to");
  if (a == b) in.wrong(Errc::invalid, "a cable needs two ports");
  for (const PortIndex end : {a, b})
    if (end != kNoPort && in.world().port(end).number == PortNum{0})
      in.wrong(Errc::invalid, "port 0 takes no cable");
  return [=](Faults& faults) { faults.world().plug(a, b); };
}

constexpr std::array kLinkVerbs = {
    Verb{"cut", "CABLES [pick=N|N%] [for=TIME]", "cuts cables; `for` mends them again", make_cut},
    Verb{"mend", "CABLES [pick=N|N%]", "makes cut cables whole", make_mend},
    Verb{"flap", "CABLES [pick=] [period=100ms] [down=50ms] [times=10]",
         "cuts and mends them again and again", make_flap},
    Verb{"move", "PORT to=PORT", "puts a cable's end into another, free port", make_move},
    Verb{"unplug", "CABLES [pick=]", "takes cables out for good", make_unplug},
    Verb{"plug", "PORT to=PORT", "puts a cable between two free ports", make_plug},
};

}  // namespace

std::span<const Verb> link_verbs() { return kLinkVerbs; }

}  // namespace weft::sim
