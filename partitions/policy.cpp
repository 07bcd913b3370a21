#include "partitions/policy.h"

namespace weft::partitions {

std::string_view name(Membership membership) {
  constexpr std::string_view kNames[] = {"none", "limited", "full", "both"};
  return kNames[static_cast<int>(membership)];
}

}  // namespace weft::partitions
