#include "fabric/slow_link.h"

#include <algorithm>

#include <fmt/format.h>

namespace weft::fabric {
namespace {

struct Best {
  LinkWidth width;
  LinkSpeed speed;
};

/// What both ends can do.
Best best_of(const Port& a, const Port& b) {
  const LinkWidth widest = lanes(a.widest) < lanes(b.widest) ? a.widest : b.widest;
  return {lanes(widest) > lanes(LinkWidth::x4) ? LinkWidth::x4 : widest, std::min(a.fastest, b.fastest)};
}

bool is_narrow(const Port& port, const Best& best) { return lanes(port.width) < lanes(best.width); }
bool is_behind(const Port& port, const Best& best) { return lane_mbps(port.speed) < lane_mbps(best.speed); }

}  // namespace

bool is_slow(const Fabric& fabric, PortRef port) {
  const Port& here = fabric.port(port);
  const Best best = best_of(here, fabric.port(*here.peer));
  return is_narrow(here, best) || is_behind(here, best);
}

std::vector<std::string> below_best(const Fabric& fabric, PortRef port) {
  const Port& here = fabric.port(port);
  const Best best = best_of(here, fabric.port(*here.peer));
  std::vector<std::string> below;
  if (is_narrow(here, best))
    below.push_back(fmt::format("width {} of {}", name(here.width), name(best.width)));
  if (is_behind(here, best))
    below.push_back(fmt::format("speed {} of {}", name(here.speed), name(best.speed)));
  return below;
}

}  // namespace weft::fabric
