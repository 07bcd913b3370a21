#include "routing/engine.h"

#include <algorithm>
#include <array>

#include "routing/engines.h"

namespace weft::routing {

static constexpr std::array kEngines{
    Engine{"dragonfly", dragonfly}, Engine{"dragonfly+", dragonfly_plus}, Engine{"fat-tree", fat_tree},
    Engine{"layered", layered},     Engine{"min-hop", min_hop},           Engine{"up-down", up_down},
};

std::span<const Engine> engines() { return kEngines; }

const Engine* find_engine(std::string_view name) {
  const auto at = std::ranges::find(kEngines, name, &Engine::name);
  return at == kEngines.end() ? nullptr : &*at;
}

}  // namespace weft::routing
