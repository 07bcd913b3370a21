#include "daemon/multicast.h"

#include <algorithm>

#include "fabric/path_tree.h"
#include "log/log.h"
#include "mad/port_info.h"
#include "mad/switch_info.h"
#include "program/multicast_work.h"
#include "transport/target.h"

namespace weft::daemon {
namespace {

using mad::AttrId;

/// A first join waits this long for others.
constexpr Duration kSettle = std::chrono::milliseconds(5);
/// Tables that have not changed for this long are worth remembering.
constexpr Duration kKeepAfter = std::chrono::seconds(1);
/// What could not be written is tried again after this.
constexpr Duration kRedo = std::chrono::seconds(5);

spdlog::logger& logger() {
  static const auto log = log::named("multicast");
  return *log;
}

/// One update's writing: all of its parts outlive its coroutines.
struct Writing {
  transport::SmpClient& client;
  mad::Shadow& devices;
  MulticastCounts& counts;
  std::shared_ptr<const plan::MulticastPlan> plan;
  fabric::PathTree paths;
  std::vector<std::uint32_t> blocks;
  const plan::MftDigestMap& known;
  std::vector<SwitchId> failed;
  std::vector<bool> readable;  // by SwitchId
};

/// The block that a modifier names, as planned.
mad::AttrData planned_block(std::span<const plan::MulticastEntry> entries, std::uint32_t modifier) {
  return program::mft_block(entries, modifier >> 28, modifier & 0x1ff);
}

/// Whether the last process left this block as it is planned now.
bool left_so(const plan::MftDigestMap& known, Guid node, std::uint32_t modifier,
             const mad::AttrData& planned) {
  const auto digests = known.find(node);
  if (digests == known.end()) return false;
  const auto digest = digests->second.find(modifier);
  return digest != digests->second.end() && digest->second == plan::block_digest(planned);
}

/// Highest MLID the switch should look up, where it has such a limit.
std::optional<mad::SwitchInfo> top_to_write(const mad::DeviceBlocks* held, Lid top) {
  if (held == nullptr) return std::nullopt;
  const auto port = mad::held<mad::PortInfo>(*held, AttrId::port_info, 0);
  const auto info = mad::held<mad::SwitchInfo>(*held, AttrId::switch_info, 0);
  if (!port || !info || !mad::has(*port, mad::PortCap::multicast_fdb_top)) return std::nullopt;
  const Lid wanted = top == Lid{} ? static_cast<Lid>(plan::McGroups::kFirstMlid - 1) : top;
  if (info->mft_top == wanted) return std::nullopt;
  mad::SwitchInfo next = *info;
  next.mft_top = wanted;
  next.state_changed = false;  // writing it would clear it
  return next;
}

asio::awaitable<bool> read_unknown(Writing& writing, transport::Target target, SwitchId id,
                                   std::uint32_t ports) {
  const auto& entries = (*writing.plan->tables)[raw(id)];
  bool all = true;
  for (const std::uint32_t modifier :
       program::mft_unknown(ports, writing.blocks, writing.devices.find_device(target.node))) {
    const mad::AttrData planned = planned_block(entries, modifier);
    if (left_so(writing.known, target.node, modifier, planned)) {
      writing.devices.set(target.node, AttrId::multicast_forwarding, modifier, planned);
      continue;
    }
    Result<mad::AttrData> answer =
        co_await writing.client.get(target, AttrId::multicast_forwarding, modifier);
    all = all && answer.has_value();
    if (!answer) break;
    ++writing.counts.blocks_read;
    writing.devices.set(target.node, AttrId::multicast_forwarding, modifier, *answer);
  }
  co_return all;
}

asio::awaitable<bool> write_blocks(Writing& writing, transport::Target target, SwitchId id,
                                   std::uint32_t ports) {
  const auto& entries = (*writing.plan->tables)[raw(id)];
  for (const program::MftBlock& block :
       program::mft_work(entries, ports, writing.blocks, writing.devices.find_device(target.node))) {
    Result<mad::AttrData> answer =
        co_await writing.client.set(target, AttrId::multicast_forwarding, block.modifier, block.data);
    if (!answer) {
      // It may have been written all the same.
      writing.devices.device(target.node).erase(AttrId::multicast_forwarding, block.modifier);
      co_return false;
    }
    ++writing.counts.blocks_written;
    writing.devices.set(target.node, AttrId::multicast_forwarding, block.modifier, *answer);
  }
  const auto info = top_to_write(writing.devices.find_device(target.node), writing.plan->top);
  if (!info) co_return true;
  mad::AttrData data = *writing.devices.find(target.node, AttrId::switch_info, 0);
  mad::encode_into(std::span<std::uint8_t>(data), *info);
  Result<mad::AttrData> answer = co_await writing.client.set(target, AttrId::switch_info, 0, data);
  if (answer) writing.devices.set(target.node, AttrId::switch_info, 0, *answer);
  co_return answer.has_value();
}

/// Nothing for a switch that has no such table, or is not reached.
std::optional<transport::Target> target_of(const Writing& writing, SwitchId id) {
  const fabric::Fabric& fabric = *writing.plan->view->fabric;
  const fabric::Node& node = fabric.node(id);
  if (node.switch_facts.mft_capacity == 0) return std::nullopt;
  return transport::target_by(node.guid, writing.paths.ports_to(fabric.node_of(id)));
}

/// Before anything is written all that has to be known is read.
struct ReadSwitch {
  Writing* writing;
  asio::awaitable<void> operator()(SwitchId id) const { return run(*writing, id); }
  static asio::awaitable<void> run(Writing& writing, SwitchId id) {
    const auto target = target_of(writing, id);
    if (!target) co_return;
    const std::uint32_t ports = writing.plan->view->fabric->node(id).port_count;
    const bool read = co_await read_unknown(writing, *target, id, ports);
    writing.readable[raw(id)] = read;
    if (!read) writing.failed.push_back(id);
  }
};

struct WriteSwitch {
  Writing* writing;
  asio::awaitable<void> operator()(SwitchId id) const { return run(*writing, id); }
  static asio::awaitable<void> run(Writing& writing, SwitchId id) {
    const auto target = target_of(writing, id);
    if (!target || !writing.readable[raw(id)]) co_return;
    const std::uint32_t ports = writing.plan->view->fabric->node(id).port_count;
    const bool done = co_await write_blocks(writing, *target, id, ports);
    if (!done) writing.failed.push_back(id);
  }
};

/// Whether any block differs from what is held.
bool has_work(const Writing& writing) {
  const fabric::Fabric& fabric = *writing.plan->view->fabric;
  for (std::size_t s = 0; s < fabric.switch_count(); ++s) {
    const fabric::Node& node = fabric.node(static_cast<SwitchId>(s));
    if (writing.readable[s] && !program::mft_work((*writing.plan->tables)[s], node.port_count, writing.blocks,
                                                  writing.devices.find_device(node.guid))
                                    .empty())
      return true;
  }
  return false;
}

/// Blocks that these MLIDs stand in.
std::vector<std::uint32_t> blocks_of(const std::vector<Lid>& mlids) {
  std::vector<std::uint32_t> blocks;
  for (const Lid mlid : mlids) {
    const std::uint32_t block = program::mft_block_of(mlid);
    if (blocks.empty() || blocks.back() != block) blocks.push_back(block);
  }
  return blocks;
}

}  // namespace

Multicast::~Multicast() {
  around_.clock->cancel(timer_);
  around_.clock->cancel(keep_timer_);
}

void Multicast::publish(std::shared_ptr<const plan::View> view) {
  view_ = std::move(view);
  wake();
}

void Multicast::silence() {
  if (keep_timer_ != Clock::TimerId::none) keep_now();
  view_.reset();
  not_written_.clear();
  dirty_ = false;
  around_.clock->cancel(std::exchange(timer_, Clock::TimerId::none));
}

void Multicast::wake() {
  dirty_ = true;
  if (running_ || !view_ || timer_ != Clock::TimerId::none) return;
  const Instant now = around_.clock->now();
  const Instant due = last_ == Instant::min() ? now : std::max(last_ + interval_, now + kSettle);
  timer_ = around_.clock->at(due, [this] {
    timer_ = Clock::TimerId::none;
    start();
  });
}

void Multicast::start() {
  if (running_ || !view_ || !dirty_) return;
  running_ = true;
  dirty_ = false;
  last_ = around_.clock->now();
  around_.tasks->start(update());
}

asio::awaitable<void> Multicast::update() {
  if (!view_) {  // silenced before this began
    running_ = false;
    co_return;
  }
  auto compute = [view = view_, state = around_.state(), before = plan_] {
    return plan::plan_multicast(view, state, before.get());
  };
  std::shared_ptr<const plan::MulticastPlan> next = co_await compute_on(*around_.workers, std::move(compute));
  // A View that came meanwhile wants trees of its own.
  if (view_ == next->view) co_await apply(std::move(next));
  running_ = false;
  if (dirty_) wake();
}

asio::awaitable<void> Multicast::apply(std::shared_ptr<const plan::MulticastPlan> next) {
  const bool all = next->all || std::exchange(redo_, false);
  for (const auto& [mlid, tree] : next->trees) touched_.insert(program::mft_block_of(mlid));
  for (const auto& [guid, digests] : known_)
    for (const auto& [modifier, digest] : digests) touched_.insert(modifier & 0x1ff);
  // Where nobody has ever been a member there is nothing to write.
  const std::vector<std::uint32_t> blocks =
      all ? std::vector<std::uint32_t>(touched_.begin(), touched_.end()) : blocks_of(next->changed);
  plan_ = std::move(next);
  tell_problems();
  if (blocks.empty()) co_return;
  ++counts_.updates;
  const fabric::Fabric& fabric = *plan_->view->fabric;
  Writing writing{*around_.client,
                  *around_.devices,
                  counts_,
                  plan_,
                  fabric::PathTree(fabric, plan_->view->sm_port),
                  blocks,
                  known_};
  writing.readable.resize(fabric.switch_count());
  std::vector<SwitchId> switches(fabric.switch_count());
  for (std::size_t i = 0; i < switches.size(); ++i) switches[i] = static_cast<SwitchId>(i);
  const std::uint64_t before = counts_.blocks_written;
  const std::span<const SwitchId> items(switches);
  const auto window = static_cast<std::size_t>(around_.client->settings().window);
  const ReadSwitch read{&writing};
  co_await transport::for_each(items, window, read);
  if (has_work(writing)) co_await void_kept();
  const WriteSwitch write{&writing};
  co_await transport::for_each(items, window, write);
  counts_.failed += writing.failed.size();
  not_written_.clear();
  std::ranges::sort(writing.failed);
  for (const SwitchId id : writing.failed)
    not_written_.push_back(
        fmt::format("the multicast table of switch {} could not be written: members of groups behind "
                    "it may not be reached; it is tried again",
                    fabric::describe(fabric.node(id))));
  tell_problems();
  logger().debug("trees updated mlids={} blocks={} failed={}", plan_->changed.size(),
                 counts_.blocks_written - before, writing.failed.size());
  if (writing.failed.empty()) keep_soon();
  if (writing.failed.empty() || !view_) co_return;
  redo_ = true;
  logger().warn("multicast tables not written switches={} again_s={}", writing.failed.size(),
                kRedo.count() / 1'000'000'000);
  last_ = around_.clock->now() + kRedo - interval_;
  dirty_ = true;
}

/// Who is killed in the middle of writing must not trust what was there before. The fabric matters more than
/// the file: when that cannot be saved, tables are written all the same.
asio::awaitable<void> Multicast::void_kept() {
  around_.clock->cancel(std::exchange(keep_timer_, Clock::TimerId::none));
  if (!vouched() || !around_.keep) co_return;
  auto start = [this](transport::Completion<Result<void>> done) {
    auto wake = std::make_shared<transport::Completion<Result<void>>>(std::move(done));
    around_.keep(std::make_shared<const plan::MftDigestMap>(),
                 [wake](Result<void> saved) { (*wake)(std::move(saved)); });
  };
  Result<void> saved = co_await transport::suspend<Result<void>>(std::move(start));
  kept_ = nullptr;
  if (!saved) logger().error("digests not voided error=\"{}\"", saved.error().what);
}

void Multicast::keep_soon() {
  if (vouched() || !around_.keep || keep_timer_ != Clock::TimerId::none) return;
  keep_timer_ = around_.clock->after(kKeepAfter, [this] { keep_now(); });
}

void Multicast::keep_now() {
  around_.clock->cancel(std::exchange(keep_timer_, Clock::TimerId::none));
  if (running_) return keep_soon();
  if (!view_) return;
  auto digests = std::make_shared<plan::MftDigestMap>();
  for (const NodeId node : view_->fabric->switches()) {
    const Guid guid = view_->fabric->node(node).guid;
    const mad::DeviceBlocks* device = around_.devices->find_device(guid);
    const mad::BlockTable* table = device == nullptr ? nullptr : device->table(AttrId::multicast_forwarding);
    if (table == nullptr) continue;
    plan::MftDigests& of = (*digests)[guid];
    for (std::size_t i = 0; i < table->size(); ++i)
      of[table->modifiers()[i]] = plan::block_digest(table->data()[i]);
  }
  known_.clear();  // the Shadow knows it all by now
  kept_ = digests;
  around_.keep(std::move(digests), {});
}

void Multicast::forget(std::span<const Guid> switches) {
  const auto named = [this](Guid guid) { return kept_ && kept_->contains(guid); };
  for (const Guid guid : switches) known_.erase(guid);
  if (std::ranges::none_of(switches, named)) return;
  if (around_.keep) around_.keep(std::make_shared<const plan::MftDigestMap>(), {});
  kept_ = nullptr;
}

std::vector<std::string> Multicast::problems() const {
  std::vector<std::string> all = plan_ ? plan_->problems : std::vector<std::string>();
  all.insert(all.end(), not_written_.begin(), not_written_.end());
  return all;
}

void Multicast::tell_problems() {
  const std::vector<std::string> now = problems();
  for (const std::string& problem : now) {
    if (std::ranges::find(told_, problem) != told_.end()) continue;
    logger().warn("{}", problem);
    if (around_.tell) around_.tell(problem);
  }
  told_ = now;
}

}  // namespace weft::daemon
