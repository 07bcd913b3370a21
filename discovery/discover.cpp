#include "discovery/discover.h"

#include <algorithm>
#include <numeric>

#include "discovery/convert.h"
#include "discovery/run.h"
#include "fabric/path_tree.h"

namespace weft::discovery {

using fabric::Builder;
using mad::AttrId;
using transport::Target;

namespace {

std::string describe_end(const Builder& builder, Builder::End end) {
  return fmt::format("{} port {}", fabric::describe(builder.node(end.guid)), raw(end.port));
}

}  // namespace

asio::awaitable<Result<Discovered>> Run::run() {
  client_.forget_mute();
  Result<mad::NodeInfo> own = co_await read_node_info(mad::DirectedRoute{});
  if (!own) co_return fail(own.error().code, "our own port does not answer: {}", own.error().what);
  own_node_ = own->node_guid;
  own_port_ = own->type == NodeType::switch_ ? PortNum{0} : own->local_port;
  admit(*own, mad::DirectedRoute{});
  co_await tasks_.all();
  if (own->type != NodeType::switch_) {
    const fabric::Port& port = builder_.port(own_node_, own_port_);
    if (!port.known) co_return fail(Errc::timeout, "our own port does not tell its PortInfo");
    if (port.state < PortState::init) co_return fail(Errc::unavailable, "the link of our own port is down");
  }
  co_return finish();
}

asio::awaitable<Result<mad::NodeInfo>> Run::read_node_info(mad::DirectedRoute route) {
  Target target;
  target.route = route;
  Result<mad::AttrData> answer = co_await client_.get(target, AttrId::node_info, 0);
  if (!answer) co_return fail(answer.error());
  const auto info = mad::decode<mad::NodeInfo>(*answer);
  if (const auto why = nonsense_in(info))
    co_return fail(Errc::bad_answer, "NodeInfo by {}: {}", mad::to_string(route), *why);
  co_return info;
}

void Run::report(Finding::Kind kind, Guid node, std::string what) {
  result_.findings.push_back({kind, node, std::move(what)});
}

/// A node seen for the first time.
void Run::admit(const mad::NodeInfo& info, const mad::DirectedRoute& route) {
  fabric::Node node = to_node(info);
  const auto name = options_.names.find(info.node_guid);
  if (name != options_.names.end()) node.description = name->second;
  const Result<void> added = builder_.add_node(std::move(node));
  if (!added) return report(Finding::Kind::nonsense, info.node_guid, added.error().what);
  found_[info.node_guid] = {route, info.local_port};
  if (options_.progress) options_.progress(found_.size());
  Target target;
  target.node = info.node_guid;
  target.route = route;
  if (info.type == NodeType::switch_)
    tasks_.start(explore_switch(target, info.port_guid));
  else
    tasks_.start(explore_end_node(target, info));
}

/// False when a known GUID answers with another kind of node behind it.
bool Run::is_same_node(const mad::NodeInfo& info) const {
  const fabric::Node& known = builder_.node(info.node_guid);
  return known.type == info.type && known.port_count == info.port_count &&
         known.system_guid == info.system_guid && known.vendor == info.vendor && known.device == info.device;
}

/// "behind 0x... (leaf-3) port 7 by 0,1,7"
std::string Run::place(Builder::End from, const mad::DirectedRoute& route) const {
  return fmt::format("behind {} by {}", describe_end(builder_, from), mad::to_string(route));
}

/// Where a node was found first.
std::string Run::place_of(Guid guid) {
  const Found& at = found(guid);
  if (const auto peer = builder_.peer({guid, at.entry})) return place(*peer, at.route);
  return guid == own_node_ ? "here" : "by " + mad::to_string(at.route);
}

asio::awaitable<void> Run::probe(Builder::End from, mad::DirectedRoute route) {
  if (builder_.peer(from)) co_return;  // found from the other end meanwhile
  Result<mad::NodeInfo> info = co_await read_node_info(route);
  if (!info) {
    if (info.error().code == Errc::cancelled || builder_.peer(from)) co_return;
    const bool silent = info.error().code == Errc::timeout;
    report(silent ? Finding::Kind::mute : Finding::Kind::nonsense, Guid{},
           fmt::format("behind {}: {}", describe_end(builder_, from), info.error().what));
    if (silent) result_.findings.back().behind = from;
    unanswered_.push_back({from, route, {}});
    co_return;
  }
  const Builder::End to{info->node_guid, info->local_port};
  if (!builder_.has_node(info->node_guid)) {
    admit(*info, route);
    join(from, to, route);
    co_return;
  }
  if (!is_same_node(*info)) {
    report(Finding::Kind::duplicate_guid, info->node_guid,
           fmt::format("GUID {} answers at two places with different nodes: {} and {}",
                       to_string(info->node_guid), place_of(info->node_guid), place(from, route)));
    unanswered_.push_back({from, route, info->node_guid});
    co_return;
  }
  join(from, to, route);
  if (known_ != nullptr && known_->fabric->find(info->node_guid)) {
    co_await look_behind(route, *info);
    co_return;
  }
  const bool new_port = info->type != NodeType::switch_ && !builder_.port(to.guid, to.port).known;
  if (!new_port) co_return;
  Target target;
  target.node = info->node_guid;
  target.route = route;
  co_await read_port(target, to.port, info->port_guid);
}

void Run::join(Builder::End from, Builder::End to, const mad::DirectedRoute& route) {
  const Result<void> joined = builder_.connect(from, to);
  if (joined) return;
  report(Finding::Kind::duplicate_guid, to.guid,
         fmt::format("GUID {} answers at two places, or a cable moved while we looked: {}; {} and {}",
                     to_string(to.guid), joined.error().what, place_of(to.guid), place(from, route)));
  unanswered_.push_back({from, route, to.guid});
}

asio::awaitable<void> Run::explore_end_node(Target target, mad::NodeInfo info) {
  co_await read_port(target, info.local_port, info.port_guid);
  co_await read_description(target);
  if (target.node == own_node_) probe_links_of(target.node);
}

asio::awaitable<void> Run::explore_switch(Target target, Guid port_guid) {
  const bool answered = co_await read_switch_info(target);
  if (!answered) co_return;
  co_await read_port(target, PortNum{0}, port_guid);
  std::vector<PortNum> ports(builder_.node(target.node).port_count);
  for (std::size_t p = 0; p < ports.size(); ++p) ports[p] = static_cast<PortNum>(p + 1);
  const std::span<const PortNum> all(ports);
  const ReadPort read{this, target};
  co_await transport::for_each(all, static_cast<std::size_t>(client_.settings().per_node), read);
  co_await read_description(target);
  probe_links_of(target.node);
}

void Run::probe_links_of(Guid guid) {
  const Found at = found(guid);
  if (at.route.full())
    return report(Finding::Kind::refused, guid,
                  fmt::format("{} is {} hops away, further than a directed route reaches",
                              fabric::describe(builder_.node(guid)), mad::kMaxHops));
  for (int p = 1; p <= builder_.node(guid).port_count; ++p) {
    const Builder::End from{guid, static_cast<PortNum>(p)};
    if (is_up(builder_.port(guid, from.port)) && !builder_.peer(from))
      tasks_.start(probe(from, at.route.then(from.port)));
  }
}

asio::awaitable<void> Run::read_port(Target target, PortNum port, Guid port_guid) {
  Result<mad::AttrData> answer =
      co_await client_.get(target, AttrId::port_info, mad::port_info_modifier(port));
  const std::string where = fmt::format("PortInfo of {} by {}", describe_end(builder_, {target.node, port}),
                                        mad::to_string(target.route));
  if (!answer) {
    const bool silent = answer.error().code == Errc::timeout;
    report(silent ? Finding::Kind::mute : Finding::Kind::refused, target.node,
           fmt::format("{}: {}", where, answer.error().what));
    co_return;
  }
  const auto info = mad::decode<mad::PortInfo>(*answer);
  if (const auto why = mad::nonsense_in(info)) {
    report(Finding::Kind::nonsense, target.node, fmt::format("{}: {}", where, *why));
    co_return;
  }
  if (raw(port) == 0) note_boot(target.node, info);
  shadow_.set(target.node, AttrId::port_info, raw(port), *answer);
  (void)builder_.set_port(target.node, port, to_port(info, port_guid));
  const bool runs_sm = port_guid != Guid{} && mad::has(info, mad::PortCap::is_sm);
  if (runs_sm && target.node != own_node_) tasks_.start(read_manager(target));
}

asio::awaitable<void> Run::read_description(Target target) {
  if (options_.names.contains(target.node)) co_return;
  Result<mad::AttrData> answer = co_await client_.get(target, AttrId::node_description, 0);
  if (!answer) {
    report(Finding::Kind::refused, target.node,
           fmt::format("{} by {}: {}", to_string(target.node), mad::to_string(target.route),
                       answer.error().what));
    co_return;
  }
  builder_.set_description(target.node, mad::decode<mad::NodeDescription>(*answer).text);
}

/// Clears PortStateChange before the ports are read, where we may: what changes from then on sets it anew.
asio::awaitable<bool> Run::read_switch_info(Target target) {
  Result<mad::AttrData> answer = co_await client_.get(target, AttrId::switch_info, 0);
  if (!answer) {
    report(answer.error().code == Errc::timeout ? Finding::Kind::mute : Finding::Kind::refused, target.node,
           fmt::format("{} by {}: {}", to_string(target.node), mad::to_string(target.route),
                       answer.error().what));
    co_return false;
  }
  auto info = mad::decode<mad::SwitchInfo>(*answer);
  note_boot(target.node, info);
  if (info.state_changed) changed_.insert(target.node);
  if (info.state_changed && options_.may_write) {
    const mad::AttrData clear = *answer;  // PortStateChange stands at 1, which clears it
    Result<mad::AttrData> cleared = co_await client_.set_once(target, AttrId::switch_info, 0, clear);
    if (!cleared) cleared = co_await client_.get(target, AttrId::switch_info, 0);
    if (cleared) answer = cleared;
    info = mad::decode<mad::SwitchInfo>(*answer);
  }
  if (info.state_changed) result_.state_changed.push_back(target.node);
  shadow_.set(target.node, AttrId::switch_info, 0, *answer);
  builder_.set_switch_facts(target.node, to_switch_facts(info));
  co_return true;
}

/// LinearFDBTop back at zero where we know that it was not: the tables are gone.
void Run::note_boot(Guid guid, const mad::SwitchInfo& info) {
  const mad::DeviceBlocks* device = shadow_.find_device(guid);
  if (device == nullptr) return;
  const auto before = mad::held<mad::SwitchInfo>(*device, AttrId::switch_info, 0);
  if (before && before->lft_top != Lid{} && info.lft_top == Lid{}) drop_tables(guid);
}

void Run::drop_tables(Guid guid) {
  shadow_.device(guid).erase(AttrId::linear_forwarding);
  if (options_.booted) options_.booted(guid);
}

/// The LIDs of port 0 back at zero say the same, also when our own Set has just restored LinearFDBTop.
void Run::note_boot(Guid guid, const mad::PortInfo& port0) {
  const mad::DeviceBlocks* device = shadow_.find_device(guid);
  if (device == nullptr) return;
  const auto before = mad::held<mad::PortInfo>(*device, AttrId::port_info, 0);
  const bool lost_lid = before && before->lid != Lid{} && port0.lid == Lid{};
  const bool lost_sm = before && before->sm_lid != Lid{} && port0.sm_lid == Lid{};
  if (lost_lid || lost_sm) drop_tables(guid);
}

/// Asked as if nobody knew who is there: a manager that is silent does not make its node a mute one.
asio::awaitable<void> Run::read_manager(Target target) {
  Target manager;
  manager.route = target.route;
  Result<mad::AttrData> answer = co_await client_.get(manager, AttrId::sm_info, 0);
  if (!answer) {
    // A refusal says that no manager is there; silence may be a busy one, or an M_Key that is not ours.
    const Errc code = answer.error().code;
    if (code != Errc::timeout && code != Errc::busy) co_return;
    result_.silent.push_back({{}, target.node, target.route});
    report(Finding::Kind::silent_manager, target.node,
           fmt::format("{} by {} has IsSM set, but its subnet manager does not answer: {}",
                       to_string(target.node), mad::to_string(target.route), answer.error().what));
    co_return;
  }
  result_.managers.push_back({mad::decode<mad::SmInfo>(*answer), target.node, target.route});
}

/// A node whose port or switch attributes could not be read cannot be programmed: nothing may be routed
/// through it.
bool Run::drop_unreadable() {
  std::vector<Guid> unreadable;
  for (const auto& [guid, at] : found_) {
    if (!builder_.has_node(guid) || guid == own_node_) continue;
    const bool is_switch = builder_.node(guid).type == NodeType::switch_;
    const PortNum must_know = is_switch ? PortNum{0} : at.entry;
    if (!builder_.port(guid, must_know).known) unreadable.push_back(guid);
  }
  for (const Guid guid : unreadable) {
    for (int p = 1; p <= builder_.node(guid).port_count; ++p)
      if (const auto peer = builder_.peer({guid, static_cast<PortNum>(p)}))
        unanswered_.push_back({*peer, found(peer->guid).route.then(peer->port), guid});
    builder_.drop_node(guid);
  }
  return !unreadable.empty();
}

/// What only a node that was left out, or a link that is gone, leads to cannot be reached by any route that
/// we know: all but that.
fabric::Fabric Run::reachable() {
  fabric::Fabric fabric = builder_.build();
  const fabric::PathTree paths(fabric, {*fabric.find(own_node_), own_port_});
  bool all = true;
  for (std::size_t n = 0; n < fabric.node_count(); ++n) {
    if (paths.reaches(static_cast<NodeId>(n))) continue;
    builder_.drop_node(fabric.node(static_cast<NodeId>(n)).guid);
    all = false;
  }
  return all ? std::move(fabric) : builder_.build();
}

Discovered Run::finish() {
  const bool some_dropped = drop_unreadable();
  auto fabric = std::make_shared<const fabric::Fabric>(some_dropped || known_ != nullptr ? reachable()
                                                                                         : builder_.build());
  if (known_ != nullptr) keep_managers_once();
  result_.own_port = {*fabric->find(own_node_), own_port_};
  for (const auto& [end, route, heard] : unanswered_) {
    if (!fabric->find(end.guid)) continue;
    const fabric::PortRef port{*fabric->find(end.guid), end.port};
    if (!fabric->port(port).peer) result_.dangling.push_back({port, route, heard});
  }
  // Who kept silent when asked from one end may have told of the link from the other.
  std::erase_if(result_.findings, [&fabric](const Finding& one) {
    const auto node = one.behind ? fabric->find(one.behind->guid) : std::nullopt;
    return one.kind == Finding::Kind::mute && node &&
           fabric->port({*node, one.behind->port}).peer.has_value();
  });
  std::ranges::sort(result_.managers, {}, [](const Manager& m) { return m.info.guid; });
  std::ranges::sort(result_.silent, {}, &Manager::node);
  std::ranges::sort(result_.findings, {}, &Finding::what);
  std::ranges::sort(result_.dangling, {}, &Dangling::port);
  std::ranges::sort(result_.state_changed);
  result_.fabric = std::move(fabric);
  return std::move(result_);
}

asio::awaitable<Result<Discovered>> discover(transport::SmpClient& client, mad::Shadow& shadow,
                                             DiscoverOptions options) {
  const auto executor = co_await asio::this_coro::executor;
  Run run(client, shadow, std::move(options), executor);
  Result<Discovered> found = co_await run.run();
  co_return found;
}

}  // namespace weft::discovery
