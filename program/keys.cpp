#include "program/keys.h"

#include <algorithm>

#include "mad/tables.h"
#include "transport/concurrency.h"
#include "transport/target.h"

namespace weft::program {
namespace {

using partitions::Keys;

constexpr std::uint32_t kKeysPerBlock = 32;

std::uint32_t blocks_of(std::size_t entries) {
  return static_cast<std::uint32_t>((entries + kKeysPerBlock - 1) / kKeysPerBlock);
}

/// On switches the upper half names the port; elsewhere it is the port that is asked.
std::uint32_t modifier_of(const fabric::Fabric& fabric, fabric::PortRef port, std::uint32_t block) {
  return fabric.is_switch(port.node) ? std::uint32_t{raw(port.port)} << 16 | block : block;
}

/// Where the Shadow keeps a block: by port on all nodes.
std::uint32_t shadow_key(fabric::PortRef port, std::uint32_t block) {
  return std::uint32_t{raw(port.port)} << 16 | block;
}

mad::PkeyTable block_of(const Keys& keys, std::uint32_t block) {
  mad::PkeyTable table;
  for (std::size_t i = 0; i < kKeysPerBlock; ++i)
    if (const std::size_t at = std::size_t{block} * kKeysPerBlock + i; at < keys.size())
      table.keys[i] = keys[at];
  return table;
}

/// Nobody uses the port's keys yet: it has not been up in this subnet.
bool is_fresh(const fabric::Fabric& fabric, fabric::PortRef ref) {
  const fabric::Port& port = fabric.port(ref);
  const bool port0 = fabric.is_switch(ref.node) && raw(ref.port) == 0;
  return port0 ? port.lid == kLidNone : port.state != PortState::active;
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) { return (hash ^ value) * 0x100000001b3; }

}  // namespace

std::vector<PortKeys> planned_keys(const fabric::Fabric& fabric, const partitions::PlannedKeys& plan,
                                   NodeId id) {
  std::vector<PortKeys> all;
  const fabric::Node& node = fabric.node(id);
  const bool is_switch = fabric.is_switch(id);
  const auto keys_of = [](std::span<const Pkey> keys) { return Keys(keys.begin(), keys.end()); };
  for (std::uint32_t p = is_switch ? 0 : 1; p <= node.port_count; ++p) {
    const fabric::PortRef port{id, static_cast<PortNum>(p)};
    const std::uint32_t index = node.first_port + p;
    const auto own = std::max<std::uint16_t>(1, node.pkey_capacity);
    if (is_switch ? p == 0 : fabric.port(port).peer.has_value())
      all.push_back({port, keys_of(plan.tables.of(index)), own});
    else if (is_switch && plan.enforced[index] != partitions::Enforcement::off)
      all.push_back({port, keys_of(plan.enforced_tables.of(index)), node.switch_facts.enforced_pkeys});
  }
  return all;
}

std::vector<TableSet> key_blocks(const fabric::Fabric& fabric, const PortKeys& port) {
  std::vector<TableSet> blocks;
  const PortNum at = fabric.is_switch(port.port.node) ? PortNum{0} : port.port.port;
  for (std::uint32_t block = 0; block < blocks_of(port.capacity); ++block)
    blocks.push_back({mad::AttrId::pkey_table, modifier_of(fabric, port.port, block),
                      mad::encode(block_of(port.keys, block)), at});
  return blocks;
}

std::uint64_t keys_digest(std::span<const PortKeys> ports) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const PortKeys& one : ports) {
    hash = mixed(hash, 0x10000u | raw(one.port.port));
    for (const Pkey key : one.keys) hash = mixed(hash, raw(key));
  }
  return hash == 0 ? 1 : hash;
}

std::vector<KeyWork> key_work(const fabric::Fabric& fabric, const partitions::PlannedKeys& plan,
                              const plan::DeviceMap& devices) {
  std::vector<KeyWork> work;
  if (!plan.active) return work;
  for (std::size_t n = 0; n < fabric.node_count(); ++n) {
    KeyWork one{.node = static_cast<NodeId>(n), .ports = planned_keys(fabric, plan, static_cast<NodeId>(n))};
    one.digest = keys_digest(one.ports);
    const auto record = devices.find(fabric.nodes()[n].guid);
    const bool there = record != devices.end() && record->second->keys_digest == one.digest;
    if (!there) work.push_back(std::move(one));
  }
  return work;
}

void forget_keys(mad::Shadow& shadow, Guid node) {
  if (shadow.find_device(node) != nullptr) shadow.device(node).erase(mad::AttrId::pkey_table);
}

asio::awaitable<void> KeyWriter::grow(std::span<const KeyWork> work, std::function<void()> step) {
  return each_port(work, false, std::move(step));
}

asio::awaitable<void> KeyWriter::shrink(std::span<const KeyWork> work, std::function<void()> step) {
  return each_port(work, true, std::move(step));
}

asio::awaitable<void> KeyWriter::each_port(std::span<const KeyWork> work, bool shrinks,
                                           std::function<void()> step) {
  step_ = std::move(step);
  std::vector<Task> tasks;
  for (const KeyWork& one : work)
    for (const PortKeys& port : one.ports)
      if (paths_.reaches(port.port.node) && !unsure_.contains(port.port)) tasks.push_back({&port});
  const std::span<const Task> all(tasks);
  const Settle act{this, shrinks};
  co_await transport::for_each(all, static_cast<std::size_t>(client_.settings().window), act);
}

/// The entries that a port holds, read where they are not known.
asio::awaitable<Result<Keys>> KeyWriter::held(const transport::Target& way, const PortKeys& port) {
  Keys keys;
  for (std::uint32_t block = 0; block < blocks_of(port.capacity); ++block) {
    const mad::AttrData* known =
        shadow_.find(way.node, mad::AttrId::pkey_table, shadow_key(port.port, block));
    if (known == nullptr) {
      const std::uint32_t modifier = modifier_of(fabric_, port.port, block);
      Result<mad::AttrData> answer = co_await client_.get(way, mad::AttrId::pkey_table, modifier);
      if (!answer) co_return fail(answer.error());
      shadow_.set(way.node, mad::AttrId::pkey_table, shadow_key(port.port, block), *answer);
      known = shadow_.find(way.node, mad::AttrId::pkey_table, shadow_key(port.port, block));
    }
    const auto table = mad::decode<mad::PkeyTable>(*known);
    keys.insert(keys.end(), table.keys.begin(), table.keys.end());
  }
  keys.resize(port.capacity);
  co_return keys;
}

asio::awaitable<Result<void>> KeyWriter::write(const transport::Target& way, const PortKeys& port,
                                               Keys before, Keys after) {
  for (std::uint32_t block = 0; block < blocks_of(port.capacity); ++block) {
    const mad::PkeyTable wanted = block_of(after, block);
    if (wanted == block_of(before, block)) continue;
    const mad::AttrData data = mad::encode(wanted);
    const std::uint32_t modifier = modifier_of(fabric_, port.port, block);
    Result<mad::AttrData> answer = co_await client_.set(way, mad::AttrId::pkey_table, modifier, data);
    if (!answer) {
      shadow_.device(way.node).erase(mad::AttrId::pkey_table, shadow_key(port.port, block));
      co_return fail(answer.error());
    }
    shadow_.set(way.node, mad::AttrId::pkey_table, shadow_key(port.port, block), *answer);
    if (mad::decode<mad::PkeyTable>(*answer) != wanted)
      co_return fail(Errc::bad_status, "block {} answered with other keys than set", block);
  }
  co_return Result<void>{};
}

asio::awaitable<void> KeyWriter::settle(const PortKeys& port, bool shrinks) {
  const auto way =
      transport::target_by(fabric_.node(port.port.node).guid, paths_.ports_to(fabric_, port.port));
  if (!way) co_return;
  Result<Keys> before = co_await held(*way, port);
  Result<void> done;
  if (before) {
    const bool whole = shrinks || is_fresh(fabric_, port.port);
    Keys after = whole ? port.keys : partitions::grown(*before, port.keys, port.capacity);
    done = co_await write(*way, port, *before, std::move(after));
  }
  if (!before || !done) {
    const Error& why = before ? done.error() : before.error();
    unsure_.insert(port.port);
    if (why.code != Errc::cancelled)
      failed_.push_back({way->node, fmt::format("P_KeyTable of port {}", raw(port.port.port)), why.what});
  }
  step_();
}

}  // namespace weft::program
