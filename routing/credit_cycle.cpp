#include "routing/credit_cycle.h"

#include <algorithm>
#include <bit>

namespace weft::routing {

ChannelGraph::ChannelGraph(const std::vector<std::uint16_t>& peers, std::uint32_t width, std::uint32_t lanes)
    : peers_(&peers),
      width_(width),
      lanes_(lanes),
      words_((width * lanes + 63) / 64),
      switches_(width == 0 ? 0 : static_cast<std::uint32_t>(peers.size()) / width),
      waits_(peers.size() * lanes * words_) {}

std::uint32_t ChannelGraph::next_bit(std::uint32_t channel, std::uint32_t bit) const {
  const std::uint64_t* waits = waits_.data() + static_cast<std::size_t>(channel) * words_;
  for (std::uint32_t word = bit / 64; word < words_; ++word, bit = word * 64) {
    const std::uint64_t left = waits[word] >> bit % 64;
    if (left != 0) return bit + static_cast<std::uint32_t>(std::countr_zero(left));
  }
  return words_ * 64;
}

std::uint32_t ChannelGraph::target(std::uint32_t channel, std::uint32_t bit) const {
  const std::uint32_t at = (*peers_)[channel / lanes_];
  const std::uint32_t port = bit / lanes_;
  return (*peers_)[at * width_ + port] < switches_ ? id(at, port, bit % lanes_) : kNone;
}

ChannelGraph ChannelGraph::on_one_lane() const {
  ChannelGraph one(*peers_, width_, 1);
  for (std::uint32_t channel = 0; channel < peers_->size() * lanes_; ++channel)
    for (std::uint32_t bit = next_bit(channel, 0); bit < words_ * 64; bit = next_bit(channel, bit + 1))
      one.depend(channel / lanes_, bit / lanes_);
  return one;
}

/// Depth-first search: a channel met again while it is still open closes a cycle.
std::vector<std::uint32_t> ChannelGraph::any_cycle() const {
  enum : std::uint8_t { fresh, open, done };
  std::vector<std::uint8_t> state(peers_->size() * lanes_, fresh);
  struct Step {
    std::uint32_t channel;
    std::uint32_t bit;
  };
  std::vector<Step> path;
  for (std::uint32_t root = 0; root < state.size(); ++root) {
    if (state[root] != fresh || (*peers_)[root / lanes_] >= switches_) continue;
    path.push_back({root, 0});
    state[root] = open;
    while (!path.empty()) {
      Step& step = path.back();
      step.bit = next_bit(step.channel, step.bit);
      if (step.bit >= width_ * lanes_) {
        state[step.channel] = done;
        path.pop_back();
        continue;
      }
      const std::uint32_t next = target(step.channel, step.bit++);
      if (next == kNone || state[next] == done) continue;
      if (state[next] == open) {
        std::vector<std::uint32_t> cycle;
        for (auto at = std::ranges::find(path, next, &Step::channel); at != path.end(); ++at)
          cycle.push_back(at->channel);
        return cycle;
      }
      state[next] = open;
      path.push_back({next, 0});
    }
  }
  return {};
}

/// Breadth-first search back to the channel itself, which stands on a cycle.
std::vector<std::uint32_t> ChannelGraph::shortest_cycle_from(std::uint32_t channel) const {
  std::vector<std::uint32_t> before(peers_->size() * lanes_, kNone);
  std::vector<std::uint32_t> reached{channel};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (std::uint32_t bit = next_bit(reached[i], 0); bit < width_ * lanes_;
         bit = next_bit(reached[i], bit + 1)) {
      const std::uint32_t next = target(reached[i], bit);
      if (next == channel) {
        std::vector<std::uint32_t> cycle;
        for (std::uint32_t at = reached[i]; at != channel; at = before[at]) cycle.push_back(at);
        cycle.push_back(channel);
        std::ranges::reverse(cycle);
        return cycle;
      }
      if (next == kNone || before[next] != kNone) continue;
      before[next] = reached[i];
      reached.push_back(next);
    }
  }
  return {};
}

std::vector<Channel> ChannelGraph::find_cycle() const {
  const std::vector<std::uint32_t> found = any_cycle();
  std::vector<std::uint32_t> best = found;
  constexpr std::size_t kTried = 16;
  for (std::size_t i = 0; i < std::min(found.size(), kTried); ++i) {
    std::vector<std::uint32_t> cycle = shortest_cycle_from(found[i]);
    if (cycle.size() < best.size()) best = std::move(cycle);
  }
  std::vector<Channel> channels;
  for (const std::uint32_t id : best) {
    const std::uint32_t link = id / lanes_;
    channels.push_back({static_cast<SwitchId>(link / width_), static_cast<PortNum>(link % width_),
                        static_cast<Vl>(id % lanes_)});
  }
  return channels;
}

}  // namespace weft::routing
