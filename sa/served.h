#pragma once
// Served: what the SA answers, as the table says by which it does.

#include <vector>

#include "mad/sa.h"

namespace weft::sa {

/// An attribute and what may be done with it; in order of both.
struct Served {
  mad::SaAttr attribute{};
  std::vector<mad::Method> methods;
};
std::vector<Served> served();

}  // namespace weft::sa
