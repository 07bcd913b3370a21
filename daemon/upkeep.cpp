#include "daemon/upkeep.h"

#include <algorithm>

#include "base/units.h"
#include "base/words.h"
#include "plan/find.h"
#include "plan/routes_over.h"

namespace weft::daemon {

using fabric::Fabric;
using fabric::PortRef;
using plan::Order;
using plan::Place;

/// A place in the Fabric.
struct Upkeep::Found {
  PortRef at;
  Place place;
  bool is_node() const { return raw(at.port) == 0; }
};

namespace {

std::string where(const Fabric& fabric, PortRef port) {
  if (raw(port.port) == 0) return fabric::describe(fabric.node(port.node));
  const auto& peer = fabric.port(port).peer;
  return fabric::describe(fabric, port) + (peer ? " to " + fabric::describe(fabric, *peer) : std::string());
}

/// The port, or with port 0 the node; nothing when it is not there.
std::optional<PortRef> there(const Fabric& fabric, Place place) {
  const auto node = fabric.find(place.node);
  if (!node || raw(place.port) > fabric.node(*node).port_count) return std::nullopt;
  return PortRef{*node, place.port};
}

/// "3 nodes would be cut off: a, b and c"
std::string named(const Fabric& fabric, const std::vector<NodeId>& nodes) {
  constexpr std::size_t kNamed = 8;
  std::string text = counted(nodes.size(), "node") + " would be cut off: ";
  for (std::size_t i = 0; i < std::min(nodes.size(), kNamed); ++i)
    text += (i == 0 ? "" : ", ") + fabric::describe(fabric.node(nodes[i]));
  if (nodes.size() > kNamed) text += fmt::format(" and {} more", nodes.size() - kNamed);
  return text;
}

/// Of a link's two ends the switch port that can still be reached when it is closed, the given one first.
std::optional<PortRef> end_to_close(const plan::View& view, PortRef port) {
  const Fabric& fabric = *view.fabric;
  const PortRef link[] = {port};
  const std::vector<NodeId> lost = plan::cut_off(fabric, view.sm_port, link);
  for (const PortRef end : {port, fabric.port(port).peer.value_or(port)})
    if (fabric.is_switch(end.node) && raw(end.port) != 0 && std::ranges::find(lost, end.node) == lost.end())
      return end;
  return std::nullopt;
}

/// Who would be cut off beside those that are when everything ordered so far is carried out and pulled.
std::vector<NodeId> newly_cut(const plan::View& view, const plan::Orders& orders, std::vector<PortRef> more,
                              std::optional<NodeId> node) {
  const Fabric& fabric = *view.fabric;
  std::vector<PortRef> links = plan::avoided_links(fabric, orders);
  const std::vector<NodeId> before = plan::cut_off(fabric, view.sm_port, links);
  links.insert(links.end(), more.begin(), more.end());
  std::vector<NodeId> lost = plan::cut_off(fabric, view.sm_port, links, node);
  std::erase_if(lost, [&](NodeId one) { return std::ranges::find(before, one) != before.end(); });
  return lost;
}

std::vector<PortRef> linked_ports(const Fabric& fabric, NodeId node) {
  std::vector<PortRef> ports;
  for (std::size_t p = 1; p < fabric.ports(node).size(); ++p)
    if (fabric.ports(node)[p].peer) ports.push_back({node, static_cast<PortNum>(p)});
  return ports;
}

bool is_own_link(const plan::View& view, PortRef port) {
  return port == view.sm_port || view.fabric->port(port).peer == view.sm_port;
}

/// What a shell takes as it stands, whoever gave himself that name.
bool is_plain_word(std::string_view word) {
  constexpr std::string_view kSigns = "-_.";
  const auto plain = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kSigns.find(c) != kSigns.npos;
  };
  return !word.empty() && word.front() != '-' && std::ranges::all_of(word, plain);
}

}  // namespace

std::string place_text(const Fabric& fabric, Place place) {
  if (const auto port = there(fabric, place)) return where(fabric, *port);
  return raw(place.port) == 0 ? to_string(place.node)
                              : fmt::format("{} port {}", to_string(place.node), raw(place.port));
}

std::string place_word(const plan::View& view, Place place) {
  std::string word = to_string(place.node);
  if (const auto node = view.fabric->find(place.node)) {
    const std::string& name = view.fabric->node(*node).description;
    const std::string first = name.substr(0, name.find(' '));
    const auto found = plan::find_named(view, first);
    if (found && found->node == *node && !found->port && is_plain_word(first)) word = first;
  }
  return raw(place.port) == 0 ? word : fmt::format("{}/{}", word, raw(place.port));
}

Upkeep::Upkeep(Surroundings around, std::shared_ptr<const plan::Orders> orders)
    : around_(std::move(around)), orders_(std::move(orders)) {
  arm();
}

Upkeep::~Upkeep() { around_.clock->cancel(timer_); }

Result<Upkeep::Found> Upkeep::find(const plan::View& view, std::string_view text) const {
  const auto named = plan::find_named(view, text);
  if (!named) return fail(named.error());
  const std::optional<PortNum> port = named->port_written ? named->port : std::nullopt;
  if (port == PortNum{0})
    return fail(Errc::invalid, "{} is no port with a cable: write NODE/PORT, as leaf-3/7", in_quotes(text));
  const PortRef at{named->node, port.value_or(PortNum{0})};
  return Found{at, place_at(*view.fabric, at)};
}

/// The order at this place, or at the other end of its link.
std::optional<Place> Upkeep::ordered_at(Place place) const {
  for (const auto& [at, order] : *orders_)
    if (at == place || (raw(place.port) != 0 && order.peer == place)) return at;
  return std::nullopt;
}

bool Upkeep::concerns(const LinkEnds& link) const {
  const auto is_of_link = [&](Place place) {
    return place == link.a || place == link.b ||
           (raw(place.port) == 0 && (place.node == link.a.node || place.node == link.b.node));
  };
  return std::ranges::any_of(*orders_, [&](const auto& entry) {
    return is_of_link(entry.first) || (entry.second.peer.node != Guid{} && is_of_link(entry.second.peer));
  });
}

Result<std::string> Upkeep::ask(const plan::View& view, const UpkeepRequest& request) {
  switch (request.verb) {
    case UpkeepVerb::drain:
      return drain(view, request);
    case UpkeepVerb::disable:
    case UpkeepVerb::hold:
      return close(view, request);
    case UpkeepVerb::undrain:
    case UpkeepVerb::enable:
      return undo(view, request);
  }
  return fail(Errc::invalid, "no such order");
}

Result<std::string> Upkeep::drain(const plan::View& view, const UpkeepRequest& request) {
  const Result<Found> found = find(view, request.place);
  if (!found) return fail(found.error());
  const Fabric& fabric = *view.fabric;
  const std::string place = where(fabric, found->at);
  std::vector<NodeId> lost;
  if (found->is_node()) {
    if (!fabric.is_switch(found->at.node))
      return fail(Errc::invalid, "{} is no switch: no traffic of others goes through it", place);
    std::vector<PortRef> links;  // ours, when it is the manager's own node
    if (found->at.node == view.sm_port.node) links = linked_ports(fabric, found->at.node);
    lost = newly_cut(view, *orders_, links, links.empty() ? std::optional(found->at.node) : std::nullopt);
  } else {
    if (!fabric.port(found->at).peer) return fail(Errc::invalid, "{} has no link", place);
    lost = newly_cut(view, *orders_, {found->at}, {});
  }
  if (!lost.empty() && !request.force)
    return fail(Errc::conflict, "{} when {} is pulled; --force drains it as far as that goes",
                named(fabric, lost), place);
  Order order;
  order.kind = Order::Kind::drained;
  if (!found->is_node()) order.peer = place_at(fabric, *fabric.port(found->at).peer);
  order.forced = !lost.empty();
  order.why = request.why;
  const Place at = ordered_at(found->place).value_or(found->place);
  if (const auto old = orders_->find(at); old != orders_->end())
    return fail(Errc::conflict, "{} is {} already", place, name(old->second.kind));
  around_.tell("drained", fmt::format("{} is drained: traffic goes other ways where there are any", place));
  put(found->place, std::move(order), "a drain was ordered");
  return place + ": traffic is being moved off; `weftctl upkeep` tells when it is safe to pull";
}

Result<std::string> Upkeep::close(const plan::View& view, const UpkeepRequest& request) {
  const Result<Found> found = find(view, request.place);
  if (!found) return fail(found.error());
  const Fabric& fabric = *view.fabric;
  if (found->is_node())
    return fail(Errc::invalid, "{} names no port: write NODE/PORT", in_quotes(request.place));
  const std::string place = where(fabric, found->at);
  if (is_own_link(view, found->at))
    return fail(Errc::invalid, "{} is the manager's own link: without it nothing could be enabled again",
                place);
  const std::optional<PortRef> end = end_to_close(view, found->at);
  if (!end)
    return fail(Errc::invalid, "{}: neither end is a port of a switch that can be reached without that link",
                place);
  const bool linked = fabric.port(*end).peer.has_value();
  const std::vector<NodeId> lost = linked ? newly_cut(view, *orders_, {*end}, {}) : std::vector<NodeId>();
  if (!lost.empty() && !request.force)
    return fail(Errc::conflict, "{} without {}; --force disables it all the same", named(fabric, lost),
                place);
  Order order;
  order.kind = request.verb == UpkeepVerb::hold ? Order::Kind::held : Order::Kind::disabled;
  if (linked) order.peer = place_at(fabric, *fabric.port(*end).peer);
  if (order.kind == Order::Kind::held)
    order.until = around_.now() + std::chrono::duration_cast<std::chrono::seconds>(request.time).count();
  order.forced = !lost.empty();
  order.why = request.why;
  // A port that is disabled already stays the one, whichever end is named now.
  const auto old = ordered_at(found->place);
  const bool disabled = old && orders_->at(*old).kind != Order::Kind::drained;
  const Place at = disabled ? *old : place_at(fabric, *end);
  if (disabled) order.peer = orders_->at(*old).peer;
  const std::string until = order.kind == Order::Kind::held ? " for " + duration_text(request.time)
                                                            : std::string(" until it is enabled");
  around_.tell("port_disabled", fmt::format("{} is disabled{}", place, until));
  plan::Orders orders = *orders_;
  if (old) orders.erase(*old);
  orders[at] = std::move(order);
  change(std::move(orders), "a port was to be disabled");
  return fmt::format("{}: traffic is moved off, then the port is disabled{}", place, until);
}

Result<std::string> Upkeep::undo(const plan::View& view, const UpkeepRequest& request) {
  const bool opens = request.verb == UpkeepVerb::enable;
  const Result<Found> found = find(view, request.place);
  if (!found && found.error().code == Errc::not_found) return forget(request, found.error());
  if (!found) return fail(found.error());
  const std::string place = where(*view.fabric, found->at);
  const auto at = ordered_at(found->place);
  const auto order = at ? orders_->find(*at) : orders_->end();
  const bool drained = order != orders_->end() && order->second.kind == Order::Kind::drained;
  if (opens ? drained : order != orders_->end() && !drained)
    return fail(Errc::conflict, "{} is {}: `weftctl {}` undoes that", place, name(order->second.kind),
                drained ? "undrain" : "port enable");
  if (!opens) {
    if (!drained) return fail(Errc::not_found, "{} is not drained", place);
    plan::Orders orders = *orders_;
    orders.erase(*at);
    around_.tell("undrained", fmt::format("{} carries traffic again", place));
    change(std::move(orders), "a drain was taken back");
    return place + ": traffic may go there again";
  }
  const bool disabled = !found->is_node() && view.fabric->port(found->at).phys == PhysState::disabled;
  if (order == orders_->end() && !disabled) return fail(Errc::not_found, "{} is not disabled", place);
  Order opening;
  opening.kind = Order::Kind::opening;
  if (order != orders_->end()) opening.peer = order->second.peer;
  around_.tell("port_enabled", fmt::format("{} is enabled again", place));
  put(at.value_or(found->place), std::move(opening), "a port was to be enabled");
  return place + ": the port is enabled; its link is used as soon as it is up";
}

/// Of a node that is not there, by GUID: the order is forgotten.
Result<std::string> Upkeep::forget(const UpkeepRequest& request, const Error& why) {
  const std::string_view text = request.place;
  const std::size_t slash = text.rfind('/');
  const auto node = guid_from(text.substr(0, slash));
  const auto port =
      slash == text.npos ? std::optional<std::uint64_t>(0) : number_from(text.substr(slash + 1));
  const auto order =
      node && port && *port <= 254 ? orders_->find({*node, static_cast<PortNum>(*port)}) : orders_->end();
  if (order == orders_->end()) return fail(why);
  plan::Orders orders = *orders_;
  orders.erase(order->first);
  change(std::move(orders), "an order was taken back");
  return request.place + " is not there; the order is forgotten";
}

void Upkeep::link_is_bad(const plan::View& view, const LinkEnds& link, const std::string& why, Duration time,
                         bool hosts) {
  const Fabric& fabric = *view.fabric;
  const auto a = there(fabric, link.a);
  const auto b = there(fabric, link.b);
  const std::string text =
      fmt::format("link {} to {}: {}", place_text(fabric, link.a), place_text(fabric, link.b), why);
  const auto only_told = [&](std::string_view reason) {
    around_.tell("link_bad", fmt::format("{}. It is not held: {}", text, reason));
  };
  if (time <= Duration::zero()) return only_told("that is not asked for");
  const std::optional<PortRef> here = a ? a : b;
  if (!here || (a && is_own_link(view, *a)) || (b && is_own_link(view, *b)))
    return only_told("it is the manager's own, or both its ends are gone");
  const bool to_host = !a || !b || !fabric.is_switch(a->node) || !fabric.is_switch(b->node);
  if (to_host && !hosts) return only_told("it is the only way to somebody");
  // The link may be up or down just now: both its ends must be there without it.
  std::optional<PortRef> end = end_to_close(view, *here);
  if (!end && b) end = end_to_close(view, *b);
  if (!end) return only_told("neither end can be reached without it");
  const bool linked = fabric.port(*end).peer.has_value();
  if (!to_host && linked && !newly_cut(view, *orders_, {*end}, {}).empty())
    return only_told("it is the only way to somebody");
  Order order;
  order.kind = Order::Kind::held;
  const Place at = place_at(fabric, *end);
  order.peer = at == link.a ? link.b : link.a;
  order.until = around_.now() + std::chrono::duration_cast<std::chrono::seconds>(time).count();
  order.by_policy = true;
  order.forced = to_host;
  order.why = why;
  around_.tell("link_held", fmt::format("{}. It is held for {}", text, duration_text(time)));
  put(at, std::move(order), "a link is held");
}

/// A port that was to be enabled is, or its node has gone; and of a held link somebody is missing, who may
/// have no other way.
void Upkeep::follow(const plan::View& view) {
  plan::Orders orders = *orders_;
  const Fabric& fabric = *view.fabric;
  std::string cause;
  for (auto at = orders.begin(); at != orders.end();) {
    Order& order = at->second;
    const auto here = there(fabric, at->first);
    if (order.kind == Order::Kind::opening && here) {
      const fabric::Port& port = fabric.port(*here);
      if (port.known && port.phys != PhysState::disabled) {
        at = orders.erase(at);
        continue;
      }
    }
    const bool alone = order.kind == Order::Kind::held && order.by_policy && !order.forced && here &&
                       !fabric.find(order.peer.node);
    if (alone) {
      order.kind = Order::Kind::opening;
      cause = "a held link may be the only way";
      around_.tell("link_released",
                   fmt::format("link {} to {} is held no longer: it may be the only way there",
                               place_text(fabric, at->first), place_text(fabric, order.peer)));
    }
    ++at;
  }
  if (orders != *orders_) change(std::move(orders), std::move(cause));
}

void Upkeep::put(Place place, Order order, std::string cause) {
  plan::Orders orders = *orders_;
  orders[place] = std::move(order);
  change(std::move(orders), std::move(cause));
}

void Upkeep::change(plan::Orders orders, std::string cause) {
  orders_ = std::make_shared<const plan::Orders>(std::move(orders));
  around_.changed(orders_, std::move(cause));
  arm();
}

void Upkeep::take(std::shared_ptr<const plan::Orders> orders) {
  orders_ = std::move(orders);
  arm();
}

/// Wakes when the next hold ends. Time of day may be set meanwhile: what is left counts from now on.
void Upkeep::arm() {
  around_.clock->cancel(timer_);
  timer_ = Clock::TimerId::none;
  std::optional<std::int64_t> first;
  for (const auto& [place, order] : *orders_)
    if (order.kind == Order::Kind::held) first = std::min(first.value_or(order.until), order.until);
  if (!first) return;
  const std::int64_t left = std::max<std::int64_t>(0, *first - around_.now());
  timer_ = around_.clock->after(std::chrono::seconds(left), [this, due = *first] {
    timer_ = Clock::TimerId::none;
    plan::Orders orders = *orders_;
    for (auto& [place, order] : orders) {
      if (order.kind != Order::Kind::held || order.until > due) continue;
      order.kind = Order::Kind::opening;
      around_.tell("link_released", fmt::format("port {} of {} was held long enough: it is enabled again",
                                                raw(place.port), to_string(place.node)));
    }
    change(std::move(orders), "the time of a held link is over");
  });
}

std::vector<UpkeepRow> Upkeep::rows(const plan::View& view, bool settled,
                                    const plan::MulticastTables* multicast) const {
  const Fabric& fabric = *view.fabric;
  std::vector<UpkeepRow> rows;
  for (const auto& [place, order] : *orders_) {
    UpkeepRow row{place, place_text(fabric, place), order, {}, false};
    const auto here = there(fabric, place);
    const bool linked = here && raw(place.port) != 0 && fabric.port(*here).peer;
    if (raw(place.port) != 0 && !linked && order.peer.node != Guid{})
      row.where += " to " + place_text(fabric, order.peer);
    if (!here) {
      row.state = "its node is not there";
    } else if (order.kind == Order::Kind::drained) {
      const plan::RoutesOver over = plan::routes_over(view, place, multicast);
      row.done = settled && over.none();
      row.state = !settled ? "traffic is being moved off"
                  : over.none()
                      ? std::string("nothing goes over it: safe to pull")
                      : fmt::format("{} and {} go over it still: there is no other way",
                                    counted(over.lids, "LID"), counted(over.groups, "multicast group"));
      if (row.done && order.forced)
        row.state = "nothing of others goes over it; who hangs on it will be cut off";
    } else {
      const bool closed = fabric.port(*here).phys == PhysState::disabled;
      const bool wants_closed = order.kind != Order::Kind::opening;
      row.done = closed == wants_closed;
      row.state = closed ? "disabled" : wants_closed ? "not disabled yet" : "enabled";
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

const Order* order_of_link(const plan::View& view, PortRef port) {
  const plan::Orders& orders = *view.ledger.orders;
  for (const PortRef end : {port, view.fabric->port(port).peer.value_or(port)})
    for (const PortNum number : {end.port, PortNum{0}})
      if (const auto found = orders.find({view.fabric->node(end.node).guid, number}); found != orders.end())
        return &found->second;
  return nullptr;
}

std::vector<std::pair<Place, std::string>> disabled_by_others(const plan::View& view,
                                                              const plan::Orders& orders) {
  const Fabric& fabric = *view.fabric;
  std::vector<std::pair<Place, std::string>> ports;
  for (const NodeId id : fabric.switches())
    for (std::size_t p = 1; p < fabric.ports(id).size(); ++p) {
      const PortRef port{id, static_cast<PortNum>(p)};
      const bool disabled = fabric.port(port).known && fabric.port(port).phys == PhysState::disabled;
      if (disabled && !orders.contains(place_at(fabric, port)))
        ports.emplace_back(place_at(fabric, port), fabric::describe(fabric, port));
    }
  return ports;
}

}  // namespace weft::daemon
