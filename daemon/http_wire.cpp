#include "daemon/http_wire.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>

namespace weft::daemon {

using boost::system::error_code;

struct Wire::Tls {
  Tls(Socket& socket, asio::ssl::context& context) : stream(socket, context) {}
  asio::ssl::stream<Socket&> stream;
};

Wire::Wire(Socket socket, asio::ssl::context* tls)
    : socket_(std::move(socket)), tls_(tls != nullptr ? std::make_unique<Tls>(socket_, *tls) : nullptr) {}

Wire::~Wire() = default;

asio::awaitable<error_code> Wire::shake_hands() {
  error_code error;
  if (tls_)
    co_await tls_->stream.async_handshake(asio::ssl::stream_base::server,
                                          asio::redirect_error(asio::use_awaitable, error));
  co_return error;
}

asio::awaitable<Wire::Got> Wire::read_some(asio::mutable_buffer into) {
  Got got;
  if (tls_)
    got.bytes =
        co_await tls_->stream.async_read_some(into, asio::redirect_error(asio::use_awaitable, got.error));
  else
    got.bytes = co_await socket_.async_read_some(into, asio::redirect_error(asio::use_awaitable, got.error));
  co_return got;
}

asio::awaitable<error_code> Wire::write(asio::const_buffer bytes) {
  error_code error;
  if (tls_)
    co_await asio::async_write(tls_->stream, bytes, asio::redirect_error(asio::use_awaitable, error));
  else
    co_await asio::async_write(socket_, bytes, asio::redirect_error(asio::use_awaitable, error));
  co_return error;
}

void Wire::when_readable(std::function<void()> told) {
  socket_.async_wait(Socket::wait_read, [told = std::move(told)](const error_code& error) {
    if (!error) told();
  });
}

void Wire::close() {
  error_code ignored;
  socket_.shutdown(Socket::shutdown_both, ignored);
  socket_.close(ignored);
}

}  // namespace weft::daemon
