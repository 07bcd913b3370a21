#include "daemon/sa_queue.h"

#include <algorithm>

namespace weft::daemon {

std::size_t SaQueue::Hash::operator()(const Transaction& of) const {
  std::uint64_t mixed = of.tid * 0x9e3779b97f4a7c15u;
  mixed ^= (std::uint64_t{raw(of.lid)} << 48 | std::uint64_t{of.qp} << 24 | of.what) * 0xbf58476d1ce4e5b9u;
  return static_cast<std::size_t>(mixed ^ mixed >> 32);
}

SaQueue::Transaction SaQueue::transaction_of(const mad::Mad& mad) {
  const mad::Header header = mad::header_of(mad);
  return {mad.address.lid, mad.address.qp, header.tid,
          static_cast<std::uint32_t>(raw(header.method)) << 16 | raw(header.attribute)};
}

SaQueue::Put SaQueue::put(const mad::Mad& mad, Instant now, std::size_t quota, std::size_t most) {
  const Transaction transaction = transaction_of(mad);
  if (waiting_.contains(transaction)) return Put::duplicate;
  const auto held = ports_.find(mad.address.lid);
  const std::size_t mine = held == ports_.end() ? 0 : held->second.size();
  const std::size_t ports = ports_.size() + (held == ports_.end() ? 1 : 0);
  const std::size_t share = std::min(quota, std::max<std::size_t>(most / ports, 1));
  if (mine >= share || size_ >= most) return Put::over_quota;
  waiting_.insert(transaction);
  std::deque<Waiting>& queue = ports_[mad.address.lid];
  if (queue.empty()) turns_.push_back(mad.address.lid);
  queue.push_back({mad, now});
  ++size_;
  return Put::queued;
}

std::optional<SaQueue::Waiting> SaQueue::take() {
  if (turns_.empty()) return std::nullopt;
  const Lid lid = turns_.front();
  turns_.pop_front();
  const auto port = ports_.find(lid);
  Waiting next = std::move(port->second.front());
  port->second.pop_front();
  if (port->second.empty())
    ports_.erase(port);
  else
    turns_.push_back(lid);
  waiting_.erase(transaction_of(next.mad));
  --size_;
  return next;
}

void SaQueue::clear() {
  ports_.clear();
  turns_.clear();
  waiting_.clear();
  size_ = 0;
}

}  // namespace weft::daemon
