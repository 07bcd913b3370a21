#include "daemon/event_log.h"

#include <algorithm>
#include <iterator>

#include "daemon/log.h"

namespace weft::daemon {
namespace {

void log(const Event& event) {
  const auto level = event.severity == Severity::error     ? spdlog::level::err
                     : event.severity == Severity::warning ? spdlog::level::warn
                                                           : spdlog::level::info;
  daemon_log().log(level, "event id={} kind={} text=\"{}\"", event.id, event.kind, event.text);
}

}  // namespace

EventLog::EventLog(Store* store, std::vector<Event> past) : store_(store) {
  if (past.empty()) return;
  last_id_ = past.back().id;
  const std::size_t kept = std::min(past.size(), kKept);
  std::move(past.end() - static_cast<std::ptrdiff_t>(kept), past.end(), std::back_inserter(events_));
}

const Event& EventLog::add(Event event) {
  event.id = ++last_id_;
  if (event.time == WallTime{}) event.time = std::chrono::system_clock::now();
  log(event);
  if (store_ != nullptr) store_->append({event});
  if (events_.size() == kKept) events_.pop_front();
  const Event& added = events_.emplace_back(std::move(event));
  if (told_) told_(added);
  return added;
}

std::vector<Event> EventLog::after(std::uint64_t id, std::size_t limit) const {
  auto first = std::upper_bound(events_.begin(), events_.end(), id,
                                [](std::uint64_t wanted, const Event& event) { return wanted < event.id; });
  const auto there = static_cast<std::size_t>(events_.end() - first);
  if (there > limit) first = events_.end() - static_cast<std::ptrdiff_t>(limit);
  return {first, events_.end()};
}

std::vector<Event> EventLog::find(const EventQuery& query) const {
  std::vector<Event> found;
  const auto first =
      std::upper_bound(events_.begin(), events_.end(), query.after,
                       [](std::uint64_t wanted, const Event& event) { return wanted < event.id; });
  const auto take = [&](const Event& event) {
    if (matches(query, event)) found.push_back(event);
    return found.size() < query.limit;
  };
  if (query.limit == 0) return found;
  if (query.oldest) {
    for (auto at = first; at != events_.end() && take(*at);) ++at;
    return found;
  }
  for (auto at = events_.end(); at != first && take(*--at);) {
  }
  std::reverse(found.begin(), found.end());
  return found;
}

}  // namespace weft::daemon
