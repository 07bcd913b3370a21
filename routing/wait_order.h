#pragma once
// WaitOrder: channels in an order along which packets may wait for each other, kept while waits are added one
// by one; a wait that would close a circle is refused. For engines that look for ways among those of others.
//
// Source: Marchetti-Spaccamela, Nanni, Rohnert, Maintaining a topological order under edge insertions, 1996;
// the use for routing: Domke, Hoefler, Matsuoka, Nue, HPDC 2016.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::routing {

class WaitOrder {
 public:
  static constexpr std::uint32_t kNobody = ~0U;

  /// `peers`: [switch * width + port], the switch behind a port or kNobody. The caller keeps it.
  WaitOrder(const std::vector<std::uint32_t>& peers, std::uint32_t width, std::uint32_t lanes);

  std::uint32_t id(std::uint32_t s, std::uint32_t port, std::uint32_t lane) const {
    return (s * width_ + port) * lanes_ + lane;
  }
  /// What holds `channel` goes on by `port` of the switch behind it, on `lane`. Only before sort().
  void depend(std::uint32_t channel, std::uint32_t port, std::uint32_t lane) {
    const std::uint32_t bit = port * lanes_ + lane;
    waits_[std::size_t{channel} * words_ + bit / 64] |= std::uint64_t{1} << bit % 64;
  }
  /// Finds an order; false when the waits go in a circle.
  bool sort();
  /// The same as depend, once sorted; false, and nothing is added, when that would close a circle.
  bool try_depend(std::uint32_t channel, std::uint32_t port, std::uint32_t lane);

  /// How many waits have been added by try_depend and not been taken back.
  std::size_t mark() const { return added_.size(); }
  /// Takes back all since a mark.
  void undo(std::size_t mark);

 private:
  struct Added {
    std::uint32_t channel = 0;
    std::uint32_t bit = 0;
  };
  template <typename Use>
  void each_target(std::uint32_t channel, const Use& use) const;
  bool reaches(std::uint32_t from, std::uint32_t channel);
  void move_behind(std::uint32_t first, std::uint32_t last);

  const std::vector<std::uint32_t>* peers_;
  std::uint32_t width_;
  std::uint32_t lanes_;
  std::uint32_t words_;
  std::vector<std::uint64_t> waits_;  // [channel][word]: ports * lanes of the next switch
  std::vector<std::uint32_t> place_;  // by channel: in order_; kNobody where no link is
  std::vector<std::uint32_t> order_;
  std::vector<bool> met_;
  std::vector<std::uint32_t> found_;  // channels of the search at hand
  std::vector<Added> added_;
};

}  // namespace weft::routing
