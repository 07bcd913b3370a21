#include "sa/index.h"

#include <algorithm>

#include "sa/rate.h"

namespace weft::sa {
namespace {

constexpr std::uint8_t kNoLink = 0xff;
constexpr int kMostHops = 64;

}  // namespace

Index::Index(std::shared_ptr<const plan::View> view) : view_(std::move(view)) {
  const fabric::Fabric& fabric = *view_->fabric;
  const plan::Plan& plan = *view_->plan;
  std::size_t slots = 0;
  for (const fabric::Node& node : fabric.nodes())
    slots = std::max<std::size_t>(slots, node.first_port + node.port_count + 1u);
  mtus_.resize(slots);
  rates_.resize(slots);
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n)
    for (std::size_t number = 0; number < fabric.ports(NodeId{n}).size(); ++number) {
      const fabric::Port& port = fabric.ports(NodeId{n})[number];
      const std::size_t at = fabric.node(NodeId{n}).first_port + number;
      const bool planned =
          at < plan.ports.size() && plan.ports[at].bring_up && plan.ports[at].link.mtu != Mtu::none;
      mtus_[at] = raw(planned ? plan.ports[at].link.mtu : port.mtu_cap);
      rates_[at] = port.peer ? rate_of(port.width, port.speed) : 0;
    }
  by_lid_.assign(0xc000, -1);
  const std::span<const fabric::PortRef> ports = fabric.end_ports();
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const plan::LidRange lids = plan.lids.of_end_port[i];
    if (lids.base == kLidNone) continue;
    End end{.port = ports[i], .guid = fabric.port(ports[i]).guid, .base = lids.base, .lmc = lids.lmc};
    end.number = static_cast<std::uint32_t>(i);
    end.is_switch = fabric.is_switch(ports[i].node);
    end.mtu = end.is_switch ? raw(fabric.port(ports[i]).mtu_cap) : mtus_[slot(ports[i])];
    end.rate = end.is_switch ? 0 : rates_[slot(ports[i])];
    end.knows = end.is_switch ? kLastRate : last_rate_known_by(fabric.port(ports[i]).fastest);
    if (end.is_switch) {
      end.leaf = *fabric.switch_of(ports[i].node);
    } else if (const auto peer = fabric.port(ports[i]).peer; peer && fabric.is_switch(peer->node)) {
      end.leaf = *fabric.switch_of(peer->node);
      end.leaf_port = peer->port;
    } else {
      end.leaf_port = PortNum{kNoLink};  // back to back: no switch
    }
    ends_.push_back(end);
  }
  std::ranges::sort(ends_, {}, &End::base);
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    by_guid_.emplace(raw(ends_[i].guid), static_cast<std::uint32_t>(i));
    for (int lid = raw(ends_[i].base); lid < raw(ends_[i].base) + (1 << ends_[i].lmc) && lid < 0xc000; ++lid)
      by_lid_[static_cast<std::size_t>(lid)] = static_cast<std::int32_t>(i);
  }
}

const End* Index::find(Lid lid) const {
  if (raw(lid) >= by_lid_.size() || by_lid_[raw(lid)] < 0) return nullptr;
  return &ends_[static_cast<std::size_t>(by_lid_[raw(lid)])];
}

const End* Index::find(Guid port_guid) const {
  const auto found = by_guid_.find(raw(port_guid));
  return found == by_guid_.end() ? nullptr : &ends_[found->second];
}

const End* Index::find(fabric::PortRef port) const { return find(fabric().port(port).guid); }

std::uint8_t Index::link_mtu(fabric::PortRef port) const { return mtus_[slot(port)]; }
std::uint8_t Index::link_rate(fabric::PortRef port) const { return rates_[slot(port)]; }

std::optional<PathQuality> Index::path(const End& from, const End& to, Lid to_lid) const {
  const plan::Plan& plan = *view_->plan;
  PathQuality quality{std::min(from.mtu, to.mtu), from.rate, plan.packet_lifetime,
                      static_cast<Sl>(layer_of(to, to_lid))};
  const auto narrow = [&quality](std::uint8_t mtu, std::uint8_t rate) {
    quality.mtu = std::min(quality.mtu, mtu);
    if (quality.rate == 0 || (rate != 0 && rate_speed(rate) < rate_speed(quality.rate))) quality.rate = rate;
  };
  narrow(quality.mtu, to.rate);
  if (from.port == to.port) {
    quality.lifetime = 0;
    if (quality.rate == 0) quality.rate = 3;  // a switch's port 0 to itself: any rate will do
    return quality;
  }
  if (raw(from.leaf_port) == kNoLink || raw(to.leaf_port) == kNoLink) {
    const auto peer = fabric().port(from.port).peer;
    return peer == to.port ? std::optional(quality) : std::nullopt;
  }
  const routing::Routes& routes = plan.routes();
  SwitchId here = from.leaf;
  for (int hops = 0; hops < kMostHops; ++hops) {
    const PortNum out = routes.out(here, to_lid);
    if (out == kPortDrop) return std::nullopt;
    if (out == PortNum{0}) return to.is_switch && here == to.leaf ? std::optional(quality) : std::nullopt;
    const std::span<const fabric::Port> ports = fabric().ports(here);
    if (raw(out) >= ports.size() || !ports[raw(out)].peer) return std::nullopt;
    const std::size_t at = fabric().node(here).first_port + raw(out);
    narrow(mtus_[at], rates_[at]);
    const fabric::PortRef next = *ports[raw(out)].peer;
    if (next == to.port) return quality;
    const std::optional<SwitchId> next_switch = fabric().switch_of(next.node);
    if (!next_switch) return std::nullopt;
    here = *next_switch;
  }
  return std::nullopt;
}

}  // namespace weft::sa
