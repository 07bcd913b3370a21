// Dragonfly and Dragonfly+. Groups are joined pairwise by global links; within a group, routers are all
// joined to each other (dragonfly), or leaves to spines, and spines carry the global links (dragonfly+).
// Sources: J. Kim et al., "Technology-driven, highly-scalable dragonfly topology", ISCA 2008; A. Shpiner et
// al., "Dragonfly+: low cost topology for scaling datacenters", HiPINEB 2017. Arrangements: E. Hastings et
// al., "Comparing global link arrangements for dragonfly networks", Cluster 2015.

#include "topology/families.h"

namespace weft::topology {
namespace {

enum Arrangement : std::size_t { absolute, palmtree };

/// What both kinds have in common.
struct Groups {
  std::uint32_t count = 0;
  std::uint32_t gateways = 0;      ///< Switches of a group that have global ports.
  std::uint32_t ports_each = 0;    ///< Global ports of each.
  std::uint32_t local_links = 1;   ///< Parallel links between two switches of a group.
  std::uint32_t global_links = 1;  ///< Parallel links for each global port.
  std::size_t arrangement = absolute;
};

Groups read_groups(Params& params, std::string_view key, std::uint32_t gateways, std::uint32_t ports_each) {
  Groups groups{.gateways = gateways, .ports_each = ports_each};
  groups.count = params.number(key, {1}, gateways * ports_each + 1);
  groups.local_links = params.number("local-links", {1, kMaxPorts}, 1);
  groups.global_links = params.number("global-links", {1, kMaxPorts}, 1);
  groups.arrangement = params.word("arrangement", {"absolute", "palmtree"});
  return groups;
}

Result<void> check_reach(const Groups& groups) {
  if (groups.count - 1 > groups.gateways * groups.ports_each)
    return fail(Errc::invalid, "{} global ports a group cannot reach {} other groups",
                groups.gateways * groups.ports_each, groups.count - 1);
  return {};
}

/// Joins every pair of groups by equally many links. `gateway(group, i)` is the switch, `first` the number of
/// ports before its global ones.
template <typename Gateway>
void join_groups(Cabler& cabler, const Groups& groups, std::uint32_t first, Gateway gateway) {
  const std::uint32_t others = groups.count - 1;
  const std::uint32_t rounds = others == 0 ? 0 : groups.gateways * groups.ports_each / others;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    for (std::uint32_t i = 0; i < groups.count; ++i) {
      for (std::uint32_t j = i + 1; j < groups.count; ++j) {
        // absolute: slot k of a group leads to group k, leaving out itself; palmtree: to the k-th group after
        // it.
        const bool tree = groups.arrangement == palmtree;
        const std::uint32_t slot_i = round * others + (tree ? j - i - 1 : j - 1);
        const std::uint32_t slot_j = round * others + (tree ? groups.count + i - j - 1 : i);
        for (std::uint32_t k = 0; k < groups.global_links; ++k)
          cabler.link(gateway(i, slot_i / groups.ports_each),
                      first + slot_i % groups.ports_each * groups.global_links + k + 1,
                      gateway(j, slot_j / groups.ports_each),
                      first + slot_j % groups.ports_each * groups.global_links + k + 1);
      }
    }
  }
}

}  // namespace

Result<Drawing> draw_dragonfly(Params& params) {
  const std::uint32_t hosts = params.number("p", {0, kMaxPorts});
  const std::uint32_t routers = params.number("a", {1, kMaxPorts});
  const std::uint32_t ports = params.number("h", {1, kMaxPorts});
  const Groups groups = read_groups(params, "g", routers, ports);
  if (!params.good()) return Drawing{};
  if (auto ok = check_reach(groups); !ok) return fail(ok.error());
  const std::uint32_t first = hosts + (routers - 1) * groups.local_links;
  const Needs needs{.switches = product({groups.count, routers}),
                    .host_ports = product({groups.count, routers, hosts}),
                    .switch_ports = first + ports * groups.global_links};
  if (auto ok = check_fits(needs); !ok) return fail(ok.error());

  Drawing drawing;
  Cabler& cabler = drawing.cabler;
  const auto router = [&](std::uint32_t group, std::uint32_t i) { return group * routers + i; };
  for (std::uint32_t group = 0; group < groups.count; ++group)
    for (std::uint32_t i = 0; i < routers; ++i)
      cabler.add_switch(fmt::format("R-g{:03}-{:02}", group, i), "router", hosts);
  for (std::uint32_t group = 0; group < groups.count; ++group)
    for (std::uint32_t i = 0; i < routers; ++i)
      for (std::uint32_t j = i + 1; j < routers; ++j)
        for (std::uint32_t k = 0; k < groups.local_links; ++k)
          cabler.link(router(group, i), hosts + (j - 1) * groups.local_links + k + 1, router(group, j),
                      hosts + i * groups.local_links + k + 1);
  join_groups(cabler, groups, first, router);
  return drawing;
}

Result<Drawing> draw_dragonfly_plus(Params& params) {
  const std::uint32_t leaves = params.number("leaves", {1, kMaxPorts});
  const std::uint32_t spines = params.number("spines", {1, kMaxPorts});
  const std::uint32_t hosts = params.number("hosts", {0, kMaxPorts});
  const std::uint32_t ports = params.number("globals", {1, kMaxPorts});
  const Groups groups = read_groups(params, "groups", spines, ports);
  if (!params.good()) return Drawing{};
  if (auto ok = check_reach(groups); !ok) return fail(ok.error());
  const std::uint32_t first = leaves * groups.local_links;
  const std::uint32_t leaf_ports = hosts + spines * groups.local_links;
  const Needs needs{.switches = product({groups.count, leaves + spines}),
                    .host_ports = product({groups.count, leaves, hosts}),
                    .switch_ports = std::max(leaf_ports, first + ports * groups.global_links)};
  if (auto ok = check_fits(needs); !ok) return fail(ok.error());

  Drawing drawing;
  Cabler& cabler = drawing.cabler;
  const auto leaf = [&](std::uint32_t group, std::uint32_t i) { return group * (leaves + spines) + i; };
  const auto spine = [&](std::uint32_t group, std::uint32_t i) { return leaf(group, leaves + i); };
  for (std::uint32_t group = 0; group < groups.count; ++group) {
    for (std::uint32_t i = 0; i < leaves; ++i)
      cabler.add_switch(fmt::format("DL-g{:03}-{:02}", group, i), "leaf", hosts);
    for (std::uint32_t i = 0; i < spines; ++i)
      cabler.add_switch(fmt::format("DS-g{:03}-{:02}", group, i), "spine");
    for (std::uint32_t i = 0; i < leaves; ++i)
      for (std::uint32_t j = 0; j < spines; ++j)
        for (std::uint32_t k = 0; k < groups.local_links; ++k)
          cabler.link(leaf(group, i), hosts + j * groups.local_links + k + 1, spine(group, j),
                      i * groups.local_links + k + 1);
  }
  join_groups(cabler, groups, first, spine);
  return drawing;
}

}  // namespace weft::topology
