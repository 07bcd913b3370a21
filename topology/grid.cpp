// Grids: torus and mesh of any number of dimensions, rings and chains as their one-dimensional cases, the
// hypercube, and the star, a single switch.
//
// After the host ports, dimension d has two port bundles: towards +1, then towards -1. A ring of two has one
// link.

#include "topology/families.h"

namespace weft::topology {
namespace {

constexpr std::size_t kMaxDimensions = 15;

struct Grid {
  std::vector<std::uint32_t> sizes;
  std::uint32_t hosts = 1;
  std::uint32_t links = 1;  ///< Parallel links between neighbours.
  bool wraps = false;
};

Result<Drawing> draw(const Grid& grid, std::string_view prefix) {
  const std::uint64_t switches = product(grid.sizes, 0, grid.sizes.size());
  const Needs needs{.switches = switches,
                    .host_ports = product({switches, grid.hosts}),
                    .switch_ports = grid.hosts + 2 * product({grid.sizes.size(), grid.links})};
  if (auto ok = check_fits(needs); !ok) return fail(ok.error());
  Drawing drawing;
  for_each_tuple(grid.sizes, [&](const std::vector<std::uint32_t>& at) {
    std::string id(prefix);
    for (const std::uint32_t x : at) id += fmt::format("-{:02}", x);
    drawing.cabler.add_switch(std::move(id), "router", grid.hosts);
  });
  std::uint32_t here = 0;
  for_each_tuple(grid.sizes, [&](const std::vector<std::uint32_t>& at) {
    std::uint32_t stride = static_cast<std::uint32_t>(switches);
    for (std::uint32_t d = 0; d < at.size(); ++d) {
      const std::uint32_t size = grid.sizes[d];
      stride /= size;
      const bool last = at[d] == size - 1;
      if (last && (!grid.wraps || size <= 2)) continue;
      const std::uint32_t peer = last ? here - at[d] * stride : here + stride;
      for (std::uint32_t k = 0; k < grid.links; ++k)
        drawing.cabler.link(here, grid.hosts + 2 * d * grid.links + k + 1, peer,
                            grid.hosts + (2 * d + 1) * grid.links + k + 1);
    }
    ++here;
  });
  return drawing;
}

Result<Drawing> read_grid(Params& params, bool wraps, std::size_t dimensions) {
  Grid grid{.sizes = params.list("", {1}, dimensions), .wraps = wraps};
  grid.hosts = params.number("hosts", {0, kMaxPorts}, 1);
  grid.links = params.number("links", {1, kMaxPorts}, 1);
  if (!params.good()) return Drawing{};
  return draw(grid, "T");
}

}  // namespace

Result<Drawing> draw_torus(Params& params) { return read_grid(params, true, kMaxDimensions); }
Result<Drawing> draw_mesh(Params& params) { return read_grid(params, false, kMaxDimensions); }
Result<Drawing> draw_ring(Params& params) { return read_grid(params, true, 1); }
Result<Drawing> draw_chain(Params& params) { return read_grid(params, false, 1); }

Result<Drawing> draw_hypercube(Params& params) {
  const std::uint32_t dimensions = params.number("", {1, kMaxDimensions});
  const std::uint32_t hosts = params.number("hosts", {0, kMaxPorts}, 1);
  const std::uint32_t links = params.number("links", {1, kMaxPorts}, 1);
  if (!params.good()) return Drawing{};
  const std::uint32_t switches = 1U << dimensions;
  const Needs needs{.switches = switches,
                    .host_ports = product({switches, hosts}),
                    .switch_ports = hosts + dimensions * links};
  if (auto ok = check_fits(needs); !ok) return fail(ok.error());
  Drawing drawing;
  for (std::uint32_t i = 0; i < switches; ++i)
    drawing.cabler.add_switch(fmt::format("C-{:0{}b}", i, dimensions), "router", hosts);
  for (std::uint32_t i = 0; i < switches; ++i) {
    for (std::uint32_t d = 0; d < dimensions; ++d) {
      const std::uint32_t peer =
          i | 1U << (dimensions - 1 - d);  // dimension 0 is the first digit of the name
      if (peer == i) continue;
      for (std::uint32_t k = 0; k < links; ++k) {
        const std::uint32_t port = hosts + d * links + k + 1;
        drawing.cabler.link(i, port, peer, port);
      }
    }
  }
  return drawing;
}

Result<Drawing> draw_star(Params& params) {
  const std::uint32_t hosts = params.number("", {1, kMaxPorts});
  if (!params.good()) return Drawing{};
  Drawing drawing;
  drawing.cabler.add_switch("S", "switch", hosts);
  return drawing;
}

}  // namespace weft::topology
