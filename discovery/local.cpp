#include "discovery/local.h"

#include <algorithm>

#include "discovery/convert.h"
#include "discovery/run.h"
#include "fabric/path_tree.h"
#include "fabric/without_links.h"
#include "mad/tables.h"

namespace weft::discovery {

using fabric::Builder;
using mad::AttrId;
using transport::Target;

/// Everything as it was, but for the links of the places.
void Run::start_from(const Discovered& known, std::span<const Guid> places) {
  known_ = &known;
  places_.insert(places.begin(), places.end());
  const fabric::Fabric& fabric = *known.fabric;
  known_paths_.emplace(fabric, known.own_port);
  own_node_ = fabric.node(known.own_port.node).guid;
  own_port_ = known.own_port.port;
  result_.managers = known.managers;
  builder_ = fabric::builder_of(fabric, places_);
  for (std::size_t n = 0; n < fabric.node_count(); ++n)
    if (!known_paths_->reaches(static_cast<NodeId>(n))) unclear_ = true;
}

/// Where a node was found; in a local run, at first, where it was known to be.
Run::Found& Run::found(Guid guid) {
  const auto [at, is_new] = found_.try_emplace(guid);
  const auto node = is_new && known_ != nullptr ? known_->fabric->find(guid) : std::nullopt;
  const auto way = node ? known_paths_->ports_to(*node) : std::nullopt;
  if (way) at->second = {mad::DirectedRoute(*way), known_paths_->entry_port(*node)};
  return at->second;
}

asio::awaitable<Result<Discovered>> Run::run_around(const Discovered& known, std::span<const Guid> places) {
  client_.forget_mute();
  start_from(known, places);
  Target ourselves;
  ourselves.node = own_node_;
  co_await read_port(ourselves, own_port_, builder_.port(own_node_, own_port_).guid);
  co_await look_at_places();
  co_await look_at_lost_ends();
  const bool own_link = is_up(builder_.port(own_node_, own_port_)) || raw(own_port_) == 0;
  if (unclear_ || !own_link || !result_.findings.empty() || !unanswered_.empty())
    co_return fail(Errc::unsafe, "what is seen around {} does not fit with what was known",
                   places.empty() ? "nothing" : to_string(places.front()));
  co_return finish();
}

/// Who was asked again stands there twice: what it said last counts.
void Run::keep_managers_once() {
  std::ranges::reverse(result_.managers);
  std::vector<Manager> managers;
  for (const Manager& one : result_.managers) {
    const bool here = builder_.has_node(one.node);
    if (here && std::ranges::find(managers, one.node, &Manager::node) == managers.end())
      managers.push_back(one);
  }
  result_.managers = std::move(managers);
}

/// At once, but for those whose way leads through others of them: these may show that a link is down, and
/// then the ones behind are asked by ways around it.
asio::awaitable<void> Run::look_at_places() {
  std::set<Guid> left;
  for (const Guid place : places_)
    if (const auto node = known_->fabric->find(place); node && known_paths_->reaches(*node))
      left.insert(place);
  while (!left.empty()) {
    const std::size_t lost_before = lost_.size();
    std::set<Guid> behind;
    for (const Guid place : left) {
      if (leads_through(place, left))
        behind.insert(place);
      else
        also_look(place);
    }
    co_await tasks_.all();
    const bool stuck = behind.size() == left.size();
    left = std::move(behind);
    if (stuck) unclear_ = true;
    if (stuck) co_return;
    if (lost_.size() > lost_before) go_around_lost_links(left);
  }
}

/// Whether the way to a place goes by another one of these.
bool Run::leads_through(Guid place, const std::set<Guid>& others) {
  const fabric::Fabric& fabric = *known_->fabric;
  const mad::DirectedRoute& route = found(place).route;
  NodeId at = known_->own_port.node;
  for (int hop = 0; hop < route.hops(); ++hop) {
    const auto& peer = fabric.port({at, route.port(hop)}).peer;
    if (!peer) return false;
    at = peer->node;
    if (hop + 1 < route.hops() && others.contains(fabric.node(at).guid)) return true;
  }
  return false;
}

void Run::go_around_lost_links(std::set<Guid>& places) {
  if (places.empty()) return;
  std::vector<fabric::PortRef> lost;
  for (const Lost& one : lost_)
    if (const auto node = known_->fabric->find(one.here.guid)) lost.push_back({*node, one.here.port});
  const fabric::Fabric left = fabric::without_links(*known_->fabric, lost);
  const fabric::PathTree paths(left, known_->own_port);
  std::erase_if(places, [&](Guid place) {
    const auto way = paths.ports_to(*left.find(place));
    if (way) found(place).route = mad::DirectedRoute(*way);
    return !way;  // gone with its link
  });
}

void Run::also_look(Guid place) {
  if (looked_at_.insert(place).second) tasks_.start(look_again(place));
}

asio::awaitable<void> Run::look_again(Guid place) {
  Target target;
  target.node = place;
  target.route = found(place).route;
  // When our own cable has moved, all routes lead elsewhere.
  Result<mad::NodeInfo> info = co_await read_node_info(target.route);
  if (!info || info->node_guid != place) {
    unclear_ = true;
    co_return;
  }
  const bool answered = co_await read_switch_info(target);
  if (!answered) co_return;
  const bool said_so = changed_.contains(place);
  co_await read_port(target, PortNum{0}, builder_.port(place, PortNum{0}).guid);
  const bool believed = options_.brief.contains(place) && !said_so;
  if (!believed) {
    const std::vector<PortNum> ports = co_await ports_to_read(target);
    const std::span<const PortNum> all(ports);
    const ReadPort read{this, target};
    co_await transport::for_each(all, static_cast<std::size_t>(client_.settings().per_node), read);
  }
  for (int p = 1; p <= builder_.node(place).port_count; ++p) compare_port({place, static_cast<PortNum>(p)});
  // What set PortStateChange is over, or is nothing that a switch's ports show.
  if (said_so && !shows_change(place)) unclear_ = true;
}

/// Ports of a switch that may have changed: those whose state differs from what is known, where the switch
/// tells all states in one packet; else all. A link that went and came between two looks stands in Init.
asio::awaitable<std::vector<PortNum>> Run::ports_to_read(Target target) {
  std::vector<PortNum> all(builder_.node(target.node).port_count);
  for (std::size_t p = 0; p < all.size(); ++p) all[p] = static_cast<PortNum>(p + 1);
  const mad::AttrData* port0 = shadow_.find(target.node, AttrId::port_info, 0);
  const bool offered =
      port0 != nullptr && mad::has(mad::decode<mad::PortInfo>(*port0), mad::PortCap2::switch_port_state);
  if (!offered) co_return all;
  const Result<mad::AttrData> answer = co_await client_.get(target, AttrId::switch_port_state, 0);
  if (!answer) co_return all;
  const auto table = mad::decode<mad::SwitchPortStateTable>(*answer);
  std::erase_if(all, [&](PortNum port) {
    return raw(port) < table.states.size() &&
           table.states[raw(port)] == builder_.port(target.node, port).state;
  });
  co_return all;
}

bool Run::shows_change(Guid place) const {
  const NodeId node = *known_->fabric->find(place);
  const auto before = known_->fabric->ports(node);
  for (std::size_t p = 1; p < before.size(); ++p) {
    const fabric::Port& now = builder_.port(place, static_cast<PortNum>(p));
    if (now.state != before[p].state || now.phys != before[p].phys) return true;
  }
  return false;
}

/// A port that was Active and is has not changed; one that went down and came up stands in Init.
void Run::compare_port(Builder::End here) {
  const fabric::Fabric& before = *known_->fabric;
  const NodeId node = *before.find(here.guid);
  const fabric::Port& was = before.ports(node)[raw(here.port)];
  const fabric::Port& now = builder_.port(here.guid, here.port);
  std::optional<Builder::End> peer;
  if (was.peer) peer = Builder::End{before.node(was.peer->node).guid, was.peer->port};
  if (peer && was.state == PortState::active && now.state == PortState::active) {
    if (!builder_.connect(here, *peer)) unclear_ = true;
    return;
  }
  if (!is_up(now)) {
    if (builder_.peer(here)) unclear_ = true;  // its other end has not said so
    if (peer) lost_.push_back({here, *peer});
    return;
  }
  if (const auto joined = builder_.peer(here)) {
    const bool as_it_was = peer == joined && !places_.contains(here.guid) && !places_.contains(joined->guid);
    if (as_it_was) tasks_.start(look_across(here, *joined));
    return;  // else it was found from the other end meanwhile
  }
  tasks_.start(probe(here, found(here.guid).route.then(here.port)));
}

/// A link that was taken as it was has been down: the other end must be looked at, too.
asio::awaitable<void> Run::look_across(Builder::End here, Builder::End peer) {
  const mad::DirectedRoute route = found(here.guid).route.then(here.port);
  Result<mad::NodeInfo> info = co_await read_node_info(route);
  if (!info || info->node_guid != peer.guid || info->local_port != peer.port) {
    unclear_ = true;
    co_return;
  }
  co_await look_behind(route, *info);
}

/// The other end of a link that has come up, on a node that is known. A switch there may have changed at
/// other ports, too, and has not said so yet.
asio::awaitable<void> Run::look_behind(mad::DirectedRoute route, mad::NodeInfo info) {
  if (info.type == NodeType::switch_) {
    also_look(info.node_guid);
    co_return;
  }
  Target target;
  target.node = info.node_guid;
  target.route = route;
  co_await read_port(target, info.local_port, info.port_guid);
  co_await read_description(target);
}

/// Where the other end of a link that is down can still be reached, it must say so, too.
asio::awaitable<void> Run::look_at_lost_ends() {
  for (std::size_t done = 0; done < lost_.size();) {
    std::optional<fabric::Fabric> fabric;  // as it is now; made for those who are asked only
    std::optional<fabric::PathTree> paths;
    for (; done < lost_.size(); ++done) {
      const Lost lost = lost_[done];
      const auto joined = builder_.peer(lost.peer);
      if (joined == lost.here) unclear_ = true;  // one end says up, the other one down
      if (joined) continue;                      // it hangs on another port now
      if (looked_at_.contains(lost.peer.guid)) continue;
      if (!fabric) {
        fabric = builder_.build();
        paths.emplace(*fabric, fabric::PortRef{*fabric->find(own_node_), own_port_});
      }
      const auto node = fabric->find(lost.peer.guid);
      const auto way = node ? paths->ports_to(*node) : std::nullopt;
      if (!way) continue;  // gone with its link
      found(lost.peer.guid).route = mad::DirectedRoute(*way);
      if (fabric->is_switch(*node)) {
        also_look(lost.peer.guid);
        continue;
      }
      Target target;
      target.node = lost.peer.guid;
      target.route = found(lost.peer.guid).route;
      co_await read_port(target, lost.peer.port, builder_.port(lost.peer.guid, lost.peer.port).guid);
      if (is_up(builder_.port(lost.peer.guid, lost.peer.port))) unclear_ = true;
    }
    co_await tasks_.all();
  }
}

asio::awaitable<Result<Discovered>> discover_around(transport::SmpClient& client, mad::Shadow& shadow,
                                                    DiscoverOptions options,
                                                    std::shared_ptr<const Discovered> known,
                                                    std::vector<Guid> places) {
  const auto executor = co_await asio::this_coro::executor;
  Run run(client, shadow, std::move(options), executor);
  const std::span<const Guid> all(places);
  Result<Discovered> found = co_await run.run_around(*known, all);
  co_return found;
}

}  // namespace weft::discovery
