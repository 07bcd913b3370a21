#pragma once
// Wire: the bytes of one connection, whatever carries them: a UNIX or a TCP socket, the latter with TLS or
// without. A call at a time in each direction.

#include <memory>

#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ssl/context.hpp>

#include "transport/asio.h"

namespace weft::daemon {

class Wire {
 public:
  using Socket = asio::generic::stream_protocol::socket;

  /// `tls`: null: none; else it must outlive the Wire.
  Wire(Socket socket, asio::ssl::context* tls);
  ~Wire();
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  struct Got {
    boost::system::error_code error;
    std::size_t bytes = 0;
  };
  /// To be awaited before the first byte of a connection with TLS; does nothing without.
  asio::awaitable<boost::system::error_code> shake_hands();
  asio::awaitable<Got> read_some(asio::mutable_buffer into);
  asio::awaitable<boost::system::error_code> write(asio::const_buffer bytes);
  /// Calls `told` once when bytes or the end have come, unless it is closed before.
  void when_readable(std::function<void()> told);
  void close();
  int handle() { return socket_.native_handle(); }
  Socket& socket() { return socket_; }

 private:
  struct Tls;
  Socket socket_;
  std::unique_ptr<Tls> tls_;
};

}  // namespace weft::daemon
