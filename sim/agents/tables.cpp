// The tables: P_Keys, lanes, arbitration, forwarding. Each stands nowhere until it is written; until then its
// reset value is told.
#include <algorithm>

#include "sim/agents/agents.h"

namespace weft::sim {
namespace {

using mad::Status;

constexpr std::uint32_t kPkeyBlock = 32;
constexpr std::uint32_t kMftBlock = 32;
constexpr std::size_t kVlArbBlock = 32;
constexpr std::uint32_t kPortsPerMask = 16;

/// The port that a table modifier names: on switches any port, on HCAs the one that was asked.
PortIndex table_port(const Call& call, std::uint32_t number) {
  if (!call.at_switch()) return call.arrival;
  return number > 0xff ? kNoPort : call.world.port_of(call.node, static_cast<PortNum>(number));
}

std::array<std::uint8_t, 8> lanes_at_reset(VlCount vls) {
  const int count = std::max(lanes(vls), 1);
  mad::SlToVlTable table;
  for (int sl = 0; sl < 16; ++sl) table.vl[static_cast<std::size_t>(sl)] = static_cast<Vl>(sl % count);
  const mad::AttrData data = mad::encode(table);
  std::array<std::uint8_t, 8> image{};
  std::copy_n(data.begin(), image.size(), image.begin());
  return image;
}

/// Grows by a kilobyte at a time: doubling would waste half of the simulator's memory.
void grow(std::vector<PortNum>& lft, std::size_t entries) {
  constexpr std::size_t kStep = 1024;
  if (lft.size() >= entries) return;
  if (lft.capacity() < entries) lft.reserve((entries + kStep - 1) / kStep * kStep);
  lft.resize(entries, kPortDrop);
}

}  // namespace

Status keep(Call& call, std::uint32_t key, const mad::AttrData& at_reset) {
  if (call.set) call.world.blocks(call.node).set(call.attribute, key, call.data);
  const mad::DeviceBlocks* blocks = call.world.find_blocks(call.node);
  const mad::AttrData* held = blocks == nullptr ? nullptr : blocks->find(call.attribute, key);
  call.data = held == nullptr ? at_reset : *held;
  return Status::ok;
}

Status pkey_table(Call& call) {
  const std::uint32_t block = call.modifier & 0xffff;
  const PortIndex port = table_port(call, call.modifier >> 16);
  if (port == kNoPort) return Status::bad_value;
  const std::uint32_t capacity = call.world.pkey_capacity(port);
  if (block * kPkeyBlock >= capacity) return Status::bad_value;
  const std::uint32_t room = std::min(capacity - block * kPkeyBlock, kPkeyBlock);
  mad::PkeyTable at_reset;
  if (block == 0) at_reset.keys[0] = Pkey{0xffff};
  if (call.set && room < kPkeyBlock) {
    auto table = mad::decode<mad::PkeyTable>(call.data);
    std::fill(table.keys.begin() + room, table.keys.end(), Pkey{0});
    call.data = mad::encode(table);
  }
  return keep(call, static_cast<std::uint32_t>(raw(call.world.port(port).number)) << 16 | block,
              mad::encode(at_reset));
}

Status sl_to_vl(Call& call) {
  constexpr std::uint32_t kEveryOut = 1u << 16;
  constexpr std::uint32_t kEveryIn = 1u << 17;
  if (!call.at_switch()) {
    mad::AttrData at_reset{};
    std::ranges::copy(lanes_at_reset(call.settings().vl_cap), at_reset.begin());
    return keep(call, raw(call.world.port(call.arrival).number), at_reset);
  }
  const std::uint32_t ports = call.self().port_count + 1u;
  const std::uint32_t in = call.modifier >> 8 & 0xff;
  const std::uint32_t out = call.modifier & 0xff;
  const bool many = call.settings().optimized_sl_to_vl;
  const bool every_in = many && (call.modifier & kEveryIn) != 0;
  const bool every_out = many && (call.modifier & kEveryOut) != 0;
  if ((!every_in && in >= ports) || (!every_out && out >= ports)) return Status::bad_value;
  if (!many && (call.modifier & (kEveryIn | kEveryOut)) != 0) return Status::bad_value;
  auto& table = call.world.switch_of(call.node).sl_to_vl;
  if (call.set) {
    if (table.empty()) table.assign(ports * ports, lanes_at_reset(call.settings().vl_cap));
    for (std::uint32_t i = every_in ? 0 : in; i < (every_in ? ports : in + 1); ++i)
      for (std::uint32_t o = every_out ? 0 : out; o < (every_out ? ports : out + 1); ++o)
        std::copy_n(call.data.begin(), 8, table[i * ports + o].begin());
  }
  const std::uint32_t told = (every_in ? 0 : in) * ports + (every_out ? 0 : out);
  call.data = {};
  std::ranges::copy(table.empty() ? lanes_at_reset(call.settings().vl_cap) : table[told], call.data.begin());
  return Status::ok;
}

Status vl_arbitration(Call& call) {
  const std::uint32_t block = call.modifier >> 16;
  const PortIndex port = table_port(call, call.modifier & 0xffff);
  if (port == kNoPort || block < 1 || block > 4) return Status::bad_value;
  const Port& held = call.world.port(port);
  const std::size_t cap = block <= 2 ? held.info.vl_arb_low_cap : held.info.vl_arb_high_cap;
  const std::size_t first = block % 2 == 1 ? 0 : kVlArbBlock;  // blocks 2 and 4 hold entries 32 and up
  if (first > 0 && cap <= first) return Status::bad_value;
  const std::size_t capacity = cap - first;
  if (call.set) {
    auto table = mad::decode<mad::VlArbitrationTable>(call.data);
    std::fill(table.entries.begin() + static_cast<std::ptrdiff_t>(std::min(capacity, table.entries.size())),
              table.entries.end(), std::uint16_t{0});
    call.data = mad::encode(table);
  }
  return keep(call, block << 16 | raw(held.number));
}

Status linear_forwarding(Call& call) {
  if (!call.at_switch()) return Status::bad_method_attribute;
  Switch& sw = call.world.switch_of(call.node);
  const std::size_t first = std::size_t{call.modifier} * mad::kLftBlock;
  if (first >= sw.info.lft_capacity) return Status::bad_value;
  if (call.set) {
    if (sw.adaptive && call.settings().adaptive.lft_write_disables) sw.adaptive->info.enable = false;
    grow(sw.lft, first + mad::kLftBlock);
    const auto block = mad::decode<mad::LinearForwardingTable>(call.data);
    std::ranges::copy(block.ports, sw.lft.begin() + static_cast<std::ptrdiff_t>(first));
    return Status::ok;  // the data is already what is held
  }
  mad::LinearForwardingTable block;
  block.ports.fill(kPortDrop);
  if (first < sw.lft.size())
    std::copy_n(sw.lft.begin() + static_cast<std::ptrdiff_t>(first), mad::kLftBlock, block.ports.begin());
  call.data = mad::encode(block);
  return Status::ok;
}

Status multicast_forwarding(Call& call) {
  if (!call.at_switch()) return Status::bad_method_attribute;
  const std::uint32_t block = call.modifier & 0x1ff;
  const std::uint32_t position = call.modifier >> 28;
  if (block * kMftBlock >= call.settings().mft_capacity) return Status::bad_value;
  if (position * kPortsPerMask > call.self().port_count) return Status::bad_value;
  return keep(call, position << 28 | block);
}

}  // namespace weft::sim
