#include "program/settled.h"

#include <algorithm>
#include <optional>

#include "program/render.h"

namespace weft::program {
namespace {

bool has_changed(const mad::Shadow& shadow, Guid node, std::uint8_t kinds) {
  const auto at = shadow.changed().find(node);
  return at != shadow.changed().end() && (at->second & kinds) != 0;
}

/// Blocks in which two rows differ, up to `top`.
std::vector<std::uint32_t> differing_blocks(const routing::Lft& before, const routing::Lft& now, Lid top) {
  std::vector<std::uint32_t> blocks;
  routing::each_difference(before, now, [&](std::size_t lid) {
    const auto block = static_cast<std::uint32_t>(lid / routing::Lft::kBlock);
    if (block <= raw(top) / routing::Lft::kBlock && (blocks.empty() || blocks.back() != block))
      blocks.push_back(block);
  });
  return blocks;
}

}  // namespace

std::vector<NodeId> ports_to_look_at(const fabric::Fabric& fabric, const plan::Plan& plan,
                                     const mad::Shadow& shadow, const Settled* settled) {
  const bool all = settled == nullptr || !settled->fabric;
  std::vector<NodeId> nodes;
  std::size_t was = 0;  // both stand in GUID order
  for (std::size_t n = 0; n < fabric.node_count(); ++n) {
    const fabric::Node& node = fabric.nodes()[n];
    const auto is_settled = [&] {
      const std::span<const fabric::Node> before = settled->fabric->nodes();
      while (was < before.size() && before[was].guid < node.guid) ++was;
      if (was == before.size() || before[was].guid != node.guid ||
          before[was].port_count != node.port_count || before[was].type != node.type)
        return false;
      const auto now_first = plan.ports.begin() + node.first_port;
      const auto was_first = settled->plan->ports.begin() + before[was].first_port;
      return std::equal(now_first, now_first + node.port_count + 1, was_first) &&
             !has_changed(shadow, node.guid, mad::Shadow::kPorts) && !settled->open_ports.contains(node.guid);
    };
    if (all || !is_settled()) nodes.push_back(static_cast<NodeId>(n));
  }
  return nodes;
}

std::vector<TableWork> table_work(const fabric::Fabric& fabric, const plan::Plan& plan,
                                  const routing::Routes& routes, const mad::Shadow& shadow,
                                  const Settled* settled) {
  std::vector<TableWork> work;
  // A longer table than before has blocks of which nothing was asked.
  const bool all = settled == nullptr || !settled->fabric || settled->plan->routes().top < routes.top;
  const bool same_info = !all && settled->plan->routes().top == plan.routes().top &&
                         settled->plan->packet_lifetime == plan.packet_lifetime;
  std::size_t was = 0;  // both stand in GUID order
  for (std::size_t s = 0; s < fabric.switch_count(); ++s) {
    const auto id = static_cast<SwitchId>(s);
    const Guid guid = fabric.node(id).guid;
    TableWork one{.id = id, .blocks = {}, .may_need_info = true};
    const routing::Lft* before = nullptr;
    if (!all) {
      const routing::Routes& old = settled->plan->routes();
      while (was < old.switches.size() && old.switches[was] < guid) ++was;
      const bool known = was < old.switches.size() && old.switches[was] == guid &&
                         !has_changed(shadow, guid, mad::Shadow::kTables) &&
                         !settled->open_tables.contains(guid);
      if (known) before = old.lfts[was].get();
    }
    if (before != nullptr) {
      one.blocks = differing_blocks(*before, *routes.lfts[s], routes.top);
      one.may_need_info = !same_info;
    } else {
      one.blocks = lft_work(*routes.lfts[s], routes.top, shadow.find_device(guid));
    }
    if (!one.blocks.empty() || one.may_need_info) work.push_back(std::move(one));
  }
  return work;
}

}  // namespace weft::program
