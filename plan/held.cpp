#include "plan/held.h"

#include "routing/held_transition.h"

namespace weft::plan {

std::shared_ptr<const Plan> with_way_from(const fabric::Fabric& fabric, const Plan& plan,
                                          const routing::Routes& held, bool lanes_move, bool unsure) {
  auto next = std::make_shared<Plan>(plan);
  routing::Problem all = plan.problem;
  all.fabric = &fabric;
  routing::Transition way = routing::find_transition_from_held(
      all, held, plan.routing.routes, lanes_move && plan.routing.routes.lanes != nullptr, unsure);
  next->transition = nullptr;
  if (way.entries != 0 || way.lanes_change)
    next->transition = std::make_shared<const routing::Transition>(std::move(way));
  return next;
}

}  // namespace weft::plan
