#include "transport/transport.h"

namespace weft::transport {

asio::awaitable<Result<mad::Mad>> Transport::exchange(mad::Mad request, Duration timeout) {
  if (closed_) co_return fail(Errc::cancelled, "the transport is closed");
  do ++last_tid_;
  while (last_tid_ == 0 || waiting_.contains(last_tid_));
  const std::uint32_t tid = last_tid_;
  mad::set_tid(request, tid);
  Result<mad::Mad> answer = co_await answer_to(tid, request, timeout);
  co_return answer;
}

asio::awaitable<Result<mad::Mad>> Transport::answer_to(std::uint32_t tid, mad::Mad request,
                                                       Duration timeout) {
  return suspend<Result<mad::Mad>>([this, tid, timeout, request](Completion<Result<mad::Mad>> done) {
    Waiting& waiting = waiting_[tid];
    waiting.done = std::move(done);
    waiting.timer = clock_.after(timeout, [this, tid] { give_up(tid, Errc::timeout); });
    ++sent_;
    if (Result<void> ok = submit(request, timeout); !ok) finish(tid, fail(ok.error()));
  });
}

Result<void> Transport::submit(const mad::Mad& request, Duration) { return send(request); }

void Transport::give_up(std::uint32_t tid, Errc code) {
  if (!waiting_.contains(tid)) return;
  if (code == Errc::timeout) ++timeouts_;
  finish(tid, fail(code, "no answer"));
}

void Transport::finish(std::uint32_t tid, Result<mad::Mad> result) {
  const auto found = waiting_.find(tid);
  if (found == waiting_.end()) return;
  Waiting waiting = std::move(found->second);
  waiting_.erase(found);
  clock_.cancel(waiting.timer);
  waiting.done(std::move(result));
  ended(tid);
}

void Transport::deliver(const mad::Mad& mad) {
  if (mad::is_response(mad::method_of(mad))) {
    const auto tid = static_cast<std::uint32_t>(mad::tid_of(mad));
    if (waiting_.contains(tid))
      finish(tid, mad);
    else
      ++strays_;
    return;
  }
  if (!unsolicited_ || closed_) return;
  const Unsolicited handler = unsolicited_;  // it may replace itself
  handler(mad);
}

void Transport::close() {
  closed_ = true;
  while (!waiting_.empty()) finish(waiting_.begin()->first, fail(Errc::cancelled, "the transport is closed"));
}

void Transport::lose(const Error& why) {
  if (closed_) return;
  const Lost handler = std::exchange(lost_, nullptr);
  close();
  if (handler) handler(why);
}

}  // namespace weft::transport
