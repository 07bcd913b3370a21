#include "daemon/audit.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "base/words.h"
#include "fabric/path_tree.h"
#include "program/audit_blocks.h"
#include "program/render.h"
#include "transport/target.h"

namespace weft::daemon {
namespace {

constexpr Duration kShortest = std::chrono::milliseconds(10);
constexpr Duration kLookAgain = std::chrono::seconds(1);
constexpr std::size_t kNamed = 3;

/// One device under audit. Its coroutines borrow it.
struct Look {
  transport::SmpClient& client;
  const plan::View& view;
  NodeId node;
  fabric::PathTree paths;
  std::vector<std::string> differ;

  std::optional<transport::Target> way_to(PortNum at) const {
    const Guid guid = view.fabric->node(node).guid;
    return raw(at) == 0 ? transport::target_by(guid, paths.ports_to(node))
                        : transport::target_by(guid, paths.ports_to(*view.fabric, {node, at}));
  }
};

struct ReadBlock {
  Look* look;
  asio::awaitable<void> operator()(const program::TableSet& block) const { return run(*look, block); }
  static asio::awaitable<void> run(Look& look, program::TableSet block) {
    const auto way = look.way_to(block.at);
    if (!way) co_return;
    Result<mad::AttrData> answer = co_await look.client.get(*way, block.attribute, block.modifier);
    if (answer && !program::holds(block, *answer)) look.differ.push_back(program::describe(block));
  }
};

struct ReadPort {
  Look* look;
  asio::awaitable<void> operator()(PortNum port) const { return run(*look, port); }
  static asio::awaitable<void> run(Look& look, PortNum port) {
    const fabric::Fabric& fabric = *look.view.fabric;
    const fabric::PortRef ref{look.node, port};
    const auto way = look.way_to(fabric.is_switch(look.node) ? PortNum{0} : port);
    if (!way) co_return;
    Result<mad::AttrData> answer =
        co_await look.client.get(*way, mad::AttrId::port_info, mad::port_info_modifier(port));
    if (!answer) co_return;
    const plan::DeviceMap& devices = *look.view.ledger.devices;
    const auto record = devices.find(way->node);
    const std::uint32_t unkept = record == devices.end() ? 0 : record->second->unkept_fields;
    const bool external = raw(port) != 0 && fabric.is_switch(look.node);
    const mad::AttrData held = *answer;
    const auto work = program::port_work(look.view.plan->ports[fabric.node(look.node).first_port + raw(port)],
                                         ref, &held, external, unkept);
    if (work && work->settings) look.differ.push_back(fmt::format("PortInfo of port {}", raw(port)));
  }
};

/// What the multicast tables of a switch were last set to.
void add_multicast(const mad::Shadow& devices, Guid node, std::vector<program::TableSet>& blocks) {
  const mad::DeviceBlocks* device = devices.find_device(node);
  const mad::BlockTable* table =
      device == nullptr ? nullptr : device->table(mad::AttrId::multicast_forwarding);
  if (table == nullptr) return;
  for (std::size_t i = 0; i < table->size(); ++i)
    blocks.push_back(
        {mad::AttrId::multicast_forwarding, table->modifiers()[i], table->data()[i], PortNum{0}});
}

std::vector<PortNum> ports_of(const fabric::Fabric& fabric, NodeId node) {
  std::vector<PortNum> ports;
  if (fabric.is_switch(node)) ports.push_back(PortNum{0});
  for (std::size_t p = 1; p < fabric.ports(node).size(); ++p)
    if (fabric.ports(node)[p].peer) ports.push_back(static_cast<PortNum>(p));
  return ports;
}

}  // namespace

void Audit::start(Duration interval) {
  stop();
  interval_ = interval;
  if (interval_ > Duration::zero()) next_later();
}

void Audit::stop() { around_.clock->cancel(std::exchange(timer_, Clock::TimerId::none)); }

/// The next device comes when its part of the round has passed, and while the fabric is at rest.
void Audit::next_later() {
  const std::shared_ptr<const plan::View> view = around_.at_rest();
  const auto nodes =
      static_cast<Duration::rep>(view ? std::max<std::size_t>(1, view->fabric->node_count()) : 1);
  const Duration wait = view ? std::max(kShortest, interval_ / nodes) : std::min(kLookAgain, interval_);
  const bool waits = !view;
  timer_ = around_.clock->after(wait, [this, waits] {
    timer_ = Clock::TimerId::none;
    if (waits) return next_later();
    around_.tasks->start(look_at_next());
  });
}

asio::awaitable<void> Audit::look_at_next() {
  const std::shared_ptr<const plan::View> view = around_.at_rest();
  next_later();
  if (!view || !view->plan) co_return;
  const fabric::Fabric& fabric = *view->fabric;
  if (next_ >= fabric.node_count()) finish_round();
  const auto node = static_cast<NodeId>(next_++);
  Look look{*around_.client, *view, node, fabric::PathTree(fabric, view->sm_port), {}};
  const std::uint64_t sweep = around_.sweeps();
  const auto window = static_cast<std::size_t>(around_.client->settings().per_node);
  std::vector<program::TableSet> blocks = program::planned_blocks(fabric, *view->plan, node);
  if (fabric.is_switch(node)) add_multicast(*around_.devices, fabric.node(node).guid, blocks);
  const std::span<const program::TableSet> tables(blocks);
  const ReadBlock read_block{&look};
  co_await transport::for_each(tables, window, read_block);
  const std::vector<PortNum> numbers = ports_of(fabric, node);
  const std::span<const PortNum> ports(numbers);
  const ReadPort read_port{&look};
  co_await transport::for_each(ports, window, read_port);
  const bool still = sweep == around_.sweeps() && around_.at_rest() == view;
  if (!still || timer_ == Clock::TimerId::none) co_return;
  ++looked_at_;
  if (look.differ.empty()) co_return;
  ++drifted_;
  const std::size_t more = look.differ.size() > kNamed ? look.differ.size() - kNamed : 0;
  look.differ.resize(look.differ.size() - more);
  around_.drifted(
      fabric.node(node).guid,
      fmt::format("{} does not hold what was written to it: {}{}. Somebody else has written there, or it "
                  "lost it; it is written again",
                  fabric::describe(fabric.node(node)), fmt::join(look.differ, ", "),
                  more > 0 ? fmt::format(" and {} more", more) : ""));
}

void Audit::finish_round() {
  if (looked_at_ > 0)
    around_.tell(
        drifted_ > 0 ? Severity::warning : Severity::info,
        fmt::format("{} audited: {}", counted(looked_at_, "device"),
                    drifted_ == 0 ? "all hold what was written to them"
                                  : fmt::format("{} did not hold what was written to them", drifted_)));
  next_ = looked_at_ = drifted_ = 0;
}

}  // namespace weft::daemon
