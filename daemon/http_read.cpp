// How HttpServer reads requests.

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "daemon/http_state.h"

namespace weft::daemon::detail {

namespace beast = boost::beast;
namespace http = beast::http;
using boost::system::error_code;

namespace {

using Parser = http::request_parser<http::string_body>;

constexpr std::size_t kReadPiece = 16u << 10;
constexpr std::size_t kLargestBody = 256u << 20;  // until the route, with its own limit, is known
constexpr std::size_t kUnwantedBody = 64u << 10;  // of a request that nobody serves

Read not_read(const error_code& error) {
  Read read;
  const auto& http_category = http::make_error_code(http::error::end_of_stream).category();
  read.ended = error == http::error::end_of_stream || error == http::error::partial_message ||
               error.category() != http_category;
  if (read.ended) return read;
  if (error == http::error::body_limit) {
    read.refusal = error_response(413, "too_large", "the request's body is too large");
  } else if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    read.refusal = error_response(431, "too_large", "the request's header is too large");
  } else {
    read.refusal =
        error_response(400, "malformed", fmt::format("this is no HTTP request: {}", error.message()));
  }
  return read;
}

Read refused(Response refusal) {
  Read read;
  read.refusal = std::move(refusal);
  return read;
}

/// Hands what has come to the parser; `need_more` when it lacks something.
error_code feed(Connection& peer, Parser& parser, bool whole) {
  while (!(whole ? parser.is_done() : parser.is_header_done())) {
    error_code error;
    if (peer.buffer.size() == 0) return http::make_error_code(http::error::need_more);
    const std::size_t used = parser.put(peer.buffer.data(), error);
    peer.buffer.consume(used);
    if (error) return error;
  }
  return {};
}

/// Reads until the header, or the whole request, is there.
asio::awaitable<error_code> fill(Peer peer, Parser& parser, bool whole) {
  for (;;) {
    const error_code lacks = feed(*peer, parser, whole);
    if (lacks != http::error::need_more) co_return lacks;
    const auto room = peer->buffer.prepare(kReadPiece);
    const Wire::Got got = co_await peer->wire.read_some(room);
    if (got.error) co_return got.error;
    peer->buffer.commit(got.bytes);
  }
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return out;
}

std::string_view view_of(beast::string_view text) { return {text.data(), text.size()}; }

Result<Request> request_of(const Parser& parser) {
  const auto& header = parser.get();
  auto request = request_from_target(view_of(header.target()));
  if (!request) return request;
  request->method = std::string(view_of(header.method_string()));
  for (const auto& field : header)
    request->headers.insert_or_assign(lower_case(view_of(field.name_string())),
                                      std::string(view_of(field.value())));
  return request;
}

}  // namespace

/// The header comes first, so that the limit of the body is that of the route, and so that nobody sends much
/// who may not send anything.
asio::awaitable<Read> read_request(StatePtr state, Peer peer) {
  Parser parser;
  parser.header_limit(static_cast<std::uint32_t>(state->options.header_limit));
  parser.body_limit(kLargestBody);
  error_code error;
  {
    const Deadline deadline(state, state->options.idle, peer);
    error = co_await fill(peer, parser, false);
  }
  if (error) co_return not_read(error);

  Result<Request> request = request_of(parser);
  if (!request) co_return refused(error_response(400, "malformed", request.error().what));
  if (peer->known)
    request->caller = *peer->known;
  else
    request->caller = caller_of(*request, peer->from, state->options.tcp->tokens);
  const Route* route = state->router.find(request->method, request->path);
  const bool wanted = route != nullptr && (route->needs() != Access::change || request->caller.may_change);
  const std::size_t limit = wanted ? route->body_limit : kUnwantedBody;
  if (parser.content_length().value_or(0) > limit) {
    co_return refused(
        error_response(413, "too_large", fmt::format("the request's body has more than {} bytes", limit)));
  }
  parser.body_limit(limit);
  {
    const Deadline deadline(state, state->options.transfer, peer);
    if (lower_case(request->header("expect")) == "100-continue") {
      const std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
      error = co_await peer->wire.write(asio::buffer(go_on));
    }
    error = co_await fill(peer, parser, true);
  }
  if (error) co_return not_read(error);
  Read read;
  read.request = std::move(*request);
  read.request.body = std::move(parser.get().body());
  read.http_1_1 = parser.get().version() >= 11;
  read.keep_alive = parser.keep_alive();
  co_return read;
}

}  // namespace weft::daemon::detail
