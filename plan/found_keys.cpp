#include "plan/found_keys.h"

namespace weft::plan {

std::shared_ptr<const partitions::Memory> remembered(const FoundKeys& found,
                                                     const partitions::Memory* before) {
  auto memory = std::make_shared<partitions::Memory>();
  if (before != nullptr) memory->assigned = before->assigned;
  memory->tables = found.tables;
  return memory;
}

Planned checking_as_found(const fabric::Fabric& fabric, Planned planned, const FoundKeys& found) {
  if (!planned.plan->partitions.refused) return planned;
  auto plan = std::make_shared<Plan>(*planned.plan);
  for (const auto& [place, check] : found.checks) {
    const auto node = fabric.find(place.first);
    if (!node || raw(place.second) > fabric.node(*node).port_count) continue;
    const std::uint32_t index = fabric.node(*node).first_port + raw(place.second);
    if (fabric.port({*node, place.second}).state != PortState::active) continue;  // another one hangs there
    plan->partitions.enforced[index] = check.by;
    plan->partitions.enforced_tables.set(index, check.keys);
    plan->ports[index].enforcement = check.by;
  }
  plan->partitions.problems.push_back(
      "partitions: P_Keys and checks stay as they were found when this manager took over, since it does not "
      "know the policy that was in force");
  planned.plan = std::move(plan);
  return planned;
}

}  // namespace weft::plan
