#include "daemon/explain_port.h"

#include <algorithm>

#include <boost/json/array.hpp>

#include "daemon/api_json.h"
#include "fabric/slow_link.h"

namespace weft::daemon {

namespace json = boost::json;
using fabric::PortRef;

namespace {

/// Collects the sentences.
class Teller {
 public:
  explicit Teller(const PortStory& story)
      : story_(story), fabric_(*story.view->fabric), port_(fabric_.port(story.port)) {}

  std::vector<std::string> tell() && {
    if (fabric_.is_switch(story_.port.node) && story_.port.port == PortNum{0}) {
      say("{} is the switch's own port, for management; it has no cable.", here());
    } else if (port_.peer) {
      linked();
    } else {
      dark();
    }
    orders();
    problems();
    if (!story_.events.empty()) {
      const Event& last = story_.events.back();
      say("Last event: {}, {} ({}).", time_text(last.time), last.text, last.kind);
    }
    return std::move(lines_);
  }

 private:
  template <typename... Args>
  void say(fmt::format_string<Args...> text, Args&&... args) {
    lines_.push_back(fmt::format(text, std::forward<Args>(args)...));
  }
  std::string here() const { return fabric::describe(fabric_, story_.port); }

  void linked() {
    const PortState state = std::min(port_.state, fabric_.port(*port_.peer).state);
    say("{} leads to {}. The link is {}: {} {}, MTU {}, {} data VLs.", here(),
        fabric::describe(fabric_, *port_.peer), name(state), name(port_.width), name(port_.speed),
        bytes(port_.neighbor_mtu), lanes(port_.operational_vls));
    if (state == PortState::init || state == PortState::armed)
      say("It is physically up, but not yet Active: the manager has still to set it up, or could not. "
          "weftctl "
          "status tells what could not be written.");
    if (state == PortState::down)
      say("One of its ends is down though the other is not: it is looked at again.");
    const std::vector<std::string> below = fabric::below_best(fabric_, story_.port);
    for (const std::string& one : below) say("It is slower than both ends can be: {}.", one);
    if (!below.empty())
      say("Both ends settle on what the cable and its plugs carry: pull and plug the cable, clean it, then "
          "try "
          "another.");
  }

  void dark() {
    const auto before = peer_before();
    if (!port_.known) {
      say("{} was never read: only its node's other ports are known to the manager.", here());
      return;
    }
    say("{} has no link: it is {}, physically {}.", here(), name(port_.state), name(port_.phys));
    switch (port_.phys) {
      case PhysState::polling:
        say("Polling means that it sees nobody at the other end: no cable, a dead one, or the other end is "
            "off.");
        break;
      case PhysState::disabled:
        say("Disabled means that somebody has switched it off; weftctl port enable switches it on.");
        break;
      case PhysState::training:
        say("Training for long means a cable or plug that carries no signal well enough.");
        break;
      case PhysState::link_up:
        say("The physical link is up, but nobody answers behind it.");
        break;
      default:
        break;
    }
    if (before) say("Before, it led to {}.", *before);
  }

  std::optional<std::string> peer_before() const {
    if (!story_.whole) return std::nullopt;
    const auto node = story_.whole->find(fabric_.node(story_.port.node).guid);
    if (!node || raw(story_.port.port) >= story_.whole->ports(*node).size()) return std::nullopt;
    const auto& peer = story_.whole->port({*node, story_.port.port}).peer;
    if (!peer) return std::nullopt;
    return fabric::describe(*story_.whole, *peer);
  }

  bool concerns(plan::Place place) const {
    const auto at = [&](PortRef port) {
      const Guid guid = fabric_.node(port.node).guid;
      return place.node == guid && (raw(place.port) == 0 || place.port == port.port);
    };
    return at(story_.port) || (port_.peer && at(*port_.peer));
  }

  void orders() {
    for (const UpkeepRow& row : story_.orders) {
      if (!concerns(row.place) && !(row.order.peer != plan::Place{} && concerns(row.order.peer))) continue;
      say("It is {} {}: {}.{}", plan::name(row.order.kind),
          row.order.by_policy ? "by the policy for bad links" : "by order of a person", row.state,
          row.order.why.empty() ? std::string() : " Why: " + row.order.why + ".");
      if (row.order.kind == plan::Order::Kind::held)
        say("The hold ends at {}, or with weftctl port enable.",
            time_text(WallTime(std::chrono::seconds(row.order.until))));
    }
  }

  void problems() {
    const Guid guid = fabric_.node(story_.port.node).guid;
    for (const Problem& one : story_.status.problems)
      if (one.node == guid) say("Problem with the node: {}.", one.what);
    for (const Dirty& one : story_.status.dirty)
      if (one.node == guid) say("Not written yet: {}, {}.", one.what, one.why);
  }

  const PortStory& story_;
  const fabric::Fabric& fabric_;
  const fabric::Port& port_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> explain_port(const PortStory& story) { return Teller(story).tell(); }

json::object port_json(const plan::View& view, PortRef ref) {
  const fabric::Fabric& fabric = *view.fabric;
  const fabric::Node& node = fabric.node(ref.node);
  const fabric::Port& port = fabric.port(ref);
  const plan::LidRange lids = lids_of(view, ref);
  const plan::Order* order = port.peer ? order_of_link(view, ref) : nullptr;
  json::array below;
  if (port.peer)
    for (const std::string& one : fabric::below_best(fabric, ref)) below.emplace_back(one);
  return {{"node", to_string(node.guid)},
          {"name", node.description},
          {"type", name(node.type)},
          {"port", raw(ref.port)},
          {"guid", port.guid == Guid{} ? json::value(nullptr) : json::value(to_string(port.guid))},
          {"lid", lids.base == kLidNone ? json::value(nullptr) : json::value(raw(lids.base))},
          {"lmc", lids.lmc},
          {"known", port.known},
          {"state", name(port.state)},
          {"phys", name(port.phys)},
          {"width", name(port.width)},
          {"widest", name(port.widest)},
          {"speed", name(port.speed)},
          {"fastest", name(port.fastest)},
          {"mtu", bytes(port.neighbor_mtu)},
          {"vls", lanes(port.operational_vls)},
          {"below", std::move(below)},
          {"upkeep", order == nullptr ? json::value(nullptr) : json::value(plan::name(order->kind))},
          {"peer", port.peer ? json::value(end_json(fabric, *port.peer)) : json::value(nullptr)}};
}

}  // namespace weft::daemon
