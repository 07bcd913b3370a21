#include "sim/channel_graph.h"

#include <algorithm>
#include <bit>

namespace weft::sim {
namespace {

constexpr unsigned kMostLanes = 15;

/// Highest VL that any port operates, and one more.
unsigned lanes_in_use(const World& world) {
  unsigned most = 1;
  for (std::uint32_t p = 0; p < world.port_slots(); ++p) {
    const Port& port = world.port(PortIndex{p});
    if (port.peer != kNoPort && port.info.state == PortState::active)
      most = std::max(most, static_cast<unsigned>(base::lanes(port.info.operational_vls)));
  }
  return std::min(most, kMostLanes);
}

}  // namespace

ChannelGraph::ChannelGraph(const World& world, const ProgrammedTables& tables)
    : world_(world), tables_(tables), lanes_(lanes_in_use(world)) {
  unsigned most = 0;
  for (std::uint32_t sw = 0; sw < tables.switch_count(); ++sw) most = std::max(most, tables.port_count(sw));
  words_ = ((most + 1) * lanes_ + 63) / 64;
  bits_.resize(world.port_slots() * lanes_ * words_);
}

/// The next dependency of a channel from `from` on; -1 when there is none.
int ChannelGraph::dependency(Channel channel, unsigned from) const {
  for (unsigned word = from / 64; word < words_; ++word) {
    std::uint64_t bits = bits_[channel * words_ + word];
    if (word == from / 64) bits &= ~std::uint64_t{0} << from % 64;
    if (bits != 0) return static_cast<int>(word * 64 + static_cast<unsigned>(std::countr_zero(bits)));
  }
  return -1;
}

std::string ChannelGraph::name(Channel channel) const {
  const auto arrival = static_cast<PortIndex>(channel / lanes_);
  const std::string port = world_.name(world_.port(arrival).peer);
  return channel % lanes_ == 0 ? port : fmt::format("{} VL{}", port, channel % lanes_);
}

std::string ChannelGraph::text(const std::vector<Frame>& stack, Channel back_to) const {
  const auto start = std::ranges::find(stack, back_to, &Frame::channel);
  std::string cycle;
  for (auto frame = start; frame != stack.end(); ++frame) cycle += name(frame->channel) + " > ";
  return cycle + name(back_to);
}

std::optional<std::string> ChannelGraph::cycle() const {
  enum : std::uint8_t { fresh, on_stack, finished };
  std::vector<std::uint8_t> mark(world_.port_slots() * lanes_, fresh);
  std::vector<Frame> stack;
  for (Channel channel = 0; channel < mark.size(); ++channel) {
    if (mark[channel] != fresh || dependency(channel, 0) < 0) continue;
    stack.push_back({channel, 0});
    mark[channel] = on_stack;
    while (!stack.empty()) {
      Frame& top = stack.back();
      const int bit = top.next < words_ * 64 ? dependency(top.channel, top.next) : -1;
      if (bit < 0) {
        mark[top.channel] = finished;
        stack.pop_back();
        continue;
      }
      top.next = static_cast<unsigned>(bit) + 1;
      const NodeIndex n = world_.port(static_cast<PortIndex>(top.channel / lanes_)).node;
      const auto exit = static_cast<PortNum>(static_cast<unsigned>(bit) / lanes_);
      const PortIndex arrival = tables_.arrival_from(world_.port_of(n, exit));
      const Channel next = raw(arrival) * lanes_ + static_cast<unsigned>(bit) % lanes_;
      if (mark[next] == on_stack) return text(stack, next);
      if (mark[next] == finished) continue;
      mark[next] = on_stack;
      stack.push_back({next, 0});
    }
  }
  return std::nullopt;
}

}  // namespace weft::sim
