// How HttpServer sends answers: whole, in pieces, and those that go on.

#include <boost/beast/http/status.hpp>

#include "daemon/http_state.h"
#include "daemon/log.h"

namespace weft::daemon::detail {

namespace http = boost::beast::http;
using boost::system::error_code;

namespace {

constexpr std::size_t kBodyPiece = 64u << 10;

/// Answers whether all went out.
asio::awaitable<bool> send_bytes(StatePtr state, Peer peer, asio::const_buffer bytes) {
  const Deadline deadline(state, state->options.transfer, peer);
  const error_code error = co_await peer->wire.write(bytes);
  co_return !error;
}

std::string framed(std::string piece, bool chunked) {
  if (!chunked || piece.empty()) return piece;
  return fmt::format("{:x}\r\n{}\r\n", piece.size(), piece);
}

enum class Piece { some, last, broken };

Piece next_piece(const Response::More& more, std::string& out) {
  try {
    return more(out) ? Piece::some : Piece::last;
  } catch (const std::exception& error) {
    daemon_log().error("answer broken off error=\"{}\"", error.what());
    return Piece::broken;  // the peer sees that the end is missing
  }
}

/// A body of unknown length. Without chunks (HTTP/1.0) its end is the end of the connection.
asio::awaitable<bool> send_pieces(StatePtr state, Peer peer, Response::More more, bool chunked) {
  for (;;) {
    std::string piece;
    const Piece kind = next_piece(more, piece);
    if (kind == Piece::broken) co_return false;
    std::string bytes = framed(std::move(piece), chunked);
    if (chunked && kind == Piece::last) bytes += "0\r\n\r\n";
    const bool sent = co_await send_bytes(state, peer, asio::buffer(bytes));
    if (!sent || kind == Piece::last) co_return sent;
  }
}

/// Until somebody wakes the peer, or `when` has come.
asio::awaitable<transport::Done> sleep_until(StatePtr state, Peer peer, Instant when) {
  Clock& clock = *state->clock;
  const Clock::TimerId timer = clock.at(when, [weak = std::weak_ptr(peer)] {
    if (const Peer still_there = weak.lock()) still_there->wake();
  });
  auto start = [&peer](transport::Completion<transport::Done> done) { peer->sleeper = std::move(done); };
  co_await transport::suspend<transport::Done>(std::move(start));
  if (!state->closed()) clock.cancel(timer);
  co_return transport::Done{};
}

/// Until the peer goes, or takes nothing for too long. Nothing is kept for it meanwhile.
asio::awaitable<bool> send_live(StatePtr state, Peer peer, std::shared_ptr<Live> live, bool chunked) {
  const auto waker = std::make_shared<Waker>();
  waker->wake = [weak = std::weak_ptr(peer)] {
    if (const Peer still_there = weak.lock()) still_there->wake();
  };
  live->attach(waker);
  peer->wire.when_readable([weak = std::weak_ptr(peer)] {
    const Peer still_there = weak.lock();
    if (!still_there) return;
    still_there->gone = true;
    still_there->wake();
  });
  Instant beat = state->clock->now() + state->options.beat;
  while (!state->closed() && !peer->gone) {
    std::string piece;
    live->next(piece);
    if (piece.empty() && state->clock->now() < beat) {
      co_await sleep_until(state, peer, beat);
      continue;
    }
    if (piece.empty()) piece = live->beat;
    const std::string bytes = framed(std::move(piece), chunked);
    const bool sent = co_await send_bytes(state, peer, asio::buffer(bytes));
    if (!sent || state->closed()) co_return false;
    beat = state->clock->now() + state->options.beat;
  }
  co_return false;
}

}  // namespace

std::string header_text(const Response& response, bool keep_alive, bool chunked) {
  const auto reason = http::obsolete_reason(static_cast<http::status>(response.status));
  std::string text = fmt::format(
      "HTTP/1.1 {} {}\r\nServer: weftd\r\nContent-Type: {}\r\nX-Content-Type-Options: nosniff\r\n"
      "Connection: {}\r\n",
      response.status, std::string_view(reason.data(), reason.size()), response.type,
      keep_alive ? "keep-alive" : "close");
  bool cached = false;
  for (const auto& [name, value] : response.headers) {
    text += fmt::format("{}: {}\r\n", name, value);
    cached = cached || name == "Cache-Control";
  }
  if (!cached) text += "Cache-Control: no-store\r\n";
  if (chunked) text += "Transfer-Encoding: chunked\r\n";
  if (!response.more && !response.live) text += fmt::format("Content-Length: {}\r\n", response.body.size());
  return text + "\r\n";
}

asio::awaitable<bool> send_response(StatePtr state, Peer peer, Response response, bool http_1_1,
                                    bool keep_alive) {
  const bool chunked = (response.more || response.live) && http_1_1;
  std::string text = header_text(response, keep_alive, chunked);
  if (response.body.size() <= kBodyPiece) text += std::exchange(response.body, {});
  const bool begun = co_await send_bytes(state, peer, asio::buffer(text));
  if (!begun) co_return false;
  for (std::size_t at = 0; at < response.body.size(); at += kBodyPiece) {
    const auto piece =
        asio::buffer(response.body.data() + at, std::min(kBodyPiece, response.body.size() - at));
    const bool sent = co_await send_bytes(state, peer, piece);
    if (!sent) co_return false;
  }
  bool finished = true;
  if (response.live) {
    finished = co_await send_live(state, peer, std::move(response.live), chunked);
  } else if (response.more) {
    finished = co_await send_pieces(state, peer, std::move(response.more), chunked);
  }
  co_return finished;
}

}  // namespace weft::daemon::detail
