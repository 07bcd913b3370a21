// Fat trees, as PGFT(h; m; w; p): parallel-ports generalised fat trees.
//
// A switch of level l has digits (d_h .. d_1) with d_i < m_i above its level and d_i < w_i up to it. It is
// joined, by p_(l+1) links each, to the switches of level l+1 whose digits differ in place l+1 only. Hosts
// are level 0; w_1 > 1 gives hosts p_1 ports into each of w_1 separate planes. Source: E. Zahavi, "Fat-tree
// routing and node ordering providing contention free traffic for MPI global collectives", Journal of
// Parallel and Distributed Computing 72 (2012).

#include <algorithm>
#include <iterator>

#include "topology/families.h"

namespace weft::topology {
namespace {

constexpr std::size_t kMaxLevels = 12;

/// m, w and p; entry i belongs to level i + 1.
struct Shape {
  std::vector<std::uint32_t> m;
  std::vector<std::uint32_t> w;
  std::vector<std::uint32_t> p;
};

Needs needs_of(const Shape& shape) {
  const auto& [m, w, p] = shape;
  const std::size_t levels = m.size();
  Needs needs{.host_ports = product({product(m, 0, levels), w[0], p[0]})};
  for (std::size_t level = 1; level <= levels; ++level) {
    needs.switches += product({product(m, level, levels), product(w, 0, level)});
    const std::uint64_t down = product({m[level - 1], p[level - 1]});
    const std::uint64_t up = level < levels ? product({w[level], p[level]}) : 0;
    needs.switch_ports = std::max(needs.switch_ports, down + up);
  }
  return needs;
}

std::string_view role_of(std::size_t level, std::size_t levels) {
  if (level == 1) return "leaf";
  return level == levels && levels > 2 ? "core" : "spine";
}

/// Number of the tuple among all tuples of the bases, in the order they are made.
std::uint32_t place_of(const std::vector<std::uint32_t>& digits, const std::vector<std::uint32_t>& bases) {
  std::uint32_t place = 0;
  for (std::size_t i = 0; i < digits.size(); ++i) place = place * bases[i] + digits[i];
  return place;
}

Result<Drawing> draw(const Shape& shape, std::uint32_t radix) {
  const auto& [m, w, p] = shape;
  if (auto ok = check_fits(needs_of(shape)); !ok) return fail(ok.error());
  Drawing drawing{.hosts = {.rails = w[0], .parallel = p[0], .rail_ports = w[0] > 1}, .radix = radix};
  const std::size_t levels = m.size();
  std::vector<std::uint32_t> bases_below;
  std::uint32_t first_below = 0;
  std::uint32_t first = 0;
  for (std::size_t level = 1; level <= levels; ++level) {
    std::vector<std::uint32_t> bases;  // of d_h .. d_1
    for (std::size_t i = levels; i > 0; --i) bases.push_back(i > level ? m[i - 1] : w[i - 1]);
    std::uint32_t next = first;
    for_each_tuple(bases, [&](const std::vector<std::uint32_t>& digits) {
      next = drawing.cabler.add_switch(digits_name(fmt::format("L{}", level), digits, bases),
                                       role_of(level, levels), level == 1 ? m[0] : 0) +
             1;
    });
    if (level > 1) {
      const std::size_t place = levels - level;  // of the digit d_level
      const std::uint32_t down = m[level - 2] * p[level - 2];
      const std::uint32_t bundle = p[level - 1];
      std::uint32_t child = first_below;
      for_each_tuple(bases_below, [&](std::vector<std::uint32_t> digits) {
        const std::uint32_t below = digits[place];
        for (std::uint32_t b = 0; b < w[level - 1]; ++b) {
          digits[place] = b;
          const std::uint32_t parent = first + place_of(digits, bases);
          for (std::uint32_t k = 0; k < bundle; ++k)
            drawing.cabler.link(child, down + b * bundle + k + 1, parent, below * bundle + k + 1);
        }
        ++child;
      });
    }
    bases_below = std::move(bases);
    first_below = first;
    first = next;
  }
  return drawing;
}

}  // namespace

Result<Drawing> draw_xgft(Params& params) {
  Shape shape{.m = params.list("m", {1}, kMaxLevels), .w = params.list("w", {1}, kMaxLevels), .p = {}};
  shape.p =
      params.has("p") ? params.list("p", {1}, kMaxLevels) : std::vector<std::uint32_t>(shape.m.size(), 1);
  if (!params.good()) return Drawing{};
  if (shape.m.size() != shape.w.size() || shape.m.size() != shape.p.size())
    return fail(Errc::invalid, "m, w and p need equally many values, one a level");
  return draw(shape, 0);
}

Result<Drawing> draw_fat_tree(Params& params) {
  const std::uint32_t radix = params.number("radix", {2, kMaxPorts});
  const std::uint32_t levels = params.number("levels", {2, kMaxLevels}, 2);
  const std::uint32_t half = radix / 2;
  const std::uint32_t ratio = params.number("oversubscription", {1, kMaxPorts - 1}, 1);
  const std::uint32_t hosts =
      params.number("hosts", {1, kMaxPorts}, std::max(half, radix * ratio / (ratio + 1)));
  const std::uint32_t uplinks = params.number("uplinks", {1, kMaxPorts}, hosts < radix ? radix - hosts : 1);
  const std::string_view top_key = levels == 2 ? "leaves" : "pods";
  const std::uint32_t top = params.number(top_key, {1, kMaxPorts}, radix);
  if (!params.good()) return Drawing{};
  if (hosts + uplinks > radix || top > radix)
    return fail(Errc::invalid, "{} hosts and {} uplinks a leaf, {} {}: too many for {} ports", hosts, uplinks,
                top, top_key, radix);

  Shape shape;
  shape.m.assign(levels, half);
  shape.w.assign(levels, radix - half);
  shape.p.assign(levels, 1);
  shape.m.front() = hosts;
  shape.m.back() = top;
  shape.w.front() = 1;
  shape.w[1] = uplinks;
  // With fewer subtrees than ports, top switches are filled by parallel links instead of adding switches.
  std::uint32_t bundle = radix / top;
  while (shape.w.back() % bundle != 0) --bundle;
  shape.p.back() = bundle;
  shape.w.back() /= bundle;
  return draw(shape, radix);
}

}  // namespace weft::topology
