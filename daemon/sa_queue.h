#pragma once
// SaQueue: SA requests that wait for their turn. Ports take turns, so that one that asks a lot does not keep
// others waiting; what is repeated while it waits is dropped, since the first will be answered; and nobody
// holds more than his share of a queue that has an end.

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/clock.h"
#include "mad/mad.h"

namespace weft::daemon {

class SaQueue {
 public:
  enum class Put { queued, duplicate, over_quota };
  struct Waiting {
    mad::Mad mad;
    Instant since{};
  };

  /// `quota`: most of one port; less when many ports wait, so that there are never more than `most` in all.
  Put put(const mad::Mad& mad, Instant now, std::size_t quota, std::size_t most);
  /// The next in turn; nothing when none waits.
  std::optional<Waiting> take();
  std::size_t size() const { return size_; }
  void clear();

 private:
  struct Transaction {
    Lid lid{};
    std::uint32_t qp = 0;
    std::uint64_t tid = 0;
    std::uint32_t what = 0;  ///< Method and attribute.
    bool operator==(const Transaction&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Transaction& of) const;
  };
  static Transaction transaction_of(const mad::Mad& mad);

  std::unordered_map<Lid, std::deque<Waiting>> ports_;  // never empty ones
  std::deque<Lid> turns_;                               // each port that waits, once
  std::unordered_set<Transaction, Hash> waiting_;
  std::size_t size_ = 0;
};

}  // namespace weft::daemon
