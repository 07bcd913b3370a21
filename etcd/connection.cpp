#include "etcd/connection.h"

#include <atomic>
#include <optional>
#include <variant>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

namespace weft::etcd {
namespace {

namespace net = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;
using Tcp = net::ip::tcp;
using Tls = net::ssl::stream<Tcp::socket>;
using Deadline = std::chrono::steady_clock::time_point;

constexpr std::size_t kMostBody = 256u << 20;

Result<void> load(net::ssl::context& context, const Options& options) {
  error_code error;
  if (options.ca.empty())
    context.set_default_verify_paths(error);
  else
    context.load_verify_file(options.ca, error);
  if (error)
    return fail(Errc::invalid, "the certificates in {} cannot be used: {}",
                options.ca.empty() ? "the system's places" : options.ca, error.message());
  if (options.cert.empty()) return {};
  context.use_certificate_chain_file(options.cert, error);
  if (error)
    return fail(Errc::invalid, "the certificate in {} cannot be used: {}", options.cert, error.message());
  context.use_private_key_file(options.key, net::ssl::context::pem, error);
  if (error) return fail(Errc::invalid, "the key in {} cannot be used: {}", options.key, error.message());
  return {};
}

}  // namespace

class Connection::Impl {
 public:
  explicit Impl(Endpoint endpoint) : endpoint_(std::move(endpoint)) {}

  Result<void> open(const Options& options) {
    deadline_ = std::chrono::steady_clock::now() + options.timeout;
    Tcp::socket socket(loop_);
    Result<void> connected = connect(socket);
    if (!connected) return connected;
    error_code ignored;
    socket.set_option(Tcp::no_delay(true), ignored);
    if (!endpoint_.tls) {
      stream_.emplace<Tcp::socket>(std::move(socket));
      return {};
    }
    context_.emplace(net::ssl::context::tls_client);
    Result<void> loaded = load(*context_, options);
    if (!loaded) return loaded;
    return shake_hands(std::move(socket));
  }

  Result<void> write(const std::string& path, const std::string& body, const std::string& token,
                     Duration timeout) {
    deadline_ = std::chrono::steady_clock::now() + timeout;
    http::request<http::string_body> request(http::verb::post, path, 11);
    request.set(http::field::host, endpoint_.host + ":" + endpoint_.port);
    request.set(http::field::content_type, "application/json");
    if (!token.empty()) request.set(http::field::authorization, token);
    request.body() = body;
    request.prepare_payload();
    return wait("writing", [&](auto done) {
      visit([&](auto& stream) { http::async_write(stream, request, std::move(done)); });
    });
  }

  Result<Reply> read() {
    http::response_parser<http::string_body> parser;
    parser.body_limit(kMostBody);
    Result<void> got = wait("reading", [&](auto done) {
      visit([&](auto& stream) { http::async_read(stream, buffer_, parser, std::move(done)); });
    });
    if (!got) return fail(got.error());
    return Reply{parser.get().result_int(), std::move(parser.get().body())};
  }

  Result<Reply> read_head() {
    stream_parser_.emplace();
    stream_parser_->body_limit(boost::none);
    Result<void> got = wait("reading", [&](auto done) {
      visit(
          [&](auto& stream) { http::async_read_header(stream, buffer_, *stream_parser_, std::move(done)); });
    });
    if (!got) return fail(got.error());
    const unsigned status = stream_parser_->get().result_int();
    if (status == 200) return Reply{status, {}};
    got = wait("reading", [&](auto done) {
      visit([&](auto& stream) { http::async_read(stream, buffer_, *stream_parser_, std::move(done)); });
    });
    if (!got) return fail(got.error());
    return Reply{status, std::move(stream_parser_->get().body())};
  }

  Result<std::string> next_line(Duration timeout) {
    deadline_ = std::chrono::steady_clock::now() + timeout;
    while (true) {
      const std::size_t end = lines_.find('\n', searched_);
      if (end != lines_.npos) {
        std::string line = lines_.substr(0, end);
        lines_.erase(0, end + 1);
        searched_ = 0;
        return line;
      }
      searched_ = lines_.size();
      if (lines_.size() > kMostBody) return fail(Errc::unavailable, "{}: a line without end", name());
      Result<void> more = read_some();
      if (!more) return fail(more.error());
    }
  }

  void cancel() {
    cancelled_ = true;
    net::post(loop_, [this] { loop_.stop(); });
  }

 private:
  /// Runs what `start` begins until it ends, time is up, or it is cancelled.
  template <typename Start>
  Result<void> wait(std::string_view doing, Start start) {
    std::optional<error_code> result;
    start([&result](error_code error, auto&&...) { result = error; });
    return run(doing, result);
  }

  Result<void> run(std::string_view doing, const std::optional<error_code>& result) {
    loop_.restart();
    while (!result && !cancelled_ && std::chrono::steady_clock::now() < deadline_)
      if (loop_.run_one_until(deadline_) == 0) break;
    if (cancelled_) return fail(Errc::cancelled, "{}: cancelled", name());
    if (!result) return fail(Errc::unavailable, "{}: no answer in time ({})", name(), doing);
    if (*result) return fail(Errc::unavailable, "{}: {} ({})", name(), result->message(), doing);
    return {};
  }

  Result<void> connect(Tcp::socket& socket) {
    error_code no_address;
    const auto address = net::ip::make_address(endpoint_.host, no_address);
    if (!no_address) {
      const auto port = static_cast<std::uint16_t>(std::stoi(endpoint_.port));
      return wait("connecting",
                  [&](auto done) { socket.async_connect(Tcp::endpoint(address, port), std::move(done)); });
    }
    Tcp::resolver resolver(loop_);
    Tcp::resolver::results_type found;
    std::optional<error_code> resolved;
    resolver.async_resolve(endpoint_.host, endpoint_.port, [&](error_code error, auto results) {
      resolved = error;
      found = std::move(results);
    });
    Result<void> known = run("looking up its name", resolved);
    if (!known) return known;
    return wait("connecting", [&](auto done) { net::async_connect(socket, found, std::move(done)); });
  }

  Result<void> shake_hands(Tcp::socket socket) {
    auto& tls = stream_.emplace<std::unique_ptr<Tls>>(std::make_unique<Tls>(std::move(socket), *context_));
    tls->set_verify_mode(net::ssl::verify_peer);
    tls->set_verify_callback(net::ssl::host_name_verification(endpoint_.host));
    if (!SSL_set_tlsext_host_name(tls->native_handle(), endpoint_.host.c_str()))
      return fail(Errc::invalid, "{}: not a name that TLS can ask for", name());
    return wait("TLS",
                [&](auto done) { tls->async_handshake(net::ssl::stream_base::client, std::move(done)); });
  }

  /// What came of the stream's body goes to lines_. A read that has not ended by the deadline goes on by
  /// itself.
  Result<void> read_some() {
    if (stream_parser_->is_done()) return fail(Errc::unavailable, "{}: it has ended its answer", name());
    if (!reading_) {
      reading_ = true;
      read_.reset();
      visit([&](auto& stream) {
        http::async_read_some(stream, buffer_, *stream_parser_, [this](error_code error, std::size_t) {
          reading_ = false;
          read_ = error;
        });
      });
    }
    Result<void> got = run("waiting", read_);
    if (!got && reading_ && !cancelled_) return fail(Errc::timeout, "nothing came in time");
    if (!got) return got;
    std::string& body = stream_parser_->get().body();
    lines_ += body;
    body.clear();
    return {};
  }

  template <typename Use>
  void visit(const Use& use) {
    if (auto* plain = std::get_if<Tcp::socket>(&stream_))
      use(*plain);
    else if (auto* tls = std::get_if<std::unique_ptr<Tls>>(&stream_))
      use(**tls);
  }

  std::string name() const { return to_string(endpoint_); }

  Endpoint endpoint_;
  net::io_context loop_{1};
  std::optional<net::ssl::context> context_;
  std::variant<std::monostate, Tcp::socket, std::unique_ptr<Tls>> stream_;
  boost::beast::flat_buffer buffer_;
  std::optional<http::response_parser<http::string_body>> stream_parser_;
  std::string lines_;
  std::size_t searched_ = 0;  // of lines_: no end of line up to here
  bool reading_ = false;
  std::optional<error_code> read_;
  Deadline deadline_;
  std::atomic<bool> cancelled_ = false;
};

Connection::Connection(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Connection::~Connection() = default;

Result<std::unique_ptr<Connection>> Connection::open(const Endpoint& endpoint, const Options& options) {
  auto impl = std::make_unique<Impl>(endpoint);
  Result<void> opened = impl->open(options);
  if (!opened) return fail(opened.error());
  return std::unique_ptr<Connection>(new Connection(std::move(impl)));
}

Result<Reply> Connection::post(const std::string& path, const std::string& body, const std::string& token,
                               Duration timeout) {
  Result<void> written = impl_->write(path, body, token, timeout);
  if (!written) return fail(written.error());
  return impl_->read();
}

Result<Reply> Connection::open_stream(const std::string& path, const std::string& body,
                                      const std::string& token, Duration timeout) {
  Result<void> written = impl_->write(path, body, token, timeout);
  if (!written) return fail(written.error());
  return impl_->read_head();
}

Result<std::string> Connection::next_line(Duration timeout) { return impl_->next_line(timeout); }
void Connection::cancel() { impl_->cancel(); }

}  // namespace weft::etcd
