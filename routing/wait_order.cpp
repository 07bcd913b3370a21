#include "routing/wait_order.h"

#include <bit>

namespace weft::routing {

WaitOrder::WaitOrder(const std::vector<std::uint32_t>& peers, std::uint32_t width, std::uint32_t lanes)
    : peers_(&peers),
      width_(width),
      lanes_(lanes),
      words_((width * lanes + 63) / 64),
      waits_(peers.size() * lanes * words_),
      place_(peers.size() * lanes, kNobody),
      met_(place_.size()) {}

template <typename Use>
void WaitOrder::each_target(std::uint32_t channel, const Use& use) const {
  const std::uint32_t at = (*peers_)[channel / lanes_];
  const std::uint64_t* waits = waits_.data() + std::size_t{channel} * words_;
  for (std::uint32_t w = 0; w < words_; ++w)
    for (std::uint64_t bits = waits[w]; bits != 0; bits &= bits - 1)
      use(at * width_ * lanes_ + w * 64 + static_cast<std::uint32_t>(std::countr_zero(bits)));
}

// Those that nobody waits for first.
bool WaitOrder::sort() {
  std::vector<std::uint32_t> waiting(place_.size());
  std::uint32_t channels = 0;
  const auto each = [this](const auto& use) {
    for (std::uint32_t c = 0; c < place_.size(); ++c)
      if ((*peers_)[c / lanes_] != kNobody) use(c);
  };
  each([&](std::uint32_t c) {
    ++channels;
    each_target(c, [&](std::uint32_t to) { ++waiting[to]; });
  });
  order_.clear();
  order_.reserve(channels);
  each([&](std::uint32_t c) {
    if (waiting[c] == 0) order_.push_back(c);
  });
  for (std::size_t i = 0; i < order_.size(); ++i) {
    place_[order_[i]] = static_cast<std::uint32_t>(i);
    each_target(order_[i], [&](std::uint32_t to) {
      if (--waiting[to] == 0) order_.push_back(to);
    });
  }
  return order_.size() == channels;
}

bool WaitOrder::try_depend(std::uint32_t channel, std::uint32_t port, std::uint32_t lane) {
  const std::uint32_t bit = port * lanes_ + lane;
  std::uint64_t& word = waits_[std::size_t{channel} * words_ + bit / 64];
  if ((word >> bit % 64 & 1) != 0) return true;
  const std::uint32_t to = (*peers_)[channel / lanes_] * width_ * lanes_ + bit;
  if (place_[to] <= place_[channel]) {
    const bool circle = reaches(to, channel);
    if (!circle) move_behind(place_[to], place_[channel]);
    for (const std::uint32_t c : found_) met_[c] = false;
    if (circle) return false;
  }
  word |= std::uint64_t{1} << bit % 64;
  added_.push_back({channel, bit});
  return true;
}

/// found_: what `from` leads to among those before `channel`.
bool WaitOrder::reaches(std::uint32_t from, std::uint32_t channel) {
  found_.assign(1, from);
  met_[from] = true;
  bool reached = from == channel;
  for (std::size_t i = 0; i < found_.size() && !reached; ++i) {
    each_target(found_[i], [&](std::uint32_t to) {
      reached |= to == channel;
      if (place_[to] >= place_[channel] || met_[to]) return;
      met_[to] = true;
      found_.push_back(to);
    });
  }
  return reached;
}

/// Those met go behind the channel at `last`, in the order they have.
void WaitOrder::move_behind(std::uint32_t first, std::uint32_t last) {
  found_.clear();
  std::uint32_t to = first;
  const auto put = [&](std::uint32_t c) {
    order_[to] = c;
    place_[c] = to++;
  };
  for (std::uint32_t i = first; i <= last; ++i) {
    if (const std::uint32_t c = order_[i]; met_[c])
      found_.push_back(c);
    else
      put(c);
  }
  for (const std::uint32_t c : found_) put(c);
}

void WaitOrder::undo(std::size_t mark) {
  for (; added_.size() > mark; added_.pop_back())
    waits_[std::size_t{added_.back().channel} * words_ + added_.back().bit / 64] &=
        ~(std::uint64_t{1} << added_.back().bit % 64);
}

}  // namespace weft::routing
