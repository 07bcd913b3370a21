// The Sweeper and P_Keys that another manager has left, where our own policy is not in force: nobody is given
// access, and nobody loses any, before there is a policy that is.

#include <algorithm>

#include "daemon/sweeper.h"
#include "fabric/path_tree.h"
#include "mad/port_info.h"
#include "partitions/pkey.h"
#include "program/keys.h"

namespace weft::daemon {
namespace {

using partitions::Enforcement;

/// All tables that count on a node: those of ports that are up.
program::KeyWork tables_in_use(const fabric::Fabric& fabric, NodeId id) {
  program::KeyWork work{.node = id};
  const fabric::Node& node = fabric.node(id);
  const bool is_switch = fabric.is_switch(id);
  for (int p = is_switch ? 0 : 1; p <= node.port_count; ++p) {
    const fabric::PortRef port{id, static_cast<PortNum>(p)};
    const bool outer = is_switch && p != 0;
    const std::uint16_t room =
        outer ? node.switch_facts.enforced_pkeys : std::max<std::uint16_t>(1, node.pkey_capacity);
    const bool linked = (is_switch && p == 0) || fabric.port(port).peer.has_value();
    if (linked && room > 0 && !program::is_fresh(fabric, port)) work.ports.push_back({port, {}, room});
  }
  return work;
}

/// The manager's own port is a full member of the default partition: a limited one answers no other.
void make_full(partitions::Keys& keys) {
  const auto is_default = [](Pkey key) {
    return partitions::partition_of(key) == partitions::partition_of(partitions::kDefaultPkey);
  };
  if (std::ranges::find(keys, partitions::kDefaultPkey) != keys.end()) return;
  auto place = std::ranges::find_if(keys, is_default);
  if (place == keys.end()) place = std::ranges::find_if_not(keys, partitions::is_valid);
  if (place != keys.end()) *place = partitions::kDefaultPkey;
}

Enforcement enforcement_of(const mad::PortInfo& info) {
  return static_cast<Enforcement>((info.enforce_in ? 1 : 0) | (info.enforce_out ? 2 : 0));
}

}  // namespace

asio::awaitable<void> Sweeper::read_found_keys(const discovery::Discovered& found) {
  const fabric::Fabric& fabric = *found.fabric;
  const fabric::PathTree paths(fabric, found.own_port);
  std::vector<program::KeyWork> work;
  for (std::size_t n = 0; n < fabric.node_count(); ++n)
    work.push_back(tables_in_use(fabric, static_cast<NodeId>(n)));
  program::KeyWriter reader(*around_.client, shadow_, fabric, paths);
  const std::span<const program::KeyWork> all(work);
  co_await reader.look(all);
  auto keys = std::make_shared<plan::FoundKeys>();
  for (const program::KeyWork& one : work) {
    const fabric::Node& node = fabric.node(one.node);
    for (const program::PortKeys& port : one.ports) {
      const std::optional<partitions::Keys> held = reader.known(port);
      if (!held) continue;
      if (!fabric.is_switch(one.node) || raw(port.port.port) == 0) {
        keys->tables[fabric.port(port.port).guid] = *held;
        continue;
      }
      const mad::AttrData* info = shadow_.find(node.guid, mad::AttrId::port_info, raw(port.port.port));
      if (info != nullptr)
        keys->checks[{node.guid, port.port.port}] = {enforcement_of(mad::decode<mad::PortInfo>(*info)),
                                                     *held};
    }
  }
  if (cut_short()) co_return;
  keys_are_anothers_ = !keys->tables.empty();
  if (!keys_are_anothers_) co_return;  // nobody has been here before us
  if (const auto own = keys->tables.find(fabric.port(found.own_port).guid); own != keys->tables.end())
    make_full(own->second);
  found_keys_ = std::move(keys);
  ledger_.partitions = plan::remembered(*found_keys_, ledger_.partitions.get());
}

}  // namespace weft::daemon
