#include "etcd/watch.h"

#include "etcd/refusal.h"

namespace weft::etcd {

Result<void> Watch::open(std::string_view prefix, std::int64_t from_revision) {
  client_.disconnect();
  const auto move_on = [this] {
    client_.disconnect();
    client_.at_ = (client_.at_ + 1) % client_.options_.endpoints.size();
  };
  Result<void> connected = client_.connect();
  if (!connected) {
    move_on();
    return connected;
  }
  const auto reply = client_.connection_->open_stream("/v3/watch", watch_json(prefix, from_revision),
                                                      client_.token_, client_.options_.timeout);
  if (reply && reply->status == 200) return {};
  const Error why = reply ? refusal_of(*reply, client_.options_.endpoints[client_.at_]) : reply.error();
  move_on();
  return fail(why);
}

Result<WatchNews> Watch::next(Duration timeout) {
  if (!client_.connection_) return fail(Errc::unavailable, "the watch is not open");
  const auto line = client_.connection_->next_line(timeout);
  if (!line) return fail(line.error());
  auto news = watch_from_json(*line);
  if (news && news->ended) {
    if (news->compact_revision != 0)
      return fail(Errc::not_found, "what is watched was compacted up to revision {}", news->compact_revision);
    return fail(Errc::unavailable, "etcd at {} has ended the watch", client_.endpoint());
  }
  return news;
}

}  // namespace weft::etcd
