#include "sim/partition.h"

#include <algorithm>

namespace weft::sim {
namespace {

/// Calls `good` with each entry of the port's table until it is true.
template <typename Good>
bool any_key(const World& world, PortIndex port, Good good) {
  const Port& held = world.port(port);
  const mad::DeviceBlocks* blocks = world.find_blocks(held.node);
  const auto base = static_cast<std::uint32_t>(raw(held.number)) << 16;
  const std::uint32_t count = (world.pkey_capacity(port) + 31u) / 32u;
  for (std::uint32_t block = 0; block < count; ++block) {
    const mad::AttrData* data =
        blocks == nullptr ? nullptr : blocks->find(mad::AttrId::pkey_table, base | block);
    if (data == nullptr) {
      if (block == 0 && good(Pkey{0xffff})) return true;
      continue;
    }
    if (std::ranges::any_of(mad::decode<mad::PkeyTable>(*data).keys, good)) return true;
  }
  return false;
}

void count_up(std::uint16_t& violations) {
  if (violations != 0xffff) ++violations;
}

}  // namespace

bool is_end_port(const World& world, PortIndex port) {
  return !world.is_switch(world.port(port).node) || world.port(port).number == PortNum{0};
}

bool partition_admits(const World& world, PortIndex port, Pkey pkey, Direction direction) {
  constexpr unsigned kPartition = 0x7fff;
  if ((raw(pkey) & kPartition) == 0) return false;
  if (is_end_port(world, port)) {
    if (direction == Direction::out) return any_key(world, port, [pkey](Pkey held) { return held == pkey; });
    return any_key(world, port, [pkey](Pkey held) { return pkeys_match(pkey, held); });
  }
  const mad::PortInfo& info = world.port(port).info;
  if (!(direction == Direction::in ? info.enforce_in : info.enforce_out)) return true;
  return any_key(world, port, [pkey](Pkey held) { return ((raw(held) ^ raw(pkey)) & kPartition) == 0; });
}

Pkey pkey_at(const World& world, PortIndex port, std::size_t index) {
  const Port& held = world.port(port);
  const mad::DeviceBlocks* blocks = world.find_blocks(held.node);
  const auto block =
      static_cast<std::uint32_t>(raw(held.number)) << 16 | static_cast<std::uint32_t>(index / 32);
  const mad::AttrData* data = blocks == nullptr ? nullptr : blocks->find(mad::AttrId::pkey_table, block);
  if (data == nullptr) return index == 0 ? Pkey{0xffff} : Pkey{0};
  return mad::decode<mad::PkeyTable>(*data).keys[index % 32];
}

std::optional<std::uint16_t> pkey_index(const World& world, PortIndex port, Pkey pkey) {
  std::optional<std::uint16_t> matching;
  const std::uint16_t count = world.pkey_capacity(port);
  for (std::uint16_t index = 0; index < count; ++index) {
    const Pkey held = pkey_at(world, port, index);
    if (held == pkey && raw(held) != 0) return index;
    if (!matching && pkeys_match(held, pkey)) matching = index;
  }
  return matching;
}

void refuse_pkey(World& world, PortIndex port, Direction direction, const KeyViolation& packet) {
  count_up(world.port(port).info.pkey_violations);
  if (is_end_port(world, port))
    return world.raise(port, bad_key_notice(world, port, mad::TrapNumber::bad_pkey, packet));
  world.perf().add(port, direction == Direction::in ? PerfCounter::rcv_constraint_errors
                                                    : PerfCounter::xmit_constraint_errors);
  world.raise(notifier(world, port), bad_pkey_at_switch_notice(world, port, packet));
}

void refuse_qkey(World& world, PortIndex port, const KeyViolation& packet) {
  count_up(world.port(port).info.qkey_violations);
  world.raise(port, bad_key_notice(world, port, mad::TrapNumber::bad_qkey, packet));
}

}  // namespace weft::sim
