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

ChannelGraph ChannelGraph::on_one_lane() const {
  ChannelGraph one(*peers_, width_, 1);
  for (std::uint32_t channel = 0; channel < peers_->size() * lanes_; ++channel)
    for (std::uint32_t bit = next_bit(channel, 0); bit < words_ * 64; bit = next_bit(channel, bit + 1))
      one.depend(channel / lanes_, bit / lanes_);
  return one;
}

/// Bits of the channels that lead to a switch, by switch, as a channel's waits say them.
std::vector<std::uint64_t> ChannelGraph::links() const {
  std::vector<std::uint64_t> bits(std::size_t{switches_} * words_);
  for (std::uint32_t channel = 0; channel < peers_->size() * lanes_; ++channel) {
    if ((*peers_)[channel / lanes_] >= switches_) continue;
    const std::uint32_t bit = channel % (width_ * lanes_);
    bits[std::size_t{channel / (width_ * lanes_)} * words_ + bit / 64] |= std::uint64_t{1} << bit % 64;
  }
  return bits;
}

/// The first channel that `channel` waits for, of those in `among` (as links() gives them); or kNone.
std::uint32_t ChannelGraph::first_of(std::uint32_t channel, const std::vector<std::uint64_t>& among) const {
  const std::uint32_t at = (*peers_)[channel / lanes_];
  const std::uint64_t* waits = waits_.data() + static_cast<std::size_t>(channel) * words_;
  const std::uint64_t* allowed = among.data() + static_cast<std::size_t>(at) * words_;
  for (std::uint32_t w = 0; w < words_; ++w)
    if (const std::uint64_t both = waits[w] & allowed[w]; both != 0)
      return at * width_ * lanes_ + w * 64 + static_cast<std::uint32_t>(std::countr_zero(both));
  return kNone;
}

void ChannelGraph::flip(std::uint32_t channel, std::vector<std::uint64_t>& set) const {
  const std::uint32_t bit = channel % (width_ * lanes_);
  set[std::size_t{channel / (width_ * lanes_)} * words_ + bit / 64] ^= std::uint64_t{1} << bit % 64;
}

/// Depth-first search: a channel met again while it is still open closes a cycle. What is fresh and what is
/// open stands in sets like the waits themselves, so that a step looks at no channel twice. Of several that
/// are met at once the latest counts. Cycles that share a channel with one before are passed over. `roots`:
/// channels to search from; null: all.
std::vector<std::vector<std::uint32_t>> ChannelGraph::some_cycles(
    std::size_t most, const std::vector<std::uint32_t>* roots) const {
  std::vector<std::uint64_t> fresh = links();
  std::vector<std::uint64_t> open(fresh.size());
  std::vector<std::uint32_t> path;
  std::vector<std::vector<std::uint32_t>> found;
  std::vector<bool> on_cycle;
  const auto close = [&](std::uint32_t back) {
    std::vector<std::uint32_t> cycle(std::ranges::find(path, back), path.end());
    on_cycle.resize(peers_->size() * lanes_);
    if (std::ranges::any_of(cycle, [&](std::uint32_t channel) { return on_cycle[channel]; })) return;
    for (const std::uint32_t channel : cycle) on_cycle[channel] = true;
    found.push_back(std::move(cycle));
  };
  const auto enter = [&](std::uint32_t channel) {
    flip(channel, fresh);
    flip(channel, open);
    path.push_back(channel);
    if (first_of(channel, open) == kNone) return;
    close(*std::ranges::find_if(path.rbegin(), path.rend(), [&](std::uint32_t back) {
      return (*peers_)[channel / lanes_] == back / (width_ * lanes_) &&
             depends(channel, back / lanes_ % width_, back % lanes_);
    }));
  };
  const auto count = static_cast<std::uint32_t>(roots ? roots->size() : peers_->size() * lanes_);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t root = roots ? (*roots)[i] : i;
    const std::uint32_t bit = root % (width_ * lanes_);
    if ((fresh[std::size_t{root / (width_ * lanes_)} * words_ + bit / 64] >> bit % 64 & 1) == 0) continue;
    enter(root);
    while (!path.empty() && found.size() < most) {
      if (const std::uint32_t next = first_of(path.back(), fresh); next != kNone) {
        enter(next);
      } else {
        flip(path.back(), open);
        path.pop_back();
      }
    }
    if (found.size() >= most) break;
  }
  return found;
}

/// Breadth-first search back to the channel itself, which stands on a cycle.
std::vector<std::uint32_t> ChannelGraph::shortest_cycle_from(std::uint32_t channel) const {
  std::vector<std::uint64_t> fresh = links();
  std::vector<std::uint32_t> reached{channel};
  std::vector<std::uint32_t> before{0};  // by place in reached: place of the one before
  for (std::uint32_t i = 0; i < reached.size(); ++i) {
    for (std::uint32_t next = first_of(reached[i], fresh); next != kNone;
         next = first_of(reached[i], fresh)) {
      if (next == channel) {
        std::vector<std::uint32_t> cycle;
        for (std::uint32_t at = i; at != 0; at = before[at]) cycle.push_back(reached[at]);
        cycle.push_back(channel);
        std::ranges::reverse(cycle);
        return cycle;
      }
      flip(next, fresh);
      reached.push_back(next);
      before.push_back(i);
    }
  }
  return {};
}

bool ChannelGraph::closes_cycle(const ChannelGraph& acyclic) const {
  assert(waits_.size() == acyclic.waits_.size());
  std::vector<std::uint32_t> roots;
  for (std::uint32_t channel = 0; channel < peers_->size() * lanes_; ++channel) {
    std::uint64_t more = 0;
    for (std::size_t w = std::size_t{channel} * words_; w < (std::size_t{channel} + 1) * words_; ++w)
      more |= waits_[w] & ~acyclic.waits_[w];
    if (more != 0) roots.push_back(channel);
  }
  return !roots.empty() && !some_cycles(1, &roots).empty();
}

std::vector<Channel> ChannelGraph::named(const std::vector<std::uint32_t>& cycle) const {
  std::vector<Channel> channels;
  for (const std::uint32_t id : cycle) {
    const std::uint32_t link = id / lanes_;
    channels.push_back({static_cast<SwitchId>(link / width_), static_cast<PortNum>(link % width_),
                        static_cast<Vl>(id % lanes_)});
  }
  return channels;
}

std::vector<std::vector<Channel>> ChannelGraph::find_cycles(std::size_t most, std::size_t tries) const {
  std::vector<std::vector<Channel>> cycles;
  for (const std::vector<std::uint32_t>& found : some_cycles(most, nullptr)) {
    std::vector<std::uint32_t> best = found;
    for (std::size_t i = 0; i < std::min(found.size(), tries); ++i) {
      std::vector<std::uint32_t> cycle = shortest_cycle_from(found[i]);
      if (cycle.size() < best.size()) best = std::move(cycle);
    }
    cycles.push_back(named(best));
  }
  return cycles;
}

std::vector<Channel> ChannelGraph::find_cycle() const {
  std::vector<std::vector<Channel>> cycles = find_cycles(1, 16);
  return cycles.empty() ? std::vector<Channel>{} : std::move(cycles.front());
}

}  // namespace weft::routing
