#include "sa/index.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "sa/rate.h"

namespace weft::sa {
namespace {

constexpr std::uint8_t kNoLink = 0xff;
constexpr int kMostHops = 64;
constexpr int kFastest = 1 << 16;

/// Where a GUID stands, or could.
template <typename Slots>
std::size_t place_of(const Slots& slots, Guid guid) {
  std::size_t at = static_cast<std::size_t>(plan::spread(guid) >> 20) & (slots.size() - 1);
  while (slots[at].guid != Guid{} && slots[at].guid != guid) at = (at + 1) & (slots.size() - 1);
  return at;
}

}  // namespace

Index::Index(std::shared_ptr<const plan::View> view) : view_(std::move(view)) {
  const fabric::Fabric& fabric = *view_->fabric;
  const plan::Plan& plan = *view_->plan;
  std::size_t slots = 0;
  for (const fabric::Node& node : fabric.nodes())
    slots = std::max<std::size_t>(slots, node.first_port + node.port_count + 1u);
  std::vector<std::uint8_t> mtus(slots);
  std::vector<std::uint8_t> rates(slots);
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n)
    for (std::size_t number = 0; number < fabric.ports(NodeId{n}).size(); ++number) {
      const fabric::Port& port = fabric.ports(NodeId{n})[number];
      const std::size_t at = fabric.node(NodeId{n}).first_port + number;
      const bool planned =
          at < plan.ports.size() && plan.ports[at].bring_up && plan.ports[at].link.mtu != Mtu::none;
      mtus[at] = raw(planned ? plan.ports[at].link.mtu : port.mtu_cap);
      rates[at] = port.peer ? rate_of(port.width, port.speed) : 0;
    }
  by_lid_.assign(0xc000, -1);
  const std::span<const fabric::PortRef> ports = fabric.end_ports();
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const plan::LidRange lids = plan.lids.of_end_port[i];
    if (lids.base == kLidNone) continue;
    End end{.port = ports[i], .guid = fabric.port(ports[i]).guid, .base = lids.base, .lmc = lids.lmc};
    end.number = static_cast<std::uint32_t>(i);
    end.is_switch = fabric.is_switch(ports[i].node);
    end.mtu = end.is_switch ? raw(fabric.port(ports[i]).mtu_cap) : mtus[slot(ports[i])];
    end.rate = end.is_switch ? 0 : rates[slot(ports[i])];
    end.keys = plan.partitions.tables.of(slot(ports[i]));
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
  by_guid_.resize(std::bit_ceil(ends_.size() * 2 + 1));
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    GuidSlot& held = by_guid_[place_of(by_guid_, ends_[i].guid)];
    if (held.guid == Guid{}) held = {ends_[i].guid, static_cast<std::uint32_t>(i)};
    if (router_ < 0 && fabric.node(ends_[i].port.node).type == NodeType::router)
      router_ = static_cast<std::int32_t>(i);
    for (int lid = raw(ends_[i].base); lid < raw(ends_[i].base) + (1 << ends_[i].lmc) && lid < 0xc000; ++lid)
      by_lid_[static_cast<std::size_t>(lid)] = static_cast<std::int32_t>(i);
  }
  make_steps(mtus, rates);
  all_delivered_ = all_delivered();
}

void Index::make_steps(std::span<const std::uint8_t> mtus, std::span<const std::uint8_t> rates) {
  const routing::Routes& routes = view_->plan->routes();
  row_size_ = routes.lfts.empty() ? 0 : routes.lfts.front()->size();
  for (const auto& lft : routes.lfts) row_size_ = std::min(row_size_, lft->size());
  least_speed_ = kFastest;
  least_mtu_ = std::numeric_limits<std::uint8_t>::max();
  piece_count_ = (row_size_ + routing::Lft::kPiece - 1) / routing::Lft::kPiece;
  for (std::uint32_t s = 0; s < fabric().switch_count(); ++s) {
    const auto id = static_cast<SwitchId>(s);
    for (std::size_t i = 0; i < piece_count_; ++i) pieces_.push_back(routes.lfts[s]->piece(i).data());
    first_.push_back(static_cast<std::uint32_t>(steps_.size()));
    const std::span<const fabric::Port> ports = fabric().ports(id);
    for (std::size_t number = 0; number < ports.size(); ++number) {
      Step& step = steps_.emplace_back();
      if (!ports[number].peer) continue;
      const std::size_t at = fabric().node(id).first_port + number;
      step.mtu = mtus[at];
      step.rate = rates[at];
      step.speed = static_cast<std::uint16_t>(rate_speed(rates[at]));
      const fabric::PortRef peer = *ports[number].peer;
      if (const auto next = fabric().switch_of(peer.node)) {
        step.next = raw(*next);
        if (step.speed != 0) least_speed_ = std::min<int>(least_speed_, step.speed);
        least_mtu_ = std::min(least_mtu_, step.mtu);
      } else if (const End* end = find(fabric().port(peer).guid); end != nullptr && end->port == peer) {
        step.next = kToEnd | static_cast<std::uint32_t>(end - ends_.data());
      }
    }
  }
}

/// The plan's check counts the pairs that cables connect: with all switches in one part these are all there
/// are.
bool Index::all_delivered() const {
  const routing::CheckReport& report = view_->plan->routing.report;
  if (first_.empty() || report.pairs == 0 || report.lost > 0 || !report.malformed.empty() ||
      !report.too_small.empty())
    return false;
  std::vector<bool> seen(first_.size());
  std::vector<std::uint32_t> reached{0};
  seen[0] = true;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const std::uint32_t here = reached[i];
    const std::size_t end = here + 1 < first_.size() ? first_[here + 1] : steps_.size();
    for (std::size_t at = first_[here]; at < end; ++at) {
      const std::uint32_t next = steps_[at].next;
      if ((next & kToEnd) != 0 || seen[next]) continue;
      seen[next] = true;
      reached.push_back(next);
    }
  }
  return reached.size() == first_.size();
}

const End* Index::find(Lid lid) const {
  if (raw(lid) >= by_lid_.size() || by_lid_[raw(lid)] < 0) return nullptr;
  return &ends_[static_cast<std::size_t>(by_lid_[raw(lid)])];
}

const End* Index::find(Guid port_guid) const {
  if (port_guid == Guid{}) return nullptr;
  const GuidSlot& held = by_guid_[place_of(by_guid_, port_guid)];
  return held.guid == Guid{} ? nullptr : &ends_[held.end];
}

const End* Index::find(fabric::PortRef port) const { return find(fabric().port(port).guid); }

std::optional<PathQuality> Index::path(const End& from, const End& to, Lid to_lid) const {
  const plan::Plan& plan = *view_->plan;
  PathQuality quality{std::min(from.mtu, to.mtu), from.rate, plan.packet_lifetime,
                      static_cast<Sl>(layer_of(to, to_lid))};
  if (quality.rate == 0 || (to.rate != 0 && rate_speed(to.rate) < rate_speed(quality.rate)))
    quality.rate = to.rate;
  if (&from == &to) {
    quality.lifetime = 0;
    if (quality.rate == 0) quality.rate = 3;  // a switch's port 0 to itself: any rate will do
    return quality;
  }
  if (raw(from.leaf_port) == kNoLink || raw(to.leaf_port) == kNoLink) {
    const auto peer = fabric().port(from.port).peer;
    return peer == to.port ? std::optional(quality) : std::nullopt;
  }
  if (raw(to_lid) >= row_size_) return std::nullopt;
  const std::uint32_t target = kToEnd | static_cast<std::uint32_t>(&to - ends_.data());
  int speed = quality.rate == 0 ? kFastest : rate_speed(quality.rate);
  const bool counted = !from.is_switch || !to.is_switch;  // in the plan's check
  if (all_delivered_ && counted && quality.mtu <= least_mtu_ && speed <= least_speed_) return quality;
  const std::uint8_t* const* pieces = pieces_.data() + raw(to_lid) / routing::Lft::kPiece;
  std::uint32_t here = raw(from.leaf);
  for (int hops = 0; hops < kMostHops; ++hops) {
    const std::uint8_t out = pieces[here * piece_count_][raw(to_lid) % routing::Lft::kPiece];
    if (out == 0) return to.is_switch && here == raw(to.leaf) ? std::optional(quality) : std::nullopt;
    const std::uint32_t end = here + 1 < first_.size() ? first_[here + 1] : steps_.size();
    if (first_[here] + out >= end) return std::nullopt;
    const Step& step = steps_[first_[here] + out];
    if (step.next == kNowhere) return std::nullopt;
    quality.mtu = std::min(quality.mtu, step.mtu);
    if (step.speed != 0 && step.speed < speed) {
      speed = step.speed;
      quality.rate = step.rate;
    }
    if ((step.next & kToEnd) != 0) return step.next == target ? std::optional(quality) : std::nullopt;
    here = step.next;
  }
  return std::nullopt;
}

}  // namespace weft::sa
