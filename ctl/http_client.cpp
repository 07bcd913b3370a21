#include "ctl/http_client.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <fmt/ranges.h>
#include <boost/asio/buffer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/json/parse.hpp>

#include "ctl/json_read.h"
#include "ctl/table.h"

namespace weft::ctl {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace json = boost::json;
using boost::system::error_code;

namespace {

error_code last_error() { return {errno, boost::system::system_category()}; }

/// A connected socket in the form that Beast reads from.
class Stream {
 public:
  /// `go_on`: asked whenever nothing has come for so long.
  Stream(int fd, std::chrono::milliseconds patience, std::function<bool()> go_on)
      : fd_(fd), patience_(patience), go_on_(std::move(go_on)) {}
  ~Stream() { close(fd_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  template <typename Buffers>
  std::size_t read_some(const Buffers& buffers, error_code& error) {
    const asio::mutable_buffer into = *asio::buffer_sequence_begin(buffers);
    pollfd wait{fd_, POLLIN, 0};
    int ready = poll(&wait, 1, static_cast<int>(patience_.count()));
    while (ready == 0 && go_on_()) ready = poll(&wait, 1, static_cast<int>(patience_.count()));
    if (ready == 0) errno = ETIMEDOUT;
    const ssize_t got = ready <= 0 ? -1 : read(fd_, into.data(), into.size());
    if (got < 0) error = last_error();
    if (got == 0) error = asio::error::make_error_code(asio::error::misc_errors::eof);
    if (got > 0) error = {};
    return got > 0 ? static_cast<std::size_t>(got) : 0;
  }
  template <typename Buffers>
  std::size_t read_some(const Buffers& buffers) {
    error_code error;
    const std::size_t got = read_some(buffers, error);
    if (error) throw boost::system::system_error(error);
    return got;
  }

  /// A daemon that refuses a large body may stop reading; its answer is there nevertheless, so that is no
  /// error here.
  void write_all(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

 private:
  int fd_;
  std::chrono::milliseconds patience_;
  std::function<bool()> go_on_;
};

Failure busy(const std::string& socket, std::chrono::milliseconds patience) {
  return {
      0, "timeout",
      fmt::format("weftd at {} is alive, but has not answered this for {}", socket,
                  human_duration(patience * Client::kMostPatience)),
      "what was asked for may still be done: weftctl status, weftctl events and weftctl config history tell"};
}

Failure hangs(const std::string& socket, std::chrono::milliseconds patience) {
  return {
      0, "timeout",
      fmt::format("weftd at {} is there, but has not answered for {}", socket, human_duration(patience)),
      "it hangs or is stopped: see `systemctl status weftd` and its log, then `systemctl restart weftd`; the "
      "fabric goes on as it is meanwhile"};
}

/// Names of subnets whose sockets stand beside this one: weftd-NAME.sock beside weftd.sock.
std::vector<std::string> subnets_beside(const std::filesystem::path& socket) {
  std::vector<std::string> names;
  const std::string start = socket.stem().string() + "-";
  const std::string end = socket.extension().string();
  std::error_code error;
  using Entries = std::filesystem::directory_iterator;
  for (Entries entry(socket.parent_path(), error); !error && entry != Entries(); entry.increment(error)) {
    const std::string file = entry->path().filename().string();
    if (file.size() > start.size() + end.size() && file.starts_with(start) && file.ends_with(end))
      names.push_back(file.substr(start.size(), file.size() - start.size() - end.size()));
  }
  std::ranges::sort(names);
  return names;
}

Failure cannot_connect(const std::string& socket, int why) {
  if (why == EACCES || why == EPERM) {
    return {0, "forbidden", fmt::format("no permission to use the control socket {}", socket),
            "join the group that owns it (weft, if the configuration does not say otherwise) or use sudo"};
  }
  if (why == ENOENT || why == ECONNREFUSED) {
    const std::vector<std::string> subnets = subnets_beside(socket);
    if (!subnets.empty())
      return {0, "unreachable", fmt::format("no weftd answers at {}", socket),
              fmt::format("it manages several subnets, each with a socket of its own: say --subnet {}",
                          fmt::join(subnets, " or --subnet "))};
    return {0, "unreachable", fmt::format("no weftd answers at {}: is it running?", socket),
            "start it with `systemctl start weftd`, or name its socket with --socket or WEFT_SOCKET"};
  }
  return {0, "unreachable", fmt::format("cannot connect to {}: {}", socket, std::strerror(why)), ""};
}

Reply<int> connected(const std::string& path, std::chrono::milliseconds patience) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return tl::unexpected(cannot_connect(path, ENAMETOOLONG));
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return tl::unexpected(cannot_connect(path, errno));
  // Of connect() too, which waits when nobody takes connections, and of a large body.
  timeval limit{};
  limit.tv_sec = patience.count() / 1000;
  limit.tv_usec = patience.count() % 1000 * 1000;
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
  const int why = errno;
  close(fd);
  if (why == EAGAIN || why == ETIMEDOUT) return tl::unexpected(hangs(path, patience));
  return tl::unexpected(cannot_connect(path, why));
}

Failure broken(const Client& client, const error_code& error, bool alive) {
  const std::string& socket = client.socket();
  if (error.value() == ETIMEDOUT && alive) return busy(socket, client.patience());
  if (error.value() == ETIMEDOUT) return hangs(socket, client.patience());
  return {0, "broken", fmt::format("the connection to {} broke off: {}", socket, error.message()),
          "the daemon may have been stopped or restarted"};
}

/// The daemon's own words where the body has them.
Failure refusal(int status, std::string_view body) {
  error_code error;
  const json::value parsed = json::parse({body.data(), body.size()}, error);
  if (error || !at(parsed, "error").is_object()) {
    return {status, "refused", fmt::format("the daemon answered with HTTP status {}", status), ""};
  }
  return {status, text(parsed, "error.code"), text(parsed, "error.message"), text(parsed, "error.hint")};
}

struct Request {
  std::string_view method;
  std::string_view target;
  std::string body;
};

/// Whether the daemon's loop runs: it answers its probe.
bool is_alive(const Client& client) {
  const auto fd = connected(client.socket(), client.patience());
  if (!fd) return false;
  Stream stream(*fd, client.patience(), [] { return false; });
  stream.write_all("GET /livez HTTP/1.1\r\nHost: weftd\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
  http::response_parser<http::string_body> parser;
  beast::flat_buffer buffer;
  error_code error;
  http::read_header(stream, buffer, parser, error);
  return !error && parser.get().result_int() == 200;
}

/// Sends a request and hands the answer's body on. A refusal's body is kept and becomes the Failure.
Reply<void> exchange(const Client& client, const Request& request,
                     const std::function<bool(std::string_view)>& take) {
  const auto fd = connected(client.socket(), client.patience());
  if (!fd) return tl::unexpected(fd.error());
  int waited = 0;
  bool alive = true;
  Stream stream(*fd, client.patience(), [&] {
    if (++waited >= Client::kMostPatience) return false;
    alive = is_alive(client);
    return alive;
  });
  stream.write_all(
      fmt::format("{} {} HTTP/1.1\r\nHost: weftd\r\nUser-Agent: weftctl\r\nConnection: close\r\n"
                  "Content-Length: {}\r\n\r\n",
                  request.method, request.target, request.body.size()));
  stream.write_all(request.body);

  http::response_parser<http::buffer_body> parser;
  parser.body_limit(boost::none);
  beast::flat_buffer buffer;
  error_code error;
  http::read_header(stream, buffer, parser, error);
  if (error) return tl::unexpected(broken(client, error, alive));
  const int status = static_cast<int>(parser.get().result_int());
  std::string refused;
  std::string piece(64u << 10, '\0');
  while (!parser.is_done()) {
    parser.get().body().data = piece.data();
    parser.get().body().size = piece.size();
    http::read_some(stream, buffer, parser, error);
    if (error == http::error::need_buffer) error = {};
    if (error) return tl::unexpected(broken(client, error, alive));
    const std::string_view got(piece.data(), piece.size() - parser.get().body().size);
    if (status >= 300) {
      refused += got;
    } else if (!got.empty() && !take(got)) {
      return {};
    }
  }
  if (status >= 300) return tl::unexpected(refusal(status, refused));
  return {};
}

Reply<json::value> exchange_json(const Client& client, const Request& request) {
  std::string body;
  const auto done = exchange(client, request, [&body](std::string_view piece) {
    body += piece;
    return true;
  });
  if (!done) return tl::unexpected(done.error());
  error_code error;
  json::value value = json::parse({body.data(), body.size()}, error);
  if (error) {
    return tl::unexpected(
        Failure{0, "broken", fmt::format("{} did not answer with JSON", client.socket()), "is it a weftd?"});
  }
  return value;
}

}  // namespace

Reply<json::value> Client::get(std::string_view target) const {
  return exchange_json(*this, {"GET", target, {}});
}
Reply<json::value> Client::post(std::string_view target, std::string body) const {
  return exchange_json(*this, {"POST", target, std::move(body)});
}
Reply<void> Client::stream(std::string_view target, const std::function<bool(std::string_view)>& take) const {
  return exchange(*this, {"GET", target, {}}, take);
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~';
    if (plain) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

}  // namespace weft::ctl
