#include "daemon/shared_watch.h"

#include <chrono>

#include "daemon/log.h"

namespace weft::daemon {
namespace {

constexpr std::int64_t kPage = 2000;
constexpr auto kAgain = std::chrono::seconds(1);
constexpr auto kListen = std::chrono::seconds(5);

std::string rows_of(const std::string& prefix) { return prefix + "rows/"; }
std::string marker_of(const std::string& prefix) { return prefix + "marker"; }

}  // namespace

Result<std::map<std::string, std::string>> read_rows(etcd::Client& client, const std::string& prefix,
                                                     std::int64_t revision) {
  std::map<std::string, std::string> rows;
  etcd::RangeRequest request{prefix, etcd::end_of_prefix(prefix), revision, kPage};
  while (true) {
    auto range = client.range(request);
    if (!range) return fail(range.error());
    for (etcd::KeyValue& entry : range->entries) {
      request.key = entry.key;
      rows.emplace(entry.key.substr(prefix.size()), std::move(entry.value));
    }
    if (!range->more) return rows;
    request.key.push_back('\0');  // the first key behind it
  }
}

SharedWatch::SharedWatch(etcd::Options options, std::string prefix)
    : prefix_(std::move(prefix)), client_(options), watch_(std::move(options)), thread_([this] { run(); }) {}

SharedWatch::~SharedWatch() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  client_.cancel();
  watch_.cancel();
  thread_.join();
}

bool SharedWatch::stopped() const {
  const std::lock_guard lock(mutex_);
  return stop_;
}

std::optional<RowsCopy> SharedWatch::copy() const {
  const std::lock_guard lock(mutex_);
  return copy_;
}

void SharedWatch::run() {
  while (!stopped()) {
    Result<void> ended;
    if (const auto revision = read())
      ended = follow(*revision);
    else
      ended = fail(revision.error());
    if (!ended && ended.error().code != Errc::cancelled)
      daemon_log().debug("live copy interrupted why=\"{}\"", ended.error().what);
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kAgain, [this] { return stop_; });
  }
}

/// The revision up to which the copy goes.
Result<std::int64_t> SharedWatch::read() {
  pending_.clear();
  const auto range = client_.range({marker_of(prefix_), {}, 0, 0});
  if (!range) return fail(range.error());
  std::int64_t at = range->header.revision;
  if (range->entries.empty()) return at;
  auto marker = marker_from_json(range->entries.front().value);
  if (!marker) return fail(marker.error());
  if (!marker->whole) {
    at = marker->whole_at;
    if (at == 0) return range->header.revision;  // of the next whole one nothing will be missing from then on
    const auto before = client_.range({marker_of(prefix_), {}, at, 0});
    if (!before) return fail(before.error());
    if (before->entries.empty())
      return fail(Errc::malformed, "the shared state was not whole when it says it was");
    marker = marker_from_json(before->entries.front().value);
    if (!marker) return fail(marker.error());
  }
  auto rows = read_rows(client_, rows_of(prefix_), at);
  if (!rows) return fail(rows.error());
  const std::lock_guard lock(mutex_);
  copy_ = RowsCopy{std::move(*marker), std::move(*rows)};
  return at;
}

Result<void> SharedWatch::follow(std::int64_t revision) {
  if (auto opened = watch_.open(prefix_, revision + 1); !opened) return opened;
  while (!stopped()) {
    const auto news = watch_.next(kListen);
    if (!news && news.error().code == Errc::timeout) continue;
    if (!news) return fail(news.error());
    if (auto taken = take(*news); !taken) return taken;
  }
  return {};
}

Result<void> SharedWatch::take(const etcd::WatchNews& news) {
  const std::string rows = rows_of(prefix_);
  std::optional<Marker> whole;
  for (const etcd::WatchEvent& event : news.events) {
    if (event.entry.key.starts_with(rows)) {
      auto& pending = pending_[event.entry.key.substr(rows.size())];
      pending = event.erased ? std::nullopt : std::optional(event.entry.value);
    } else if (event.entry.key == marker_of(prefix_)) {
      if (event.erased) return fail(Errc::malformed, "the shared state was taken away");
      auto marker = marker_from_json(event.entry.value);
      if (!marker) return fail(marker.error());
      if (marker->whole) whole = std::move(*marker);
    }
  }
  if (!whole) return {};
  const std::lock_guard lock(mutex_);
  if (!copy_) copy_.emplace();
  copy_->marker = std::move(*whole);
  for (auto& [row, value] : pending_)
    if (value)
      copy_->rows[row] = std::move(*value);
    else
      copy_->rows.erase(row);
  pending_.clear();
  return {};
}

}  // namespace weft::daemon
