#include "topology/blueprint.h"

#include <utility>

#include "topology/families.h"
#include "topology/holes.h"

namespace weft::topology {
namespace {

struct Family {
  std::string_view name;
  std::string_view parameters;
  Result<Drawing> (*draw)(Params&);
};

constexpr Family kFamilies[] = {
    {"fat-tree",
     "radix=N[,levels=2][,leaves=N (2 levels)][,pods=N (more)][,oversubscription=1][,hosts=,uplinks= of a "
     "leaf]",
     draw_fat_tree},
    {"xgft", "m=M1,M2,..:w=W1,W2,..[:p=P1,P2,..]", draw_xgft},
    {"dragonfly",
     "p=HOSTS,a=ROUTERS,h=GLOBAL-PORTS[,g=GROUPS][,local-links=1,global-links=1][,arrangement=absolute|"
     "palmtree]",
     draw_dragonfly},
    {"dragonfly+",
     "leaves=N,spines=N,hosts=PER-LEAF,globals=PORTS-PER-SPINE[,groups=N][,local-links=1,global-links=1]"
     "[,arrangement=absolute|palmtree]",
     draw_dragonfly_plus},
    {"torus", "X,Y,..[:hosts=1,links=1]", draw_torus},
    {"mesh", "X,Y,..[:hosts=1,links=1]", draw_mesh},
    {"ring", "N[:hosts=1,links=1]", draw_ring},
    {"chain", "N[:hosts=1,links=1]", draw_chain},
    {"hypercube", "DIMENSIONS[:hosts=1,links=1]", draw_hypercube},
    {"star", "HOSTS", draw_star},
    {"random", "switches=N[,radix=36][,hosts=N][,links=N][,seed=1]", draw_random},
};

constexpr std::string_view kCommon =
    "[:speed=HDR,width=4x,ports=N,rails=1,rail-ports=0,fail-links=N|N%,fail-switches=N|N%,keep-connected=0,"
    "seed=1]";

std::string usage_of(const Family& family) {
  return fmt::format("{}:{}{}", family.name, family.parameters, kCommon);
}

const Family* family_named(std::string_view name) {
  for (const Family& family : kFamilies)
    if (family.name == name) return &family;
  return nullptr;
}

std::string family_names() {
  std::string names;
  for (const Family& family : kFamilies) names += (names.empty() ? "" : ", ") + std::string(family.name);
  return names;
}

struct Options {
  LinkSpeed speed;
  LinkWidth width;
  std::uint32_t ports;
  std::uint32_t rails;
  bool rail_ports;
  Holes holes;
};

Options read_options(Params& params) {
  return {.speed = params.speed(LinkSpeed::hdr),
          .width = params.width(LinkWidth::x4),
          .ports = params.number("ports", {1, kMaxPorts}, 0),
          .rails = params.number("rails", {1, 15}, 1),
          .rail_ports = params.flag("rail-ports"),
          .holes = {.switches = params.amount("fail-switches"),
                    .links = params.amount("fail-links"),
                    .seed = params.seed(),
                    .keep_connected = params.flag("keep-connected")}};
}

Result<Topology> make(const Family& family, Params& params) {
  const Options options = read_options(params);
  Result<Drawing> drawing = family.draw(params);
  if (auto ok = params.done(usage_of(family)); !ok) return fail(ok.error());
  if (!drawing) return fail(drawing.error().code, "{}: {}", family.name, drawing.error().what);
  if (options.rails > 1) {
    if (drawing->hosts.rails > 1)
      return fail(Errc::invalid, "{}: rails= cannot be combined with w1 above 1", family.name);
    drawing->hosts.rails = options.rails;
    drawing->hosts.rail_ports = options.rail_ports;
  }
  if (auto ok = drawing->cabler.attach_hosts(drawing->hosts); !ok)
    return fail(ok.error().code, "{}: {}", family.name, ok.error().what);
  const std::uint32_t radix = options.ports != 0 ? options.ports : drawing->radix;
  Result<Topology> whole = std::move(drawing->cabler).finish(radix, options.width, options.speed);
  if (whole) whole = with_holes(*std::move(whole), options.holes);
  if (!whole) return fail(whole.error().code, "{}: {}", family.name, whole.error().what);
  return whole;
}

}  // namespace

Result<Topology> from_blueprint(std::string_view text) {
  Result<Params> params = Params::from(text);
  if (!params) return fail(params.error());
  const Family* family = family_named(params->family());
  if (family == nullptr)
    return fail(Errc::invalid, "\"{}\" is not a kind of fabric; there are {}", params->family(),
                family_names());
  Result<Topology> topology = make(*family, *params);
  if (!topology) return topology;
  topology->name = text;
  if (auto ok = validate(*topology); !ok) return fail(ok.error());
  return topology;
}

std::string blueprint_help() {
  std::string help;
  for (const Family& family : kFamilies) help += fmt::format("{}:{}\n", family.name, family.parameters);
  return help + fmt::format("and for all: {}\n", kCommon);
}

}  // namespace weft::topology
