#include "program/keys.h"

#include <algorithm>
#include <iterator>

#include "mad/port_info.h"
#include "mad/tables.h"
#include "partitions/pkey.h"
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

bool has_partition(const Keys& keys, std::uint16_t number) {
  return std::ranges::any_of(keys, [number](Pkey key) { return partitions::partition_of(key) == number; });
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) { return (hash ^ value) * 0x100000001b3; }

}  // namespace

bool is_fresh(const fabric::Fabric& fabric, fabric::PortRef ref) {
  const fabric::Port& port = fabric.port(ref);
  const bool port0 = fabric.is_switch(ref.node) && raw(ref.port) == 0;
  return port0 ? port.lid == kLidNone : port.state != PortState::active;
}

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

asio::awaitable<void> KeyWriter::look(std::span<const KeyWork> work) {
  step_ = [] {};
  return each_port(tasks_of(work), Stage::look);
}

asio::awaitable<void> KeyWriter::revoke(std::span<const KeyWork> work) {
  co_await look(work);
  std::vector<Task> tasks = tasks_of(work);
  moving_ = moving(tasks);
  withhold_from_unread(work);
  if (moving_.empty()) co_return;
  std::erase_if(tasks, [this](const Task& task) { return !gives_up(*task.port); });
  co_await each_port(tasks, Stage::revoke);
  withhold();
}

/// Notes what of the moving keys the port is to lose, where it can be used; false when that is nothing.
bool KeyWriter::gives_up(const PortKeys& port) {
  const std::optional<Keys> before = known(port);
  if (!before || is_fresh(fabric_, port.port)) return false;
  const Keys after = table_at(Stage::revoke, port, *before);
  std::set<std::uint16_t>& lost = given_up_[port.port];
  for (std::size_t i = 0; i < after.size(); ++i)
    if (after[i] != (*before)[i]) lost.insert(partitions::partition_of((*before)[i]));
  return !lost.empty();
}

asio::awaitable<void> KeyWriter::grow(std::span<const KeyWork> work, std::function<void()> step) {
  step_ = std::move(step);
  return each_port(tasks_of(work), Stage::grow);
}

asio::awaitable<void> KeyWriter::shrink(std::span<const KeyWork> work, std::function<void()> step) {
  step_ = std::move(step);
  return each_port(tasks_of(work), Stage::shrink);
}

std::vector<KeyWriter::Task> KeyWriter::tasks_of(std::span<const KeyWork> work) const {
  std::vector<Task> tasks;
  for (const KeyWork& one : work)
    for (const PortKeys& port : one.ports)
      if (paths_.reaches(port.port.node) && !unsure_.contains(port.port)) tasks.push_back({&port});
  return tasks;
}

asio::awaitable<void> KeyWriter::each_port(std::vector<Task> tasks, Stage stage) {
  const std::span<const Task> all(tasks);
  const Settle act{this, stage};
  co_await transport::for_each(all, static_cast<std::size_t>(client_.settings().window), act);
}

/// Partitions that a port which is up loses, and that another one is to get. Everybody stays in the default
/// one.
std::set<std::uint16_t> KeyWriter::moving(std::span<const Task> tasks) {
  std::set<std::uint16_t> lost;
  const auto all_of = [](const Keys& keys) {
    std::set<std::uint16_t> numbers;
    for (const Pkey key : keys)
      if (partitions::is_valid(key)) numbers.insert(partitions::partition_of(key));
    return numbers;
  };
  for (const Task& task : tasks) {
    const std::optional<Keys> held = known(*task.port);
    if (!held) continue;
    const auto before = all_of(*held);
    const auto after = all_of(task.port->keys);
    const bool up = !is_fresh(fabric_, task.port->port);
    if (up) std::ranges::set_difference(before, after, std::inserter(lost, lost.end()));
    std::ranges::set_difference(after, before, std::inserter(given_, given_.end()));
  }
  std::set<std::uint16_t> both;
  std::ranges::set_intersection(lost, given_, std::inserter(both, both.end()));
  return both;
}

/// Whether the switch port in front checks both ways, and has given up what it was to.
bool KeyWriter::is_checked_without(fabric::PortRef port) const {
  const auto& front = fabric_.port(port).peer;
  if (!front || !fabric_.is_switch(front->node) || unsure_.contains(*front)) return false;
  const mad::AttrData* held =
      shadow_.find(fabric_.node(front->node).guid, mad::AttrId::port_info, raw(front->port));
  if (held == nullptr) return false;
  const auto info = mad::decode<mad::PortInfo>(*held);
  return info.enforce_in && info.enforce_out;
}

/// What an end port may have kept is given to nobody.
void KeyWriter::withhold() {
  for (const auto& [port, lost] : given_up_) {
    const bool checks = fabric_.is_switch(port.node) && raw(port.port) != 0;
    if (!checks && unsure_.contains(port) && !is_checked_without(port))
      stuck_.insert(lost.begin(), lost.end());
  }
}

/// Likewise what is to be given to somebody, where an end port that is not to have it could not be read: it
/// may hold anything.
void KeyWriter::withhold_from_unread(std::span<const KeyWork> work) {
  for (const KeyWork& one : work)
    for (const PortKeys& port : one.ports) {
      const bool checks = fabric_.is_switch(port.port.node) && raw(port.port.port) != 0;
      if (checks || !unsure_.contains(port.port) || known(port) || is_fresh(fabric_, port.port) ||
          is_checked_without(port.port))
        continue;
      for (const std::uint16_t number : given_)
        if (!has_partition(port.keys, number)) stuck_.insert(number);
    }
}

/// What a port is to hold after a stage.
Keys KeyWriter::table_at(Stage stage, const PortKeys& port, const Keys& before) {
  const auto holds = [](const Keys& keys, Pkey wanted) {
    return has_partition(keys, partitions::partition_of(wanted));
  };
  if (stage == Stage::revoke) {
    Keys left = before;
    for (Pkey& key : left)
      if (moving_.contains(partitions::partition_of(key)) && !holds(port.keys, key)) key = Pkey{0};
    return left;
  }
  Keys wanted = port.keys;
  for (Pkey& key : wanted) {
    if (!stuck_.contains(partitions::partition_of(key)) || holds(before, key)) continue;
    key = Pkey{0};
    withheld_.insert(port.port);
  }
  const bool whole = stage == Stage::shrink || is_fresh(fabric_, port.port);
  return whole ? wanted : partitions::grown(before, wanted, port.capacity);
}

std::optional<Keys> KeyWriter::known(const PortKeys& port) const {
  Keys keys;
  const Guid node = fabric_.node(port.port.node).guid;
  for (std::uint32_t block = 0; block < blocks_of(port.capacity); ++block) {
    const mad::AttrData* held = shadow_.find(node, mad::AttrId::pkey_table, shadow_key(port.port, block));
    if (held == nullptr) return std::nullopt;
    const auto table = mad::decode<mad::PkeyTable>(*held);
    keys.insert(keys.end(), table.keys.begin(), table.keys.end());
  }
  keys.resize(port.capacity);
  return keys;
}

/// The entries that a port holds, read where they are not known. What the Shadow knew may be forgotten while
/// we wait for an answer.
asio::awaitable<Result<Keys>> KeyWriter::held(const transport::Target& way, const PortKeys& port) {
  Keys keys;
  for (std::uint32_t block = 0; block < blocks_of(port.capacity); ++block) {
    const std::uint32_t key = shadow_key(port.port, block);
    const mad::AttrData* known_block = shadow_.find(way.node, mad::AttrId::pkey_table, key);
    mad::PkeyTable table;
    if (known_block != nullptr) {
      table = mad::decode<mad::PkeyTable>(*known_block);
    } else {
      const std::uint32_t modifier = modifier_of(fabric_, port.port, block);
      Result<mad::AttrData> answer = co_await client_.get(way, mad::AttrId::pkey_table, modifier);
      if (!answer) co_return fail(answer.error());
      shadow_.set(way.node, mad::AttrId::pkey_table, key, *answer);
      table = mad::decode<mad::PkeyTable>(*answer);
    }
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

asio::awaitable<void> KeyWriter::settle(const PortKeys& port, Stage stage) {
  const auto way =
      transport::target_by(fabric_.node(port.port.node).guid, paths_.ports_to(fabric_, port.port));
  if (!way) co_return;
  Result<Keys> before = co_await held(*way, port);
  Result<void> done;
  if (before && stage != Stage::look) {
    Keys after = table_at(stage, port, *before);
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
